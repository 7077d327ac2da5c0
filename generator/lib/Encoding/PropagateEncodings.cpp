// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-propagate-encodings: elementwise operations on results of contractions as
// these lie.

#include "EncodedValues.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Encoding/Passes.h"
#include "tilewright/Encoding/Place.h"
#include "tilewright/Encoding/TensorSizes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_PROPAGATEENCODINGS
#include "tilewright/Encoding/Passes.h.inc"

namespace {

/// What a size that is not known counts for.
constexpr double kUnknownSize = 128;

double bytesOf(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  double bytes = llvm::divideCeil(tw::bitsInMemory(type.getElementType()), 8);
  for (int64_t size : type.getShape())
    bytes *= ShapedType::isDynamic(size) ? kUnknownSize : double(size);
  return bytes;
}

/// Operations of one block and device that compute elements of tensors with one
/// encoding, of each other's results, and of what is set for them.
class Cluster {
public:
  Cluster(tw::EncodingAttr encoding, Operation *first)
      : encoding(encoding), first(first) {}

  /// Whether `op` may be one more of them, and is related to them. Operands
  /// that are as large as the result have to be encoded; smaller ones stay.
  bool add(linalg::GenericOp op) {
    if (op->getBlock() != first->getBlock() || !areTogether(op, first) ||
        !isOfElements(op))
      return false;
    bool isRelated = false;
    for (OpOperand *input : op.getDpsInputOperands())
      isRelated |= isEncoded(input->get());
    if (!isRelated)
      return false;
    ops.insert(op);
    return true;
  }

  /// Bytes that are read or written less with it. A tensor that is set or unset
  /// is read and written; what is set from what was unset is laid out anew by
  /// one operation, which moves no more. Constants are packed when the model is
  /// compiled.
  double saves() {
    double saved = 0;
    llvm::SmallDenseSet<Value> operands;
    for (Operation *op : ops)
      for (OpOperand *input : cast<linalg::GenericOp>(op).getDpsInputOperands())
        if (isa<RankedTensorType>(input->get().getType()))
          operands.insert(input->get());
    for (Value operand : operands) {
      auto isOfCluster = [&](Operation *user) { return ops.contains(user); };
      if (unsetHere(operand)) {
        if (llvm::all_of(operand.getUsers(), isOfCluster))
          saved += 2 * bytesOf(operand);
      } else if (!ops.contains(operand.getDefiningOp()) &&
                 !matchPattern(operand, m_Constant())) {
        saved -= 2 * bytesOf(operand);
      }
    }
    for (Operation *op : ops) {
      Value result = op->getResult(0);
      if (isUnset(result))
        saved -= 2 * bytesOf(result);
      for (Operation *user : result.getUsers())
        if (auto set = dyn_cast<tw::SetEncodingOp>(user);
            set && encodingOf(set.getResult().getType()) == encoding)
          saved += 2 * bytesOf(result);
    }
    return saved;
  }

  void rewrite() {
    for (Operation *op : ops)
      rewrite(cast<linalg::GenericOp>(op));
    for (Operation *op : llvm::reverse(ops.getArrayRef()))
      op->erase();
    for (tw::UnsetEncodingOp unset : unsets)
      if (unset->use_empty())
        unset->erase();
  }

private:
  /// Elements of the encoding, each of one element of every operand. What is
  /// filled up in the last tiles is computed, too: that must do nothing but
  /// give values that nobody reads.
  bool isOfElements(linalg::GenericOp op) const {
    if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
        op.getNumReductionLoops())
      return false;
    OpOperand *init = op.getDpsInitOperand(0);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (!op.getMatchingIndexingMap(init).isIdentity() ||
        op.payloadUsesValueFromOperand(init) || !fits(type))
      return false;
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (op.isScalar(input))
        continue;
      auto operand = cast<RankedTensorType>(input->get().getType());
      AffineMap map = op.getMatchingIndexingMap(input);
      if (operand.getEncoding() || !map.isProjectedPermutation() ||
          (map.isPermutation() && (!map.isIdentity() || !fits(operand))))
        return false;
    }
    return llvm::all_of(op.getBody()->without_terminator(), [](Operation &op) {
      return !isa<linalg::IndexOp, tensor::ExtractOp>(op) &&
             op.getNumRegions() == 0 && isPure(&op);
    });
  }

  bool fits(RankedTensorType type) const {
    return !type.getEncoding() && succeeded(encoding.verifyEncoding(
                                      type.getShape(), type.getElementType(),
                                      [&] { return InFlightDiagnostic(); }));
  }

  /// The operation that unsets the encoding.
  tw::UnsetEncodingOp unsetHere(Value value) const {
    auto unset = value.getDefiningOp<tw::UnsetEncodingOp>();
    return unset && unset->getBlock() == first->getBlock() &&
                   areTogether(unset, first) &&
                   unset.getSource().getType() == typeOf(value)
               ? unset
               : nullptr;
  }

  bool isEncoded(Value value) const {
    return unsetHere(value) || ops.contains(value.getDefiningOp());
  }

  /// Whether somebody wants the result as it would lie without an encoding.
  bool isUnset(Value result) const {
    return llvm::any_of(result.getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      return !ops.contains(user) &&
             !(isa<tw::SetEncodingOp>(user) && use.getOperandNumber() == 0);
    });
  }

  RankedTensorType typeOf(Value value) const {
    auto type = cast<RankedTensorType>(value.getType());
    return RankedTensorType::get(type.getShape(), type.getElementType(),
                                 encoding);
  }

  Value emptyLike(OpBuilder &b, Value value) {
    return tensor::EmptyOp::create(b, value.getLoc(), sizesOf(b, value),
                                   typeOf(value).getElementType(), encoding);
  }

  /// `value` with the encoding.
  Value encoded(OpBuilder &b, Value value) {
    if (Value known = encodedValues.lookup(value))
      return known;
    Value result;
    if (tw::UnsetEncodingOp unset = unsetHere(value)) {
      unsets.insert(unset);
      result = unset.getSource();
    } else {
      auto set = tw::SetEncodingOp::create(b, value.getLoc(), value,
                                           emptyLike(b, value));
      placeLike(set, first);
      result = set.getResult();
    }
    return encodedValues[value] = result;
  }

  void rewrite(linalg::GenericOp op) {
    OpBuilder b(op);
    SmallVector<Value> inputs;
    for (OpOperand *input : op.getDpsInputOperands())
      inputs.push_back(!op.isScalar(input) &&
                               op.getMatchingIndexingMap(input).isIdentity()
                           ? encoded(b, input->get())
                           : input->get());
    Value result = op->getResult(0);
    auto computed = linalg::GenericOp::create(
        b, op.getLoc(), typeOf(result), inputs, emptyLike(b, result),
        op.getIndexingMapsArray(), op.getIteratorTypesArray());
    computed.getRegion().takeBody(op.getRegion());
    placeLike(computed, op);
    encodedValues[result] = computed.getResult(0);
    // Whoever is left gets what it had; what is set again is
    // tw-fold-encodings'.
    if (llvm::all_of(result.getUsers(),
                     [&](Operation *user) { return ops.contains(user); }))
      return;
    auto unset = tw::UnsetEncodingOp::create(
        b, op.getLoc(), computed.getResult(0), op.getDpsInits()[0]);
    placeLike(unset, op);
    result.replaceUsesWithIf(unset.getResult(), [&](OpOperand &use) {
      return !ops.contains(use.getOwner());
    });
  }

  tw::EncodingAttr encoding;
  Operation *first;
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<tw::UnsetEncodingOp> unsets;
  llvm::DenseMap<Value, Value> encodedValues;
};

struct PropagateEncodingsPass
    : impl::PropagateEncodingsBase<PropagateEncodingsPass> {
  using PropagateEncodingsBase::PropagateEncodingsBase;

  void runOnOperation() override {
    if (hostPacksBlocks)
      return;
    // By block and encoding: all that are unset so are of one cluster, or of
    // none.
    llvm::SetVector<std::pair<Block *, Attribute>> kinds;
    getOperation().walk([&](tw::UnsetEncodingOp op) {
      tw::EncodingAttr encoding = encodingOf(op.getSource().getType());
      if (encoding && encoding.getOperand() == tw::Operand::Out)
        kinds.insert({op->getBlock(), encoding});
    });
    for (auto [block, encoding] : kinds)
      propagate(*block, cast<tw::EncodingAttr>(encoding));
  }

  void propagate(Block &block, tw::EncodingAttr encoding) {
    auto unsets = block.getOps<tw::UnsetEncodingOp>();
    auto first = llvm::find_if(unsets, [&](tw::UnsetEncodingOp op) {
      return encodingOf(op.getSource().getType()) == encoding && isOnHost(op);
    });
    if (first == unsets.end())
      return;
    Cluster cluster(encoding, *first);
    bool isAny = false;
    for (auto op : block.getOps<linalg::GenericOp>())
      isAny |= cluster.add(op);
    if (isAny && cluster.saves() > 0)
      cluster.rewrite();
  }
};

} // namespace
} // namespace tilewright
