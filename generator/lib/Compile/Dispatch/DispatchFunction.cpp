// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DispatchFunction.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Dialect/TwDialect.h"
#include "tilewright/Dialect/Windows.h"
#include "tilewright/Encoding/MovePanels.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilewright {
namespace {

/// The device that a function for `device` says: CPUs of one target run the
/// same code on the same memory, and share what is the first's. A GPU's
/// function says in whose memory it works.
tw::DeviceAttr firstLike(tw::DeviceAttr device, Operation *op) {
  if (device && device.getMemory() == tw::Memory::Host)
    for (tw::DeviceAttr other : devicesOf(op))
      if (other.getMemory() == tw::Memory::Host &&
          other.getTarget() == device.getTarget())
        return other;
  return device;
}

class FunctionBuilder {
public:
  FunctionBuilder(ArrayRef<Operation *> ops, ModuleOp module, Place place)
      : ops(ops), place(place), b(ops.back()->getLoc(), module.getContext()) {
    b.setInsertionPointToEnd(module.getBody());
  }

  DispatchFunction build() {
    collect();
    SmallVector<Type> types, resultTypes;
    for (Value input : dispatch.inputs)
      types.push_back(parameterType(input));
    for (Value output : dispatch.outputs)
      types.push_back(parameterType(output));
    resultTypes.append(types.end() - dispatch.outputs.size(), types.end());
    dispatch.func = func::FuncOp::create(b, "dispatch",
                                         b.getFunctionType(types, resultTypes));
    dispatch.func.setPrivate();
    // What a branch does is the host's, whatever it says.
    if (Operation *last = ops.back(); devicesOf(last).size() > 1)
      placeOn(firstLike(place == Place::Host && !isOnHost(last)
                            ? hostOf(last)
                            : deviceOf(last),
                        last),
              dispatch.func);
    b.setInsertionPointToStart(dispatch.func.addEntryBlock());
    Block::BlockArgListType arguments = dispatch.func.getBody().getArguments();
    for (Operation *constant : constants)
      b.clone(*constant, mapping);
    // The same tensor may be read and be a destination: each use is its own.
    for (auto [input, position] : positions)
      mapping.map(input, arguments[position]);
    for (auto [init, argument] :
         llvm::zip_equal(inits, arguments.take_back(inits.size())))
      destinations[init] = argument;
    for (auto &[init, sizes] : temporaries) {
      SmallVector<Value> known = llvm::map_to_vector(
          sizes, [&](Value size) { return mapping.lookup(size); });
      mapping.map(init,
                  tensor::EmptyOp::create(
                      b, cast<RankedTensorType>(parameterType(init)), known));
    }
    for (Operation *op : ops)
      clone(op);
    SmallVector<Value> returned;
    for (Value result : dispatch.results)
      returned.push_back(mapping.lookup(result));
    func::ReturnOp::create(b, returned);
    return std::move(dispatch);
  }

private:
  bool isInside(Value value) {
    return llvm::is_contained(ops, value.getDefiningOp());
  }

  bool escapes(Value result) {
    return llvm::any_of(result.getUsers(), [&](Operation *user) {
      return llvm::none_of(ops,
                           [&](Operation *op) { return op->isAncestor(user); });
    });
  }

  /// Whether an operation of the function has it as its destination.
  bool isWrittenOver(Value result) {
    return llvm::any_of(result.getUses(), [&](OpOperand &use) {
      auto style = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
      return style && llvm::is_contained(ops, use.getOwner()) &&
             style.isDpsInit(&use);
    });
  }

  /// The init that `init` is handed on from, through operations that write the
  /// same destination one after the other.
  OpOperand *firstInit(OpOperand *init) {
    while (isInside(init->get()))
      init = tiedInit(init->get());
    return init;
  }

  static OpOperand *tiedInit(Value value) {
    auto result = cast<OpResult>(value);
    return cast<DestinationStyleOpInterface>(result.getOwner())
        .getTiedOpOperand(result);
  }

  void collect() {
    for (Operation *op : ops) {
      markStaticSizes(op);
      for (auto [result, init] : llvm::zip_equal(
               op->getResults(),
               llvm::make_pointer_range(
                   cast<DestinationStyleOpInterface>(op).getDpsInitsMutable())))
        // What nothing uses is written somewhere, too, if it is no row.
        if (op == ops.back() || escapes(result) ||
            ((isa<tw::MatmulOp>(op) || place == Place::Device) &&
             !isWrittenOver(result)))
          addOutput(result, firstInit(init));
    }
    for (Operation *op : ops) {
      for (OpOperand &operand : op->getOpOperands())
        if (!llvm::is_contained(inits, &operand) && isRead(op, operand))
          addOperand(operand);
      llvm::SetVector<Value> captured;
      getUsedValuesDefinedAbove(op->getRegions(), captured);
      for (Value value : captured)
        addInput(value);
    }
    for (Operation *op : ops)
      for (OpOperand &init :
           cast<DestinationStyleOpInterface>(op).getDpsInitsMutable())
        if (!isInside(init.get()) && !llvm::is_contained(inits, &init) &&
            !readsInit(op, init))
          addTemporary(init.get());
  }

  /// What is written in place of `init`, which nothing outside ever reads: a
  /// tensor of the function, of sizes that it is told.
  void addTemporary(Value init) {
    if (temporaries.contains(init) || positions.contains(init))
      return;
    SmallVector<Value> &sizes = temporaries[init];
    auto type = cast<RankedTensorType>(parameterType(init));
    ImplicitLocOpBuilder before(b.getLoc(), ops.back());
    auto empty = init.getDefiningOp<tensor::EmptyOp>();
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      Value size = empty ? getValueOrCreateConstantIndexOp(
                               before, b.getLoc(), empty.getMixedSizes()[dim])
                         : before.createOrFold<tensor::DimOp>(init, dim);
      addShared(size);
      sizes.push_back(size);
    }
  }

  void addOutput(Value result, OpOperand *init) {
    dispatch.results.push_back(result);
    dispatch.outputs.push_back(init->get());
    dispatch.accumulates.push_back(readsInit(init->getOwner(), *init));
    inits.push_back(init);
  }

  bool isRead(Operation *op, OpOperand &operand) {
    auto destination = cast<DestinationStyleOpInterface>(op);
    return !destination.isDpsInit(&operand) || readsInit(op, operand);
  }

  static bool isScalarConstant(Value value) {
    return !isa<TensorType>(value.getType()) &&
           matchPattern(value, m_Constant());
  }

  /// Constants are part of the code, but for sizes and offsets.
  bool isOfCode(Value value) {
    APInt index;
    if (!isScalarConstant(value))
      return false;
    if (!value.getType().isIndex() ||
        !matchPattern(value, m_ConstantInt(&index)) || index.ule(1))
      return true;
    return isDivisor(value);
  }

  /// GPUs divide by a constant by multiplying, by anything else in dozens of
  /// instructions; a relayout divides for each of its runs, everywhere.
  bool isDivisor(Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return isa<arith::DivUIOp, arith::RemUIOp, arith::DivSIOp, arith::RemSIOp,
                 arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(
                 user) &&
             user->getOperand(1) == value &&
             (place == Place::Device ||
              user->getParentOp()->hasAttr(kTileDimsAttr)) &&
             llvm::any_of(ops,
                          [&](Operation *op) { return op->isAncestor(user); });
    });
  }

  /// An operand of a kernel is an argument whatever its value, and whichever
  /// others have the same.
  void addOperand(OpOperand &operand) {
    if (place == Place::Host || !isScalarConstant(operand.get()))
      return addInput(operand.get());
    constantOperands[&operand] = dispatch.inputs.size();
    dispatch.inputs.push_back(operand.get());
  }

  void addShared(Value value) {
    if (positions.try_emplace(value, dispatch.inputs.size()).second)
      dispatch.inputs.push_back(value);
  }

  void addInput(Value value) {
    if (isInside(value))
      return;
    if (!isOfCode(value))
      addShared(value);
    else if (!llvm::is_contained(constants, value.getDefiningOp()))
      constants.push_back(value.getDefiningOp());
  }

  /// A result has the type of the init that it goes on from.
  void keep(Value tensor, unsigned dim) {
    if (isInside(tensor))
      tensor = firstInit(tiedInit(tensor))->get();
    llvm::BitVector &dims = kept[tensor];
    dims.resize(cast<RankedTensorType>(tensor.getType()).getRank());
    dims.set(dim);
  }

  void keepInner(Value packed, unsigned count) {
    unsigned rank = cast<RankedTensorType>(packed.getType()).getRank();
    for (unsigned dim = rank - count; dim < rank; ++dim)
      keep(packed, dim);
  }

  void markStaticSizes(Operation *op) {
    if (auto mmt4d = dyn_cast<tw::Mmt4dOp>(op)) {
      for (OpOperand &operand : mmt4d->getOpOperands())
        keepInner(operand.get(), mmt4d.getTileDims(operand.getOperandNumber()));
    } else if (place == Place::Device) {
      // A kernel takes every size, but for those of tiles: it divides by them
      // to tell which element it is at.
      for (Value result : op->getResults())
        for (OpOperand &use : result.getUses())
          if (auto mmt4d = dyn_cast<tw::Mmt4dOp>(use.getOwner()))
            keepInner(result, mmt4d.getTileDims(use.getOperandNumber()));
    } else if (auto matmul = dyn_cast<tw::MatmulOp>(op)) {
      if (matmul.getRhsPacked())
        keepInner(matmul.getRhs(), tw::rhsTileDims(matmul.getKey()));
    } else if (auto pack = dyn_cast<tw::PackOp>(op)) {
      keepInner(pack.getDest(), pack.getInnerDimsPos().size());
    } else if (auto unpack = dyn_cast<tw::UnPackOp>(op)) {
      keepInner(unpack.getSource(), unpack.getInnerDimsPos().size());
    } else if (auto pack = dyn_cast<linalg::PackOp>(op)) {
      keepInner(pack.getDest(), pack.getInnerDimsPos().size());
    } else if (auto unpack = dyn_cast<linalg::UnPackOp>(op)) {
      keepInner(unpack.getSource(), unpack.getInnerDimsPos().size());
    } else if (auto tiles =
                   op->getAttrOfType<DenseI64ArrayAttr>(kTileDimsAttr)) {
      op->walk([&](tensor::ExtractOp read) {
        keepInner(read.getTensor(), tiles[0]);
      });
      keepInner(cast<linalg::LinalgOp>(op).getDpsInits()[0], tiles[1]);
    } else {
      markLoops(cast<linalg::LinalgOp>(op));
    }
  }

  /// Sizes of 1, which are often of what is broadcast, and of windows.
  void markLoops(linalg::LinalgOp op) {
    if (isa<linalg::FillOp>(op))
      return;
    llvm::BitVector inSums = loopsInSums(op.getIndexingMapsArray());
    SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
    auto isOfWindow = [&](AffineExpr index) {
      auto loop = dyn_cast<AffineDimExpr>(index);
      return loop && inSums.test(loop.getPosition()) &&
             kinds[loop.getPosition()] == utils::IteratorType::reduction;
    };
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type)
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [dim, index] : llvm::enumerate(map.getResults()))
        if (type.getDimSize(dim) == 1 || isOfWindow(index))
          keep(operand.get(), dim);
    }
  }

  /// The type of `value` inside of the function.
  Type parameterType(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return value.getType();
    auto found = kept.find(value);
    SmallVector<int64_t> sizes(type.getShape());
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (found == kept.end() || !found->second.test(dim))
        size = ShapedType::kDynamic;
    return type.clone(sizes);
  }

  void clone(Operation *op) {
    Operation *copy = b.clone(*op, mapping);
    copy->removeAttr(kDeviceAttr);
    for (OpOperand &operand : op->getOpOperands()) {
      unsigned number = operand.getOperandNumber();
      if (Value destination = destinations.lookup(&operand))
        copy->setOperand(number, destination);
      if (auto found = constantOperands.find(&operand);
          found != constantOperands.end())
        copy->setOperand(number, dispatch.func.getArgument(found->second));
    }
    for (auto [result, init] :
         llvm::zip_equal(copy->getResults(),
                         cast<DestinationStyleOpInterface>(copy).getDpsInits()))
      result.setType(init.getType());
    mapping.map(op->getResults(), copy->getResults());
  }

  ArrayRef<Operation *> ops;
  Place place;
  ImplicitLocOpBuilder b;
  DispatchFunction dispatch;
  llvm::DenseMap<Value, unsigned> positions;              ///< of inputs
  llvm::DenseMap<OpOperand *, unsigned> constantOperands; ///< their inputs
  SmallVector<OpOperand *> inits; ///< where the outputs come in
  SmallVector<Operation *> constants;
  llvm::DenseMap<Value, llvm::BitVector> kept; ///< dimensions of static size
  /// Inits that stay inside, and their dynamic sizes.
  llvm::MapVector<Value, SmallVector<Value>> temporaries;
  IRMapping mapping;
  llvm::DenseMap<OpOperand *, Value> destinations;
};

} // namespace

bool isDispatchable(Operation *op) {
  if (!isa<linalg::LinalgOp, linalg::PackOp, linalg::UnPackOp, tw::MatmulOp,
           tw::Mmt4dOp, tw::PackOp, tw::RelayoutOp, tw::SetEncodingOp,
           tw::UnPackOp, tw::UnsetEncodingOp>(op))
    return false;
  return op->getNumResults() &&
         op->getNumResults() ==
             cast<DestinationStyleOpInterface>(op).getNumDpsInits() &&
         llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

bool readsInit(Operation *op, OpOperand &operand) {
  if (auto mmt4d = dyn_cast<tw::Mmt4dOp>(op))
    return !mmt4d.getOverwrite();
  if (auto matmul = dyn_cast<tw::MatmulOp>(op))
    return &operand == &matmul.getOutMutable() && !matmul.getOverwrite();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.payloadUsesValueFromOperand(&operand);
  return false;
}

DispatchFunction makeDispatchFunction(ArrayRef<Operation *> ops,
                                      ModuleOp module, Place place) {
  return FunctionBuilder(ops, module, place).build();
}

} // namespace tilewright
