// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated tiles: key -> object -> JITLink, in this process.

#include "bench/support/tiles.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "tilewright/Codegen/TileGenerator.h"

namespace tilewright::bench {

struct GeneratedTiles::Impl {
  TileGenerator generator;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::string jitError;
  unsigned count = 0;
};

GeneratedTiles::GeneratedTiles() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  impl_ = std::make_unique<Impl>();
  if (auto jit = llvm::orc::LLJITBuilder().create())
    impl_->jit = std::move(*jit);
  else
    impl_->jitError = llvm::toString(jit.takeError());
}

GeneratedTiles::~GeneratedTiles() = default;

bool GeneratedTiles::available() { return true; }

tw_mmt4d_tile_fn_t GeneratedTiles::get(const TileKey& key, std::string* error,
                                       const std::string& plan) {
  std::string name = printTileKey(key);
  auto fail = [&](const std::string& why) -> tw_mmt4d_tile_fn_t {
    *error = why.find(name) == std::string::npos ? name + ": " + why : why;
    return nullptr;
  };
  if (!impl_->jit) return fail("no just-in-time linker: " + impl_->jitError);
  GenerateOptions options;
  options.plan = plan;
  llvm::Expected<GeneratedTile> tile =
      impl_->generator.generate(key, Emit::Object, options);
  if (!tile) return fail(llvm::toString(tile.takeError()));
  auto object = llvm::MemoryBuffer::getMemBufferCopy(
      llvm::StringRef(tile->bytes.data(), tile->bytes.size()), name);
  // A library of its own per tile, so that one may be asked for twice.
  auto library =
      impl_->jit->createJITDylib("tile" + std::to_string(impl_->count++));
  if (!library) return fail(llvm::toString(library.takeError()));
  if (llvm::Error failed =
          impl_->jit->addObjectFile(*library, std::move(object)))
    return fail(llvm::toString(std::move(failed)));
  auto address = impl_->jit->lookup(*library, name);
  if (!address) return fail(llvm::toString(address.takeError()));
  return address->toPtr<tw_mmt4d_tile_fn_t>();
}

}  // namespace tilewright::bench
