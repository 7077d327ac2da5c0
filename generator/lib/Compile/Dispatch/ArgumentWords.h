// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments of a function that is called by way of an address: words in memory,
// of 64 bits each.

#ifndef TILEWRIGHT_LIB_COMPILE_DISPATCH_ARGUMENTWORDS_H
#define TILEWRIGHT_LIB_COMPILE_DISPATCH_ARGUMENTWORDS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Whether arguments of the type can be a word: a number, an address, a buffer
/// of one dimension.
bool fitsWord(mlir::Type type);

/// `value`, of a type that fits, as word `number` at the address `words`.
void storeWord(mlir::ImplicitLocOpBuilder &b, mlir::Value words, int64_t number,
               mlir::Value value);

/// It again, of `type`; of a buffer only its address.
mlir::Value loadWord(mlir::ImplicitLocOpBuilder &b, mlir::Value words,
                     int64_t number, mlir::Type type);

/// What a bare pointer of a function for C is, on buffers of one dimension.
mlir::Value asBuffer(mlir::ImplicitLocOpBuilder &b, mlir::Value address,
                     mlir::Type type);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_DISPATCH_ARGUMENTWORDS_H
