// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: what the answers of a RISC-V system say of its CPU. On every host:
// tests make answers up.

#ifndef UKERNELS_CPU_RISCV_64_H_
#define UKERNELS_CPU_RISCV_64_H_

#include "ukernels/cpu.h"

#ifdef __cplusplus
extern "C" {
#endif

// A pair of Linux's riscv_hwprobe: `key` is -1 where the kernel does not know
// it.
typedef struct tw_hwprobe_t {
  int64_t key;
  uint64_t value;
} tw_hwprobe_t;

// RISCV_HWPROBE_KEY_IMA_EXT_0.
#define TW_HWPROBE_EXTENSIONS 4

typedef struct tw_riscv_64_answers_t {
  int has_hwprobe;  // whether the system call is there, from Linux 6.4 on
  tw_hwprobe_t extensions;
  uint64_t hwcap;  // AT_HWCAP, which older kernels say V by
} tw_riscv_64_answers_t;

// Whether programs may use vectors, and may ask how long they are.
int tw_riscv_64_has_vectors(const tw_riscv_64_answers_t* answers);

// Sets the bits of words that are zero. `vector_bytes` is what vlenb holds; of
// no meaning without vectors.
void tw_riscv_64_set_features(const tw_riscv_64_answers_t* answers,
                              uint64_t vector_bytes, uint64_t* cpu_data);

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_CPU_RISCV_64_H_
