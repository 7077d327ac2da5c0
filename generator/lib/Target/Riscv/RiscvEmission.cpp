// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// LLVM has an operation for each of what plans of riscv_64 consist of, and
// selects a multiply-add that extends where both operands are extended.

#include "tilewright/Emit/Emission.h"

using namespace mlir;

namespace tilewright {
namespace {

class RiscvEmission : public Emission {
public:
  Value multiplyAccumulate(Emitter &e, IdiomKind idiom, const ByteRoles &roles,
                           Value accumulator, Value vector, Value broadcast,
                           int half) const override {
    auto wide = cast<VectorType>(accumulator.getType());
    auto extended = [&](Value x, Type type) -> Value {
      return arith::ExtFOp::create(e.b, e.loc, type, x);
    };
    switch (idiom) {
    case IdiomKind::ExtendHalf:
    case IdiomKind::ExtendBF16: {
      // A scalar is to be extended as one: bf16 is spread as an integer, by an
      // instruction of its own.
      auto spread = broadcast.getDefiningOp<vector::BroadcastOp>();
      Value x = spread && !isa<VectorType>(spread.getSource().getType())
                    ? e.splat(extended(spread.getSource(), e.f32()),
                              wide.getNumElements())
                    : extended(broadcast, wide);
      return e.fma(extended(vector, wide), x, accumulator);
    }
    case IdiomKind::ExtendWords: {
      Type s32 = wide.getElementType();
      return e.add(accumulator,
                   e.mul(e.sext(vector, s32), e.sext(broadcast, s32)));
    }
    default:
      return Emission::multiplyAccumulate(e, idiom, roles, accumulator, vector,
                                          broadcast, half);
    }
  }
};

} // namespace

const Emission &riscvEmission() {
  static const RiscvEmission emission;
  return emission;
}

} // namespace tilewright
