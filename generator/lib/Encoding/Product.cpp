// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Product.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "tilewright/Encoding/Place.h"

using namespace mlir;

namespace tilewright {
namespace {

Value emptyLike(ImplicitLocOpBuilder &b, Value source,
                tw::EncodingAttr encoding) {
  return tensor::EmptyOp::create(
      b, tensor::getMixedSizes(b, b.getLoc(), source),
      cast<RankedTensorType>(source.getType()).getElementType(), encoding);
}

tw::EncodingAttr encodingOfLhs(const Product &product) {
  linalg::LinalgOp op = product.op;
  MLIRContext *context = op->getContext();
  SmallVector<Type> types;
  for (auto [value, element] : llvm::zip_equal(
           product.operands, std::array{product.types->lhs, product.types->rhs,
                                        product.types->out})) {
    Type inMemory = cast<RankedTensorType>(value.getType()).getElementType();
    bool isUnsigned = info(element).name.front() == 'u';
    types.push_back(inMemory.isInteger()
                        ? IntegerType::get(context,
                                           inMemory.getIntOrFloatBitWidth(),
                                           isUnsigned ? IntegerType::Unsigned
                                                      : IntegerType::Signed)
                        : inMemory);
  }
  return tw::EncodingAttr::get(context, tw::Operand::Lhs, types, product.maps,
                               product.sizes, /*any_m=*/false);
}

class ProductBuilder {
public:
  ProductBuilder(ImplicitLocOpBuilder &b, const Product &product)
      : b(b), product(product), encoding(encodingOfLhs(product)) {}

  Value plain() {
    Value out = product.operands[2];
    return contract(product.operands[0], product.operands[1],
                    product.isOverwritten ? zeros(out) : out);
  }

  Value encoded() {
    Value lhs = set(tw::Operand::Lhs), rhs = set(tw::Operand::Rhs);
    Value out = product.operands[2];
    Value sum =
        product.isOverwritten
            ? zeros(emptyLike(b, out, encoding.withOperand(tw::Operand::Out)))
            : set(tw::Operand::Out);
    auto result = tw::UnsetEncodingOp::create(b, contract(lhs, rhs, sum), out);
    placeLike(result, product.op);
    return result.getResult();
  }

private:
  Value set(tw::Operand operand) {
    Value source = product.operands[unsigned(operand)];
    auto result = tw::SetEncodingOp::create(
        b, source, emptyLike(b, source, encoding.withOperand(operand)));
    placeLike(result, product.op);
    return result.getResult();
  }

  Value zeros(Value dest) {
    Value zero = arith::ConstantOp::create(
        b,
        b.getZeroAttr(cast<RankedTensorType>(dest.getType()).getElementType()));
    auto fill = linalg::FillOp::create(b, zero, dest);
    placeLike(fill, product.op);
    return fill.getResult(0);
  }

  Value contract(Value lhs, Value rhs, Value out) {
    SmallVector<utils::IteratorType> iterators(product.sizes.size(),
                                               utils::IteratorType::parallel);
    for (unsigned loop : encoding.getLoops().k)
      iterators[loop] = utils::IteratorType::reduction;
    linalg::LinalgOp op = product.op;
    Block *body = op.getBlock();
    auto generic = linalg::GenericOp::create(
        b, out.getType(), ValueRange{lhs, rhs}, ValueRange{out}, product.maps,
        iterators, [&](OpBuilder &builder, Location, ValueRange arguments) {
          IRMapping mapping;
          for (auto [argument, number] :
               llvm::zip_equal(arguments, product.numbers))
            mapping.map(body->getArgument(number), argument);
          for (Operation &inner : *body)
            builder.clone(inner, mapping);
        });
    placeLike(generic, op);
    return generic.getResult(0);
  }

  ImplicitLocOpBuilder &b;
  const Product &product;
  tw::EncodingAttr encoding; ///< of lhs
};

} // namespace

Value multiply(ImplicitLocOpBuilder &b, const Product &product) {
  return ProductBuilder(b, product).plain();
}

Value multiplyEncoded(ImplicitLocOpBuilder &b, const Product &product) {
  return ProductBuilder(b, product).encoded();
}

} // namespace tilewright
