// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops of loads.def.

#include "measure/loads.h"

#include <algorithm>

#include "tilewright/tilewright.h"

#if defined(__x86_64__)

#define TW_END_512 "vzeroupper\n"
#define TW_END_256 "vzeroupper\n"
#define TW_END_128 ""

// A row becomes a function (iterations in rdi, bytes in rsi).
#define TW_LOAD(name, ISA, KIND, vector_bits, step, instruction)    \
  __asm__(                                                          \
      ".text\n.p2align 6\n"                                         \
      ".globl tw_bench_" #name                                      \
      "\n"                                                          \
      ".type tw_bench_" #name                                       \
      ", @function\n"                                               \
      "tw_bench_" #name                                             \
      ":\n"                                                         \
      ".p2align 6\n1:\n"                                            \
      ".set at, 0\n.rept 48\n" instruction "\n.set at, at + " #step \
      "\n.endr\n"                                                   \
      "decq %rdi\njnz 1b\n" TW_END_##vector_bits                    \
      "ret\n"                                                       \
      ".size tw_bench_" #name ", .-tw_bench_" #name "\n");          \
  extern "C" void tw_bench_##name(int64_t iterations, const void* operands);
#include "measure/loads.def"

#endif  // __x86_64__

namespace tilewright::bench {
namespace {

enum class Kind { VECTOR, BROADCAST };

struct Load {
  tw_isa_t isa;
  Kind kind;
  int vectorBits;
  void (*run)(int64_t iterations, const void* operands);
};

constexpr int64_t kLoadsPerIteration = 48;

// Of `kind`, in vectors as `isa` has them; null if there is none.
const Load* loadOf(const IsaInfo& isa, Kind kind) {
  static const std::vector<Load> table = {
#if defined(__x86_64__)
#define TW_LOAD(name, ISA, KIND, vector_bits, step, instruction) \
  {TW_ISA_##ISA, Kind::KIND, vector_bits, tw_bench_##name},
#include "measure/loads.def"
#endif
  };
  for (const Load& load : table)
    if (load.kind == kind && load.vectorBits == isa.vectorBits &&
        isa.implies(info(load.isa)))
      return &load;
  return nullptr;
}

std::optional<Sliced> timerOf(const IsaInfo& isa, Kind kind, double slice) {
  alignas(64) static const unsigned char operands[kLoadsPerIteration * 64] = {};
  const Load* load = loadOf(isa, kind);
  if (!load) return std::nullopt;
  return Sliced([load](int64_t calls) { load->run(calls, operands); }, slice);
}

int64_t divideUp(int64_t x, int64_t by) { return (x + by - 1) / by; }

}  // namespace

StepLoads stepLoadsOf(const TileKey& key) {
  const TypeTripleInfo& types = info(key.types);
  const int64_t vector = info(key.isa).vectorBits;
  const int64_t group = info(types.accumulator).bits;
  return {divideUp(int64_t(key.n0) * key.k0 * info(types.rhs).bits, vector),
          int64_t(key.m0) * divideUp(key.k0 * info(types.lhs).bits, group)};
}

LoadTimer::LoadTimer(const TileKey& key, double sliceSeconds)
    : loads_(stepLoadsOf(key)),
      vectors_(timerOf(info(key.isa), Kind::VECTOR, sliceSeconds)),
      broadcasts_(timerOf(info(key.isa), Kind::BROADCAST, sliceSeconds)) {}

void LoadTimer::slice() {
  if (vectors_) vectors_->slice();
  if (broadcasts_) broadcasts_->slice();
}

std::optional<double> LoadTimer::secondsPerStep() const {
  if (!vectors_ || !broadcasts_) return std::nullopt;
  return (double(loads_.vectors) * vectors_->best() +
          double(loads_.broadcasts) * broadcasts_->best()) /
         double(kLoadsPerIteration);
}

}  // namespace tilewright::bench
