// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_COMPILE_CTYPES_H
#define TILEWRIGHT_LIB_COMPILE_CTYPES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <string>

namespace tilewright {

/// Element types that lie in memory as their C counterpart, or as bits of it,
/// does. Models may have these, and those that are part of a byte.
bool hasCElement(mlir::Type type);
inline constexpr const char *kCElements =
    "f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E4M3FNUZ, f8E5M2FNUZ, f8E8M0FNU, "
    "f6E2M3FN, f6E3M2FN, f4E2M1FN, i64, i32, i16, i8, i4, i2 and i1";

/// Integers of 1, 2 and 4 bits, and floats of 4 and 6, as elements of `type` or
/// itself: each has a byte of memory, whose other bits are zeros. In vectors,
/// and where C passes them, they are something else.
bool isPartOfByte(mlir::Type type);

/// The lowest bits of `bytes`, of i8 or a vector of it, as `element`, a part of
/// a byte.
mlir::Value partOfByte(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value bytes, mlir::Type element);
/// And back, to the byte that such an element, or each of a vector, has in
/// memory.
mlir::Value byteOfPart(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value elements);

/// Floats of 8 bits that are known: those of element_types.def.
bool isNarrowFloat(mlir::Type type);

/// Powers of two that scale others, f8E8M0FNU: no arithmetic is done on them.
bool isScale(mlir::Type type);

/// Floats of 4 and 6 bits, of which blocks have scales: nor on these.
bool isScaled(mlir::Type type);

/// What C calls an element of `type`.
std::string cTypeName(mlir::Type type);

/// The same, of one that the attribute kElementAttr says more of.
std::string cElementName(mlir::Type type, mlir::Attribute attribute);

/// What `element` is in the model, if the attribute kElementAttr of an argument
/// or a result says so.
mlir::Type elementInModel(mlir::Type element, mlir::Attribute attribute);

/// What the header says behind a shape, of elements whose bits C has no type
/// for: " of bf16 bits".
std::string elementNote(mlir::RankedTensorType tensor,
                        mlir::Attribute attribute);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_CTYPES_H
