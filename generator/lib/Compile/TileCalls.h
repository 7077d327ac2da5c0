// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of tiles, and of what calls them.

#ifndef TILEWRIGHT_LIB_COMPILE_TILECALLS_H
#define TILEWRIGHT_LIB_COMPILE_TILECALLS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/CompileModel.h"
#include "tilewright/Dialect/TwDialect.h"
#include "tilewright/contraction.h"
#include "tilewright/pack_key.h"

namespace tilewright {

/// The function `name` of the module; without `result` it returns nothing.
mlir::LLVM::LLVMFuncOp declareFunction(mlir::Operation *user,
                                       llvm::StringRef name,
                                       llvm::ArrayRef<mlir::Type> arguments,
                                       mlir::Type result = nullptr);
/// The function of `tile`, which it has as its tw.tile.
mlir::LLVM::LLVMFuncOp declareTile(mlir::Operation *user, tw::TileAttr tile);

/// The pack function of the lhs (the rhs) for the tile of `user`, with the
/// prefix of the tile's name; null if elements have a width that none packs, or
/// the size is scalable.
mlir::LLVM::LLVMFuncOp declareLhsPack(tw::MatmulOp user, MatrixLines lines);
mlir::LLVM::LLVMFuncOp declareRhsPack(tw::MatmulOp user, MatrixLines lines);

/// Where the elements of `buffer`, which is contiguous, begin.
mlir::Value pointerToBytes(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer);

/// Room for `words` of 64 bits on the stack of the function that `user` is in,
/// whatever loops are around it.
mlir::Value stackWords(mlir::ImplicitLocOpBuilder &b, mlir::Operation *user,
                       int64_t words);

/// `words` of 64 bits, the module's own under that name, all 0 when the program
/// starts.
mlir::Value zeroedWords(mlir::ImplicitLocOpBuilder &b, mlir::Operation *user,
                        llvm::StringRef name, int64_t words);

/// The sizes of the tile; those of scalable ones are computed.
struct TileSizes {
  mlir::Value m0, n0, k0;
};
TileSizes tileSizes(mlir::ImplicitLocOpBuilder &b, const TileKey &key);

/// The tiles that a multiplication calls; none of anything else.
llvm::SmallVector<TileKey> tilesOf(mlir::Operation *op);

/// Those of all multiplications, each once, in order of the first.
std::vector<TileKey> tilesIn(mlir::ModuleOp module);

/// The functions of tiles that are declared.
std::vector<CalledTile> calledTiles(mlir::ModuleOp module);

/// Replaces a multiplication on buffers by a call of tw_contract_v8, one for
/// each matrix of its batch, with blocks for `core`. Fails, with an error, if a
/// buffer is not contiguous.
llvm::LogicalResult callContraction(tw::MatmulOp op,
                                    const tw_known_core_t &core);

/// Replaces what keeps a matrix packed, on buffers, by a call of a function
/// that calls tw_keep_v1 for it, or for each of several.
llvm::LogicalResult callKeep(tw::KeepPackedOp op);

/// Replaces a pack (an unpack) on buffers by calls of its function. Fails, with
/// an error, if a buffer is not contiguous.
llvm::LogicalResult callPack(tw::PackOp op);
llvm::LogicalResult callPack(tw::UnPackOp op);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_TILECALLS_H
