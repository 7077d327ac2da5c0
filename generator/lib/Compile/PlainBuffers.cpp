// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-plain-buffers: what upstream's bufferization leaves to libraries of its
// own.

#include "RowMajorView.h"
#include "mlir/IR/IRMapping.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Dialect/TwDialect.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_PLAINBUFFERS
#include "tilewright/Compile/Passes.h.inc"

namespace {

struct PlainBuffersPass : impl::PlainBuffersBase<PlainBuffersPass> {
  void runOnOperation() override {
    getOperation().walk([&](memref::CopyOp copy) { makeLoops(copy); });
    getOperation().walk([&](memref::ExpandShapeOp op) { makeView(op); });
    getOperation().walk([&](scf::IfOp op) { yieldContiguous(op); });
    getOperation().walk([&](tw::DispatchOp op) { useContiguous(op); });
    SmallVector<func::CallOp> calls;
    getOperation().walk([&](func::CallOp call) {
      func::FuncOp callee =
          getOperation().lookupSymbol<func::FuncOp>(call.getCallee());
      // Functions of the model itself take only what is plain in C.
      if (callee && callee.isPrivate() && takesBuffers(callee))
        calls.push_back(call);
    });
    for (func::CallOp call : calls)
      inlineCall(call);
  }

  /// Between buffers of which one is a part of another.
  static void makeLoops(memref::CopyOp copy) {
    auto isPlain = [](Value buffer) {
      return cast<MemRefType>(buffer.getType()).getLayout().isIdentity();
    };
    if (isPlain(copy.getSource()) && isPlain(copy.getTarget()))
      return;
    OpBuilder b(copy);
    linalg::CopyOp::create(b, copy.getLoc(), copy.getSource(),
                           copy.getTarget());
    copy.erase();
  }

  /// Of sizes that it says itself: upstream's lowering computes one of a group
  /// from the others, and dies of two that are not known.
  static void makeView(memref::ExpandShapeOp op) {
    MemRefType type = op.getResultType();
    if (!type.getLayout().isIdentity())
      return;
    ImplicitLocOpBuilder b(op.getLoc(), op);
    op.replaceAllUsesWith(rowMajorView(
        b, pointerTo(b, op.getSrc()),
        RankedTensorType::get(type.getShape(), type.getElementType()),
        op.getMixedOutputShape()));
    op.erase();
  }

  /// Where both branches yield what is contiguous, so is the result.
  static void yieldContiguous(scf::IfOp op) {
    for (OpResult result : op.getResults()) {
      auto type = dyn_cast<MemRefType>(result.getType());
      if (!type || type.getLayout().isIdentity())
        continue;
      unsigned number = result.getResultNumber();
      auto sourceOf = [&](scf::YieldOp yield) {
        auto cast = yield.getOperand(number).getDefiningOp<memref::CastOp>();
        return cast ? cast.getSource() : Value();
      };
      Value one = sourceOf(op.thenYield()), other = sourceOf(op.elseYield());
      if (!one || !other || one.getType() != other.getType() ||
          !isa<MemRefType>(one.getType()) ||
          !cast<MemRefType>(one.getType()).getLayout().isIdentity())
        continue;
      op.thenYield().setOperand(number, one);
      op.elseYield().setOperand(number, other);
      result.setType(cast<MemRefType>(one.getType()));
      OpBuilder b(op->getContext());
      b.setInsertionPointAfter(op);
      auto before = memref::CastOp::create(b, op.getLoc(), type, result);
      result.replaceAllUsesExcept(before.getResult(), before);
    }
  }

  /// What a loop carries has a type that says nothing of where elements lie,
  /// though what is carried is known to be contiguous.
  static void useContiguous(tw::DispatchOp op) {
    for (OpOperand &operand : op->getOpOperands())
      if (auto cast = operand.get().getDefiningOp<memref::CastOp>())
        if (auto source = dyn_cast<MemRefType>(cast.getSource().getType());
            source && source.getLayout().isIdentity())
          operand.set(cast.getSource());
  }

  /// Whose pointers alone would not say how large they are.
  static bool takesBuffers(func::FuncOp func) {
    return llvm::any_of(func.getArgumentTypes(), [](Type type) {
      auto buffer = dyn_cast<MemRefType>(type);
      return buffer && !buffer.hasStaticShape();
    });
  }

  /// Of a function of one block, which the callee's are: it frees memory.
  void inlineCall(func::CallOp call) {
    auto callee = getOperation().lookupSymbol<func::FuncOp>(call.getCallee());
    OpBuilder b(call);
    IRMapping mapping;
    mapping.map(callee.getArguments(), call.getOperands());
    Block &body = callee.getBody().front();
    for (Operation &op : body.without_terminator())
      b.clone(op, mapping);
    for (auto [result, value] : llvm::zip_equal(
             call.getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(mapping.lookupOrDefault(value));
    call.erase();
    if (SymbolTable::symbolKnownUseEmpty(callee, getOperation()))
      callee.erase();
  }
};

} // namespace
} // namespace tilewright
