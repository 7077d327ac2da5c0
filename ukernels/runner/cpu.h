// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of a program is the CPU's own.

#ifndef UKERNELS_RUNNER_CPU_H_
#define UKERNELS_RUNNER_CPU_H_

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

// In a loop that waits for another thread.
static inline void tw_relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

// Asks the system for AMX, for this process; 0 if it does not permit it. See
// tw_cpu_permit_amx: the process is this program's, which may ask as no library
// may.
static inline int tw_ask_for_amx(void) {
#if defined(__x86_64__) && defined(__linux__)
  enum { kRequest = 0x1023, kTileData = 18 };
  return syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
#else
  return 0;
#endif
}

#endif  // UKERNELS_RUNNER_CPU_H_
