//===- ModelFile.cpp - Parsing of ONNX files ------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Parses a model from a file or from memory with protobuf's own log silenced,
// so that errors name the file and the remedy.
//===----------------------------------------------------------------------===//
#include "ModelFile.h"
#include "parallax/Support/Error.h"

#include <climits>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>

namespace parallax::onnx_import {
namespace {

/// Protobuf's own messages would name neither the file nor the way out.
struct QuietProtobuf {
  QuietProtobuf() : previous(google::protobuf::SetLogHandler(nullptr)) {}
  ~QuietProtobuf() { google::protobuf::SetLogHandler(previous); }
  google::protobuf::LogHandler *previous;
};

/// Passes bytes on, and takes each of them into the seal once.
class SealingStream : public google::protobuf::io::ZeroCopyInputStream {
public:
  SealingStream(ZeroCopyInputStream &inner, ModelSeal &seal)
      : inner(inner), seal(seal) {}

  bool Next(const void **data, int *size) override {
    int64_t begin = inner.ByteCount();
    if (!inner.Next(data, size))
      return false;
    // What was given back comes again.
    int64_t known = std::min<int64_t>(taken - begin, *size);
    take(
        {static_cast<const std::byte *>(*data) + known, size_t(*size - known)});
    taken = std::max(taken, begin + *size);
    return true;
  }
  void BackUp(int count) override { inner.BackUp(count); }
  bool Skip(int count) override {
    const void *data = nullptr;
    for (int size = 0; count > 0; count -= size) {
      if (!Next(&data, &size))
        return false;
      if (size > count) {
        BackUp(size - count);
        size = count;
      }
    }
    return true;
  }
  int64_t ByteCount() const override { return inner.ByteCount(); }

private:
  /// The last bytes are held back: they may be the digest.
  void take(std::span<const std::byte> bytes) {
    size_t ready = seal.stated.size() + bytes.size();
    ready -= std::min(ready, digestDigits);
    size_t ofStated = std::min(ready, seal.stated.size());
    seal.digest.update(std::as_bytes(std::span(seal.stated)).first(ofStated));
    seal.stated.erase(0, ofStated);
    seal.digest.update(bytes.first(ready - ofStated));
    bytes = bytes.subspan(ready - ofStated);
    seal.stated.append(reinterpret_cast<const char *>(bytes.data()),
                       bytes.size());
  }

  ZeroCopyInputStream &inner;
  ModelSeal &seal;
  int64_t taken = 0;
};

onnx::ModelProto parse(google::protobuf::io::ZeroCopyInputStream &stream,
                       const std::string &name, ModelSeal *seal) {
  if (seal) {
    SealingStream sealing(stream, *seal);
    return parse(sealing, name, nullptr);
  }
  QuietProtobuf quiet;
  onnx::ModelProto model;
  google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetTotalBytesLimit(INT_MAX);
  if (!model.ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage() ||
      !model.has_graph())
    throw Error(fmt::format("{} is not an ONNX model, or it is damaged or "
                            "truncated (a model above 2 GB needs external "
                            "data)",
                            name));
  return model;
}

} // namespace

onnx::ModelProto readModelFile(const std::string &path, ModelSeal *seal) {
  if (!std::filesystem::exists(path))
    throw Error(fmt::format("{}: there is no such file", path));
  if (!std::filesystem::is_regular_file(path))
    throw Error(fmt::format("{} is not a file", path));
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    throw Error(fmt::format("{} can't be read: {}", path, strerror(errno)));
  // Read, not mapped: the parsed model is the only copy in memory.
  google::protobuf::io::FileInputStream stream(file, 1 << 20);
  stream.SetCloseOnDelete(true);
  return parse(stream, path, seal);
}

onnx::ModelProto readModelBytes(std::span<const std::byte> bytes,
                                const std::string &name, ModelSeal *seal) {
  google::protobuf::io::ArrayInputStream stream(bytes.data(),
                                                int(bytes.size()));
  return parse(stream, name, seal);
}

int64_t opsetOf(const onnx::ModelProto &model) {
  int64_t opset = 0;
  for (const onnx::OperatorSetIdProto &id : model.opset_import())
    if (id.domain().empty() || id.domain() == "ai.onnx")
      opset = std::max(opset, int64_t(id.version()));
  return opset;
}

bool isStandard(const onnx::NodeProto &node) {
  return node.domain().empty() || node.domain() == "ai.onnx";
}

std::string layerNameOf(const onnx::NodeProto &node, size_t number) {
  return node.name().empty()
             ? fmt::format("op_{}:onnx.{}", number, node.op_type())
             : node.name();
}

} // namespace parallax::onnx_import
