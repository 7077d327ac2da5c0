// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was measured of tiles on some core, as data: printed, read, merged.
// docs/tuning.md has the schema.

#ifndef TILEWRIGHT_TUNING_DATABASE_H
#define TILEWRIGHT_TUNING_DATABASE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright {

/// Which body of one tile is the quickest on one core.
struct TuningEntry {
  std::string name; ///< of the tile, with the prefix tw
  std::string core; ///< of cores.def; else LLVM's name
  /// What it holds for: the version of the tool, the digest of its generator
  /// (generatorDigest()), and that of the hand-written body, empty if there is
  /// none.
  std::string version, generator, handWritten;
  bool isHandWritten = false; ///< the body
  /// That of a generated body, in full, as printTilePlan has it. Where the
  /// hand-written one is the quickest: of the generated body to take where one
  /// is asked for; empty for the planner's choice.
  std::string plan;
  /// codeDigest() of the plan's body; empty of entries that were measured
  /// before there was such a digest.
  std::string code;
  /// Its time by that of the body that stands for the name without tuning: the
  /// median of pairs, an interval that holds it, and how many pairs. 1 where
  /// that body is the one.
  double ratio = 1, low = 1, high = 1;
  int64_t rounds = 0;
  std::string measured; ///< when: "2026-11-24T12:00:00Z"
};

/// Which hand-written tile is the quickest on one core, of those of a type
/// triple, for matmuls of so many rows.
struct ShapeEntry {
  std::string types; ///< "f32f32f32"
  std::string rows;  ///< of measured_rows.def, "5-16"
  std::string core, version;
  /// The quickest, and the one that it was measured beside, which is chosen
  /// without measurement; the same where no other is quicker. Names with the
  /// prefix tw, and the digests of their bodies.
  std::string tile, beside, handWritten, besideHandWritten;
  /// Its time for a multiply-add of the matmul by that of `beside`: what both
  /// compute for rows of padding is in it. As in TuningEntry.
  double ratio = 1, low = 1, high = 1;
  int64_t rounds = 0;
  std::string measured;
};

struct TuningDatabase {
  std::vector<TuningEntry> entries;
  std::vector<ShapeEntry> shapes;

  /// Adds the entries of `other`, each in the place of the one that is here of
  /// the same tile, core and version, if any; of shapes, of the same types,
  /// rows, core and version.
  void merge(TuningDatabase other);
};

/// Sorted by tile, core and version; shapes by types, rows, core and version.
std::string printTuning(TuningDatabase database);

/// Accepts what printTuning writes; an error names `file`, the place and what
/// was expected there. Whether names are tiles' and plans fit is for its users.
llvm::Expected<TuningDatabase> parseTuning(llvm::StringRef text,
                                           llvm::StringRef file);

/// The same of a file.
llvm::Expected<TuningDatabase> readTuning(const std::string &path);

} // namespace tilewright

#endif // TILEWRIGHT_TUNING_DATABASE_H
