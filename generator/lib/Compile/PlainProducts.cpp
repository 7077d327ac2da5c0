// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-plain-products: sums of products whose operands are such as tiles have.

#include "CTypes.h"
#include "ConstantElements.h"
#include "Generalize.h"
#include "MovedOperands.h"
#include "ZeroPoints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_PLAINPRODUCTS
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// The extension that `element`, of less than a byte, has wherever the body
/// uses it; null if there are others, or none.
Operation *extensionOf(BlockArgument element) {
  Operation *first = nullptr;
  for (Operation *user : element.getUsers()) {
    if (!isa<arith::ExtSIOp, arith::ExtUIOp>(user) ||
        user->getResult(0).getType().getIntOrFloatBitWidth() < 8 ||
        (first && user->getName() != first->getName()))
      return nullptr;
    first = user;
  }
  return first;
}

bool isSumOfProducts(linalg::LinalgOp op) {
  if (!op.getNumReductionLoops() || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics())
    return false;
  auto add = op.getBlock()
                 ->getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<arith::AddIOp>();
  return add && llvm::any_of(add->getOperands(), [](Value value) {
           return value.getDefiningOp<arith::MulIOp>();
         });
}

/// The inputs of a sum of products that are to be extended before.
SmallVector<OpOperand *> narrowInputs(linalg::LinalgOp op) {
  SmallVector<OpOperand *> inputs;
  if (isSumOfProducts(op))
    for (OpOperand *input : op.getDpsInputOperands())
      if (!op.isScalar(input) && isPartOfByte(input->get().getType()) &&
          extensionOf(op.getMatchingBlockArgument(input)))
        inputs.push_back(input);
  return inputs;
}

/// The bytes of a constant, extended; null if it is none whose elements are
/// known.
Value constantBytes(ImplicitLocOpBuilder &b, Value tensor, bool isUnsigned) {
  ElementsAttr value;
  if (!matchPattern(tensor, m_Constant(&value)))
    return Value();
  std::optional<ConstantElements> elements = ConstantElements::of(value);
  if (!elements)
    return Value();
  unsigned bits = value.getElementType().getIntOrFloatBitWidth();
  auto type = cast<RankedTensorType>(tensor.getType()).clone(b.getI8Type());
  ElementsAttr bytes = changeBytes(type, *elements, [&](char byte) -> char {
    return isUnsigned ? byte : llvm::SignExtend32(uint8_t(byte), bits);
  });
  return arith::ConstantOp::create(b, cast<TypedAttr>(bytes));
}

Value extend(ImplicitLocOpBuilder &b, Value tensor, bool isUnsigned) {
  if (Value known = constantBytes(b, tensor, isUnsigned))
    return known;
  auto type = cast<RankedTensorType>(tensor.getType());
  Value empty = tensor::EmptyOp::create(
      b, tensor::getMixedSizes(b, b.getLoc(), tensor), b.getI8Type());
  AffineMap same = b.getMultiDimIdentityMap(type.getRank());
  return linalg::GenericOp::create(
             b, TypeRange{empty.getType()}, ValueRange{tensor},
             ValueRange{empty}, ArrayRef<AffineMap>{same, same},
             SmallVector<utils::IteratorType>(type.getRank(),
                                              utils::IteratorType::parallel),
             [&](OpBuilder &b, Location loc, ValueRange elements) {
               Value byte = isUnsigned
                                ? arith::ExtUIOp::create(b, loc, b.getI8Type(),
                                                         elements[0])
                                      .getResult()
                                : arith::ExtSIOp::create(b, loc, b.getI8Type(),
                                                         elements[0])
                                      .getResult();
               linalg::YieldOp::create(b, loc, byte);
             })
      .getResult(0);
}

void extendInputs(linalg::LinalgOp op) {
  if (!isa<linalg::GenericOp>(op)) {
    FailureOr<linalg::GenericOp> generic = generalize(op);
    if (failed(generic))
      return;
    op = *generic;
  }
  ImplicitLocOpBuilder b(op.getLoc(), op);
  for (OpOperand *input : narrowInputs(op)) {
    BlockArgument element = op.getMatchingBlockArgument(input);
    bool isUnsigned = isa<arith::ExtUIOp>(extensionOf(element));
    Value bytes = extend(b, input->get(), isUnsigned);
    if (auto made = bytes.getDefiningOp<linalg::GenericOp>())
      placeLike(made, op);
    input->set(bytes);
    element.setType(b.getI8Type());
    // The extension of a byte to a byte is the byte.
    for (Operation *user : llvm::make_early_inc_range(element.getUsers()))
      if (user->getResult(0).getType().isInteger(8)) {
        user->getResult(0).replaceAllUsesWith(element);
        user->erase();
      }
  }
}

struct PlainProductsPass : impl::PlainProductsBase<PlainProductsPass> {
  using PlainProductsBase::PlainProductsBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> narrow;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!narrowInputs(op).empty())
        narrow.push_back(op);
    });
    for (linalg::LinalgOp op : narrow)
      extendInputs(op);
    takeOffZeroPoints(getOperation(), convolutions);
    readMovedOperands(getOperation());
  }
};

} // namespace
} // namespace tilewright
