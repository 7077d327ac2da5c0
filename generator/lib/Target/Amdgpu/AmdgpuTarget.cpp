// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Target/Amdgpu/AmdgpuTarget.h"

#include "llvm/Support/ErrorHandling.h"

namespace tilewright {

llvm::ArrayRef<AmdgpuTarget> amdgpuTargets() {
  static const AmdgpuTarget table[] = {
#define TW_AMDGPU_TARGET(TARGET, lds, processor_lds, lds_rate, direct_load,    \
                         wave_registers, accumulators, simd_registers,         \
                         granule, simd_waves, simds, issue, flushes_half)      \
  {TW_ISA_AMDGPU_##TARGET,                                                     \
   lds,                                                                        \
   processor_lds,                                                              \
   lds_rate,                                                                   \
   direct_load,                                                                \
   wave_registers,                                                             \
   accumulators,                                                               \
   simd_registers,                                                             \
   granule,                                                                    \
   simd_waves,                                                                 \
   simds,                                                                      \
   issue,                                                                      \
   flushes_half != 0},
#include "tilewright/Target/Amdgpu/amdgpu_targets.def"
  };
  return table;
}

const AmdgpuTarget &amdgpuTarget(tw_isa_t isa) {
  for (const AmdgpuTarget &target : amdgpuTargets())
    if (target.isa == isa)
      return target;
  llvm_unreachable("not an ISA of amdgpu");
}

} // namespace tilewright
