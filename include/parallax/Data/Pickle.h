//===- Pickle.h - Python pickles, read as data -----------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A pickle is a program for a small machine that can be told to call any
// function of Python. This reader has the stack and no calls: numbers,
// text, bytes, lists, tuples, dicts and NumPy arrays come out, and whatever
// asks for something else is refused by name.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DATA_PICKLE_H
#define PARALLAX_DATA_PICKLE_H

#include "parallax/Support/Tensor.h"

#include <deque>
#include <utility>
#include <variant>

namespace parallax::pickle {

/// The number of a value in its document. Values refer to each other by number
/// and not by pointer: a pickle can nest a million lists or make one contain
/// itself, and neither must matter to a destructor.
using Ref = uint32_t;

struct None {};
struct Text {
  std::string_view utf8;
  /// False for a `str` of Python 2, which may as well be bytes.
  bool isUnicode = true;
};
struct Bytes {
  std::string_view data;
};
struct List {
  std::vector<Ref> items;
};
struct Tuple {
  std::vector<Ref> items;
};
struct Dict {
  std::vector<std::pair<Ref, Ref>> items;
};
/// A numpy.dtype: "f4" and '<', or "O8" and '|'.
struct ArrayType {
  std::string_view code;
  char order = '|';
};
/// Nothing in it has been checked against the size of the data.
struct Array {
  ArrayType type;
  Shape shape;
  bool fortranOrder = false;
  std::string_view data;
  /// In place of data, the list of elements of an array of objects. Arrays may
  /// share it: copying it would let a small file fill the memory.
  std::optional<Ref> objects;
};
/// The few functions of Python that are understood.
enum class Callable {
  Reconstruct,
  FromBuffer,
  Scalar,
  NdArray,
  DType,
  Encode,
  MakeBytes,
};

using Value = std::variant<None, bool, int64_t, double, Text, Bytes, List,
                           Tuple, Dict, ArrayType, Array, Callable>;

/// What a pickle holds. It looks into the bytes that it was read from, which
/// must outlive it.
class Document {
public:
  const Value &root() const { return values[rootRef]; }
  const Value &at(Ref ref) const { return values[ref]; }

private:
  friend class Machine;

  std::vector<Value> values;
  /// Text that had to be decoded.
  std::deque<std::string> decoded;
  Ref rootRef = 0;
};

/// Reads protocols 0 to 5. Throws Error for a malformed pickle, for one that
/// wants anything else than the values above, and for one that takes
/// unreasonably many steps; `sourceName` is the file that messages name.
Document parse(std::span<const std::byte> bytes, std::string_view sourceName);

} // namespace parallax::pickle

#endif // PARALLAX_DATA_PICKLE_H
