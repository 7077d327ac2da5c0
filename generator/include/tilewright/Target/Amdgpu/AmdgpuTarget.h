// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// amdgpu_targets.def as data: what an AMD GPU has.

#ifndef TILEWRIGHT_TARGET_AMDGPU_AMDGPUTARGET_H
#define TILEWRIGHT_TARGET_AMDGPU_AMDGPUTARGET_H

#include "tilewright/key.h"
#include "llvm/ADT/ArrayRef.h"

namespace tilewright {

/// The table's head says what each is.
struct AmdgpuTarget {
  tw_isa_t isa;
  int ldsBytes, processorLdsBytes, ldsBytesPerCycle, directBytes;
  int registersPerWave, accumulators, registersPerSimd, registerGranule;
  int wavesPerSimd, simds, issueCycles;
  bool flushesHalfDenormals;
};

llvm::ArrayRef<AmdgpuTarget> amdgpuTargets();

/// `isa` must be of amdgpu.
const AmdgpuTarget &amdgpuTarget(tw_isa_t isa);

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_AMDGPU_AMDGPUTARGET_H
