//===- PickleTest.cpp - Python pickles, read as data ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// What NumPy writes in all protocols, and pickles that try to run something or
// to fill the memory.
//===----------------------------------------------------------------------===//
#include "parallax/Data/Pickle.h"
#include "DataTestSupport.h"
#include "PickledDicts.h"
#include "parallax/Data/NumPyObject.h"

using namespace parallax;

namespace {

std::string
npyObject(const std::string &pickle,
          std::string header = "{'descr': '|O', 'fortran_order': False, "
                               "'shape': (), }\n") {
  return std::string("\x93NUMPY\x01\x00", 8) + char(header.size()) + '\0' +
         header + pickle;
}

/// The pickle of numpy.array({"x": ...}, dtype=object), up to the value.
std::string dictWith(const std::string &value) {
  return "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\n"
         "tR(I1\n(tcnumpy\ndtype\n(S'O8'\nI0\nI1\ntRI00\n((S'x'\n" +
         value + "dltb.";
}

NumPyObject open(const std::string &bytes) {
  return NumPyObject(std::as_bytes(std::span(bytes)), "d.npy");
}

pickle::Document parse(const std::string &bytes) {
  return pickle::parse(std::as_bytes(std::span(bytes)), "d.npy");
}

void expectPickleRefused(const std::string &bytes, const std::string &reason) {
  expectError([&] { parse(bytes); }, reason);
  expectError([&] { parse(bytes); }, "cannot read 'd.npy': its pickle ");
}

/// An array of float32 with this shape and data, as protocol 0 writes it.
std::string arrayOf(const std::string &shape, const std::string &data,
                    const std::string &type = "f4") {
  return "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\n"
         "tR(I1\n(" +
         shape + "tcnumpy\ndtype\n(S'" + type +
         "'\nI0\nI1\ntR(I3\nS'<'\nNNNI-1\nI-1\nI0\ntbI00\nS'" + data + "'\ntb";
}

TEST(Pickle, ReadsWhatNumPyWrites) {
  for (size_t protocol = 0; protocol < 6; ++protocol)
    for (bool renamed : {false, true}) {
      std::string bytes = fromHex(pickledDicts[protocol]);
      // NumPy 2 has renamed the modules; later protocols give their length.
      if (renamed && protocol > 3)
        continue;
      for (size_t at = 0;
           renamed && (at = bytes.find("numpy.core", at)) != std::string::npos;
           ++at)
        bytes.replace(at, 10, "numpy._core");
      std::string file = npyObject(bytes);
      NumPyObject object = open(file);
      EXPECT_EQ(object.names(), (std::vector<std::string>{
                                    "x", "f", "e", "n", "s", "note", "list"}));
      EXPECT_EQ(object.array("x").shape(), (Shape{1, 2}));
      EXPECT_EQ(valuesOf<float>(object.array("x")),
                (std::vector<float>{1.5, -2}));
      EXPECT_EQ(object.array("f").shape(), (Shape{2, 3}));
      EXPECT_EQ(valuesOf<uint8_t>(object.array("f")),
                (std::vector<uint8_t>{0, 1, 2, 3, 4, 5}));
      EXPECT_EQ(valuesOf<int16_t>(object.array("e")),
                (std::vector<int16_t>{258, -2}));
      EXPECT_EQ(object.array("n").shape(), (Shape{0, 2}));
      EXPECT_EQ(object.array("n").dtype(), DType::I64);
      EXPECT_EQ(object.array("s").rank(), 0);
      EXPECT_EQ(valuesOf<float>(object.array("s")), std::vector<float>{2.5});
      expectError([&] { object.array("note"); }, "'note' is not a NumPy array");
      expectError([&] { object.array("y"); }, "no array named 'y'");
    }
}

TEST(Pickle, ReadsPlainValues) {
  using namespace pickle;
  std::string bytes =
      "(I7\nI01\nNF-2.5\nL12L\nVa\\u00e9\xe9\nS'\\x41\\n'\n\x8a\x02\x01\xff"
      "J\xfe\xff\xff\xffM\x01\x02G\xc0\x04";
  bytes += std::string(6, '\0') + "C\x02zzN0(I5\nI6\n1t.";
  Document document = parse(bytes);
  const auto &items = std::get<Tuple>(document.root()).items;
  auto at = [&](size_t index) { return document.at(items[index]); };
  ASSERT_EQ(items.size(), 12u);
  EXPECT_EQ(std::get<int64_t>(at(0)), 7);
  EXPECT_EQ(std::get<bool>(at(1)), true);
  EXPECT_TRUE(std::holds_alternative<None>(at(2)));
  EXPECT_EQ(std::get<double>(at(3)), -2.5);
  EXPECT_EQ(std::get<int64_t>(at(4)), 12);
  EXPECT_EQ(std::get<Text>(at(5)).utf8, "aéé");
  EXPECT_EQ(std::get<Text>(at(6)).utf8, "A\n");
  EXPECT_EQ(std::get<int64_t>(at(7)), -255);
  EXPECT_EQ(std::get<int64_t>(at(8)), -2);
  EXPECT_EQ(std::get<int64_t>(at(9)), 0x201);
  EXPECT_EQ(std::get<double>(at(10)), -2.5);
  EXPECT_EQ(std::get<Bytes>(at(11)).data, "zz");
}

TEST(Pickle, RefusesWhateverIsNoData) {
  // os.system("echo"), in several spellings.
  expectPickleRefused("cos\nsystem\n(S'echo'\ntR.",
                      "asks for 'os.system' (GLOBAL)");
  expectPickleRefused("\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x04"
                      "echo\x85R.",
                      "asks for 'posix.system'");
  expectPickleRefused("c__builtin__\neval\n(S'1'\ntR.", "'__builtin__.eval'");
  expectPickleRefused("cnumpy\nload\n(S'1'\ntR.", "'numpy.load'");
  expectPickleRefused("cnumpy.core.multiarray\nndarray\n.",
                      "multiarray.ndarray'");
  expectPickleRefused("(S'echo'\nios\nsystem\n.", "(INST)");
  expectPickleRefused("(cos\nsystem\no.", "'os.system'");
  expectPickleRefused("(No.", "(OBJ)");
  expectPickleRefused("N)\x81.", "(NEWOBJ)");
  expectPickleRefused("N)}\x92.", "(NEWOBJ_EX)");
  expectPickleRefused("\x82\x01.", "(EXT1)");
  expectPickleRefused("Pname\n.", "(PERSID)");
  expectPickleRefused("\x8f.", "(EMPTY_SET)");
  expectPickleRefused("\x97.", "(NEXT_BUFFER)");
  expectPickleRefused("\xee.", "unknown instruction 0xee");
  // Known functions with other arguments than NumPy's.
  expectPickleRefused("cnumpy\nndarray\n(I3\ntR.",
                      "calls numpy.ndarray (REDUCE)");
  expectPickleRefused(
      "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\ndtype\n(I0\nt"
      "S'b'\ntR.",
      "not a numpy.ndarray");
  expectPickleRefused("c_codecs\nencode\n(Va\nVrot13\ntR.", "than Latin-1");
  expectPickleRefused("c__builtin__\nbytes\n(I1000000000\ntR.", "makes bytes");
  expectPickleRefused("cnumpy\ndtype\n(S'f4,f4'\ntR.", "element type");
  expectPickleRefused("I1\n(tR.", "not a function (REDUCE)");
  expectPickleRefused("}(tb.", "not an array (BUILD)");
  expectPickleRefused("cnumpy\ndtype\n(b.", "empty stack");
}

TEST(Pickle, RefusesDamage) {
  for (size_t protocol = 0; protocol < 6; ++protocol) {
    std::string bytes = fromHex(pickledDicts[protocol]);
    for (size_t length = 0; length < bytes.size(); ++length)
      EXPECT_THROW(parse(bytes.substr(0, length)), Error) << length;
    expectPickleRefused(bytes + "x", "followed by 1 more bytes");
  }
  expectPickleRefused(".", "empty stack");
  expectPickleRefused("0.", "empty stack");
  expectPickleRefused("(I1\n0a.", "empty stack");
  expectPickleRefused("t.", "mark that was never set");
  expectPickleRefused("h\x05.", "recalls value 5");
  expectPickleRefused("I1\nI2\na.", "not a list");
  expectPickleRefused("I1\nI2\nI3\ns.", "not a dict");
  expectPickleRefused("(I1\nd.", "without a value");
  expectPickleRefused("}(I1\nu.", "key without a value");
  expectPickleRefused("I1e5\n.", "64-bit integer");
  expectPickleRefused("L99999999999999999999L\n.", "64-bit integer");
  expectPickleRefused("\x8a\x09" + std::string(9, '\x7f') + ".",
                      "integer of 9 bytes");
  expectPickleRefused("Fnine\n.", "float is expected");
  expectPickleRefused("S'abc\n.", "string without quotes");
  expectPickleRefused("S'\\q'\n.", "unknown escape");
  expectPickleRefused("V\\u12\n.", "unknown escape");
  expectPickleRefused("\x80\x06N.", "protocol 6");
  expectPickleRefused("X\xff\xff\xff\xff.", "ends too early");
  expectPickleRefused("\x8e" + std::string(8, '\xff') + ".", "ends too early");
}

TEST(Pickle, SurvivesBombs) {
  // A list in a list in a list ..., and lists that contain the one before
  // twice: a billion elements, had they been copied.
  std::string nested(90'000, ']');
  nested += std::string(89'999, 'a') + ".";
  EXPECT_NO_THROW(parse(nested));
  std::string doubled = "]";
  for (int level = 0; level < 60; ++level)
    doubled += "2\x86";
  EXPECT_NO_THROW(parse(doubled + "."));
  EXPECT_NO_THROW(
      parse("]q" + std::string(1, '\0') + "h" + std::string(1, '\0') + "a."));

  expectPickleRefused(std::string(200'000, 'N') + ".",
                      "more than 100000 values");
  expectPickleRefused("N" + std::string(2'000'000, '2') + ".", "1000000 steps");
  // One long text, encoded again and again.
  std::string encoded =
      "c_codecs\nencode\nq0V" + std::string(100'000, 'a') + "\nq1Vlatin1\nq2";
  for (int time = 0; time < 100; ++time)
    encoded += "h0h1h2\x86R";
  expectPickleRefused(encoded + ".", "decodes more text");
}

TEST(NumPyObject, RefusesOtherFiles) {
  auto refuse = [](const std::string &bytes, const std::string &reason) {
    expectError([&] { open(bytes); }, reason);
    expectError([&] { open(bytes); }, "'d.npy'");
  };
  std::string good = dictWith(arrayOf("I1\n", "\\x00\\x00\\x80\\x3f"));
  std::string file = npyObject(good);
  EXPECT_EQ(valuesOf<float>(open(file).array("x")), std::vector<float>{1});

  refuse("", "does not begin like a NumPy file");
  refuse(good, "does not begin like a NumPy file");
  refuse(npyBytes<float>({1}, {1}), "calibration_format to Numpy");
  refuse(npyObject(good, "{'descr': '|O', 'fortran_order': False, 'shape': "
                         "(2,), }\n"),
         "array of objects");
  refuse(file.substr(0, 30), "ends inside its header");
  refuse(npyObject("N."), "not a dict");
  refuse(npyObject("}."), "not a dict");
  refuse(npyObject(dictWith("NI1\nN")), "not a name");
}

TEST(NumPyObject, RefusesArraysThatLie) {
  auto refuse = [](const std::string &array, const std::string &reason) {
    std::string file = npyObject(dictWith(array));
    expectError([&] { open(file).array("x"); }, reason);
    expectError([&] { open(file).array("x"); }, "d.npy");
  };
  std::string four = "\\x00\\x00\\x80\\x3f";
  refuse(arrayOf("I2\n", four), "needs 8 bytes of data, but 4 follow");
  refuse(arrayOf("I4000000000\nI4000000000\n", four), "larger than any memory");
  refuse(arrayOf("I1000000\nI1000000\n", four), "the file is truncated");
  refuse(arrayOf("I-1\n", four), "impossible shape");
  refuse(arrayOf("S'a'\n", four), "impossible shape");
  refuse(arrayOf("I1\n", four, "c8"), "'<c8' is not supported");
  refuse(arrayOf("I1\n", four, "O8"), "Python objects");
  std::string deep;
  for (int dim = 0; dim < 65; ++dim)
    deep += "I1\n";
  refuse(arrayOf(deep, four), "at most 64 integers");
  refuse("]", "'x' is not a NumPy array");
}

} // namespace
