// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ukernels/zip_groups.h"

#include "ukernels/cpu.h"

tw_zip_groups_fn_t tw_zip_groups_for(const uint64_t* cpu_data) {
  uint64_t here[TW_CPU_DATA_WORDS];
  tw_cpu_data_of_this_cpu(here);
#define TW_LEVELS_OF_THIS_CPU
#define TW_ZIP_GROUPS_LEVEL(arch_isa, ENUM)        \
  if (tw_isa_available(TW_ISA_##ENUM, cpu_data) && \
      tw_isa_available(TW_ISA_##ENUM, here))       \
    return tw_zip_groups_##arch_isa;
#include "ukernels/matmul_levels.def"
  (void)cpu_data;
  return 0;
}
