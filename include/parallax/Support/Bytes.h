//===- Bytes.h - Values as bytes for another process -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What one process sends and another of the same program reads. A class says
// once which of its members go: `transfer(archive) { archive(a, b); }` serves
// both directions.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_BYTES_H
#define PARALLAX_SUPPORT_BYTES_H

#include "parallax/Support/Error.h"
#include "parallax/Support/Tensor.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace parallax {

/// Numbers, and structures of nothing else: their memory is what is sent.
template <typename T>
concept PlainBytes = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>;

class ByteWriter {
public:
  template <typename... T> void operator()(const T &...values) {
    (put(values), ...);
  }
  const std::string &bytes() const { return text; }
  std::string take() { return std::move(text); }

private:
  void append(const void *data, size_t size) {
    text.append(static_cast<const char *>(data), size);
  }
  template <PlainBytes T> void put(const T &value) {
    append(&value, sizeof(T));
  }
  void put(const std::string &value) {
    put(uint64_t(value.size()));
    text += value;
  }
  void put(const Tensor &value) {
    put(value.dtype());
    put(value.shape());
    append(value.rawData(), value.byteSize());
  }
  template <typename T> void put(const std::vector<T> &values) {
    put(uint64_t(values.size()));
    if constexpr (std::is_same_v<T, bool>)
      for (bool value : values)
        put(value);
    else if constexpr (PlainBytes<T>)
      append(values.data(), values.size() * sizeof(T));
    else
      for (const T &value : values)
        put(value);
  }
  template <typename T>
  requires(!PlainBytes<T>) void put(const T &value) {
    // The same function reads, so it can't be const.
    const_cast<T &>(value).transfer(*this);
  }

  std::string text;
};

/// Throws Error where the bytes end too early.
class ByteReader {
public:
  explicit ByteReader(std::string_view bytes) : rest(bytes) {}

  template <typename... T> void operator()(T &...values) { (get(values), ...); }
  bool isAtEnd() const { return rest.empty(); }

private:
  void copy(void *to, size_t size) {
    if (size > rest.size())
      throw Error("what another process has sent is damaged");
    if (size > 0)
      std::memcpy(to, rest.data(), size);
    rest.remove_prefix(size);
  }
  /// No more elements than there are bytes for, so that nothing damaged asks
  /// for all memory.
  size_t getCount(size_t elementSize) {
    uint64_t count = 0;
    get(count);
    if (count > rest.size() / elementSize)
      throw Error("what another process has sent is damaged");
    return size_t(count);
  }
  template <PlainBytes T> void get(T &value) { copy(&value, sizeof(T)); }
  void get(std::string &value) {
    value.resize(getCount(1));
    copy(value.data(), value.size());
  }
  void get(Tensor &value) {
    DType dtype{};
    Shape shape;
    get(dtype);
    get(shape);
    value = Tensor(dtype, shape);
    copy(value.rawData(), value.byteSize());
  }
  template <typename T> void get(std::vector<T> &values) {
    if constexpr (std::is_same_v<T, bool>) {
      values.assign(getCount(1), false);
      for (size_t i = 0; i < values.size(); ++i) {
        bool value = false;
        get(value);
        values[i] = value;
      }
    } else if constexpr (PlainBytes<T>) {
      values.resize(getCount(sizeof(T)));
      copy(values.data(), values.size() * sizeof(T));
    } else {
      values.resize(getCount(1));
      for (T &value : values)
        get(value);
    }
  }
  template <typename T>
  requires(!PlainBytes<T>) void get(T &value) { value.transfer(*this); }

  std::string_view rest;
};

} // namespace parallax

#endif // PARALLAX_SUPPORT_BYTES_H
