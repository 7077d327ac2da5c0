// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tilewright/Emit/Emission.h"
#include <utility>

using namespace mlir;

namespace tilewright {
namespace {

std::string sized(llvm::StringRef stem, int64_t bits) {
  return (stem + "." + llvm::Twine(bits)).str();
}

/// Intrinsics that appear, with WIDTH = 128, 256 or 512, and their operand
/// types: llvm.x86.avx512.vpdpbusd.WIDTH (i32 lanes, unsigned bytes, signed
/// bytes), llvm.x86.avx2.vpdpb{ssd,sud,uud}.{128,256} and
/// llvm.x86.avx10.vpdpb{ssd,sud,uud}.512 (i32 lanes, bytes, bytes),
/// llvm.x86.avx512.vpdpwssd.WIDTH (i32 lanes, i16, i16),
/// llvm.x86.{sse2.pmadd.wd,avx2.pmadd.wd,avx512.pmaddw.d.512} (i16, i16),
/// llvm.x86.avx512bf16.dpbf16ps.WIDTH (f32 lanes, bf16, bf16).
class X86Emission : public Emission {
public:
  Value multiplyAccumulate(Emitter &e, IdiomKind idiom, const ByteRoles &roles,
                           Value accumulator, Value vector, Value broadcast,
                           int half) const override;

  /// Exact but for two products of -32768 * -32768, whose sum wraps as it
  /// should.
  Value multiply(Emitter &e, IdiomKind, const ByteRoles &, Value vector,
                 Value broadcast, int, Type type) const override {
    int64_t bits = 8 * Emitter::bytesOf(type);
    llvm::StringRef name = bits == 512   ? "llvm.x86.avx512.pmaddw.d.512"
                           : bits == 256 ? "llvm.x86.avx2.pmadd.wd"
                                         : "llvm.x86.sse2.pmadd.wd";
    return e.intrinsic(name, type, {vector, broadcast});
  }

  /// vpbroadcastd and vpbroadcastq, which LLVM itself writes as vbroadcastss
  /// and vbroadcastsd.
  Value repeatFloats(Emitter &e, VectorType type, Value pointer,
                     int count) const override {
    return count == 1 ? e.loadBy("vpbroadcastd $1, $0", type, e.b.getF32Type(),
                                 pointer)
                      : e.loadBy("vpbroadcastq $1, $0", type, e.b.getF64Type(),
                                 pointer);
  }

  /// vmovsldup and vmovshdup, of which LLVM would make shuffles of one load.
  Value repeatLanes(Emitter &e, VectorType type, Value pointer,
                    bool odd) const override {
    return e.loadBy(odd ? "vmovshdup $1, $0" : "vmovsldup $1, $0", type, type,
                    pointer);
  }

  /// vscalefps and vrangeps.
  bool scalesByAnyPower(Type type) const override;
  Value scaleByPower(OpBuilder &b, Location loc, Value x,
                     Value n) const override;
  Value lesserMagnitude(OpBuilder &b, Location loc, Value x,
                        Value bound) const override;
};

Value X86Emission::multiplyAccumulate(Emitter &e, IdiomKind idiom,
                                      const ByteRoles &roles, Value accumulator,
                                      Value vector, Value broadcast,
                                      int half) const {
  Type type = accumulator.getType();
  int64_t bits = 8 * Emitter::bytesOf(type);
  switch (idiom) {
  case IdiomKind::DotBytes: {
    Value x = vector, y = broadcast;
    if (!roles.vectorUnsigned)
      std::swap(x, y);
    return e.intrinsic(sized("llvm.x86.avx512.vpdpbusd", bits), type,
                       {accumulator, x, y});
  }
  case IdiomKind::DotBytesSigned: {
    bool xUnsigned = roles.vectorUnsigned, yUnsigned = roles.broadcastUnsigned;
    Value x = vector, y = broadcast;
    // There is signed x unsigned, but not the other way round.
    if (xUnsigned && !yUnsigned) {
      std::swap(x, y);
      std::swap(xUnsigned, yUnsigned);
    }
    llvm::StringRef signs = xUnsigned ? "uud" : yUnsigned ? "sud" : "ssd";
    std::string stem =
        (bits == 512 ? "llvm.x86.avx10.vpdpb" : "llvm.x86.avx2.vpdpb") +
        signs.str();
    return e.intrinsic(sized(stem, bits), type, {accumulator, x, y});
  }
  case IdiomKind::DotWords:
    return e.intrinsic(sized("llvm.x86.avx512.vpdpwssd", bits), type,
                       {accumulator, vector, broadcast});
  case IdiomKind::MaddWords:
    return e.add(accumulator,
                 multiply(e, idiom, roles, vector, broadcast, half, type));
  case IdiomKind::DotBF16: {
    VectorType pairs =
        Emitter::vec(Emitter::lanesOf(vector), e.b.getBF16Type());
    return e.intrinsic(
        sized("llvm.x86.avx512bf16.dpbf16ps", bits), type,
        {accumulator, e.bitcast(vector, pairs), e.bitcast(broadcast, pairs)});
  }
  default:
    return Emission::multiplyAccumulate(e, idiom, roles, accumulator, vector,
                                        broadcast, half);
  }
}

/// AVX-512's, with all lanes on and the current rounding.
Value masked(OpBuilder &b, Location loc, llvm::StringRef name,
             llvm::ArrayRef<Value> operands, Value off) {
  llvm::SmallVector<Value> all(operands);
  all.append({off, arith::ConstantIntOp::create(b, loc, -1, 16),
              arith::ConstantIntOp::create(b, loc, 4, 32)});
  return LLVM::CallIntrinsicOp::create(b, loc, off.getType(),
                                       b.getStringAttr(name), all)
      .getResult(0);
}

bool X86Emission::scalesByAnyPower(Type type) const {
  auto vector = llvm::dyn_cast<VectorType>(type);
  return vector && vector.getNumElements() == 16;
}

Value X86Emission::scaleByPower(OpBuilder &b, Location loc, Value x,
                                Value n) const {
  return masked(b, loc, "llvm.x86.avx512.mask.scalef.ps.512", {x, n}, x);
}

Value X86Emission::lesserMagnitude(OpBuilder &b, Location loc, Value x,
                                   Value bound) const {
  Value how = arith::ConstantIntOp::create(b, loc, 2, 32);
  return masked(b, loc, "llvm.x86.avx512.mask.range.ps.512", {x, bound, how},
                x);
}

} // namespace

const Emission &x86Emission() {
  static const X86Emission emission;
  return emission;
}

} // namespace tilewright
