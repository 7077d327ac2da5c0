// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ArenaEntryPoints.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tilewright/Compile/EntryNames.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/status.h"

using namespace mlir;

namespace tilewright {
namespace {

class ArenaEntryPoints {
public:
  ArenaEntryPoints(func::FuncOp entry, func::FuncOp check, func::FuncOp body,
                   const ArenaLayout &layout)
      : entry(entry), check(check), body(body), layout(layout),
        b(entry.getLoc(), entry.getContext()),
        arenaType(cast<MemRefType>(body.getArgumentTypes().back())),
        sizeArguments(checkedArguments(entry)) {}

  LogicalResult build() {
    for (StringRef suffix : {kWorkspaceBytesSuffix, kWithWorkspaceSuffix}) {
      std::string name = (entry.getName() + suffix).str();
      if (SymbolTable::lookupNearestSymbolFrom(entry, b.getStringAttr(name)))
        return entry.emitError("the model has a function '")
               << name << "', which the header needs beside '"
               << entry.getName() << "'; give one of the two another name";
    }
    b.setInsertionPointAfter(entry);
    buildWorkspaceBytes();
    b.setInsertionPointAfter(workspaceBytes);
    buildWithWorkspace();
    rebuildEntry();
    return success();
  }

private:
  Value status(tw_status_t value) {
    return arith::ConstantIntOp::create(b, value, 32);
  }
  Value word(int64_t value) {
    return arith::ConstantIntOp::create(b, value, 64);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }

  /// How large the arena is; of what a call would refuse, the negated status.
  void buildWorkspaceBytes() {
    SmallVector<Type> types(sizeArguments.size(), b.getI64Type());
    workspaceBytes =
        func::FuncOp::create(b, (entry.getName() + kWorkspaceBytesSuffix).str(),
                             b.getFunctionType(types, {b.getI64Type()}));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(workspaceBytes.addEntryBlock());
    SmallVector<Value> symbols;
    for (unsigned argument : layout.symbols())
      symbols.push_back(workspaceBytes.getArgument(
          llvm::find(sizeArguments, argument) - sizeArguments.begin()));
    ArenaLayout::Code code = layout.emit(b, symbols);
    auto checked =
        func::CallOp::create(b, check, workspaceBytes.getArguments());
    Value result =
        bytesOrStatus(b, code.bytes, code.overflow, checked.getResult(0));
    func::ReturnOp::create(b, result);
  }

  /// The bytes that a call with `arguments` needs, and its status so far.
  std::pair<Value, Value> neededBytes(ValueRange arguments) {
    SmallVector<Value> sizes;
    for (unsigned argument : sizeArguments)
      sizes.push_back(arguments[argument]);
    Value needed = func::CallOp::create(b, workspaceBytes, sizes).getResult(0);
    Value refused = compare(arith::CmpIPredicate::slt, needed, word(0));
    Value negated = arith::SubIOp::create(b, word(0), needed);
    Value reason = arith::TruncIOp::create(b, b.getI32Type(), negated);
    return {needed, select(refused, reason, status(TW_STATUS_OK))};
  }

  /// Returns `refusal` if it is one, else what `otherwise` makes.
  Value unlessRefused(Value refusal, function_ref<Value()> otherwise) {
    Value refused =
        compare(arith::CmpIPredicate::ne, refusal, status(TW_STATUS_OK));
    auto choice = scf::IfOp::create(b, TypeRange{b.getI32Type()}, refused,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(b, refusal);
    b.setInsertionPointToStart(choice.elseBlock());
    Value made = otherwise();
    scf::YieldOp::create(b, made);
    return choice.getResult(0);
  }

  Value callBody(ValueRange arguments, Value arena) {
    SmallVector<Value> all(arguments);
    all.push_back(arena);
    return func::CallOp::create(b, body, all).getResult(0);
  }

  Value addressOf(Value buffer) {
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
    return arith::IndexCastOp::create(b, b.getI64Type(), address);
  }

  void buildWithWorkspace() {
    SmallVector<Type> types(entry.getArgumentTypes());
    types.push_back(arenaType);
    types.push_back(b.getI64Type());
    auto func =
        func::FuncOp::create(b, (entry.getName() + kWithWorkspaceSuffix).str(),
                             b.getFunctionType(types, {b.getI32Type()}));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(func.addEntryBlock());
    ValueRange arguments = func.getArguments();
    Value given = arguments.back();
    Value arena = arguments[arguments.size() - 2];
    arguments = arguments.drop_back(2);
    auto [needed, refusal] = neededBytes(arguments);
    Value address = addressOf(arena);
    Value low = arith::AndIOp::create(b, address, word(kArenaAlignment - 1));
    Value bad = compare(arith::CmpIPredicate::ne, low, word(0));
    Value isNull = compare(arith::CmpIPredicate::eq, address, word(0));
    Value isWanted = compare(arith::CmpIPredicate::sgt, needed, word(0));
    Value isMissing = arith::AndIOp::create(b, isNull, isWanted);
    bad = arith::OrIOp::create(b, bad, isMissing);
    Value tooSmall = compare(arith::CmpIPredicate::slt, given, needed);
    Value problem = select(
        bad, status(TW_STATUS_INVALID_ARGUMENT),
        select(tooSmall, status(TW_STATUS_OUT_OF_RANGE), status(TW_STATUS_OK)));
    Value isRefused =
        compare(arith::CmpIPredicate::ne, refusal, status(TW_STATUS_OK));
    Value result = unlessRefused(select(isRefused, refusal, problem),
                                 [&] { return callBody(arguments, arena); });
    func::ReturnOp::create(b, result);
  }

  /// The entry point takes its arena from malloc; the deallocation pipeline
  /// gives it back.
  void rebuildEntry() {
    Block &block = entry.getBody().front();
    block.clear();
    b.setInsertionPointToStart(&block);
    ValueRange arguments = entry.getArguments();
    auto [needed, refusal] = neededBytes(arguments);
    Value bytes = needed;
    Value result = unlessRefused(refusal, [&] {
      Value size = arith::IndexCastOp::create(b, b.getIndexType(), bytes);
      auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
      Value memory = memref::AllocOp::create(
          b, type, ValueRange{size}, b.getI64IntegerAttr(kArenaAlignment));
      // Where aligned, null is still null.
      Value failed =
          compare(arith::CmpIPredicate::eq, addressOf(memory), word(0));
      Value outOfMemory =
          select(failed, status(TW_STATUS_OUT_OF_MEMORY), status(TW_STATUS_OK));
      return unlessRefused(outOfMemory, [&] {
        Value arena = memref::ReinterpretCastOp::create(
            b, arenaType, memory, b.getIndexAttr(0),
            ArrayRef<OpFoldResult>{b.getIndexAttr(1)},
            ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
        return callBody(arguments, arena);
      });
    });
    func::ReturnOp::create(b, result);
  }

  func::FuncOp entry, check, body, workspaceBytes;
  const ArenaLayout &layout;
  ImplicitLocOpBuilder b;
  MemRefType arenaType;
  SmallVector<unsigned> sizeArguments;
};

} // namespace

SmallVector<unsigned> checkedArguments(func::FuncOp entry) {
  // The first call is that of the check.
  SmallVector<unsigned> arguments;
  for (Value word : (*entry.getOps<func::CallOp>().begin()).getOperands())
    arguments.push_back(cast<BlockArgument>(word).getArgNumber());
  return arguments;
}

LogicalResult addArenaEntryPoints(func::FuncOp entry, func::FuncOp check,
                                  func::FuncOp body,
                                  const ArenaLayout &layout) {
  return ArenaEntryPoints(entry, check, body, layout).build();
}

} // namespace tilewright
