//===- NumPyTest.cpp - Arrays in .npy files -------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The bytes that NumPy writes, and headers that try to mislead the reader.
//===----------------------------------------------------------------------===//
#include "parallax/Support/NumPy.h"
#include "TempDir.h"

#include <cstring>

using namespace parallax;

namespace {

std::string npy(std::string header, std::string data, int version = 1) {
  std::string length;
  for (int byte = 0; byte < (version == 1 ? 2 : 4); ++byte)
    length += char(header.size() >> (8 * byte) & 0xff);
  return std::string("\x93NUMPY") + char(version) + '\0' + length + header +
         data;
}

std::string dict(std::string descr, std::string order, std::string shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order +
         ", 'shape': " + shape + ", }\n";
}

Tensor read(const std::string &bytes) {
  return readNpy(std::as_bytes(std::span(bytes)), "t.npy");
}

void expectRefused(const std::string &bytes, const std::string &reason) {
  expectError([&] { read(bytes); }, reason);
  expectError([&] { read(bytes); }, "cannot read 't.npy' as .npy: ");
}

template <typename T> std::vector<T> valuesOf(const Tensor &tensor) {
  return {tensor.values<T>().begin(), tensor.values<T>().end()};
}

TEST(NumPy, ReadsAllVersionsAndHeaderSpellings) {
  std::string data("\x01\x00\x02\x00", 4);
  for (int version : {1, 2, 3}) {
    Tensor tensor = read(npy(dict("<i2", "False", "(2,)"), data, version));
    EXPECT_EQ(tensor.shape(), Shape{2});
    EXPECT_EQ(valuesOf<int16_t>(tensor), (std::vector<int16_t>{1, 2}));
  }
  for (const char *header :
       {"{\"shape\":(1,2),\"descr\":\"<i2\",\"fortran_order\":False}",
        "  { 'fortran_order' : False , 'shape' : ( 1L, 2L ), "
        "'descr' : '=i2' , }   \n"})
    EXPECT_EQ(read(npy(header, data)).shape(), (Shape{1, 2}));
  EXPECT_EQ(read(npy(dict("|b1", "False", "()"), "\x05")).rank(), 0);
}

TEST(NumPy, ReadsBigEndianAndFortranOrder) {
  std::string big("\x01\x02\x03\x04", 4);
  EXPECT_EQ(read(npy(dict(">i4", "False", "(1,)"), big)).data<int32_t>()[0],
            0x01020304);
  EXPECT_EQ(valuesOf<uint16_t>(read(npy(dict(">u2", "True", "(2,)"), big))),
            (std::vector<uint16_t>{0x0102, 0x0304}));
  // Columns of a 2x3 array, and a rank-3 array whose element i+2j+6k sits at
  // [i,j,k].
  EXPECT_EQ(valuesOf<uint8_t>(read(npy(dict("|u1", "True", "(2, 3)"),
                                       std::string("\0\1\2\3\4\5", 6)))),
            (std::vector<uint8_t>{0, 2, 4, 1, 3, 5}));
  std::string cube;
  for (char value = 0; value < 12; ++value)
    cube += value;
  Tensor tensor = read(npy(dict("|i1", "True", "(2, 3, 2)"), cube));
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 2; ++k)
        EXPECT_EQ(tensor.data<int8_t>()[i * 6 + j * 2 + k], i + 2 * j + 6 * k);
  EXPECT_EQ(read(npy(dict("<f8", "True", "(0, 3)"), "")).size(), 0);
}

TEST(NumPy, WritesTheBytesOfNumPy) {
  TempDir dir;
  Tensor tensor(DType::F32, {2});
  tensor.data<float>()[0] = 1;
  writeNpy(dir / "a/t.npy", tensor);
  // numpy.save of numpy.array([1, 0], dtype=numpy.float32).
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': "
                       "(2,), }";
  header.resize(117, ' ');
  EXPECT_EQ(contentsOf(dir / "a/t.npy"),
            npy(header + "\n", std::string("\0\0\x80\x3f\0\0\0\0", 8)));
}

TEST(NumPy, RoundTripsEveryTypeAndShape) {
  TempDir dir;
  for (int type = 0; type <= int(DType::Bool); ++type)
    for (Shape shape : {Shape{}, Shape{5}, Shape{2, 0, 3}, Shape{1, 2, 3, 4}}) {
      Tensor tensor(DType(type), shape);
      auto *bytes = static_cast<uint8_t *>(tensor.rawData());
      for (size_t i = 0; i < tensor.byteSize(); ++i)
        bytes[i] = DType(type) == DType::Bool ? i % 2 : uint8_t(31 * i);
      writeNpy(dir / "t.npy", tensor);
      Tensor copy = readNpy(dir / "t.npy");
      EXPECT_EQ(copy.dtype(), tensor.dtype());
      EXPECT_EQ(copy.shape(), shape);
      EXPECT_EQ(std::memcmp(copy.rawData(), bytes, tensor.byteSize()), 0);
      EXPECT_EQ(contentsOf(dir / "t.npy").size() % 64, tensor.byteSize() % 64);
    }
  Shape deep(64, 1);
  writeNpy(dir / "t.npy", Tensor(DType::U8, deep));
  EXPECT_EQ(readNpy(dir / "t.npy").shape(), deep);
  deep.push_back(1);
  expectError([&] { writeNpy(dir / "u.npy", Tensor(DType::U8, deep)); },
              "at most 64 dimensions");
}

TEST(NumPy, RefusesTypesThatAreNoNumbers) {
  for (const char *descr : {"|O", "O", "|O8"})
    expectRefused(npy(dict(descr, "False", "(1,)"), "12345678"),
                  "Python objects");
  for (const char *descr : {"<c8", "<U3", "|S1", "<M8[ns]", "<f16", "<i3", "",
                            "<", "f", "<f4<f4", "\033[31m"})
    expectRefused(npy(dict(descr, "False", "(1,)"), "12345678"),
                  "is not supported");
  expectRefused(npy("{'descr': [('a', '<f4')], 'fortran_order': False, "
                    "'shape': (1,), }",
                    "1234"),
                "structured array");
  expectRefused(std::string("PK\x03\x04rest"), ".npz archive");
}

TEST(NumPy, RefusesShapesThatLie) {
  auto refused = [](const char *shape, const char *reason) {
    expectRefused(npy(dict("<f4", "False", shape), "12345678"), reason);
  };
  refused("(3,)", "the file is truncated");
  refused("(1,)", "one array per file");
  refused("()", "one array per file");
  refused("(1000000000000,)", "the file is truncated");
  refused("(4611686018427387904, 4)", "larger than any memory");
  refused("(9223372036854775807,)", "larger than any memory");
  refused("(0, 9223372036854775807, 9)", "larger than any memory");
  refused("(4294967296, 4294967296, 4294967296)", "larger than any memory");
  refused("(9223372036854775808,)", "too large");
  refused("(-2,)", "negative dimension -2");
  refused("(-1, -2)", "negative dimension");
  refused("(2.0,)", "malformed");
  refused("(+2,)", "malformed");
  refused("(0x2,)", "malformed");
  refused("(None,)", "malformed");
  refused("((2,),)", "malformed");
  refused("[2]", "malformed");
  refused("2", "malformed");
  std::string many = "(";
  for (int i = 0; i < 1000; ++i)
    many += "1,";
  refused((many + ")").c_str(), "more than 64 dimensions");
}

TEST(NumPy, RefusesBrokenHeaders) {
  std::string good = npy(dict("<f4", "False", "(2,)"), "12345678");
  // Every prefix is an error, never a crash.
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_THROW(read(good.substr(0, size)), Error) << size;
  EXPECT_NO_THROW(read(good));
  EXPECT_THROW(read(good + "x"), Error);

  expectRefused("", "does not begin");
  expectRefused(npy(dict("<f4", "False", "(2,)"), "12345678", 4),
                "format version 4");
  expectRefused(std::string("\x93NUMPY\x02\0\xff\xff\xff\xff{}", 14),
                "ends inside its header");
  for (const char *header :
       {"", "{", "{}", "}", "{'descr'", "{'descr':", "{'descr: }", "{1: 2}",
        "{'descr': '<f4', }", "{'shape': (2,), 'shape': (2,), }",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} + evil()",
        "{'descr': '<f4' 'fortran_order': False, 'shape': (2,)}",
        "{,'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
        "__import__('os').system('true')"})
    EXPECT_THROW(read(npy(header, "12345678")), Error) << header;
}

TEST(NumPy, EveryFlippedByteIsReadOrRefused) {
  std::string good = npy(dict("<f4", "True", "(1, 2)"), "12345678");
  for (size_t at = 0; at < good.size(); ++at)
    for (int value = 0; value < 256; value += 5) {
      std::string bytes = good;
      bytes[at] = char(value);
      try {
        Tensor tensor = read(bytes);
        EXPECT_EQ(tensor.byteSize(), 8u);
      } catch (const Error &) {
      }
    }
}

TEST(NumPy, NamesTheFile) {
  TempDir dir;
  expectError([&] { readNpy(dir / "none.npy"); }, "none.npy': No such file");
  expectError([&] { readNpy(dir.write("empty.npy", "")); }, "empty.npy'");
}

} // namespace
