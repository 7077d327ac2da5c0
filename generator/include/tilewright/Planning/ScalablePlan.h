// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Idioms whose vectors are scalable: which keys they compute, and how the rows
// of a K step lie in such vectors. Data; no IR.

#ifndef TILEWRIGHT_PLANNING_SCALABLEPLAN_H
#define TILEWRIGHT_PLANNING_SCALABLEPLAN_H

#include "tilewright/Planning/Idiom.h"
#include "tilewright/key.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <string>

namespace tilewright {

struct TilePlan;
struct PlanCost;

enum class ScalableIdiom : uint8_t {
  None,
  SveMatrix,  ///< smmla, ummla, usmmla, bfmmla: 2x2 blocks of 8-byte rows
  SveDot,     ///< sdot, udot, usdot, sudot, bfdot; sdot of words to 64 bits
  SveWiden,   ///< fmlalb/t, bfmlalb/t, smlalb/t: even, odd elements
  SveFma,     ///< fmla in the accumulator type
  SveFmaHalf, ///< fmla in f16, rounding each K step
  SveMla,     ///< mla in s32
  SmeOuter    ///< fmopa, bfmopa, smopa, ... into ZA
};

struct ScalableIdiomInfo {
  ScalableIdiom idiom;
  llvm::StringLiteral name; ///< in printed plans
  /// What it multiplies by: the first that takes a key's operands.
  tw_instruction_t instructions[5];
};

/// Best first.
llvm::ArrayRef<ScalableIdiomInfo> scalableIdioms();
const ScalableIdiomInfo &info(ScalableIdiom idiom);
/// Null if there is none.
const ScalableIdiomInfo *findScalableIdiom(llvm::StringRef name);

/// Why `idiom` cannot compute `key`; empty if it can.
std::string whyIdiomUnfit(ScalableIdiom idiom, const TileKey &key);

/// Whether the multiplies of `idiom` take and give zero for denormals.
bool flushesDenormals(ScalableIdiom idiom, const TileKey &key);

/// Whether multiplies of `idiom`, more than others, keep a core that issues in
/// order busy: Cortex-A510.
bool isSlowInOrder(ScalableIdiom idiom, const TileKey &key);

/// How a K step lies in vectors. Rows of one K step fill `chunks` containers
/// each, as they are in memory or after extension; a vector holds one container
/// of as many rows as it has. All of it for `idiom` to compute `key`.
struct ScalableShape {
  ScalableShape(ScalableIdiom idiom, const TileKey &key);

  /// One operand.
  struct Operand {
    tw_element_type_t type;
    bool rows; ///< the number of rows is scalable
    int size;  ///< rows at the least vector length
    int rowBytes;
    /// Bits of the units that a container's load extends, and of what they
    /// become; equal if rows are containers already.
    int unitBits, extendedBits;
    bool extends() const { return unitBits != extendedBits; }
    /// Units are elements, to be converted by value; otherwise rows of bits,
    /// zeros behind.
    bool byValue;
  };

  bool sme;
  int latency; ///< cycles from accumulator to accumulator
  int accumulatorBits;
  int lanes; ///< accumulators in a vector of the least length
  /// Of a lane that sums; unlike accumulatorBits for sums that are rounded or
  /// cut off only when stored (64), or after each K step (16).
  int sumBits;
  int containerBits;
  /// The rhs has 4-bit elements: the two chunks are the even and the odd k0.
  bool nibbles;
  /// As TileShape::scaleBits, of a rhs of such elements that SVE multiplies.
  int scaleBits;
  int chunks;
  /// Multiplies per container: SveWiden's even and odd elements.
  int halves;
  /// These belong to different rows, whose sums stand apart until they are
  /// stored; otherwise to different k0.
  bool halvesAreRows;
  /// Rows of the lhs that a multiply takes: SveMatrix's 2.
  int rowsTogether;
  /// lhs operands are read from lanes of 128-bit patterns; otherwise each
  /// container is broadcast.
  bool byLane;
  /// The sums are converted to the out type and back after each K step, in
  /// place, by instructions.
  bool convertsSums;
  /// Registers that rounding them otherwise takes.
  int roundingRegisters;
  /// K steps of the lhs follow one another without gaps, so that a pattern may
  /// hold several: its rows are not scalable.
  bool lhsIsDense() const { return byLane && !lhs.rows; }
  /// Rows of the lhs, at the least vector length, that blocks are counted in:
  /// for outer products those of a vector, or all.
  int rowUnit() const { return !sme ? 1 : lhs.rows ? lanes : lhs.size; }
  /// Vectors of the rhs, and of sums of one row (or rowsTogether of them), for
  /// `vectors` vectors of accumulators.
  int rhsVectors(int vectors) const {
    return vectors * containerBits / accumulatorBits;
  }
  int sumVectors(int vectors) const {
    return vectors * rowsTogether * sumBits / accumulatorBits;
  }
  /// Block vectors come in multiples of it.
  int vectorPeriod() const {
    return accumulatorBits / std::min(containerBits, accumulatorBits);
  }
  Operand lhs, rhs;
};

/// As TileShape::pairsSteps, of a block of `rows`.
bool pairsSteps(const TilePlan &plan, const ScalableShape &shape, int rows);

/// The cheapest plan of `key` with `idiom`, which must fit, and the parts of
/// the block that are not 0 as given.
struct ScalableBlock {
  int rows = 0, vectors = 0, sets = 0, unroll = 0;
};
ScalableBlock chooseScalableBlock(ScalableIdiom idiom, const TileKey &key,
                                  const ScalableBlock &given);

/// How many K steps before it is multiplied the rhs can be read, and the lhs an
/// iteration before, in `block`, which must be the whole tile: as registers
/// last, at most block.unroll.
int stepsAhead(ScalableIdiom idiom, const TileKey &key,
               const ScalableShape &shape, const ScalableBlock &block);

/// Why a plan with scalable vectors cannot carry out `key`.
std::string whyScalablePlanUnfit(const TilePlan &plan, const TileKey &key);
PlanCost estimateScalableCost(const TilePlan &plan, const TileKey &key);
int scalableRegistersNeeded(const TilePlan &plan, const TileKey &key);

} // namespace tilewright

#endif // TILEWRIGHT_PLANNING_SCALABLEPLAN_H
