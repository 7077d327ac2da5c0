// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-require-amx: entry points that call tiles by AMX compute only where the
// process may use it.

#include "EntryMessages.h"
#include "TileCalls.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Compile/EntryNames.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Registry/Registry.h"
#include "tilewright/status.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_REQUIREAMX
#include "tilewright/Compile/Passes.h.inc"

namespace {

constexpr StringRef kWhyNot =
    "it multiplies by AMX, which this process may not use; expected the "
    "program to call tw_cpu_permit_amx before, on a CPU that has it";

struct RequireAmxPass : impl::RequireAmxBase<RequireAmxPass> {
  void runOnOperation() override {
    llvm::SetVector<func::FuncOp> users = usersOfAmx();
    for (func::FuncOp body : users)
      if (body.getName().ends_with(kBodySuffix))
        guard(body);
  }

private:
  /// The functions that call tiles by AMX, or each other.
  llvm::SetVector<func::FuncOp> usersOfAmx() {
    llvm::SetVector<func::FuncOp> found;
    auto add = [&](Operation *op) {
      if (auto func = op->getParentOfType<func::FuncOp>())
        found.insert(func);
    };
    getOperation().walk([&](Operation *op) {
      // All of these tiles are, and no others.
      if (llvm::any_of(tilesOf(op),
                       [](const TileKey &key) { return key.vnni; }))
        add(op);
    });
    SymbolTableCollection symbols;
    SymbolUserMap callers(symbols, getOperation());
    for (size_t i = 0; i < found.size(); ++i)
      for (Operation *caller : callers.getUsers(found[i]))
        add(caller);
    return found;
  }

  void guard(func::FuncOp body) {
    SmallVector<func::CallOp> calls;
    getOperation().walk([&](func::CallOp call) {
      if (call.getCallee() == body.getName())
        calls.push_back(call);
    });
    for (func::CallOp call : calls) {
      auto entry = call->getParentOfType<func::FuncOp>();
      if (entry->hasAttr(kCArgumentsAttr))
        entry->setAttr(kNeedsAmxAttr, UnitAttr::get(&getContext()));
      guard(call);
    }
    StringRef name = body.getName().drop_back(kBodySuffix.size());
    if (auto messages = getOperation().lookupSymbol<func::FuncOp>(
            (name + kMessageSuffix).str()))
      addMessage(messages, TW_STATUS_UNSUPPORTED, kWhyNot);
  }

  static void guard(func::CallOp call) {
    ImplicitLocOpBuilder b(call.getLoc(), call);
    Value answer =
        LLVM::CallOp::create(
            b, declareFunction(call, kMayUseAmxFunction, {}, b.getI32Type()),
            ValueRange())
            ->getResult(0);
    Value may = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, answer,
                                      arith::ConstantIntOp::create(b, 0, 32));
    auto choice = scf::IfOp::create(b, call.getResultTypes(), may,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    call->replaceAllUsesWith(choice);
    b.setInsertionPointToStart(choice.elseBlock());
    Value refused = arith::ConstantIntOp::create(b, TW_STATUS_UNSUPPORTED, 32);
    scf::YieldOp::create(b, refused);
    b.setInsertionPointToStart(choice.thenBlock());
    auto yield = scf::YieldOp::create(b, call.getResults());
    call->moveBefore(yield);
  }
};

} // namespace
} // namespace tilewright
