// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A short hand for the few operations that tile code consists of: byte-offset
// pointers, whole and partial vectors, lane shuffles, loops.

#ifndef TILEWRIGHT_EMIT_EMITTER_H
#define TILEWRIGHT_EMIT_EMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "tilewright/Planning/Target.h"
#include "tilewright/key.h"
#include <functional>

namespace tilewright {

/// Unit attribute of a loop whose body does not use the index and whose step
/// divides its range: it is to count down to zero.
inline constexpr llvm::StringLiteral kCountsDown = "tilewright.counts_down";
/// Of such a loop, whatever its step: the bytes by which its second carried
/// value, a pointer, advances for each of the index. It is to end where that
/// pointer arrives, without a counter.
inline constexpr llvm::StringLiteral kBytesPerIndex =
    "tilewright.bytes_per_index";

class Emitter {
public:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<mlir::Value>;

  Emitter(mlir::OpBuilder &builder, mlir::Location loc, const IsaInfo &isa)
      : b(builder), loc(loc), isa(isa), machine(machineOf(isa)) {}

  mlir::OpBuilder &b;
  mlir::Location loc;
  const IsaInfo &isa;
  const Machine &machine;

  // ---- Types
  mlir::Type integer(int bits) { return b.getIntegerType(bits); }
  mlir::Type f32() { return b.getF32Type(); }
  mlir::Type f64() { return b.getF64Type(); }
  mlir::Type f16() { return b.getF16Type(); }
  mlir::Type pointer();
  static mlir::VectorType vec(int64_t lanes, mlir::Type element);
  static int64_t lanesOf(Value vector);
  static mlir::Type elementOf(Value vector);
  static int64_t bytesOf(mlir::Type type);

  // ---- Constants
  Value i64(int64_t value);
  /// A scalar or splat constant of `type`, its bits truncated to the element.
  Value constant(mlir::Type type, int64_t value);
  Value zero(mlir::Type type);
  Value poison(mlir::Type type);

  // ---- Arithmetic on scalars and vectors alike
  Value add(Value x, Value y); ///< by type
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value band(Value x, int64_t mask);
  Value bor(Value x, Value y);
  Value bxor(Value x, int64_t mask);
  Value shl(Value x, int bits);
  Value shr(Value x, int bits); ///< logical
  Value sar(Value x, int bits); ///< arithmetic
  Value zext(Value x, mlir::Type element);
  Value sext(Value x, mlir::Type element);
  Value trunc(Value x, mlir::Type element);
  Value bitcast(Value x, mlir::Type type);
  Value icmp(mlir::arith::CmpIPredicate predicate, Value x, int64_t constant);
  Value select(Value condition, Value x, Value y);
  Value fma(Value x, Value y, Value z);
  Value intrinsic(llvm::StringRef name, mlir::Type result, Values operands);

  /// `x`, opaque to LLVM and in its place between other such values: an empty
  /// assembly statement.
  Value keepOrder(Value x);
  /// The same for several at once: all are computed before any is used.
  Values keepOrder(const Values &xs);

  /// Inline assembly: an instruction, or none, which hides values from LLVM.
  Value assembly(mlir::Type result, llvm::ArrayRef<Value> operands,
                 llvm::StringRef text, llvm::StringRef constraints,
                 bool hasSideEffects, mlir::ArrayAttr operandAttrs = {});
  /// A pointer of which LLVM does not know where it came from.
  Value opaquePointer(Value x);
  /// The same, behind what makes the vector `first`: so is what it loads.
  Value pointerAfter(Value x, Value first);
  /// What the instruction `text` makes of an `element` at `pointer`: $0 is the
  /// register, $1 the memory.
  Value loadBy(llvm::StringRef text, mlir::VectorType type, mlir::Type element,
               Value pointer);

  // ---- Memory; offsets in bytes
  Value stackBuffer(int64_t bytes, int align = 64);
  Value offset(Value pointer, int64_t bytes);
  enum class Cache { L1, L2 };
  /// Asks for the cache line at `pointer`, where nothing need be.
  void prefetch(Value pointer, Cache into);
  Value offset(Value pointer, Value bytes);
  Value load(mlir::Type type, Value pointer, int align);
  void store(Value value, Value pointer, int align);
  /// Loads the first `valid` elements of a vector and touches no byte beyond
  /// them; the other lanes are zero.
  Value loadPart(mlir::VectorType type, Value pointer, int64_t valid,
                 int align);
  /// Stores the first `valid` elements of a vector and no byte beyond them.
  void storePart(Value value, Value pointer, int64_t valid, int align);

  // ---- Lanes
  Value splat(Value scalar, int64_t lanes);
  Value shuffle(Value x, Value y, llvm::ArrayRef<int64_t> lanes);
  /// The lanes [begin, begin + count); beyond the end poison.
  Value slice(Value x, int64_t begin, int64_t count);
  /// `parts` one after another; their number is a power of two.
  Value concat(llvm::ArrayRef<Value> parts);
  /// `x` over and over, `times` times.
  Value repeat(Value x, int64_t times);

  // ---- Control
  /// for (i = begin; i < end; i += step) carries = body(i, carries); yields the
  /// last carries. Indices are i64.
  Values loop(Value begin, Value end, int64_t step, Values carries,
              llvm::function_ref<Values(Value, Values)> body);
  Values ifElse(Value condition, llvm::function_ref<Values()> then,
                llvm::function_ref<Values()> otherwise);
  void ifThen(Value condition, llvm::function_ref<void()> then);

private:
  bool masksElements(mlir::VectorType type) const;
  Value mask(int64_t lanes, int64_t valid);
  mlir::Type withElement(mlir::Type type, mlir::Type element);
};

} // namespace tilewright

#endif // TILEWRIGHT_EMIT_EMITTER_H
