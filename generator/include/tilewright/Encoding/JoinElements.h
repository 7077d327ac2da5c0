// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of less than a byte, which have a byte each, as streams of bits.

#ifndef TILEWRIGHT_ENCODING_JOINELEMENTS_H
#define TILEWRIGHT_ENCODING_JOINELEMENTS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// The bytes of the stream of bits that the elements of `source`, a tensor,
/// are along `dim`, the first in the lowest bits of the first: a tensor of i8.
/// The dimension has a known size, of whole bytes.
mlir::Value joinElements(mlir::ImplicitLocOpBuilder &b, mlir::Value source,
                         int64_t dim);

/// What joinElements made of which tensor, along which dimension.
struct JoinedElements {
  mlir::Operation *op;
  mlir::Value source;
  int64_t dim;

  /// None if `value` was made otherwise.
  static std::optional<JoinedElements> of(mlir::Value value);
  mlir::RankedTensorType sourceType() const;
};

/// The same of elements of `type` in memory, a byte each, into `joined`. Of a
/// splat there is one.
void joinElements(mlir::RankedTensorType type, int64_t dim,
                  llvm::ArrayRef<char> elements, bool isSplat,
                  llvm::MutableArrayRef<char> joined);

} // namespace tilewright

#endif // TILEWRIGHT_ENCODING_JOINELEMENTS_H
