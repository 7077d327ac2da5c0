// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops of instructions.def, and which of them a key is measured against.

#include "measure/peaks.h"

#include <algorithm>

#include "measure/slices.h"
#include "tilewright/tilewright.h"

#if defined(__x86_64__)

// clang-format off
// Six by six, products first: on Zen 4, additions interleaved one by one steal
// the multipliers' ports (vpmaddwd zmm: 175 Gop/s instead of 214). 24
// accumulators of zmm, 12 of ymm; with a product, which has registers 2 to 7, 8
// of ymm and xmm. That is at least latency x throughput of any x86-64 core so
// far, so that issue alone bounds the loop.
#define TW_24_STEPS \
  "step 8, 9, 10, 11, 12, 13; step 14, 15, 16, 17, 18, 19;" \
  "step 20, 21, 22, 23, 24, 25; step 26, 27, 28, 29, 30, 31\n"
#define TW_12_STEPS \
  "step 4, 5, 6, 7, 8, 9; step 10, 11, 12, 13, 14, 15;" \
  "step 4, 5, 6, 7, 8, 9; step 10, 11, 12, 13, 14, 15\n"
#define TW_8_STEPS \
  "step 8, 9, 10, 11, 12, 13; step 14, 15, 8, 9, 10, 11;" \
  "step 12, 13, 14, 15, 8, 9; step 10, 11, 12, 13, 14, 15\n"

// A row becomes a function (iterations in rdi, operands in rsi). An iteration
// does 48 steps, so that its own two instructions hardly count. They are
// assembly, not intrinsics, so that no compiler version can move what a
// percentage is a percentage of.
#define TW_LOOP(ENUM, product, accumulate, load, clear, steps, end)          \
  __asm__(                                                                   \
      ".macro zero r\n" clear "\n.endm\n"                                    \
      ".macro multiply t\n" product "\n.endm\n"                              \
      ".macro add t, r\n" accumulate "\n.endm\n"                             \
      ".macro step a, b, c, d, e, f\n"                                       \
      "zero \\a; zero \\b; zero \\c; zero \\d; zero \\e; zero \\f\n"         \
      ".endm\n"                                                              \
      ".text\n.p2align 6\n"                                                  \
      ".globl tw_bench_peak_" #ENUM "\n"                                     \
      ".type tw_bench_peak_" #ENUM ", @function\n"                           \
      "tw_bench_peak_" #ENUM ":\n"                                           \
      load steps                                                             \
      ".purgem step\n"                                                       \
      ".macro step a, b, c, d, e, f\n"                                       \
      "multiply 2; multiply 3; multiply 4;"                                  \
      "multiply 5; multiply 6; multiply 7;"                                  \
      "add 2, \\a; add 3, \\b; add 4, \\c; add 5, \\d; add 6, \\e; add 7, \\f\n" \
      ".endm\n"                                                              \
      ".p2align 6\n1:\n"                                                     \
      steps steps                                                            \
      "decq %rdi\njnz 1b\n"                                                  \
      end                                                                    \
      "ret\n"                                                                \
      ".size tw_bench_peak_" #ENUM ", .-tw_bench_peak_" #ENUM "\n"           \
      ".purgem zero\n.purgem multiply\n.purgem add\n.purgem step\n");        \
  extern "C" void tw_bench_peak_##ENUM(int64_t iterations, const void *operands);

#define TW_LOOP_XMM(ENUM, product, accumulate)                               \
  TW_LOOP(ENUM, product, accumulate,                                         \
          "movups (%rsi), %xmm0; movups 16(%rsi), %xmm1\n",                  \
          "pxor %xmm\\r, %xmm\\r", TW_8_STEPS, "")
#define TW_LOOP_YMM(ENUM, product, accumulate)                               \
  TW_LOOP(ENUM, product, accumulate,                                         \
          "vmovups (%rsi), %ymm0; vmovups 32(%rsi), %ymm1\n",                \
          "vpxor %ymm\\r, %ymm\\r, %ymm\\r",                                 \
          ".ifeqs \"" product "\", \"\"\n" TW_12_STEPS                       \
          ".else\n" TW_8_STEPS ".endif\n", "vzeroupper\n")
#define TW_LOOP_ZMM(ENUM, product, accumulate)                               \
  TW_LOOP(ENUM, product, accumulate,                                         \
          "vmovups (%rsi), %zmm0; vmovups 64(%rsi), %zmm1\n",                \
          "vpxord %zmm\\r, %zmm\\r, %zmm\\r", TW_24_STEPS, "vzeroupper\n")
// AMX: all 16 rows of an operand are the same 64 bytes. The bytes are ldtilecfg's
// palette 1, of 8 registers of 16 rows.
#define TW_6_STEPS_OF_TMM "step 0, 1, 2, 3, 4, 5\n"
#define TW_LOOP_TMM(ENUM, product, accumulate)                               \
  TW_LOOP(ENUM, product, accumulate,                                         \
          ".pushsection .rodata\n.p2align 6\n9:\n"                           \
          ".byte 1\n.zero 15\n.rept 8\n.short 64\n.endr\n.zero 16\n"        \
          ".rept 8\n.byte 16\n.endr\n.zero 8\n.popsection\n"               \
          "ldtilecfg 9b(%rip)\nxorl %eax, %eax\n"                            \
          "tileloadd (%rsi,%rax), %tmm6; tileloadd 64(%rsi,%rax), %tmm7\n",  \
          "tilezero %tmm\\r",                                                \
          TW_6_STEPS_OF_TMM TW_6_STEPS_OF_TMM                                \
          TW_6_STEPS_OF_TMM TW_6_STEPS_OF_TMM, "tilerelease\n")
#define TW_LOOP_NEON(ENUM, product, accumulate)
#define TW_LOOP_SVE(ENUM, product, accumulate)
#define TW_LOOP_SME(ENUM, product, accumulate)
#define TW_LOOP_RVV(ENUM, product, accumulate)
#define TW_INSTRUCTION(ENUM, mnemonic, ISA, FORM, OPERANDS, SHAPE, k, latency, \
                       DENORMALS, RATE, product, accumulate)                   \
  TW_LOOP_##FORM(ENUM, product, accumulate)
#include "tilewright/instructions.def"
// clang-format on

#endif  // __x86_64__

namespace tilewright::bench {
namespace {

constexpr int64_t kStepsPerIteration = 48;

// One multiplication and one addition for each product of a step.
int64_t operationsOf(const tw_instruction_row_t& row) {
  const int accumulatorBits = row.operands == TW_OPERANDS_F64         ? 64
                              : row.operands == TW_OPERANDS_F16_STEPS ? 16
                                                                      : 32;
  return 2 * row.k * (tw_form_row(row.form).bits / accumulatorBits);
}

// The classes of operands that those of `key` are in, or are exact in.
unsigned operandsOf(const TileKey& key) {
  const TypeTripleInfo& triple = info(key.types);
  unsigned operands =
      tw_operands_of(triple.lhs, triple.rhs, triple.accumulator);
  // Products of floats of at most 8 bits are exact in f32 and they themselves
  // in bf16, without denormals.
  if (operands == TW_OPERANDS_F32 &&
      std::max(info(triple.lhs).bits, info(triple.rhs).bits) <= 8)
    operands |= TW_OPERANDS_BF16;
  // f16 is converted, so its peak is f32's; but a K step of one product that
  // rounds its sum to f16 is a multiply-add of f16.
  if (key.types == TW_TYPES_F16F16F16 && key.k0 == 1 &&
      key.rounding == Rounding::kPerStep)
    operands |= TW_OPERANDS_F16_STEPS;
  return operands;
}

// Whether an instruction with `row` computes the types of `key` exactly,
// without mixing K steps. Integers of at most 16 bits are measured against
// pairs at least, of which an odd K0 leaves halves empty.
bool fits(const tw_instruction_row_t& row, const TileKey& key) {
  const unsigned operands = operandsOf(key);
  if (!(row.operands & operands)) return false;
  if (operands & TW_OPERANDS_WORDS && row.k <= 2) return row.k == 2;
  return key.k0 % row.k == 0;
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
  static const std::vector<Peak> table = [] {
    struct Loop {
      tw_instruction_t instruction;
      void (*run)(int64_t iterations, const void* operands);
    };
    const std::vector<Loop> loops = {
#if defined(__x86_64__)
#undef TW_LOOP
#define TW_LOOP(ENUM, ...) {TW_INSTRUCTION_##ENUM, tw_bench_peak_##ENUM},
#define TW_INSTRUCTION(ENUM, mnemonic, ISA, FORM, OPERANDS, SHAPE, k, latency, \
                       DENORMALS, RATE, product, accumulate)                   \
  TW_LOOP_##FORM(ENUM, product, accumulate)
#include "tilewright/instructions.def"
#endif
    };
    std::vector<Peak> all;
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
      const tw_instruction_row_t& row = *tw_instruction_row(loop->instruction);
      all.push_back({row.mnemonic, row.isa,
                     kStepsPerIteration * operationsOf(row), loop->run,
                     loop->instruction});
    }
    return all;
  }();
  return table;
}

std::vector<const Peak*> peaksOf(const TileKey& key, PeakScope scope,
                                 const uint64_t* cpuData) {
  uint64_t detected[TW_CPU_DATA_WORDS];
  if (!cpuData) {
    tw_cpu_detect(detected);
    cpuData = detected;
  }
  std::vector<const Peak*> result;
  for (const Peak& peak : peaks())
    if (fits(*tw_instruction_row(peak.instruction), key) &&
        tw_isa_available(peak.isa, cpuData) &&
        (scope == PeakScope::kCpu || info(key.isa).implies(info(peak.isa))))
      result.push_back(&peak);
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
