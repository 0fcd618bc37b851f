//===- BuildConfig.cpp - What `parallax build` is asked to do -------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Every object of the configuration is a table from field names to readers, so
// whatever is misspelled, of the wrong type or given twice is found.
//===----------------------------------------------------------------------===//
#include "parallax/Config/BuildConfig.h"
#include "parallax/Config/RelaxedJson.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/NearestNames.h"

#include <algorithm>
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
using onnx_import::AttributeValue;

class Reader {
  /// Takes the value of a field; `where` is its full name, for messages.
  using Field =
      std::function<void(const json &value, const std::string &where)>;
  using Fields = std::map<std::string, Field>;

public:
  Reader(std::string path, BuildConfig &config)
      : path(std::move(path)), config(config) {}

  void read(const json &root) {
    Fields fields = {
        {"input", text(config.input)},
        {"output_dir", text(config.outputDir)},
        {"input_shapes", text(config.inputShapes)},
        {"onnx_opt", object({{"disable_onnx_optimization",
                              flag(config.onnxOpt.disableOnnxOptimization)},
                             {"enable_onnxsim", ignoredFlag()},
                             {"model_check", flag(config.onnxOpt.modelCheck)},
                             {"disable_transformation_check",
                              flag(config.onnxOpt.disableTransformationCheck)},
                             {"save_tensors_data", ignoredFlag()}})},
        {"debug", object({{"dump_frontend_graph",
                           flag(config.debug.dumpFrontendGraph)}})},
        {"op_processors",
         list([this](const json &value, const std::string &where) {
           auto &op = config.opProcessors.emplace_back();
           readObject(
               value, where,
               {{"op_name", text(op.opName)}, {"attrs", attrs(op.attrs)}},
               {"op_name", "attrs"});
         })},
        {"const_processors",
         list([this](const json &value, const std::string &where) {
           auto &constant = config.constProcessors.emplace_back();
           readObject(value, where,
                      {{"name", text(constant.name)},
                       {"data", numbers(constant.data)},
                       {"data_path", text(constant.dataPath)}},
                      {"name"});
         })},
        {"evaluation", object({{"images", text(config.evaluationImages)},
                               {"labels", text(config.evaluationLabels)}})},
    };
    for (const char *later :
         {"output_name", "work_dir", "model_type", "target_hardware",
          "npu_mode", "quant", "input_processors", "output_processors",
          "quant_op_processors", "compiler"})
      fields[later] = [this](const json &, const std::string &where) {
        config.ignoredFields.push_back(where);
      };
    readObject(root, "", fields);
  }

private:
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args &&...args) {
    throw Error(path + ": " + fmt::format(format, std::forward<Args>(args)...));
  }

  void readObject(const json &value, const std::string &where,
                  const Fields &fields,
                  const std::vector<std::string> &required = {}) {
    if (!value.is_object())
      fail("{} must be an object {{ ... }}",
           where.empty() ? "the configuration" : "'" + where + "'");
    std::string prefix = where.empty() ? "" : where + ".";
    for (const auto &[name, inner] : value.items()) {
      auto field = fields.find(name);
      if (field == fields.end()) {
        std::vector<std::string> names;
        for (const auto &[known, reader] : fields)
          names.push_back(known);
        fail("there is no field '{}{}'{}", prefix, name,
             didYouMean(name, names));
      }
      field->second(inner, prefix + name);
    }
    for (const std::string &name : required)
      if (!value.contains(name))
        fail("'{}' needs the field '{}'", where, name);
  }

  Field object(Fields fields) {
    return [this, fields](const json &value, const std::string &where) {
      readObject(value, where, fields);
    };
  }

  Field list(Field element) {
    return [this, element](const json &value, const std::string &where) {
      if (!value.is_array())
        fail("'{}' must be a list [ ... ]", where);
      for (size_t i = 0; i < value.size(); ++i)
        element(value[i], fmt::format("{}[{}]", where, i));
    };
  }

  void expect(bool isOfType, const json &value, const std::string &where,
              const char *type) {
    if (!isOfType)
      fail("field '{}' must be {}, not {}", where, type, value.type_name());
  }

  Field text(std::string &target) {
    return [this, &target](const json &value, const std::string &where) {
      expect(value.is_string(), value, where, "a string");
      target = value.get<std::string>();
    };
  }

  Field flag(bool &target) {
    return [this, &target](const json &value, const std::string &where) {
      expect(value.is_boolean(), value, where, "true or false");
      target = value.get<bool>();
    };
  }

  Field ignoredFlag() {
    return [this](const json &value, const std::string &where) {
      bool unused = false;
      flag(unused)(value, where);
      config.ignoredFields.push_back(where);
    };
  }

  Field numbers(std::vector<double> &target) {
    return list([this, &target](const json &value, const std::string &where) {
      expect(value.is_number(), value, where, "a number");
      target.push_back(value.get<double>());
      if (value.is_number_integer() && !isExact(value))
        fail("field '{}' is {}, which a double can't hold exactly; give such "
             "values in the file of a data_path",
             where, value.dump());
    });
  }

  /// Whether an integer survives the way through a double.
  static bool isExact(const json &value) {
    double real = value.get<double>();
    if (value.is_number_unsigned())
      return real < 0x1p64 && uint64_t(real) == value.get<uint64_t>();
    return int64_t(real) == value.get<int64_t>();
  }

  Field attrs(std::map<std::string, AttributeValue> &target) {
    return [this, &target](const json &value, const std::string &where) {
      if (!value.is_object())
        fail("'{}' must be an object {{ ... }}", where);
      for (const auto &[name, inner] : value.items())
        target[name] = attribute(inner, where + "." + name);
    };
  }

  AttributeValue attribute(const json &value, const std::string &where) {
    if (value.is_string())
      return value.get<std::string>();
    if (value.is_boolean() || value.is_number_integer())
      return integer(value, where);
    if (value.is_number())
      return value.get<double>();
    expect(value.is_array(), value, where,
           "a number, a string, true, false or a list of these");
    auto all = [&](auto predicate) {
      return std::all_of(value.begin(), value.end(), predicate);
    };
    auto isInteger = [](const json &element) {
      return element.is_boolean() || element.is_number_integer();
    };
    if (all(isInteger)) {
      std::vector<int64_t> integers;
      for (const json &element : value)
        integers.push_back(integer(element, where));
      return integers;
    }
    if (all([](const json &element) { return element.is_number(); }))
      return value.get<std::vector<double>>();
    if (all([](const json &element) { return element.is_string(); }))
      return value.get<std::vector<std::string>>();
    fail("field '{}' must be a list of numbers, or one of strings", where);
  }

  int64_t integer(const json &value, const std::string &where) {
    if (value.is_boolean())
      return value.get<bool>();
    if (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX)
      fail("field '{}' is {}, which is no 64-bit integer", where, value.dump());
    return value.get<int64_t>();
  }

  std::string path;
  BuildConfig &config;
};

/// Of a field that is given twice, the parser would keep the last and say
/// nothing.
class DuplicateFinder {
public:
  explicit DuplicateFinder(const std::string &path) : path(path) {}

  bool operator()(int depth, json::parse_event_t event, const json &parsed) {
    if (event == json::parse_event_t::object_start)
      names.emplace_back();
    else if (event == json::parse_event_t::object_end)
      names.pop_back();
    else if (event == json::parse_event_t::key &&
             !names.back().insert(parsed.get<std::string>()).second)
      throw Error(fmt::format("{}: field '{}' is given twice", path,
                              parsed.get<std::string>()));
    return true;
  }

private:
  const std::string &path;
  std::vector<std::set<std::string>> names;
};

/// The parser's words without the number that it gives to each of them.
std::string messageOf(const json::exception &error) {
  std::string text = error.what();
  size_t end = text.find("] ");
  return text.starts_with("[") && end != std::string::npos
             ? text.substr(end + 2)
             : text;
}

} // namespace

BuildConfig readBuildConfig(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path))
    throw Error(fmt::format("{}: there is no such configuration file", path));
  std::string text(std::istreambuf_iterator<char>(file), {});
  BuildConfig config;
  try {
    DuplicateFinder finder(path);
    json root = json::parse(toStrictJson(std::move(text)), std::ref(finder));
    Reader(path, config).read(root);
  } catch (const json::exception &error) {
    throw Error(fmt::format("{}: {}", path, messageOf(error)));
  }
  if (config.evaluationImages.empty() != config.evaluationLabels.empty())
    throw Error(
        fmt::format("{}: 'evaluation' needs both images and labels", path));
  return config;
}

} // namespace parallax
