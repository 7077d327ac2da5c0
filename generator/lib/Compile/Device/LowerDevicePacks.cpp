// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-lower-device-packs: packs, unpacks and relayouts as one element-by-element
// operation each.

#include "../ElementwiseResult.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "tilewright/Compile/Passes.h"

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

class PackLowering {
public:
  explicit PackLowering(Operation *op) : b(op->getLoc(), op) {}

  Value lower(linalg::PackOp op) {
    RankedTensorType matrix = op.getSourceType();
    int64_t rank = matrix.getRank();
    Layout layout = Layout::of(op, rank);
    // Of the matrix, which need not be there.
    Value shaped = op.getSource();
    StringRef kind = "pack";
    if (auto unpack = shaped.getDefiningOp<linalg::UnPackOp>()) {
      shaped = unpack.getDest();
      kind = "relayout";
    } else if (linalg::LinalgOp maker = onlyFor(shaped)) {
      shaped = maker.getDpsInits().front();
      kind = "";
    }
    SmallVector<Value> sizes;
    bool isPadded = op.getPaddingValue() != nullptr;
    for (int64_t dim = 0; isPadded && dim < rank; ++dim)
      sizes.push_back(size(shaped, dim));
    SmallVector<Value> scalars = sizes;
    if (isPadded)
      scalars.push_back(op.getPaddingValue());

    return generic(
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
          Value element = elementAt(op.getSource(), indices);
          if (inside)
            element =
                arith::SelectOp::create(b, inside, element, scalars.back());
          return element;
        });
  }

  Value lower(linalg::UnPackOp op) {
    int64_t rank = op.getDestType().getRank();
    return generic(
        op.getDest(), {}, "unpack", [&](ValueRange ivs, ValueRange) -> Value {
          SmallVector<Value> indices = packedIndices(Layout::of(op, rank), ivs);
          return tensor::ExtractOp::create(b, op.getSource(), indices);
        });
  }

private:
  /// What computes `tensor` element by element, for one operation.
  static linalg::LinalgOp onlyFor(Value tensor) {
    auto op = tensor.getDefiningOp<linalg::LinalgOp>();
    if (!op || isOnHost(op) || !tensor.hasOneUse() ||
        op->getNumResults() != 1 || op.getNumReductionLoops() ||
        !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
        op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
      return nullptr;
    for (OpOperand *input : op.getDpsInputOperands())
      if (!op.getMatchingIndexingMap(input).isProjectedPermutation())
        return nullptr;
    return op;
  }

  /// An element of `tensor`: read from the packed form that another operation
  /// would have unpacked, or computed here, if it is wanted nowhere else.
  Value elementAt(Value tensor, ArrayRef<Value> indices) {
    if (auto unpack = tensor.getDefiningOp<linalg::UnPackOp>())
      return tensor::ExtractOp::create(
          b, unpack.getSource(),
          packedIndices(Layout::of(unpack, indices.size()), indices));
    linalg::LinalgOp maker = onlyFor(tensor);
    if (!maker)
      return tensor::ExtractOp::create(b, tensor, indices);
    IRMapping mapping;
    for (OpOperand *input : maker.getDpsInputOperands()) {
      Value value = input->get();
      if (isa<RankedTensorType>(value.getType())) {
        AffineMap map = maker.getMatchingIndexingMap(input);
        SmallVector<Value> of;
        for (AffineExpr index : map.getResults())
          of.push_back(indices[cast<AffineDimExpr>(index).getPosition()]);
        // What is broadcast would be computed for each element anew.
        value = map.isPermutation()
                    ? elementAt(value, of)
                    : tensor::ExtractOp::create(b, value, of).getResult();
      }
      mapping.map(maker.getMatchingBlockArgument(input), value);
    }
    for (Operation &inner : maker.getBlock()->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(inner))
        mapping.map(index.getResult(), indices[index.getDim()]);
      else
        b.clone(inner, mapping);
    }
    return mapping.lookupOrDefault(
        maker.getBlock()->getTerminator()->getOperand(0));
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value multiply(Value x, int64_t y) {
    return arith::MulIOp::create(b, x, constant(y));
  }

  Value size(Value tensor, int64_t dim) {
    return tensor::DimOp::create(b, tensor, dim);
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

  ImplicitLocOpBuilder b;
};

struct LowerDevicePacksPass : impl::LowerDevicePacksBase<LowerDevicePacksPass> {
  void runOnOperation() override {
    // Packs first: those of an unpack's result do not need it.
    if (failed(lowerAll<linalg::PackOp>()) ||
        failed(lowerAll<linalg::UnPackOp>()))
      signalPassFailure();
  }

  template <typename Op> LogicalResult lowerAll() {
    SmallVector<Op> ops;
    getOperation().walk([&](Op op) {
      if (!isOnHost(op))
        ops.push_back(op);
    });
    for (Op op : ops) {
      if (op->use_empty()) {
        op->erase();
        continue;
      }
      if (llvm::any_of(op.getStaticInnerTiles(), ShapedType::isDynamic))
        return op->emitOpError("has dynamic inner tiles");
      Value lowered = PackLowering(op).lower(op);
      op->replaceAllUsesWith(ValueRange{lowered});
      op->erase();
      if (std::is_same_v<Op, linalg::UnPackOp>)
        fuse(lowered);
    }
    return success();
  }

  /// What is done with the elements of a product, and nothing else is, is done
  /// where they are unpacked.
  void fuse(Value unpacked) {
    if (!unpacked.hasOneUse())
      return;
    OpOperand &use = *unpacked.use_begin();
    auto user = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!user || isOnHost(user) || user.getNumReductionLoops() ||
        !linalg::areElementwiseOpsFusable(&use))
      return;
    IRRewriter rewriter(user);
    FailureOr<linalg::ElementwiseOpFusionResult> fused =
        linalg::fuseElementwiseOps(rewriter, &use);
    if (failed(fused))
      return;
    for (auto [from, to] : fused->replacements)
      if (from != unpacked)
        from.replaceAllUsesWith(to);
    user->erase();
  }
};

} // namespace
} // namespace tilewright
