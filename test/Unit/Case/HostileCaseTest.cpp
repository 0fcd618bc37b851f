//===- HostileCaseTest.cpp - Case files that are not to be trusted --------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Damaged on the way, or forged with a valid seal: each gets one sentence, and
// nothing is written.
//===----------------------------------------------------------------------===//
#include "../Report/HostileNames.h"
#include "CaseTestSupport.h"
#include "parallax/Case/Ticket.h"

using namespace parallax;
namespace fs = std::filesystem;

namespace {

class HostileCase : public testing::Test {
protected:
  /// The sample case without its seal, stored in the order of its writer.
  std::vector<PackedEntry> entries() const {
    std::vector<PackedEntry> list = {
        {"manifest.json", toJson(manifestOf(sampleFiles()))}};
    for (const auto &[path, contents] : sampleFiles())
      list.push_back({path, contents});
    return list;
  }

  fs::path forge(const std::vector<PackedEntry> &entries) const {
    return seal(dir / "forged.plxcase", zipOf(dir, entries));
  }

  fs::path forgeManifest(const std::string &manifest) const {
    std::vector<PackedEntry> list = entries();
    list[0].contents = manifest;
    return forge(list);
  }

  /// Nobody takes the case, and nothing appears anywhere.
  void expectRefused(const fs::path &file, const std::string &part) const {
    Files before = filesBelow(dir.path());
    auto check = [&](auto &&read) {
      try {
        read();
        ADD_FAILURE() << "no error; expected one with: " << part;
      } catch (const Error &error) {
        std::string_view message = error.what();
        EXPECT_NE(message.find(part), message.npos) << message;
        EXPECT_NE(message.find(file.filename().string()), message.npos);
        EXPECT_EQ(message.find('\n'), message.npos) << message;
      }
    };
    check([&] { verifyCase(file); });
    check([&] { unpackCase(file, dir / "out"); });
    EXPECT_FALSE(fs::exists(dir / "out"));
    EXPECT_EQ(filesBelow(dir.path()), before);
  }

  TempDir dir;
};

TEST_F(HostileCase, EveryByteCounts) {
  writeCase(stage(dir, "case"), dir / "whole");
  std::string whole = contentsOf(dir / "whole");
  fs::remove_all(dir / "case");
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = char(changed[at] ^ (1 << at % 8));
    dir.write("a.plxcase", changed);
    expectRefused(dir / "a.plxcase", "cannot read '");
    ASSERT_FALSE(HasFailure()) << "byte " << at << " of " << whole.size();
  }
}

TEST_F(HostileCase, ForgedBytesChangeNoFile) {
  // The same behind the seal: what is taken in spite of a change, such as that
  // of a date, has the files that were packed.
  std::string zip = zipOf(dir, entries());
  Files expected = sampleFiles();
  expected["manifest.json"] = entries()[0].contents;
  size_t taken = 0;
  for (size_t at = 0; at < zip.size(); ++at) {
    std::string changed = zip;
    changed[at] = char(changed[at] ^ (1 << at * 5 % 8));
    seal(dir / "a.plxcase", changed);
    try {
      verifyCase(dir / "a.plxcase");
      unpackCase(dir / "a.plxcase", dir / "out");
      EXPECT_EQ(filesBelow(dir / "out"), expected) << "byte " << at;
      fs::remove_all(dir / "out");
      ++taken;
    } catch (const Error &) {
    }
    ASSERT_EQ(dir.entryCount(), 2u) << "byte " << at;
  }
  EXPECT_LT(taken, zip.size() / 2);
}

TEST_F(HostileCase, CutOff) {
  writeCase(stage(dir, "case"), dir / "whole");
  std::string whole = contentsOf(dir / "whole");
  fs::remove_all(dir / "case");
  auto cut = [&](size_t length) {
    dir.write("a.plxcase", whole.substr(0, length));
    expectRefused(dir / "a.plxcase",
                  length == 0  ? "it is empty"
                  : length < 4 ? "does not begin like a zip file"
                               : "it does not end like a case: it is cut off");
    // The manifest alone is not shown of half a case either.
    EXPECT_THROW(readManifest(dir / "a.plxcase"), Error);
  };
  for (size_t length = 0; length < whole.size(); length += 97)
    cut(length);
  for (size_t missing = 1; missing < 200; ++missing)
    cut(whole.size() - missing);
  cut(3);
  dir.write("a.plxcase", whole + "x");
  expectRefused(dir / "a.plxcase", "it does not end like a case");
}

TEST_F(HostileCase, OtherFiles) {
  expectRefused(dir.write("text", "not a case at all, but long enough"),
                "it is no case, because it does not begin like a zip file");
  expectRefused(dir / "absent", "No such file");
  expectRefused(pack(dir / "a.tar", Packing::Tar, entries()),
                "does not begin like a zip file");
  expectRefused(pack(dir / "a.zip", Packing::Zip, entries()),
                "another program packed it");
  expectRefused(forge({{"ticket.md", "x"}}), "there is no manifest.json in it");
  expectRefused(seal(dir / "s.plxcase", std::string(22, 'x')),
                "does not begin like a zip file");
  expectRefused(seal(dir / "s.plxcase", "PK\3\4"), "does not end like a case");
}

TEST_F(HostileCase, TheSampleItselfIsTaken) {
  // Otherwise all of the others would be refused for a reason of its own.
  EXPECT_EQ(verifyCase(forge(entries())), manifestOf(sampleFiles()));
}

TEST_F(HostileCase, FilesThatTheManifestDoesNotHave) {
  std::vector<PackedEntry> list = entries();
  list.push_back({"more.txt", "x"});
  expectRefused(forge(list),
                "'more.txt' is in it, which its manifest.json does not list");
  list = entries();
  list.erase(list.begin() + 1);
  expectRefused(forge(list), "'config.json' is missing in it");
  list = entries();
  list.pop_back();
  expectRefused(forge(list), "'ticket.md' is missing in it");
  list = entries();
  list.push_back({"./ticket.md", "x"});
  expectRefused(forge(list), "it holds 'ticket.md' more than once");
  list = entries();
  list.push_back(list[0]);
  expectRefused(forge(list), "it holds 'manifest.json' more than once");
}

TEST_F(HostileCase, ContentsThatAreNotThoseOfTheManifest) {
  std::vector<PackedEntry> list = entries();
  list[1].contents[0] ^= 1;
  expectRefused(forge(list), "'config.json' in it was changed: its SHA-256 is");
  list[1].contents += "x";
  expectRefused(forge(list), "'config.json' in it has 29 bytes where its "
                             "manifest.json says 28");
}

TEST_F(HostileCase, PathsThatEscape) {
  for (const char *path : {"../evil", "data/../../evil", "/tmp/evil"}) {
    std::vector<PackedEntry> list = entries();
    list.push_back({path, "x"});
    expectRefused(forge(list), "leads out of the folder");
    // The manifest may agree with it.
    Files files = sampleFiles();
    files[path] = "x";
    list[0].contents = toJson(manifestOf(files));
    expectRefused(forge(list), "leads out of the folder");
    list.pop_back();
    expectRefused(forge(list), "which is no plain path below the case");
  }
  EXPECT_FALSE(fs::exists("/tmp/evil"));
}

TEST_F(HostileCase, Links) {
  for (const char *target : {"/etc/passwd", "../../evil", "config.json"}) {
    std::vector<PackedEntry> list = entries();
    list.push_back({"data/link", "", AE_IFLNK, target});
    expectRefused(forge(list), "'data/link' is a symbolic link");
    // A file below a link would be written to where it points.
    list.back().path = "data/入力 é";
    std::rotate(list.begin() + 1, list.end() - 1, list.end());
    expectRefused(forge(list), "is a symbolic link");
  }
}

TEST_F(HostileCase, FilesInPlaceOfFolders) {
  Files files = sampleFiles();
  files["data"] = "x";
  std::vector<PackedEntry> list = entries();
  list[0].contents = toJson(manifestOf(files));
  list.insert(list.begin() + 1, {"data", "x"});
  fs::path file = forge(list);
  EXPECT_THROW(unpackCase(file, dir / "out"), Error);
  EXPECT_EQ(dir.entryCount(), 2u);
}

TEST_F(HostileCase, Names) {
  // libarchive writes no NUL, so it is put in afterwards.
  std::vector<PackedEntry> list = entries();
  list.push_back({"ticket.md#x", "x"});
  std::string zip = zipOf(dir, list);
  for (size_t at = 0; (at = zip.find("md#x", at)) != zip.npos;)
    zip[at + 2] = '\0';
  expectRefused(seal(dir / "a.plxcase", zip),
                "it holds 'ticket.md' more than once");
  list = entries();
  list.push_back({"a\nb", "x"});
  expectRefused(forge(list), "is in it, which its manifest.json does not list");
  for (std::string path : {"a\nb", "a\x1b[31mb", "a\\b", "", "a//b", "./a"}) {
    Files files = sampleFiles();
    files[path] = "x";
    expectRefused(forgeManifest(toJson(manifestOf(files))),
                  "its manifest.json lists '");
  }
}

TEST_F(HostileCase, Bombs) {
  Files files = sampleFiles();
  files["zeros"] = std::string(257 << 20, '\0');
  std::vector<PackedEntry> list = {
      {"manifest.json", toJson(manifestOf(files))}};
  for (const auto &[path, contents] : files)
    list.push_back({path, contents});
  fs::path file = forge(list);
  EXPECT_LT(fs::file_size(file), 1u << 20);
  fs::remove(dir / "unsealed.zip");
  expectRefused(file, "its files are far larger than an archive of");
}

TEST_F(HostileCase, SizesThatLie) {
  // One megabyte that claims to be a single byte, in directory and manifest.
  Files files = sampleFiles();
  files["zeros"] = "z";
  std::vector<PackedEntry> list = {
      {"manifest.json", toJson(manifestOf(files))}};
  files["zeros"] = std::string(1 << 20, 'z');
  for (const auto &[path, contents] : files)
    list.push_back({path, contents});
  std::string zip = zipOf(dir, list), size("\0\0\x10\0", 4);
  size_t count = 0;
  for (size_t at = 0; (at = zip.find(size, at)) != zip.npos; ++count)
    zip.replace(at, 4, std::string("\1\0\0\0", 4));
  ASSERT_GE(count, 1u);
  fs::path file = seal(dir / "a.plxcase", zip);
  EXPECT_THROW(verifyCase(file), Error);
  EXPECT_THROW(unpackCase(file, dir / "out"), Error);
  EXPECT_EQ(dir.entryCount(), 2u);
}

TEST_F(HostileCase, Manifests) {
  const std::string good = entries()[0].contents;
  auto with = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return text.replace(at, from.size(), to);
  };
  const std::pair<std::string, std::string> manifests[] = {
      {"", "is no valid JSON"},
      {"{", "is no valid JSON"},
      {good + "x", "is no valid JSON"},
      {with("Conv", "\xff"), "is no valid JSON"},
      {std::string(100'000, '['), "is no valid JSON"},
      {"[]", "has no 'schema'"},
      {"3", "has no 'schema'"},
      {"{}", "has no 'schema'"},
      {with("\"schema\": 1", "\"schema\": 2"),
       "has schema 2, and this is Parallax " PARALLAX_VERSION
       ", which reads up to 1; take a newer Parallax"},
      {"{\"schema\": 7}", "has schema 7"},
      {with("\"schema\": 1", "\"schema\": 0"), "has schema 0"},
      {with("\"schema\": 1", "\"schema\": -1"), "'schema' of the wrong type"},
      {with("\"schema\": 1", "\"schema\": 1.0"), "'schema' of the wrong type"},
      {with("\"schema\": 1", "\"schema\": 1e300"),
       "'schema' of the wrong type"},
      {with("\"schema\": 1", "\"schema\": \"1\""),
       "'schema' of the wrong type"},
      {with("\"schema\": 1", "\"schema\": 18446744073709551615"),
       "has schema 18446744073709551615"},
      {with("\"tool\"", "\"tools\""), "has no 'tool'"},
      {with("\"1.2.3\"", "null"), "'version' of the wrong type"},
      {with("\"parallax build --config config.json\"", "[]"),
       "'command' of the wrong type"},
      {with("\"weights\"", "1"), "something else than texts in 'replaced'"},
      {with("\"files\": [", "\"files\": [7, "), "has no 'path'"},
      {with("\"files\": [", "\"file\": ["), "has no 'files'"},
      {with("\"size\": 28", "\"size\": -28"), "'size' of the wrong type"},
      {with("\"size\": 28", "\"size\": 28.5"), "'size' of the wrong type"},
      {with("\"size\": 28", "\"size\": 1e400"), "is no valid JSON"},
      {with("\"size\": 28", "\"size\": 99999999999999999999"),
       "'size' of the wrong type"},
      {with("\"size\": 28", "\"size\": 18446744073709551615"),
       "'config.json' in it has 28 bytes where its manifest.json says "
       "18446744073709551615"},
      {with("\"sha256\": \"", "\"sha256\": \"A"),
       "no SHA-256 of 'config.json'"},
      {with("\"config.json\"", "\"manifest.json\""), "lists itself"},
      {with("\"config.json\"", "\"ticket.md\""), "out of order"},
      {with("\"expected/build.log\"", "\"data/入力 é/0000.npy\""), "twice"},
  };
  for (const auto &[manifest, part] : manifests)
    expectRefused(forgeManifest(manifest), part);
}

TEST_F(HostileCase, UnknownFieldsOfTheManifestAreLeftAlone) {
  std::string text = entries()[0].contents;
  text.insert(text.find("\"command\""), "\"later\": {\"a\": [1]}, ");
  EXPECT_EQ(verifyCase(forgeManifest(text)), manifestOf(sampleFiles()));
}

TEST_F(HostileCase, ManifestOfAnotherSize) {
  std::string text = entries()[0].contents + std::string(65 << 20, ' ');
  expectRefused(forgeManifest(text), "'manifest.json' in it is larger than");
}

/// The lines outside of blocks of literal text.
std::string proseOf(const std::string &markdown) {
  std::string prose, fence, line;
  for (std::istringstream lines(markdown); std::getline(lines, line);)
    if (!fence.empty())
      fence = line == fence ? "" : fence;
    else if (line.starts_with("```"))
      fence = line.substr(0, line.find_first_not_of('`'));
    else
      prose += line + "\n";
  EXPECT_EQ(fence, "") << markdown;
  return prose;
}

TEST(Ticket, ShowsHostileNamesAsText) {
  for (std::string name : hostileNames) {
    name += "\n```\n<b>|[a](b)";
    Ticket ticket;
    ticket.answers = {name, name, name, name, name};
    ticket.config.input = ticket.command = ticket.verdict = name;
    ticket.report = hostileReport(name);
    ticket.replaced = ticket.reduction = {name};
    std::string text = ticketText(ticket);
    expectSafe(text, "ticket.md");
    std::string prose = proseOf(text);
    EXPECT_EQ(prose.find("<b>"), std::string::npos) << prose;
    EXPECT_EQ(prose.find("[a]("), std::string::npos) << prose;
    ticket.verdict = oneLineVerdict(*ticket.report);
    EXPECT_EQ(ticket.verdict.find('\n'), std::string::npos);
    expectSafe(ticket.verdict, "verdict");
    ticket.failure = name;
    expectSafe(ticketText(ticket), "ticket.md of a failure");
    EXPECT_EQ(proseOf(ticketText(ticket)).find("<b>"), std::string::npos);
  }
}

} // namespace
