// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which GPUs of the machine are a model's.

#ifndef TILEWRIGHT_UKERNELS_HIP_DEVICES_H_
#define TILEWRIGHT_UKERNELS_HIP_DEVICES_H_

#include <stdint.h>

#include "ukernels/hip/api.h"
#include "ukernels/hip/program.h"

#ifdef __cplusplus
extern "C" {
#endif

// Gives each of `programs`, in order, the first device of its gfx that none
// before it has. UNSUPPORTED, with a sentence that says which it is and which
// devices there are, if one gets none.
tw_status_t tw_hip_find_devices(const tw_hip_api_t* hip,
                                tw_hip_program_t* const* programs,
                                int64_t count, int* devices);

#ifdef __cplusplus
}
#endif

#endif  // TILEWRIGHT_UKERNELS_HIP_DEVICES_H_
