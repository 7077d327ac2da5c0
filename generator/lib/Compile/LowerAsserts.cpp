// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-lower-asserts: cf.assert -> returns of a status.

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/EntryNames.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_LOWERASSERTS
#include "tilewright/Compile/Passes.h.inc"

namespace {

class Lowering {
public:
  explicit Lowering(func::FuncOp func)
      : func(func), b(func.getLoc(), func.getContext()) {}

  LogicalResult run() {
    SmallVector<cf::AssertOp> checks;
    func.walk([&](cf::AssertOp op) { checks.push_back(op); });
    if (checks.empty())
      return success();
    bool launches = false;
    func.walk([&](LLVM::CallOp call) { launches |= beginsOnDevices(call); });
    return launches ? record(checks) : stop(checks);
  }

private:
  int64_t statusOf(cf::AssertOp check) {
    return check->getAttrOfType<IntegerAttr>(kStatusAttr).getInt();
  }

  LogicalResult stop(ArrayRef<cf::AssertOp> checks) {
    auto module = func->getParentOfType<ModuleOp>();
    auto giveBack = module.lookupSymbol<func::FuncOp>(kGiveBackFunction);
    if (!giveBack) {
      b.setInsertionPointToStart(module.getBody());
      giveBack =
          func::FuncOp::create(b, kGiveBackFunction, b.getFunctionType({}, {}));
      giveBack.setPrivate();
    }
    Block *end = b.createBlock(&func.getBody(), func.getBody().end(),
                               {b.getI32Type()}, {func.getLoc()});
    func::CallOp::create(b, giveBack, ValueRange());
    func::ReturnOp::create(b, end->getArgument(0));
    for (cf::AssertOp check : checks) {
      Block *rest = check->getBlock()->splitBlock(check->getNextNode());
      b.setInsertionPoint(check);
      Value status = arith::ConstantIntOp::create(b, statusOf(check), 32);
      cf::CondBranchOp::create(b, check.getArg(), rest, ValueRange(), end,
                               ValueRange{status});
      check.erase();
    }
    return success();
  }

  /// Of a function that launches kernels, which must come to its end.
  LogicalResult record(ArrayRef<cf::AssertOp> checks) {
    b.setInsertionPointToStart(&func.getBody().front());
    Type i32 = b.getI32Type();
    Value zero = arith::ConstantIntOp::create(b, 0, 32);
    Value cell = LLVM::AllocaOp::create(
        b, LLVM::LLVMPointerType::get(b.getContext()), i32,
        LLVM::ConstantOp::create(b, b.getI64Type(), 1));
    LLVM::StoreOp::create(b, zero, cell);
    // What is recorded, unless something failed before.
    auto firstOf = [&](Value status) -> Value {
      Value before = LLVM::LoadOp::create(b, i32, cell);
      Value none =
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, before, zero);
      return arith::SelectOp::create(b, none, status, before);
    };
    for (cf::AssertOp check : checks) {
      if (statusOf(check) < kFirstAssertion)
        return check.emitOpError()
               << "of sizes in a branch or a loop cannot stop what runs on a "
                  "GPU; have it run on the host, or say the sizes in types";
      b.setInsertionPoint(check);
      Value status = arith::SelectOp::create(
          b, check.getArg(), zero,
          arith::ConstantIntOp::create(b, statusOf(check), 32));
      Value first = firstOf(status);
      LLVM::StoreOp::create(b, first, cell);
      check.erase();
    }
    func.walk([&](func::ReturnOp end) {
      b.setInsertionPoint(end);
      end.setOperand(0, firstOf(end.getOperand(0)));
    });
    return success();
  }

  func::FuncOp func;
  ImplicitLocOpBuilder b;
};

/// Of a module: each function may declare what gives back.
struct LowerAssertsPass : impl::LowerAssertsBase<LowerAssertsPass> {
  void runOnOperation() override {
    for (func::FuncOp func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (failed(Lowering(func).run()))
        return signalPassFailure();
  }
};

} // namespace
} // namespace tilewright
