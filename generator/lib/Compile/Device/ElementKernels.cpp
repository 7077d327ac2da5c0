// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies of outlined functions as kernels, one work-item per element.

#include "ElementKernels.h"

#include "EpilogueCode.h"
#include "ItemLoops.h"
#include "TileEpilogue.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "tilewright/Compile/DeviceKernels.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Dialect/TwDialect.h"

using namespace mlir;

namespace tilewright {
namespace {

class KernelBuilder {
public:
  KernelBuilder(func::FuncOp dispatch, ModuleOp kernels)
      : dispatch(dispatch), b(dispatch.getLoc(), dispatch.getContext()) {
    b.setInsertionPointToEnd(kernels.getBody());
  }

  LogicalResult build() {
    tw::Mmt4dOp tile;
    dispatch.walk([&](tw::Mmt4dOp op) { tile = op; });
    SmallVector<Type> types;
    for (Type type : dispatch.getArgumentTypes())
      types.push_back(isa<MemRefType>(type) ? type : b.getI64Type());
    types.push_back(b.getI64Type());
    func = func::FuncOp::create(b, dispatch.getName(),
                                b.getFunctionType(types, {}));
    b.setInsertionPointToStart(func.addEntryBlock());
    IRMapping mapping;
    for (BlockArgument argument : dispatch.getArguments()) {
      unsigned number = argument.getArgNumber();
      // The product of a tile has been written by another name.
      if (isa<MemRefType>(argument.getType()) && !tile)
        func.setArgAttr(number, LLVM::LLVMDialect::getNoAliasAttrName(),
                        b.getUnitAttr());
      mapping.map(argument,
                  fromWord(func.getArgument(number), argument.getType()));
    }
    for (Operation &op : dispatch.getBody().front().without_terminator())
      if (isa<tw::Mmt4dOp>(op))
        continue;
      else if (auto copy = dyn_cast<linalg::LinalgOp>(b.clone(op, mapping)))
        ops.push_back(copy);
    if (failed(findItems()))
      return failure();
    if (!tile)
      buildLoops();
    else if (failed(buildTileLoop(tile, mapping.lookup(tile.getOut()))))
      return failure();
    for (linalg::LinalgOp op : ops)
      op->erase();
    b.setInsertionPointToEnd(&func.getBody().front());
    func::ReturnOp::create(b);
    return status;
  }

private:
  Value index(Value word) {
    return arith::IndexCastOp::create(b, b.getIndexType(), word);
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }

  Value fromWord(Value word, Type type) {
    if (isa<MemRefType>(type))
      return word;
    if (type.isIndex())
      return index(word);
    unsigned bits = type.getIntOrFloatBitWidth();
    Value value = word;
    if (bits < 64)
      value = arith::TruncIOp::create(b, b.getIntegerType(bits), word);
    if (isa<FloatType>(type))
      value = arith::BitcastOp::create(b, type, value);
    return value;
  }

  /// Relates the loops of all operations to those of the last.
  LogicalResult findItems() {
    SmallVector<linalg::LinalgOp> others(llvm::reverse(ops));
    for (size_t before = 0; before != others.size();) {
      before = others.size();
      llvm::erase_if(others,
                     [&](linalg::LinalgOp op) { return items.add(op); });
    }
    if (!others.empty())
      return dispatch.emitError()
             << "'" << others.front()->getName() << "' in '"
             << dispatch.getName()
             << "' cannot be done by the work-items of the other operations";
    // Which is told by values, so each buffer has to be one.
    llvm::DenseMap<Value, Value> views;
    bool isPlain = true;
    func.walk([&](Operation *user) {
      if (!isa<linalg::LinalgOp>(user) &&
          !user->getParentOfType<linalg::LinalgOp>())
        return;
      for (OpOperand &operand : user->getOpOperands()) {
        if (!isa<MemRefType>(operand.get().getType()))
          continue;
        Value root = operand.get();
        while (auto view = root.getDefiningOp<ViewLikeOpInterface>())
          root = view.getViewSource();
        isPlain &= views.insert({root, operand.get()}).first->second ==
                       operand.get() &&
                   isa<BlockArgument>(root);
      }
    });
    if (!isPlain)
      return dispatch.emitError()
             << "'" << dispatch.getName() << "' has several views of a buffer";
    return success();
  }

  /// The number of this work-item in the grid.
  Value workItem() {
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    Value group = ROCDL::BlockIdXOp::create(b, i32);
    Value lane = ROCDL::ThreadIdXOp::create(b, i32);
    Value first =
        arith::MulIOp::create(b, index(arith::ExtUIOp::create(b, i64, group)),
                              constant(kElementBlock));
    return arith::AddIOp::create(b, first,
                                 index(arith::ExtUIOp::create(b, i64, lane)));
  }

  SmallVector<Value> extentsOf(linalg::LinalgOp op) {
    return llvm::map_to_vector(
        op.createLoopRanges(b, b.getLoc()), [&](const Range &range) {
          return getValueOrCreateConstantIndexOp(b, b.getLoc(), range.size);
        });
  }

  void buildLoops() {
    SmallVector<SmallVector<Value>> extents;
    for (linalg::LinalgOp op : ops)
      extents.push_back(extentsOf(op));
    SmallVector<unsigned> parallel;
    ops.back().getParallelDims(parallel);
    Value total = constant(1);
    for (unsigned loop : parallel)
      total = arith::MulIOp::create(b, total, extents.back()[loop]);
    Value step = index(func.getArguments().back());
    auto loop = scf::ForOp::create(b, workItem(), total, step);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> item(parallel.size());
    Value rest = loop.getInductionVar();
    for (size_t dim = parallel.size(); dim-- > 1;) {
      Value extent = extents.back()[parallel[dim]];
      item[dim] = arith::RemUIOp::create(b, rest, extent);
      rest = arith::DivUIOp::create(b, rest, extent);
    }
    if (!parallel.empty())
      item.front() = rest;
    for (auto [op, sizes] : llvm::zip_equal(ops, extents)) {
      OpBuilder::InsertionGuard guard(b);
      if (failed(buildBody(op, sizes, item)))
        status = op.emitOpError("cannot be made into a kernel");
    }
  }

  /// Goes through the elements of the tiles that this workgroup has computed.
  LogicalResult buildTileLoop(tw::Mmt4dOp tile, Value product) {
    linalg::LinalgOp op = ops.back();
    TileEpilogueLoops loops = *tileEpilogueLoops(op);
    if (!readsOwnTiles(op, product))
      return dispatch.emitError()
             << "'" << dispatch.getName()
             << "' reads other elements of the product than its workgroup has "
                "computed";
    TileKey key = tile.getKey();
    llvm::Expected<DeviceKernelLaunch> launch =
        deviceKernelLaunch(key, tile.getTile().getPrefix());
    if (!launch)
      return tile.emitOpError() << llvm::toString(launch.takeError());
    func->setAttr("passthrough", b.getArrayAttr(b.getStrArrayAttr(
                                     {kTileKernelAttr, launch->name})));
    SmallVector<Value> extents = extentsOf(op);
    int64_t rows = int64_t(launch->shape.tiles_m) * key.m0,
            columns = int64_t(launch->shape.tiles_n) * key.n0;
    Type i32 = b.getI32Type();
    auto place = [&](Value number) {
      return index(arith::ExtUIOp::create(b, b.getI64Type(), number));
    };
    auto first = [&](Value block, int64_t each) -> Value {
      return arith::MulIOp::create(b, place(block), constant(each));
    };
    Value firstN = first(ROCDL::BlockIdXOp::create(b, i32), columns),
          firstM = first(ROCDL::BlockIdYOp::create(b, i32), rows);
    Value thread = place(ROCDL::ThreadIdXOp::create(b, i32));
    auto loop = scf::ForOp::create(b, thread, constant(rows * columns),
                                   constant(launch->shape.block_size));
    b.setInsertionPointToStart(loop.getBody());
    Value item = loop.getInductionVar(), width = constant(columns);
    Value m = arith::AddIOp::create(b, firstM,
                                    arith::DivUIOp::create(b, item, width)),
          n = arith::AddIOp::create(b, firstN,
                                    arith::RemUIOp::create(b, item, width));
    SmallVector<Value> ivs(extents.size());
    // Of the first loop whatever is left, to compare with its extent.
    auto split = [&](ArrayRef<unsigned> of, Value number) -> Value {
      for (unsigned loop : llvm::reverse(of.drop_front(!of.empty()))) {
        ivs[loop] = arith::RemUIOp::create(b, number, extents[loop]);
        number = arith::DivUIOp::create(b, number, extents[loop]);
      }
      if (of.empty())
        return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number,
                                     constant(0));
      ivs[of.front()] = number;
      return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, number,
                                   extents[of.front()]);
    };
    split(loops.batch, index(func.getArguments().back()));
    Value isInside =
        arith::AndIOp::create(b, split(loops.m, m), split(loops.n, n));
    auto inside = scf::IfOp::create(b, isInside);
    b.setInsertionPointToStart(&inside.getThenRegion().front());
    return cast<TilingInterface>(op.getOperation())
        .generateScalarImplementation(b, b.getLoc(), ivs);
  }

  LogicalResult buildBody(linalg::LinalgOp op, ArrayRef<Value> extents,
                          ArrayRef<Value> item) {
    SmallVector<Value> ivs;
    for (auto [extent, dim] : llvm::zip_equal(extents, items.dimsOf(op))) {
      if (dim) {
        ivs.push_back(item[*dim]);
        continue;
      }
      auto loop = scf::ForOp::create(b, constant(0), extent, constant(1));
      ivs.push_back(loop.getInductionVar());
      b.setInsertionPointToStart(loop.getBody());
    }
    return cast<TilingInterface>(op.getOperation())
        .generateScalarImplementation(b, b.getLoc(), ivs);
  }

  func::FuncOp dispatch, func;
  ImplicitLocOpBuilder b;
  SmallVector<linalg::LinalgOp> ops;
  ItemLoops items;
  LogicalResult status = success();
};

} // namespace

LogicalResult makeElementKernel(func::FuncOp dispatch, ModuleOp kernels) {
  return KernelBuilder(dispatch, kernels).build();
}

} // namespace tilewright
