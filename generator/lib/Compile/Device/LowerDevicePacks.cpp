// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-lower-device-packs: packs, unpacks and relayouts as one element-by-element
// operation each.

#include "../Dispatch/DispatchGroups.h"
#include "ReadChains.h"
#include "TileEpilogue.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Encoding/ElementwiseResult.h"
#include "tilewright/Encoding/JoinElements.h"
#include "tilewright/Encoding/TensorSizes.h"
#include <map>

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_LOWERDEVICEPACKS
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// Where the element of a matrix (of any rank) is in its packed form:
/// packed[outer..., inner...], inner dimension i tiling matrix dimension
/// innerDims[i], outer dimension j being matrix dimension outerDims[j].
struct Layout {
  SmallVector<int64_t> outerDims, innerDims, tiles;

  template <typename Op> static Layout of(Op op, int64_t rank) {
    Layout layout;
    layout.innerDims.assign(op.getInnerDimsPos().begin(),
                            op.getInnerDimsPos().end());
    layout.tiles.assign(op.getStaticInnerTiles().begin(),
                        op.getStaticInnerTiles().end());
    layout.outerDims.assign(op.getOuterDimsPerm().begin(),
                            op.getOuterDimsPerm().end());
    for (int64_t dim = layout.outerDims.size(); dim < rank; ++dim)
      layout.outerDims.push_back(dim);
    return layout;
  }

  /// The position among the inner dimensions of matrix dimension `dim`.
  std::optional<size_t> innerOf(int64_t dim) const {
    auto found = llvm::find(innerDims, dim);
    if (found == innerDims.end())
      return std::nullopt;
    return found - innerDims.begin();
  }
};

/// Rewrites one root of chains, or one pack or unpack by itself.
class RootLowering {
public:
  RootLowering(Operation *op, const ReadChains &chains)
      : chains(chains), b(op->getLoc(), op) {}

  Value lower(linalg::PackOp op) {
    int64_t rank = op.getSourceType().getRank();
    Layout layout = Layout::of(op, rank);
    Operation *maker = op.getSource().getDefiningOp();
    // Also what another device unpacks, and what others read unpacked, too.
    auto unpack = dyn_cast_or_null<linalg::UnPackOp>(maker);
    StringRef kind = "pack";
    if (unpack)
      kind = "relayout";
    else if (maker && chains.isPartOfReaders(maker) &&
             !JoinedElements::of(op.getSource()))
      kind = "";
    SmallVector<Value> scalars;
    bool isPadded = op.getPaddingValue() != nullptr;
    // Of the matrix, which need not be there.
    for (int64_t dim = 0; isPadded && dim < rank; ++dim)
      scalars.push_back(size(op.getSource(), dim));
    if (isPadded)
      scalars.push_back(op.getPaddingValue());

    Value result = generic(
        op.getDest(), scalars, kind, [&](ValueRange ivs, ValueRange scalars) {
          SmallVector<Value> indices(rank);
          for (auto [outer, dim] : llvm::enumerate(layout.outerDims))
            indices[dim] = ivs[outer];
          for (auto [inner, dim] : llvm::enumerate(layout.innerDims))
            indices[dim] = add(multiply(indices[dim], layout.tiles[inner]),
                               ivs[rank + inner]);
          // Outside of the matrix the last element is read and not used.
          Value inside;
          for (int64_t dim = 0; isPadded && dim < rank; ++dim) {
            if (!layout.innerOf(dim))
              continue;
            Value within = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                                 indices[dim], scalars[dim]);
            inside = inside ? arith::AndIOp::create(b, inside, within) : within;
            Value last = arith::SubIOp::create(b, scalars[dim], constant(1));
            indices[dim] = arith::MinSIOp::create(b, indices[dim], last);
          }
          Value element = unpack ? unpackedElement(unpack, indices)
                                 : elementAt(op.getSource(), indices);
          if (inside)
            element =
                arith::SelectOp::create(b, inside, element, scalars.back());
          return element;
        });
    placeLike(result.getDefiningOp(), op);
    if (std::optional<TileEpilogueLoops> dims = tileEpilogueLoops(op))
      setTileEpilogueLoops(result.getDefiningOp(),
                           packedLoops(*dims, layout, rank));
    return result;
  }

  Value lower(linalg::UnPackOp op) {
    Value result = generic(op.getDest(), {}, "unpack",
                           [&](ValueRange ivs, ValueRange) -> Value {
                             return unpackedElement(op, llvm::to_vector(ivs));
                           });
    for (NamedAttribute attr : op->getDiscardableAttrs())
      result.getDefiningOp()->setAttr(attr.getName(), attr.getValue());
    return result;
  }

  /// The same operation, on what its chain reads.
  linalg::GenericOp lower(linalg::LinalgOp op) {
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    SmallVector<OpOperand *> kept, computed;
    for (OpOperand *input : op.getDpsInputOperands()) {
      Operation *maker = input->get().getDefiningOp();
      bool isComputed = maker && chains.isPartOfReaders(maker);
      (isComputed ? computed : kept).push_back(input);
      if (isComputed)
        continue;
      inputs.push_back(input->get());
      maps.push_back(op.getMatchingIndexingMap(input));
    }
    addExtents(op, inputs, maps);
    for (OpOperand &init : op.getDpsInitsMutable())
      maps.push_back(op.getMatchingIndexingMap(&init));
    auto result = linalg::GenericOp::create(
        b, op->getResultTypes(), inputs, op.getDpsInits(), maps,
        op.getIteratorTypesArray(),
        [&](OpBuilder &builder, Location, ValueRange arguments) {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPoint(builder.getInsertionBlock(),
                              builder.getInsertionPoint());
          IRMapping mapping;
          for (auto [input, argument] : llvm::zip(kept, arguments))
            mapping.map(op.getMatchingBlockArgument(input), argument);
          arguments = arguments.take_back(op.getNumDpsInits());
          for (auto [init, argument] :
               llvm::zip_equal(op.getRegionOutputArgs(), arguments))
            mapping.map(init, argument);
          SmallVector<Value> ivs;
          for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
            ivs.push_back(linalg::IndexOp::create(b, loop));
          for (OpOperand *input : computed)
            mapping.map(op.getMatchingBlockArgument(input),
                        elementAt(input->get(),
                                  at(op.getMatchingIndexingMap(input), ivs)));
          cloneBody(op, ivs, mapping);
          linalg::YieldOp::create(
              b,
              llvm::map_to_vector(
                  op.getBlock()->getTerminator()->getOperands(),
                  [&](Value value) { return mapping.lookupOrDefault(value); }));
        });
    result->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    return result;
  }

private:
  /// The loops of a pack for the dimensions of its source.
  static TileEpilogueLoops packedLoops(const TileEpilogueLoops &dims,
                                       const Layout &layout, int64_t rank) {
    TileEpilogueLoops loops;
    auto add = [&](ArrayRef<unsigned> of, SmallVector<unsigned> &to) {
      int64_t filledUp = 1;
      for (unsigned dim : of) {
        to.push_back(llvm::find(layout.outerDims, dim) -
                     layout.outerDims.begin());
        if (std::optional<size_t> inner = layout.innerOf(dim)) {
          to.push_back(rank + *inner);
          filledUp = layout.tiles[*inner];
        }
      }
      return filledUp;
    };
    add(dims.batch, loops.batch);
    loops.filledUp[0] = add(dims.m, loops.m);
    loops.filledUp[1] = add(dims.n, loops.n);
    return loops;
  }

  /// What says how often the loops of a sum go round that no operand is left
  /// for: a tensor that nobody reads, of their sizes.
  void addExtents(linalg::LinalgOp op, SmallVector<Value> &inputs,
                  SmallVector<AffineMap> &maps) {
    SmallVector<AffineExpr> loops;
    SmallVector<OpFoldResult> sizes;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
      auto indexes = [&](AffineMap map) { return map.isFunctionOfDim(loop); };
      if (llvm::any_of(maps, indexes) ||
          llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
            return indexes(op.getMatchingIndexingMap(&init));
          }))
        continue;
      OpOperand *of =
          *llvm::find_if(op.getDpsInputOperands(), [&](OpOperand *input) {
            return indexes(op.getMatchingIndexingMap(input));
          });
      loops.push_back(b.getAffineDimExpr(loop));
      sizes.push_back(sizeOf(
          b, of->get(),
          *op.getMatchingIndexingMap(of).getResultPosition(loops.back())));
    }
    if (loops.empty())
      return;
    inputs.push_back(tensor::EmptyOp::create(b, sizes, b.getI8Type()));
    maps.push_back(AffineMap::get(op.getNumLoops(), 0, loops, b.getContext()));
  }

  SmallVector<Value> at(AffineMap map, ArrayRef<Value> ivs) {
    return llvm::map_to_vector(map.getResults(), [&](AffineExpr index) {
      auto dim = dyn_cast<AffineDimExpr>(index);
      return dim ? ivs[dim.getPosition()]
                 : constant(cast<AffineConstantExpr>(index).getValue());
    });
  }

  /// The operations of the body for the iteration `ivs`. What they extract from
  /// may be computed here, too.
  void cloneBody(linalg::LinalgOp op, ArrayRef<Value> ivs, IRMapping &mapping) {
    SmallVector<Operation *> copies;
    for (Operation &inner : op.getBlock()->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
        mapping.map(index.getResult(), ivs[index.getDim()]);
        continue;
      }
      Operation *copy = b.clone(inner, mapping);
      SmallVector<Operation *> reads;
      copy->walk([&](Operation *nested) {
        if (isa<tensor::ExtractOp, linalg::IndexOp>(nested))
          reads.push_back(nested);
      });
      for (Operation *read : reads) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(read);
        Value value;
        if (auto index = dyn_cast<linalg::IndexOp>(read)) {
          value = ivs[index.getDim()];
        } else {
          auto extract = cast<tensor::ExtractOp>(read);
          Operation *maker = extract.getTensor().getDefiningOp();
          if (!maker || !chains.isPartOfReaders(maker))
            continue;
          value = elementAt(extract.getTensor(),
                            llvm::to_vector(extract.getIndices()));
        }
        read->getResult(0).replaceAllUsesWith(value);
        if (read == copy)
          mapping.map(inner.getResult(0), value);
        read->erase();
      }
    }
  }

  /// An element of `tensor`: read, or computed here of what is read.
  Value elementAt(Value tensor, const SmallVector<Value> &indices) {
    Operation *maker = tensor.getDefiningOp();
    if (!maker || !chains.isPartOfReaders(maker))
      return tensor::ExtractOp::create(b, tensor, indices);
    // Once, though several operations of the chain read it.
    Element key{b.getInsertionBlock(), maker, {}};
    for (Value index : indices)
      std::get<2>(key).push_back(index.getAsOpaquePointer());
    if (auto known = elements.find(key); known != elements.end())
      return known->second;
    Value element;
    if (auto unpack = dyn_cast<linalg::UnPackOp>(maker))
      element = unpackedElement(unpack, indices);
    else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(maker))
      element = elementAt(expand.getSrc(), collapsed(expand, indices));
    else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(maker))
      element = elementAt(collapse.getSrc(), expanded(collapse, indices));
    else
      element = computedElement(cast<linalg::LinalgOp>(maker), indices);
    elements[key] = element;
    return element;
  }

  Value unpackedElement(linalg::UnPackOp op, ArrayRef<Value> indices) {
    return elementAt(op.getSource(),
                     packedIndices(Layout::of(op, indices.size()), indices));
  }

  Value computedElement(linalg::LinalgOp op, ArrayRef<Value> indices) {
    AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    SmallVector<Value> ivs =
        at(inversePermutation(out), llvm::to_vector(indices));
    IRMapping mapping;
    for (OpOperand *input : op.getDpsInputOperands())
      mapping.map(op.getMatchingBlockArgument(input),
                  op.isScalar(input)
                      ? input->get()
                      : elementAt(input->get(),
                                  at(op.getMatchingIndexingMap(input), ivs)));
    cloneBody(op, ivs, mapping);
    return mapping.lookupOrDefault(
        op.getBlock()->getTerminator()->getOperand(0));
  }

  /// Where it is in what was expanded.
  SmallVector<Value> collapsed(tensor::ExpandShapeOp op,
                               ArrayRef<Value> indices) {
    SmallVector<Value> result;
    for (const ReassociationIndices &group : op.getReassociationIndices()) {
      Value index = indices[group.front()];
      for (int64_t dim : ArrayRef(group).drop_front())
        index =
            add(arith::MulIOp::create(b, index, size(op, dim)), indices[dim]);
      result.push_back(index);
    }
    return result;
  }

  /// Where it is in what was collapsed.
  SmallVector<Value> expanded(tensor::CollapseShapeOp op,
                              ArrayRef<Value> indices) {
    // Of size 1 it is 0, whatever that is computed from; a tensor without
    // dimensions is collapsed from no others.
    SmallVector<Value> result(op.getSrcType().getRank(), constant(0));
    for (auto [group, index] :
         llvm::zip_equal(op.getReassociationIndices(), indices)) {
      SmallVector<int64_t> dims;
      for (int64_t dim : group)
        if (op.getSrcType().getDimSize(dim) != 1)
          dims.push_back(dim);
      if (dims.empty())
        continue;
      Value rest = index;
      for (int64_t dim : llvm::reverse(ArrayRef(dims).drop_front())) {
        Value extent = size(op.getSrc(), dim);
        result[dim] = arith::RemUIOp::create(b, rest, extent);
        rest = arith::DivUIOp::create(b, rest, extent);
      }
      result[dims.front()] = rest;
    }
    return result;
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value multiply(Value x, int64_t y) {
    return arith::MulIOp::create(b, x, constant(y));
  }

  /// Outside of the body: kernels are given it.
  Value size(Value tensor, int64_t dim) {
    OpBuilder::InsertionGuard guard(b);
    while (auto outer = b.getInsertionBlock()->getParentOp()) {
      if (isa<func::FuncOp, tw::DispatchRegionOp>(outer))
        break;
      b.setInsertionPoint(outer);
    }
    return getValueOrCreateConstantIndexOp(b, b.getLoc(),
                                           sizeOf(b, tensor, dim));
  }

  SmallVector<Value> packedIndices(const Layout &layout, ValueRange matrix) {
    SmallVector<Value> outer, inner(layout.innerDims.size());
    for (int64_t dim : layout.outerDims) {
      std::optional<size_t> tiled = layout.innerOf(dim);
      if (!tiled) {
        outer.push_back(matrix[dim]);
        continue;
      }
      Value tile = constant(layout.tiles[*tiled]);
      outer.push_back(arith::DivUIOp::create(b, matrix[dim], tile));
      inner[*tiled] = arith::RemUIOp::create(b, matrix[dim], tile);
    }
    outer.append(inner);
    return outer;
  }

  /// One element of the result for each index tuple.
  Value generic(Value dest, ValueRange scalars, StringRef kind,
                llvm::function_ref<Value(ValueRange, ValueRange)> element) {
    auto op =
        createElementwiseResult(b, emptyLike(b, dest), scalars,
                                [&](ValueRange ivs, ValueRange arguments) {
                                  return element(ivs, arguments.drop_back());
                                });
    if (!kind.empty())
      op->setAttr(kDispatchAttr, b.getStringAttr(kind));
    return op.getResult(0);
  }

  const ReadChains &chains;
  ImplicitLocOpBuilder b;
  /// By block, operation and indices.
  using Element = std::tuple<Block *, Operation *, std::vector<const void *>>;
  std::map<Element, Value> elements;
};

struct LowerDevicePacksPass : impl::LowerDevicePacksBase<LowerDevicePacksPass> {
  void runOnOperation() override {
    resolveSizes(getOperation());
    for (Block *block : DispatchGroups::blocksOf(getOperation()))
      if (failed(lower(*block)))
        return signalPassFailure();
  }

  LogicalResult lower(Block &block) {
    ReadChains chains(
        block, [](Operation *op) { return !isOnHost(op); },
        [](Operation *op) { return tileEpilogueLoops(op).has_value(); });
    SmallVector<Operation *> ops;
    for (Operation &op : block)
      if (!isOnHost(&op) && !chains.isPartOfReaders(&op) &&
          (isa<linalg::PackOp, linalg::UnPackOp>(op) ||
           !chains.chainOf(&op).empty()))
        ops.push_back(&op);
    SmallVector<Operation *> parts;
    for (Operation &op : llvm::reverse(block))
      if (chains.isPartOfReaders(&op))
        parts.push_back(&op);
    for (Operation *op : ops) {
      if (failed(check(op)))
        return failure();
      RootLowering lowering(op, chains);
      if (auto pack = dyn_cast<linalg::PackOp>(op))
        op->getResult(0).replaceAllUsesWith(lowering.lower(pack));
      else if (auto unpack = dyn_cast<linalg::UnPackOp>(op))
        op->getResult(0).replaceAllUsesWith(lowering.lower(unpack));
      else
        op->replaceAllUsesWith(lowering.lower(cast<linalg::LinalgOp>(op)));
    }
    for (Operation *op : llvm::concat<Operation *>(ops, parts))
      if (op->use_empty())
        op->erase();
    return success();
  }

  static LogicalResult check(Operation *op) {
    auto areKnown = [](auto tiled) {
      return llvm::none_of(tiled.getStaticInnerTiles(), ShapedType::isDynamic);
    };
    auto pack = dyn_cast<linalg::PackOp>(op);
    auto unpack = dyn_cast<linalg::UnPackOp>(op);
    if ((pack && !areKnown(pack)) || (unpack && !areKnown(unpack)))
      return op->emitOpError("has dynamic inner tiles");
    return success();
  }
};

} // namespace
} // namespace tilewright
