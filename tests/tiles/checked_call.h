// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls a tile function under observation: faults become messages, and on
// x86-64 and AArch64 Linux everything that the calling convention preserves is
// checked.

#ifndef TESTS_TILES_CHECKED_CALL_H_
#define TESTS_TILES_CHECKED_CALL_H_

#include <string>
#include <vector>

#include "tilewright/tile.h"

namespace tilewright::testing {

// A named range of memory, for messages.
struct NamedRange {
  std::string name;
  const void* begin;
  size_t size;
};

// Calls `fn`. Empty if it returned and kept the calling convention; else what
// it broke: a register, a flag, the x87 or the SME state, the caller's stack
// frame, or a fault (where, relative to the nearest of `ranges`). After a fault
// the process goes on. Not reentrant; one thread at a time.
std::string callTile(tw_mmt4d_tile_fn_t fn, void* out, const void* lhs,
                     const void* rhs, const tw_mmt4d_params_t* params,
                     const std::vector<NamedRange>& ranges);

}  // namespace tilewright::testing

#endif  // TESTS_TILES_CHECKED_CALL_H_
