// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of every AMDGPU tile: one wave computes one tile with one matrix
// instruction, its accumulators and its operands in registers.

#ifndef UKERNELS_AMDGPU_TILE_H_
#define UKERNELS_AMDGPU_TILE_H_

#include "ukernels/amdgpu/instruction.h"

namespace tilewright::amdgpu {

enum class Rounding { kOnce, kEveryStep };
enum class Scales { kNone, kBlocks };

// 32-bit registers that a lane can have; of gfx1250's 1024, LLVM 22 spills with
// more.
#if defined(__GFX9__) || defined(__gfx1250__)
inline constexpr int kRegisters = 512;
#else
inline constexpr int kRegisters = 256;
#endif

// One operand of a tile: `kTileRows` rows of K0 elements `T` per step, in
// blocks of the kBlockRows rows that an instruction takes.
template <typename Instr, typename T, int kTileRows, int kBlockRows, int K0>
struct Operand {
  using Layout = typename Instr::Layout;
  static_assert(kTileRows < kBlockRows || kTileRows % kBlockRows == 0);
  static constexpr int kBlocks = (kTileRows + kBlockRows - 1) / kBlockRows;
  static constexpr int kInstructions = K0 / Instr::kK;
  static_assert(kInstructions * Instr::kK == K0);
  // Elements of 8 bits and more than 16 of them per lane come in two runs.
  static constexpr int kRun =
      Instr::kRunOfK * T::bits > 192 ? 128 / T::bits : Instr::kRunOfK;
  static constexpr int kRuns = Instr::kK / Layout::kGroups / kRun;
  static constexpr int kUnit = kRun > Instr::kUnitOfK ? kRun : Instr::kUnitOfK;
  // Words of a lane for one instruction, and for a step.
  static constexpr int kRunWords = kRun * T::bits / 32;
  static constexpr int kWords = kRuns * kRunWords;
  static constexpr int kStepWords = kInstructions * kWords;
  static constexpr int kRowBytes = K0 * T::bits / 8;
  static constexpr int64_t kStepBytes = int64_t{kTileRows} * kRowBytes;

  // Where in its panel row the elements begin that matrix column `k` holds in
  // the first instruction of a step.
  TW_MEMBER int panelK(int k) {
    return k / kUnit * kUnit * kInstructions + k % kUnit;
  }

  // Bytes from the beginning of a step to lane l's first element.
  TW_MEMBER unsigned laneOffset(int row, int group) {
    const int inside = row < kTileRows ? row : kTileRows - 1;
    return inside * kRowBytes + panelK(group * kRun) * T::bits / 8;
  }

  // A lane's words of one block in one step. They stay in as many vectors as
  // instructions take, or in the ones they are loaded to if those are bigger:
  // what is loaded or multiplied together has to lie in neighbouring registers
  // all the time, or the loop would consist of copies.
  static constexpr int kPartWords = kWords >= 4 ? kWords : kStepWords;
  static constexpr int kParts = kStepWords / kPartWords;
  struct Block {
    Vector<int, kPartWords> part[kParts];
  };

  TW_INLINE void loadBlock(Block& to, const TW_GLOBAL char* at) {
    TW_UNROLL for (int p = 0; p < kParts; ++p) {
      Registers<kPartWords> words;
      if constexpr (kParts == 1 && kRuns == 1 && kRun == kUnit) {
        load<kStepWords * 4>(words.word, at);
      } else {
        static_assert(kPartWords == kWords);
        TW_UNROLL for (int s = 0; s < kRuns; ++s) {
          const int k = panelK(s * Layout::kGroups * kRun) + p * kUnit;
          load<kRunWords * 4>(words.word + s * kRunWords, at + k * T::bits / 8);
        }
      }
      TW_UNROLL for (int i = 0; i < kPartWords; ++i) {
        to.part[p][i] = words.word[i];
      }
    }
  }

  // The operand of instruction c.
  template <int c>
  TW_INLINE auto wordsFor(const Block& block) {
    if constexpr (kParts > 1 || kInstructions == 1) {
      return block.part[c];
    } else {
      Registers<kWords> words;
      TW_UNROLL for (int i = 0; i < kWords; ++i) {
        words.word[i] = block.part[0][c * kWords + i];
      }
      return words;
    }
  }

  // Block scales: one byte per instruction, [rows][K0/32].
  static constexpr int kScaleRowBytes = K0 / kScaleBlock;
  static constexpr int64_t kScaleStepBytes =
      int64_t{kTileRows} * kScaleRowBytes;
  TW_MEMBER unsigned laneScaleOffset(int row, int group) {
    const int inside = row < kTileRows ? row : kTileRows - 1;
    return inside * kScaleRowBytes + group * kInstructions;
  }
};

template <typename Instr, typename Lhs, typename Rhs, typename Out, int M0,
          int N0, int K0, Rounding rounding, Scales scales>
struct Tile {
  using Layout = typename Instr::Layout;
  using Result = typename Instr::Result;
  using Storage = typename OutElement<Out>::Storage;
  using Sum = typename OutElement<Out>::Sum;
  using LhsOperand = Operand<Instr, Lhs, M0, Layout::kRows, K0>;
  using RhsOperand = Operand<Instr, Rhs, N0, Layout::kColumns, K0>;
  static constexpr int kRowBlocks = LhsOperand::kBlocks;
  static constexpr int kColumnBlocks = RhsOperand::kBlocks;
  using Sums = Result[kRowBlocks][kColumnBlocks];
  static_assert(N0 % Layout::kColumns == 0, "only rows are padded");
  static constexpr bool kScaled = scales == Scales::kBlocks;

  // A lane's scales of one row in one K step, a byte per instruction.
  using ScaleBytes =
      typename Piece<kScaled ? LhsOperand::kInstructions : 4>::type;

  // A lane's elements of one K step.
  struct Step {
    typename LhsOperand::Block lhs[kRowBlocks];
    typename RhsOperand::Block rhs[kColumnBlocks];
    // As wide as they are loaded: extended when they are multiplied with, or
    // LLVM does that where it has to wait for them.
    ScaleBytes lhsScales[kRowBlocks], rhsScales[kColumnBlocks];
  };
  static constexpr int kStepWords = kRowBlocks * LhsOperand::kStepWords +
                                    kColumnBlocks * RhsOperand::kStepWords +
                                    (kScaled ? kRowBlocks + kColumnBlocks : 0);
  // K steps in flight, whose elements take a quarter of the registers that the
  // accumulators leave: two at least; at most eight, so that small tiles have
  // as many bytes in flight as big ones.
  static constexpr int kFit =
      (kRegisters - kRowBlocks * kColumnBlocks * (int)sizeof(Result) / 4) / 4 /
      kStepWords;
  static constexpr int kStages = kFit < 2 ? 2 : kFit > 8 ? 8 : kFit;

  // The panels from some K step on. Uniform.
  struct Panels {
    const TW_GLOBAL char *lhs, *rhs, *lhsScales, *rhsScales;

    TW_DEVICE __attribute__((always_inline)) Panels at(int64_t k) const {
      return {lhs + k * LhsOperand::kStepBytes,
              rhs + k * RhsOperand::kStepBytes,
              lhsScales + k * LhsOperand::kScaleStepBytes,
              rhsScales + k * RhsOperand::kScaleStepBytes};
    }
  };
  // Where a lane's elements are in them.
  struct Lane {
    unsigned lhs, rhs, lhsScales, rhsScales;
  };

  TW_INLINE ScaleBytes loadScales(const TW_GLOBAL char* at) {
    return *(const TW_GLOBAL ScaleBytes*)at;
  }

  TW_INLINE void loadStep(Step& step, Panels panels, Lane lane) {
    TW_UNROLL for (int m = 0; m < kRowBlocks; ++m) {
      LhsOperand::loadBlock(
          step.lhs[m],
          panels.lhs + lane.lhs + m * Layout::kRows * LhsOperand::kRowBytes);
    }
    TW_UNROLL for (int n = 0; n < kColumnBlocks; ++n) {
      RhsOperand::loadBlock(
          step.rhs[n],
          panels.rhs + lane.rhs + n * Layout::kColumns * RhsOperand::kRowBytes);
    }
    if constexpr (kScaled) {
      TW_UNROLL for (int m = 0; m < kRowBlocks; ++m) {
        step.lhsScales[m] =
            loadScales(panels.lhsScales + lane.lhsScales +
                       m * Layout::kRows * LhsOperand::kScaleRowBytes);
      }
      TW_UNROLL for (int n = 0; n < kColumnBlocks; ++n) {
        step.rhsScales[n] =
            loadScales(panels.rhsScales + lane.rhsScales +
                       n * Layout::kColumns * RhsOperand::kScaleRowBytes);
      }
    }
    scheduleBarrier();
  }

  // Instruction c of a step, for all blocks.
  template <int c>
  TW_INLINE void multiplyBlocks(Sums& sums, const Step& step) {
    TW_UNROLL for (int m = 0; m < kRowBlocks; ++m) {
      TW_UNROLL for (int n = 0; n < kColumnBlocks; ++n) {
        const auto rhs = RhsOperand::template wordsFor<c>(step.rhs[n]);
        const auto lhs = LhsOperand::template wordsFor<c>(step.lhs[m]);
        if constexpr (kScaled)
          sums[m][n] = Instr::template multiplyScaled<c>(
              rhs, lhs, sums[m][n], step.rhsScales[n], step.lhsScales[m]);
        else
          sums[m][n] = Instr::multiply(rhs, lhs, sums[m][n]);
      }
    }
    if constexpr (c + 1 < LhsOperand::kInstructions)
      multiplyBlocks<c + 1>(sums, step);
  }

  TW_INLINE void multiplyStep(Sums& sums, const Step& step) {
    multiplyBlocks<0>(sums, step);
    if constexpr (rounding == Rounding::kEveryStep) {
      TW_UNROLL for (int m = 0; m < kRowBlocks; ++m) {
        TW_UNROLL for (int n = 0; n < kColumnBlocks; ++n) {
          TW_UNROLL for (int r = 0; r < Layout::kRuns * Layout::kRun; ++r) {
            sums[m][n][r] = (Sum)(Storage)sums[m][n][r];
          }
        }
      }
    }
    scheduleBarrier();
  }

  // Begins a basic block that no result of before is computed in. LLVM orders
  // matrix instructions as it likes, for they do not touch memory: with the
  // load that is to overwrite their operands before them, it has to load into
  // other registers, wait, and copy. The condition never holds, which LLVM
  // cannot know.
  TW_INLINE void endBlock(Sums& sums, Panels next, Panels panels) {
    if (next.lhs == panels.lhs) {
      TW_UNROLL for (int m = 0; m < kRowBlocks; ++m) {
        TW_UNROLL for (int n = 0; n < kColumnBlocks;
                       ++n) __asm__ volatile("" ::"v"(sums[m][n][0]));
      }
    }
  }

  // All K >= 1 steps. Step k + kStages is loaded into the registers of step k
  // as soon as that one is multiplied. Past the end the last step is loaded
  // again: nothing outside the panels is read.
  TW_INLINE void multiplyPanels(Sums& sums, Panels panels, Lane lane,
                                int64_t K) {
    Step steps[kStages];
    TW_UNROLL for (int s = 0; s < kStages; ++s) {
      loadStep(steps[s], panels.at(s < K ? s : K - 1), lane);
    }
    Panels next = panels.at(kStages);
    int64_t k = 0;
    TW_NO_UNROLL for (; k + 2 * kStages <= K; k += kStages) {
      TW_UNROLL for (int s = 0; s < kStages; ++s) {
        multiplyStep(sums, steps[s]);
        endBlock(sums, next.at(s), panels);
        loadStep(steps[s], next.at(s), lane);
      }
      next = next.at(kStages);
    }
    if (k + kStages < K) {
      TW_UNROLL for (int s = 0; s < kStages; ++s) {
        multiplyStep(sums, steps[s]);
        const int64_t ahead = k + kStages + s;
        loadStep(steps[s], panels.at(ahead < K ? ahead : K - 1), lane);
      }
      k += kStages;
    }
    TW_UNROLL for (int s = 0; s < kStages; ++s) {
      if (k + s < K) multiplyStep(sums, steps[s]);
    }
  }

  // Calls `visit(address, result, first register)` for each run of results.
  template <typename Visit>
  TW_INLINE void eachRun(Sums& sums, TW_GLOBAL char* out, int64_t stride, int l,
                         Visit visit) {
    if (M0 < Layout::kRows && Layout::outRow(l) >= M0) return;
    TW_UNROLL for (int m = 0; m < kRowBlocks; ++m) {
      TW_GLOBAL char* const row =
          out + (m * Layout::kRows + Layout::outRow(l)) * stride *
                    (int64_t)sizeof(Storage);
      TW_UNROLL for (int n = 0; n < kColumnBlocks; ++n) {
        TW_UNROLL for (int run = 0; run < Layout::kRuns; ++run) {
          visit(row + (n * Layout::kColumns + Layout::outColumn(l, run)) *
                          (int)sizeof(Storage),
                sums[m][n], run * Layout::kRun);
        }
      }
    }
  }

  // A run of out elements as they lie in memory.
  using Run = Vector<Storage, Layout::kRun>;
  using RunWords = Registers<(sizeof(Run) + 3) / 4>;

  TW_INLINE void compute(TW_GLOBAL void* outTile, const TW_GLOBAL void* lhs,
                         const TW_GLOBAL void* rhs,
                         const tw_mmt4d_params_t* params) {
    const int l = laneInWave();
    const int64_t K = uniform(params->K);
    const unsigned flags = __builtin_amdgcn_readfirstlane(params->flags);
    const int64_t stride = flags & TW_MMT4D_FLAG_OUT_ROW_STRIDE
                               ? uniform(params->out_row_stride)
                               : N0;
    TW_GLOBAL char* const out = (TW_GLOBAL char*)uniform(outTile);
    // To widen and round a NaN would change it.
    if (sizeof(Storage) < sizeof(Sum) && K == 0 &&
        flags & TW_MMT4D_FLAG_ACCUMULATE)
      return;
    Sums sums = {};
    if (flags & TW_MMT4D_FLAG_ACCUMULATE) {
      eachRun(sums, out, stride, l,
              [](const TW_GLOBAL char* at, Result& result, int first)
                  __attribute__((always_inline)) {
                    RunWords words;
                    load<sizeof(Run)>(words.word, at);
                    const Run run = bitsAs<Run>(words);
                    TW_UNROLL for (int r = 0; r < Layout::kRun; ++r) {
                      result[first + r] = (Sum)run[r];
                    }
                  });
    }
    if (K > 0) {
      Panels panels = {uniform(lhs), uniform(rhs), nullptr, nullptr};
      Lane lane = {LhsOperand::laneOffset(Layout::lhsRow(l), Layout::group(l)),
                   RhsOperand::laneOffset(Layout::rhsRow(l), Layout::group(l)),
                   0, 0};
      if constexpr (kScaled) {
        panels.lhsScales = uniform((const TW_GLOBAL void*)params->lhs_scales);
        panels.rhsScales = uniform((const TW_GLOBAL void*)params->rhs_scales);
        lane.lhsScales =
            LhsOperand::laneScaleOffset(Layout::lhsRow(l), Layout::group(l));
        lane.rhsScales =
            RhsOperand::laneScaleOffset(Layout::rhsRow(l), Layout::group(l));
      }
      multiplyPanels(sums, panels, lane, K);
    }
    eachRun(sums, out, stride, l,
            [](TW_GLOBAL char* at, Result& result, int first)
                __attribute__((always_inline)) {
                  Run run;
                  TW_UNROLL for (int r = 0; r < Layout::kRun; ++r) {
                    run[r] = (Storage)result[first + r];
                  }
                  store<sizeof(Run)>(at, bitsAs<RunWords>(run).word);
                });
  }
};

}  // namespace tilewright::amdgpu

#endif  // UKERNELS_AMDGPU_TILE_H_
