// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Targets/Multiply.h"
#include "llvm/Support/ErrorHandling.h"
#include <utility>

using namespace mlir;

namespace tilewright {
namespace {

std::string sized(llvm::StringRef stem, int64_t bits) {
  return (stem + "." + llvm::Twine(bits)).str();
}

} // namespace

/// Exact but for two products of -32768 * -32768, whose sum wraps as it should.
Value multiplyWords(Emitter &e, Value vector, Value broadcast, Type result) {
  int64_t bits = 8 * Emitter::bytesOf(result);
  llvm::StringRef name = bits == 512   ? "llvm.x86.avx512.pmaddw.d.512"
                         : bits == 256 ? "llvm.x86.avx2.pmadd.wd"
                                       : "llvm.x86.sse2.pmadd.wd";
  return e.intrinsic(name, result, {vector, broadcast});
}

Value multiplyAccumulateX86(Emitter &e, IdiomKind idiom, const ByteRoles &roles,
                            Value accumulator, Value vector, Value broadcast) {
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
    llvm::StringRef stem = xUnsigned   ? "llvm.x86.avx2.vpdpbuud"
                           : yUnsigned ? "llvm.x86.avx2.vpdpbsud"
                                       : "llvm.x86.avx2.vpdpbssd";
    return e.intrinsic(sized(stem, bits), type, {accumulator, x, y});
  }
  case IdiomKind::DotWords:
    return e.intrinsic(sized("llvm.x86.avx512.vpdpwssd", bits), type,
                       {accumulator, vector, broadcast});
  case IdiomKind::MaddWords:
    return e.add(accumulator, multiplyWords(e, vector, broadcast, type));
  case IdiomKind::DotBF16: {
    VectorType pairs =
        Emitter::vec(Emitter::lanesOf(vector), e.b.getBF16Type());
    return e.intrinsic(
        sized("llvm.x86.avx512bf16.dpbf16ps", bits), type,
        {accumulator, e.bitcast(vector, pairs), e.bitcast(broadcast, pairs)});
  }
  default:
    break;
  }
  llvm_unreachable("not an x86 idiom");
}

} // namespace tilewright
