// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models with tiles by AMX on CPUs without it: the model's own code is compiled
// for the CPU at hand, its tiles are emulated (tests/tiles/amx_model.h).

#ifndef TESTS_COMPILE_JIT_EMULATION_H_
#define TESTS_COMPILE_JIT_EMULATION_H_

#include "llvm/Support/Error.h"
#include "tilewright/key.h"
#include "tilewright/pack_key.h"
#include "tilewright/tile.h"

namespace tilewright::testing {

// Whether this CPU cannot run the ISA.
bool isForeign(tw_isa_t isa);

// An emulated tile, made once in this process.
llvm::Expected<tw_mmt4d_tile_fn_t> emulatedTile(const TileKey& key);

// The same pack function of an ISA that this CPU can run.
PackKey runnablePack(PackKey key);

// What such models ask, tw_may_use_amx_v1; `may` is what it answers from now
// on, at first yes.
void permitAmxToModels(bool may);
int mayUseAmx();

}  // namespace tilewright::testing

#endif  // TESTS_COMPILE_JIT_EMULATION_H_
