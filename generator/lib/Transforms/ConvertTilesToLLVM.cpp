// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-convert-tiles-to-llvm: planned tile functions -> LLVM dialect, in one
// walk.
//
// The values of planned code have types that the LLVM dialect takes as they
// are, so that no type conversion, and no dialect conversion driver, is needed:
// upstream's seven passes cost five times what this one does.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Emit/Emitter.h"
#include "tilewright/Transforms/Passes.h"
#include "tilewright/Transforms/TileFunctions.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_CONVERTTILESTOLLVM
#include "tilewright/Transforms/Passes.h.inc"

namespace {

/// Operations that become another one of the same operands and result types.
constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> renamed[] = {
    {"arith.addf", "llvm.fadd"},        {"arith.addi", "llvm.add"},
    {"arith.andi", "llvm.and"},         {"arith.bitcast", "llvm.bitcast"},
    {"arith.divf", "llvm.fdiv"},        {"arith.divsi", "llvm.sdiv"},
    {"arith.divui", "llvm.udiv"},       {"arith.extf", "llvm.fpext"},
    {"arith.extsi", "llvm.sext"},       {"arith.extui", "llvm.zext"},
    {"arith.maxsi", "llvm.intr.smax"},  {"arith.maxui", "llvm.intr.umax"},
    {"arith.minsi", "llvm.intr.smin"},  {"arith.minui", "llvm.intr.umin"},
    {"arith.mulf", "llvm.fmul"},        {"arith.muli", "llvm.mul"},
    {"arith.negf", "llvm.fneg"},        {"arith.ori", "llvm.or"},
    {"arith.remsi", "llvm.srem"},       {"arith.remui", "llvm.urem"},
    {"arith.select", "llvm.select"},    {"arith.shli", "llvm.shl"},
    {"arith.shrsi", "llvm.ashr"},       {"arith.shrui", "llvm.lshr"},
    {"arith.sitofp", "llvm.sitofp"},    {"arith.subf", "llvm.fsub"},
    {"arith.subi", "llvm.sub"},         {"arith.truncf", "llvm.fptrunc"},
    {"arith.trunci", "llvm.trunc"},     {"arith.uitofp", "llvm.uitofp"},
    {"arith.xori", "llvm.xor"},         {"func.return", "llvm.return"},
    {"vector.bitcast", "llvm.bitcast"}, {"vector.fma", "llvm.intr.fmuladd"},
};

using RenameMap = llvm::DenseMap<OperationName, OperationName>;

RenameMap renamesIn(MLIRContext *context) {
  RenameMap result;
  for (auto [from, to] : renamed)
    result.try_emplace(OperationName(from, context),
                       OperationName(to, context));
  return result;
}

/// Converts one function.
class FunctionConverter {
public:
  FunctionConverter(func::FuncOp func, const RenameMap &renames)
      : func(func), renames(renames), b(func.getContext()) {}

  LogicalResult convert();

private:
  void lower(scf::ForOp op);
  void lower(scf::IfOp op);
  LogicalResult replace(Operation *op);
  void replaceConstant(arith::ConstantOp op);
  Value broadcast(vector::BroadcastOp op);
  Value indexConstant(Location loc, int64_t value) {
    return LLVM::ConstantOp::create(b, loc, b.getI64Type(), value);
  }

  /// Splits the block of `op` behind it; the later half gets arguments of the
  /// types of op's results, which replace these.
  Block *splitAfter(Operation *op);
  /// Moves the only block of `region` in front of `before` and takes off its
  /// terminator, whose operands are returned.
  std::pair<Block *, SmallVector<Value>> inlineRegion(Region &region,
                                                      Block *before);

  func::FuncOp func;
  const RenameMap &renames;
  OpBuilder b;
  /// Constants stand once, at the top.
  llvm::DenseMap<Attribute, Value> constants;
};

Block *FunctionConverter::splitAfter(Operation *op) {
  Block *rest = op->getBlock()->splitBlock(std::next(op->getIterator()));
  for (Value result : op->getResults())
    result.replaceAllUsesWith(
        rest->addArgument(result.getType(), op->getLoc()));
  return rest;
}

std::pair<Block *, SmallVector<Value>>
FunctionConverter::inlineRegion(Region &region, Block *before) {
  Block *block = &region.front();
  Operation *terminator = block->getTerminator();
  SmallVector<Value> yielded(terminator->getOperands());
  terminator->erase();
  block->moveBefore(before);
  return {block, yielded};
}

/// A loop that tests at its end, behind a test whether it runs at all.
void FunctionConverter::lower(scf::ForOp op) {
  Location loc = op.getLoc();
  Block *rest = splitAfter(op);
  auto [body, yielded] = inlineRegion(op.getRegion(), rest);

  Value lower = op.getLowerBound(), upper = op.getUpperBound();
  bool usesIndex = !body->getArgument(0).use_empty();
  auto bytes = op->getAttrOfType<IntegerAttr>(kBytesPerIndex);
  bool byPointer = bytes && !usesIndex;
  bool down = op->hasAttr(kCountsDown) && !usesIndex;
  Value start = lower, end = upper;
  b.setInsertionPoint(op);
  if (down || byPointer)
    start = LLVM::SubOp::create(b, loc, upper, lower);
  constexpr int kPointer = 1;
  if (byPointer) {
    Value pointer = op.getInitArgs()[kPointer];
    Value range =
        LLVM::MulOp::create(b, loc, start, indexConstant(loc, bytes.getInt()));
    end = LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                              llvm::ArrayRef<LLVM::GEPArg>{range});
    body->eraseArgument(0);
  }
  SmallVector<Value> initial, carried;
  b.setInsertionPointToEnd(body);
  Value again;
  if (byPointer) {
    again = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne,
                                 yielded[kPointer], end);
  } else if (down) {
    Value next =
        LLVM::SubOp::create(b, loc, body->getArgument(0), op.getStep());
    Value zero = LLVM::ConstantOp::create(b, loc, b.getI64Type(), 0);
    again = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::ne, next, zero);
    initial = {start};
    carried = {next};
  } else {
    Value next =
        LLVM::AddOp::create(b, loc, body->getArgument(0), op.getStep());
    again = LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::slt, next, end);
    initial = {start};
    carried = {next};
  }
  llvm::append_range(initial, op.getInitArgs());
  llvm::append_range(carried, yielded);
  LLVM::CondBrOp::create(b, loc, again, body, carried, rest, yielded);

  b.setInsertionPoint(op);
  llvm::APInt first, last;
  if (matchPattern(lower, m_ConstantInt(&first)) &&
      matchPattern(upper, m_ConstantInt(&last)) && first.slt(last)) {
    LLVM::BrOp::create(b, loc, initial, body);
  } else {
    Value runs =
        LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::slt, lower, upper);
    LLVM::CondBrOp::create(b, loc, runs, body, initial, rest, op.getInitArgs());
  }
  op.erase();
}

void FunctionConverter::lower(scf::IfOp op) {
  Location loc = op.getLoc();
  Block *rest = splitAfter(op);
  auto branchInto = [&](Region &region) -> Block * {
    if (region.empty())
      return rest;
    auto [block, yielded] = inlineRegion(region, rest);
    b.setInsertionPointToEnd(block);
    LLVM::BrOp::create(b, loc, yielded, rest);
    return block;
  };
  Block *then = branchInto(op.getThenRegion());
  Block *otherwise = branchInto(op.getElseRegion());
  b.setInsertionPoint(op);
  LLVM::CondBrOp::create(b, loc, op.getCondition(), then, otherwise);
  op.erase();
}

void FunctionConverter::replaceConstant(arith::ConstantOp op) {
  Value &constant = constants[op.getValue()];
  if (!constant) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&func.getBody().front());
    constant =
        LLVM::ConstantOp::create(b, op.getLoc(), op.getType(), op.getValue());
  }
  op.getResult().replaceAllUsesWith(constant);
  op.erase();
}

Value FunctionConverter::broadcast(vector::BroadcastOp op) {
  Location loc = op.getLoc();
  VectorType type = op.getResultVectorType();
  Value source = op.getSource();
  if (!isa<VectorType>(source.getType())) {
    Value poison = LLVM::PoisonOp::create(b, loc, type);
    source = LLVM::InsertElementOp::create(b, loc, poison, source,
                                           indexConstant(loc, 0));
    if (type.getNumElements() == 1)
      return source;
  }
  SmallVector<int32_t> zeros(type.getNumElements(), 0);
  Value poison = LLVM::PoisonOp::create(b, loc, source.getType());
  return LLVM::ShuffleVectorOp::create(b, loc, source, poison, zeros);
}

LogicalResult FunctionConverter::replace(Operation *op) {
  if (isa<LLVM::LLVMDialect>(op->getDialect()))
    return success();
  for (Value result : op->getResults())
    if (!LLVM::isCompatibleType(result.getType()))
      return op->emitOpError("has a result of type ")
             << result.getType() << ", which the LLVM dialect does not have";
  b.setInsertionPoint(op);
  Location loc = op->getLoc();

  if (auto it = renames.find(op->getName()); it != renames.end()) {
    OperationState state(loc, it->second, op->getOperands(),
                         op->getResultTypes(), {});
    op->replaceAllUsesWith(b.create(state));
    op->erase();
    return success();
  }
  Value value =
      llvm::TypeSwitch<Operation *, Value>(op)
          .Case([&](arith::CmpIOp cmp) {
            return LLVM::ICmpOp::create(
                b, loc, static_cast<LLVM::ICmpPredicate>(cmp.getPredicate()),
                cmp.getLhs(), cmp.getRhs());
          })
          .Case([&](arith::CmpFOp cmp) {
            return LLVM::FCmpOp::create(
                b, loc, static_cast<LLVM::FCmpPredicate>(cmp.getPredicate()),
                cmp.getLhs(), cmp.getRhs());
          })
          .Case([&](vector::BroadcastOp op) { return broadcast(op); })
          .Case([&](vector::ShuffleOp shuffle) -> Value {
            if (shuffle.getV1().getType() != shuffle.getV2().getType())
              return nullptr;
            SmallVector<int32_t> mask(shuffle.getMask());
            return LLVM::ShuffleVectorOp::create(b, loc, shuffle.getV1(),
                                                 shuffle.getV2(), mask);
          })
          .Default(nullptr);
  if (!value)
    return op->emitOpError("has no counterpart in the LLVM dialect that "
                           "tw-convert-tiles-to-llvm knows");
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  return success();
}

LogicalResult FunctionConverter::convert() {
  // Outer loops first: the inner ones move with their bodies.
  SmallVector<Operation *> structured;
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<scf::ForOp, scf::IfOp>(op))
      structured.push_back(op);
  });
  for (Operation *op : structured) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      lower(loop);
    else
      lower(cast<scf::IfOp>(op));
  }
  for (Block &block : func.getBody())
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
        replaceConstant(constant);
      } else if (failed(replace(&op))) {
        return failure();
      }
    }

  b.setInsertionPoint(func);
  SmallVector<Type> inputs(func.getArgumentTypes());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(func.getContext()), inputs);
  auto converted =
      LLVM::LLVMFuncOp::create(b, func.getLoc(), func.getName(), type);
  SmallVector<Attribute> passed;
  if (func->hasAttr(kRegularTile))
    passed.push_back(b.getStringAttr(kRegularTile));
  if (auto schedule = func->getAttrOfType<IntegerAttr>(kSchedule))
    passed.push_back(
        b.getStrArrayAttr({kSchedule, std::to_string(schedule.getInt())}));
  if (!passed.empty())
    converted.setPassthroughAttr(b.getArrayAttr(passed));
  // LLVM then enters and leaves streaming mode, and saves d8 to d15, which that
  // clears.
  converted.setArmLocallyStreaming(func->hasAttr(kStreamingTile));
  if (ArrayAttr attributes = func.getArgAttrsAttr())
    converted.setArgAttrsAttr(attributes);
  converted.getBody().takeBody(func.getBody());
  func.erase();
  return success();
}

struct ConvertTilesToLLVMPass
    : impl::ConvertTilesToLLVMBase<ConvertTilesToLLVMPass> {
  void runOnOperation() override {
    RenameMap renames = renamesIn(&getContext());
    for (func::FuncOp func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (func.isDeclaration())
        continue;
      if (failed(FunctionConverter(func, renames).convert()))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace tilewright
