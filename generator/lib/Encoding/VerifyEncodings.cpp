// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-verify-encodings: nothing loses an encoding.

#include "EncodedValues.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tilewright/Encoding/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_VERIFYENCODINGS
#include "tilewright/Encoding/Passes.h.inc"

namespace {

/// What makes, keeps or takes encodings, and says so.
bool knowsEncodings(Operation *op) {
  return isa<tw::SetEncodingOp, tw::UnsetEncodingOp, tw::RelayoutOp,
             tw::FromPackedOp, tw::ToPackedOp, tw::EncodingSizeOp,
             tw::DispatchOp, tensor::EmptyOp, tensor::DimOp,
             tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExtractSliceOp, tensor::PadOp, linalg::FillOp,
             linalg::GenericOp, RegionBranchOpInterface, CallOpInterface,
             FunctionOpInterface>(op) ||
         op->hasTrait<OpTrait::IsTerminator>();
}

struct VerifyEncodingsPass : impl::VerifyEncodingsBase<VerifyEncodingsPass> {
  using VerifyEncodingsBase::VerifyEncodingsBase;

  void runOnOperation() override {
    WalkResult walk = getOperation()->walk(
        [&](Operation *op) { return WalkResult(verify(op)); });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult verify(Operation *op) {
    Type encoded = encodedType(op);
    if (!encoded)
      return success();
    if (noneLeft)
      return op->emitOpError()
             << "has the type " << encoded
             << "; expected no encoding behind tw-materialize-encodings or "
                "tw-drop-encodings";
    if (isa<tensor::CastOp>(op)) {
      Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
      if (tw::encodingAttrOf(from) == tw::encodingAttrOf(to))
        return success();
      return op->emitOpError()
             << "goes from " << from << " to " << to
             << "; a cast does not move elements: expected tw.set_encoding, "
                "tw.unset_encoding or tw.relayout";
    }
    if (!knowsEncodings(op))
      return op->emitOpError()
             << "has a value of type " << encoded
             << ", of whose encoding it knows nothing; expected it behind "
                "tw.unset_encoding";
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
            tensor::ExtractSliceOp, tensor::PadOp>(op) &&
        (!tw::isEncoded(op->getOperand(0).getType()) ||
         !tw::isEncoded(op->getResult(0).getType())))
      return op->emitOpError() << "goes from " << op->getOperand(0).getType()
                               << " to " << op->getResult(0).getType()
                               << "; neither a view nor a padding lays "
                                  "elements out: expected tw.set_encoding, "
                                  "tw.unset_encoding or tw.relayout";
    auto generic = dyn_cast<linalg::GenericOp>(op);
    return failure(generic && failed(isEncodedContraction(generic)));
  }

  /// Of an operand, a result, an argument of a block or a parameter, or that
  /// the operation is about; null if there is none.
  static Type encodedType(Operation *op) {
    if (auto size = dyn_cast<tw::EncodingSizeOp>(op))
      return size.getTensorType();
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                                function.getResultTypes()))
        if (tw::isEncoded(type))
          return type;
    for (Type type : op->getOperandTypes())
      if (tw::isEncoded(type))
        return type;
    for (Type type : op->getResultTypes())
      if (tw::isEncoded(type))
        return type;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          if (tw::isEncoded(type))
            return type;
    return nullptr;
  }
};

} // namespace
} // namespace tilewright
