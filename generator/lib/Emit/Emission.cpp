// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Emit/Emission.h"
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
  case IdiomKind::MultiplyAddS32:
  case IdiomKind::Generic:
    return e.add(accumulator, e.mul(vector, broadcast));
  default:
    llvm_unreachable("an idiom of another target");
  }
}

mlir::Value Emission::multiply(Emitter &, IdiomKind, mlir::Value, mlir::Value,
                               mlir::Type) const {
  llvm_unreachable("the target has no idiom that adds apart");
}

Emitter::Values Emission::loadRegisters(Emitter &, mlir::VectorType,
                                        mlir::Value, int) const {
  llvm_unreachable("the target loads one register at a time");
}

mlir::Value Emission::vectorLengthFactor(mlir::OpBuilder &, mlir::Location,
                                         const IsaInfo &) const {
  llvm_unreachable("no scalable vectors");
}

void Emission::emitScalableTile(Emitter &, const TileKey &, const TilePlan &,
                                mlir::Block &) const {
  llvm_unreachable("no scalable vectors");
}

bool Emission::isStreaming(const TilePlan &) const { return false; }

const Emission &genericEmission() {
  static const Emission emission;
  return emission;
}

const Emission &emissionOf(const IsaInfo &isa) {
#define TW_TARGET(ARCH, name)                                                  \
  if (isa.arch == #ARCH)                                                       \
    return name##Emission();
#include "../Target/targets.def"
  llvm_unreachable("no tile plans are made for the ISA");
}

} // namespace tilewright
