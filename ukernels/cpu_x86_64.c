// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CPU features on x86-64: cpuid and xgetbv tell everything, on every operating
// system alike.

#include "ukernels/cpu.h"

#if defined(__x86_64__) || defined(_M_X64)

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

typedef struct tw_cpuid_t {
  uint32_t eax, ebx, ecx, edx;
} tw_cpuid_t;

static tw_cpuid_t tw_cpuid(uint32_t leaf, uint32_t subleaf) {
  tw_cpuid_t r;
#if defined(_MSC_VER) && !defined(__clang__)
  int regs[4];
  __cpuidex(regs, (int)leaf, (int)subleaf);
  r.eax = (uint32_t)regs[0];
  r.ebx = (uint32_t)regs[1];
  r.ecx = (uint32_t)regs[2];
  r.edx = (uint32_t)regs[3];
#else
  __asm__ volatile("cpuid"
                   : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
                   : "a"(leaf), "c"(subleaf));
#endif
  return r;
}

// XCR0: which register states the operating system saves.
static uint64_t tw_xgetbv0(void) {
#if defined(_MSC_VER) && !defined(__clang__)
  return _xgetbv(0);
#else
  uint32_t lo, hi;
  __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
  return ((uint64_t)hi << 32) | lo;
#endif
}

// XCR0 bits: 1 xmm, 2 upper ymm, 5 opmask, 6 upper zmm0-15, 7 zmm16-31.
#define TW_XCR0_YMM 0x06u
#define TW_XCR0_ZMM 0xE6u

#define TW_SET_IF(reg, bit, FEATURE)                    \
  if ((reg) >> (bit) & 1)                               \
  cpu_data[TW_CPU_WORD_X86_64_##FEATURE] |= (uint64_t)1 \
                                            << TW_CPU_BIT_X86_64_##FEATURE

// Register and bit numbers: Intel SDM volume 2A, CPUID; AMD APM volume 3,
// appendix E. On macOS XCR0 has the zmm bits only after the first AVX-512
// instruction of a thread, so AVX-512 may go unreported there; that is safe.
void tw_cpu_detect_x86_64(uint64_t* cpu_data) {
  const uint32_t max_leaf = tw_cpuid(0, 0).eax;
  if (max_leaf < 1) return;
  const tw_cpuid_t leaf1 = tw_cpuid(1, 0);
  TW_SET_IF(leaf1.ecx, 0, SSE3);
  TW_SET_IF(leaf1.ecx, 9, SSSE3);
  TW_SET_IF(leaf1.ecx, 19, SSE41);
  TW_SET_IF(leaf1.ecx, 20, SSE42);

  const int has_osxsave = leaf1.ecx >> 27 & 1;
  const uint64_t xcr0 = has_osxsave ? tw_xgetbv0() : 0;
  if ((xcr0 & TW_XCR0_YMM) != TW_XCR0_YMM) return;
  TW_SET_IF(leaf1.ecx, 28, AVX);
  TW_SET_IF(leaf1.ecx, 12, FMA);
  TW_SET_IF(leaf1.ecx, 29, F16C);

  if (max_leaf < 7) return;
  const tw_cpuid_t leaf7 = tw_cpuid(7, 0);
  tw_cpuid_t leaf7_1 = {0, 0, 0, 0};
  if (leaf7.eax >= 1) leaf7_1 = tw_cpuid(7, 1);
  TW_SET_IF(leaf7.ebx, 5, AVX2);
  TW_SET_IF(leaf7_1.eax, 4, AVXVNNI);
  TW_SET_IF(leaf7_1.edx, 4, AVXVNNIINT8);

  if ((xcr0 & TW_XCR0_ZMM) != TW_XCR0_ZMM) return;
  TW_SET_IF(leaf7.ebx, 16, AVX512F);
  TW_SET_IF(leaf7.ebx, 17, AVX512DQ);
  TW_SET_IF(leaf7.ebx, 28, AVX512CD);
  TW_SET_IF(leaf7.ebx, 30, AVX512BW);
  TW_SET_IF(leaf7.ebx, 31, AVX512VL);
  TW_SET_IF(leaf7.ecx, 11, AVX512VNNI);
  TW_SET_IF(leaf7.edx, 23, AVX512FP16);
  TW_SET_IF(leaf7_1.eax, 5, AVX512BF16);
}

#endif  // x86-64
