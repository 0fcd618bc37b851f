//===- ModelWriter.cpp - ONNX files, weight by weight ---------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A message inside of a message is preceded by its length, so all lengths are
// calculated before the first byte is written.
//===----------------------------------------------------------------------===//
#include "ModelWriter.h"
#include "../Initializers.h"
#include "Layer.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Digest.h"
#include "parallax/Support/Error.h"

#include <google/protobuf/io/coded_stream.h>
#include <onnx/onnx_pb.h>

namespace fs = std::filesystem;
using google::protobuf::io::CodedOutputStream;

namespace parallax::onnx_export {
namespace {

/// Small tensors stay where one can read them.
constexpr size_t leastExternalBytes = 1024;
/// The size of a page, so that a runtime can map a tensor by itself.
constexpr size_t externalAlignment = 4096;

//===----------------------------------------------------------------------===//
// Protobuf's fields
//===----------------------------------------------------------------------===//

/// The key of a field that is preceded by its length.
uint32_t keyOf(int field) { return uint32_t(field) << 3 | 2; }

size_t fieldSize(int field, size_t length) {
  return CodedOutputStream::VarintSize32(keyOf(field)) +
         CodedOutputStream::VarintSize64(length) + length;
}

/// Collects small pieces, so that not each of them is a call of the system.
class FieldWriter {
public:
  /// All bytes are also added to `digest`, if there is one.
  FieldWriter(const fs::path &path, Sha256 *digest)
      : file(path), digest(digest) {}

  size_t bytesWritten() const { return count; }

  void text(const std::string &bytes) {
    count += bytes.size();
    buffer += bytes;
    if (buffer.size() > bufferLimit)
      flush();
  }

  void beginField(int field, size_t length) {
    uint8_t bytes[16];
    uint8_t *end = CodedOutputStream::WriteVarint32ToArray(keyOf(field), bytes);
    end = CodedOutputStream::WriteVarint64ToArray(length, end);
    text(std::string(bytes, end));
  }

  void data(const Tensor &tensor) {
    std::span bytes(static_cast<const std::byte *>(tensor.rawData()),
                    tensor.byteSize());
    if (bytes.size() < bufferLimit)
      return text({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
    flush();
    put(bytes);
    count += bytes.size();
  }

  void fillTo(size_t position) { text(std::string(position - count, '\0')); }

  void flush() {
    put(std::as_bytes(std::span(buffer)));
    buffer.clear();
  }

  void commit() {
    flush();
    file.commit();
  }

private:
  static constexpr size_t bufferLimit = size_t(1) << 16;

  void put(std::span<const std::byte> bytes) {
    file.write(bytes);
    if (digest)
      digest->update(bytes);
  }

  AtomicFile file;
  Sha256 *digest;
  std::string buffer;
  size_t count = 0;
};

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// An initializer as the file holds it.
struct StoredTensor {
  const Initializer *initializer;
  /// Everything but the elements.
  std::string header;
  /// Where the elements are in the second file, if they are there.
  std::optional<size_t> offset;

  bool isEmbedded() const { return !offset && initializer->byteSize() > 0; }
  size_t size() const {
    return header.size() +
           (isEmbedded() ? fieldSize(onnx::TensorProto::kRawDataFieldNumber,
                                     initializer->byteSize())
                         : 0);
  }
};

void refer(onnx::TensorProto &proto, const std::string &key,
           const std::string &value) {
  onnx::StringStringEntryProto &entry = *proto.add_external_data();
  entry.set_key(key);
  entry.set_value(value);
}

/// `location` is the name of the second file, or empty to have none.
std::vector<StoredTensor> layOut(const std::vector<Initializer> &initializers,
                                 const std::string &location) {
  std::vector<StoredTensor> stored;
  size_t end = 0;
  for (const Initializer &initializer : initializers) {
    StoredTensor tensor{&initializer, {}, {}};
    onnx::TensorProto proto;
    proto.set_name(initializer.name);
    proto.set_data_type(toOnnxType(initializer.dtype));
    for (int64_t extent : initializer.shape)
      proto.add_dims(extent);
    size_t bytes = initializer.byteSize();
    if (!location.empty() && bytes >= leastExternalBytes) {
      tensor.offset =
          (end + externalAlignment - 1) / externalAlignment * externalAlignment;
      end = *tensor.offset + bytes;
      proto.set_data_location(onnx::TensorProto::EXTERNAL);
      refer(proto, "location", location);
      refer(proto, "offset", std::to_string(*tensor.offset));
      refer(proto, "length", std::to_string(bytes));
    }
    tensor.header = proto.SerializeAsString();
    stored.push_back(std::move(tensor));
  }
  return stored;
}

size_t sizeOf(const std::vector<StoredTensor> &tensors) {
  size_t size = 0;
  for (const StoredTensor &tensor : tensors)
    size += fieldSize(onnx::GraphProto::kInitializerFieldNumber, tensor.size());
  return size;
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

/// What stands before and after the graph and its initializers, if fields are
/// in the order of their numbers.
struct Frame {
  std::string modelHead, graphHead, graphTail, modelTail;

  explicit Frame(onnx::ModelProto model) {
    onnx::GraphProto graph, graphEnd;
    graph.Swap(model.mutable_graph());
    model.clear_graph();
    graphEnd.mutable_input()->Swap(graph.mutable_input());
    graphEnd.mutable_output()->Swap(graph.mutable_output());
    graphEnd.mutable_value_info()->Swap(graph.mutable_value_info());
    graphEnd.mutable_quantization_annotation()->Swap(
        graph.mutable_quantization_annotation());
    onnx::ModelProto modelEnd;
    modelEnd.mutable_opset_import()->Swap(model.mutable_opset_import());
    modelEnd.mutable_metadata_props()->Swap(model.mutable_metadata_props());
    modelEnd.mutable_functions()->Swap(model.mutable_functions());
    modelHead = model.SerializeAsString();
    graphHead = graph.SerializeAsString();
    graphTail = graphEnd.SerializeAsString();
    modelTail = modelEnd.SerializeAsString();
  }

  size_t graphSize(const std::vector<StoredTensor> &tensors) const {
    return graphHead.size() + sizeOf(tensors) + graphTail.size();
  }
  size_t fileSize(const std::vector<StoredTensor> &tensors) const {
    return modelHead.size() +
           fieldSize(onnx::ModelProto::kGraphFieldNumber, graphSize(tensors)) +
           modelTail.size();
  }
};

void writeEmbedded(FieldWriter &file, const StoredTensor &tensor) {
  file.beginField(onnx::GraphProto::kInitializerFieldNumber, tensor.size());
  file.text(tensor.header);
  if (!tensor.isEmbedded())
    return;
  file.beginField(onnx::TensorProto::kRawDataFieldNumber,
                  tensor.initializer->byteSize());
  file.data(tensor.initializer->load());
}

/// Everything of an entry of metadata but its value, which is a digest.
std::string digestHead(const char *key) {
  onnx::ModelProto model;
  onnx::StringStringEntryProto &entry = *model.add_metadata_props();
  entry.set_key(key);
  entry.set_value(std::string(digestDigits, '0'));
  std::string bytes = model.SerializePartialAsString();
  bytes.resize(bytes.size() - digestDigits);
  return bytes;
}

} // namespace

size_t writeModel(const fs::path &path, onnx::ModelProto model,
                  const std::vector<Initializer> &initializers,
                  size_t embedLimit, const char *digestKey) {
  Frame frame(std::move(model));
  std::vector<StoredTensor> tensors = layOut(initializers, "");
  fs::path dataPath = path.parent_path() / (path.stem().string() + ".data");
  bool isSplit = frame.fileSize(tensors) > embedLimit;
  if (isSplit && dataPath == path)
    throw Error(fmt::format("{}: the weights need a file of their own, which "
                            "would have this very name; choose another one",
                            path.string()));
  if (isSplit)
    tensors = layOut(initializers, dataPath.filename().string());

  Sha256 ofFile, *digest = digestKey ? &ofFile : nullptr;
  FieldWriter file(path, digest);
  file.text(frame.modelHead);
  file.beginField(onnx::ModelProto::kGraphFieldNumber,
                  frame.graphSize(tensors));
  file.text(frame.graphHead);
  for (const StoredTensor &tensor : tensors)
    writeEmbedded(file, tensor);
  file.text(frame.graphTail);
  file.text(frame.modelTail);
  if (digest) {
    file.text(digestHead(digestKey));
    file.flush();
  }

  std::optional<FieldWriter> data;
  if (isSplit) {
    data.emplace(dataPath, digest);
    for (const StoredTensor &tensor : tensors)
      if (tensor.offset) {
        data->fillTo(*tensor.offset);
        data->data(tensor.initializer->load());
      }
    // First what the model refers to, then the model.
    data->commit();
  }
  if (digest)
    file.text(ofFile.finish());
  file.commit();
  return file.bytesWritten() + (data ? data->bytesWritten() : 0);
}

} // namespace parallax::onnx_export
