// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Emit/Emission.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

namespace tilewright {

#define TW_TARGET(ARCH, name) const Emission &name##Emission();
#include "../Target/targets.def"

Emission::~Emission() = default;

mlir::Value Emission::multiplyAccumulate(Emitter &e, IdiomKind idiom,
                                         const ByteRoles &,
                                         mlir::Value accumulator,
                                         mlir::Value vector,
                                         mlir::Value broadcast, int) const {
  switch (idiom) {
  case IdiomKind::Fma:
  case IdiomKind::FmaHalf:
    return e.fma(vector, broadcast, accumulator);
  case IdiomKind::MultiplyAddS16:
  case IdiomKind::MultiplyAddS32:
  case IdiomKind::Generic:
    return e.add(accumulator, e.mul(vector, broadcast));
  default:
    llvm_unreachable("an idiom of another target");
  }
}

mlir::Value Emission::multiply(Emitter &, IdiomKind, const ByteRoles &,
                               mlir::Value, mlir::Value, int,
                               mlir::Type) const {
  llvm_unreachable("the target has no idiom that adds apart");
}

mlir::Value Emission::repeatFloats(Emitter &, mlir::VectorType, mlir::Value,
                                   int) const {
  llvm_unreachable("the target repeats no floats by loads of integers");
}

mlir::Value Emission::repeatLanes(Emitter &, mlir::VectorType, mlir::Value,
                                  bool) const {
  llvm_unreachable("the target has no loads that repeat lanes");
}

mlir::Value Emission::addProducts(Emitter &e, IdiomKind, const ByteRoles &,
                                  mlir::Value accumulator,
                                  mlir::Value products) const {
  return e.add(accumulator, products);
}

Emitter::Values Emission::loadRegisters(Emitter &, mlir::VectorType,
                                        mlir::Value, int) const {
  llvm_unreachable("the target loads one register at a time");
}

mlir::Value Emission::vectorLengthFactor(mlir::OpBuilder &b, mlir::Location loc,
                                         const ScalingInfo &) const {
  return mlir::LLVM::vscale::create(b, loc, b.getI64Type()); // of 128 bits
}

void Emission::emitScalableTile(Emitter &, const TileKey &, const TilePlan &,
                                mlir::Block &) const {
  llvm_unreachable("no scalable vectors");
}

bool Emission::isStreaming(const TilePlan &) const { return false; }

bool Emission::scalesByAnyPower(mlir::Type) const { return false; }

mlir::Value Emission::scaleByPower(mlir::OpBuilder &, mlir::Location,
                                   mlir::Value, mlir::Value) const {
  llvm_unreachable("the target does not scale by any power of 2");
}

mlir::Value Emission::lesserMagnitude(mlir::OpBuilder &, mlir::Location,
                                      mlir::Value, mlir::Value) const {
  llvm_unreachable("the target does not scale by any power of 2");
}

const Emission &genericEmission() {
  static const Emission emission;
  return emission;
}

const Emission &emissionOf(llvm::StringRef arch) {
#define TW_TARGET(ARCH, name)                                                  \
  if (arch == #ARCH)                                                           \
    return name##Emission();
#include "../Target/targets.def"
  llvm_unreachable("no tile plans are made for the architecture");
}

const Emission &emissionOf(const IsaInfo &isa) {
  return emissionOf(llvm::StringRef(isa.arch));
}

} // namespace tilewright
