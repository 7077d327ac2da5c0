// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/compile/jit_emulation.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "llvm/TargetParser/Host.h"
#include "tests/compile/jit_model.h"
#include "tests/tiles/tile_source.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/tilewright.h"

namespace tilewright::testing {
namespace {

// Else the library's own begins and ends the calls of tiles, by AMX itself.
uint32_t (*const begin_by_model)(tw_isa_t) = tw_begin_tile_calls;

std::atomic<bool> may_use_amx = true;

bool hasAmx(const IsaInfo& isa) { return isa.has("amx-tile"); }

}  // namespace

bool isForeign(tw_isa_t isa) {
  const std::vector<std::string> runnable = runnableIsas();
  return std::find(runnable.begin(), runnable.end(), info(isa).name) ==
         runnable.end();
}

bool isEmulated(const std::string& name) {
  const IsaInfo* isa = findIsa(name);
  const std::vector<std::string> runnable = runnableIsas();
  // The model's code is for AVX-512, as these levels have it.
  return begin_by_model && isa && hasAmx(*isa) && isForeign(isa->isa) &&
         std::find(runnable.begin(), runnable.end(), "x86_64_avx512_base") !=
             runnable.end();
}

llvm::Expected<tw_mmt4d_tile_fn_t> emulatedTile(const TileKey& key) {
  static llvm::Expected<TileSource> source =
      TileSource::create(llvm::sys::getHostCPUName());
  static std::map<TileKey, tw_mmt4d_tile_fn_t> made;
  if (!source) return llvm::createStringError("tiles cannot be emulated here");
  auto known = made.find(key);
  if (known != made.end()) return known->second;
  auto fn = findHandWrittenTile(key) ? source->handWrittenEmulated(key)
                                     : source->generated(key, Lowering::Plan);
  if (!fn) return fn.takeError();
  return made[key] = *fn;
}

PackKey runnablePack(PackKey key) {
  if (isForeign(key.isa)) key.isa = TW_ISA_X86_64_AVX512_BASE;
  return key;
}

void permitAmxToModels(bool may) { may_use_amx = may; }

int mayUseAmx() { return may_use_amx; }

}  // namespace tilewright::testing
