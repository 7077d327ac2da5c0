// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-materialize-encodings: layouts -> packs, multiplications of panels,
// unpacks. In place: values get the types that they are packed to.

#include "ConvolutionBuilder.h"
#include "EncodedElements.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Encoding/MatchContraction.h"
#include "tilewright/Encoding/PackOperand.h"
#include "tilewright/Encoding/Passes.h"
#include "tilewright/Encoding/Place.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_MATERIALIZEENCODINGS
#include "tilewright/Encoding/Passes.h.inc"

namespace {

class Materializer {
public:
  explicit Materializer(func::FuncOp func) : func(func) {}

  LogicalResult run() {
    if (failed(collect()))
      return failure();
    func.setFunctionType(FunctionType::get(func.getContext(),
                                           packed(func.getArgumentTypes()),
                                           packed(func.getResultTypes())));
    // In the order of the blocks, an operation before its regions: what an
    // operation takes is packed already.
    for (Operation *op : ops)
      if (failed(materialize(op)))
        return failure();
    return success();
  }

private:
  LogicalResult collect() {
    for (Type type : llvm::concat<const Type>(func.getArgumentTypes(),
                                              func.getResultTypes()))
      if (failed(verifyLayout(type, func)))
        return failure();
    WalkResult walk = func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      bool has = isa<tw::EncodingSizeOp>(op);
      if (auto size = dyn_cast<tw::EncodingSizeOp>(op);
          size && failed(verifyLayout(size.getTensorType(), op)))
        return WalkResult::interrupt();
      for (Value operand : op->getOperands())
        has |= tw::isEncoded(operand.getType());
      for (Value result : op->getResults())
        if (failed(note(result, op, has)))
          return WalkResult::interrupt();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            if (failed(note(argument, op, has)))
              return WalkResult::interrupt();
      if (has)
        ops.push_back(op);
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }

  LogicalResult note(Value value, Operation *op, bool &has) {
    if (!tw::isEncoded(value.getType()))
      return success();
    has = true;
    encoded[value] = cast<RankedTensorType>(value.getType());
    return verifyLayout(value.getType(), op);
  }

  static LogicalResult verifyLayout(Type type, Operation *op) {
    if (!tw::isEncoded(type))
      return success();
    tw::LayoutAttr layout = layoutOf(type);
    if (!layout)
      return op->emitOpError()
             << "has the type " << type
             << ", whose layout is not known; run tw-specialize-encodings";
    return success();
  }

  static Type packed(Type type) {
    tw::LayoutAttr layout = layoutOf(type);
    return layout ? layout.packedType(cast<RankedTensorType>(type)) : type;
  }
  static SmallVector<Type> packed(ArrayRef<Type> types) {
    return llvm::map_to_vector(types, [](Type type) { return packed(type); });
  }

  /// Whether panels of several elements in a byte are among its operands.
  bool takesStreams(Operation *op) const {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      RankedTensorType type = encoded.lookup(operand);
      return type && layoutOf(type).packedType(type).getElementType() !=
                         type.getElementType();
    });
  }

  LogicalResult materialize(Operation *op) {
    if (isa<tw::UnsetEncodingOp, tw::RelayoutOp, tensor::ExpandShapeOp,
            tensor::CollapseShapeOp, tensor::ExtractSliceOp, tensor::PadOp,
            linalg::LinalgOp>(op) &&
        !op->hasAttr(tw::kTile) && takesStreams(op))
      return op->emitOpError()
             << "takes panels of several elements in a byte, which are only "
                "multiplied; expected it on tensors without an encoding";
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](tensor::EmptyOp empty) { return create(empty); })
        .Case([&](tw::SetEncodingOp set) { return pack(set); })
        .Case([&](tw::UnsetEncodingOp unset) { return unpack(unset); })
        .Case([&](tw::RelayoutOp relayout) { return move(relayout); })
        .Case<tw::FromPackedOp, tw::ToPackedOp>(
            [&](Operation *same) { return become(same); })
        .Case([&](tw::EncodingSizeOp size) { return compute(size); })
        .Case([&](linalg::GenericOp generic) { return multiply(generic); })
        .Case([&](tensor::CastOp cast) { return recast(cast); })
        .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
            [&](Operation *shape) { return reshape(shape); })
        .Case([&](tensor::ExtractSliceOp slice) { return this->slice(slice); })
        .Case([&](tensor::PadOp padding) { return pad(padding); })
        .Case([&](linalg::FillOp fill) { return this->fill(fill); })
        .Default([&](Operation *other) {
          if (isa<RegionBranchOpInterface, RegionBranchTerminatorOpInterface,
                  BranchOpInterface, tw::DispatchOp, func::CallOp,
                  func::FuncOp>(other))
            return retype(other);
          return LogicalResult(other->emitOpError()
                               << "takes or makes an encoded tensor, which it "
                                  "does not know how to pack; expected it "
                                  "behind tw.unset_encoding");
        });
  }

  /// It hands on what it is given.
  LogicalResult retype(Operation *op) {
    for (Value result : op->getResults())
      result.setType(packed(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          argument.setType(packed(argument.getType()));
    return success();
  }

  void replace(Operation *op, ValueRange values) {
    // Whoever asks of the new value asks what the old one was.
    for (auto [result, value] : llvm::zip_equal(op->getResults(), values)) {
      auto found = encoded.find(result);
      if (found == encoded.end())
        continue;
      RankedTensorType type = found->second;
      encoded[value] = type;
    }
    op->replaceAllUsesWith(values);
    // Values to come may be where these were.
    for (Value result : op->getResults())
      encoded.erase(result);
    op->erase();
  }

  LogicalResult create(tensor::EmptyOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    SmallVector<OpFoldResult> sizes = op.getMixedSizes();
    Value empty = tensor::EmptyOp::create(
        b, packedSizes(b, b.getLoc(), op.getType(), sizes),
        cast<RankedTensorType>(packed(op.getType())).getElementType());
    sizesOfEmpty[empty] = std::move(sizes);
    replace(op, empty);
    return success();
  }

  /// A cast only knows more or less of the sizes.
  LogicalResult recast(tensor::CastOp op) {
    RankedTensorType from = encoded.lookup(op.getSource()),
                     to = encoded.lookup(op.getDest());
    if (!from || !to || from.getEncoding() != to.getEncoding())
      return op.emitOpError() << "is between tensors that lie differently; run "
                                 "tw-verify-encodings before";
    return retype(op);
  }

  LogicalResult reshape(Operation *op) {
    Reshape reshape = *Reshape::of(op);
    RankedTensorType expanded = encoded.lookup(reshape.expanded),
                     collapsed = encoded.lookup(reshape.collapsed);
    std::optional<SmallVector<ReassociationIndices>> groups;
    if (expanded && collapsed)
      groups = packReshape(expanded, collapsed, reshape.groups);
    if (!groups)
      return op->emitOpError() << "moves elements of tensors that lie in "
                                  "tiles; expected it behind "
                                  "tw.unset_encoding";
    ImplicitLocOpBuilder b(op->getLoc(), op);
    auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
    if (!expand)
      replace(op, tensor::CollapseShapeOp::create(b, packed(collapsed),
                                                  op->getOperand(0), *groups)
                      .getResult());
    else
      replace(op, tensor::ExpandShapeOp::create(
                      b, packed(expanded), expand.getSrc(), *groups,
                      packedSizes(b, b.getLoc(), expanded,
                                  expand.getMixedOutputShape()))
                      .getResult());
    return success();
  }

  LogicalResult slice(tensor::ExtractSliceOp op) {
    RankedTensorType from = encoded.lookup(op.getSource()),
                     to = encoded.lookup(op.getResult());
    tw::LayoutAttr layout = from ? layoutOf(from) : nullptr;
    if (!to || !layout || !isSliceOfTiles(layout, op) ||
        (!layout.isIdentity() && layout.related(keptDims(op)) != layoutOf(to)))
      return op.emitOpError() << "does not take whole tiles out of a tensor "
                                 "that lies in tiles; expected it behind "
                                 "tw.unset_encoding";
    replace(op, packSlice(op, layout, cast<RankedTensorType>(packed(to))));
    return success();
  }

  LogicalResult pad(tensor::PadOp op) {
    RankedTensorType from = encoded.lookup(op.getSource()),
                     to = encoded.lookup(op.getResult());
    tw::LayoutAttr layout = from ? layoutOf(from) : nullptr;
    if (!to || !layout || layoutOf(to) != layout ||
        !isPaddingOfTiles(layout, op))
      return op.emitOpError()
             << "does not put one value around whole tiles, or behind what is "
                "in the last one; expected it behind tw.unset_encoding";
    replace(op,
            packPadding(op, layout, from, cast<RankedTensorType>(packed(to))));
    return success();
  }

  /// Whether tiles may reach over the edge of a tensor.
  static bool isFilledUp(RankedTensorType type, tw::LayoutAttr layout) {
    return llvm::any_of(llvm::zip_equal(layout.getInner(), layout.getTiles(),
                                        layout.getScalable()),
                        [&](auto tile) {
                          auto [dim, size, isScalable] = tile;
                          int64_t extent = type.getDimSize(dim);
                          return isScalable ||
                                 (size > 1 && (ShapedType::isDynamic(extent) ||
                                               extent % size != 0));
                        });
  }

  /// Whether nobody reads what fills up its result's tiles, or its operands'.
  static bool isOfElements(Operation *op) {
    return isa<linalg::GenericOp>(op) && !op->hasAttr(tw::kTile);
  }

  /// What fills up the last tiles is 0, whatever the tensor is filled with, but
  /// for those who do not read it.
  LogicalResult fill(linalg::FillOp op) {
    RankedTensorType type = encoded.lookup(op.getResult(0));
    tw::LayoutAttr layout = layoutOf(type);
    if (unfilled(op.getResult(0)) || !isFilledUp(type, layout) ||
        llvm::all_of(op->getUsers(), isOfElements))
      return retype(op);
    FailureOr<SmallVector<OpFoldResult>> sizes = sizesOf(op.output(), op);
    if (failed(sizes))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), op);
    Value dest = tensor::EmptyOp::create(b, *sizes, type.getElementType());
    auto plain = linalg::FillOp::create(b, op.value(), dest);
    placeLike(plain, op);
    replace(op, packInto(b, plain.getResult(0), op.output(), layout, op));
    return success();
  }

  /// A packed form does not say how large the tensor is.
  FailureOr<SmallVector<OpFoldResult>> sizesOf(Value dest, Operation *op) {
    auto sizes = sizesOfEmpty.find(dest);
    if (sizes != sizesOfEmpty.end())
      return sizes->second;
    op->emitOpError() << "has a destination that is no tensor.empty, which "
                         "says what sizes the tensor has";
    return failure();
  }

  LogicalResult pack(tw::SetEncodingOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    replace(op, packInto(b, op.getSource(), op.getDest(),
                         layoutOf(op.getResult().getType()), op));
    return success();
  }

  LogicalResult unpack(tw::UnsetEncodingOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    replace(op, unpackInto(b, op.getSource(), op.getDest(),
                           layoutOf(encoded.lookup(op.getSource())), op));
    return success();
  }

  LogicalResult move(tw::RelayoutOp op) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    RankedTensorType from = encoded.lookup(op.getSource()),
                     to = encoded.lookup(op.getResult());
    if (layoutOf(from).isIdentity()) {
      replace(op, packInto(b, op.getSource(), op.getDest(), layoutOf(to), op));
      return success();
    }
    if (layoutOf(to).isIdentity()) {
      replace(op,
              unpackInto(b, op.getSource(), op.getDest(), layoutOf(from), op));
      return success();
    }
    FailureOr<SmallVector<OpFoldResult>> sizes = sizesOf(op.getDest(), op);
    FailureOr<const Device *> device = devices.of(movedBy(op));
    if (failed(sizes) || failed(device))
      return failure();
    replace(op, (*device)->relayout(
                    b, {op.getSource(), op.getDest(), from, to, *sizes, op}));
    return success();
  }

  /// What a device with memory of its own has computed is laid out anew there
  /// (tw-relayout-on-device).
  static Operation *movedBy(tw::RelayoutOp op) {
    Operation *maker = op.getSource().getDefiningOp();
    return maker && !isOnHost(maker) ? maker : op;
  }

  /// What is packed on one side is so on the other.
  LogicalResult become(Operation *op) {
    Type from = op->getOperand(0).getType();
    if (from != packed(op->getResult(0).getType()))
      return op->emitOpError()
             << "is of " << from << " and " << op->getResult(0).getType()
             << "; expected the packed form of this layout";
    replace(op, op->getOperand(0));
    return success();
  }

  LogicalResult compute(tw::EncodingSizeOp op) {
    FailureOr<const Device *> device = devices.of(op);
    if (failed(device))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), op);
    op.getResult().replaceAllUsesWith(encodingSize(b, op, **device));
    op->erase();
    return success();
  }

  LogicalResult multiply(linalg::GenericOp op) {
    auto tile = op->getAttrOfType<tw::TileAttr>(tw::kTile);
    if (!tile) {
      FailureOr<linalg::GenericOp> computed = packElements(
          op, [&](Value value) { return encoded.lookup(value); },
          [&](Value dest) -> ArrayRef<OpFoldResult> {
            auto sizes = sizesOfEmpty.find(dest);
            return sizes == sizesOfEmpty.end()
                       ? ArrayRef<OpFoldResult>()
                       : ArrayRef<OpFoldResult>(sizes->second);
          });
      if (failed(computed))
        return failure();
      if (*computed) {
        replace(op, computed->getResults());
        return success();
      }
      for (Value operand : op->getOperands())
        if (tw::LayoutAttr layout = layoutAt(operand);
            layout && !layout.isIdentity())
          return op.emitOpError()
                 << "has an operand with " << layout
                 << ", and no tile function; expected it behind "
                    "tw.unset_encoding";
      op->removeAttr(kZerosAttr);
      return retype(op);
    }
    std::optional<std::array<std::string, 3>> elements =
        matchProductElements(op);
    if (!elements)
      return op.emitOpError()
             << "has the tile function \"" << tile.getName()
             << "\", but does not add products of two operands";
    if (!op.getIndexingMapsArray().front().isProjectedPermutation())
      return convolve(op, tile, *elements);
    FailureOr<SmallVector<AffineMap>> maps =
        outerMaps(op, [&](Value value) { return encoded.lookup(value); });
    if (failed(maps))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), op);
    auto [out, overwrites] = destOf(op);
    ValueRange scales = op.getInputs().drop_front(2);
    auto product = tw::Mmt4dOp::create(
        b, out.getType(), op.getInputs()[0], op.getInputs()[1], out, scales,
        tile, b.getAffineMapArrayAttr(*maps), overwrites);
    placeLike(product, op);
    if (failed(product.verify()) ||
        failed(verifyElements(op, product.getKey(), tile, *elements)))
      return failure();
    replace(op, product.getResult());
    return success();
  }

  /// What a multiplication writes, and whether it overwrites: the tile writes
  /// its zeros itself, so that out needs only be there.
  static std::pair<Value, bool> destOf(linalg::GenericOp op) {
    Value out = op.getOutputs()[0], unwritten = unfilled(out);
    return {unwritten ? unwritten : out, unwritten != nullptr};
  }

  static LogicalResult verifyElements(linalg::GenericOp op, const TileKey &key,
                                      tw::TileAttr tile,
                                      ArrayRef<std::string> elements) {
    const TypeTripleInfo &types = info(key.types);
    for (auto [operand, name, type] :
         llvm::enumerate(elements, std::array{types.lhs, types.rhs, types.out}))
      if (info(type).name != name)
        return op.emitOpError()
               << "multiplies operand " << operand << " as " << name
               << ", but its tile function \"" << tile.getName() << "\" as "
               << StringRef(info(type).name);
    return success();
  }

  /// A multiplication by windows where they lie, in panels of the weights.
  LogicalResult convolve(linalg::GenericOp op, tw::TileAttr tile,
                         ArrayRef<std::string> elements) {
    std::array<RankedTensorType, 3> types;
    for (unsigned operand = 0; operand < 3; ++operand) {
      types[operand] = encoded.lookup(op->getOperand(operand));
      tw::LayoutAttr layout =
          types[operand] ? layoutOf(types[operand]) : nullptr;
      if (!layout || layout.isIdentity() != (operand != 1))
        return op.emitOpError()
               << "has operand " << operand << " of type "
               << encodedTypeOf(op->getOperand(operand))
               << "; expected windows and a result that lie as without an "
                  "encoding, and panels of weights";
    }
    ConvolutionBuilder builder(op, tile, types);
    Operation *user =
        op->hasOneUse() ? *op->user_begin() : static_cast<Operation *>(nullptr);
    auto [out, overwrites] = destOf(op);
    // It is written where it is wanted.
    auto unset = dyn_cast_or_null<tw::UnsetEncodingOp>(user);
    if (unset && overwrites && unset->getBlock() == op->getBlock()) {
      builder.setInsertionPoint(unset);
      out = unset.getDest();
    }
    FailureOr<tw::MatmulOp> product = builder.build(out, overwrites);
    if (failed(product) ||
        failed(verifyElements(op, product->getKey(), tile, elements)))
      return failure();
    replace(op, product->getResult(0));
    return success();
  }

  /// Before it was packed.
  Type encodedTypeOf(Value value) {
    RankedTensorType type = encoded.lookup(value);
    return type ? type : value.getType();
  }

  /// That of `value`; null if it has none.
  tw::LayoutAttr layoutAt(Value value) {
    RankedTensorType type = encoded.lookup(value);
    return type ? layoutOf(type) : nullptr;
  }

  func::FuncOp func;
  SmallVector<Operation *> ops;
  /// What values were, or what those were that they replace.
  llvm::DenseMap<Value, RankedTensorType> encoded;
  /// Of packed ones, the sizes without packing.
  llvm::DenseMap<Value, SmallVector<OpFoldResult>> sizesOfEmpty;
  FoundDevices devices{kDefaultPrefix};
};

struct MaterializeEncodingsPass
    : impl::MaterializeEncodingsBase<MaterializeEncodingsPass> {
  void runOnOperation() override {
    if (failed(materializeEncodings(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult materializeEncodings(func::FuncOp func) {
  return Materializer(func).run();
}

} // namespace tilewright
