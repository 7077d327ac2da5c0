// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESTS_COMPILE_PLANNED_WORKSPACE_H_
#define TESTS_COMPILE_PLANNED_WORKSPACE_H_

#include "tilewright/contraction.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bytes of workspace that tw_contract plans for a task; -1 for types that
// are none.
tw_index_t tw_planned_workspace(const tw_contraction_t* contraction);

#ifdef __cplusplus
}
#endif

#endif  // TESTS_COMPILE_PLANNED_WORKSPACE_H_
