// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What operations have in common that multiply by a tile function.

#ifndef TILEWRIGHT_LIB_DIALECT_TILEOPERANDS_H
#define TILEWRIGHT_LIB_DIALECT_TILEOPERANDS_H

#include "mlir/IR/Builders.h"
#include "tilewright/Dialect/TwDialect.h"

namespace tilewright::tw {

/// Operands in their order.
enum { kLhs, kRhs, kOut, kOperands };
inline constexpr const char *kNames[kOperands] = {"lhs", "rhs", "out"};

/// A kind of loops: which operands it indexes, in what place of each.
struct Kind {
  const char *name;
  unsigned operands; ///< bits 1 << operand
};
inline constexpr Kind kKinds[] = {
    {"batch", 1 << kLhs | 1 << kRhs | 1 << kOut},
    {"m", 1 << kLhs | 1 << kOut},
    {"n", 1 << kRhs | 1 << kOut},
    {"k", 1 << kLhs | 1 << kRhs},
};

using Maps = llvm::SmallVector<mlir::AffineMap, kOperands>;
Maps mapsOf(mlir::ArrayAttr indexingMaps);

/// The kind of a loop, or null.
const Kind *kindOf(unsigned loop, const Maps &maps);

/// The sizes of panels and tiles, M0, N0, K0, as operands may have them: each
/// as `key` says it; of scalable ones, for vectors of any one length, or
/// dynamic.
class TileSizesVerifier {
public:
  TileSizesVerifier(mlir::Operation *op, const TileKey &key);

  enum Size { kM0, kN0, kK0 };
  /// Errors unless the last two dimensions of `operand` are `rows` x `columns`.
  llvm::LogicalResult verify(unsigned operand, Size rows, Size columns);
  /// The same of the rhs: N0 x K0, or in groups along K.
  llvm::LogicalResult verifyRhs();

private:
  bool isRight(int64_t size, Size expected);
  std::string textOf(Size size) const;

  mlir::Operation *op;
  int64_t sizes[3]; ///< where vectors have 128 bits
  bool scalable[3];
  bool isInGroups;
  int64_t group;     ///< elements along K that are beside each other
  int64_t scale = 0; ///< vectors are so many times longer; 0: not known yet
};

/// Whether elements of `type` are `element`: those of models are signless, and
/// the key has the sign.
bool isElement(mlir::Type type, tw_element_type_t element);

/// lhs, rhs and out are tensors, with results, or buffers, without, and have
/// the elements of the tile; those of less than a byte, which scaled tiles
/// take, as bytes of several.
llvm::LogicalResult verifyElements(mlir::Operation *op, const TileKey &key);

/// One map for each operand, of different loops; that of lhs may have sums of
/// loops if it is `gathered`.
llvm::LogicalResult verifyPermutations(mlir::Operation *op, const Maps &maps,
                                       bool gathered = false);

} // namespace tilewright::tw

#endif // TILEWRIGHT_LIB_DIALECT_TILEOPERANDS_H
