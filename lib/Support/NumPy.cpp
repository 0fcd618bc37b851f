//===- NumPy.cpp - Arrays in .npy files -----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A header can claim any shape. It is believed only if the file holds exactly
// the bytes of that shape, which is settled before any memory is allocated.
//===----------------------------------------------------------------------===//
#include "parallax/Support/NumPy.h"
#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/MappedFile.h"
#include "parallax/Support/TensorFile.h"
#include "parallax/Support/Unicode.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <fmt/format.h>

namespace parallax {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr size_t maxRank = 64;
constexpr char nativeOrder =
    std::endian::native == std::endian::little ? '<' : '>';

struct TypeCode {
  std::string_view code;
  DType type;
};

constexpr TypeCode typeCodes[] = {
    {"f4", DType::F32},  {"f8", DType::F64}, {"f2", DType::F16},
    {"V2", DType::BF16}, {"i1", DType::I8},  {"i2", DType::I16},
    {"i4", DType::I32},  {"i8", DType::I64}, {"u1", DType::U8},
    {"u2", DType::U16},  {"u4", DType::U32}, {"u8", DType::U64},
    {"b1", DType::Bool}};

struct Header {
  DType dtype = DType::F32;
  bool swapBytes = false;
  bool fortranOrder = false;
  Shape shape;
};

/// Reads the dictionary of a header: three keys in any order.
class HeaderParser {
public:
  HeaderParser(std::string_view text, std::string_view source)
      : rest(text), source(source) {}

  Header parse() {
    Header header;
    bool hasDescr = false, hasOrder = false, hasShape = false;
    expect('{');
    while (!accept('}')) {
      std::string_view key = parseString();
      expect(':');
      if (key == "descr" && !hasDescr) {
        hasDescr = true;
        parseDescr(header);
      } else if (key == "fortran_order" && !hasOrder) {
        hasOrder = true;
        header.fortranOrder = parseBool();
      } else if (key == "shape" && !hasShape) {
        hasShape = true;
        header.shape = parseShape();
      } else {
        fail(fmt::format("its header has an unexpected key '{}'",
                         elide(key, 40)));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skipSpaces();
    if (!rest.empty())
      fail("its header continues after the closing brace");
    if (!hasDescr || !hasOrder || !hasShape)
      fail("its header lacks one of 'descr', 'fortran_order' and 'shape'");
    return header;
  }

  [[noreturn]] void fail(std::string_view reason) const {
    throw Error(fmt::format("cannot read '{}' as .npy: {}", source, reason));
  }

private:
  void skipSpaces() {
    rest.remove_prefix(
        std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
  }

  bool accept(char symbol) {
    skipSpaces();
    if (!rest.starts_with(symbol))
      return false;
    rest.remove_prefix(1);
    return true;
  }

  void expect(char symbol) {
    if (!accept(symbol))
      fail(fmt::format("its header is malformed ('{}' expected)", symbol));
  }

  std::string_view parseString() {
    skipSpaces();
    char quote = rest.empty() ? 0 : rest.front();
    if (quote != '\'' && quote != '"')
      fail("its header is malformed (a quoted string expected)");
    size_t end = rest.find(quote, 1);
    if (end == std::string_view::npos)
      fail("its header is malformed (a quote is not closed)");
    std::string_view text = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return text;
  }

  bool parseBool() {
    skipSpaces();
    for (bool value : {false, true}) {
      std::string_view word = value ? "True" : "False";
      if (rest.starts_with(word)) {
        rest.remove_prefix(word.size());
        return value;
      }
    }
    fail("its header is malformed ('fortran_order' must be True or False)");
  }

  Shape parseShape() {
    Shape shape;
    expect('(');
    while (!accept(')')) {
      if (shape.size() == maxRank)
        fail(fmt::format("its shape has more than {} dimensions", maxRank));
      shape.push_back(parseDimension());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  int64_t parseDimension() {
    skipSpaces();
    int64_t value = 0;
    auto [end, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error == std::errc::result_out_of_range)
      fail("a dimension of its shape is too large");
    if (error != std::errc())
      fail("its header is malformed (an integer expected in 'shape')");
    if (value < 0)
      fail(fmt::format("its shape has the negative dimension {}", value));
    rest.remove_prefix(size_t(end - rest.data()));
    if (rest.starts_with('L')) // Python 2 wrote long integers this way
      rest.remove_prefix(1);
    return value;
  }

  void parseDescr(Header &header) {
    if (accept('['))
      fail("it is a structured array; save each field as an array of its own");
    std::string_view descr = parseString(), code = descr;
    char order = '=';
    if (!code.empty() &&
        std::string_view("<>=|").find(code.front()) != std::string_view::npos) {
      order = code.front();
      code.remove_prefix(1);
    }
    if (code.starts_with('O'))
      fail("it holds Python objects, which are never loaded; save a numeric "
           "array instead");
    auto found =
        std::find_if(std::begin(typeCodes), std::end(typeCodes),
                     [&](const TypeCode &entry) { return entry.code == code; });
    if (found == std::end(typeCodes))
      fail(fmt::format("its element type '{}' is not supported; convert it "
                       "with .astype(), for example to float32",
                       elide(descr, 40)));
    header.dtype = found->type;
    header.swapBytes = (order == '<' || order == '>') && order != nativeOrder;
  }

  std::string_view rest, source;
};

/// Copies column-major `from` to row-major `to`.
template <typename Word>
void fromFortranOrder(const Shape &shape, const std::byte *from,
                      std::byte *to) {
  Shape reversed(shape.rbegin(), shape.rend());
  Shape strides = stridesOf(reversed);
  std::reverse(strides.begin(), strides.end());
  Shape index(shape.size());
  int64_t source = 0;
  for (int64_t count = elementCount(shape); count > 0; --count) {
    std::memcpy(to, from + size_t(source) * sizeof(Word), sizeof(Word));
    to += sizeof(Word);
    for (size_t axis = shape.size(); axis-- > 0;) {
      source += strides[axis];
      if (++index[axis] < shape[axis])
        break;
      source -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

void fromFortranOrder(Tensor &tensor) {
  Tensor columns = tensor.clone();
  auto *from = static_cast<const std::byte *>(columns.rawData());
  auto *to = static_cast<std::byte *>(tensor.rawData());
  switch (sizeOf(tensor.dtype())) {
  case 1:
    return fromFortranOrder<uint8_t>(tensor.shape(), from, to);
  case 2:
    return fromFortranOrder<uint16_t>(tensor.shape(), from, to);
  case 4:
    return fromFortranOrder<uint32_t>(tensor.shape(), from, to);
  default:
    return fromFortranOrder<uint64_t>(tensor.shape(), from, to);
  }
}

void swapBytes(Tensor &tensor) {
  auto *bytes = static_cast<std::byte *>(tensor.rawData());
  size_t size = sizeOf(tensor.dtype());
  for (int64_t element = 0; element < tensor.size(); ++element, bytes += size)
    std::reverse(bytes, bytes + size);
}

std::string headerOf(const Tensor &tensor) {
  auto entry = std::find_if(
      std::begin(typeCodes), std::end(typeCodes),
      [&](const TypeCode &code) { return code.type == tensor.dtype(); });
  std::string shape;
  for (int64_t dim : tensor.shape())
    shape += fmt::format("{}{}", shape.empty() ? "" : ", ", dim);
  if (tensor.rank() == 1)
    shape += ",";
  std::string text = fmt::format(
      "{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
      sizeOf(tensor.dtype()) == 1 ? '|' : nativeOrder, entry->code, shape);

  // Padded so that the data starts on a multiple of 64 bytes. At most 64
  // dimensions always fit the two bytes that version 1 has for the length.
  std::string header(magic);
  header += {1, 0};
  size_t prefix = header.size() + 2;
  text.append((64 - (prefix + text.size() + 1) % 64) % 64, ' ').append("\n");
  header += {char(text.size() & 0xff), char(text.size() >> 8)};
  return header + text;
}

/// What a file says, and the bytes of its elements.
struct NpyParts {
  Header header;
  std::span<const std::byte> data;
};

NpyParts partsOf(std::span<const std::byte> bytes,
                 std::string_view sourceName) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  HeaderParser outer({}, sourceName);
  if (text.starts_with("PK\x03\x04"))
    outer.fail("it is a .npz archive; save the array with numpy.save");
  if (!text.starts_with(magic))
    outer.fail("it does not begin like a NumPy file");
  auto byteAt = [&](size_t index) { return uint8_t(bytes[index]); };
  size_t lengthAt = magic.size() + 2;
  if (text.size() < lengthAt)
    outer.fail("it ends inside its header");
  int version = byteAt(magic.size());
  if (version < 1 || version > 3)
    outer.fail(fmt::format("format version {} is not supported", version));

  size_t lengthSize = version == 1 ? 2 : 4, headerAt = lengthAt + lengthSize;
  size_t headerSize = 0;
  for (size_t byte = 0; byte < lengthSize && text.size() >= headerAt; ++byte)
    headerSize |= size_t(byteAt(lengthAt + byte)) << (8 * byte);
  if (text.size() < headerAt || text.size() - headerAt < headerSize)
    outer.fail("it ends inside its header");

  HeaderParser parser(text.substr(headerAt, headerSize), sourceName);
  Header header = parser.parse();
  std::span<const std::byte> data = bytes.subspan(headerAt + headerSize);
  std::optional<size_t> expected = byteSizeOf(header.dtype, header.shape);
  if (!expected)
    parser.fail(fmt::format("its shape {} is larger than any memory",
                            toString(header.shape)));
  if (data.size() != *expected)
    parser.fail(fmt::format(
        "{} of {} needs {} bytes of data, but {} follow the header ({})",
        toString(header.shape), nameOf(header.dtype), *expected, data.size(),
        data.size() < *expected ? "the file is truncated"
                                : "one array per file is expected"));

  return {std::move(header), data};
}

Tensor arrayOf(NpyParts parts) {
  Header &header = parts.header;
  Tensor tensor =
      tensorFromBytes(header.dtype, std::move(header.shape), parts.data);
  if (header.swapBytes)
    swapBytes(tensor);
  if (header.fortranOrder && tensor.rank() > 1)
    fromFortranOrder(tensor);
  return tensor;
}

} // namespace

Tensor readNpy(std::span<const std::byte> bytes, std::string_view sourceName) {
  return arrayOf(partsOf(bytes, sourceName));
}

Tensor readNpy(const std::filesystem::path &path) {
  return readNpy(MappedFile::open(path)->bytes(), path.string());
}

Tensor mapNpy(const std::filesystem::path &path) {
  std::shared_ptr<MappedFile> file = MappedFile::open(path);
  NpyParts parts = partsOf(file->bytes(), path.string());
  const Header &header = parts.header;
  if (header.swapBytes || (header.fortranOrder && header.shape.size() > 1))
    return arrayOf(std::move(parts));
  return file->tensorAt(size_t(parts.data.data() - file->bytes().data()),
                        header.dtype, header.shape);
}

void writeNpy(const std::filesystem::path &path, const Tensor &tensor) {
  if (tensor.shape().size() > maxRank)
    throw Error(fmt::format("cannot write '{}': .npy files have at most {} "
                            "dimensions, not {}",
                            path.string(), maxRank, tensor.rank()));
  AtomicFile file(path);
  file.write(headerOf(tensor));
  file.write(bytesOf(tensor));
  file.commit();
}

} // namespace parallax
