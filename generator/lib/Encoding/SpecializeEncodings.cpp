// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-specialize-encodings: encodings -> layouts of the devices.

#include "EncodedValues.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "tilewright/Encoding/Passes.h"
#include "tilewright/Encoding/Place.h"
#include "tilewright/Encoding/TensorSizes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_SPECIALIZEENCODINGS
#include "tilewright/Encoding/Passes.h.inc"

namespace {

/// What is of a device: its layouts instead of encodings, in types and
/// attributes.
class Specialization {
public:
  Specialization(std::shared_ptr<const Device> device, bool inBlocks)
      : device(std::move(device)), inBlocks(inBlocks) {
    replacer.addReplacement([this](tw::EncodingAttr encoding) -> Attribute {
      return this->device->layoutOf(encoding, this->inBlocks);
    });
  }
  Specialization(const Specialization &) = delete;

  Type of(Type type) { return replacer.replace(type); }
  void inAttributesOf(Operation *op) {
    replacer.replaceElementsIn(op, /*replaceAttrs=*/true);
  }

  /// The tile function of a contraction; null without data tiling. Layers of a
  /// model are alike: each is asked for once.
  tw::TileAttr tileOf(tw::EncodingAttr encoding) {
    auto [found, isNew] = tiles.try_emplace(encoding);
    if (isNew)
      if (std::optional<TiledContraction> tiled =
              inBlocks ? device->tileInBlocks(encoding)
                       : device->tile(encoding))
        found->second = tiled->tile;
    return found->second;
  }

private:
  std::shared_ptr<const Device> device;
  bool inBlocks; ///< multiplications pack their operands
  llvm::DenseMap<tw::EncodingAttr, tw::TileAttr> tiles;
  AttrTypeReplacer replacer;
};

class Specializer {
public:
  Specializer(func::FuncOp func, StringRef prefix, bool hostPacksBlocks,
              bool tiles)
      : func(func), prefix(prefix), hostPacksBlocks(hostPacksBlocks),
        tiles(tiles) {}

  LogicalResult run() {
    if (failed(findDevices()) || failed(nameTiles()))
      return failure();
    func.walk([&](tensor::EmptyOp empty) { split(empty); });
    func.walk<WalkOrder::PreOrder>([&](Operation *op) { retype(op); });
    func.walk([&](Operation *op) { moveOperands(op); });
    func.walk([&](tw::RelayoutOp op) { drop(op); });
    return success();
  }

private:
  /// None at all is one without data tiling.
  LogicalResult findDevices() {
    SmallVector<tw::DeviceAttr> devices = devicesOf(func);
    if (devices.empty())
      devices.push_back(nullptr);
    for (tw::DeviceAttr device : devices) {
      FailureOr<std::shared_ptr<const Device>> found =
          findDevice(tiles && device ? device.getTarget() : "none", prefix,
                     func.getContext());
      if (failed(found))
        return failure();
      specializations[device] = std::make_unique<Specialization>(
          *found, hostPacksBlocks && !(*found)->hasOwnMemory());
    }
    return success();
  }

  /// Each that writes a tensor has its own: devices may write it differently.
  static void split(tensor::EmptyOp empty) {
    if (!encodingOf(empty.getType()) || empty->use_empty())
      return;
    OpBuilder b(empty);
    for (OpOperand &use :
         llvm::make_early_inc_range(llvm::drop_begin(empty->getUses())))
      use.set(b.clone(*empty)->getResult(0));
  }

  Specialization &of(Operation *op) {
    // A tensor to be written is of who writes it.
    while (isa<tensor::EmptyOp>(op) && op->hasOneUse())
      op = *op->user_begin();
    return *specializations.at(deviceOf(op));
  }

  LogicalResult nameTiles() {
    WalkResult walk = func.walk([&](linalg::GenericOp op) {
      FailureOr<bool> isContraction = isEncodedContraction(op);
      if (failed(isContraction))
        return WalkResult::interrupt();
      if (!*isContraction) {
        markZeros(op);
        return WalkResult::advance();
      }
      tw::EncodingAttr encoding = encodingOf(op->getOperand(0).getType());
      if (tw::TileAttr tile = of(op).tileOf(encoding))
        op->setAttr(tw::kTile, tile);
      else if (tiles && encoding.isScaled())
        remarkLoops(op);
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }

  /// That a device which was asked for has no tile is nothing that the model
  /// says.
  void remarkLoops(linalg::GenericOp op) {
    if (tw::DeviceAttr device = deviceOf(op);
        device && device.getTarget() != "none")
      op.emitRemark("lowered to plain loops: ")
          << device.getTarget() << " has no tile function with block scales";
  }

  static SmallVector<int64_t> dimsAlongK(tw::EncodingAttr encoding) {
    SmallVector<int64_t> dims;
    for (unsigned loop : encoding.getLoops().k)
      for (auto [dim, of] : llvm::enumerate(encoding.getAllDims()))
        if (of != tw::EncodingAttr::kOwnDim &&
            encoding.getMap().getResult(of).isFunctionOfDim(loop))
          dims.push_back(int64_t(dim));
    return dims;
  }

  /// What a contraction multiplies is summed up to the end of its last tiles.
  static void markZeros(linalg::GenericOp op) {
    Builder b(op.getContext());
    SmallVector<Attribute> ofResults;
    bool isAny = false;
    for (Type type : op->getResultTypes()) {
      SmallVector<int64_t> zeros;
      if (tw::EncodingAttr encoding = encodingOf(type);
          encoding && encoding.getOperand() != tw::Operand::Out)
        zeros = dimsAlongK(encoding);
      isAny |= !zeros.empty();
      ofResults.push_back(b.getDenseI64ArrayAttr(zeros));
    }
    if (isAny)
      op->setAttr(kZerosAttr, b.getArrayAttr(ofResults));
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
      Value dest = tensor::EmptyOp::create(b, op->getLoc(), sizesOf(b, source),
                                           wanted.getElementType(),
                                           wanted.getEncoding());
      auto moved = tw::RelayoutOp::create(b, op->getLoc(), source, dest);
      placeLike(moved, op);
      operand.set(moved.getResult());
    }
  }

  /// What goes to another device with the same encoding and lies there as it
  /// did is not laid out anew.
  void drop(tw::RelayoutOp op) {
    Value source = op.getSource(), result = op.getResult();
    if (source.getType() != result.getType() || !encoded.contains(source) ||
        encoded.lookup(source) != encoded.lookup(result))
      return;
    result.replaceAllUsesWith(source);
    op.erase();
  }

  func::FuncOp func;
  StringRef prefix;
  bool hostPacksBlocks, tiles;
  llvm::MapVector<tw::DeviceAttr, std::unique_ptr<Specialization>>
      specializations;
  llvm::DenseMap<Value, RankedTensorType> encoded;
};

struct SpecializeEncodingsPass
    : impl::SpecializeEncodingsBase<SpecializeEncodingsPass> {
  using SpecializeEncodingsBase::SpecializeEncodingsBase;

  void runOnOperation() override {
    if (failed(specializeEncodings(getOperation(), prefix, hostPacksBlocks)))
      signalPassFailure();
  }
};

} // namespace

LogicalResult specializeEncodings(func::FuncOp func, StringRef prefix,
                                  bool hostPacksBlocks, bool tiles) {
  return Specializer(func, prefix, hostPacksBlocks, tiles).run();
}

} // namespace tilewright
