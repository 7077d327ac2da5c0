// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-track-allocations: what a function that returns early has allocated.

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Parser/Parser.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_TRACKALLOCATIONS
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// A ring of blocks, each behind two pointers, to the next and to the one
/// before, in a cache line of its own; the list itself is such a pair.
constexpr const char *helpers = R"mlir(
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @free(!llvm.ptr)

llvm.func internal @tw.allocate(%list: !llvm.ptr, %size: i64) -> !llvm.ptr {
  %header = llvm.mlir.constant(64 : i64) : i64
  %all = llvm.add %size, %header : i64
  %block = llvm.call @malloc(%all) : (i64) -> !llvm.ptr
  %next = llvm.load %list : !llvm.ptr -> !llvm.ptr
  llvm.store %next, %block : !llvm.ptr, !llvm.ptr
  %before = llvm.getelementptr %block[8] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.store %list, %before : !llvm.ptr, !llvm.ptr
  %after = llvm.getelementptr %next[8] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.store %block, %after : !llvm.ptr, !llvm.ptr
  llvm.store %block, %list : !llvm.ptr, !llvm.ptr
  %memory = llvm.getelementptr %block[64] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.return %memory : !llvm.ptr
}

llvm.func internal @tw.release(%memory: !llvm.ptr) {
  %block = llvm.getelementptr %memory[-64] : (!llvm.ptr) -> !llvm.ptr, i8
  %at = llvm.getelementptr %block[8] : (!llvm.ptr) -> !llvm.ptr, i8
  %next = llvm.load %block : !llvm.ptr -> !llvm.ptr
  %before = llvm.load %at : !llvm.ptr -> !llvm.ptr
  llvm.store %next, %before : !llvm.ptr, !llvm.ptr
  %after = llvm.getelementptr %next[8] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.store %before, %after : !llvm.ptr, !llvm.ptr
  llvm.call @free(%block) : (!llvm.ptr) -> ()
  llvm.return
}

llvm.func internal @tw.release_all(%list: !llvm.ptr) {
  %first = llvm.load %list : !llvm.ptr -> !llvm.ptr
  llvm.br ^check(%first : !llvm.ptr)
^check(%block: !llvm.ptr):
  %done = llvm.icmp "eq" %block, %list : !llvm.ptr
  llvm.cond_br %done, ^end, ^free
^free:
  %next = llvm.load %block : !llvm.ptr -> !llvm.ptr
  llvm.call @free(%block) : (!llvm.ptr) -> ()
  llvm.br ^check(%next : !llvm.ptr)
^end:
  llvm.return
}
)mlir";

struct TrackAllocationsPass : impl::TrackAllocationsBase<TrackAllocationsPass> {
  void runOnOperation() override {
    auto giveBack =
        getOperation().lookupSymbol<LLVM::LLVMFuncOp>(kGiveBackFunction);
    if (!giveBack)
      return;
    addHelpers();
    for (auto func : getOperation().getOps<LLVM::LLVMFuncOp>())
      track(func);
    giveBack.erase();
  }

  void addHelpers() {
    Block parsed;
    if (failed(
            parseSourceString(helpers, &parsed, ParserConfig(&getContext()))))
      return signalPassFailure();
    for (Operation &op : llvm::make_early_inc_range(parsed)) {
      StringAttr name = SymbolTable::getSymbolName(&op);
      if (!getOperation().lookupSymbol(name))
        op.moveBefore(getOperation().getBody(),
                      getOperation().getBody()->end());
    }
  }

  void track(LLVM::LLVMFuncOp func) {
    SmallVector<LLVM::CallOp> calls;
    bool givesBack = false;
    func.walk([&](LLVM::CallOp call) {
      calls.push_back(call);
      givesBack |= call.getCallee() == StringRef(kGiveBackFunction);
    });
    if (!givesBack)
      return;
    ImplicitLocOpBuilder b(func.getLoc(), func.getContext());
    b.setInsertionPointToStart(&func.getBody().front());
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    Value list =
        LLVM::AllocaOp::create(b, pointer, LLVM::LLVMArrayType::get(pointer, 2),
                               LLVM::ConstantOp::create(b, b.getI64Type(), 1));
    Value before = LLVM::GEPOp::create(b, pointer, pointer, list,
                                       ArrayRef<LLVM::GEPArg>{1});
    LLVM::StoreOp::create(b, list, list);
    LLVM::StoreOp::create(b, list, before);
    for (LLVM::CallOp call : calls) {
      StringRef callee = call.getCallee().value_or("");
      b.setInsertionPoint(call);
      auto replace = [&](StringRef name, ValueRange operands) {
        auto helper = getOperation().lookupSymbol<LLVM::LLVMFuncOp>(name);
        auto made = LLVM::CallOp::create(b, helper, operands);
        call.replaceAllUsesWith(made.getResults());
        call.erase();
      };
      if (callee == "malloc")
        replace("tw.allocate", {list, call.getOperand(0)});
      else if (callee == "free")
        replace("tw.release", {call.getOperand(0)});
      else if (callee == kGiveBackFunction)
        replace("tw.release_all", {list});
    }
  }
};

} // namespace
} // namespace tilewright
