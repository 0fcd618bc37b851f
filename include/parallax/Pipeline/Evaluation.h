//===- Evaluation.h - Networks on a task -----------------------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Runs networks on the labelled samples of a configuration and judges what they
// answer. Networks come one after the other, so that only one of them has to be
// in memory.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_PIPELINE_EVALUATION_H
#define PARALLAX_PIPELINE_EVALUATION_H

#include "parallax/Backend/Core/Executable.h"
#include "parallax/Evaluate/Task.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/Samples.h"

namespace parallax {

/// What a network is given.
enum class InputForm {
  /// What the model was trained with.
  Model,
  /// What arrives at run time: input_processors do the rest.
  Source
};

class AnswerJournal;

/// Samples or labels have changed while they were in use. No network is to
/// blame for that.
class DataChanged : public Error {
public:
  using Error::Error;
};

class Evaluator {
public:
  /// Finds the samples; throws Error if they can't be used.
  Evaluator(const BuildConfig &config, int threads);

  /// What it takes to do the task with a network; throws Error if it does not
  /// fit. Null for commands. It may be used as long as the evaluator.
  std::unique_ptr<Task> taskFor(std::span<const PortInfo> inputs,
                                std::span<const PortInfo> outputs) const;

  /// What networks answer is kept here, and what is known is not asked again.
  void keepAnswers(AnswerJournal &kept) { journal = &kept; }

  /// Checks that a network can read the samples and does the task; throws
  /// Error.
  void check(std::span<const PortInfo> inputs,
             std::span<const PortInfo> outputs) const;

  /// Runs a network on all samples; throws Error if it does not fit the task.
  void run(const std::string &name, const Executable &network, InputForm form);

  /// Throws DataChanged if that has happened since they were found.
  void requireSameData() const;
  /// Judges all networks that were run, on the same data.
  Accuracy judge() const;

  /// What another network answers for some of the samples. The answers for the
  /// others are what it gave before, or those of the first network that ran.
  NetworkAnswers answer(const std::string &name, const Executable &network,
                        std::span<const size_t> samples,
                        const NetworkAnswers *before = nullptr) const;
  /// What the first network that ran has answered.
  const NetworkAnswers &first() const { return networks.front(); }
  /// Networks on some of the samples, beside the first of them. What a command
  /// has scored must be of the same samples.
  std::vector<NetworkAccuracy>
  measure(const std::vector<NetworkAnswers> &answers,
          std::span<const size_t> samples) const;
  /// Knows what answers are worth; null before a network was run, and for
  /// commands.
  const Task *knownTask() const { return judging.get(); }
  size_t samples() const { return data.size(); }
  /// Every sample and what the networks answered, as CSV.
  std::string answers() const;

  /// Whether pictures can be given as they arrive at run time.
  bool canUseSource() const;
  /// The inputs of a run.
  std::vector<Tensor> load(size_t run, std::span<const PortInfo> inputs,
                           InputForm form) const;
  size_t runs() const { return data.runs(); }
  /// Stands for the files of samples and labels as they were found.
  const std::string &dataDigest() const { return digestOfData; }

private:
  InputPreparation prepare(std::span<const PortInfo> inputs,
                           InputForm form) const;
  /// Replaces the answers of these runs.
  void answerRuns(NetworkAnswers &answers, const Executable &network,
                  InputForm form, const Task &own,
                  std::span<const size_t> runs) const;
  /// Takes the answers that the journal has; the others are missing.
  void takeKnown(NetworkAnswers &answers, std::vector<size_t> &missing) const;
  void runCommand(NetworkAnswers &answers, const Executable &network,
                  InputForm form, std::span<const size_t> runs) const;

  const BuildConfig &config;
  /// The same with what the calibration says about pictures.
  EvaluationConfig task;
  int threads;
  std::string digestOfData;
  EvaluationData data;
  /// Of the first network; it knows how to judge answers.
  std::unique_ptr<Task> judging;
  std::vector<NetworkAnswers> networks;
  AnswerJournal *journal = nullptr;
};

/// Inputs for checks of a network: the first of the evaluation set, or random
/// ones.
Samples evaluationSamples(const BuildConfig &config,
                          std::span<const PortInfo> inputs);

/// Writes changed.json, answers.csv and, as the last one, accuracy.json in
/// place of those of an earlier evaluation, and shows the accuracy.
void reportAccuracy(const Accuracy &accuracy, const std::string &answers,
                    const std::filesystem::path &outputDir);

} // namespace parallax

#endif // PARALLAX_PIPELINE_EVALUATION_H
