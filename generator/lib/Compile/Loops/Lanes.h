// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a linalg operation for several of its elements at a time, one in
// each lane of a vector.

#ifndef TILEWRIGHT_LIB_COMPILE_LOOPS_LANES_H
#define TILEWRIGHT_LIB_COMPILE_LOOPS_LANES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// A scalar of the body in all lanes: `scalar` + lane * `stride`, or what
/// `vector` says where the lanes follow no such rule.
struct Lanes {
  mlir::Value scalar = {};
  int64_t stride = 0;
  mlir::Value vector = {};

  bool isUniform() const { return scalar && stride == 0; }
  bool isLinear() const { return static_cast<bool>(scalar); }
};

/// Elements that are part of a byte as the bytes that both are in the end, in
/// the same memory; others as they are.
mlir::Value asBytes(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer);

/// Builds the body for `width` elements; of width 1 all is scalar.
class LaneBuilder {
public:
  /// `mask`: the lanes that have an element; null for all.
  LaneBuilder(mlir::ImplicitLocOpBuilder &b, int64_t width,
              mlir::Value mask = {})
      : b(b), width(width), mask(mask) {}

  /// Whether it may be computed of any operands: not a division by what may be
  /// zero.
  static bool mayCompute(mlir::Operation &op);
  /// What a body may not have, on tensors as on their buffers; null if nothing.
  static mlir::Operation *findUnsupported(mlir::Block &body);

  /// The operation's index `at` of each loop.
  void setIndices(llvm::ArrayRef<Lanes> at) {
    loopIndices.assign(at.begin(), at.end());
  }
  void set(mlir::Value scalarOfBody, const Lanes &lanes) {
    values[scalarOfBody] = lanes;
  }
  /// What the body yields.
  llvm::SmallVector<Lanes> build(mlir::Block &body);

  /// What the map gives of the indices of the loops.
  llvm::SmallVector<Lanes> apply(mlir::AffineMap map);
  static bool isSupported(mlir::AffineMap map);

  Lanes load(mlir::Value buffer, llvm::ArrayRef<Lanes> at);
  void store(mlir::Value buffer, llvm::ArrayRef<Lanes> at, const Lanes &value);

  /// The vector; the scalar itself of width 1.
  mlir::Value materialize(const Lanes &lanes);
  /// `value` where the mask has a lane, else `otherwise`.
  mlir::Value inMask(mlir::Value value, mlir::Value otherwise);

private:
  struct Place;

  Lanes get(mlir::Value value);
  Lanes wrap(mlir::Value built);
  void build(mlir::Operation &op);
  bool buildLinear(mlir::Operation &op);
  void buildElementwise(mlir::Operation &op);
  void buildIf(mlir::scf::IfOp op);
  Lanes add(const Lanes &x, const Lanes &y);
  Lanes multiply(const Lanes &x, int64_t factor);
  Lanes evaluate(mlir::AffineExpr expr);
  Place place(mlir::Value buffer, llvm::ArrayRef<Lanes> at);
  mlir::Value wholeMask();
  Lanes loadBits(mlir::Value buffer, llvm::ArrayRef<Lanes> at);
  mlir::VectorType vectorOf(mlir::Type element) const {
    return mlir::VectorType::get({width}, element);
  }

  mlir::ImplicitLocOpBuilder &b;
  int64_t width;
  mlir::Value mask;
  /// In a branch that not all lanes take.
  bool isDivergent = false;
  llvm::SmallVector<Lanes> loopIndices;
  llvm::DenseMap<mlir::Value, Lanes> values;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_LOOPS_LANES_H
