// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ArgumentWords.h"

#include "../TileCalls.h"

using namespace mlir;

namespace tilewright {
namespace {

Value placeOf(ImplicitLocOpBuilder &b, Value words, int64_t number) {
  return LLVM::GEPOp::create(b, words.getType(), b.getI64Type(), words,
                             ArrayRef<LLVM::GEPArg>{int32_t(number)});
}

Value toWord(ImplicitLocOpBuilder &b, Value value) {
  Type type = value.getType();
  if (isa<MemRefType>(type))
    return pointerToBytes(b, value);
  if (type.isIndex())
    return arith::IndexCastOp::create(b, b.getI64Type(), value);
  if (isa<FloatType>(type)) {
    type = b.getIntegerType(type.getIntOrFloatBitWidth());
    value = arith::BitcastOp::create(b, type, value);
  }
  if (type.isInteger() && type.getIntOrFloatBitWidth() < 64)
    value = arith::ExtUIOp::create(b, b.getI64Type(), value);
  return value;
}

} // namespace

bool fitsWord(Type type) {
  if (auto buffer = dyn_cast<MemRefType>(type))
    return buffer.getRank() == 1;
  if (type.isIntOrFloat())
    return type.getIntOrFloatBitWidth() <= 64;
  return type.isIndex() || isa<LLVM::LLVMPointerType>(type);
}

void storeWord(ImplicitLocOpBuilder &b, Value words, int64_t number,
               Value value) {
  LLVM::StoreOp::create(b, toWord(b, value), placeOf(b, words, number));
}

Value loadWord(ImplicitLocOpBuilder &b, Value words, int64_t number,
               Type type) {
  Value place = placeOf(b, words, number);
  if (isa<MemRefType, LLVM::LLVMPointerType>(type))
    return LLVM::LoadOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                                place);
  Value value = LLVM::LoadOp::create(b, b.getI64Type(), place);
  if (type.isIndex())
    return arith::IndexCastOp::create(b, type, value);
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits < 64)
    value = arith::TruncIOp::create(b, b.getIntegerType(bits), value);
  if (isa<FloatType>(type))
    value = arith::BitcastOp::create(b, type, value);
  return value;
}

Value asBuffer(ImplicitLocOpBuilder &b, Value address, Type type) {
  Type word = b.getI64Type();
  auto sizes = LLVM::LLVMArrayType::get(word, 1);
  auto descriptor = LLVM::LLVMStructType::getLiteral(
      b.getContext(),
      {address.getType(), address.getType(), word, sizes, sizes});
  Value made = LLVM::PoisonOp::create(b, descriptor);
  Value zero = LLVM::ConstantOp::create(b, word, 0);
  Value one = LLVM::ConstantOp::create(b, word, 1);
  auto insert = [&](Value value, ArrayRef<int64_t> at) {
    made = LLVM::InsertValueOp::create(b, made, value, at);
  };
  insert(address, {0});
  insert(address, {1});
  insert(zero, {2});
  insert(one, {3, 0});
  insert(one, {4, 0});
  return UnrealizedConversionCastOp::create(b, type, made).getResult(0);
}

} // namespace tilewright
