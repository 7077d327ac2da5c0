// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a compute unit (on gfx11 and gfx12 a workgroup processor) has, as AMD's
// ISA documents say.

#ifndef TILEWRIGHT_LIB_KERNELS_TARGETLIMITS_H
#define TILEWRIGHT_LIB_KERNELS_TARGETLIMITS_H

#include "tilewright/types.h"

namespace tilewright {

struct TargetLimits {
  tw_isa_t isa;
  int ldsBytes; ///< that a workgroup may have
  /// 32-bit vector registers of a lane: that one wave may have in all, that it
  /// may have for accumulators (with more, LLVM 22 copies them around in the
  /// loop), and that the waves of one SIMD share.
  int registersPerWave, accumulators, registersPerSimd;
  int simds;
  int ldsBytesPerCycle;
  int issueCycles; ///< that one instruction keeps a wave from its next
  /// Bytes of one lane's largest load straight into LDS; 0 if there is none.
  int directBytes;
};

const TargetLimits &targetLimits(tw_isa_t isa);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_KERNELS_TARGETLIMITS_H
