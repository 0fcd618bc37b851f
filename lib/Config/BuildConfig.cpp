//===- BuildConfig.cpp - What `parallax build` is asked to do -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// See the header.
//===----------------------------------------------------------------------===//
#include "parallax/Config/BuildConfig.h"
#include "parallax/Support/Error.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace parallax {
namespace {

using nlohmann::json;

const std::set<std::string> laterFields = {"output_name",
                                           "work_dir",
                                           "model_type",
                                           "target_hardware",
                                           "npu_mode",
                                           "onnx_opt",
                                           "quant",
                                           "input_processors",
                                           "output_processors",
                                           "const_processors",
                                           "op_processors",
                                           "quant_op_processors",
                                           "compiler",
                                           "debug"};

class Reader {
public:
  Reader(std::string path, BuildConfig &config)
      : path(std::move(path)), config(config) {}

  void read(const json &root) {
    object(root, "", [&](const std::string &name, const json &value) {
      if (name == "input")
        config.input = text(value, name);
      else if (name == "output_dir")
        config.outputDir = text(value, name);
      else if (name == "input_shapes")
        config.inputShapes = text(value, name);
      else if (name == "evaluation")
        object(value, "evaluation",
               [&](const std::string &inner, const json &value) {
                 if (inner == "images")
                   config.evaluationImages = text(value, "evaluation." + inner);
                 else if (inner == "labels")
                   config.evaluationLabels = text(value, "evaluation." + inner);
                 else
                   unknown("evaluation." + inner);
               });
      else if (laterFields.contains(name))
        config.ignoredFields.push_back(name);
      else
        unknown(name);
    });
  }

private:
  void
  object(const json &value, const std::string &field,
         const std::function<void(const std::string &, const json &)> &fn) {
    if (!value.is_object())
      throw Error(
          fmt::format("{}: {} must be an object {{ ... }}", path,
                      field.empty() ? "the configuration" : "'" + field + "'"));
    for (const auto &[name, inner] : value.items())
      fn(name, inner);
  }

  std::string text(const json &value, const std::string &name) {
    if (!value.is_string())
      throw Error(fmt::format("{}: field '{}' must be a string, not {}", path,
                              name, value.type_name()));
    return value.get<std::string>();
  }

  [[noreturn]] void unknown(const std::string &name) {
    throw Error(fmt::format("{}: there is no field '{}'", path, name));
  }

  std::string path;
  BuildConfig &config;
};

} // namespace

BuildConfig readBuildConfig(const std::string &path) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path))
    throw Error(fmt::format("{}: there is no such configuration file", path));
  BuildConfig config;
  try {
    json root = json::parse(file, nullptr, /*allow_exceptions=*/true,
                            /*ignore_comments=*/true);
    Reader(path, config).read(root);
  } catch (const json::exception &error) {
    throw Error(fmt::format("{}: {}", path, error.what()));
  }
  if (config.evaluationImages.empty() != config.evaluationLabels.empty())
    throw Error(
        fmt::format("{}: 'evaluation' needs both images and labels", path));
  return config;
}

} // namespace parallax
