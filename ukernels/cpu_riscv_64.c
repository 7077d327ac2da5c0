// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a RISC-V CPU has: riscv_hwprobe of Linux, from 6.4 on. Older ones know
// of V alone, by AT_HWCAP; other systems are not asked.

#if defined(__riscv) && __riscv_xlen == 64 && defined(__linux__)
#define _DEFAULT_SOURCE
#include <sys/auxv.h>
#include <unistd.h>
#endif

#include "ukernels/cpu_riscv_64.h"

// The kernel's numbers, which no C library of today has.
#define TW_HWPROBE_V (UINT64_C(1) << 2)
#define TW_HWPROBE_ZFH (UINT64_C(1) << 27)
#define TW_HWPROBE_ZFHMIN (UINT64_C(1) << 28)
#define TW_HWPROBE_ZVFH (UINT64_C(1) << 30)
#define TW_HWPROBE_ZVFHMIN (UINT64_C(1) << 31)
#define TW_HWPROBE_ZVFBFMIN (UINT64_C(1) << 53)
#define TW_HWPROBE_ZVFBFWMA (UINT64_C(1) << 54)
#define TW_HWCAP_V (UINT64_C(1) << ('V' - 'A'))

// Of all cores that there are: what one of them lacks is not among them.
static uint64_t tw_extensions(const tw_riscv_64_answers_t* answers) {
  if (answers->has_hwprobe && answers->extensions.key == TW_HWPROBE_EXTENSIONS)
    return answers->extensions.value;
  return answers->hwcap & TW_HWCAP_V ? TW_HWPROBE_V : 0;
}

int tw_riscv_64_has_vectors(const tw_riscv_64_answers_t* answers) {
  return (tw_extensions(answers) & TW_HWPROBE_V) != 0;
}

void tw_riscv_64_set_features(const tw_riscv_64_answers_t* answers,
                              uint64_t vector_bytes, uint64_t* cpu_data) {
  uint64_t has = tw_extensions(answers);
  if (!(has & TW_HWPROBE_V)) return;
  // What contains another need not be listed beside it.
  if (has & TW_HWPROBE_ZVFH) has |= TW_HWPROBE_ZVFHMIN | TW_HWPROBE_ZFHMIN;
  if (has & TW_HWPROBE_ZFH) has |= TW_HWPROBE_ZFHMIN;
  // Zvfbfwma's bit says that it is there, Zvfbfmin's that it can be used.
  const uint64_t bf16 = TW_HWPROBE_ZVFBFMIN | TW_HWPROBE_ZVFBFWMA;
#define TW_SET_IF(condition, FEATURE) \
  if (condition) cpu_data[w] |= TW_CPU_MASK(RISCV_64, FEATURE, w)
  for (int w = 0; w < 2; ++w) {
    TW_SET_IF(1, V);
    TW_SET_IF(has & TW_HWPROBE_ZFHMIN, ZFHMIN);
    TW_SET_IF(has & TW_HWPROBE_ZVFHMIN, ZVFHMIN);
    TW_SET_IF(has & TW_HWPROBE_ZVFH, ZVFH);
    TW_SET_IF((has & bf16) == bf16, ZVFBFWMA);
    TW_SET_IF(vector_bytes >= 256 / 8, ZVL256B);
    TW_SET_IF(vector_bytes >= 512 / 8, ZVL512B);
  }
#undef TW_SET_IF
}

#if defined(__riscv) && __riscv_xlen == 64
void tw_cpu_detect_riscv_64(uint64_t* cpu_data) {
#if defined(__linux__)
  enum { kHwprobe = 258 };  // the system call
  tw_riscv_64_answers_t answers = {0, {TW_HWPROBE_EXTENSIONS, 0}, 0};
  answers.has_hwprobe = syscall(kHwprobe, &answers.extensions, 1, 0, 0, 0) == 0;
  answers.hwcap = getauxval(AT_HWCAP);
  if (!tw_riscv_64_has_vectors(&answers)) return;
  uint64_t vector_bytes;
  // vlenb by its number: assemblers know the name with V alone.
  __asm__("csrr %0, 0xc22" : "=r"(vector_bytes));
  tw_riscv_64_set_features(&answers, vector_bytes, cpu_data);
#else
  (void)cpu_data;
#endif
}
#endif  // riscv_64
