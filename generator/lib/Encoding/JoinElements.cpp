// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Encoding/JoinElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright {
namespace {

/// On the operation that joins: the dimension, an i64.
constexpr llvm::StringLiteral kJoinsAttr = "tw.joins";

/// A byte of a stream of elements of 4 or 6 bits has bits of two: of one from
/// `shift` on, and of the next.
struct BytePlace {
  int64_t element, shift;
};
BytePlace placeOf(int64_t byte, int64_t bits) {
  return {8 * byte / bits, 8 * byte % bits};
}

} // namespace

Value joinElements(ImplicitLocOpBuilder &b, Value source, int64_t dim) {
  auto type = cast<RankedTensorType>(source.getType());
  int64_t bits = type.getElementTypeBitWidth();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), source);
  sizes[dim] = b.getIndexAttr(type.getDimSize(dim) * bits / 8);
  Value empty = tensor::EmptyOp::create(b, sizes, b.getI8Type());
  int64_t rank = type.getRank();
  auto body = [&](OpBuilder &builder, Location loc, ValueRange) {
    ImplicitLocOpBuilder b(loc, builder);
    SmallVector<Value> at;
    for (int64_t loop = 0; loop < rank; ++loop)
      at.push_back(linalg::IndexOp::create(b, loop));
    auto index = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    auto elementAt = [&](Value place) -> Value {
      at[dim] = place;
      Value element = tensor::ExtractOp::create(b, source, at);
      element = arith::BitcastOp::create(b, b.getIntegerType(bits), element);
      return arith::ExtUIOp::create(b, b.getI8Type(), element);
    };
    Value bit = arith::MulIOp::create(b, at[dim], index(8)),
          first = arith::DivUIOp::create(b, bit, index(bits)),
          next = arith::AddIOp::create(b, first, index(1)),
          shift = arith::IndexCastUIOp::create(
              b, b.getI8Type(), arith::RemUIOp::create(b, bit, index(bits))),
          width = arith::ConstantIntOp::create(b, bits, 8);
    Value low = arith::ShRUIOp::create(b, elementAt(first), shift),
          high = arith::ShLIOp::create(b, elementAt(next),
                                       arith::SubIOp::create(b, width, shift));
    Value byte = arith::OrIOp::create(b, low, high);
    linalg::YieldOp::create(b, byte);
  };
  auto join = linalg::GenericOp::create(
      b, TypeRange{empty.getType()}, ValueRange(), ValueRange{empty},
      ArrayRef<AffineMap>{b.getMultiDimIdentityMap(rank)},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      body);
  join->setAttr(kJoinsAttr, b.getI64IntegerAttr(dim));
  return join.getResult(0);
}

std::optional<JoinedElements> JoinedElements::of(Value value) {
  auto join = value.getDefiningOp<linalg::GenericOp>();
  auto dim = join ? join->getAttrOfType<IntegerAttr>(kJoinsAttr) : nullptr;
  if (!dim)
    return std::nullopt;
  Value source;
  join->walk([&](tensor::ExtractOp op) { source = op.getTensor(); });
  if (!source)
    return std::nullopt;
  return JoinedElements{join, source, dim.getInt()};
}

RankedTensorType JoinedElements::sourceType() const {
  return cast<RankedTensorType>(source.getType());
}

void joinElements(RankedTensorType type, int64_t dim, ArrayRef<char> elements,
                  bool isSplat, MutableArrayRef<char> joined) {
  ArrayRef<int64_t> shape = type.getShape();
  int64_t bits = type.getElementTypeBitWidth(), inner = 1;
  for (int64_t size : shape.drop_front(dim + 1))
    inner *= size;
  int64_t bytes = shape[dim] * bits / 8;
  for (auto [i, byte] : llvm::enumerate(joined)) {
    int64_t column = i % inner, row = i / inner;
    BytePlace place = placeOf(row % bytes, bits);
    auto bitsOf = [&](int64_t element) -> unsigned {
      int64_t at = (row / bytes * shape[dim] + element) * inner + column;
      return uint8_t(elements[isSplat ? 0 : at]) & ((1u << bits) - 1);
    };
    byte = char(bitsOf(place.element) >> place.shift |
                bitsOf(place.element + 1) << (bits - place.shift));
  }
}

} // namespace tilewright
