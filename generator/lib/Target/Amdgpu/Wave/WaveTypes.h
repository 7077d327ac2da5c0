// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which element types a wave computes with.

#ifndef TILEWRIGHT_LIB_TARGET_AMDGPU_WAVE_WAVETYPES_H
#define TILEWRIGHT_LIB_TARGET_AMDGPU_WAVE_WAVETYPES_H

#include "tilewright/Target/Amdgpu/WavePlan.h"
#include <optional>

namespace tilewright {

/// The type in registers of an operand of `type`, whose fellow is of `other`,
/// into which it converts exactly; none if the idiom cannot take it. `biased`
/// says that 128 is taken off each element.
std::optional<tw_element_type_t>
computeTypeOf(const WavePlan &plan, tw_isa_t isa, bool isLhs,
              tw_element_type_t type, tw_element_type_t other, bool &biased);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_AMDGPU_WAVE_WAVETYPES_H
