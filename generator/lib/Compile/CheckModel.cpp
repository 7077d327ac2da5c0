// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-check-model: what may be compiled, said once and up front, so that no
// later step meets an operation it has no answer for.

#include "CTypes.h"
#include "ConstantElements.h"
#include "FrontEnds.h"
#include "RequiredSizes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_CHECKMODEL
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// "argument 2 of 'f'", or of which global it is the value.
std::string describe(func::FuncOp func, StringRef kind, unsigned index,
                     Attribute state) {
  if (auto number = dyn_cast_or_null<IntegerAttr>(state)) {
    auto states = func->getParentOfType<ModuleOp>()->getAttrOfType<ArrayAttr>(
        kStatesAttr);
    auto pair = cast<ArrayAttr>(states[number.getInt()]);
    return ("the mutable global '" + cast<StringAttr>(pair[0]).getValue() + "'")
        .str();
  }
  return (kind + " " + Twine(index) + " of '" + func.getName() + "'").str();
}

LogicalResult checkSignature(func::FuncOp func) {
  for (auto [index, type] : llvm::enumerate(func.getArgumentTypes())) {
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      if (hasCElement(tensor.getElementType()) && !tensor.getEncoding())
        continue;
    } else if (type.isF32() || type.isF64() || type.isIndex() ||
               type.isInteger(8) || type.isInteger(16) || type.isInteger(32) ||
               type.isInteger(64)) {
      continue;
    }
    return func.emitError() << describe(func, "argument", index,
                                        func.getArgAttr(index, kStateAttr))
                            << " has type " << type
                            << ", but arguments must be ranked tensors of "
                            << kCElements << " without encodings, or scalars "
                            << "index, i1, i2, i4, i8, i16, i32, i64, f32, f64";
  }
  for (auto [index, type] : llvm::enumerate(func.getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !hasCElement(tensor.getElementType()) ||
        tensor.getEncoding())
      return func.emitError()
             << describe(func, "result", index,
                         func.getResultAttr(index, kStateAttr))
             << " has type " << type
             << ", but results must be ranked tensors of " << kCElements
             << " without encodings, or scalars of these";
  }
  if (func.getNumResults() == 0)
    return func.emitError() << "'" << func.getName()
                            << "' has no result, so there is nothing to "
                               "compute; it must return at least one tensor, "
                               "or store to a mutable global";
  return success();
}

LogicalResult checkLinalgOp(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return op.emitOpError()
           << "works on buffers; models must be on tensors, from which "
              "the compiler makes the buffers itself";
  return success();
}

LogicalResult checkTypes(Operation *op) {
  for (Type type : op->getResultTypes()) {
    Type element = getElementTypeOrSelf(type);
    if (isa<UnrankedTensorType>(type))
      return op->emitOpError()
             << "has the unranked type " << type << "; ranks must be known";
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      if (tensor.getEncoding())
        return op->emitOpError() << "has the type " << type
                                 << "; tensors with encodings are not accepted";
    bool isTensor = isa<TensorType>(type);
    if (isTensor && !hasCElement(element) && !isPartOfByte(element) &&
        !element.isIndex())
      return op->emitOpError()
             << "has elements of " << element << "; accepted are " << kCElements
             << ", and index";
  }
  return success();
}

/// Of f64 only by way of f32, rounded twice: a model has to say so.
LogicalResult checkRounding(arith::TruncFOp op) {
  if (!isNarrowFloat(getElementTypeOrSelf(op.getType())) ||
      !getElementTypeOrSelf(op.getIn().getType()).isF64())
    return success();
  return op.emitOpError() << "rounds f64 to "
                          << getElementTypeOrSelf(op.getType())
                          << ", which is not accepted; round to f32 first";
}

/// Scales are powers of two without a sign or a zero: they are multiplied with,
/// and nothing is computed of them. Nor of what has blocks with scales, in 4 or
/// 6 bits.
LogicalResult checkScales(Operation *op) {
  if (auto scaling = dyn_cast<arith::ScalingExtFOp>(op)) {
    if (Type scale = getElementTypeOrSelf(scaling.getScale().getType());
        !isScale(scale))
      return op->emitOpError() << "scales by " << scale
                               << ", which is not accepted; scale by "
                                  "f8E8M0FNU, or by arith.mulf";
    if (!isScale(getElementTypeOrSelf(scaling.getIn().getType())) &&
        !isScaled(getElementTypeOrSelf(scaling.getType())))
      return success();
  }
  if (isa<arith::ScalingTruncFOp>(op))
    return op->emitOpError() << "cannot be compiled; multiply by the "
                                "reciprocal of the scale, and round by "
                                "arith.truncf";
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
          op->getDialect()) ||
      isa<arith::ConstantOp, arith::BitcastOp, arith::SelectOp, arith::ExtFOp>(
          op))
    return success();
  Type found;
  auto find = [&](TypeRange types) {
    for (Type type : types)
      if (Type element = getElementTypeOrSelf(type);
          isScale(element) || isScaled(element))
        found = element;
  };
  find(op->getOperandTypes());
  find(op->getResultTypes());
  if (!found)
    return success();
  // The body of a named operation has no place of its own in the source.
  Operation *said = isa<UnknownLoc>(op->getLoc()) ? op->getParentOp() : op;
  return said->emitOpError()
         << "computes with " << found << ", which is not accepted; of "
         << (isScale(found) ? "scales" : "such elements")
         << " there are arith.scaling_extf, arith.extf, "
            "arith.bitcast and arith.select";
}

/// Of a constant that is a resource, whether the file has its elements: a
/// resource may be left out of text, and says nothing of its type.
LogicalResult checkResource(arith::ConstantOp op) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue());
  if (!resource)
    return success();
  StringRef name = resource.getRawHandle().getKey();
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob)
    return op.emitOpError() << "is the resource '" << name
                            << "', which the file does not have; write the "
                               "model with its resources";
  if (ConstantElements::of(resource))
    return success();
  Type element = resource.getElementType();
  if (element.isInteger(1))
    return op.emitOpError() << "is the resource '" << name
                            << "' with elements of i1; write these as "
                               "dense<...>";
  return op.emitOpError() << "is the resource '" << name << "' of "
                          << blob->getData().size()
                          << " bytes, which are not the elements of "
                          << op.getType();
}

/// Whether `op` may be in a function.
bool isAccepted(Operation *op) {
  if (isa<func::ReturnOp, func::CallOp, linalg::YieldOp, linalg::IndexOp,
          affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(op))
    return true;
  if (isa<linalg::LinalgOp, linalg::SoftmaxOp, linalg::PackOp,
          linalg::UnPackOp>(op))
    return true;
  if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ConcatOp,
          tensor::DimOp, tensor::EmptyOp, tensor::ExpandShapeOp,
          tensor::ExtractOp, tensor::ExtractSliceOp, tensor::FromElementsOp,
          tensor::GatherOp, tensor::GenerateOp, tensor::InsertSliceOp,
          tensor::PadOp, tensor::ReshapeOp, tensor::SplatOp, tensor::YieldOp>(
          op))
    return true;
  if (isa<cf::AssertOp, scf::ConditionOp, scf::ForOp, scf::IfOp, scf::WhileOp,
          scf::YieldOp>(op))
    return true;
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
      op->getDialect());
}

constexpr const char *acceptedOps =
    "structured linalg operations, arith, math, affine.apply, affine.min, "
    "affine.max, linalg.softmax, linalg.pack, linalg.unpack, tensor.cast, "
    "tensor.collapse_shape, tensor.concat, tensor.dim, tensor.empty, "
    "tensor.expand_shape, tensor.extract, tensor.extract_slice, "
    "tensor.from_elements, tensor.gather, tensor.generate, "
    "tensor.insert_slice, tensor.pad, tensor.reshape, tensor.splat, scf.for, "
    "scf.forall, scf.if, scf.index_switch, scf.while, cf.assert, "
    "ml_program.global_load, ml_program.global_store, func.call, func.return";

/// What computes one element of a tensor makes no tensors.
LogicalResult checkInBody(Operation *op) {
  if (!isInElementBody(op))
    return success();
  Operation *parent = op->getParentOp();
  if (isa<cf::AssertOp>(op) && !isa<linalg::LinalgOp>(parent))
    return op->emitOpError()
           << "is in the body of a '" << parent->getName()
           << "', where it is not accepted; it may be in that of a linalg "
              "operation, or outside of bodies";
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (isa<func::CallOp>(op) || llvm::any_of(op->getResultTypes(), isTensor))
    return op->emitOpError()
           << "is in the body of a '" << parent->getName()
           << "', which computes one element; accepted there are operations "
              "on scalars, tensor.extract and tensor.dim";
  return success();
}

void refuse(Operation *op) {
  std::string advice = frontEndAdvice(op->getName().getDialectNamespace());
  if (advice.empty())
    op->emitOpError() << "cannot be compiled; accepted are " << acceptedOps;
  else
    op->emitOpError() << advice;
}

struct CheckModelPass : impl::CheckModelBase<CheckModelPass> {
  void runOnOperation() override {
    bool failed = false;
    bool anyEntry = false;
    for (Operation &op : getOperation().getBody()->getOperations()) {
      auto func = dyn_cast<func::FuncOp>(op);
      if (!func) {
        op.emitError() << "'" << op.getName()
                       << "' is not accepted at the top level of a model; "
                          "accepted are func.func and "
                          "ml_program.global";
        failed = true;
        continue;
      }
      failed |= mlir::failed(checkFunction(func));
      anyEntry |= func.isPublic();
    }
    if (!failed && !anyEntry) {
      getOperation().emitError()
          << "the model has no public function, so nothing could call it";
      failed = true;
    }
    if (failed)
      signalPassFailure();
  }

  LogicalResult checkFunction(func::FuncOp func) {
    if (func.isExternal())
      return func.emitError() << "'" << func.getName()
                              << "' has no body; every function of a model "
                                 "must be defined in it";
    if (func.isPublic() && mlir::failed(checkSignature(func)))
      return failure();
    bool failed = false;
    func.getBody().walk([&](Operation *op) {
      if (!isAccepted(op)) {
        refuse(op);
        failed = true;
        return;
      }
      if (mlir::failed(checkTypes(op)) || mlir::failed(checkInBody(op))) {
        failed = true;
        return;
      }
      failed |= mlir::failed(checkScales(op));
      if (auto rounding = dyn_cast<arith::TruncFOp>(op))
        failed |= mlir::failed(checkRounding(rounding));
      if (auto constant = dyn_cast<arith::ConstantOp>(op))
        failed |= mlir::failed(checkResource(constant));
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
        failed |= mlir::failed(checkLinalgOp(linalgOp));
    });
    return failure(failed);
  }
};

} // namespace
} // namespace tilewright
