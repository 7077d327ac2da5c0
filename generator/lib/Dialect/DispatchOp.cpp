// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw.dispatch: its operands are those that the function is for.
// tw.dispatch_region: what becomes one.

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tilewright/Dialect/TwDialect.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tw;

namespace {

/// Whether a function that takes `parameter` may be given `operand`: a tensor
/// of which it knows no size that the operand does not have.
bool accepts(Type parameter, Type operand) {
  auto wanted = dyn_cast<RankedTensorType>(parameter);
  auto given = dyn_cast<RankedTensorType>(operand);
  if (!wanted || !given)
    return parameter == operand;
  return wanted.getElementType() == given.getElementType() &&
         wanted.getEncoding() == given.getEncoding() &&
         wanted.getRank() == given.getRank() &&
         llvm::all_of(llvm::zip_equal(wanted.getShape(), given.getShape()),
                      [](auto sizes) {
                        return ShapedType::isDynamic(std::get<0>(sizes)) ||
                               std::get<0>(sizes) == std::get<1>(sizes);
                      });
}

} // namespace

LogicalResult DispatchOp::verify() {
  if (getAccumulates().size() != getOutputs().size())
    return emitOpError() << "says of " << getAccumulates().size()
                         << " outputs whether they are read, but has "
                         << getOutputs().size();
  bool onTensors = !getResults().empty();
  for (Value output : getOutputs())
    if (isa<RankedTensorType>(output.getType()) != onTensors)
      return emitOpError("is on tensors with results or on buffers without, "
                         "but has an output of type ")
             << output.getType();
  if (!onTensors)
    return success();
  if (getResultTypes() != getOutputs().getTypes())
    return emitOpError("must have one result for each output, of its type");
  return success();
}

LogicalResult DispatchOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto function = tables.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getCalleeAttr());
  if (!function)
    return emitOpError() << "calls '" << getCallee()
                         << "', which is no function of the module";
  // On buffers the function takes pointers and sizes instead.
  if (getResults().empty() ||
      llvm::none_of(function.getArgumentTypes(), llvm::IsaPred<TensorType>))
    return success();
  if (function.getNumArguments() != getNumOperands())
    return emitOpError() << "has " << getNumOperands() << " operands, but '"
                         << getCallee() << "' takes "
                         << function.getNumArguments();
  for (auto [index, types] : llvm::enumerate(
           llvm::zip_equal(function.getArgumentTypes(), getOperandTypes())))
    if (auto [wanted, given] = types; !accepts(wanted, given))
      return emitOpError() << "has operand " << index << " of type " << given
                           << ", but '" << getCallee() << "' takes " << wanted;
  return success();
}

void DispatchOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!getResults().empty())
    return;
  for (OpOperand &input : getInputsMutable())
    if (isa<MemRefType>(input.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &input);
  for (auto [output, accumulates] :
       llvm::zip_equal(getOutputsMutable(), getAccumulates())) {
    if (accumulates)
      effects.emplace_back(MemoryEffects::Read::get(), &output);
    effects.emplace_back(MemoryEffects::Write::get(), &output);
  }
}

LogicalResult DispatchRegionOp::verify() {
  Operation *last = getBody().front().getTerminator();
  auto yield = dyn_cast<YieldOp>(last);
  if (!yield)
    return emitOpError() << "ends in " << last->getName()
                         << "; expected tw.yield";
  if (yield->getOperandTypes() != getResultTypes())
    return emitOpError() << "hands on (" << TypeRange(yield->getOperandTypes())
                         << "), but has results of ("
                         << TypeRange(getResultTypes())
                         << "); expected the same types";
  return success();
}

void DispatchRegionOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &regions) {
  if (point.isParent())
    regions.emplace_back(&getBody());
  else
    regions.emplace_back(getOperation(), getResults());
}
