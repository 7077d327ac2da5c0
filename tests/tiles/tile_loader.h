// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings generated tiles into this process, and looks at their objects.

#ifndef TESTS_TILES_TILE_LOADER_H_
#define TESTS_TILES_TILE_LOADER_H_

#include <memory>
#include <string>

#include "llvm/ADT/StringRef.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/Error.h"
#include "tilewright/tile.h"

namespace tilewright::testing {

// Links objects and compiles bitcode into this process. What was loaded stays
// until unload().
class TileLoader {
 public:
  // `cpu`: which CPU loadEmulated compiles for, in LLVM's spelling; empty for
  // this one. A lesser one shows that the emulation does without its features.
  static llvm::Expected<TileLoader> create(llvm::StringRef cpu = "");

  // The function `name` of a relocatable object.
  llvm::Expected<tw_mmt4d_tile_fn_t> loadObject(llvm::StringRef name,
                                                llvm::StringRef object);

  // The function `name` of a bitcode module, compiled as its attributes say.
  llvm::Expected<tw_mmt4d_tile_fn_t> loadBitcode(llvm::StringRef name,
                                                 llvm::StringRef bitcode);

  // The function `name` of a bitcode module for another CPU: its instructions
  // are emulated (intrinsic_emulation.h) and it is compiled for this one.
  llvm::Expected<tw_mmt4d_tile_fn_t> loadEmulated(llvm::StringRef name,
                                                  llvm::StringRef bitcode);

  // Frees all code; functions handed out before are gone.
  llvm::Error unload();

 private:
  llvm::Expected<tw_mmt4d_tile_fn_t> loadModule(llvm::StringRef name,
                                                llvm::StringRef bitcode,
                                                bool emulate);
  llvm::Expected<llvm::orc::JITDylib&> newDylib();
  llvm::Expected<tw_mmt4d_tile_fn_t> find(llvm::orc::JITDylib& dylib,
                                          llvm::StringRef name);

  std::unique_ptr<llvm::orc::LLJIT> jit_;
  std::vector<llvm::orc::JITDylib*> dylibs_;
  int count_ = 0;
};

// Largest code of one kernel, in bytes.
inline constexpr uint64_t kMaxCodeBytes = 16 * 1024;

// Why `object` is not an acceptable object of the tile `name`: it must define
// exactly that global function, need no other symbol, hold at most
// kMaxCodeBytes of code and no writable data, and run nothing at start-up.
// Empty if it is.
std::string inspectObject(llvm::StringRef object, llvm::StringRef name);

}  // namespace tilewright::testing

#endif  // TESTS_TILES_TILE_LOADER_H_
