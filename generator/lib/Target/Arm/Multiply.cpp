// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM selects the forms by lane of these instructions where the broadcast is a
// shuffle of one lane of a register.

#include "ArmEmission.h"
#include <utility>

using namespace mlir;

namespace tilewright {
namespace {

/// `stem` in the signedness of its operands, unsigned first where they differ,
/// which may swap them.
std::string byteDot(llvm::StringRef stem, bool &xUnsigned, bool &yUnsigned,
                    Value &x, Value &y) {
  if (yUnsigned && !xUnsigned) {
    std::swap(x, y);
    std::swap(xUnsigned, yUnsigned);
  }
  llvm::StringRef sign = yUnsigned ? "u" : xUnsigned ? "us" : "s";
  return ("llvm.aarch64.neon." + sign + stem + ".v4i32.v16i8").str();
}

Value asVector(Emitter &e, Value value, Type element) {
  int64_t bytes = Emitter::bytesOf(value.getType());
  return e.bitcast(
      value,
      Emitter::vec(8 * bytes / element.getIntOrFloatBitWidth(), element));
}

} // namespace

Value ArmEmission::multiplyAccumulate(Emitter &e, IdiomKind idiom,
                                      const ByteRoles &roles, Value accumulator,
                                      Value vector, Value broadcast,
                                      int half) const {
  Type type = accumulator.getType();
  Type bf16 = e.b.getBF16Type();
  // The rows of 2x2 blocks are those of the first operand.
  Value x = broadcast, y = vector;
  switch (idiom) {
  case IdiomKind::MatrixBytes:
  case IdiomKind::DotBytesLane: {
    bool xUnsigned = roles.broadcastUnsigned, yUnsigned = roles.vectorUnsigned;
    x = asVector(e, x, e.integer(8));
    y = asVector(e, y, e.integer(8));
    if (idiom == IdiomKind::DotBytesLane) {
      std::swap(x, y);
      std::swap(xUnsigned, yUnsigned);
    }
    std::string name = byteDot(idiom == IdiomKind::MatrixBytes ? "mmla" : "dot",
                               xUnsigned, yUnsigned, x, y);
    return e.intrinsic(name, type, {accumulator, x, y});
  }
  case IdiomKind::MatrixBF16:
    return e.intrinsic(
        "llvm.aarch64.neon.bfmmla", type,
        {accumulator, asVector(e, x, bf16), asVector(e, y, bf16)});
  case IdiomKind::DotBF16Lane:
    return e.intrinsic(
        "llvm.aarch64.neon.bfdot.v4f32.v8bf16", type,
        {accumulator, asVector(e, y, bf16), asVector(e, x, bf16)});
  case IdiomKind::WidenBF16:
    return e.intrinsic(
        half ? "llvm.aarch64.neon.bfmlalt" : "llvm.aarch64.neon.bfmlalb", type,
        {accumulator, asVector(e, y, bf16), asVector(e, x, bf16)});
  case IdiomKind::WidenHalf:
    return e.intrinsic(half ? "llvm.aarch64.neon.fmlal2.v4f32.v8f16"
                            : "llvm.aarch64.neon.fmlal.v4f32.v8f16",
                       type, {accumulator, y, x});
  case IdiomKind::PairBytes:
    return addProducts(e, idiom, roles, accumulator,
                       multiply(e, idiom, roles, y, x, half, type));
  case IdiomKind::WidenBytes: {
    Value product =
        e.intrinsic(roles.vectorUnsigned ? "llvm.aarch64.neon.umull.v8i16"
                                         : "llvm.aarch64.neon.smull.v8i16",
                    type, {e.slice(y, 8 * half, 8), e.slice(x, 8 * half, 8)});
    return e.add(accumulator, product);
  }
  case IdiomKind::WidenWords: {
    Value product =
        e.intrinsic("llvm.aarch64.neon.smull.v4i32", type,
                    {e.slice(y, 4 * half, 4), e.slice(x, 4 * half, 4)});
    return e.add(accumulator, product);
  }
  default:
    return Emission::multiplyAccumulate(e, idiom, roles, accumulator, vector,
                                        broadcast, half);
  }
}

/// smull, smull2 of PairBytes, or those of unsigned bytes.
Value ArmEmission::multiply(Emitter &e, IdiomKind, const ByteRoles &roles,
                            Value vector, Value broadcast, int half,
                            Type) const {
  auto side = [&](Value bytes) {
    return e.slice(asVector(e, bytes, e.integer(8)), 8 * half, 8);
  };
  return e.intrinsic(roles.vectorUnsigned ? "llvm.aarch64.neon.umull.v8i16"
                                          : "llvm.aarch64.neon.smull.v8i16",
                     Emitter::vec(8, e.integer(16)),
                     {side(vector), side(broadcast)});
}

/// sadalp, uadalp.
Value ArmEmission::addProducts(Emitter &e, IdiomKind, const ByteRoles &roles,
                               Value accumulator, Value products) const {
  return e.add(accumulator,
               e.intrinsic(roles.vectorUnsigned
                               ? "llvm.aarch64.neon.uaddlp.v4i32.v8i16"
                               : "llvm.aarch64.neon.saddlp.v4i32.v8i16",
                           accumulator.getType(), {products}));
}

Emitter::Values ArmEmission::loadRegisters(Emitter &e, VectorType type,
                                           Value pointer, int count) const {
  Type element = type.getElementType();
  std::string name = ("llvm.aarch64.neon.ld1x" + llvm::Twine(count) + ".v" +
                      llvm::Twine(type.getNumElements()) +
                      (element.isBF16()                ? "bf"
                       : mlir::isa<FloatType>(element) ? "f"
                                                       : "i") +
                      llvm::Twine(element.getIntOrFloatBitWidth()) + ".p0")
                         .str();
  Type result = LLVM::LLVMStructType::getLiteral(
      e.b.getContext(), llvm::SmallVector<Type>(count, type));
  Value all = e.intrinsic(name, result, {pointer});
  Emitter::Values parts;
  for (int64_t i = 0; i < count; ++i)
    parts.push_back(LLVM::ExtractValueOp::create(e.b, e.loc, all,
                                                 llvm::ArrayRef<int64_t>{i}));
  return parts;
}

} // namespace tilewright
