// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of tiles -> functions of this process.

#ifndef TILEWRIGHT_BENCH_LOADEDTILES_H
#define TILEWRIGHT_BENCH_LOADEDTILES_H

#include "tilewright/tile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace tilewright {

class LoadedTiles {
public:
  static llvm::Expected<LoadedTiles> create();
  ~LoadedTiles();
  LoadedTiles(LoadedTiles &&) noexcept;
  LoadedTiles &operator=(LoadedTiles &&) noexcept;

  /// The function `name` of an object for this machine, which lives as long as
  /// this. A name may be loaded several times, each time another function.
  llvm::Expected<tw_mmt4d_tile_fn_t> load(llvm::StringRef name,
                                          llvm::ArrayRef<char> object);

private:
  struct Impl;
  explicit LoadedTiles(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace tilewright

#endif // TILEWRIGHT_BENCH_LOADEDTILES_H
