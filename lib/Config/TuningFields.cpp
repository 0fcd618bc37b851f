//===- TuningFields.cpp - The fields about tuning -------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Which networks may be tried, in which order, and when one is good enough.
//===----------------------------------------------------------------------===//
#include "Field.h"

#include "parallax/Support/Error.h"
#include "parallax/Support/NamePattern.h"

#include <set>

namespace parallax::config {
namespace {

/// `{"pattern": types, …}` means the same as a list of entries in that order.
class AllowedTypesList final : public ListType<AllowedTypes> {
public:
  Kind kind() const override { return Kind::PatternList; }

  void read(void *target, const Reading &reading) const override {
    const auto *members = reading.value.as<JsonValue::Object>();
    if (!members && !reading.value.as<JsonValue::List>())
      return reading.expected("a list [ ... ] or an object { ... }");
    if (!members)
      return ListType::read(target, reading);
    JsonValue::List entries;
    std::set<std::string_view> patterns;
    for (const JsonMember &member : *members) {
      if (!patterns.insert(member.name).second)
        reading.findings.error(member.position, Path(reading.path, member.name),
                               "is given twice");
      JsonValue pattern{member.name, member.position};
      entries.push_back(
          {JsonValue::Object{{"pattern", member.position, pattern},
                             {"types", member.position, member.value}},
           member.position});
    }
    JsonValue list{std::move(entries), reading.value.position};
    ListType::read(target, {reading.field, list, reading.path, reading.findings,
                            reading.owner});
  }
};

void checkAllowedTypes(const AllowedTypes &config, const ObjectScope &scope) {
  if (scope.hasErrors())
    return;
  try {
    NamePattern pattern(config.pattern);
  } catch (const Error &error) {
    scope.error("pattern", error.what());
  }
  if (config.types.empty())
    scope.error("types", "must have at least one type");
}

void checkTuning(const TuningConfig &config, const ObjectScope &scope) {
  if (!scope.hasErrors() && config.strategy == TuningStrategy::Custom &&
      config.customCommand.empty())
    scope.error("needs a custom_command, which says what to try next");
}

} // namespace

template <> const Type &typeOf<std::vector<AllowedTypes>>() {
  static const AllowedTypesList made;
  return made;
}

template <> Message describe<TuningCriterion>() {
  using C = TuningCriterion;
  return message<C>(
      "TuningCriterion", "When a tuned network is good enough.",
      {
          field("criterion", &C::criterion,
                "Whether tolerable_loss is a part of the metric of the float "
                "network, or a difference to it."),
          field("higher_is_better", &C::higherIsBetter,
                "Whether the metric is better if it is higher."),
          field("tolerable_loss", &C::tolerableLoss,
                "How much of the metric the tuned network may lose.")
              .atLeast(0),
      });
}

template <> Message describe<TuningExit>() {
  using C = TuningExit;
  return message<C>(
      "TuningExit", "When tuning ends even if nothing good enough was found.",
      {
          field("timeout", &C::timeout,
                "After how many seconds no further trial begins; 0 means "
                "never.")
              .atLeast(0),
          field("max_trials", &C::maxTrials,
                "How many networks may be built and evaluated.")
              .atLeast(1),
      });
}

template <> Message describe<AllowedTypes>() {
  using C = AllowedTypes;
  return message<C>(
      "AllowedTypes",
      "Limits the types of some layers. A list of these can also be written "
      "as an object: {\"pattern\": [\"U8\", \"U16\"]}.",
      {
          field("pattern", &C::pattern,
                "A regular expression that matches the whole name of the "
                "layer, or of its operator.")
              .required(),
          field("types", &C::types,
                "The types that these layers may get: U8 alone means never "
                "widened, FP32 alone that they stay float.")
              .oneOf({"U8", "U16", "FP32"})
              .required(),
      },
      checkAllowedTypes);
}

template <> Message describe<TuningConfig>() {
  using C = TuningConfig;
  return message<C>(
      "TuningConfig",
      "How `parallax tune` looks for the cheapest network that keeps the "
      "accuracy; other commands ignore it.",
      {
          field("strategy", &C::strategy,
                "In which order networks are tried: auto predicts which are "
                "good and verifies these; basic and mse widen layer by layer; "
                "exhaustive and random go through all; custom asks a command "
                "of yours."),
          field("accuracy_criterion", &C::accuracyCriterion,
                "When a tuned network is good enough."),
          field("objective", &C::objective,
                "What should be as small as the criterion allows: cycles of "
                "the NPU, the size of the compiled model, or the bytes that "
                "it moves to and from memory."),
          field("exit_policy", &C::exitPolicy,
                "When tuning ends even if nothing good enough was found."),
          field("random_seed", &C::randomSeed,
                "Where random choices start; the same seed gives the same "
                "trials.")
              .atLeast(0),
          field("op_name_dict", &C::opNameDict,
                "Types that layers may get, by their names. The first pattern "
                "that matches decides, before op_type_dict; without one, all "
                "types are allowed."),
          field("op_type_dict", &C::opTypeDict,
                "Types that layers may get, by their operators: Conv, Add."),
          field("levers", &C::levers,
                "What may be tried beside wider layers: other calibration "
                "methods, equalization, SmoothQuant, EasyQuant, bias "
                "correction."),
          field("validation_share", &C::validationShare,
                "Which part of the samples tuning never looks at, so that the "
                "final accuracy comes from them; 0 means that all samples "
                "serve both.")
              .between(0, 0.9),
          field("custom_command", &C::customCommand,
                "For the strategy custom: a command for the shell that reads "
                "the history of trials and prints the next one."),
      },
      checkTuning);
}

} // namespace parallax::config
