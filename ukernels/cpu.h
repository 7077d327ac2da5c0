// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: the features of the CPU that the process runs on.

#ifndef UKERNELS_CPU_H_
#define UKERNELS_CPU_H_

#include <stdint.h>

#include "tilewright/status.h"
#include "tilewright/types.h"

// Whether the CPUs that this is compiled for have vectors of 16 bytes.
#if defined(__SSE2__) || defined(__ARM_NEON) || defined(__riscv_vector)
#define TW_CPU_HAS_VECTORS 1
#else
#define TW_CPU_HAS_VECTORS 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

// What tw_cpu_detect finds, remembered after the first call: cpuid traps under
// virtual machines and costs microseconds there. AMX is added by
// tw_cpu_permit_amx, whenever that is called. Fills TW_CPU_DATA_WORDS words.
void tw_cpu_data_of_this_cpu(uint64_t* cpu_data);

// The architectures' parts of tw_cpu_detect, each defined where it is the one
// compiled for. They set bits of words that are zero.
void tw_cpu_detect_x86_64(uint64_t* cpu_data);
void tw_cpu_detect_arm_64(uint64_t* cpu_data);
void tw_cpu_detect_riscv_64(uint64_t* cpu_data);

// tw_x86_64_permit_amx of the CPU that this runs on; defined for x86-64.
tw_status_t tw_cpu_permit_amx_x86_64(const char** why_not, long* error);

typedef enum tw_arch_t {
#define TW_ARCHITECTURE(ARCH, arch, kind, LLVMTarget, llvm_arch, triple, \
                        march, max_k0, processors)                       \
  TW_ARCH_##ARCH,
#include "tilewright/architectures.def"
  TW_ARCH_COUNT
} tw_arch_t;

// Architectures' features share bits of cpu_data: which one they are of.
tw_arch_t tw_isa_arch(tw_isa_t isa);

// The features of `isa` within word `w` of cpu_data.
uint64_t tw_isa_features(tw_isa_t isa, int w);

// Which vector length scalable sizes of `isa` count.
tw_scaling_t tw_isa_scaling(tw_isa_t isa);

// Whether `cpu_data`, of a CPU of the architecture of `isa`, has every feature
// of `isa`. tw_isa_available asks the same of a CPU that can run this library.
int tw_isa_has_features(tw_isa_t isa, const uint64_t* cpu_data);

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_CPU_H_
