// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emission of one multiply-accumulate of an idiom.

#ifndef TILEWRIGHT_TARGETS_MULTIPLY_H
#define TILEWRIGHT_TARGETS_MULTIPLY_H

#include "tilewright/Planning/Idiom.h"
#include "tilewright/Targets/Emitter.h"

namespace tilewright {

/// accumulator + vector * broadcast: `accumulator` has n lanes, the others n
/// times the idiom's group, decoded.
///
/// Intrinsics that appear in the result, with WIDTH = 128, 256 or 512, and
/// their operand types: llvm.x86.avx512.vpdpbusd.WIDTH (i32 lanes, unsigned
/// bytes, signed bytes), llvm.x86.avx2.vpdpb{ssd,sud,uud}.{128,256} (i32 lanes,
/// bytes, bytes), llvm.x86.avx512.vpdpwssd.WIDTH (i32 lanes, i16, i16),
/// llvm.x86.{sse2.pmadd.wd,avx2.pmadd.wd,avx512.pmaddw.d.512} (i16, i16),
/// llvm.x86.avx512bf16.dpbf16ps.WIDTH (f32 lanes, bf16, bf16);
/// llvm.aarch64.neon.{s,u,us}mmla.v4i32.v16i8, {s,u,us}dot.v4i32.v16i8, bfmmla,
/// bfdot.v4f32.v8bf16, bfmlalb, bfmlalt, smull.v4i32,
/// fmlal.v4f32.v8f16, fmlal2.v4f32.v8f16.
///
/// Where the idiom's accumulators take half of a register, `half` says which:
/// both operands are whole registers then.
mlir::Value multiplyAccumulate(Emitter &e, IdiomKind idiom,
                               const ByteRoles &roles, mlir::Value accumulator,
                               mlir::Value vector, mlir::Value broadcast,
                               int half = 0);

/// The products of MaddWords, without the addition.
mlir::Value multiplyWords(Emitter &e, mlir::Value vector, mlir::Value broadcast,
                          mlir::Type result);

/// The x86 idioms of the above.
mlir::Value multiplyAccumulateX86(Emitter &e, IdiomKind idiom,
                                  const ByteRoles &roles,
                                  mlir::Value accumulator, mlir::Value vector,
                                  mlir::Value broadcast);

/// The arm_64 idioms of the above.
mlir::Value multiplyAccumulateArm(Emitter &e, IdiomKind idiom,
                                  const ByteRoles &roles,
                                  mlir::Value accumulator, mlir::Value vector,
                                  mlir::Value broadcast, int half);

} // namespace tilewright

#endif // TILEWRIGHT_TARGETS_MULTIPLY_H
