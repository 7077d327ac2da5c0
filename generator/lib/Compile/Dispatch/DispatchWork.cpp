// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DispatchWork.h"

#include "CallerSizes.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Dialect/TwDialect.h"
#include "tilewright/contraction.h"
#include "llvm/ADT/StringMap.h"
#include <map>

using namespace mlir;

namespace tilewright {
namespace {

using Size = std::optional<AffineExpr>;

/// Bytes and operations of one call; none where a size cannot be told.
struct Work {
  Size read, written, operations;
};

Size product(Size x, Size y) { return x && y ? Size(*x * *y) : std::nullopt; }
Size sum(Size x, Size y) { return x && y ? Size(*x + *y) : std::nullopt; }

/// An operation's loops, by the operands whose dimensions they go over.
class Loops {
public:
  explicit Loops(SizeExpressions &sizes) : sizes(sizes) {}

  void add(Value operand, AffineMap map) {
    found.resize(map.getNumDims());
    for (auto [dim, index] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(index))
        if (Size &size = found[loop.getPosition()]; !size)
          size = sizes.sizeOf(operand, dim);
  }
  void set(unsigned loop, int64_t size) { found[loop] = sizes.constant(size); }
  Size iterations() const {
    Size all = sizes.constant(1);
    for (const Size &each : found)
      all = product(all, each);
    return all;
  }

private:
  SizeExpressions &sizes;
  SmallVector<Size> found;
};

/// The work of a function, by the sizes that it is called with.
class FunctionWork {
public:
  explicit FunctionWork(func::FuncOp func)
      : func(func), sizes(func.getContext()) {
    work.read = work.written = work.operations = sizes.constant(0);
    auto results = cast<func::ReturnOp>(func.getBody().front().getTerminator())
                       .getOperands();
    inputs = func.getNumArguments() - results.size();
    for (Operation &op : func.getBody().front())
      addOperations(&op);
    for (unsigned i = 0; i < inputs; ++i)
      if (isa<RankedTensorType>(func.getArgument(i).getType()))
        addInput(func.getArgument(i));
    for (Value result : results)
      if (!isWorkspace(result))
        work.written = sum(work.written, bytesOfAll(result));
  }

  /// The same in sizes of the call's operands.
  Work of(tw::DispatchOp call, SizeExpressions &caller) const {
    SmallVector<Value> operands(call.getInputs());
    llvm::append_range(operands, call.getOutputs());
    SmallVector<Size> symbols;
    for (SizeSymbol symbol : sizes.symbols()) {
      Value operand = operands[symbol.argument];
      symbols.push_back(symbol.dim == SizeSymbol::kScalar
                            ? caller.valueOf(operand)
                            : caller.sizeOf(operand, symbol.dim));
    }
    Work result;
    result.read = inCaller(work.read, symbols, caller);
    result.written = inCaller(work.written, symbols, caller);
    result.operations = inCaller(work.operations, symbols, caller);
    for (auto [output, accumulates] :
         llvm::zip_equal(call.getOutputs(), call.getAccumulates()))
      if (accumulates)
        result.read = sum(result.read, tilewright::bytesOfAll(output, caller));
    return result;
  }

  /// The operands that it packs itself.
  std::string packs() const {
    std::string names;
    func.getBody().walk([&](tw::MatmulOp op) {
      names = op.getRhsPacked() ? "lhs"
              : op.getRhsKept() ? "lhs, once rhs"
                                : "lhs, rhs";
      if (op.getThin())
        names += " of more than " + std::to_string(TW_CONTRACTION_THIN_ROWS) +
                 " rows";
    });
    return names;
  }
  /// What it calls by name.
  std::string tile() const {
    std::string name;
    func.getBody().walk([&](Operation *op) {
      if (isa<tw::MatmulOp, tw::Mmt4dOp>(op))
        name = op->getAttrOfType<tw::TileAttr>("tile").getName();
      else if (isa<tw::PackOp, tw::UnPackOp>(op))
        name = op->getAttrOfType<StringAttr>("function").str();
    });
    return name;
  }

private:
  static Size inCaller(Size size, ArrayRef<Size> symbols,
                       const SizeExpressions &caller) {
    if (!size)
      return std::nullopt;
    SmallVector<AffineExpr> values;
    for (auto [position, symbol] : llvm::enumerate(symbols)) {
      if (!symbol && size->isFunctionOfSymbol(position))
        return std::nullopt;
      values.push_back(symbol.value_or(caller.constant(0)));
    }
    return caller.simplify(size->replaceSymbols(values));
  }

  Size bytesOfAll(Value tensor) {
    return tilewright::bytesOfAll(tensor, sizes);
  }

  static bool isWorkspace(Value result) {
    auto matmul = result.getDefiningOp<tw::MatmulOp>();
    return matmul && matmul.getTiedOpOperand(cast<OpResult>(result)) ==
                         &matmul.getWorkspaceMutable();
  }

  Size iterationsOf(linalg::LinalgOp op) {
    Loops loops(sizes);
    for (OpOperand &operand : op->getOpOperands())
      if (isa<ShapedType>(operand.get().getType()))
        loops.add(operand.get(), op.getMatchingIndexingMap(&operand));
    return loops.iterations();
  }

  void addOperations(Operation *op) {
    Size count;
    if (auto matmul = dyn_cast<tw::MatmulOp>(op)) {
      SmallVector<AffineMap> maps = matmul.getMaps();
      Loops loops(sizes);
      loops.add(matmul.getOut(), maps[2]);
      loops.add(matmul.getLhs(), maps[0]);
      if (std::optional<int64_t> steps = matmul.getKSize())
        loops.set(matmul.getKLoop(), *steps);
      // Of one that is packed, those of windows.
      loops.add(matmul.getRhs(), maps[1]);
      count = product(loops.iterations(), sizes.constant(2));
    } else if (auto mmt4d = dyn_cast<tw::Mmt4dOp>(op)) {
      auto maps = llvm::to_vector(
          mmt4d.getIndexingMaps().getAsValueRange<AffineMapAttr>());
      Loops panels(sizes);
      panels.add(mmt4d.getLhs(), maps[0]);
      panels.add(mmt4d.getOut(), maps[2]);
      const TileKey key = mmt4d.getKey();
      count = product(panels.iterations(),
                      sizes.constant(int64_t(2) * key.m0 * key.n0 * key.k0));
    } else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      int64_t inBody = 0;
      op->walk([&](Operation *inner) { inBody += computesElements(inner); });
      if (inBody == 0)
        return;
      count = product(iterationsOf(linalgOp), sizes.constant(inBody));
    } else {
      return;
    }
    work.operations = sum(work.operations, count);
  }

  /// All of an operand; what bodies read at indices of their own, an element
  /// for each iteration.
  void addInput(BlockArgument argument) {
    bool isWhole = false;
    for (Operation *user : argument.getUsers()) {
      auto extract = dyn_cast<tensor::ExtractOp>(user);
      auto op = extract ? user->getParentOfType<linalg::LinalgOp>() : nullptr;
      if (!op)
        isWhole |= !isa<tensor::DimOp>(user);
      else
        work.read =
            sum(work.read,
                product(iterationsOf(op),
                        sizes.constant(bytesOfElement(extract.getType()))));
    }
    if (isWhole)
      work.read = sum(work.read, bytesOfAll(argument));
  }

  mutable func::FuncOp func; ///< whose questions are none of const
  SizeExpressions sizes;
  unsigned inputs;
  Work work;
};

/// In what the caller of the entry point passes.
DispatchWork workOf(tw::DispatchOp call, const FunctionWork &function,
                    CallerSizes &caller) {
  Work work = function.of(call, caller.sizes());
  DispatchWork texts{caller.entry(), 1, "", "", ""};
  texts.fewRows = caller.isForFewRows();
  texts.bytesRead = caller.text(work.read, texts.whyUnknown);
  texts.bytesWritten = caller.text(work.written, texts.whyUnknown);
  texts.operations = caller.text(work.operations, texts.whyUnknown);
  return texts;
}

} // namespace

bool computesElements(Operation *op) {
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
         !isa<arith::ConstantOp, arith::SelectOp, CastOpInterface>(op) &&
         llvm::none_of(op->getOperandTypes(),
                       [](Type type) { return type.isIndex(); });
}

std::vector<ModelDispatch> dispatchesOf(ModuleOp module) {
  std::vector<ModelDispatch> dispatches;
  std::vector<std::unique_ptr<FunctionWork>> works;
  llvm::StringMap<size_t> known;
  // Equal calls are counted, not listed.
  std::vector<std::map<std::string, size_t>> seen;
  SymbolTable symbols(module);
  for (func::FuncOp func : module.getOps<func::FuncOp>()) {
    std::optional<CallerSizes> caller;
    func.walk([&](tw::DispatchOp op) {
      auto [place, isNew] = known.try_emplace(op.getCallee(), works.size());
      if (isNew) {
        works.push_back(std::make_unique<FunctionWork>(
            symbols.lookup<func::FuncOp>(op.getCallee())));
        seen.emplace_back();
        dispatches.emplace_back();
        dispatches.back().name = op.getCallee().str();
        dispatches.back().place = placeOf(op.getLoc());
        Operation *callee = symbols.lookup(op.getCallee());
        if (deviceOf(callee) != hostOf(callee))
          dispatches.back().device = deviceOf(callee).getName().str();
        dispatches.back().tile = works.back()->tile();
        dispatches.back().packs = works.back()->packs();
      }
      size_t number = place->second;
      if (!caller)
        caller.emplace(func);
      DispatchWork work = workOf(op, *works[number], *caller);
      ModelDispatch &dispatch = dispatches[number];
      ++(work.fewRows ? dispatch.callsForFewRows : dispatch.calls);
      std::string key = work.entry + (work.fewRows ? "\n\n" : "\n") +
                        work.bytesRead + '\n' + work.bytesWritten + '\n' +
                        work.operations;
      auto [same, isOther] =
          seen[number].try_emplace(key, dispatch.work.size());
      if (isOther)
        dispatch.work.push_back(std::move(work));
      else
        ++dispatch.work[same->second].calls;
    });
  }
  return dispatches;
}

} // namespace tilewright
