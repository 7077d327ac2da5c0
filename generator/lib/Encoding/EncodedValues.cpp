// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "EncodedValues.h"

#include "tilewright/Encoding/MatchContraction.h"

using namespace mlir;

namespace tilewright {
namespace {

template <typename Attr> Attr attributeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<Attr>(tensor.getEncoding()) : Attr();
}

} // namespace

tw::LayoutAttr layoutOf(Type type) { return attributeOf<tw::LayoutAttr>(type); }

tw::EncodingAttr encodingOf(Type type) {
  return attributeOf<tw::EncodingAttr>(type);
}

FailureOr<bool> isEncodedContraction(linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0)
    return false;
  tw::EncodingAttr first = encodingOf(op->getOperand(0).getType());
  // A sum of what a contraction has computed is none.
  if (!first || first.getOperand() == tw::Operand::Out ||
      op->getNumOperands() != first.getOperands().size())
    return false;
  for (auto [operand, of] : llvm::enumerate(first.getOperands())) {
    tw::EncodingAttr expected = first.withOperand(of);
    tw::EncodingAttr encoding = encodingOf(op->getOperand(operand).getType());
    if (encoding != expected)
      return op.emitOpError() << "has operand " << operand << " of type "
                              << op->getOperand(operand).getType()
                              << "; expected the encoding " << expected;
  }
  if (op.getIndexingMapsArray() != first.getMapsOfOperation())
    return op.emitOpError()
           << "has other maps than its encodings say, " << first;
  std::optional<std::array<ProductFactor, 2>> factors = matchFactors(op);
  if (!factors)
    return op.emitOpError() << "does not add products of its operands, as "
                               "their encodings say";
  for (auto [operand, factor] : llvm::enumerate(*factors)) {
    if (factor.input != operand ||
        (factor.scale && *factor.scale != operand + 2))
      return op.emitOpError()
             << "scales operand " << factor.input << " by operand "
             << *factor.scale
             << "; expected lhs, rhs, the scales of lhs and those of rhs";
    Type type = first.getElementTypes()[operand];
    if (type.isInteger() && factor.isUnsigned != type.isUnsignedInteger())
      return op.emitOpError()
             << "extends operand " << operand << " otherwise than from " << type
             << ", as its encoding says";
  }
  if (Type out = first.getElementTypes()[unsigned(tw::Operand::Out)];
      out.isUnsignedInteger())
    return op.emitOpError() << "adds to elements that are " << out
                            << ", as its encoding says; expected signed ones";
  return true;
}

} // namespace tilewright
