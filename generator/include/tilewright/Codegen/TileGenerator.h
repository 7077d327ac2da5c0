// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys -> kernels: the whole generator behind one class. No MLIR in this
// header, so that its users stay cheap to compile.

#ifndef TILEWRIGHT_CODEGEN_TILEGENERATOR_H
#define TILEWRIGHT_CODEGEN_TILEGENERATOR_H

#include "tilewright/key.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace tilewright {

/// What a pipeline stage prints or writes, in pipeline order. A tile for an AMD
/// GPU is LLVM IR from the start, and has no object of its own: its assembly
/// and its code object are those of a kernel of one wave around it.
enum class Emit {
  Keys,
  Plan,
  Linalg,
  Vector,
  LLVM,
  Asm,
  Bitcode,
  Object,
  CodeObject
};

/// How a tile function gets its code.
enum class Lowering {
  Plan, ///< by its tile plan: the kernel
  Loops ///< by upstream's plain loops: the oracle the kernel is tested against
};

struct GenerateOptions {
  /// Prefix of the symbol ("tw", "iree_uk").
  std::string prefix = std::string(kDefaultPrefix);
  /// Overrides parts of the plan, in the syntax that Emit::Plan prints; empty
  /// for the planner's choice.
  std::string plan;
  /// The core that plans are made for, one of findCore (CoreModel.h); empty for
  /// the usual one. Says nothing about what may run: that the key's instruction
  /// set does. Tiles of other architectures and pack functions are as without.
  std::string tuneCpu;
  Lowering lowering = Lowering::Plan;
  /// Adds an entry of the section `tw_tiles` (tw_tile_entry_t), by which the
  /// runtime library finds the tile.
  bool registryEntry = false;
  /// Target triple; empty for the key's architecture on this host's OS.
  std::string triple;
};

/// What the plan of `key` is made of: the overrides, and the core if it is one
/// of the key's architecture, as part "core=". It is part of a cached kernel's
/// key.
std::string planParts(const TileKey &key, const GenerateOptions &options);

/// Whether plans of `key` for the core of `options` multiply by another idiom
/// than the usual ones. A hand-written body multiplies as usual, so that such a
/// core is better off with a generated one.
bool wantsOtherIdiom(const TileKey &key, const GenerateOptions &options);

/// Milliseconds spent in each step of one kernel.
struct StepTimes {
  double build = 0;     ///< key -> plan, or linalg where that is asked for
  double lower = 0;     ///< -> LLVM dialect
  double translate = 0; ///< -> LLVM IR
  double optimize = 0;
  double codegen = 0; ///< -> object or bitcode
  double total() const {
    return build + lower + translate + optimize + codegen;
  }
};

struct GeneratedTile {
  TileKey key;
  std::string name; ///< the symbol
  Emit kind;
  llvm::SmallVector<char, 0> bytes; ///< text or binary, as `kind` says
  StepTimes times;
};

/// Generates tiles, one at a time. Not thread-safe: one per worker thread, each
/// with its own contexts. Construction costs milliseconds, a warm generate()
/// at most five; memory does not grow with the number of kernels.
class TileGenerator {
public:
  TileGenerator();
  ~TileGenerator();
  TileGenerator(TileGenerator &&) noexcept;
  TileGenerator &operator=(TileGenerator &&) noexcept;

  /// Errors name the key. Deterministic: same key, options and version, same
  /// bytes.
  llvm::Expected<GeneratedTile> generate(const TileKey &key, Emit kind,
                                         const GenerateOptions &options = {});

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_TILEGENERATOR_H
