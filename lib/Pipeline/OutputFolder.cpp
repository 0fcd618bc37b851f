//===- OutputFolder.cpp - One writer at a time, and whole -----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The lock is one of the system on a file, so that it ends with the process,
// however that ends.
//===----------------------------------------------------------------------===//
#include "parallax/Pipeline/OutputFolder.h"
#include "AnalysisDump.h"
#include "parallax/Pipeline/Phases.h"

#include "parallax/Support/AtomicFile.h"
#include "parallax/Support/Digest.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/MappedFile.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace parallax {
bool isWithin(const fs::path &path, const fs::path &folder) {
  fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

namespace {

//===----------------------------------------------------------------------===//
// What a build writes
//===----------------------------------------------------------------------===//

size_t placeOf(std::string_view phase) {
  return size_t(std::ranges::find(buildPhases(), phase, &Phase::name) -
                buildPhases().begin());
}

struct ResultFile {
  std::string_view phase;
  fs::path (OutputFiles::*path)() const;
};
constexpr ResultFile resultFiles[] = {
    {"optimize", &OutputFiles::optimizedModel},
    {"optimize", &OutputFiles::nameMap},
    {"optimize", &OutputFiles::importedMlir},
    {"optimize", &OutputFiles::optimizedMlir},
    {"calibrate", &OutputFiles::calibration},
    {"quantize", &OutputFiles::floatChanges},
    {"quantize", &OutputFiles::layerConfigAudit},
    {"quantize", &OutputFiles::sharedScales},
    {"quantize", &OutputFiles::quantizedModel},
    {"quantize", &OutputFiles::quantizedParameters},
    {"compile", &OutputFiles::lowering},
    {"compile", &OutputFiles::target},
    {"compile", &OutputFiles::profile},
    {"compile", &OutputFiles::trace},
    {"analyze", &OutputFiles::precisionText},
    {"analyze", &OutputFiles::precisionCsv},
    {"analyze", &OutputFiles::precisionJson},
    {"analyze", &OutputFiles::precisionChart},
    {"analyze", &OutputFiles::weightsTable},
    {"analyze", &OutputFiles::activationsTable},
    {"analyze", &OutputFiles::attributionTable},
    {"analyze", &OutputFiles::profilingTable},
    {"analyze", &OutputFiles::suggestions},
    {"analyze", &OutputFiles::suggestedConfig},
};

/// Models above 2 GB have their weights in a second file.
void addModel(std::vector<fs::path> &paths, const fs::path &model) {
  paths.push_back(model);
  paths.push_back(fs::path(model).replace_extension(".data"));
}

/// All files of these phases that have a name of their own.
std::vector<fs::path> filesFrom(const OutputFiles &files,
                                std::string_view first) {
  std::vector<fs::path> paths = {files.context(), files.command()};
  for (const ResultFile &result : resultFiles)
    if (placeOf(result.phase) >= placeOf(first))
      addModel(paths, (files.*result.path)());
  for (const Phase &phase : buildPhases().subspan(placeOf(first))) {
    paths.push_back(files.checkpoint(phase.name));
    paths.push_back(files.phaseDump(phase.name));
  }
  return paths;
}

/// Results that are many files, or that others than builds write too. They are
/// removed with the rest, but a manifest does not list them.
std::vector<fs::path> looseFrom(const OutputFiles &files,
                                std::string_view first) {
  std::vector<fs::path> paths = dumpPaths(files.debugFolder());
  paths.push_back(files.analyzedSamples());
  if (placeOf(first) <= placeOf("evaluate")) {
    paths.push_back(files.accuracyJson());
    paths.push_back(files.answers());
    paths.push_back(files.changedAnswers());
    paths.push_back(files.answerJournal());
  }
  paths.push_back(files.report());
  return paths;
}

/// Where a build that was killed can have left temporary files: beside its
/// results, where archives are unpacked, and in the folder of the system.
std::set<fs::path> placesOfLeftovers(const OutputFiles &files,
                                     const std::vector<fs::path> &results,
                                     const BuildConfig &config) {
  std::error_code ignored;
  std::set<fs::path> places = {
      files.manifest().parent_path(), files.evaluationFolder(),
      OutputFiles(config.workDir.empty() ? config.outputDir : config.workDir)
          .datasetFolder(),
      fs::temp_directory_path(ignored)};
  for (const fs::path &result : results)
    places.insert(result.parent_path());
  return places;
}

//===----------------------------------------------------------------------===//
// The manifest
//===----------------------------------------------------------------------===//

/// Null if there is none that can be read.
Json readManifest(const fs::path &path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored))
    return nullptr;
  Json json = Json::parse(readText(path), nullptr, false);
  return json.is_object() && json.value("files", Json()).is_object()
             ? json
             : Json(nullptr);
}

bool isWhole(const Json &manifest) {
  return manifest.is_object() &&
         manifest.value("complete", Json()) == Json(true);
}

/// What an earlier build has listed, inside of the folder and nowhere else: a
/// compiled model may have had another name.
std::vector<fs::path> listedBefore(const fs::path &folder,
                                   const OutputFiles &files) {
  std::vector<fs::path> paths;
  Json manifest = readManifest(files.manifest());
  if (manifest.is_object())
    for (const auto &[name, digest] : manifest["files"].items())
      if (isWithin(fs::weakly_canonical(folder / name).lexically_normal(),
                   fs::weakly_canonical(folder)))
        paths.push_back(folder / name);
  return paths;
}

/// What the build is going to read from its own output folder.
std::vector<fs::path> inputsWithin(const fs::path &folder, BuildConfig config,
                                   const std::string &configFile) {
  fs::path root = fs::weakly_canonical(folder);
  config.outputDir.clear();
  config.workDir.clear();
  std::vector<fs::path> inputs;
  auto add = [&](const fs::path &path) {
    fs::path whole = fs::weakly_canonical(path);
    if (!path.empty() && whole != root && isWithin(whole, root))
      inputs.push_back(whole);
  };
  forEachPath(config,
              [&](const std::string &, std::string &path) { add(path); });
  add(configFile);
  add(fs::path(config.input).replace_extension(".data"));
  return inputs;
}

std::string describeProblem(const fs::path &file, const fs::path &folder) {
  OutputFiles files(folder);
  Json manifest = readManifest(files.manifest());
  std::string name = file.lexically_relative(folder).generic_string();
  std::vector<fs::path> known = filesFrom(files, buildPhases().front().name);
  bool isResult = std::ranges::find(known, file) != known.end() ||
                  file.extension() == ".axmodel";
  bool isListed = manifest.is_object() && manifest["files"].contains(name);
  if (!isResult && !isListed)
    return "";
  if (!isWhole(manifest))
    return fmt::format("'{}' is of a build that has not finished: there is no "
                       "complete manifest.json in '{}'; build again",
                       file.string(), folder.string());
  if (!isListed || manifest["files"][name] != Json(sha256OfFile(file)))
    return fmt::format("'{}' is not what the build in '{}' has written: its "
                       "manifest.json has {}; build again, or copy the file "
                       "elsewhere to use it as it is",
                       file.string(), folder.string(),
                       isListed ? "another digest of it" : "no such file");
  return "";
}

} // namespace

//===----------------------------------------------------------------------===//
// The folder
//===----------------------------------------------------------------------===//

/// Somebody else has the lock, and his process stands in it.
[[noreturn]] static void refuseBusy(const fs::path &folder, int lock) {
  char text[32] = {};
  ssize_t size = ::read(lock, text, sizeof(text) - 1);
  ::close(lock);
  throw Error(fmt::format(
      "another command works in '{}'{}; wait until it has ended, or choose "
      "another folder",
      folder.string(), size > 0 ? fmt::format(" (process {})", text) : ""));
}

OutputFolder::OutputFolder(const fs::path &path) : folder(path), files(path) {
  fs::path file = files.lock();
  std::error_code ignored;
  struct stat opened, named;
  do {
    if (lock >= 0)
      ::close(lock);
    isNew = !fs::exists(folder, ignored);
    createParentDirectories(file);
    lock =
        ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    // The one before may have removed its new folder.
    if (lock < 0 && errno == ENOENT)
      continue;
    if (lock < 0)
      throw Error(fmt::format("cannot write '{}': {}", file.string(),
                              whyNotWritten(file, errno)));
    if (::flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      refuseBusy(folder, lock);
    // The one before may have removed the file after we opened it.
  } while (::fstat(lock, &opened) != 0 || ::stat(file.c_str(), &named) != 0 ||
           opened.st_ino != named.st_ino);
  std::string pid = std::to_string(::getpid());
  if (::ftruncate(lock, 0) != 0 ||
      ::write(lock, pid.data(), pid.size()) != ssize_t(pid.size())) {
    int error = errno;
    ::close(lock);
    throw Error(fmt::format("cannot write '{}': {}", file.string(),
                            whyNotWritten(file, error)));
  }
}

OutputFolder::~OutputFolder() {
  ::unlink(files.lock().c_str());
  std::error_code ignored;
  if (isNew)
    fs::remove(folder, ignored);
  ::close(lock);
}

void requireNoWriter(const fs::path &folder) {
  int lock = ::open(OutputFiles(folder).lock().c_str(),
                    O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (lock < 0)
    return;
  if (::flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    refuseBusy(folder, lock);
  ::close(lock);
}

void OutputFolder::clear(const BuildConfig &config,
                         const std::string &configFile,
                         std::string_view firstPhase) {
  std::vector<fs::path> paths = filesFrom(files, firstPhase);
  std::vector<fs::path> folders = looseFrom(files, firstPhase);
  paths.insert(paths.end(), folders.begin(), folders.end());
  if (placeOf(firstPhase) <= placeOf("compile"))
    addModel(paths, folder / config.outputName);
  if (placeOf(firstPhase) == 0) {
    std::vector<fs::path> more = listedBefore(folder, files);
    paths.insert(paths.end(), more.begin(), more.end());
  }
  for (const fs::path &place : placesOfLeftovers(files, paths, config))
    removeLeftovers(place);
  std::vector<fs::path> inputs = inputsWithin(folder, config, configFile);
  // From now on the folder is not complete. The list stays until all of it is
  // removed, for the next build if we are killed here.
  std::error_code ignored;
  try {
    Json manifest = readManifest(files.manifest());
    if (manifest.is_object()) {
      manifest["complete"] = false;
      writeFileAtomically(files.manifest(), manifest.dump(1) + "\n");
    }
  } catch (const Error &) { // A full disk, which removing is good for.
    fs::remove(files.manifest(), ignored);
  }
  // The configuration goes last: without it and a manifest, what is left would
  // look like a folder of somebody's files, if we are killed here.
  std::ranges::reverse(paths);
  for (const fs::path &path : paths) {
    fs::path whole = fs::weakly_canonical(path);
    if (std::ranges::any_of(inputs, [&](const fs::path &input) {
          return isWithin(whole, input) || isWithin(input, whole);
        }))
      continue;
    if (std::ranges::find(folders, path) != folders.end())
      fs::remove_all(path, ignored);
    else if (!fs::is_directory(fs::symlink_status(path, ignored)))
      fs::remove(path, ignored);
    // Folders that only held results go too; others are not empty.
    for (fs::path parent = path.parent_path();
         parent != folder && isWithin(parent, folder) &&
         fs::is_empty(parent, ignored) && fs::remove(parent, ignored);)
      parent = parent.parent_path();
  }
  fs::remove(files.manifest(), ignored);
}

void OutputFolder::finish(const BuildConfig &config,
                          std::span<const std::string_view> phases) const {
  std::vector<fs::path> paths = filesFrom(files, buildPhases().front().name);
  addModel(paths, folder / config.outputName);
  Json digests = Json::object();
  std::ranges::sort(paths);
  std::error_code ignored;
  for (const fs::path &path : paths)
    if (fs::is_regular_file(path, ignored))
      digests[path.lexically_relative(folder).generic_string()] =
          sha256OfFile(path);
  Json manifest{{"complete", true}, {"phases", phases}, {"files", digests}};
  writeFileAtomically(
      files.manifest(),
      manifest.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

bool isCompleteBuild(const fs::path &folder) {
  return isWhole(readManifest(OutputFiles(folder).manifest()));
}

void checkResult(const fs::path &path) {
  std::error_code error;
  fs::path file = fs::canonical(path, error);
  if (error)
    return;
  // Results are at most two folders deep.
  fs::path folder = file.parent_path();
  for (int depth = 0; depth < 3; ++depth, folder = folder.parent_path()) {
    OutputFiles files(folder);
    if (!fs::exists(files.context(), error) &&
        !fs::exists(files.manifest(), error))
      continue;
    if (std::string problem = describeProblem(file, folder); !problem.empty())
      throw Error(problem);
  }
}

} // namespace parallax
