/* Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Calls two tiles by name, and a third one in the test's second build. */

#include "call.h"

TILE(tw_mmt4d_tile_f32f32f32_5x7x1_generic);
#ifdef __aarch64__
#define HAND_WRITTEN tw_mmt4d_tile_f32f32f32_8x8x1_arm_64_base
#define CAN_RUN 1
#else
#define HAND_WRITTEN tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx2_fma
#define CAN_RUN \
  (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#endif
TILE(HAND_WRITTEN);

int call_tiles(void) {
  int wrong = check_tile(tw_mmt4d_tile_f32f32f32_5x7x1_generic, 5, 7);
  if (CAN_RUN) wrong += check_tile(HAND_WRITTEN, 8, 8);
  return wrong;
}
