//===- PickleMachine.h - The stack machine of a pickle ---------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Shared by the file that decodes instructions (Pickle.cpp) and the one that
// knows how NumPy's objects are built from them (PickleNumPy.cpp).
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_LIB_DATA_PICKLEMACHINE_H
#define PARALLAX_LIB_DATA_PICKLEMACHINE_H

#include "parallax/Data/Pickle.h"

#include <unordered_map>

namespace parallax::pickle {

class Machine {
public:
  Machine(std::string_view bytes, std::string_view source)
      : bytes(bytes), source(source) {}

  Document run();

private:
  [[noreturn]] void fail(std::string_view reason) const;
  static std::string shown(std::string_view text);

  // Input.
  std::string_view take(uint64_t count);
  std::string_view takeLine();
  uint64_t takeUnsigned(size_t byteCount);
  std::string_view takeSized(size_t byteCount) {
    return take(takeUnsigned(byteCount));
  }
  int64_t parseInteger(std::string_view digits) const;
  int64_t takeLongInteger(uint64_t byteCount);
  std::string_view unescapeString(std::string_view line);
  std::string_view unescapeUnicode(std::string_view line);
  /// Keeps decoded text; all of it together is bounded by the input, because a
  /// pickle may ask to decode one long text again and again.
  std::string_view keep(std::string text);

  // Stack.
  void push(Value value);
  void pushRef(Ref ref) { stack.push_back(ref); }
  Ref top() const;
  Ref pop();
  std::vector<Ref> popToMark();
  std::vector<Ref> popMany(size_t count);
  template <typename T> T &topAs(std::string_view what);
  void memoize(uint64_t key);
  void recall(uint64_t key);

  // Instructions.
  void step(uint8_t code);
  bool stepNumber(uint8_t code);
  bool stepText(uint8_t code);
  bool stepContainer(uint8_t code);
  bool stepStack(uint8_t code);
  bool stepObject(uint8_t code);
  void setItems(std::span<const Ref> items);

  // Objects.
  Callable findCallable(std::string_view module, std::string_view name) const;
  Value call(Callable callable, const std::vector<Ref> &arguments);
  void build(Ref object, Ref state);
  void buildArray(Array &array, std::span<const Ref> state);
  void buildArrayType(ArrayType &type, std::span<const Ref> state);
  template <typename T> const T *get(Ref ref) const;
  std::string_view textOf(Ref ref, std::string_view what) const;
  std::string_view bytesOf(Ref ref, std::string_view what) const;
  ArrayType arrayTypeOf(Ref ref) const;
  ArrayType parseArrayType(std::string_view text) const;
  Shape shapeOf(Ref ref) const;
  std::string_view encodeLatin1(std::string_view utf8);

  std::string_view bytes, source;
  size_t position = 0, steps = 0, decodedBytes = 0;
  Document document;
  std::vector<Ref> stack;
  /// How high the stack was at each open mark.
  std::vector<size_t> marks;
  std::unordered_map<uint64_t, Ref> memo;
};

template <typename T> const T *Machine::get(Ref ref) const {
  return std::get_if<T>(&document.values[ref]);
}

} // namespace parallax::pickle

#endif // PARALLAX_LIB_DATA_PICKLEMACHINE_H
