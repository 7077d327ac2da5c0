// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the CPU has, and what of that an ISA needs.

#include "ukernels/cpu.h"

#include <stdatomic.h>

#include "tilewright/tilewright.h"
#include "ukernels/name.h"

// Whether code of each runs here.
#define TW_CPU_X86_64 0
#define TW_CPU_ARM_64 0
#define TW_CPU_AMDGPU 0
#define TW_CPU_RISCV_64 0
#define TW_CPU_GENERIC 1
#if defined(__x86_64__) || defined(_M_X64)
#undef TW_CPU_X86_64
#define TW_CPU_X86_64 1
#elif defined(__aarch64__) || defined(_M_ARM64)
#undef TW_CPU_ARM_64
#define TW_CPU_ARM_64 1
#elif defined(__riscv) && __riscv_xlen == 64
#undef TW_CPU_RISCV_64
#define TW_CPU_RISCV_64 1
#endif

void tw_cpu_detect(uint64_t* cpu_data) {
  if (!cpu_data) return;
  for (int i = 0; i < TW_CPU_DATA_WORDS; ++i) cpu_data[i] = 0;
#if TW_CPU_X86_64
  tw_cpu_detect_x86_64(cpu_data);
#elif TW_CPU_ARM_64
  tw_cpu_detect_arm_64(cpu_data);
#elif TW_CPU_RISCV_64
  tw_cpu_detect_riscv_64(cpu_data);
#endif
}

// What tw_cpu_permit_amx has added to word 0. Bits are only ever set, so no
// thread that remembers what it found before takes them away again.
static _Atomic(uint64_t) permitted;

#define TW_AMX_MASK                                                    \
  (TW_CPU_MASK(X86_64, AMXTILE, 0) | TW_CPU_MASK(X86_64, AMXINT8, 0) | \
   TW_CPU_MASK(X86_64, AMXBF16, 0))

tw_status_t tw_cpu_permit_amx(char* text, size_t size) {
  const char* why_not = "the CPU is not of x86-64";
  long error = 0;
  tw_status_t status = TW_STATUS_UNSUPPORTED;
#if TW_CPU_X86_64
  status = tw_cpu_permit_amx_x86_64(&why_not, &error);
#endif
  if (status == TW_STATUS_OK) {
    uint64_t cpu_data[TW_CPU_DATA_WORDS];
    tw_cpu_detect(cpu_data);
    atomic_fetch_or_explicit(&permitted, cpu_data[0] & TW_AMX_MASK,
                             memory_order_relaxed);
  }
  if (!text || size == 0) return status;
  tw_text_t t = tw_text_begin(text, size);
  if (status == TW_STATUS_OK) {
    tw_text_add(&t, "This process may use AMX.");
    return status;
  }
  tw_text_add(&t, "This process may not use AMX: ");
  tw_text_add(&t, why_not);
  if (error > 0) {
    tw_text_add(&t, " (error ");
    tw_text_add_number(&t, error);
    tw_text_add(&t, ")");
  }
  tw_text_add(&t, ".");
  return status;
}

static void tw_recall_cpu_data(uint64_t* cpu_data) {
  // Threads that race here store the same values, so no lock is needed.
  static _Atomic(uint64_t) known[TW_CPU_DATA_WORDS];
  static _Atomic(int) is_known;
  if (!atomic_load_explicit(&is_known, memory_order_acquire)) {
    tw_cpu_detect(cpu_data);
    for (int i = 0; i < TW_CPU_DATA_WORDS; ++i)
      atomic_store_explicit(&known[i], cpu_data[i], memory_order_relaxed);
    atomic_store_explicit(&is_known, 1, memory_order_release);
    return;
  }
  for (int i = 0; i < TW_CPU_DATA_WORDS; ++i)
    cpu_data[i] = atomic_load_explicit(&known[i], memory_order_relaxed);
}

void tw_cpu_data_of_this_cpu(uint64_t* cpu_data) {
  tw_recall_cpu_data(cpu_data);
  cpu_data[0] |= atomic_load_explicit(&permitted, memory_order_relaxed);
}

// What the ISAs need, one table per word of features.
#define TW_ISA(ARCH, arch_isa, ENUM, vector_bits, vector_registers, scaling, \
               features)                                                     \
  0 features,
static const uint64_t kFeatures0[] = {
#define TW_ISA_FEATURE(ARCH, FEATURE) | TW_CPU_MASK(ARCH, FEATURE, 0)
#include "tilewright/isas.def"
#undef TW_ISA_FEATURE
};
#define TW_ISA(ARCH, arch_isa, ENUM, vector_bits, vector_registers, scaling, \
               features)                                                     \
  0 features,
static const uint64_t kFeatures1[] = {
#define TW_ISA_FEATURE(ARCH, FEATURE) | TW_CPU_MASK(ARCH, FEATURE, 1)
#include "tilewright/isas.def"
#undef TW_ISA_FEATURE
};
#define TW_CPU_FEATURE(ARCH, word, bit, ENUM, llvm_name) \
  _Static_assert(word <= 1, "words of features are 0 and 1");
#include "tilewright/cpu_features.def"

uint64_t tw_isa_features(tw_isa_t isa, int w) {
  if ((unsigned)isa >= TW_ISA_COUNT) return 0;
  return w == 0 ? kFeatures0[isa] : w == 1 ? kFeatures1[isa] : 0;
}

tw_scaling_t tw_isa_scaling(tw_isa_t isa) {
  switch (isa) {
#define TW_ISA(ARCH, arch_isa, ENUM, vector_bits, vector_registers, scaling, \
               features)                                                     \
  case TW_ISA_##ENUM:                                                        \
    return TW_SCALING_##scaling;
#include "tilewright/isas.def"
    case TW_ISA_COUNT:
      break;
  }
  return TW_SCALING_NONE;
}

tw_arch_t tw_isa_arch(tw_isa_t isa) {
  switch (isa) {
#define TW_ISA(ARCH, arch_isa, ENUM, vector_bits, vector_registers, scaling, \
               features)                                                     \
  case TW_ISA_##ENUM:                                                        \
    return TW_ARCH_##ARCH;
#include "tilewright/isas.def"
    case TW_ISA_COUNT:
      break;
  }
  return TW_ARCH_GENERIC;
}

// Whether `isa` is of the architecture that this library is compiled for, whose
// features cpu_data holds.
static int tw_isa_is_ours(tw_isa_t isa) {
  static const unsigned char ours[] = {
#define TW_ARCHITECTURE(ARCH, arch, kind, LLVMTarget, llvm_arch, triple, \
                        march, max_k0, processors)                       \
  TW_CPU_##ARCH,
#include "tilewright/architectures.def"
  };
  return (unsigned)isa < TW_ISA_COUNT && ours[tw_isa_arch(isa)];
}

int tw_isa_has_features(tw_isa_t isa, const uint64_t* cpu_data) {
  return !(tw_isa_features(isa, 0) & ~cpu_data[0]) &&
         !(tw_isa_features(isa, 1) & ~cpu_data[1]);
}

int tw_isa_available(tw_isa_t isa, const uint64_t* cpu_data) {
  return cpu_data && tw_isa_is_ours(isa) && tw_isa_has_features(isa, cpu_data);
}

const char* tw_isa_name(tw_isa_t isa) {
  switch (isa) {
#define TW_ISA(ARCH, arch_isa, ENUM, vector_bits, vector_registers, scaling, \
               features)                                                     \
  case TW_ISA_##ENUM:                                                        \
    return #arch_isa;
#include "tilewright/isas.def"
    case TW_ISA_COUNT:
      break;
  }
  return 0;
}
