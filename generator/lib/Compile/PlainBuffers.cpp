// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-plain-buffers: what upstream's bufferization leaves to libraries of its
// own.

#include "RowMajorView.h"
#include "mlir/IR/IRMapping.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_PLAINBUFFERS
#include "tilewright/Compile/Passes.h.inc"

namespace {

struct PlainBuffersPass : impl::PlainBuffersBase<PlainBuffersPass> {
  void runOnOperation() override {
    getOperation().walk([&](memref::CopyOp copy) { makeLoops(copy); });
    getOperation().walk([&](memref::ExpandShapeOp op) { makeView(op); });
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
