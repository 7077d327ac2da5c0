// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How one wave computes a tile on an AMD GPU: data, printable and overridable;
// no IR.

#ifndef TILEWRIGHT_TARGET_AMDGPU_WAVEPLAN_H
#define TILEWRIGHT_TARGET_AMDGPU_WAVEPLAN_H

#include "tilewright/Target/Amdgpu/MatrixInstructions.h"
#include "tilewright/key.h"
#include "llvm/Support/Error.h"
#include <algorithm>
#include <string>

namespace tilewright {

enum class WaveIdiom : uint8_t {
  Matrix, ///< an instruction of the table, on sub-tiles of M x N
  Fma,    ///< lanes own elements of out; f32 or f64 fused multiply-add
  Dot4,   ///< ... four 8-bit integers at a time
  Dot2,   ///< ... two 16-bit integers at a time
  Mad     ///< ... 32-bit integers
};

/// Printed as one line, "idiom=mfma.f32.16x16x16f16 block=4x4 fragment=8
/// ahead=1", or "idiom=fma lanes=4x8 block=8x8 fragment=4 ahead=0".
struct WavePlan {
  WaveIdiom idiom = WaveIdiom::Fma;
  /// Of Matrix; null otherwise.
  const MatrixInstruction *instruction = nullptr;
  /// The register block, in sub-tiles of the instruction or in elements of out
  /// that each lane owns. Larger tiles take several blocks, in two loops.
  int blockRows = 1, blockColumns = 1;
  /// How the lanes divide rows and columns among them; of all idioms but
  /// Matrix.
  int lanesM = 1, lanesN = 1;
  /// Elements along k of each row (column) that a lane holds at a time.
  int fragment = 1;
  /// The K loop loads the next fragments before it multiplies the present ones.
  bool ahead = false;
};

/// The plan of a valid amdgpu key, with the parts that `overrides` names (any
/// subset of what printWavePlan prints) replaced. Fails only on overrides.
llvm::Expected<WavePlan> planWave(const TileKey &key,
                                  llvm::StringRef overrides = "");

std::string printWavePlan(const WavePlan &plan);

/// The parts of a plan as rows of a table in Markdown: name, values, meaning.
std::string describeWavePlan();

/// What follows from a key and its plan, shared by cost and lowering.
struct WaveShape {
  WaveShape(const TileKey &key, const WavePlan &plan);

  struct Operand {
    tw_element_type_t type;    ///< in memory
    tw_element_type_t compute; ///< in registers
    int bits, computeBits;
    int rows; ///< M0 or N0
    int64_t stepBytes;
    /// u8 whose 128 is taken off, for an instruction of signed bytes.
    bool biased;
    /// Rows do not start on bytes: elements are picked one by one.
    bool bitwise;
    /// Elements that a lane's fragment has from consecutive k.
    int run;
    /// Elements that are loaded at once, all of one K step.
    int chunk;
    /// 32-bit registers of a fragment.
    int registers(int fragment) const { return fragment * computeBits / 32; }
  };
  Operand lhs, rhs;
  tw_element_type_t accumulator, out;
  int lanes;
  /// Rows and columns that one multiplication covers: of the wave.
  int subRows, subColumns;
  int kGroups;                 ///< groups of lanes with different k
  int elements;                ///< k that a lane gives to one multiplication
  int span;                    ///< k of one fragment of all lanes
  int paddedStep;              ///< K0, rounded up with zeros
  int stepsPerSpan;            ///< K steps in a span; 1 if a step takes several
  int spansPerStep;            ///< spans in a K step; 1 if a span has several
  int results;                 ///< accumulators of a lane per sub-tile
  int rowBlocks, columnBlocks; ///< blocks of the tile
  bool roundsPerStep;
  /// The K loop can load ahead: its fragments are whole registers of whole K
  /// steps or even parts of them.
  bool canLoadAhead;
  /// Block scales: applied by the instruction, or to the sums of 32 k.
  bool scaledMatrix, scaledSums;
  /// 32-bit registers of a block's accumulators, and all that it keeps busy.
  int accumulatorRegisters, registers;
};

/// Why `plan` cannot carry out `key`; empty if it can.
std::string whyWavePlanUnfit(const WavePlan &plan, const TileKey &key);

/// What the cost model says of a plan: cycles of one SIMD for a K step of the
/// whole tile, modelled.
struct WaveCost {
  double multiplies, loads, conversions;
  double waits; ///< until the first of a span's loads is there
  double cycles() const {
    // The two work side by side, but never quite.
    return std::max(multiplies, loads) + 0.25 * std::min(multiplies, loads) +
           conversions + waits;
  }
};
WaveCost estimateWaveCost(const WavePlan &plan, const TileKey &key);

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_AMDGPU_WAVEPLAN_H
