// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one configuration of AMX's tile registers that all tiles use.

#ifndef UKERNELS_X86_64_AMX_CONFIG_H_
#define UKERNELS_X86_64_AMX_CONFIG_H_

#include <immintrin.h>
#include <stdint.h>

enum {
  TW_AMX_ROWS = 16,
  TW_AMX_ROW_BYTES = 64,
  TW_AMX_BYTES = TW_AMX_ROWS * TW_AMX_ROW_BYTES,
  TW_AMX_GROUP_BYTES = 4,  // along K, of the variant `vnni`
};

// The operand of ldtilecfg: Intel SDM volume 1, 18.
typedef struct tw_amx_config_t {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
} tw_amx_config_t;

// Functions that are inlined where AMX may be used.
#define TW_AMX_INLINE \
  static inline __attribute__((always_inline, target("amx-tile")))

// 8 registers of 16 rows of 64 bytes, all zero.
TW_AMX_INLINE void tw_amx_configure(void) {
  tw_amx_config_t config = {.palette = 1};
  for (int i = 0; i < 8; ++i) {
    config.row_bytes[i] = TW_AMX_ROW_BYTES;
    config.rows[i] = TW_AMX_ROWS;
  }
  // gcc's intrinsic does not say that all of it is read.
  __asm__ volatile("" : "+m"(config));
  _tile_loadconfig(&config);
}

// Back to none, in which state threads are saved and restored sooner.
TW_AMX_INLINE void tw_amx_release(void) { _tile_release(); }

#endif  // UKERNELS_X86_64_AMX_CONFIG_H_
