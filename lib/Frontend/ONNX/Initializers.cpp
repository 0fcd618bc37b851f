//===- Initializers.cpp - Tensors stored in an ONNX model -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every size is checked against the declared shape before memory is touched: a
// model file may lie.
//===----------------------------------------------------------------------===//
#include "Initializers.h"
#include "Node.h"
#include "parallax/Support/Error.h"

#include <onnx/onnx_pb.h>

namespace fs = std::filesystem;

namespace parallax::onnx_import {
namespace {

Shape shapeOf(const onnx::TensorProto &proto) {
  Shape shape(proto.dims().begin(), proto.dims().end());
  if (!isPlausible(shape))
    throw ImportError(fmt::format("tensor '{}' has the impossible shape {}",
                                  proto.name(), toString(shape)));
  return shape;
}

[[noreturn]] void failSize(const onnx::TensorProto &proto, size_t expected,
                           size_t found, const char *unit) {
  throw ImportError(
      fmt::format("tensor '{}' must have {} {}, but the file has {}",
                  proto.name(), expected, unit, found));
}

/// Copies one of the typed lists of a TensorProto.
template <typename T, typename List>
void copyTyped(const onnx::TensorProto &proto, const List &list,
               Tensor &tensor) {
  if (int64_t(list.size()) != tensor.size())
    failSize(proto, size_t(tensor.size()), size_t(list.size()), "elements");
  std::copy(list.begin(), list.end(), tensor.data<T>());
}

/// 16-bit floats are stored as the bits of an integer list.
void copyHalfBits(const onnx::TensorProto &proto, Tensor &tensor) {
  if (int64_t(proto.int32_data_size()) != tensor.size())
    failSize(proto, size_t(tensor.size()), size_t(proto.int32_data_size()),
             "elements");
  auto *bits = static_cast<uint16_t *>(tensor.rawData());
  std::copy(proto.int32_data().begin(), proto.int32_data().end(), bits);
}

Tensor readTyped(const onnx::TensorProto &proto, DType dtype, Shape shape) {
  // Do not allocate what the file can't fill.
  size_t stored =
      size_t(proto.float_data_size()) + size_t(proto.int32_data_size()) +
      size_t(proto.int64_data_size()) + size_t(proto.double_data_size()) +
      size_t(proto.uint64_data_size());
  if (size_t(elementCount(shape)) > stored)
    failSize(proto, size_t(elementCount(shape)), stored, "elements");
  Tensor tensor(dtype, std::move(shape));
  dispatch(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, float>)
      copyTyped<T>(proto, proto.float_data(), tensor);
    else if constexpr (std::is_same_v<T, double>)
      copyTyped<T>(proto, proto.double_data(), tensor);
    else if constexpr (std::is_same_v<T, int64_t>)
      copyTyped<T>(proto, proto.int64_data(), tensor);
    else if constexpr (std::is_same_v<T, uint64_t> ||
                       std::is_same_v<T, uint32_t>)
      copyTyped<T>(proto, proto.uint64_data(), tensor);
    else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
      copyHalfBits(proto, tensor);
    else
      copyTyped<T>(proto, proto.int32_data(), tensor);
  });
  return tensor;
}

template <typename Stored> Tensor widenTo32(const Tensor &tensor) {
  Tensor wide(DType::F32, tensor.shape());
  std::copy_n(tensor.data<Stored>(), tensor.size(), wide.data<float>());
  return wide;
}

/// Truth values come from outside: only 0 and 1 are valid bools in memory.
void normalizeBools(Tensor &tensor) {
  auto *bytes = static_cast<uint8_t *>(tensor.rawData());
  for (int64_t i = 0; i < tensor.size(); ++i)
    bytes[i] = bytes[i] != 0;
}

} // namespace

std::optional<DType> fromOnnxType(int onnxType) {
  switch (onnxType) {
  case onnx::TensorProto::FLOAT:
    return DType::F32;
  case onnx::TensorProto::DOUBLE:
    return DType::F64;
  case onnx::TensorProto::FLOAT16:
    return DType::F16;
  case onnx::TensorProto::BFLOAT16:
    return DType::BF16;
  case onnx::TensorProto::INT8:
    return DType::I8;
  case onnx::TensorProto::INT16:
    return DType::I16;
  case onnx::TensorProto::INT32:
    return DType::I32;
  case onnx::TensorProto::INT64:
    return DType::I64;
  case onnx::TensorProto::UINT8:
    return DType::U8;
  case onnx::TensorProto::UINT16:
    return DType::U16;
  case onnx::TensorProto::UINT32:
    return DType::U32;
  case onnx::TensorProto::UINT64:
    return DType::U64;
  case onnx::TensorProto::BOOL:
    return DType::Bool;
  default:
    return std::nullopt;
  }
}

// Numbers of the format that older versions of its header lack.
static constexpr int uint4 = 21, int4 = 22;

bool hasFourBits(int onnxType) { return onnxType == uint4 || onnxType == int4; }

bool isPlausible(const Shape &shape) {
  constexpr int64_t maxElements = int64_t(1) << 40;
  int64_t count = 1;
  for (int64_t dim : shape)
    // A zero does not make up for an absurd extent beside it.
    if (dim < 0 ||
        __builtin_mul_overflow(count, std::max<int64_t>(dim, 1), &count) ||
        count > maxElements)
      return false;
  return true;
}

DType widened(DType dtype) {
  return dtype == DType::F16 || dtype == DType::BF16 ? DType::F32 : dtype;
}

std::string nameOfOnnxType(int onnxType) {
  if (onnx::TensorProto::DataType_IsValid(onnxType))
    return onnx::TensorProto::DataType_Name(
        onnx::TensorProto::DataType(onnxType));
  return fmt::format("the unknown type {}", onnxType);
}

Tensor widen(const Tensor &tensor) {
  if (tensor.dtype() == DType::F16)
    return widenTo32<Half>(tensor);
  if (tensor.dtype() == DType::BF16)
    return widenTo32<BFloat16>(tensor);
  return tensor;
}

/// Two codes to a byte, the first one in the lower half.
static Tensor unpacked(const Tensor &bytes, DType dtype, Shape shape) {
  Tensor codes(dtype, std::move(shape));
  const auto *from = bytes.data<uint8_t>();
  auto *to = static_cast<uint8_t *>(codes.rawData());
  for (int64_t i = 0; i < codes.size(); ++i) {
    unsigned code = i % 2 == 0 ? from[i / 2] & 15u : from[i / 2] >> 4;
    bool isNegative = dtype == DType::I8 && code >= 8;
    to[i] = uint8_t(isNegative ? code | 0xF0u : code);
  }
  return codes;
}

Tensor TensorReader::take(onnx::TensorProto &proto) {
  if (hasFourBits(proto.data_type())) {
    Shape shape = shapeOf(proto);
    DType dtype = proto.data_type() == int4 ? DType::I8 : DType::U8;
    proto.set_data_type(onnx::TensorProto::UINT8);
    proto.clear_dims();
    proto.add_dims((elementCount(shape) + 1) / 2);
    return unpacked(take(proto), dtype, std::move(shape));
  }
  std::optional<DType> dtype = fromOnnxType(proto.data_type());
  if (!dtype)
    throw ImportError(
        fmt::format("tensor '{}' has elements of {}, which is not supported",
                    proto.name(), nameOfOnnxType(proto.data_type())));
  Shape shape = shapeOf(proto);
  Tensor tensor;
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    tensor = mapExternal(proto, *dtype, std::move(shape));
  } else if (proto.has_raw_data()) {
    size_t expected = size_t(elementCount(shape)) * sizeOf(*dtype);
    if (proto.raw_data().size() != expected)
      failSize(proto, expected, proto.raw_data().size(), "bytes");
    auto owner =
        std::make_shared<std::string>(std::move(*proto.mutable_raw_data()));
    tensor = Tensor(*dtype, std::move(shape), owner->data(), owner);
    // Short strings are stored unaligned inside their object.
    if (reinterpret_cast<uintptr_t>(tensor.rawData()) % sizeOf(*dtype) != 0)
      tensor = tensor.clone();
  } else {
    tensor = readTyped(proto, *dtype, std::move(shape));
  }
  if (*dtype == DType::Bool) {
    tensor = tensor.clone();
    normalizeBools(tensor);
  }
  return widen(tensor);
}

Tensor TensorReader::mapExternal(const onnx::TensorProto &proto, DType dtype,
                                 Shape shape) {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
  for (const onnx::StringStringEntryProto &entry : proto.external_data()) {
    if (entry.key() == "location") {
      location = entry.value();
      continue;
    }
    if (entry.key() != "offset" && entry.key() != "length")
      continue;
    uint64_t number = 0;
    if (StringRef(entry.value()).getAsInteger(10, number))
      throw ImportError(fmt::format("tensor '{}' has the bad external {} '{}'",
                                    proto.name(), entry.key(), entry.value()));
    (entry.key() == "offset" ? offset : length.emplace()) = number;
  }

  fs::path relative(location);
  fs::path path = folder / relative;
  std::error_code ignored;
  fs::path inside = fs::weakly_canonical(path, ignored)
                        .lexically_relative(fs::weakly_canonical(
                            folder.empty() ? fs::path(".") : folder, ignored));
  if (location.empty() || relative.is_absolute() || inside.empty() ||
      *inside.begin() == "..")
    throw ImportError(fmt::format(
        "tensor '{}' refers to the external file '{}', which is not inside "
        "the model's folder",
        proto.name(), location));

  std::shared_ptr<MappedFile> &file = files[path.string()];
  try {
    if (!file)
      file = MappedFile::open(path);
  } catch (const Error &error) {
    throw ImportError(
        fmt::format("tensor '{}': {}", proto.name(), error.what()));
  }
  size_t bytes = size_t(elementCount(shape)) * sizeOf(dtype);
  if (length && *length != bytes)
    failSize(proto, bytes, size_t(*length), "bytes");
  if (offset > file->bytes().size() || bytes > file->bytes().size() - offset)
    throw ImportError(fmt::format(
        "tensor '{}' needs bytes {} to {} of '{}', which has only {}",
        proto.name(), offset, offset + bytes, path.string(),
        file->bytes().size()));
  // Once the last user is gone (weights were repacked), the pages go too.
  std::span<const std::byte> range = file->bytes().subspan(offset, bytes);
  std::shared_ptr<const void> owner(
      range.data(), [file, range](const void *) { file->releasePages(range); });
  Tensor tensor(dtype, std::move(shape), const_cast<std::byte *>(range.data()),
                std::move(owner));
  if (offset % sizeOf(dtype) != 0)
    return tensor.clone();
  return tensor;
}

} // namespace parallax::onnx_import
