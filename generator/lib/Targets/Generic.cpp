// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The idioms that need no target's intrinsics.

#include "tilewright/Targets/Multiply.h"

namespace tilewright {

mlir::Value multiplyAccumulate(Emitter &e, IdiomKind idiom,
                               const ByteRoles &roles, mlir::Value accumulator,
                               mlir::Value vector, mlir::Value broadcast,
                               int half) {
  switch (idiom) {
  case IdiomKind::Fma:
  case IdiomKind::FmaHalf:
    return e.fma(vector, broadcast, accumulator);
  case IdiomKind::MultiplyAddS32:
  case IdiomKind::Generic:
    return e.add(accumulator, e.mul(vector, broadcast));
  default:
    break;
  }
  if (e.isa.has("neon"))
    return multiplyAccumulateArm(e, idiom, roles, accumulator, vector,
                                 broadcast, half);
  return multiplyAccumulateX86(e, idiom, roles, accumulator, vector, broadcast);
}

} // namespace tilewright
