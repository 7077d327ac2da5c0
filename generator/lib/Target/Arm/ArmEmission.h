// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_TARGET_ARM_ARMEMISSION_H
#define TILEWRIGHT_TARGET_ARM_ARMEMISSION_H

#include "tilewright/Emit/Emission.h"

namespace tilewright {

/// NEON, SVE and SME. Intrinsics of NEON that appear:
/// llvm.aarch64.neon.{s,u,us}mmla.v4i32.v16i8, {s,u,us}dot.v4i32.v16i8, bfmmla,
/// bfdot.v4f32.v8bf16, bfmlalb, bfmlalt, smull.v4i32, fmlal.v4f32.v8f16,
/// fmlal2.v4f32.v8f16, ld1xN.
class ArmEmission : public Emission {
public:
  mlir::Value multiplyAccumulate(Emitter &e, IdiomKind idiom,
                                 const ByteRoles &roles,
                                 mlir::Value accumulator, mlir::Value vector,
                                 mlir::Value broadcast,
                                 int half) const override;
  mlir::Value multiply(Emitter &e, IdiomKind idiom, const ByteRoles &roles,
                       mlir::Value vector, mlir::Value broadcast, int half,
                       mlir::Type type) const override;
  mlir::Value addProducts(Emitter &e, IdiomKind idiom, const ByteRoles &roles,
                          mlir::Value accumulator,
                          mlir::Value products) const override;
  Emitter::Values loadRegisters(Emitter &e, mlir::VectorType type,
                                mlir::Value pointer, int count) const override;
  mlir::Value vectorLengthFactor(mlir::OpBuilder &b, mlir::Location loc,
                                 const ScalingInfo &scaling) const override;
  void emitScalableTile(Emitter &e, const TileKey &key, const TilePlan &plan,
                        mlir::Block &entry) const override;
  bool isStreaming(const TilePlan &plan) const override;
};

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_ARM_ARMEMISSION_H
