// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-structure-tensors: slices, paddings, gathers and the like as structured
// operations, which have no views into each other's memory.

#include "mlir/IR/IRMapping.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Encoding/ElementwiseResult.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_STRUCTURETENSORS
#include "tilewright/Compile/Passes.h.inc"

namespace {

class Structuring {
public:
  explicit Structuring(Operation *op) : op(op), b(op->getLoc(), op) {}

  Value structure(tensor::ExtractSliceOp slice) {
    Value source = slice.getSource();
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                              sizes = slice.getMixedSizes(),
                              strides = slice.getMixedStrides();
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<OpFoldResult> kept;
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (!dropped.test(dim))
        kept.push_back(size);
    return elements(empty(kept, slice.getType()), [&](ValueRange at) {
      SmallVector<Value> indices;
      size_t next = 0;
      for (size_t dim = 0; dim < sizes.size(); ++dim) {
        Value index = value(offsets[dim]);
        if (!dropped.test(dim))
          index = add(index, multiply(at[next++], strides[dim]));
        indices.push_back(index);
      }
      if (isInBounds(slice))
        return extract(source, indices);
      return extractOrZero(source, indices);
    });
  }

  Value structure(tensor::InsertSliceOp insert) {
    Value source = insert.getSource();
    SmallVector<OpFoldResult> offsets = insert.getMixedOffsets(),
                              sizes = insert.getMixedSizes(),
                              strides = insert.getMixedStrides();
    llvm::SmallBitVector dropped = insert.getDroppedDims();
    return elementsOver(insert.getDest(), [&](ValueRange at, Value before) {
      Value inside;
      SmallVector<Value> indices;
      for (size_t dim = 0; dim < sizes.size(); ++dim) {
        // Of what is before the slice, it is a large unsigned number.
        Value distance = subtract(at[dim], value(offsets[dim]));
        if (!isConstantIntValue(strides[dim], 1)) {
          Value stride = value(strides[dim]);
          Value between = arith::RemUIOp::create(b, distance, stride);
          inside = both(
              inside, compare(arith::CmpIPredicate::eq, between, constant(0)));
          distance = arith::DivUIOp::create(b, distance, stride);
        }
        inside = both(inside, isBelow(distance, value(sizes[dim])));
        if (!dropped.test(dim))
          indices.push_back(distance);
      }
      return choose(
          inside, [&] { return extract(source, indices); },
          [&] { return before; });
    });
  }

  Value structure(tensor::PadOp pad) {
    Value source = pad.getSource();
    SmallVector<OpFoldResult> low = pad.getMixedLowPad(),
                              high = pad.getMixedHighPad();
    SmallVector<OpFoldResult> shape;
    for (int64_t dim = 0; dim < pad.getSourceType().getRank(); ++dim)
      shape.push_back(
          add(add(value(low[dim]), size(source, dim)), value(high[dim])));
    return elements(empty(shape, pad.getResultType()), [&](ValueRange at) {
      Value inside;
      SmallVector<Value> indices;
      for (size_t dim = 0; dim < low.size(); ++dim) {
        Value index = subtract(at[dim], value(low[dim]));
        if (!isConstantIntValue(low[dim], 0) ||
            !isConstantIntValue(high[dim], 0))
          inside = both(inside, isBelow(index, size(source, dim)));
        indices.push_back(index);
      }
      return choose(
          inside, [&] { return extract(source, indices); },
          [&] { return inlineBody(pad.getRegion(), at); });
    });
  }

  Value structure(tensor::ConcatOp concat) {
    auto dim = static_cast<int64_t>(concat.getDim());
    ValueRange inputs = concat.getInputs();
    SmallVector<Value> ends;
    Value end = constant(0);
    for (Value input : inputs)
      ends.push_back(end = add(end, size(input, dim)));
    SmallVector<OpFoldResult> shape;
    for (int64_t i = 0; i < concat.getResultType().getRank(); ++i)
      shape.push_back(i == dim ? end : size(inputs[0], i));
    return elements(empty(shape, concat.getResultType()), [&](ValueRange at) {
      std::function<Value(size_t)> from = [&](size_t input) -> Value {
        auto here = [&] {
          SmallVector<Value> indices(at);
          if (input)
            indices[dim] = subtract(indices[dim], ends[input - 1]);
          return extract(inputs[input], indices);
        };
        if (input + 1 == inputs.size())
          return here();
        return choose(isBelow(at[dim], ends[input]), here,
                      [&] { return from(input + 1); });
      };
      return from(0);
    });
  }

  Value structure(tensor::GatherOp gather) {
    Value source = gather.getSource(), coordinates = gather.getIndices();
    int64_t batch = gather.getIndicesType().getRank() - 1;
    int64_t sourceRank = gather.getSourceType().getRank();
    bool keepsGathered = gather.getResultType().getRank() - batch == sourceRank;
    ArrayRef<int64_t> gathered = gather.getGatherDims();
    SmallVector<OpFoldResult> shape;
    for (int64_t dim = 0; dim < batch; ++dim)
      shape.push_back(size(coordinates, dim));
    for (int64_t dim = 0; dim < sourceRank; ++dim) {
      if (!llvm::is_contained(gathered, dim))
        shape.push_back(size(source, dim));
      else if (keepsGathered)
        shape.push_back(b.getIndexAttr(1));
    }
    return elements(empty(shape, gather.getResultType()), [&](ValueRange at) {
      SmallVector<Value> indices;
      auto slice = at.drop_front(batch).begin();
      for (int64_t dim = 0; dim < sourceRank; ++dim) {
        auto position = llvm::find(gathered, dim);
        if (position == gathered.end()) {
          indices.push_back(*slice++);
          continue;
        }
        if (keepsGathered)
          ++slice;
        SmallVector<Value> which(at.take_front(batch));
        which.push_back(constant(position - gathered.begin()));
        Value index = extract(coordinates, which);
        if (!index.getType().isIndex())
          index = arith::IndexCastOp::create(b, b.getIndexType(), index);
        indices.push_back(index);
      }
      return extractOrZero(source, indices);
    });
  }

  Value structure(tensor::GenerateOp generate) {
    return elements(
        tensor::EmptyOp::create(b, generate.getType(),
                                generate.getDynamicExtents()),
        [&](ValueRange at) { return inlineBody(generate.getBody(), at); });
  }

  Value structure(tensor::SplatOp splat) {
    auto fill = linalg::FillOp::create(
        b, splat.getInput(),
        tensor::EmptyOp::create(b, splat.getType(), splat.getDynamicSizes())
            .getResult());
    return place(fill).getResult(0);
  }

  FailureOr<Value> structure(linalg::SoftmaxOp softmax) {
    Operation *before = op->getPrevNode();
    FailureOr<SmallVector<Value>> parts = softmax.decomposeOperation(b);
    if (failed(parts))
      return softmax.emitOpError("cannot be decomposed");
    Operation *part = before ? before->getNextNode() : &op->getBlock()->front();
    for (; part != op; part = part->getNextNode())
      place(part);
    return parts->front();
  }

  /// Of views, only those of nothing: upstream does not agree with itself on
  /// whether such a size is known; and those that make several dynamic sizes of
  /// one, which it cannot lower.
  Value structure(tensor::ExpandShapeOp expand) {
    SmallVector<OpFoldResult> shape = expand.getMixedOutputShape();
    RankedTensorType type = expand.getResultType();
    if (llvm::is_contained(expand.getSrcType().getShape(), 0))
      return empty(shape, type);
    SmallVector<ReassociationIndices> groups = expand.getReassociationIndices();
    if (llvm::all_of(groups, [&](ArrayRef<int64_t> group) {
          return llvm::count_if(group, [&](int64_t dim) {
                   return type.isDynamicDim(dim);
                 }) <= 1;
        }))
      return expand.getResult();
    return elements(empty(shape, type), [&](ValueRange at) {
      SmallVector<Value> indices;
      for (ArrayRef<int64_t> group : groups) {
        Value index = constant(0);
        for (int64_t dim : group)
          index = add(multiply(index, shape[dim]), at[dim]);
        indices.push_back(index);
      }
      return extract(expand.getSrc(), indices);
    });
  }

  Value structure(tensor::CollapseShapeOp collapse) {
    if (!llvm::is_contained(collapse.getSrcType().getShape(), 0))
      return collapse.getResult();
    SmallVector<OpFoldResult> shape;
    for (ArrayRef<int64_t> group : collapse.getReassociationIndices()) {
      OpFoldResult product = b.getIndexAttr(1);
      for (int64_t dim : group)
        product = multiply(size(collapse.getSrc(), dim), product);
      shape.push_back(product);
    }
    return empty(shape, collapse.getResultType());
  }

  /// By way of all elements in one dimension.
  Value structure(tensor::ReshapeOp reshape) {
    auto type = cast<RankedTensorType>(reshape.getResult().getType());
    Value flat = flatten(reshape.getSource());
    auto flatType = cast<RankedTensorType>(flat.getType());
    int64_t count =
        type.hasStaticShape() ? type.getNumElements() : ShapedType::kDynamic;
    flat = b.createOrFold<tensor::CastOp>(
        RankedTensorType::get({count}, flatType.getElementType()), flat);
    if (type.getRank() == 0)
      return tensor::CollapseShapeOp::create(b, type, flat,
                                             ArrayRef<ReassociationIndices>{});
    SmallVector<OpFoldResult> shape;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      shape.push_back(type.isDynamicDim(dim)
                          ? OpFoldResult(listedSize(reshape, dim))
                          : b.getIndexAttr(type.getDimSize(dim)));
    if (type.getRank() == 1)
      return flat;
    if (llvm::is_contained(type.getShape(), 0))
      return empty(shape, type);
    ReassociationIndices all =
        llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    auto expand = tensor::ExpandShapeOp::create(
        b, type, flat, ArrayRef<ReassociationIndices>{all}, shape);
    Value result = structure(expand);
    if (result != expand.getResult())
      expand.erase();
    return result;
  }

  /// Of an operation of the model.
  Value structure(tensor::ExtractOp read) {
    return extractOrZero(read.getTensor(), read.getIndices());
  }

private:
  static bool isInBounds(Operation *op) { return op->hasAttr(kInBoundsAttr); }

  Value flatten(Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (type.getRank() == 1)
      return tensor;
    if (type.getRank() == 0)
      return tensor::ExpandShapeOp::create(
          b, RankedTensorType::get({1}, type.getElementType()), tensor,
          ArrayRef<ReassociationIndices>{},
          ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
    ReassociationIndices all =
        llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    return tensor::CollapseShapeOp::create(b, tensor,
                                           ArrayRef<ReassociationIndices>{all});
  }

  Value listedSize(tensor::ReshapeOp reshape, int64_t dim) {
    Value size = reshape.getShape()
                     .getDefiningOp<tensor::FromElementsOp>()
                     .getElements()[dim];
    return b.createOrFold<arith::IndexCastOp>(b.getIndexType(), size);
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value value(OpFoldResult index) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), index);
  }
  Value size(Value tensor, int64_t dim) {
    return b.createOrFold<tensor::DimOp>(tensor, dim);
  }
  Value add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(x, y); }
  Value subtract(Value x, Value y) {
    return b.createOrFold<arith::SubIOp>(x, y);
  }
  Value multiply(Value x, OpFoldResult y) {
    return b.createOrFold<arith::MulIOp>(x, value(y));
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, predicate, x, y);
  }
  /// 0 <= index < end.
  Value isBelow(Value index, Value end) {
    return compare(arith::CmpIPredicate::ult, index, end);
  }
  /// Either may be null, which is true.
  Value both(Value x, Value y) {
    if (!x || !y)
      return x ? x : y;
    return arith::AndIOp::create(b, x, y);
  }

  Value extract(Value tensor, ValueRange indices) {
    auto read = tensor::ExtractOp::create(b, tensor, indices);
    read->setAttr(kInBoundsAttr, b.getUnitAttr());
    return read;
  }

  /// The element there, or zero if there is none.
  Value extractOrZero(Value tensor, ValueRange indices) {
    auto type = cast<RankedTensorType>(tensor.getType());
    Value inside;
    for (auto [dim, index] : llvm::enumerate(indices)) {
      std::optional<int64_t> known = getConstantIntValue(index);
      if (known && !type.isDynamicDim(dim) && *known >= 0 &&
          *known < type.getDimSize(dim))
        continue;
      inside = both(inside, isBelow(index, size(tensor, dim)));
    }
    return choose(
        inside, [&] { return extract(tensor, indices); },
        [&]() -> Value {
          return arith::ConstantOp::create(
              b, b.getZeroAttr(type.getElementType()));
        });
  }

  /// Without a condition, what it would be if true.
  Value choose(Value condition, llvm::function_ref<Value()> ifTrue,
               llvm::function_ref<Value()> ifFalse) {
    if (!condition)
      return ifTrue();
    auto in = [&](llvm::function_ref<Value()> part) {
      return [this, part](OpBuilder &builder, Location) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(builder.getInsertionBlock(),
                            builder.getInsertionPoint());
        Value result = part();
        scf::YieldOp::create(b, result);
      };
    };
    return scf::IfOp::create(b, condition, in(ifTrue), in(ifFalse))
        .getResult(0);
  }

  /// What the body of a pad or generate yields for these indices.
  Value inlineBody(Region &region, ValueRange indices) {
    IRMapping mapping;
    Block &body = region.front();
    mapping.map(body.getArguments(), indices);
    for (Operation &inner : body.without_terminator())
      b.clone(inner, mapping);
    return mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
  }

  /// A tensor of `shape`, which `type` may know less of.
  Value empty(ArrayRef<OpFoldResult> shape, RankedTensorType type) {
    SmallVector<Value> dynamic;
    for (auto [dim, size] : llvm::enumerate(shape))
      if (type.isDynamicDim(dim))
        dynamic.push_back(value(size));
    return tensor::EmptyOp::create(b, type, dynamic);
  }

  Value elements(Value dest, llvm::function_ref<Value(ValueRange)> element) {
    return elementsOver(dest,
                        [&](ValueRange at, Value) { return element(at); });
  }

  Value elementsOver(Value dest,
                     llvm::function_ref<Value(ValueRange, Value)> element) {
    linalg::GenericOp result = createElementwiseResult(
        b, dest, {}, [&](ValueRange at, ValueRange arguments) {
          return element(at, arguments.back());
        });
    result->setAttr(kDispatchAttr,
                    b.getStringAttr(op->getName().stripDialect()));
    return place(result).getResult(0);
  }

  /// On the same side as the operation.
  template <typename Op> Op place(Op part) {
    placeLike(part, op);
    return part;
  }

  Operation *op;
  ImplicitLocOpBuilder b;
};

struct StructureTensorsPass : impl::StructureTensorsBase<StructureTensorsPass> {
  void runOnOperation() override {
    // Bodies are moved with what is in them, so these come first.
    if (failed((structureAll<tensor::ExtractOp>())) ||
        failed((structureAll<tensor::ExtractSliceOp, tensor::InsertSliceOp,
                             tensor::PadOp, tensor::ConcatOp, tensor::GatherOp,
                             tensor::GenerateOp, tensor::SplatOp,
                             tensor::ReshapeOp, tensor::ExpandShapeOp,
                             tensor::CollapseShapeOp, linalg::SoftmaxOp>())))
      return signalPassFailure();
    getOperation().walk(
        [](Operation *op) { op->removeDiscardableAttr(kInBoundsAttr); });
  }

  template <typename... Ops> LogicalResult structureAll() {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<Ops...>(op) &&
          !(isa<tensor::ExtractOp>(op) && op->hasAttr(kInBoundsAttr)))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      FailureOr<Value> result = failure();
      ((isa<Ops>(op) ? void(result = Structuring(op).structure(cast<Ops>(op)))
                     : void()),
       ...);
      if (failed(result))
        return failure();
      if (result->getDefiningOp() == op)
        continue;
      op->replaceAllUsesWith(ValueRange{*result});
      op->erase();
    }
    return success();
  }
};

} // namespace
} // namespace tilewright
