// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-specialize-encodings: encodings -> layouts of the devices.

#include "EncodedValues.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "tilewright/Encoding/Passes.h"
#include "tilewright/Encoding/Place.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_SPECIALIZEENCODINGS
#include "tilewright/Encoding/Passes.h.inc"

namespace {

/// What is of a device: its layouts instead of encodings, in types and
/// attributes.
class Specialization {
public:
  explicit Specialization(const Device &device) : device(device) {
    replacer.addReplacement([&](tw::EncodingAttr encoding) -> Attribute {
      return device.layoutOf(encoding);
    });
  }

  Type of(Type type) { return replacer.replace(type); }
  void inAttributesOf(Operation *op) {
    replacer.replaceElementsIn(op, /*replaceAttrs=*/true);
  }

  const Device &device;

private:
  AttrTypeReplacer replacer;
};

class Specializer {
public:
  Specializer(func::FuncOp func, const Device &target, const Device *device)
      : func(func), ofTarget(target) {
    if (device)
      ofDevice.emplace(*device);
  }

  LogicalResult run() {
    if (failed(nameTiles()))
      return failure();
    func.walk<WalkOrder::PreOrder>([&](Operation *op) { retype(op); });
    func.walk([&](Operation *op) { moveOperands(op); });
    return success();
  }

private:
  Specialization &of(Operation *op) {
    // A tensor to be written is of who writes it.
    while (isa<tensor::EmptyOp>(op) && op->hasOneUse())
      op = *op->user_begin();
    if (isa<tw::YieldOp>(op))
      op = op->getParentOp();
    return ofDevice && !isOnHost(op) ? *ofDevice : ofTarget;
  }

  LogicalResult nameTiles() {
    WalkResult walk = func.walk([&](linalg::GenericOp op) {
      FailureOr<bool> isContraction = isEncodedContraction(op);
      if (failed(isContraction))
        return WalkResult::interrupt();
      if (!*isContraction)
        return WalkResult::advance();
      if (std::optional<TiledContraction> tiled =
              of(op).device.tile(encodingOf(op->getOperand(0).getType())))
        op->setAttr(kTileAttr, StringAttr::get(op.getContext(), tiled->tile));
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }

  void retype(Operation *op) {
    Specialization &specialization = of(op);
    for (Value result : op->getResults())
      retype(result, specialization);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          retype(argument, specialization);
    if (isa<func::FuncOp, tw::EncodingSizeOp>(op))
      specialization.inAttributesOf(op);
  }

  void retype(Value value, Specialization &specialization) {
    if (!encodingOf(value.getType()))
      return;
    encoded[value] = cast<RankedTensorType>(value.getType());
    value.setType(specialization.of(value.getType()));
  }

  /// What another device has computed is laid out anew.
  void moveOperands(Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      // It takes what lies in any way.
      if (isa<tw::RelayoutOp>(op) && operand.getOperandNumber() == 0)
        continue;
      auto found = encoded.find(operand.get());
      if (found == encoded.end())
        continue;
      auto wanted = cast<RankedTensorType>(of(op).of(found->second));
      if (operand.get().getType() == wanted)
        continue;
      OpBuilder b(op);
      Value source = operand.get();
      Value dest = tensor::EmptyOp::create(
          b, op->getLoc(), tensor::getMixedSizes(b, op->getLoc(), source),
          wanted.getElementType(), wanted.getEncoding());
      auto moved = tw::RelayoutOp::create(b, op->getLoc(), source, dest);
      placeLike(moved, op);
      operand.set(moved.getResult());
    }
  }

  func::FuncOp func;
  Specialization ofTarget;
  std::optional<Specialization> ofDevice;
  llvm::DenseMap<Value, RankedTensorType> encoded;
};

struct SpecializeEncodingsPass
    : impl::SpecializeEncodingsBase<SpecializeEncodingsPass> {
  using SpecializeEncodingsBase::SpecializeEncodingsBase;

  LogicalResult initialize(MLIRContext *context) override {
    FailureOr<std::shared_ptr<const Device>> found =
        findDevice(target, prefix, context);
    if (failed(found))
      return failure();
    everything = *found;
    if (device.empty())
      return success();
    found = findDevice(device, prefix, context);
    if (failed(found))
      return failure();
    onDevice = *found;
    return success();
  }

  void runOnOperation() override {
    if (failed(
            specializeEncodings(getOperation(), *everything, onDevice.get())))
      signalPassFailure();
  }

  std::shared_ptr<const Device> everything, onDevice;
};

} // namespace

LogicalResult specializeEncodings(func::FuncOp func, const Device &target,
                                  const Device *device) {
  return Specializer(func, target, device).run();
}

} // namespace tilewright
