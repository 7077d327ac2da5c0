// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Single hand-written tiles out of the bitcode libraries.

#ifndef TILEWRIGHT_LIB_RESOLVE_HANDWRITTEN_H
#define TILEWRIGHT_LIB_RESOLVE_HANDWRITTEN_H

#include "tilewright/Codegen/Backend.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/Resolve/Resolve.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>
#include <mutex>

namespace tilewright {

/// The bitcode libraries, each read once. Thread-safe.
class HandWrittenBitcode {
public:
  explicit HandWrittenBitcode(llvm::StringRef dir) : dir(dir) {}

  /// The tile's function, named with options.prefix, alone in a module with
  /// whatever it refers to: bitcode, or the object (code object) made from it
  /// for options.triple. StepTimes are those of making it.
  llvm::Expected<llvm::SmallVector<char, 0>>
  extract(const HandWrittenTile &tile, Emit kind,
          const GenerateOptions &options, Backends &backends, StepTimes &times);

  /// A hash of the tile's own bitcode, which is another one if its code is.
  llvm::Expected<std::string> digest(const HandWrittenTile &tile,
                                     Backends &backends);

  /// A hash of the library that holds `isa`'s tiles.
  llvm::Expected<std::string> hash(tw_isa_t isa);

private:
  struct Library {
    std::unique_ptr<llvm::MemoryBuffer> buffer;
    std::string hash;
  };
  llvm::Expected<const Library *> library(tw_isa_t isa);

  std::string dir;
  std::mutex mutex;
  std::map<tw_isa_t, Library> libraries;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_RESOLVE_HANDWRITTEN_H
