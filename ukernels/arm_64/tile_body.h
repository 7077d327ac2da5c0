// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the bodies of all arm_64 families share, NEON's, SVE's and SME's.

#ifndef UKERNELS_ARM_64_TILE_BODY_H_
#define UKERNELS_ARM_64_TILE_BODY_H_

#include "ukernels/tile_body.h"

#define TW_IN_VECTOR_REGISTER(v) "+w"(v)

#endif  // UKERNELS_ARM_64_TILE_BODY_H_
