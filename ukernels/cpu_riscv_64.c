// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a RISC-V CPU has: riscv_hwprobe of Linux, from 6.4 on. Older ones know
// of V alone, by AT_HWCAP; other systems are not asked.

#if defined(__riscv) && __riscv_xlen == 64
#if defined(__linux__)
#define _DEFAULT_SOURCE
#include <sys/auxv.h>
#include <unistd.h>
#endif

#include "ukernels/cpu.h"

#if defined(__linux__)

// The kernel's numbers, which no C library of today has.
enum { TW_SYSCALL_HWPROBE = 258, TW_HWPROBE_IMA_EXT_0 = 4 };
#define TW_HWPROBE_V (UINT64_C(1) << 2)
#define TW_HWPROBE_ZVFH (UINT64_C(1) << 30)
#define TW_HWPROBE_ZVFBFMIN (UINT64_C(1) << 53)
#define TW_HWPROBE_ZVFBFWMA (UINT64_C(1) << 54)
#define TW_HWCAP_V (1ul << ('V' - 'A'))

typedef struct tw_hwprobe_t {
  int64_t key;  // -1 where the kernel does not know it
  uint64_t value;
} tw_hwprobe_t;

// Of all cores that there are: what one of them lacks is not among them.
static uint64_t tw_extensions(void) {
  tw_hwprobe_t probe = {TW_HWPROBE_IMA_EXT_0, 0};
  const long failed = syscall(TW_SYSCALL_HWPROBE, &probe, 1, 0, 0, 0);
  if (failed == 0 && probe.key == TW_HWPROBE_IMA_EXT_0) return probe.value;
  return getauxval(AT_HWCAP) & TW_HWCAP_V ? TW_HWPROBE_V : 0;
}

void tw_cpu_detect_riscv_64(uint64_t* cpu_data) {
  const uint64_t has = tw_extensions();
  // Zvfbfwma's bit says that it is there, Zvfbfmin's that it can be used.
  const uint64_t bf16 = TW_HWPROBE_ZVFBFMIN | TW_HWPROBE_ZVFBFWMA;
  if (!(has & TW_HWPROBE_V)) return;
  for (int w = 0; w < 2; ++w) {
    cpu_data[w] |= TW_CPU_MASK(RISCV_64, V, w);
    if (has & TW_HWPROBE_ZVFH) cpu_data[w] |= TW_CPU_MASK(RISCV_64, ZVFH, w);
    if ((has & bf16) == bf16) cpu_data[w] |= TW_CPU_MASK(RISCV_64, ZVFBFWMA, w);
  }
}

#else

void tw_cpu_detect_riscv_64(uint64_t* cpu_data) { (void)cpu_data; }

#endif  // __linux__

#else

typedef int tw_cpu_riscv_64_is_not_empty;

#endif  // __riscv
