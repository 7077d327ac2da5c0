// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bodies that a tile could have, measured beside each other on this CPU.

#ifndef TILEWRIGHT_BENCH_TUNETILE_H
#define TILEWRIGHT_BENCH_TUNETILE_H

#include "tilewright/Bench/MachineNoise.h"
#include "tilewright/Bench/TuneShape.h"
#include "tilewright/Tuning/ComparePairs.h"
#include "tilewright/Tuning/Database.h"
#include "tilewright/key.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace tilewright {

struct TuneOptions {
  /// Generated bodies per tile.
  unsigned candidates = 12;
  /// Seconds of timing per tile.
  double budgetSeconds = 1;
  /// As ResolveOptions has it.
  std::string bitcodeDir;
  /// Takes a sentence about a body that is left out.
  std::function<void(llvm::StringRef)> warn;
};

/// A body of a tile.
struct TunedCandidate {
  std::string plan; ///< empty: the hand-written one
  /// Beside the default; of the default itself as it is by default.
  Challenger result;

  /// "hand-written", "plan idiom=...".
  std::string text() const;
};

struct TunedTile {
  /// What to follow.
  TuningEntry entry;
  /// The default first: what stands for the name without tuning.
  std::vector<TunedCandidate> candidates;
  size_t chosen = 0;
  /// That of entry.plan; the default if there is none.
  size_t generated = 0;

  /// The hand-written body takes for sure more than 2 % longer than a generated
  /// one.
  bool isSlowRow() const;
};

/// Fills in what the timing of all candidates but the first, the default, says:
/// a tie keeps the default. Where that is hand-written and stays, `generated`
/// says what those from the third on take beside the second, the planner's
/// choice.
void decide(TunedTile &tile, llvm::ArrayRef<Challenger> results,
            llvm::function_ref<std::vector<Challenger>()> generated);

/// Measures tiles, one at a time, on the calling thread.
class TileTuner {
public:
  static llvm::Expected<std::unique_ptr<TileTuner>>
  create(const TuneOptions &options);
  ~TileTuner();

  /// `key` is one that this CPU runs (checkRunnable). A generated body that is
  /// wrong or cannot be made is left out with a warning; so is one that is the
  /// same as another. An error if the default is wrong.
  llvm::Expected<TunedTile> tune(const TileKey &key);

private:
  struct Impl;
  explicit TileTuner(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

struct TuneReport {
  std::string version, cpu, core;
  MachineNoise noise;
  std::vector<TunedTile> tiles;
  std::vector<TunedShape> shapes;
};

/// docs/tuning.md has the schema.
std::string printTuneJson(const TuneReport &report);
/// A table for people.
void printTuneText(const TuneReport &report, llvm::raw_ostream &os);

} // namespace tilewright

#endif // TILEWRIGHT_BENCH_TUNETILE_H
