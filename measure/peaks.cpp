// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops of peaks.def, and the choice of key_peaks.def.

#include "measure/peaks.h"

#include <algorithm>
#include <cstring>

#include "measure/slices.h"
#include "tilewright/tilewright.h"

#if defined(__x86_64__)

// clang-format off
#define TW_Z_STEPS \
  "step 8, 9, 10, 11, 12, 13; step 14, 15, 16, 17, 18, 19;" \
  "step 20, 21, 22, 23, 24, 25; step 26, 27, 28, 29, 30, 31\n"
#define TW_Y_STEPS \
  "step 4, 5, 6, 7, 8, 9; step 10, 11, 12, 13, 14, 15;" \
  "step 4, 5, 6, 7, 8, 9; step 10, 11, 12, 13, 14, 15\n"
#define TW_YP_STEPS \
  "step 8, 9, 10, 11, 12, 13; step 14, 15, 8, 9, 10, 11;" \
  "step 12, 13, 14, 15, 8, 9; step 10, 11, 12, 13, 14, 15\n"
#define TW_XP_STEPS TW_YP_STEPS
#define TW_Z_LOAD "vmovups (%rsi), %zmm0; vmovups 64(%rsi), %zmm1\n"
#define TW_Y_LOAD "vmovups (%rsi), %ymm0; vmovups 32(%rsi), %ymm1\n"
#define TW_YP_LOAD TW_Y_LOAD
#define TW_XP_LOAD "movups (%rsi), %xmm0; movups 16(%rsi), %xmm1\n"
#define TW_Z_ZERO "vpxord %zmm\\r, %zmm\\r, %zmm\\r"
#define TW_Y_ZERO "vpxor %ymm\\r, %ymm\\r, %ymm\\r"
#define TW_YP_ZERO TW_Y_ZERO
#define TW_XP_ZERO "pxor %xmm\\r, %xmm\\r"
#define TW_Z_END "vzeroupper\n"
#define TW_Y_END "vzeroupper\n"
#define TW_YP_END "vzeroupper\n"
#define TW_XP_END ""

// A row becomes a function (iterations in rdi, operands in rsi). An iteration
// does 48 steps, so that its own two instructions hardly count.
#define TW_PEAK(name, ISA, WIDTH, operations, product, accumulate)           \
  __asm__(                                                                   \
      ".macro zero r\n" TW_##WIDTH##_ZERO "\n.endm\n"                        \
      ".macro multiply t\n" product "\n.endm\n"                              \
      ".macro add t, r\n" accumulate "\n.endm\n"                             \
      ".macro step a, b, c, d, e, f\n"                                       \
      "zero \\a; zero \\b; zero \\c; zero \\d; zero \\e; zero \\f\n"         \
      ".endm\n"                                                              \
      ".text\n.p2align 6\n"                                                  \
      ".globl tw_bench_peak_" #name "\n"                                     \
      ".type tw_bench_peak_" #name ", @function\n"                           \
      "tw_bench_peak_" #name ":\n"                                           \
      TW_##WIDTH##_LOAD TW_##WIDTH##_STEPS                                   \
      ".purgem step\n"                                                       \
      ".macro step a, b, c, d, e, f\n"                                       \
      "multiply 2; multiply 3; multiply 4;"                                  \
      "multiply 5; multiply 6; multiply 7;"                                  \
      "add 2, \\a; add 3, \\b; add 4, \\c; add 5, \\d; add 6, \\e; add 7, \\f\n" \
      ".endm\n"                                                              \
      ".p2align 6\n1:\n"                                                     \
      TW_##WIDTH##_STEPS TW_##WIDTH##_STEPS                                  \
      "decq %rdi\njnz 1b\n"                                                  \
      TW_##WIDTH##_END                                                       \
      "ret\n"                                                                \
      ".size tw_bench_peak_" #name ", .-tw_bench_peak_" #name "\n"           \
      ".purgem zero\n.purgem multiply\n.purgem add\n.purgem step\n");        \
  extern "C" void tw_bench_peak_##name(int64_t iterations, const void *operands);
#include "measure/peaks.def"
// clang-format on

#endif  // __x86_64__

namespace tilewright::bench {
namespace {

enum class Class { F64, BF16, SMALL, F16_STEPS, F32, S32, BYTES, WORDS };

Class classOf(const TileKey& key) {
  const TypeTripleInfo& triple = info(key.types);
  const ElementTypeInfo &lhs = info(triple.lhs), &rhs = info(triple.rhs);
  if (triple.accumulator == TW_ELEMENT_F64) return Class::F64;
  if (triple.accumulator == TW_ELEMENT_F32) {
    if (lhs.type == TW_ELEMENT_BF16 && rhs.type == TW_ELEMENT_BF16)
      return Class::BF16;
    if (key.types == TW_TYPES_F16F16F16 && key.k0 == 1 &&
        key.rounding == Rounding::kPerStep)
      return Class::F16_STEPS;
    return std::max(lhs.bits, rhs.bits) <= 8 ? Class::SMALL : Class::F32;
  }
  if (lhs.bits == 32 || rhs.bits == 32) return Class::S32;
  return std::max(lhs.bits, rhs.bits) <= 8 ? Class::BYTES : Class::WORDS;
}

const Peak* peakNamed(const char* name) {
  for (const Peak& peak : peaks())
    if (!std::strcmp(peak.name, name)) return &peak;
  return nullptr;
}

// Ordinary values: zeros would draw less power than real work does, and
// denormals or NaN could cost more. Read as f32 these bits are 1.0019531, as
// f64 0.0078..., as bf16 pairs 1.0 and 1.0, as integers small and large bytes.
struct alignas(64) Operands {
  Operands() { std::fill(std::begin(words), std::end(words), 0x3F803F80u); }
  uint32_t words[32];
};

}  // namespace

const std::vector<Peak>& peaks() {
  static const std::vector<Peak> table = {
#if defined(__x86_64__)
#define TW_PEAK(name, ISA, WIDTH, operations, product, accumulate) \
  {#name, TW_ISA_##ISA, 48 * operations, tw_bench_peak_##name},
#include "measure/peaks.def"
#endif
  };
  return table;
}

std::vector<const Peak*> peaksOf(const TileKey& key, PeakScope scope,
                                 const uint64_t* cpuData) {
  struct Row {
    Class types;
    int k0Multiple;
    const char* peak;
  };
  static const Row rows[] = {
#define TW_KEY_PEAK(CLASS, k0_multiple, peak) \
  {Class::CLASS, k0_multiple, #peak},
#include "measure/key_peaks.def"
  };
  uint64_t detected[TW_CPU_DATA_WORDS];
  if (!cpuData) {
    tw_cpu_detect(detected);
    cpuData = detected;
  }
  const Class types = classOf(key);
  std::vector<const Peak*> result;
  for (const Row& row : rows) {
    if (row.types != types || key.k0 % row.k0Multiple != 0) continue;
    const Peak* peak = peakNamed(row.peak);
    if (peak && tw_isa_available(peak->isa, cpuData) &&
        (scope == PeakScope::kCpu || info(key.isa).implies(info(peak->isa))))
      result.push_back(peak);
  }
  return result;
}

PeakTimer::PeakTimer(const std::vector<const Peak*>& peaks, double sliceSeconds,
                     const IsaInfo* isa) {
  for (const Peak* peak : peaks)
    timed_.push_back({peak, slicedPeak(*peak, sliceSeconds), true});
  // Enough for rates that are right within a tenth.
  for (int i = 0; i < 5; ++i)
    for (Timed& timed : timed_) timed.sliced.slice();
  for (const IsaInfo* of : {static_cast<const IsaInfo*>(nullptr), isa}) {
    const std::optional<Rate> best = fastest(of);
    for (Timed& timed : timed_)
      if (best && (!of || of->implies(info(timed.peak->isa))) &&
          bestRate(*timed.peak, timed.sliced) >=
              0.75 * best->operationsPerSecond)
        timed.given_up = false;
  }
}

void PeakTimer::slice() {
  for (Timed& timed : timed_)
    if (!timed.given_up) timed.sliced.slice();
}

std::optional<PeakTimer::Rate> PeakTimer::fastest(const IsaInfo* isa) const {
  std::optional<Rate> best;
  for (const Timed& timed : timed_) {
    if (isa && !isa->implies(info(timed.peak->isa))) continue;
    const double rate = bestRate(*timed.peak, timed.sliced);
    if (!best || rate > best->operationsPerSecond) best = {timed.peak, rate};
  }
  return best;
}

Sliced slicedPeak(const Peak& peak, double sliceSeconds) {
  static const Operands operands;
  return Sliced([&peak](int64_t calls) { peak.run(calls, operands.words); },
                sliceSeconds);
}

}  // namespace tilewright::bench
