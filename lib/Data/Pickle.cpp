//===- Pickle.cpp - Python pickles, read as data --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The instructions, one group per function. Nothing here recurses and no value
// is copied, so what a pickle can cost is bounded by its number of steps.
//===----------------------------------------------------------------------===//
#include "PickleMachine.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <fmt/format.h>

namespace parallax::pickle {
namespace {

/// A dict of arrays takes about thirty steps per array.
constexpr size_t maxSteps = 1'000'000;
constexpr size_t maxValues = 100'000;

struct RefusedCode {
  uint8_t code;
  std::string_view name, why;
};

constexpr RefusedCode refusedCodes[] = {
    {'P', "PERSID", "refers to an object outside of the file"},
    {'Q', "BINPERSID", "refers to an object outside of the file"},
    {'i', "INST", "creates an object of a class"},
    {'o', "OBJ", "creates an object of a class"},
    {0x81, "NEWOBJ", "creates an object of a class"},
    {0x92, "NEWOBJ_EX", "creates an object of a class"},
    {0x82, "EXT1", "names a class by a registered number"},
    {0x83, "EXT2", "names a class by a registered number"},
    {0x84, "EXT4", "names a class by a registered number"},
    {0x8f, "EMPTY_SET", "creates a set"},
    {0x90, "ADDITEMS", "fills a set"},
    {0x91, "FROZENSET", "creates a set"},
    {0x97, "NEXT_BUFFER", "refers to a buffer outside of the file"},
    {0x98, "READONLY_BUFFER", "refers to a buffer outside of the file"}};

int hexDigit(char symbol) {
  if (symbol >= '0' && symbol <= '9')
    return symbol - '0';
  char lower = char(symbol | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

} // namespace

void Machine::fail(std::string_view reason) const {
  throw Error(fmt::format("cannot read '{}': its pickle {} (at byte {})",
                          source, reason, position));
}

/// A part of the file in a message: printable, and short however long it is.
std::string Machine::shown(std::string_view text) {
  return elide(text.substr(0, 100), 60);
}

//===- Input --------------------------------------------------------------===//

std::string_view Machine::take(uint64_t count) {
  if (count > bytes.size() - position)
    fail("ends too early");
  std::string_view part = bytes.substr(position, count);
  position += count;
  return part;
}

std::string_view Machine::takeLine() {
  size_t end = bytes.find('\n', position);
  if (end == std::string_view::npos)
    fail("ends too early");
  std::string_view line = bytes.substr(position, end - position);
  position = end + 1;
  return line;
}

uint64_t Machine::takeUnsigned(size_t byteCount) {
  uint64_t value = 0;
  std::string_view part = take(byteCount);
  for (size_t byte = 0; byte < byteCount; ++byte)
    value |= uint64_t(uint8_t(part[byte])) << (8 * byte);
  return value;
}

int64_t Machine::parseInteger(std::string_view digits) const {
  if (digits.ends_with('L'))
    digits.remove_suffix(1);
  int64_t value = 0;
  auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size())
    fail(fmt::format("has '{}' where a 64-bit integer is expected",
                     shown(digits)));
  return value;
}

int64_t Machine::takeLongInteger(uint64_t byteCount) {
  std::string_view part = take(byteCount);
  if (byteCount > 8)
    fail(fmt::format("has an integer of {} bytes; 8 are supported", byteCount));
  uint64_t value = 0;
  for (size_t byte = 0; byte < byteCount; ++byte)
    value |= uint64_t(uint8_t(part[byte])) << (8 * byte);
  size_t unused = 64 - 8 * byteCount;
  return byteCount == 0 ? 0 : int64_t(value << unused) >> unused;
}

std::string_view Machine::keep(std::string text) {
  decodedBytes += text.size();
  // One byte of a text line can become two of UTF-8, and these can be encoded
  // to bytes once more.
  if (decodedBytes > 4 * bytes.size())
    fail("decodes more text than it contains");
  return document.decoded.emplace_back(std::move(text));
}

/// The `repr` of a Python 2 string: quoted, with escapes.
std::string_view Machine::unescapeString(std::string_view line) {
  if (line.size() < 2 || (line[0] != '\'' && line[0] != '"') ||
      line.back() != line[0])
    fail("has a string without quotes");
  line = line.substr(1, line.size() - 2);
  std::string text;
  for (size_t at = 0; at < line.size(); ++at) {
    if (line[at] != '\\') {
      text += line[at];
      continue;
    }
    static constexpr std::string_view symbols = "\\'\"abfnrtv",
                                      meanings = "\\'\"\a\b\f\n\r\t\v";
    char symbol = ++at < line.size() ? line[at] : 0;
    if (size_t index = symbols.find(symbol); index != std::string_view::npos) {
      text += meanings[index];
      continue;
    }
    int high = at + 1 < line.size() ? hexDigit(line[at + 1]) : -1;
    int low = at + 2 < line.size() ? hexDigit(line[at + 2]) : -1;
    if (symbol != 'x' || high < 0 || low < 0)
      fail("has a string with an unknown escape");
    text += char(high << 4 | low);
    at += 2;
  }
  return keep(std::move(text));
}

/// Python's raw-unicode-escape: Latin-1, with \uXXXX and \UXXXXXXXX.
std::string_view Machine::unescapeUnicode(std::string_view line) {
  std::string text;
  for (size_t at = 0; at < line.size(); ++at) {
    char kind = at + 1 < line.size() ? line[at + 1] : 0;
    if (line[at] != '\\' || (kind != 'u' && kind != 'U')) {
      appendUtf8(text, uint8_t(line[at]));
      continue;
    }
    size_t digits = kind == 'u' ? 4 : 8;
    uint32_t symbol = 0;
    for (size_t digit = 0; digit < digits; ++digit) {
      size_t index = at + 2 + digit;
      int value = index < line.size() ? hexDigit(line[index]) : -1;
      if (value < 0)
        fail("has text with an unknown escape");
      symbol = symbol << 4 | uint32_t(value);
    }
    if (symbol > 0x10ffff)
      fail("has text with a character beyond Unicode");
    appendUtf8(text, symbol);
    at += 1 + digits;
  }
  return keep(std::move(text));
}

//===- Stack --------------------------------------------------------------===//

void Machine::push(Value value) {
  if (document.values.size() == maxValues)
    fail(fmt::format("holds more than {} values", maxValues));
  pushRef(Ref(document.values.size()));
  document.values.push_back(std::move(value));
}

Ref Machine::top() const {
  if (stack.size() == (marks.empty() ? 0 : marks.back()))
    fail("takes a value from an empty stack");
  return stack.back();
}

Ref Machine::pop() {
  Ref ref = top();
  stack.pop_back();
  return ref;
}

std::vector<Ref> Machine::popToMark() {
  if (marks.empty())
    fail("looks for a mark that was never set");
  std::vector<Ref> items(stack.begin() + ptrdiff_t(marks.back()), stack.end());
  stack.resize(marks.back());
  marks.pop_back();
  return items;
}

std::vector<Ref> Machine::popMany(size_t count) {
  std::vector<Ref> items(count);
  for (size_t index = count; index-- > 0;)
    items[index] = pop();
  return items;
}

template <typename T> T &Machine::topAs(std::string_view what) {
  auto *value = std::get_if<T>(&document.values[top()]);
  if (!value)
    fail(fmt::format("adds items to something that is not a {}", what));
  return *value;
}

void Machine::memoize(uint64_t key) { memo[key] = top(); }

void Machine::recall(uint64_t key) {
  auto found = memo.find(key);
  if (found == memo.end())
    fail(fmt::format("recalls value {}, which was never stored", key));
  pushRef(found->second);
}

void Machine::setItems(std::span<const Ref> items) {
  auto &dict = topAs<Dict>("dict");
  if (items.size() % 2 != 0)
    fail("has a dict key without a value");
  for (size_t index = 0; index < items.size(); index += 2)
    dict.items.emplace_back(items[index], items[index + 1]);
}

//===- Instructions -------------------------------------------------------===//

bool Machine::stepNumber(uint8_t code) {
  switch (code) {
  case 'N': // NONE
    push(None{});
    return true;
  case 0x88: // NEWTRUE
    push(true);
    return true;
  case 0x89: // NEWFALSE
    push(false);
    return true;
  case 'I': { // INT, which is also how protocols 0 and 1 write bools
    std::string_view line = takeLine();
    if (line == "00" || line == "01")
      push(line == "01");
    else
      push(parseInteger(line));
    return true;
  }
  case 'L': // LONG
    push(parseInteger(takeLine()));
    return true;
  case 'J': // BININT
    push(int64_t(int32_t(takeUnsigned(4))));
    return true;
  case 'K': // BININT1
    push(int64_t(takeUnsigned(1)));
    return true;
  case 'M': // BININT2
    push(int64_t(takeUnsigned(2)));
    return true;
  case 0x8a: // LONG1
    push(takeLongInteger(takeUnsigned(1)));
    return true;
  case 0x8b: // LONG4
    push(takeLongInteger(takeUnsigned(4)));
    return true;
  case 'F': { // FLOAT
    std::string_view line = takeLine();
    double value = 0;
    auto [end, error] =
        std::from_chars(line.data(), line.data() + line.size(), value);
    if (error != std::errc() || end != line.data() + line.size())
      fail(fmt::format("has '{}' where a float is expected", shown(line)));
    push(value);
    return true;
  }
  case 'G': // BINFLOAT, the only number in big-endian order
    push(std::bit_cast<double>(__builtin_bswap64(takeUnsigned(8))));
    return true;
  default:
    return false;
  }
}

bool Machine::stepText(uint8_t code) {
  switch (code) {
  case 'S': // STRING
    push(Text{unescapeString(takeLine()), /*isUnicode=*/false});
    return true;
  case 'T': // BINSTRING
    push(Text{takeSized(4), /*isUnicode=*/false});
    return true;
  case 'U': // SHORT_BINSTRING
    push(Text{takeSized(1), /*isUnicode=*/false});
    return true;
  case 'V': // UNICODE
    push(Text{unescapeUnicode(takeLine())});
    return true;
  case 'X': // BINUNICODE
    push(Text{takeSized(4)});
    return true;
  case 0x8c: // SHORT_BINUNICODE
    push(Text{takeSized(1)});
    return true;
  case 0x8d: // BINUNICODE8
    push(Text{takeSized(8)});
    return true;
  case 'B': // BINBYTES
    push(Bytes{takeSized(4)});
    return true;
  case 'C': // SHORT_BINBYTES
    push(Bytes{takeSized(1)});
    return true;
  case 0x8e: // BINBYTES8
  case 0x96: // BYTEARRAY8
    push(Bytes{takeSized(8)});
    return true;
  default:
    return false;
  }
}

bool Machine::stepContainer(uint8_t code) {
  switch (code) {
  case ']': // EMPTY_LIST
    push(List{});
    return true;
  case ')': // EMPTY_TUPLE
    push(Tuple{});
    return true;
  case '}': // EMPTY_DICT
    push(Dict{});
    return true;
  case 'l': // LIST
    push(List{popToMark()});
    return true;
  case 't': // TUPLE
    push(Tuple{popToMark()});
    return true;
  case 'd': { // DICT
    std::vector<Ref> items = popToMark();
    push(Dict{});
    setItems(items);
    return true;
  }
  case 0x85: // TUPLE1
  case 0x86: // TUPLE2
  case 0x87: // TUPLE3
    push(Tuple{popMany(code - 0x84)});
    return true;
  case 'a': { // APPEND
    Ref item = pop();
    topAs<List>("list").items.push_back(item);
    return true;
  }
  case 'e': { // APPENDS
    std::vector<Ref> added = popToMark();
    auto &items = topAs<List>("list").items;
    items.insert(items.end(), added.begin(), added.end());
    return true;
  }
  case 's': // SETITEM
    setItems(popMany(2));
    return true;
  case 'u': // SETITEMS
    setItems(popToMark());
    return true;
  default:
    return false;
  }
}

bool Machine::stepStack(uint8_t code) {
  switch (code) {
  case '(': // MARK
    marks.push_back(stack.size());
    return true;
  case '0': // POP, which may also take a mark away
    if (!marks.empty() && marks.back() == stack.size())
      marks.pop_back();
    else
      pop();
    return true;
  case '1': // POP_MARK
    popToMark();
    return true;
  case '2': // DUP
    pushRef(top());
    return true;
  case 'g': // GET
    recall(uint64_t(parseInteger(takeLine())));
    return true;
  case 'h': // BINGET
    recall(takeUnsigned(1));
    return true;
  case 'j': // LONG_BINGET
    recall(takeUnsigned(4));
    return true;
  case 'p': // PUT
    memoize(uint64_t(parseInteger(takeLine())));
    return true;
  case 'q': // BINPUT
    memoize(takeUnsigned(1));
    return true;
  case 'r': // LONG_BINPUT
    memoize(takeUnsigned(4));
    return true;
  case 0x94: // MEMOIZE
    memoize(memo.size());
    return true;
  case 0x80: // PROTO
    if (uint64_t protocol = takeUnsigned(1); protocol > 5)
      fail(fmt::format("has protocol {}; 0 to 5 are supported", protocol));
    return true;
  case 0x95: // FRAME, which only tells how much to read ahead
    takeUnsigned(8);
    return true;
  default:
    return false;
  }
}

bool Machine::stepObject(uint8_t code) {
  switch (code) {
  case 'c': { // GLOBAL
    std::string_view module = takeLine(), name = takeLine();
    push(findCallable(module, name));
    return true;
  }
  case 0x93: { // STACK_GLOBAL
    Ref name = pop(), module = pop();
    push(findCallable(textOf(module, "a module's name"),
                      textOf(name, "a function's name")));
    return true;
  }
  case 'R': { // REDUCE
    Ref arguments = pop(), function = pop();
    const auto *callable = get<Callable>(function);
    const auto *tuple = get<Tuple>(arguments);
    if (!callable || !tuple)
      fail("calls something that is not a function (REDUCE)");
    push(call(*callable, tuple->items));
    return true;
  }
  case 'b': { // BUILD
    Ref state = pop();
    build(top(), state);
    return true;
  }
  default:
    return false;
  }
}

void Machine::step(uint8_t code) {
  if (stepNumber(code) || stepText(code) || stepContainer(code) ||
      stepStack(code) || stepObject(code))
    return;
  for (const RefusedCode &refused : refusedCodes)
    if (refused.code == code)
      fail(fmt::format("{} ({}); only arrays, numbers, text, lists, tuples and "
                       "dicts are read",
                       refused.why, refused.name));
  fail(fmt::format("has the unknown instruction 0x{:02x}", code));
}

Document Machine::run() {
  for (;;) {
    auto code = uint8_t(takeUnsigned(1));
    if (code == '.') // STOP
      break;
    if (++steps > maxSteps)
      fail(fmt::format("takes more than {} steps", maxSteps));
    step(code);
  }
  document.rootRef = pop();
  if (position != bytes.size())
    fail(fmt::format("is followed by {} more bytes", bytes.size() - position));
  return std::move(document);
}

Document parse(std::span<const std::byte> bytes, std::string_view sourceName) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  return Machine(text, sourceName).run();
}

} // namespace parallax::pickle
