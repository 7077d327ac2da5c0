// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw.keep_packed on buffers -> calls of tw_keep, in a function of its own.

#include "ContractionFields.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Encoding/Place.h"
#include "tilewright/Registry/Registry.h"
#include <cstddef>

using namespace mlir;

namespace tilewright {
namespace {

class KeepCaller : ContractionFields {
public:
  explicit KeepCaller(tw::KeepPackedOp op)
      : ContractionFields(op), op(op), key(op.getKey()),
        type(op.getMatrix().getType()),
        strides(type.getStridesAndOffset().first) {}

  void build() {
    func::FuncOp func = begin();
    allocate(func.getBody().front().getTerminator());
    Value matrices = pointerToBytes(b, func.getArgument(0));
    fill();
    Value yes = arith::ConstantIntOp::create(b, 1, 1);
    auto loop = scf::ForOp::create(b, constant(0), constant(matrixCount()),
                                   constant(1), ValueRange{yes});
    b.setInsertionPointToStart(loop.getBody());
    storeAt(offsetof(tw_contraction_t, matmul.rhs),
            advanced(matrices, bytesBefore(loop.getInductionVar())));
    Value panels = LLVM::CallOp::create(b, declareKeep(op), ValueRange{memory})
                       .getResult();
    Value none = LLVM::ZeroOp::create(b, memory.getType());
    Value isThere =
        LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, panels, none);
    Value areThere =
        arith::AndIOp::create(b, loop.getRegionIterArgs().front(), isThere);
    scf::YieldOp::create(b, areThere);
    func.getBody().front().getTerminator()->setOperands(loop.getResults());

    b.setInsertionPoint(op);
    auto call = func::CallOp::create(b, func, ValueRange{op.getMatrix()});
    op.getThere().replaceAllUsesWith(call.getResult(0));
    op.erase();
  }

private:
  /// A function for the device whose vectors it asks for their length; the
  /// builder goes on in it.
  func::FuncOp begin() {
    auto module = op->getParentOfType<ModuleOp>();
    unsigned count = 0;
    auto name = [&] { return ("tw.keep_packed." + Twine(count)).str(); };
    while (module.lookupSymbol(name()))
      ++count;
    b.setInsertionPoint(op->getParentOfType<func::FuncOp>());
    auto func = func::FuncOp::create(
        b, name(), b.getFunctionType({type}, {b.getI1Type()}));
    func.setPrivate();
    func->setAttr("llvm.linkage", LLVM::LinkageAttr::get(
                                      b.getContext(), LLVM::Linkage::Internal));
    placeLike(func, op);
    b.setInsertionPointToStart(func.addEntryBlock());
    Value yes = arith::ConstantIntOp::create(b, 1, 1);
    b.setInsertionPoint(func::ReturnOp::create(b, yes));
    return func;
  }

  /// All that tw_keep reads but where the matrix is.
  void fill() {
    int64_t k = 1;
    for (int64_t size : type.getShape().slice(op.getK(), op.getKDims()))
      k *= size;
    uint32_t flags = uint32_t(key.types);
    if (op.isTransposed())
      flags |= TW_MATMUL_FLAG_RHS_TRANSPOSED;
    word(offsetof(tw_contraction_t, matmul.rhs_stride),
         constant(strides[op.isTransposed() ? op.getN() : op.getK()]));
    word(offsetof(tw_contraction_t, matmul.N),
         constant(type.getDimSize(op.getN())));
    word(offsetof(tw_contraction_t, matmul.K), constant(k));
    number(offsetof(tw_contraction_t, matmul.flags), flags);
    nothing(offsetof(tw_contraction_t, parallel_for));
    number(offsetof(tw_contraction_t, tile_types), key.types);
    TileSizes sizes = tileSizes(b, key);
    storeSize(offsetof(tw_contraction_t, M0), sizes.m0);
    storeSize(offsetof(tw_contraction_t, N0), sizes.n0);
    number(offsetof(tw_contraction_t, K0), key.k0);
    nothing(offsetof(tw_contraction_t, pack_rhs));
    storeAt(offsetof(tw_contraction_t, kept), keptPanels(op));
  }

  bool isOfMatrix(int64_t dim) {
    return dim == int64_t(op.getN()) ||
           (dim >= int64_t(op.getK()) &&
            dim < int64_t(op.getK() + op.getKDims()));
  }

  int64_t matrixCount() {
    int64_t count = 1;
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      count *= isOfMatrix(dim) ? 1 : size;
    return count;
  }

  /// Between the first matrix and the one of this number.
  Value bytesBefore(Value number) {
    Value elements = constant(0);
    for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
      if (isOfMatrix(dim))
        continue;
      Value size = constant(type.getDimSize(dim));
      Value index = arith::RemUIOp::create(b, number, size);
      number = arith::DivUIOp::create(b, number, size);
      elements = arith::AddIOp::create(
          b, elements, arith::MulIOp::create(b, index, constant(strides[dim])));
    }
    return arith::MulIOp::create(b, elements,
                                 constant(type.getElementTypeBitWidth() / 8));
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }

  tw::KeepPackedOp op;
  TileKey key;
  MemRefType type;
  SmallVector<int64_t> strides;
};

} // namespace

LogicalResult callKeep(tw::KeepPackedOp op) {
  KeepCaller(op).build();
  return success();
}

} // namespace tilewright
