// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: validation of tw_mmt4d_params_t. `fault` may be null (fault.h).

#ifndef UKERNELS_MMT4D_CHECK_H_
#define UKERNELS_MMT4D_CHECK_H_

#include "tilewright/tilewright.h"
#include "ukernels/element.h"
#include "ukernels/fault.h"

// What names a tile: flags, M0, N0 and K0. Fills *types.
tw_status_t tw_check_tile(const tw_mmt4d_params_t* params, tw_triple_t* types,
                          tw_fault_t* fault);

// All that tw_mmt4d reads but cpu_data.
tw_status_t tw_check_mmt4d(const tw_mmt4d_params_t* params,
                           const tw_parallel_for_t* parallel_for,
                           tw_triple_t* types, tw_fault_t* fault);

#endif  // UKERNELS_MMT4D_CHECK_H_
