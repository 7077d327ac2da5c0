// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-take-packed: contractions read as panels what C hands over so.

#include "../Arena/CheckedSizes.h"
#include "../RowMajorView.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/EntryNames.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Encoding/Device.h"
#include "tilewright/Encoding/EncodedContraction.h"
#include "tilewright/Encoding/PackOperand.h"
#include "tilewright/Encoding/TensorSizes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_TAKEPACKED
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// A contraction whose rhs is an argument that is handed over packed.
struct Reader {
  Operation *op;        ///< a linalg.generic
  std::string argument; ///< for messages

  tw::SetEncodingOp set() const {
    return op->getOperand(1).getDefiningOp<tw::SetEncodingOp>();
  }
};

/// How arguments of an id lie.
struct Form {
  tw::LayoutAttr layout;
  RankedTensorType packed;
};

/// The readers of one argument.
class ReaderFinder {
public:
  ReaderFinder(func::FuncOp body, unsigned index)
      : pointer(body.getArgument(index)) {
    StringRef function = body.getName();
    function.consume_back(kBodySuffix);
    argument = ("argument '" +
                body.getArgAttrOfType<StringAttr>(index, kNameAttr).getValue() +
                "' of '" + function + "'")
                   .str();
  }

  FailureOr<SmallVector<Reader>> find() {
    if (failed(follow(pointer)))
      return failure();
    if (readers.empty()) {
      emitError(pointer.getLoc())
          << argument
          << " is to be handed over packed, but no contraction takes it; "
             "expected one that has it as its rhs";
      return failure();
    }
    return readers;
  }

private:
  LogicalResult follow(Value value) {
    for (Operation *user : value.getUsers()) {
      LogicalResult read = success();
      if (auto set = dyn_cast<tw::SetEncodingOp>(user))
        read = take(set);
      else if (isView(user))
        read = follow(user->getResult(0));
      else if (!isa<tensor::DimOp, memref::DimOp>(user))
        read = refuse(user);
      if (failed(read))
        return failure();
    }
    return success();
  }

  /// Whether it is of the same elements in the same order; sizes that are not
  /// the argument's own are known.
  static bool isView(Operation *op) {
    auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
    return isa<memref::ReinterpretCastOp, bufferization::ToTensorOp,
               tensor::CollapseShapeOp>(op) ||
           (expand && expand.getOutputShape().empty());
  }

  LogicalResult take(tw::SetEncodingOp set) {
    for (OpOperand &use : set->getUses()) {
      auto op = dyn_cast<linalg::GenericOp>(use.getOwner());
      FailureOr<bool> isContraction = false;
      if (op)
        isContraction = isEncodedContraction(op);
      if (failed(isContraction))
        return failure();
      if (!*isContraction || !isEncodedHere(op))
        return refuse(use.getOwner());
      tw::Operand operand = encodingOf(set.getResult().getType()).getOperand();
      if (operand != tw::Operand::Rhs)
        return emitError(op.getLoc())
               << argument
               << " is to be handed over packed, but this contraction has it "
                  "as "
               << (operand == tw::Operand::Out   ? "what it adds to"
                   : operand == tw::Operand::Lhs ? "its lhs"
                                                 : "scales")
               << "; expected contractions that have it as their rhs";
      readers.push_back({op, argument});
    }
    return success();
  }

  LogicalResult refuse(Operation *user) {
    InFlightDiagnostic error = emitError(user->getLoc());
    error << argument << " is to be handed over packed, but ";
    if (isa<bufferization::MaterializeInDestinationOp>(user))
      error << "it is returned row-major";
    else if (isa<tw::UnsetEncodingOp>(user))
      error << "this contraction adds to it";
    else
      error << "'" << user->getName() << "' reads it row-major";
    return error << "; expected nothing but contractions that have it as "
                    "their rhs";
  }

  BlockArgument pointer;
  std::string argument;
  SmallVector<Reader> readers;
};

/// What a reshape of a tensor is, of another tensor.
Value reshapedLike(OpBuilder &b, Value tensor, Value like) {
  if (like == withoutReshapes(like))
    return tensor;
  Operation *reshape = like.getDefiningOp();
  Value source = reshapedLike(b, tensor, reshape->getOperand(0));
  Operation *copy = b.clone(*reshape);
  copy->setOperand(0, source);
  return copy->getResult(0);
}

/// The sizes of a tensor that is reshaped: symbols are dynamic ones of the
/// argument, in order.
SmallVector<AffineExpr> extentsOf(Value tensor) {
  MLIRContext *context = tensor.getContext();
  auto collapse = tensor.getDefiningOp<tensor::CollapseShapeOp>();
  SmallVector<AffineExpr> whole, extents;
  if (collapse)
    whole = extentsOf(collapse.getSrc());
  unsigned symbols = 0;
  for (auto [dim, size] :
       llvm::enumerate(cast<RankedTensorType>(tensor.getType()).getShape())) {
    AffineExpr extent =
        getAffineConstantExpr(ShapedType::isDynamic(size) ? 1 : size, context);
    if (collapse && ShapedType::isDynamic(size))
      for (int64_t from : collapse.getReassociationIndices()[dim])
        extent = extent * whole[from];
    else if (ShapedType::isDynamic(size))
      extent = getAffineSymbolExpr(symbols++, context);
    extents.push_back(extent);
  }
  return extents;
}

struct TakePackedPass : impl::TakePackedBase<TakePackedPass> {
  using TakePackedBase::TakePackedBase;

  void runOnOperation() override {
    devices.emplace(prefix);
    if (failed(collect()))
      return signalPassFailure();
    for (auto &[id, readers] : readersOf) {
      FailureOr<Form> form = agree(readers);
      if (failed(form) || failed(definePack(id, *form, readers.front())))
        return signalPassFailure();
      for (const Reader &reader : readers)
        read(reader, *form);
    }
  }

private:
  LogicalResult collect() {
    for (func::FuncOp body : getOperation().getOps<func::FuncOp>())
      for (unsigned i = 0; i < body.getNumArguments(); ++i) {
        auto id = body.getArgAttrOfType<StringAttr>(i, kPackedArgumentAttr);
        if (!id)
          continue;
        FailureOr<SmallVector<Reader>> readers = ReaderFinder(body, i).find();
        if (failed(readers))
          return failure();
        llvm::append_range(readersOf[id], *readers);
      }
    return success();
  }

  FailureOr<tw::LayoutAttr> layoutFor(const Reader &reader) {
    FailureOr<const Device *> device = devices->of(reader.op);
    if (failed(device))
      return failure();
    tw::LayoutAttr layout =
        (*device)->layoutOf(encodingOf(reader.set().getResult().getType()),
                            hostPacksBlocks && !(*device)->hasOwnMemory());
    if (layout.isIdentity())
      return emitError(reader.op->getLoc())
             << reader.argument
             << " is to be handed over packed, but the device '"
             << (*device)->getName()
             << "' has no tile for this contraction and takes it row-major; "
                "expected one that packs its rhs";
    return layout;
  }

  /// All contractions take the one form.
  FailureOr<Form> agree(ArrayRef<Reader> readers) {
    std::optional<Form> form;
    for (const Reader &reader : readers) {
      makeAnyM(cast<linalg::GenericOp>(reader.op));
      FailureOr<tw::LayoutAttr> layout = layoutFor(reader);
      if (failed(layout))
        return failure();
      RankedTensorType source = reader.set().getSourceType();
      RankedTensorType type = RankedTensorType::get(
          source.getShape(), source.getElementType(), *layout);
      Form here{*layout, layout->packedType(type)};
      if (!form)
        form = here;
      RankedTensorType first = readers.front().set().getSourceType();
      if (form->layout == here.layout && first == source)
        continue;
      InFlightDiagnostic error =
          emitError(reader.op->getLoc())
          << reader.argument << " is to be handed over packed, but this "
          << "contraction wants it as " << type
          << ", and another one wants what has the same id as "
          << RankedTensorType::get(first.getShape(), first.getElementType(),
                                   form->layout)
          << "; expected contractions that want it alike, as those of one "
             "device do, or other ids";
      error.attachNote(readers.front().op->getLoc())
          << "the other one, of " << readers.front().argument;
      return failure();
    }
    return *form;
  }

  /// The function that packs, and the one that says how large that is.
  LogicalResult definePack(StringAttr id, const Form &form,
                           const Reader &reader) {
    std::string name = (id.getValue() + kPackSuffix).str();
    auto body =
        getOperation().lookupSymbol<func::FuncOp>(name + kBodySuffix.str());
    auto check =
        getOperation().lookupSymbol<func::FuncOp>(name + kCheckSuffix.str());
    // A function that asserts something copies what it is given.
    Operation *store = nullptr;
    if (body && body->getAttr(kPacksAttr) == id)
      body.walk([&](Operation *op) {
        if (isa<bufferization::MaterializeInDestinationOp, memref::CopyOp>(op))
          store = op;
      });
    if (!store || !check)
      return emitError(reader.op->getLoc())
             << reader.argument << " is to be handed over packed, but there is "
             << "no function '" << name
             << "' to pack it; run tw-declare-packs before";
    ImplicitLocOpBuilder b(store->getLoc(), store);
    auto rows =
        cast<memref::ReinterpretCastOp>(*body.getArgument(0).user_begin());
    auto plain =
        store->getOperand(1).getDefiningOp<memref::ReinterpretCastOp>();
    Value row = bufferization::ToTensorOp::create(
        b, memref::getTensorTypeFromMemRefType(rows.getType()), rows,
        /*restrict=*/true, /*writable=*/false);
    tw::SetEncodingOp like = reader.set();
    Value source = reshapedLike(b, row, like.getSource());
    SmallVector<OpFoldResult> sizes = sizesOf(b, source);
    auto encoded = cast<RankedTensorType>(like.getResult().getType());
    Value empty = tensor::EmptyOp::create(b, sizes, encoded.getElementType(),
                                          encoded.getEncoding());
    auto set = tw::SetEncodingOp::create(b, source, empty);
    auto packed = tw::ToPackedOp::create(b, form.packed, set.getResult());
    placeOn(deviceOf(like), set);
    placeOn(deviceOf(like), packed);
    Value panels = rowMajorView(b, plain.getSource(), form.packed,
                                packedSizes(b, b.getLoc(), form.layout, sizes));
    auto copy = bufferization::MaterializeInDestinationOp::create(
        b, packed.getPacked(), panels);
    copy.setRestrict(true);
    copy.setWritable(true);
    Value given = store->getOperand(0);
    store->erase();
    eraseViews(given);
    eraseViews(plain);
    return defineBytes(id, check, like, form.layout);
  }

  LogicalResult defineBytes(StringAttr id, func::FuncOp check,
                            tw::SetEncodingOp like, tw::LayoutAttr layout) {
    FailureOr<const Device *> device = devices->of(like);
    if (failed(device))
      return failure();
    ImplicitLocOpBuilder b(check.getLoc(), &getContext());
    b.setInsertionPointToEnd(getOperation().getBody());
    auto function = func::FuncOp::create(
        b, (id.getValue() + kPackedBytesSuffix).str(),
        b.getFunctionType(check.getArgumentTypes(), {b.getI64Type()}));
    b.setInsertionPointToStart(function.addEntryBlock());
    auto status = func::CallOp::create(b, check, function.getArguments());
    SmallVector<Value> symbols(function.getArguments());
    unsigned scale = symbols.size();
    if (layout.isScalable())
      symbols.push_back(arith::IndexCastOp::create(
          b, b.getI64Type(),
          tw::VscaleOp::create(b, b.getIndexType(), layout.getStreaming())));
    CheckedSizes sizes(b, symbols);
    RankedTensorType type = like.getSourceType();
    Value size = sizes.evaluate((*device)->storageBytes(
        RankedTensorType::get(type.getShape(), type.getElementType(), layout),
        extentsOf(like.getSource()), b.getAffineSymbolExpr(scale)));
    Value result =
        bytesOrStatus(b, size, sizes.overflow(), status.getResult(0));
    func::ReturnOp::create(b, result);
    return success();
  }

  void read(const Reader &reader, const Form &form) {
    tw::SetEncodingOp set = reader.set();
    Value row = withoutReshapes(set.getSource());
    auto tensor = row.getDefiningOp<bufferization::ToTensorOp>();
    auto plain = tensor.getBuffer().getDefiningOp<memref::ReinterpretCastOp>();
    ImplicitLocOpBuilder b(tensor.getLoc(), &getContext());
    b.setInsertionPointAfter(tensor);
    Value panels = rowMajorView(
        b, plain.getSource(), form.packed,
        packedSizes(b, b.getLoc(), form.layout, sizesOf(b, set.getSource())));
    Value packed = bufferization::ToTensorOp::create(
        b, form.packed, panels, /*restrict=*/true, /*writable=*/false);
    b.setInsertionPoint(set);
    auto taken = tw::FromPackedOp::create(b, set.getResult().getType(), packed);
    placeLike(taken, set);
    set.getResult().replaceAllUsesWith(taken.getEncoded());
    Operation *dest = set.getDest().getDefiningOp();
    Value source = set.getSource();
    set.erase();
    if (dest->use_empty())
      dest->erase();
    eraseViews(source);
  }

  /// What nobody looks at any more of what `view` looks at.
  static void eraseViews(Value view) {
    while (Operation *op = view.getDefiningOp()) {
      if (!op->use_empty())
        return;
      view = op->getOperand(0);
      op->erase();
    }
  }

  llvm::MapVector<StringAttr, SmallVector<Reader>> readersOf;
  std::optional<FoundDevices> devices;
};

} // namespace
} // namespace tilewright
