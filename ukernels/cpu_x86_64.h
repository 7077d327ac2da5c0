// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: what an x86-64 CPU says of itself, and what that means. The meaning
// is a function of whatever answers the two questions, and exists on every
// host.

#ifndef UKERNELS_CPU_X86_64_H_
#define UKERNELS_CPU_X86_64_H_

#include "tilewright/status.h"
#include "ukernels/cpu.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tw_cpuid_register_t {
  TW_CPUID_EAX,
  TW_CPUID_EBX,
  TW_CPUID_ECX,
  TW_CPUID_EDX,
  TW_CPUID_REGISTERS
} tw_cpuid_register_t;

typedef struct tw_x86_64_cpu_t {
  // The instruction cpuid. Asked only for leaves that the CPU says it has: for
  // others it answers with those of another leaf.
  void (*cpuid)(const void* self, uint32_t leaf, uint32_t subleaf,
                uint32_t registers[TW_CPUID_REGISTERS]);
  // XCR0, by the instruction xgetbv, which is one only where the operating
  // system has switched it on.
  uint64_t (*xcr0)(const void* self);
  // The components of XCR0 that the process may use, of those that the system
  // lets a process use when it asks. Asked only where XCR0 has some.
  uint64_t (*permitted)(const void* self);
  // Asks the system for component `number`: 0, the system's error, or -1 where
  // it is not known how to ask.
  long (*request)(const void* self, int number);
  const void* self;
} tw_x86_64_cpu_t;

// Sets the feature bits, the core and the caches. A feature is set when the CPU
// has it and the operating system saves the registers that it works on, for
// this process where it does so on request. `cpu_data` is zero before.
void tw_x86_64_set_features(const tw_x86_64_cpu_t* cpu, uint64_t* cpu_data);

// Asks for the permission to use AMX; OK also where the process has it. Else
// UNSUPPORTED, and *why_not is the reason, a part of a sentence. *error is the
// system's where it refused, else 0.
tw_status_t tw_x86_64_permit_amx(const tw_x86_64_cpu_t* cpu,
                                 const char** why_not, long* error);

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_CPU_X86_64_H_
