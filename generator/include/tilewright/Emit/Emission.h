// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of a tile's code is an architecture's own: one object for each, beside
// its Target. The base class does what needs no target's intrinsics.

#ifndef TILEWRIGHT_EMIT_EMISSION_H
#define TILEWRIGHT_EMIT_EMISSION_H

#include "tilewright/Emit/Emitter.h"
#include "tilewright/Planning/TilePlan.h"

namespace tilewright {

class Emission {
public:
  virtual ~Emission();

  /// accumulator + vector * broadcast: `accumulator` has n lanes, the others n
  /// times the idiom's group, decoded. Where the idiom's accumulators take half
  /// of a register, `half` says which: both operands are whole registers then.
  virtual mlir::Value multiplyAccumulate(Emitter &e, IdiomKind idiom,
                                         const ByteRoles &roles,
                                         mlir::Value accumulator,
                                         mlir::Value vector,
                                         mlir::Value broadcast, int half) const;
  /// The same of an idiom with Idiom::addsApart in two: its products alone, for
  /// accumulators of `type`,
  virtual mlir::Value multiply(Emitter &e, IdiomKind idiom,
                               const ByteRoles &roles, mlir::Value vector,
                               mlir::Value broadcast, int half,
                               mlir::Type type) const;
  /// and accumulator + products.
  virtual mlir::Value addProducts(Emitter &e, IdiomKind idiom,
                                  const ByteRoles &roles,
                                  mlir::Value accumulator,
                                  mlir::Value products) const;
  /// The float, or the two, at `pointer` in all lanes of `type`: of
  /// Machine::repeatsIntegers, by its load of integers.
  virtual mlir::Value repeatFloats(Emitter &e, mlir::VectorType type,
                                   mlir::Value pointer, int count) const;
  /// The even lanes, or the odd ones, of 32 bits each of a vector of 64 bytes
  /// at `pointer`, each of them twice, by a load alone: of
  /// Machine::repeatsLanes.
  virtual mlir::Value repeatLanes(Emitter &e, mlir::VectorType type,
                                  mlir::Value pointer, bool odd) const;
  /// `count` registers, 2 to 4, of 16 bytes that follow one another, by one
  /// load: of Machine::namesLanes.
  virtual Emitter::Values loadRegisters(Emitter &e, mlir::VectorType type,
                                        mlir::Value pointer, int count) const;

  // ---- Of ISAs with scalable vectors
  /// i64: how many times kLeastVectorBits the length is that sizes of this
  /// scaling count, read outside of streaming mode.
  virtual mlir::Value vectorLengthFactor(mlir::OpBuilder &b, mlir::Location loc,
                                         const ScalingInfo &scaling) const;
  /// The body of a tile function whose plan has scalable vectors.
  virtual void emitScalableTile(Emitter &e, const TileKey &key,
                                const TilePlan &plan, mlir::Block &entry) const;
  /// Whether that body is to be in streaming mode.
  virtual bool isStreaming(const TilePlan &plan) const;

  // ---- Of loops of compiled models, on what has LoopMachine::scalesByPowers
  /// Whether the two below have instructions for `type`.
  virtual bool scalesByAnyPower(mlir::Type type) const;
  /// x * 2^n, rounded once; n is a whole number of x's type, of any size.
  virtual mlir::Value scaleByPower(mlir::OpBuilder &b, mlir::Location loc,
                                   mlir::Value x, mlir::Value n) const;
  /// The lesser magnitude of x and bound with the sign of x; a number if x is
  /// NaN.
  virtual mlir::Value lesserMagnitude(mlir::OpBuilder &b, mlir::Location loc,
                                      mlir::Value x, mlir::Value bound) const;
};

/// Of an architecture that tile plans are made for (IsaInfo::arch).
const Emission &emissionOf(llvm::StringRef arch);
/// Of its ISA.
const Emission &emissionOf(const IsaInfo &isa);

} // namespace tilewright

#endif // TILEWRIGHT_EMIT_EMISSION_H
