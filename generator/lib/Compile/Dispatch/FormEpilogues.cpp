// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-form-epilogues: what follows a multiplication, block by block.

#include "../Loops/LoopGroup.h"
#include "Epilogue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_FORMEPILOGUES
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// The operations of `func` that touch memory, if these are a multiplication
/// and an elementwise operation on its product, each once; else nothing.
std::pair<tw::MatmulOp, linalg::GenericOp> bothOf(func::FuncOp func) {
  tw::MatmulOp matmul;
  linalg::GenericOp generic;
  for (Operation &op : func.getBody().front().without_terminator()) {
    if (auto found = dyn_cast<tw::MatmulOp>(op); found && !matmul)
      matmul = found;
    else if (auto found = dyn_cast<linalg::GenericOp>(op);
             found && matmul && !generic && found.hasPureBufferSemantics())
      generic = found;
    else if (!isPure(&op))
      return {};
  }
  return {matmul, generic};
}

/// What a block is of a dimension.
struct Range {
  OpFoldResult begin, size;
};

/// Makes the function of a block of `generic`'s iterations.
class EpilogueBuilder {
public:
  EpilogueBuilder(tw::MatmulOp matmul, linalg::GenericOp generic,
                  const ProductLoops &productLoops)
      : func(matmul->getParentOfType<func::FuncOp>()), matmul(matmul),
        generic(generic), b(generic.getLoc(), generic.getContext()) {
    AffineMap out = matmul.getMaps()[2];
    kinds.resize(out.getNumResults());
    for (auto [dim, loop] : llvm::enumerate(productLoops))
      kinds[loop] = out.getDimPosition(dim);
    // Rows that several loops number are one loop of the block, in the place
    // of the first.
    for (unsigned loop = 0; loop < kinds.size(); ++loop)
      if (!isRow(loop))
        groups.push_back({loop});
      else if (kinds[loop] == matmul.getFirstMLoop())
        groups.emplace_back();
    for (ReassociationIndices &group : groups)
      if (group.empty())
        for (unsigned row = matmul.getFirstMLoop(); row < matmul.getNLoop();
             ++row)
          group.push_back(llvm::find(kinds, row) - kinds.begin());
  }

  /// Whether a block is a rectangle of every operand, of memory that the
  /// multiplication does not read or write but as the product.
  bool isPossible() {
    for (OpOperand &operand : generic->getOpOperands()) {
      auto type = dyn_cast<MemRefType>(operand.get().getType());
      if (!type)
        continue;
      Value root = rootOf(operand.get());
      if (!isa<BlockArgument>(root) || !type.getLayout().isIdentity())
        return false;
      bool isProduct = root == rootOf(matmul.getOut());
      if (isProduct != (operand.get() == matmul.getOut()) ||
          root == rootOf(matmul.getWorkspace()))
        return false;
      bool isWritten = generic.isDpsInit(&operand);
      if (isWritten &&
          (root == rootOf(matmul.getLhs()) || root == rootOf(matmul.getRhs())))
        return false;
      if (!areRowsTogether(generic.getMatchingIndexingMap(&operand)))
        return false;
    }
    return true;
  }

  /// The epilogue, behind the function.
  func::FuncOp build() {
    OpBuilder after(func);
    after.setInsertionPointAfter(func);
    IRMapping mapping;
    auto epilogue = cast<func::FuncOp>(after.clone(*func, mapping));
    epilogue.setName((func.getName() + ".epilogue").str());
    for (StringRef attr :
         {StringRef(kDispatchAttr), StringRef(kDispatchTypeAttr),
          StringRef("passthrough")})
      epilogue->removeAttr(attr);
    epilogue->setAttr(kEpilogueAttr, after.getUnitAttr());
    auto copy = cast<linalg::GenericOp>(mapping.lookup(generic.getOperation()));
    mapping.lookup(matmul.getOperation())->erase();
    readRanges(epilogue);
    b.setInsertionPoint(copy);
    restrict(copy);
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(epilogue.getBody().front())))
      if (!op.hasTrait<OpTrait::IsTerminator>() && isOpTriviallyDead(&op))
        op.erase();
    return epilogue;
  }

  /// Leaves the arguments of `epilogue` that it uses, and gives them to the
  /// multiplication.
  void attach(func::FuncOp epilogue) {
    llvm::BitVector unused(epilogue.getNumArguments());
    SmallVector<Value> operands;
    for (BlockArgument argument : func.getArguments()) {
      unsigned number = argument.getArgNumber();
      if (epilogue.getArgument(number).use_empty())
        unused.set(number);
      else
        operands.push_back(argument);
    }
    if (failed(epilogue.eraseArguments(unused)))
      llvm_unreachable("they are not used");
    matmul.setEpilogue(epilogue.getName());
    matmul.getEpilogueOperandsMutable().assign(operands);
    generic.erase();
  }

private:
  bool isRow(unsigned loop) {
    return kinds[loop] >= matmul.getFirstMLoop() &&
           kinds[loop] < matmul.getNLoop();
  }

  /// Whether the loops of rows index neighbouring dimensions in order, or none.
  bool areRowsTogether(AffineMap map) {
    for (const ReassociationIndices &group : groups) {
      if (group.size() == 1)
        continue;
      std::optional<unsigned> first =
          map.getResultPosition(b.getAffineDimExpr(group[0]));
      for (auto [i, loop] : llvm::enumerate(group)) {
        std::optional<unsigned> place =
            map.getResultPosition(b.getAffineDimExpr(loop));
        if (place.has_value() != first.has_value() ||
            (place && *place != *first + i))
          return false;
      }
    }
    return true;
  }

  /// The numbers of the batch's matrix, the rows and the columns, as arguments.
  void readRanges(func::FuncOp epilogue) {
    b.setInsertionPointToStart(&epilogue.getBody().front());
    auto addIndex = [&]() -> Value {
      unsigned number = epilogue.getNumArguments();
      if (failed(epilogue.insertArgument(number, b.getI64Type(), {},
                                         epilogue.getLoc())))
        llvm_unreachable("any function takes more arguments");
      return arith::IndexCastOp::create(b, b.getIndexType(),
                                        epilogue.getArgument(number));
    };
    SmallVector<Range> ofMatrix;
    for (unsigned loop = 0; loop < matmul.getFirstMLoop(); ++loop)
      ofMatrix.push_back({addIndex(), b.getIndexAttr(1)});
    for (int side = 0; side < 2; ++side) {
      Value begin = addIndex(), end = addIndex();
      ofMatrix.push_back(
          {begin, arith::SubIOp::create(b, end, begin).getResult()});
    }
    for (const ReassociationIndices &group : groups)
      ranges.push_back(isRow(group[0]) ? ofMatrix[matmul.getFirstMLoop()]
                       : kinds[group[0]] == matmul.getNLoop()
                           ? ofMatrix.back()
                           : ofMatrix[kinds[group[0]]]);
  }

  /// The group whose loops index the dimension; none for one that is 0.
  std::optional<unsigned> groupOf(AffineExpr index) {
    auto loop = dyn_cast<AffineDimExpr>(index);
    if (!loop)
      return std::nullopt;
    for (auto [number, group] : llvm::enumerate(groups))
      if (llvm::is_contained(group, loop.getPosition()))
        return number;
    llvm_unreachable("every loop is of a group");
  }

  /// The block of a buffer, and the map of its dimensions.
  std::pair<Value, AffineMap> blockOf(Value buffer, AffineMap map) {
    SmallVector<ReassociationIndices> dims;
    SmallVector<AffineExpr> indices;
    SmallVector<OpFoldResult> begins, sizes;
    for (auto [dim, index] : llvm::enumerate(map.getResults())) {
      std::optional<unsigned> group = groupOf(index);
      bool goesOn = group && dim && groupOf(map.getResult(dim - 1)) == group &&
                    groups[*group].size() > 1;
      if (goesOn) {
        dims.back().push_back(dim);
        continue;
      }
      dims.push_back({int64_t(dim)});
      indices.push_back(group ? b.getAffineDimExpr(*group)
                              : b.getAffineConstantExpr(0));
      begins.push_back(group ? ranges[*group].begin : b.getIndexAttr(0));
      sizes.push_back(group ? ranges[*group].size : b.getIndexAttr(1));
    }
    if (dims.size() < map.getNumResults())
      buffer = memref::CollapseShapeOp::create(b, buffer, dims);
    SmallVector<OpFoldResult> strides(dims.size(), b.getIndexAttr(1));
    if (!dims.empty())
      buffer = memref::SubViewOp::create(b, buffer, begins, sizes, strides);
    return {buffer, AffineMap::get(groups.size(), 0, indices, b.getContext())};
  }

  void restrict(linalg::GenericOp op) {
    SmallVector<Value> operands;
    SmallVector<AffineMap> maps;
    // What is read and written is one value.
    llvm::DenseMap<std::pair<Value, AffineMap>, std::pair<Value, AffineMap>>
        blocks;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      Value value = operand.get();
      auto [known, isNew] = blocks.try_emplace({value, map});
      if (isNew && isa<MemRefType>(value.getType()))
        known->second = blockOf(value, map);
      else if (isNew)
        known->second = {value,
                         AffineMap::get(groups.size(), 0, b.getContext())};
      operands.push_back(known->second.first);
      maps.push_back(known->second.second);
    }
    ArrayRef<Value> all = operands;
    size_t inputs = op.getNumDpsInputs();
    auto part = linalg::GenericOp::create(
        b, TypeRange(), all.take_front(inputs), all.drop_front(inputs), maps,
        SmallVector<utils::IteratorType>(groups.size(),
                                         utils::IteratorType::parallel));
    part.getRegion().takeBody(op.getRegion());
    op.erase();
  }

  func::FuncOp func;
  tw::MatmulOp matmul;
  linalg::GenericOp generic;
  ImplicitLocOpBuilder b;
  SmallVector<unsigned> kinds; ///< of each loop, the multiplication's
  SmallVector<ReassociationIndices> groups; ///< loops that are one of a block
  SmallVector<Range> ranges;                ///< of each
};

struct FormEpiloguesPass : impl::FormEpiloguesBase<FormEpiloguesPass> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> funcs;
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>())
      if (func->hasAttr(kDispatchTypeAttr))
        funcs.push_back(func);
    for (func::FuncOp func : funcs)
      form(func);
  }

  static void form(func::FuncOp func) {
    auto [matmul, generic] = bothOf(func);
    if (!matmul || !generic)
      return;
    std::optional<ProductLoops> loops =
        productLoopsOf(generic, matmul.getOut());
    if (!loops)
      return;
    EpilogueBuilder builder(matmul, generic, *loops);
    if (builder.isPossible())
      builder.attach(builder.build());
  }
};

} // namespace
} // namespace tilewright
