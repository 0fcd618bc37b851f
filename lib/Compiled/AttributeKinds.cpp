//===- AttributeKinds.cpp - Attributes in MLIR and ONNX -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// ONNX has fewer kinds than MLIR: the word in the attribute's doc_string makes
// up for the difference. A reader that only wants the numbers may ignore it.
//===----------------------------------------------------------------------===//
#include "AttributeKinds.h"

#include "../Frontend/ONNX/Export/Layer.h"
#include "../Frontend/ONNX/Initializers.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

namespace parallax::compiled {
namespace {

using mlir::Builder;
using Proto = onnx::AttributeProto;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

template <unsigned width> bool writeInteger(Attribute attribute, Proto &proto) {
  auto integer = dyn_cast<mlir::IntegerAttr>(attribute);
  if (!integer || !integer.getType().isSignlessInteger(width))
    return false;
  proto.set_i(width == 1 ? integer.getValue().getZExtValue()
                         : integer.getInt());
  return true;
}

template <unsigned width>
Attribute readInteger(MLIRContext *context, const Proto &proto) {
  int64_t value = proto.i();
  bool fits =
      width == 1 ? value == 0 || value == 1 : llvm::isIntN(width, value);
  Builder builder(context);
  if (!fits)
    return {};
  if (width == 1)
    return builder.getBoolAttr(value != 0);
  return builder.getIntegerAttr(builder.getIntegerType(width), value);
}

/// Beyond what an integer of ONNX holds: hexadecimal digits, not negative.
constexpr unsigned wideBits = 128;

bool writeWide(Attribute attribute, Proto &proto) {
  auto integer = dyn_cast<mlir::IntegerAttr>(attribute);
  if (!integer || !integer.getType().isSignlessInteger(wideBits) ||
      integer.getValue().isNegative())
    return false;
  proto.set_s(llvm::toString(integer.getValue(), 16, /*Signed=*/false));
  return true;
}

Attribute readWide(MLIRContext *context, const Proto &proto) {
  llvm::APInt value;
  if (proto.s().size() > wideBits / 4 ||
      StringRef(proto.s()).getAsInteger(16, value) ||
      value.getActiveBits() >= wideBits)
    return {};
  Builder builder(context);
  return builder.getIntegerAttr(builder.getIntegerType(wideBits),
                                value.zextOrTrunc(wideBits));
}

bool writeFloat(Attribute attribute, Proto &proto) {
  auto number = dyn_cast<mlir::FloatAttr>(attribute);
  if (!number || !number.getType().isF32())
    return false;
  proto.set_f(number.getValue().convertToFloat());
  return true;
}

Attribute readFloat(MLIRContext *context, const Proto &proto) {
  return Builder(context).getF32FloatAttr(proto.f());
}

/// ONNX has doubles in tensors only.
void writeDoubles(ArrayRef<double> values, bool isList, Proto &proto) {
  onnx::TensorProto &tensor = *proto.mutable_t();
  tensor.set_data_type(onnx::TensorProto::DOUBLE);
  if (isList)
    tensor.add_dims(int64_t(values.size()));
  tensor.set_raw_data(values.data(), values.size() * sizeof(double));
}

std::optional<std::vector<double>> readDoubles(const Proto &proto,
                                               bool isList) {
  const onnx::TensorProto &tensor = proto.t();
  std::vector<double> values(tensor.raw_data().size() / sizeof(double));
  bool isSame = tensor.data_type() == onnx::TensorProto::DOUBLE &&
                tensor.raw_data().size() == values.size() * sizeof(double) &&
                tensor.data_location() != onnx::TensorProto::EXTERNAL;
  bool hasShape = isList ? tensor.dims_size() == 1 &&
                               tensor.dims(0) == int64_t(values.size())
                         : tensor.dims_size() == 0 && values.size() == 1;
  if (!isSame || !hasShape)
    return std::nullopt;
  if (!values.empty())
    std::memcpy(values.data(), tensor.raw_data().data(),
                tensor.raw_data().size());
  return values;
}

bool writeDouble(Attribute attribute, Proto &proto) {
  auto number = dyn_cast<mlir::FloatAttr>(attribute);
  if (!number || !number.getType().isF64())
    return false;
  writeDoubles(number.getValueAsDouble(), /*isList=*/false, proto);
  return true;
}

Attribute readDouble(MLIRContext *context, const Proto &proto) {
  auto values = readDoubles(proto, /*isList=*/false);
  return values ? Builder(context).getF64FloatAttr(values->front())
                : Attribute();
}

//===----------------------------------------------------------------------===//
// Words and types
//===----------------------------------------------------------------------===//

bool writeString(Attribute attribute, Proto &proto) {
  auto text = dyn_cast<StringAttr>(attribute);
  if (text)
    proto.set_s(text.str());
  return bool(text);
}

Attribute readString(MLIRContext *context, const Proto &proto) {
  return StringAttr::get(context, proto.s());
}

bool writeStrings(Attribute attribute, Proto &proto) {
  auto list = dyn_cast<mlir::ArrayAttr>(attribute);
  if (!list || !llvm::all_of(list, [](Attribute entry) {
        return isa<StringAttr>(entry);
      }))
    return false;
  for (StringAttr text : list.getAsRange<StringAttr>())
    proto.add_strings(text.str());
  return true;
}

Attribute readStrings(MLIRContext *context, const Proto &proto) {
  SmallVector<StringRef> texts(proto.strings().begin(), proto.strings().end());
  return Builder(context).getStrArrayAttr(texts);
}

/// As in ONNX's Cast.
bool writeType(Attribute attribute, Proto &proto) {
  auto type = dyn_cast<mlir::TypeAttr>(attribute);
  std::optional<DType> dtype =
      type ? parallax::toDType(type.getValue()) : std::nullopt;
  if (dtype)
    proto.set_i(onnx_export::toOnnxType(*dtype));
  return dtype.has_value();
}

Attribute readType(MLIRContext *context, const Proto &proto) {
  if (!llvm::isInt<32>(proto.i()))
    return {};
  std::optional<DType> dtype = onnx_import::fromOnnxType(int(proto.i()));
  return dtype ? mlir::TypeAttr::get(toElementType(context, *dtype))
               : Attribute();
}

//===----------------------------------------------------------------------===//
// Lists of numbers
//===----------------------------------------------------------------------===//

template <typename ListAttr>
bool writeIntegers(Attribute attribute, Proto &proto) {
  auto list = dyn_cast<ListAttr>(attribute);
  if (list)
    for (int64_t value : list.asArrayRef())
      proto.add_ints(value);
  return bool(list);
}

template <typename ListAttr, typename T>
Attribute readIntegers(MLIRContext *context, const Proto &proto) {
  SmallVector<T> values;
  for (int64_t value : proto.ints()) {
    if (value != int64_t(T(value)))
      return {};
    values.push_back(T(value));
  }
  return ListAttr::get(context, values);
}

bool writeFloats(Attribute attribute, Proto &proto) {
  auto list = dyn_cast<mlir::DenseF32ArrayAttr>(attribute);
  if (list)
    for (float value : list.asArrayRef())
      proto.add_floats(value);
  return bool(list);
}

Attribute readFloats(MLIRContext *context, const Proto &proto) {
  SmallVector<float> values(proto.floats().begin(), proto.floats().end());
  return mlir::DenseF32ArrayAttr::get(context, values);
}

bool writeDoubleList(Attribute attribute, Proto &proto) {
  auto list = dyn_cast<mlir::DenseF64ArrayAttr>(attribute);
  if (list)
    writeDoubles(list.asArrayRef(), /*isList=*/true, proto);
  return bool(list);
}

Attribute readDoubleList(MLIRContext *context, const Proto &proto) {
  auto values = readDoubles(proto, /*isList=*/true);
  return values ? mlir::DenseF64ArrayAttr::get(context, *values) : Attribute();
}

using mlir::DenseI32ArrayAttr;
using mlir::DenseI64ArrayAttr;

constexpr AttributeKind kinds[] = {
    {"bool", Proto::INT, writeInteger<1>, readInteger<1>},
    {"i32", Proto::INT, writeInteger<32>, readInteger<32>},
    {"i64", Proto::INT, writeInteger<64>, readInteger<64>},
    {"i128", Proto::STRING, writeWide, readWide},
    {"f32", Proto::FLOAT, writeFloat, readFloat},
    {"f64", Proto::TENSOR, writeDouble, readDouble},
    {"string", Proto::STRING, writeString, readString},
    {"strings", Proto::STRINGS, writeStrings, readStrings},
    {"type", Proto::INT, writeType, readType},
    {"i32[]", Proto::INTS, writeIntegers<DenseI32ArrayAttr>,
     readIntegers<DenseI32ArrayAttr, int32_t>},
    {"i64[]", Proto::INTS, writeIntegers<DenseI64ArrayAttr>,
     readIntegers<DenseI64ArrayAttr, int64_t>},
    {"f32[]", Proto::FLOATS, writeFloats, readFloats},
    {"f64[]", Proto::TENSOR, writeDoubleList, readDoubleList},
};

} // namespace

std::span<const AttributeKind> attributeKinds() { return kinds; }

bool writeAttribute(Attribute attribute, onnx::AttributeProto &proto) {
  for (const AttributeKind &kind : kinds)
    if (kind.write(attribute, proto)) {
      proto.set_type(Proto::AttributeType(kind.onnxType));
      proto.set_doc_string(kind.word);
      return true;
    }
  return false;
}

Attribute readAttribute(MLIRContext *context,
                        const onnx::AttributeProto &proto) {
  for (const AttributeKind &kind : kinds) {
    if (proto.doc_string() != kind.word)
      continue;
    Attribute attribute = int(proto.type()) == kind.onnxType
                              ? kind.read(context, proto)
                              : Attribute();
    if (!attribute)
      throw Error(fmt::format("attribute '{}' has no value of its kind, {}",
                              proto.name(), kind.word));
    return attribute;
  }
  throw Error(fmt::format("attribute '{}' is of the unknown kind '{}'",
                          proto.name(), proto.doc_string()));
}

} // namespace parallax::compiled
