// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw.set_encoding, tw.unset_encoding, tw.relayout, tw.from_packed,
// tw.to_packed, tw.encoding_size.

#include "mlir/IR/BuiltinTypes.h"
#include "tilewright/Dialect/TwDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright::tw;

namespace {

bool isEncoding(Attribute encoding) {
  return isa_and_nonnull<EncodingAttr, LayoutAttr>(encoding);
}

/// Everything but the encoding stays what it is.
template <typename Op> LogicalResult verifyTensors(Op op) {
  RankedTensorType source = op.getSourceType(), dest = op.getDestType();
  if (op.getResult().getType() != dest)
    return op.emitOpError()
           << "has a result of type " << op.getResult().getType()
           << ", but the destination's is " << dest;
  if (source.getElementType() != dest.getElementType() ||
      failed(verifyCompatibleShape(source.getShape(), dest.getShape())))
    return op.emitOpError() << "goes from " << source << " to " << dest
                            << "; expected the same elements and sizes";
  return success();
}

template <typename Op>
LogicalResult verifyEncoded(Op op, RankedTensorType type, StringRef which,
                            bool encoded) {
  Attribute encoding = type.getEncoding();
  if (encoded ? isEncoding(encoding) : !encoding)
    return success();
  return op.emitOpError() << "has the " << which << " type " << type
                          << "; expected one with "
                          << (encoded ? "a #tw.encoding or a #tw.layout"
                                      : "no encoding");
}

template <typename Op>
LogicalResult verifyOp(Op op, bool sourceEncoded, bool destEncoded) {
  return success(succeeded(verifyTensors(op)) &&
                 succeeded(verifyEncoded(op, op.getSourceType(), "source",
                                         sourceEncoded)) &&
                 succeeded(verifyEncoded(op, op.getDestType(), "destination",
                                         destEncoded)));
}

/// Of a tensor and its packed form. Of an encoding that is no layout yet only
/// the device knows more.
LogicalResult verifyPacked(Operation *op, RankedTensorType encoded,
                           RankedTensorType packed) {
  if (!isEncoding(encoded.getEncoding()) || packed.getEncoding() ||
      encoded.getElementType() != packed.getElementType())
    return op->emitOpError()
           << "is of the tensor " << encoded << " and its packed form "
           << packed
           << "; expected a #tw.encoding or a #tw.layout, and a form of the "
              "same elements without an encoding";
  auto layout = dyn_cast<LayoutAttr>(encoded.getEncoding());
  if (layout && layout.packedType(encoded) != packed)
    return op->emitOpError()
           << "has the packed form " << packed << " of " << encoded
           << "; expected " << layout.packedType(encoded);
  return success();
}

} // namespace

Attribute tilewright::tw::encodingAttrOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isEncoding(tensor.getEncoding()) ? tensor.getEncoding()
                                                    : Attribute();
}

LogicalResult SetEncodingOp::verify() { return verifyOp(*this, false, true); }
LogicalResult UnsetEncodingOp::verify() { return verifyOp(*this, true, false); }
LogicalResult RelayoutOp::verify() { return verifyOp(*this, true, true); }

// A set of what was unset is tw-fold-encodings' to judge.
OpFoldResult UnsetEncodingOp::fold(FoldAdaptor) {
  auto set = getSource().getDefiningOp<SetEncodingOp>();
  if (set && set.getSourceType() == getResult().getType())
    return set.getSource();
  return {};
}

// Encodings that are equal may become different layouts: of what one device
// writes and another reads.
OpFoldResult RelayoutOp::fold(FoldAdaptor) {
  if (!isa<LayoutAttr>(getDestType().getEncoding()))
    return {};
  if (getSourceType() == getDestType())
    return getSource();
  auto before = getSource().getDefiningOp<RelayoutOp>();
  if (before && before.getSourceType() == getDestType())
    return before.getSource();
  return {};
}

LogicalResult FromPackedOp::verify() {
  return verifyPacked(*this, getEncoded().getType(), getPacked().getType());
}
LogicalResult ToPackedOp::verify() {
  return verifyPacked(*this, getEncoded().getType(), getPacked().getType());
}

LogicalResult EncodingSizeOp::verify() {
  RankedTensorType type = getTensorType();
  if (failed(verifyEncoded(*this, type, "tensor", /*encoded=*/true)))
    return failure();
  if (size_t(type.getNumDynamicDims()) != getSizes().size())
    return emitOpError() << "has " << getSizes().size() << " sizes for the "
                         << type.getNumDynamicDims() << " dynamic ones of "
                         << type << "; expected one for each";
  return success();
}

// Devices say themselves how much they want.
OpFoldResult EncodingSizeOp::fold(FoldAdaptor adaptor) {
  if (!devicesOf(*this).empty())
    return {};
  RankedTensorType type = getTensorType();
  auto layout = dyn_cast<LayoutAttr>(type.getEncoding());
  if (!layout || layout.isScalable())
    return {};
  SmallVector<int64_t> shape(type.getShape());
  auto sizes = adaptor.getSizes().begin();
  for (int64_t &size : shape) {
    if (!ShapedType::isDynamic(size))
      continue;
    auto known = dyn_cast_or_null<IntegerAttr>(*sizes++);
    if (!known || known.getInt() < 0)
      return {};
    size = known.getInt();
  }
  RankedTensorType packed = layout.packedType(type.clone(shape));
  int64_t bytes = llvm::divideCeil(bitsInMemory(type.getElementType()), 8);
  for (int64_t size : packed.getShape())
    if (llvm::MulOverflow(bytes, size, bytes))
      return {};
  return IntegerAttr::get(IndexType::get(getContext()), bytes);
}
