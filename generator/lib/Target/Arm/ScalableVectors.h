// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A short hand for operations on scalable vectors of SVE, as Emitter is for
// those of fixed length. Vectors are named after their least length.

#ifndef TILEWRIGHT_TARGET_ARM_SCALABLEVECTORS_H
#define TILEWRIGHT_TARGET_ARM_SCALABLEVECTORS_H

#include "tilewright/Emit/Emitter.h"
#include "tilewright/Planning/ScalablePlan.h"

namespace tilewright {

class ScalableVectors {
public:
  using Value = mlir::Value;
  using Values = Emitter::Values;

  explicit ScalableVectors(Emitter &e) : e(e) {}

  static mlir::VectorType vec(int lanes, mlir::Type element);
  /// The vector of 128 bits, or as many as there are, of `element`.
  static mlir::VectorType full(mlir::Type element);
  mlir::VectorType mask(int lanes) { return vec(lanes, e.integer(1)); }
  /// "nxv4f32"
  static std::string suffix(mlir::Type vector);

  Value ptrue(int lanes);
  Value splat(Value scalar, mlir::VectorType type);
  /// `pointer` and `index` times as many bytes as `type` has.
  Value offset(Value pointer, mlir::VectorType type, int index);
  Value load(mlir::VectorType type, Value pointer, int align);
  /// The mask of the first `count` lanes, which exist at any length.
  Value firstLanes(int lanes, int count);
  /// `count` vectors of the elements i, i + count, i + 2 * count, ...; those
  /// outside of `mask`, unless that is null, are zero.
  Values loadApart(mlir::VectorType type, Value pointer, int count,
                   Value mask = nullptr);
  /// `x`, for which LLVM prefers register z<number> from here on.
  Value inRegister(Value x, int number);
  /// The 16 bytes at `pointer`, over and over.
  Value loadPattern(mlir::VectorType type, Value pointer);
  /// llvm.aarch64.sve.<name>, with the suffix of `type`, which it returns.
  Value sve(llvm::StringRef name, mlir::VectorType type, Values operands);
  Value sveSuffixed(const llvm::Twine &name, mlir::VectorType result,
                    Values operands);
  /// The lower half of the elements of `x`, extended to twice their size.
  Value unpackLow(Value x, bool isSigned);
  /// i32 constant: an operand that must be an immediate.
  Value immediate(int64_t value) { return e.constant(e.integer(32), value); }

  /// Floats of 16 bits, as integers or floats of vectors with the lanes of
  /// f32 -> f32.
  Value halfToFloat(Value x, tw_element_type_t type);
  /// The same of the low halves of full registers of 32-bit words, whatever
  /// their high halves hold; in place, where LLVM is left to choose another
  /// register and to copy for it.
  Value halvesToFloat(Value words, tw_element_type_t type);
  Value floatToHalf(Value x, tw_element_type_t type);

  Emitter &e;
};

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_ARM_SCALABLEVECTORS_H
