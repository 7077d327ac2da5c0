// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task is a function of an address and a number, as tw_parallel_for_t has it.
// The arguments of the part lie at the address, in words.

#include "TaskCalls.h"

#include "../TileCalls.h"
#include "ArgumentWords.h"
#include "Tasks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/parallel_for.h"
#include <cstddef>

using namespace mlir;

namespace tilewright {
namespace {

class TaskCaller {
public:
  TaskCaller(LoopNest &nest, func::FuncOp part,
             ArrayRef<std::optional<int64_t>> constants, SymbolTable &symbols)
      : nest(nest), part(part), constants(constants), symbols(symbols),
        func(nest.loops.front()->getParentOfType<func::FuncOp>()),
        parallelFor(parallelForOf(nest.loops.front())),
        b(nest.loops.front().getLoc(), nest.loops.front()),
        pointer(LLVM::LLVMPointerType::get(b.getContext())),
        word(b.getI64Type()) {}

  void build() {
    for (BlockArgument argument : func.getArguments())
      arguments.push_back(argument);
    Value none = LLVM::ZeroOp::create(b, pointer);
    Value isAlone =
        LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, parallelFor, none);
    Value one = index(1);
    Value most = arith::SelectOp::create(b, isAlone, one, countTasks());
    Value tasks = divide(most);
    Value isOne =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ule, tasks, one);
    auto choice = scf::IfOp::create(b, TypeRange(), isOne,
                                    /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.thenBlock());
    callAlone();
    b.setInsertionPointToStart(choice.elseBlock());
    run(tasks, makeTask(), none);
  }

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value ceilDiv(Value x, Value y) {
    Value rounded = arith::SubIOp::create(
        b, arith::AddIOp::create(b, x, y).getResult(), index(1));
    return arith::DivUIOp::create(b, rounded, y);
  }
  Value atLeastOne(Value x) { return arith::MaxUIOp::create(b, x, index(1)); }

  /// Iterations of each loop, none if it would go backwards.
  SmallVector<Value> tripCounts() {
    SmallVector<Value> counts;
    for (scf::ForOp loop : nest.loops) {
      Value distance =
          arith::SubIOp::create(b, loop.getUpperBound(), loop.getLowerBound());
      distance = arith::MaxSIOp::create(b, distance, index(0));
      counts.push_back(ceilDiv(distance, loop.getStep()));
    }
    return counts;
  }

  /// How many tasks there may be, by the work, or 0.
  Value countTasks() {
    trips = tripCounts();
    Value all = trips.front();
    for (Value count : ArrayRef(trips).drop_front())
      all = arith::MulIOp::create(b, all, count);
    Value threads = index(threadsOf(func));
    Value tasks = threads;
    if (!nest.work.empty()) {
      Value work = nest.work.front();
      for (Value more : ArrayRef(nest.work).drop_front())
        work = arith::AddIOp::create(b, work, more);
      work = arith::MulIOp::create(b, work, all);
      tasks = arith::DivUIOp::create(b, work, index(leastTaskOf(func)));
      tasks = arith::MinUIOp::create(b, tasks, threads);
    }
    // Fewer iterations than threads would leave some idle, which those that
    // have tasks of their own can use.
    if (!usesParallelFor())
      return tasks;
    Value few =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, all, threads);
    return arith::SelectOp::create(b, few, index(1), tasks);
  }

  /// Whether an iteration hands it on.
  bool usesParallelFor() {
    return llvm::any_of(parallelFor.getUsers(), [](Operation *user) {
      return isa<LLVM::StoreOp>(user);
    });
  }

  /// Cuts the loops into at most `most` parts, outer ones first; how many.
  Value divide(Value most) {
    Value rest = atLeastOne(most), tasks = index(1);
    for (Value count : trips) {
      Value parts =
          arith::MinUIOp::create(b, atLeastOne(count), rest).getResult();
      Value size = atLeastOne(ceilDiv(count, parts));
      parts = atLeastOne(ceilDiv(count, size));
      grid.push_back(toWord(parts));
      grid.push_back(toWord(size));
      tasks = arith::MulIOp::create(b, tasks, parts);
      rest = arith::DivUIOp::create(b, rest, parts);
    }
    return tasks;
  }

  Value toWord(Value value) {
    return arith::IndexCastOp::create(b, word, value);
  }

  void callAlone() {
    SmallVector<Value> all(arguments);
    all.push_back(toWord(index(0)));
    all.append(grid);
    func::CallOp::create(b, part, all);
  }

  // ---- Tasks ---------------------------------------------------------------

  /// `address` of the piece of task `task`, of memory of `size` elements.
  Value pieceOf(Value address, Value size, Value task, Type element) {
    int64_t bytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
    auto constant = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, word, value);
    };
    Value piece = LLVM::UDivOp::create(b, size, constant(threadsOf(func)));
    Value offset = LLVM::MulOp::create(
        b, LLVM::MulOp::create(b, piece, constant(bytes)).getResult(), task);
    return LLVM::GEPOp::create(b, pointer, b.getI8Type(), address,
                               ValueRange{offset});
  }

  LLVM::LLVMFuncOp makeTask() {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfter(part);
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(b.getContext()), {pointer, word});
    auto task = LLVM::LLVMFuncOp::create(b, (part.getName() + ".task").str(),
                                         type, LLVM::Linkage::Internal);
    symbols.insert(task);
    b.setInsertionPointToStart(task.addEntryBlock(b));
    Value context = task.getArgument(0), number = task.getArgument(1);
    SmallVector<Value> words;
    for (unsigned i = 0, at = 0; i < part.getNumArguments(); ++i)
      words.push_back(
          i == arguments.size()
              ? number
              : loadWord(b, context, at++, part.getArgumentTypes()[i]));
    for (unsigned i = 0; i < arguments.size(); ++i) {
      if (constants[i])
        words[i] = arith::ConstantIntOp::create(b, *constants[i], 64);
      auto type = dyn_cast<MemRefType>(part.getArgumentTypes()[i]);
      if (!type)
        continue;
      if (part.getArgAttr(i, kScratchAttr))
        words[i] =
            pieceOf(words[i], words[i + 1], number, type.getElementType());
      words[i] = asBuffer(b, words[i], type);
    }
    func::CallOp::create(b, part, words);
    LLVM::ReturnOp::create(b, ValueRange());
    return task;
  }

  void run(Value tasks, LLVM::LLVMFuncOp task, Value none) {
    SmallVector<Value> all(arguments);
    // A task has no tasks.
    for (Value &argument : all)
      if (argument == parallelFor)
        argument = none;
    all.append(grid);
    Value context = stackWords(b, nest.loops.front(), int64_t(all.size()));
    for (auto [number, value] : llvm::enumerate(all))
      storeWord(b, context, int64_t(number), value);
    static_assert(offsetof(tw_parallel_for_t, run) == 0 &&
                      offsetof(tw_parallel_for_t, self) == 8,
                  "two words");
    Value run = loadWord(b, parallelFor, 0, pointer);
    Value self = loadWord(b, parallelFor, 1, pointer);
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                    {pointer, word, pointer, pointer});
    Value address = LLVM::AddressOfOp::create(b, task);
    LLVM::CallOp::create(
        b, type, ValueRange{run, self, toWord(tasks), address, context});
  }

  LoopNest &nest;
  func::FuncOp part;
  ArrayRef<std::optional<int64_t>> constants;
  SymbolTable &symbols;
  func::FuncOp func;
  Value parallelFor;
  ImplicitLocOpBuilder b;
  Type pointer, word;
  SmallVector<Value> arguments; ///< of `func`
  SmallVector<Value> trips;
  SmallVector<Value> grid; ///< of each loop, parts and iterations of one
};

} // namespace

bool canPassArguments(func::FuncOp func) {
  return llvm::all_of(func.getArgumentTypes(), fitsWord);
}

void callPart(LoopNest &nest, func::FuncOp part,
              ArrayRef<std::optional<int64_t>> constants,
              SymbolTable &symbols) {
  TaskCaller(nest, part, constants, symbols).build();
}

} // namespace tilewright
