//===- Manifest.cpp - What a case says about itself -----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The reader trusts nothing: a manifest may have been written by anybody.
//===----------------------------------------------------------------------===//
#include "parallax/Case/Manifest.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Unicode.h"

#include "Commit.inc"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace parallax {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t digestDigits = 64;

class Reader {
public:
  explicit Reader(const std::string &file) : file(file) {}

  CaseManifest read(std::string_view text) const {
    Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (json.is_discarded())
      fail("is no valid JSON");
    checkSchema(json);
    const Json &tool = member(json, "tool", Json::value_t::object);
    CaseManifest manifest;
    manifest.tool.version = this->text(tool, "version");
    manifest.tool.compiler = this->text(tool, "compiler");
    manifest.tool.commit = this->text(tool, "commit");
    manifest.command = this->text(json, "command");
    manifest.verdict = this->text(json, "verdict");
    for (const Json &phrase : member(json, "replaced", Json::value_t::array)) {
      if (!phrase.is_string())
        fail("has something else than texts in 'replaced'");
      manifest.replaced.push_back(phrase.get<std::string>());
    }
    for (const Json &entry : member(json, "files", Json::value_t::array))
      manifest.files.push_back(readEntry(entry));
    checkOrder(manifest.files);
    return manifest;
  }

private:
  [[noreturn]] void fail(std::string_view reason) const {
    throw Error(
        fmt::format("cannot read '{}': its {} {}", file, manifestName, reason));
  }

  const Json &member(const Json &object, const char *name,
                     Json::value_t type) const {
    auto found = object.is_object() ? object.find(name) : object.end();
    if (found == object.end())
      fail(fmt::format("has no '{}'", name));
    if (found->type() != type)
      fail(fmt::format("has a '{}' of the wrong type", name));
    return *found;
  }

  std::string text(const Json &object, const char *name) const {
    return member(object, name, Json::value_t::string).get<std::string>();
  }

  uint64_t number(const Json &object, const char *name) const {
    return member(object, name, Json::value_t::number_unsigned).get<uint64_t>();
  }

  /// First of all, because nothing else is known of a newer one.
  void checkSchema(const Json &json) const {
    uint64_t schema = number(json, "schema");
    if (schema > uint64_t(caseSchema))
      fail(fmt::format("has schema {}, and this is Parallax {}, which reads up "
                       "to {}; take a newer Parallax",
                       schema, thisTool().version, caseSchema));
    if (schema < 1)
      fail("has schema 0, which there is not");
  }

  CaseEntry readEntry(const Json &json) const {
    CaseEntry entry{text(json, "path"), number(json, "size"),
                    text(json, "sha256")};
    if (std::string_view problem = problemOfPath(entry.path); !problem.empty())
      fail(fmt::format("lists '{}', which {}", elide(entry.path, 80), problem));
    auto isDigit = [](char digit) {
      return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
    };
    if (entry.sha256.size() != digestDigits ||
        !std::all_of(entry.sha256.begin(), entry.sha256.end(), isDigit))
      fail(fmt::format("has no SHA-256 of '{}'", elide(entry.path, 80)));
    return entry;
  }

  void checkOrder(const std::vector<CaseEntry> &files) const {
    for (size_t at = 0; at < files.size(); ++at) {
      if (files[at].path == manifestName)
        fail("lists itself");
      if (at > 0 && files[at - 1].path == files[at].path)
        fail(fmt::format("lists '{}' twice", elide(files[at].path, 80)));
      if (at > 0 && files[at - 1].path > files[at].path)
        fail(fmt::format("lists '{}' out of order", elide(files[at].path, 80)));
    }
  }

  const std::string &file;
};

} // namespace

ToolIdentity thisTool() {
  // "Clang 22.1.8 (…)": the rest is of no use elsewhere.
  std::string_view compiler = __VERSION__;
  return {PARALLAX_VERSION,
          std::string(compiler.substr(0, compiler.find(" ("))),
          PARALLAX_COMMIT};
}

std::string describe(const ToolIdentity &tool) {
  return fmt::format("Parallax {} ({}{}{})", tool.version, tool.commit,
                     tool.commit.empty() ? "" : ", ", tool.compiler);
}

uint64_t CaseManifest::totalSize() const {
  uint64_t total = 0;
  for (const CaseEntry &entry : files)
    total += entry.size;
  return total;
}

std::string toJson(const CaseManifest &manifest) {
  Json json{{"schema", caseSchema},
            {"tool",
             {{"name", "Parallax"},
              {"version", manifest.tool.version},
              {"compiler", manifest.tool.compiler},
              {"commit", manifest.tool.commit}}},
            {"command", manifest.command},
            {"verdict", manifest.verdict},
            {"replaced", manifest.replaced},
            {"files", Json::array()}};
  for (const CaseEntry &entry : manifest.files)
    json["files"].push_back(
        {{"path", entry.path}, {"size", entry.size}, {"sha256", entry.sha256}});
  return json.dump(2, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace) +
         "\n";
}

CaseManifest parseManifest(std::string_view text, const std::string &file) {
  return Reader(file).read(text);
}

std::string_view problemOfPath(std::string_view path) {
  if (path.empty())
    return "is empty";
  if (printable(path) != path)
    return "has control characters or is not UTF-8";
  // To some programs that unpack, it separates folders.
  if (path.find('\\') != std::string_view::npos)
    return "has a backslash";
  for (std::string_view rest = path;;) {
    std::string_view part = rest.substr(0, rest.find('/'));
    if (part.empty() || part == "." || part == "..")
      return "is no plain path below the case";
    if (part.size() == rest.size())
      return "";
    rest.remove_prefix(part.size() + 1);
  }
}

} // namespace parallax
