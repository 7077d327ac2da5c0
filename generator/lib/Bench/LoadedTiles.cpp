// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Bench/LoadedTiles.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"

using namespace llvm;

namespace tilewright {

struct LoadedTiles::Impl {
  std::unique_ptr<orc::LLJIT> jit;
  unsigned count = 0;
};

LoadedTiles::LoadedTiles(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
LoadedTiles::~LoadedTiles() = default;
LoadedTiles::LoadedTiles(LoadedTiles &&) noexcept = default;
LoadedTiles &LoadedTiles::operator=(LoadedTiles &&) noexcept = default;

Expected<LoadedTiles> LoadedTiles::create() {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto jit = orc::LLJITBuilder().create();
  if (!jit)
    return createStringError("no just-in-time linker: " +
                             toString(jit.takeError()));
  auto impl = std::make_unique<Impl>();
  impl->jit = std::move(*jit);
  return LoadedTiles(std::move(impl));
}

Expected<tw_mmt4d_tile_fn_t> LoadedTiles::load(StringRef name,
                                               ArrayRef<char> object) {
  auto buffer = MemoryBuffer::getMemBufferCopy(
      StringRef(object.data(), object.size()), name);
  // A library of its own per tile, so that one may be asked for twice.
  auto library =
      impl->jit->createJITDylib("tile" + std::to_string(impl->count++));
  if (!library)
    return library.takeError();
  if (Error failed = impl->jit->addObjectFile(*library, std::move(buffer)))
    return std::move(failed);
  auto address = impl->jit->lookup(*library, name);
  if (!address)
    return address.takeError();
  return address->toPtr<tw_mmt4d_tile_fn_t>();
}

} // namespace tilewright
