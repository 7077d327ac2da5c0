// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tile functions as `func.func`: their type, their declaration, and where the
// fields of tw_mmt4d_params_t are in its 16-word view.

#ifndef TILEWRIGHT_TRANSFORMS_TILEFUNCTIONS_H
#define TILEWRIGHT_TRANSFORMS_TILEFUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tilewright/Dialect/TwDialect.h"

namespace tilewright {

/// tw_mmt4d_params_t as 64-bit words (little-endian 64-bit targets).
namespace params {
inline constexpr int64_t kWords = 16;
inline constexpr int64_t kKWord = 11;
inline constexpr int64_t kFlagsWord = 13; ///< flags in the upper half
inline constexpr int64_t kFlagsShift = 32;
inline constexpr int64_t kOutRowStrideWord = 15;
} // namespace params

/// Attribute of a planned tile function that whole vectors and equal blocks
/// fill, on `func.func` and, as a string attribute, on the LLVM function.
inline constexpr llvm::StringLiteral kRegularTile = "tilewright.regular";

/// Attribute of a planned tile function whose instructions LLVM orders:
/// Schedule's number, on `func.func`, as text on the LLVM function.
inline constexpr llvm::StringLiteral kSchedule = "tilewright.schedule";

/// Attribute of a planned tile function, `func.func`, whose body is in SME's
/// streaming mode.
inline constexpr llvm::StringLiteral kStreamingTile = "tilewright.streaming";

/// The element type under which `type` lies in a memref: i8 for everything
/// narrower than 16 bits, integers signless.
mlir::Type storageType(mlir::MLIRContext *context, tw_element_type_t type);

/// The type of arithmetic on `type`: its float type (of any width), or the
/// signless integer of its width.
mlir::Type arithmeticType(mlir::MLIRContext *context, tw_element_type_t type);

/// (memref<1xOUT>, memref<1xLHS>, memref<1xRHS>, memref<16xi64>) -> ().
mlir::FunctionType tileFunctionType(mlir::MLIRContext *context,
                                    const TileKey &key);

/// Declares the function of `tile`, which it has as its attribute tw.tile, at
/// the builder's insertion point.
mlir::func::FuncOp declareTileFunction(mlir::OpBuilder &builder,
                                       mlir::Location loc, tw::TileAttr tile);

/// The function's tw.tile, or, where it has none, what its name spells: failure
/// with a diagnostic if that only looks like a tile name. Null for any other
/// function.
mlir::FailureOr<tw::TileAttr> tileOf(mlir::FunctionOpInterface func,
                                     llvm::StringRef prefix);

} // namespace tilewright

#endif // TILEWRIGHT_TRANSFORMS_TILEFUNCTIONS_H
