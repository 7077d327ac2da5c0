// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/x86_64/amx_permission.h"

#include <stdint.h>

#if defined(__linux__)

// As ukernels/cpu_x86_64.c has it, which a model does not come with: component
// 18 is the tile registers.
enum {
  TW_SYS_ARCH_PRCTL = 158,
  TW_ARCH_GET_XCOMP_PERM = 0x1022,
  TW_TILE_DATA = 18
};

static int tw_ask(void) {
  uint64_t components = 0;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "0"((long)TW_SYS_ARCH_PRCTL),
                     "D"((long)TW_ARCH_GET_XCOMP_PERM), "S"(&components)
                   : "rcx", "r11", "memory");
  return result == 0 && components >> TW_TILE_DATA & 1;
}

#else

// How others are asked is not known here.
static int tw_ask(void) { return 0; }

#endif

int TW_MAY_USE_AMX(void) {
  // It cannot be taken back: calls ask until it is there.
  static int may;
  if (__atomic_load_n(&may, __ATOMIC_RELAXED)) return 1;
  if (!tw_ask()) return 0;
  __atomic_store_n(&may, 1, __ATOMIC_RELAXED);
  return 1;
}
