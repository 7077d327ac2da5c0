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
  std::array elements{product.types->lhs, product.types->rhs,
                      product.types->out};
  for (auto [operand, value] : llvm::enumerate(product.operands)) {
    Type inMemory = cast<RankedTensorType>(value.getType()).getElementType();
    bool isUnsigned = operand < elements.size() &&
                      info(elements[operand]).name.front() == 'u';
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
    return contract([&](tw::Operand operand) {
      Value value = product.operands[unsigned(operand)];
      return operand == tw::Operand::Out && product.isOverwritten ? zeros(value)
                                                                  : value;
    });
  }

  Value encoded() {
    Value out = product.operands[unsigned(tw::Operand::Out)];
    Value sum = contract([&](tw::Operand operand) {
      return operand == tw::Operand::Out && product.isOverwritten
                 ? zeros(emptyLike(b, out, encoding.withOperand(operand)))
                 : set(operand);
    });
    auto result = tw::UnsetEncodingOp::create(b, sum, out);
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

  /// Of what `valueOf` makes of each operand, in their order.
  Value contract(llvm::function_ref<Value(tw::Operand)> valueOf) {
    SmallVector<Value> inputs;
    SmallVector<unsigned> numbers;
    for (tw::Operand operand : encoding.getOperands()) {
      inputs.push_back(valueOf(operand));
      numbers.push_back(product.numbers[unsigned(operand)]);
    }
    Value out = inputs.pop_back_val();
    SmallVector<utils::IteratorType> iterators(product.sizes.size(),
                                               utils::IteratorType::parallel);
    for (unsigned loop : encoding.getLoops().k)
      iterators[loop] = utils::IteratorType::reduction;
    linalg::LinalgOp op = product.op;
    Block *body = op.getBlock();
    auto generic = linalg::GenericOp::create(
        b, out.getType(), inputs, ValueRange{out},
        encoding.getMapsOfOperation(), iterators,
        [&](OpBuilder &builder, Location, ValueRange arguments) {
          IRMapping mapping;
          for (auto [argument, number] : llvm::zip_equal(arguments, numbers))
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
