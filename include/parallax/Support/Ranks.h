//===- Ranks.h - The processes that share the work of one job --*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A launcher, mpirun or srun, starts the same command several times; each of
// these processes is a rank. All of them do the same steps, but deal the
// samples among themselves, and then everybody gets the results of all, in the
// order of ranks. So all come to the same decisions, and to those of one
// process alone. Without a launcher there is one rank, and nothing is
// exchanged.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_SUPPORT_RANKS_H
#define PARALLAX_SUPPORT_RANKS_H

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace parallax {

/// The job can't go on, because a rank has failed; the text names it. It is not
/// an Error: nobody who copes with a trial or a layer that fails may catch it.
class RankFailure : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

class Ranks {
public:
  virtual ~Ranks();

  int count() const { return size; }
  int number() const { return own; }
  /// The first rank prints and writes for all.
  bool isFirst() const { return own == 0; }
  bool areSeveral() const { return size > 1; }
  /// The most threads that any of them uses; the same on all.
  int mostThreads() const { return threads; }

  /// Every rank gives bytes, and then takes those of all, in the order of
  /// ranks. All have to come to the same steps. Throws RankFailure on all of
  /// them if one has failed or is somewhere else. Only the main thread may call
  /// this.
  using Take = std::function<void(int rank, std::string_view bytes)>;
  virtual void exchange(std::string_view step, std::string_view bytes,
                        const Take &take) = 0;

  /// What the first rank gives; `make` is only called there.
  std::string fromFirst(std::string_view step,
                        const std::function<std::string()> &make);

  /// Throws RankFailure if a rank has another text than the first one:
  /// "rank 2 on node7 has another `what` than rank 0 on node5".
  virtual void requireSame(std::string_view what, std::string_view text) = 0;

  /// To be called where work goes on after a failure: all ranks must have
  /// failed for the same reason. Throws RankFailure if others have not.
  void requireSameFailure(std::string_view reason);

protected:
  int size = 1, own = 0, threads = 1;
};

/// The ranks of this process's job.
Ranks &ranks();

/// Makes them those of ranks() for as long as it exists.
class RanksScope {
public:
  explicit RanksScope(Ranks &ranks);
  ~RanksScope();
  RanksScope(const RanksScope &) = delete;
  RanksScope &operator=(const RanksScope &) = delete;

private:
  Ranks *outer;
};

/// Work that a rank does by itself, while others do something else.
class AloneScope {
public:
  AloneScope();

private:
  RanksScope scope;
};

} // namespace parallax

#endif // PARALLAX_SUPPORT_RANKS_H
