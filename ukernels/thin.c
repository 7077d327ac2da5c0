// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which thin matmul runs.

#include "ukernels/thin.h"

#include "tilewright/tilewright.h"
#include "ukernels/cpu.h"
#include "ukernels/element.h"
#include "ukernels/thin_functions.h"

static const tw_thin_variant_t kVariants[] = {
#define TW_LEVELS_OF_THIS_CPU
#define TW_THIN_LEVEL(arch_isa, ENUM) {TW_ISA_##ENUM, tw_thin_##arch_isa},
#include "ukernels/matmul_levels.def"
    {TW_ISA_GENERIC, tw_thin_generic},
};

const tw_thin_variant_t* tw_thin_variants(size_t* count) {
  *count = sizeof kVariants / sizeof kVariants[0];
  return kVariants;
}

int tw_thin_supports(unsigned types) {
  tw_triple_t triple;
  return tw_triple_of(types, &triple) && tw_element_bits(triple.lhs) != 6 &&
         tw_element_bits(triple.rhs) != 6;
}

tw_thin_fn_t tw_thin_find(const uint64_t* cpu_data) {
  uint64_t this_cpu[TW_CPU_DATA_WORDS];
  if (!cpu_data) {
    tw_cpu_data_of_this_cpu(this_cpu);
    cpu_data = this_cpu;
  }
  const tw_thin_variant_t* variant = kVariants;
  while (variant->isa != TW_ISA_GENERIC &&
         !tw_isa_available(variant->isa, cpu_data))
    ++variant;
  return variant->fn;
}
