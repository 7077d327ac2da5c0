// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The raw call behind callTile: sets registers to known values, calls, and
// notes what came back.

#ifndef TESTS_TILES_ABI_TRAMPOLINE_H_
#define TESTS_TILES_ABI_TRAMPOLINE_H_

#include <string>

#include "tilewright/tile.h"

namespace tilewright::testing {

// Calls `fn` and notes the state before and after. On other machines than
// x86-64 and AArch64 Linux a plain call.
void callThroughTrampoline(tw_mmt4d_tile_fn_t fn, void* out, const void* lhs,
                           const void* rhs, const tw_mmt4d_params_t* params);

// What the last call did not preserve; empty if nothing.
std::string trampolineVerdict();

// After a fault left the callee: puts the floating-point control state back to
// what it was before the call.
void restoreControlState();

}  // namespace tilewright::testing

#endif  // TESTS_TILES_ABI_TRAMPOLINE_H_
