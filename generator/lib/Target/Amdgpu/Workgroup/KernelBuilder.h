// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short names for the operations that workgroup kernels are made of: 32-bit
// arithmetic, parameters, buffers, LDS.

#ifndef TILEWRIGHT_LIB_TARGET_AMDGPU_WORKGROUP_KERNELBUILDER_H
#define TILEWRIGHT_LIB_TARGET_AMDGPU_WORKGROUP_KERNELBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Dialect/TwDialect.h"
#include "tilewright/key.h"
#include "tilewright/tile.h"
#include <cstddef>

namespace tilewright {

/// Byte offsets of tw_mmt4d_params_t's fields (tile.h).
namespace field {
inline constexpr int kLhs = offsetof(tw_mmt4d_params_t, lhs_buffer),
                     kRhs = offsetof(tw_mmt4d_params_t, rhs_buffer),
                     kOut = offsetof(tw_mmt4d_params_t, out_buffer);
/// From each of these.
inline constexpr int kOffset = offsetof(tw_mmt4d_params_t, lhs_offset) - kLhs,
                     kStride0 = offsetof(tw_mmt4d_params_t, lhs_stride0) - kLhs;
inline constexpr int kM = offsetof(tw_mmt4d_params_t, M),
                     kN = offsetof(tw_mmt4d_params_t, N),
                     kK = offsetof(tw_mmt4d_params_t, K),
                     kFlags = offsetof(tw_mmt4d_params_t, flags);
inline constexpr int kOutRowStride =
                         offsetof(tw_mmt4d_params_t, out_row_stride),
                     kLhsScales = offsetof(tw_mmt4d_params_t, lhs_scales),
                     kRhsScales = offsetof(tw_mmt4d_params_t, rhs_scales);
inline constexpr int kBytes = sizeof(tw_mmt4d_params_t);
} // namespace field

/// Offsets from here on are outside of every buffer: loads give zero, stores
/// nothing.
inline constexpr int64_t kNoOffset = int64_t(1) << 31;

class KernelBuilder {
public:
  KernelBuilder(mlir::OpBuilder &b, mlir::Location loc, tw_isa_t isa)
      : b(b), loc(loc), isa(isa) {}

  using Value = mlir::Value;
  using Type = mlir::Type;

  Type i32() { return b.getI32Type(); }
  Type i64() { return b.getI64Type(); }
  Type pointer(unsigned space) {
    return mlir::LLVM::LLVMPointerType::get(b.getContext(), space);
  }

  Value constant(Type type, int64_t value) {
    return mlir::arith::ConstantOp::create(b, loc,
                                           b.getIntegerAttr(type, value));
  }
  Value c32(int64_t value) {
    // The upper half of the range is written as negative numbers.
    return constant(i32(), static_cast<int32_t>(value));
  }
  Value c64(int64_t value) { return constant(i64(), value); }

  // Either operand may be a number.
  template <typename Op> Value binary(Value x, Value y) {
    return b.createOrFold<Op>(loc, x, y);
  }
  Value like(Value x, int64_t value) { return constant(x.getType(), value); }
  Value add(Value x, Value y) { return binary<mlir::arith::AddIOp>(x, y); }
  Value add(Value x, int64_t y) { return y ? add(x, like(x, y)) : x; }
  Value sub(Value x, Value y) { return binary<mlir::arith::SubIOp>(x, y); }
  Value mul(Value x, Value y) { return binary<mlir::arith::MulIOp>(x, y); }
  Value mul(Value x, int64_t y) { return y == 1 ? x : mul(x, like(x, y)); }
  Value div(Value x, int64_t y) {
    return y == 1 ? x : binary<mlir::arith::DivUIOp>(x, like(x, y));
  }
  Value rem(Value x, int64_t y) {
    return binary<mlir::arith::RemUIOp>(x, like(x, y));
  }
  Value select(Value condition, Value x, Value y) {
    return b.createOrFold<mlir::arith::SelectOp>(loc, condition, x, y);
  }
  Value compare(mlir::arith::CmpIPredicate predicate, Value x, Value y) {
    return b.createOrFold<mlir::arith::CmpIOp>(loc, predicate, x, y);
  }
  Value less(Value x, Value y) {
    return compare(mlir::arith::CmpIPredicate::slt, x, y);
  }
  Value both(Value x, Value y) { return binary<mlir::arith::AndIOp>(x, y); }
  Value narrow(Value x) {
    return mlir::arith::TruncIOp::create(b, loc, i32(), x);
  }
  Value widen(Value x) {
    return mlir::arith::ExtSIOp::create(b, loc, i64(), x);
  }
  Value fromIndex(Type type, Value x) {
    return mlir::arith::IndexCastOp::create(b, loc, type, x);
  }
  /// The same in all lanes, and known to be.
  Value uniform(Value x) {
    return mlir::ROCDL::ReadfirstlaneOp::create(b, loc, x.getType(), x);
  }
  Value bitcast(Type type, Value x) {
    return x.getType() == type
               ? x
               : Value(mlir::LLVM::BitcastOp::create(b, loc, type, x));
  }

  /// `count` i32; one alone is no vector.
  Type words(int count) {
    return count == 1 ? i32() : Type(mlir::VectorType::get({count}, i32()));
  }
  /// `count` of the words of `value` from `first` on.
  Value extractWords(Value value, int first, int count);
  Value concatWords(llvm::ArrayRef<Value> values);

  // Memory.
  Value advance(Value pointer, Value bytes) {
    return mlir::LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(),
                                     pointer,
                                     llvm::ArrayRef<mlir::LLVM::GEPArg>{bytes});
  }
  Value advance(Value pointer, int64_t bytes) {
    if (bytes == 0)
      return pointer;
    return mlir::LLVM::GEPOp::create(
        b, loc, pointer.getType(), b.getI8Type(), pointer,
        llvm::ArrayRef<mlir::LLVM::GEPArg>{static_cast<int32_t>(bytes)});
  }
  Value load(Type type, Value pointer, unsigned alignment) {
    return mlir::LLVM::LoadOp::create(b, loc, type, pointer, alignment);
  }
  Value parameter(Value params, int offset, Type type) {
    return load(type, advance(params, offset), 4);
  }
  /// The buffer of all that 31 bits of offset from `base` reach.
  Value buffer(Value base);
  Value bufferLoad(Type type, Value buffer, Value offset, Value uniformOffset);

  /// The alias scope of reads straight into LDS.
  mlir::ArrayAttr directReads();

  mlir::OpBuilder &b;
  mlir::Location loc;
  tw_isa_t isa;

private:
  mlir::ArrayAttr scopes;
};

/// Marks the operation that defines `value`, or `op`.
inline void markStage(mlir::Operation *op, tw::Stage stage) {
  op->setAttr(tw::kStage, tw::StageAttr::get(op->getContext(), stage));
}

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_AMDGPU_WORKGROUP_KERNELBUILDER_H
