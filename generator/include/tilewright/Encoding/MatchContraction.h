// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operations are matrix multiplications of tiles.

#ifndef TILEWRIGHT_ENCODING_MATCHCONTRACTION_H
#define TILEWRIGHT_ENCODING_MATCHCONTRACTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tilewright/key.h"
#include <optional>
#include <string>

namespace tilewright {

/// out += lhs * rhs, by loops of four kinds: of the batch, which index all
/// three; m, of lhs and out; n, of rhs and out; k, of lhs and rhs. Each is in
/// the order in which it indexes lhs, n in that of rhs. One in which elements
/// of lhs and rhs are multiplied by scales has loops of the same kinds.
struct Contraction {
  llvm::SmallVector<unsigned> batch, m, n, k;
  /// Operand numbers. They are swapped where the second one is a vector, of no
  /// n: tiles multiply a row with a matrix, whose columns fill vectors.
  unsigned lhs = 0, rhs = 1;
  /// Of each block of elements of k there is a scale: operand numbers of the
  /// scales of lhs and rhs, and the loop through a block, one of k, which
  /// indexes no scales.
  struct Scales {
    unsigned lhs, rhs, block;
  };
  std::optional<Scales> scales;
  /// Null if there are no tiles for the elements.
  const TypeTripleInfo *types = nullptr;
  /// Those of rhs * lhs; null if there are no tiles for them in this order.
  const TypeTripleInfo *swappedTypes = nullptr;

  /// Makes lhs of rhs, and m of n, and the other way round; `swappedTypes` are
  /// known.
  void swapFactors();
};

/// None for an operation that is no matrix multiplication, whatever its
/// elements. A sum over k, of one at least, may lack m or n; an outer product
/// has both, and no k.
std::optional<Contraction> matchContraction(mlir::linalg::LinalgOp op);

/// A factor of the product in a body: which input it is, whether it is extended
/// as an unsigned number, and, if `arith.scaling_extf` multiplies it by one,
/// the input that is its scale.
struct ProductFactor {
  unsigned input;
  bool isUnsigned = false;
  std::optional<unsigned> scale;
};

/// The factors, in the order of inputs, if the body of `op` is exactly out +
/// ext(lhs) * ext(rhs), both with scales or none, and these are all of its
/// inputs.
std::optional<std::array<ProductFactor, 2>>
matchFactors(mlir::linalg::LinalgOp op);

/// Why no tile computes `op`, a sum of products of scaled elements, whatever
/// these are: about its scales. Empty for any other operation.
std::string whyNotScaled(mlir::linalg::LinalgOp op);

/// The names of the elements of lhs, rhs and out of such an operation, as tiles
/// have them. Empty where tiles have no such type.
std::optional<std::array<std::string, 3>>
matchProductElements(mlir::linalg::LinalgOp op);

} // namespace tilewright

#endif // TILEWRIGHT_ENCODING_MATCHCONTRACTION_H
