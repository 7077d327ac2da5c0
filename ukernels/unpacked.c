// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which unpacked matmul runs.

#include "ukernels/unpacked.h"

#include "tilewright/tilewright.h"

// The last row ends the table.
static const tw_unpacked_variant_t kVariants[] = {
#define TW_LEVELS_OF_THIS_CPU
#define TW_UNPACKED_LEVEL(arch_isa, ENUM, tile_bytes) \
  {TW_ISA_##ENUM, tw_unpacked_##arch_isa, tile_bytes},
#include "ukernels/matmul_levels.def"
    {TW_ISA_GENERIC, 0, 0},
};

const tw_unpacked_variant_t* tw_unpacked_variants(size_t* count) {
  *count = sizeof kVariants / sizeof kVariants[0] - 1;
  return kVariants;
}

const tw_unpacked_variant_t* tw_unpacked_find(const uint64_t* cpu_data) {
  const tw_unpacked_variant_t* variant = kVariants;
  while (variant->fn && !tw_isa_available(variant->isa, cpu_data)) ++variant;
  return variant->fn ? variant : 0;
}
