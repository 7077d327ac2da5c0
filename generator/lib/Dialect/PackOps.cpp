// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw.pack and tw.unpack: everything that calls of pack functions rely on is
// checked here.

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "tilewright/Dialect/TwDialect.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tw;

namespace {

/// The key of a name with any prefix.
ParsedPackKey parsed(StringRef name, bool unpack) {
  size_t end = name.rfind(unpack ? "_unpack_tile_" : "_pack_tile_");
  StringRef prefix =
      end == StringRef::npos ? StringRef(kDefaultPrefix) : name.take_front(end);
  return parsePackKey(name.str(), prefix.str());
}

template <typename Op> class Verifier {
public:
  explicit Verifier(Op op)
      : op(op), matrix(cast<ShapedType>(op.getMatrix().getType())),
        packed(cast<ShapedType>(op.getPacked().getType())) {}

  LogicalResult verify() {
    return success(succeeded(verifyTypes()) && succeeded(verifyForm()) &&
                   succeeded(verifyFunction()) && succeeded(verifySizes()));
  }

private:
  LogicalResult verifyTypes() {
    bool onTensors = op->getNumResults() > 0;
    for (ShapedType type : {matrix, packed})
      if (isa<RankedTensorType>(type) != onTensors)
        return op.emitOpError() << "is on tensors with a result or on buffers "
                                   "without one, but an operand has type "
                                << type;
    if (matrix.getElementType() != packed.getElementType())
      return op.emitOpError() << "has elements of " << matrix.getElementType()
                              << " and of " << packed.getElementType();
    return success();
  }

  LogicalResult verifyForm() {
    ArrayRef<int64_t> outer = op.getOuterDimsPerm(),
                      inner = op.getInnerDimsPos();
    int64_t rank = matrix.getRank();
    if (int64_t(outer.size()) != rank || !isPermutationVector(outer))
      return op.emitOpError()
             << "has the outer dimensions [" << outer << "] of the type "
             << matrix << "; expected each of its dimensions once";
    llvm::SmallDenseSet<int64_t> seen;
    for (int64_t dim : inner)
      if (dim < 0 || dim >= rank || !seen.insert(dim).second)
        return op.emitOpError()
               << "has the inner dimensions [" << inner << "] of the type "
               << matrix << "; expected different ones of it";
    if (packed.getRank() != rank + int64_t(inner.size()))
      return op.emitOpError()
             << "has the packed type " << packed << "; expected " << rank
             << " dimensions and " << inner.size() << " of tiles";
    return success();
  }

  LogicalResult verifyFunction() {
    bool unpack = isa<UnPackOp>(op);
    ParsedPackKey name = parsed(op.getFunction(), unpack);
    if (!name.key)
      return op.emitOpError() << name.error;
    if (name.key->unpack != unpack)
      return op.emitOpError() << "has the function '" << op.getFunction()
                              << "', which goes the other way";
    std::string whyNot;
    std::optional<PackLayout> layout = packLayoutOf(op.getForm(), whyNot);
    if (!layout)
      return op.emitOpError() << "has no layout of a pack function: " << whyNot;
    int bits = bitsInMemory(matrix.getElementType());
    PackKey needed = packKeyOf(*layout, unpack, bits, name.key->isa);
    if (std::string why = validatePackKey(needed); !why.empty())
      return op.emitOpError() << "has no pack function: " << why;
    if (needed != *name.key)
      return op.emitOpError()
             << "has the function '" << op.getFunction()
             << "', but needs one like '" << printPackKey(needed) << "'";
    return success();
  }

  /// What is known of the sizes: tiles cover the matrix.
  LogicalResult verifySizes() {
    PackedForm form = op.getForm();
    for (auto [outer, dim] : llvm::enumerate(form.outerDims)) {
      int64_t size = matrix.getDimSize(dim), count = packed.getDimSize(outer);
      if (ShapedType::isDynamic(size) || ShapedType::isDynamic(count))
        continue;
      auto inner = llvm::find(form.innerDims, dim);
      bool isTiled = inner != form.innerDims.end();
      if (isTiled)
        count *= form.tiles[inner - form.innerDims.begin()];
      if (isTiled ? count < size : count != size)
        return op.emitOpError()
               << "has " << count << " elements along dimension " << dim
               << " in the packed type " << packed << ", but " << size << " in "
               << matrix;
    }
    return success();
  }

  Op op;
  ShapedType matrix, packed;
};

template <typename Op> PackedForm formOf(Op op) {
  ArrayRef<int64_t> inner = op.getInnerDimsPos();
  auto packed = cast<ShapedType>(op.getPacked().getType());
  return {llvm::to_vector(op.getOuterDimsPerm()), llvm::to_vector(inner),
          llvm::to_vector(packed.getShape().take_back(inner.size()))};
}

template <typename Op> PackLayout layoutOf(Op op) {
  std::string whyNot;
  return *packLayoutOf(op.getForm(), whyNot);
}

template <typename Op>
void addEffects(
    Op op, SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
               &effects) {
  if (op.getResult())
    return;
  effects.emplace_back(MemoryEffects::Read::get(), &op.getSourceMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &op.getDestMutable());
}

} // namespace

int tilewright::tw::bitsInMemory(Type element) {
  if (element.isIndex())
    return 64;
  return element.isIntOrFloat()
             ? std::max(8, int(element.getIntOrFloatBitWidth()))
             : 0;
}

bool tilewright::tw::isInStreams(Type element) {
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 8;
}

LogicalResult PackOp::verify() {
  Type element = cast<ShapedType>(getSource().getType()).getElementType();
  if (getPadding() && getPadding().getType() != element)
    return emitOpError() << "has padding of type " << getPadding().getType()
                         << ", but elements of " << element;
  return Verifier(*this).verify();
}
LogicalResult UnPackOp::verify() { return Verifier(*this).verify(); }

PackKey PackOp::getKey() { return *parsed(getFunction(), false).key; }
PackKey UnPackOp::getKey() { return *parsed(getFunction(), true).key; }

PackedForm PackOp::getForm() { return formOf(*this); }
PackedForm UnPackOp::getForm() { return formOf(*this); }

PackLayout PackOp::getLayout() { return layoutOf(*this); }
PackLayout UnPackOp::getLayout() { return layoutOf(*this); }

void PackOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addEffects(*this, effects);
}
void UnPackOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addEffects(*this, effects);
}
