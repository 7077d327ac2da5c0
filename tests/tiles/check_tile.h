// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a tile function against everything that tile.h promises: values,
// memory, calling convention.

#ifndef TESTS_TILES_CHECK_TILE_H_
#define TESTS_TILES_CHECK_TILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/tiles/operands.h"
#include "tilewright/key.h"
#include "tilewright/tile.h"

namespace tilewright::testing {

// What a tile makes of denormals where its key allows them to be treated as
// zero (mayFlushDenormals). All others must keep them.
enum class Denormals {
  kEither,   // all of them kept, or all of them treated as zero
  kKept,     // the body is known not to use such an instruction
  kFlushed,  // the body is known to use it: pinned
};

// A function that claims to be the tile of a key.
struct TileUnderTest {
  std::string label;  // "hand-written", "generated", "loops", ...
  tw_mmt4d_tile_fn_t fn;
  Denormals denormals = Denormals::kEither;
};

// How many combinations of K, data, flags and placement to try.
enum class Effort {
  kFull,     // every combination that the budget allows
  kSampled,  // each K with each kind of data, the rest taking turns
};

// Whether an emulator runs this program, so that it does some tenth of the work
// in the same time; or sanitizers watch it, to which shapes matter more than
// how often each is tried.
#ifdef TW_TEST_UNDER_EMULATION
inline constexpr bool kUnderEmulation = true;
#else
inline constexpr bool kUnderEmulation = false;
#endif
#ifdef TW_TEST_UNDER_SANITIZERS
inline constexpr bool kUnderSanitizers = true;
#else
inline constexpr bool kUnderSanitizers = false;
#endif
inline constexpr bool kRunsSlowly = kUnderEmulation || kUnderSanitizers;

struct CheckOptions {
  uint64_t seed = 0;
  Effort effort = Effort::kSampled;
  // Multiply-adds of the reference to spend on one key. Some cases run however
  // big the tile is.
  int64_t budget = 20'000'000;
  // The functions read M0, N0, K0 and SKIP_INTERMEDIATE_ROUNDINGS from the
  // parameters (the portable fallback). Otherwise these hold garbage, because a
  // tile function may not read them.
  bool shapeInParams = false;
  // Tiles of so many elements are checked with a sum of many blocks as well,
  // where they may have blocks (long_sums.h).
  int64_t longSumArea = 64;
};

struct CheckReport {
  int cases = 0;  // calls made and compared
  // One line per failing case, at most kMaxFailures of them.
  std::vector<std::string> failures;

  static constexpr size_t kMaxFailures = 4;
  bool ok() const { return cases > 0 && failures.empty(); }
  // For an assertion's message.
  std::string text() const;
};

// Where the buffers lie.
enum class BufferPlacement {
  kTrailing,    // each ends at an inaccessible page
  kLeading,     // each begins at one
  kMisaligned,  // one element past a 64-byte boundary, canaries around
};

// One call.
struct TileCase {
  int64_t K;
  DataKind data;
  bool accumulate;
  // Elements between rows beyond N0; negative: no OUT_ROW_STRIDE.
  int64_t rowPadding;
  BufferPlacement placement;
  uint64_t seed;
};

std::string describe(const TileCase& c);

// The cases that checkTile tries. `key` has no scalable size.
std::vector<TileCase> casesFor(const TileKey& key, const CheckOptions& options);

// Checks all of `tiles`, which must implement `key`, on the same operands
// against the reference, and against each other: bit for bit (but for the sign
// of zeros and the payload of NaNs) where one answer is right.
CheckReport checkTiles(const TileKey& key,
                       const std::vector<TileUnderTest>& tiles,
                       const CheckOptions& options);

}  // namespace tilewright::testing

#endif  // TESTS_TILES_CHECK_TILE_H_
