// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Emit/Emitter.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace tilewright {

// ---- Types ------------------------------------------------------------------

Type Emitter::pointer() { return LLVM::LLVMPointerType::get(b.getContext()); }

VectorType Emitter::vec(int64_t lanes, Type element) {
  return VectorType::get({lanes}, element);
}

int64_t Emitter::lanesOf(Value vector) {
  return cast<VectorType>(vector.getType()).getNumElements();
}

Type Emitter::elementOf(Value vector) {
  return getElementTypeOrSelf(vector.getType());
}

int64_t Emitter::bytesOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * bytesOf(vector.getElementType());
  return type.getIntOrFloatBitWidth() / 8;
}

Type Emitter::withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

// ---- Constants --------------------------------------------------------------

Value Emitter::i64(int64_t value) { return constant(b.getI64Type(), value); }

Value Emitter::constant(Type type, int64_t value) {
  auto element = cast<IntegerType>(getElementTypeOrSelf(type));
  auto attribute = IntegerAttr::get(
      element,
      llvm::APInt(64, static_cast<uint64_t>(value)).trunc(element.getWidth()));
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(vector, Attribute(attribute)));
  return arith::ConstantOp::create(b, loc, attribute);
}

Value Emitter::zero(Type type) {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}

Value Emitter::poison(Type type) {
  return LLVM::PoisonOp::create(b, loc, type);
}

// ---- Arithmetic -------------------------------------------------------------

Value Emitter::add(Value x, Value y) {
  if (mlir::isa<FloatType>(elementOf(x)))
    return arith::AddFOp::create(b, loc, x, y);
  return arith::AddIOp::create(b, loc, x, y);
}

Value Emitter::sub(Value x, Value y) {
  return arith::SubIOp::create(b, loc, x, y);
}

Value Emitter::mul(Value x, Value y) {
  if (mlir::isa<FloatType>(elementOf(x)))
    return arith::MulFOp::create(b, loc, x, y);
  return arith::MulIOp::create(b, loc, x, y);
}

Value Emitter::band(Value x, int64_t mask) {
  return arith::AndIOp::create(b, loc, x, constant(x.getType(), mask));
}

Value Emitter::bor(Value x, Value y) {
  return arith::OrIOp::create(b, loc, x, y);
}

Value Emitter::bxor(Value x, int64_t mask) {
  return arith::XOrIOp::create(b, loc, x, constant(x.getType(), mask));
}

Value Emitter::shl(Value x, int bits) {
  if (bits == 0)
    return x;
  return arith::ShLIOp::create(b, loc, x, constant(x.getType(), bits));
}

Value Emitter::shr(Value x, int bits) {
  if (bits == 0)
    return x;
  return arith::ShRUIOp::create(b, loc, x, constant(x.getType(), bits));
}

Value Emitter::sar(Value x, int bits) {
  return arith::ShRSIOp::create(b, loc, x, constant(x.getType(), bits));
}

Value Emitter::zext(Value x, Type element) {
  Type type = withElement(x.getType(), element);
  return x.getType() == type ? x : arith::ExtUIOp::create(b, loc, type, x);
}

Value Emitter::sext(Value x, Type element) {
  Type type = withElement(x.getType(), element);
  return x.getType() == type ? x : arith::ExtSIOp::create(b, loc, type, x);
}

Value Emitter::trunc(Value x, Type element) {
  Type type = withElement(x.getType(), element);
  return x.getType() == type ? x : arith::TruncIOp::create(b, loc, type, x);
}

Value Emitter::bitcast(Value x, Type type) {
  if (x.getType() == type)
    return x;
  return LLVM::BitcastOp::create(b, loc, type, x);
}

Value Emitter::icmp(arith::CmpIPredicate predicate, Value x, int64_t value) {
  return arith::CmpIOp::create(b, loc, predicate, x,
                               constant(x.getType(), value));
}

Value Emitter::select(Value condition, Value x, Value y) {
  return arith::SelectOp::create(b, loc, condition, x, y);
}

Value Emitter::fma(Value x, Value y, Value z) {
  return vector::FMAOp::create(b, loc, x, y, z);
}

Value Emitter::intrinsic(llvm::StringRef name, Type result, Values operands) {
  return LLVM::CallIntrinsicOp::create(b, loc, result, b.getStringAttr(name),
                                       operands)
      .getResult(0);
}

Value Emitter::keepOrder(Value x) { return keepOrder(Values{x})[0]; }

Value Emitter::assembly(Type result, llvm::ArrayRef<Value> operands,
                        llvm::StringRef text, llvm::StringRef constraints,
                        bool hasSideEffects, ArrayAttr operandAttrs) {
  return LLVM::InlineAsmOp::create(
             b, loc, result, operands, text, constraints, hasSideEffects,
             /*is_align_stack=*/false, LLVM::TailCallKind::None,
             LLVM::AsmDialectAttr::get(b.getContext(),
                                       LLVM::AsmDialect::AD_ATT),
             operandAttrs)
      .getResult(0);
}

Value Emitter::opaquePointer(Value x) {
  return assembly(x.getType(), x, "", "=r,0", false);
}

Value Emitter::pointerAfter(Value x, Value first) {
  return assembly(x.getType(), {x, first}, "",
                  ("=r,0," + machine.registerClass).str(), false);
}

Value Emitter::loadBy(llvm::StringRef text, VectorType type, Type element,
                      Value pointer) {
  NamedAttribute attr = b.getNamedAttr(
      LLVM::InlineAsmOp::getElementTypeAttrName(), TypeAttr::get(element));
  return assembly(type, pointer, text,
                  ("=" + machine.registerClass + ",*m").str(), false,
                  b.getArrayAttr(b.getDictionaryAttr(attr)));
}

Emitter::Values Emitter::keepOrder(const Values &xs) {
  std::string registers = ("=" + machine.registerClass).str();
  std::string outs, ins;
  llvm::SmallVector<Type> types;
  for (auto [i, x] : llvm::enumerate(xs)) {
    outs += (i ? "," : "") + registers;
    ins += "," + std::to_string(i);
    types.push_back(x.getType());
  }
  Type result = types.size() == 1
                    ? types[0]
                    : LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  Value all = assembly(result, xs, "", outs + ins, true);
  if (xs.size() == 1)
    return {all};
  Values parts;
  for (size_t i = 0; i < xs.size(); ++i)
    parts.push_back(LLVM::ExtractValueOp::create(
        b, loc, all, llvm::ArrayRef<int64_t>{static_cast<int64_t>(i)}));
  return parts;
}

// ---- Memory -----------------------------------------------------------------

Value Emitter::stackBuffer(int64_t bytes, int align) {
  return LLVM::AllocaOp::create(b, loc, pointer(), b.getI8Type(), i64(bytes),
                                align);
}

Value Emitter::offset(Value base, int64_t bytes) {
  if (bytes == 0)
    return base;
  // GEPOp holds constant indices in 32 bits.
  if (!llvm::isInt<31>(bytes))
    return offset(base, i64(bytes));
  return LLVM::GEPOp::create(
      b, loc, pointer(), b.getI8Type(), base,
      llvm::ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
}

Value Emitter::offset(Value base, Value bytes) {
  return LLVM::GEPOp::create(b, loc, pointer(), b.getI8Type(), base,
                             llvm::ArrayRef<LLVM::GEPArg>{bytes});
}

void Emitter::prefetch(Value pointer, Cache into) {
  // To be read, of data.
  LLVM::Prefetch::create(b, loc, pointer, /*rw=*/0,
                         /*hint=*/into == Cache::L1 ? 3 : 2, /*cache=*/1);
}

Value Emitter::load(Type type, Value pointer, int align) {
  return LLVM::LoadOp::create(b, loc, type, pointer, align);
}

void Emitter::store(Value value, Value pointer, int align) {
  LLVM::StoreOp::create(b, loc, value, pointer, align);
}

bool Emitter::masksElements(VectorType type) const {
  return bytesOf(type) >= 16 && machine.maskedElementBytes > 0 &&
         bytesOf(type.getElementType()) >= machine.maskedElementBytes;
}

Value Emitter::mask(int64_t lanes, int64_t valid) {
  llvm::SmallVector<bool> bits(lanes);
  for (int64_t i = 0; i < lanes; ++i)
    bits[i] = i < valid;
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(vec(lanes, b.getI1Type()), bits));
}

/// Calls piece(offset, size) for pieces of 16, 8, 4, 2, 1 bytes that make up
/// [0, bytes), none smaller than an element of `elementBytes`.
static void forPieces(int64_t bytes, int64_t elementBytes,
                      llvm::function_ref<void(int64_t, int64_t)> piece) {
  int64_t done = 0;
  for (int64_t size : {16, 8, 4, 2, 1})
    for (; bytes - done >= size && size >= elementBytes; done += size)
      piece(done, size);
}

/// Whether the first `bytes` bytes of a vector are one piece.
static bool isOnePiece(int64_t bytes) {
  return bytes <= 16 && llvm::isPowerOf2_64(bytes);
}

Value Emitter::loadPart(VectorType type, Value pointer, int64_t valid,
                        int align) {
  int64_t lanes = type.getNumElements();
  if (valid == lanes)
    return load(type, pointer, align);
  if (valid <= 0)
    return zero(type);
  int64_t bytes = bytesOf(type), elementBytes = bytes / lanes;
  if (masksElements(type) && !isOnePiece(valid * elementBytes))
    return LLVM::MaskedLoadOp::create(b, loc, type, pointer, mask(lanes, valid),
                                      zero(type), static_cast<uint32_t>(align));
  Value result;
  forPieces(valid * elementBytes, elementBytes, [&](int64_t at, int64_t size) {
    if (size == 16) {
      VectorType pair = vec(2, b.getI64Type());
      VectorType words = vec(bytes / 8, b.getI64Type());
      Value value = load(pair, offset(pointer, at), align);
      llvm::SmallVector<int64_t> widen(bytes / 8, 2); // a zero
      widen[at / 8] = 0;
      widen[at / 8 + 1] = 1;
      Value wide = shuffle(value, zero(pair), widen);
      result = result ? bor(bitcast(result, words), wide) : wide;
    } else {
      Type piece = integer(size * 8);
      VectorType pieces = vec(bytes / size, piece);
      Value value = load(piece, offset(pointer, at), align);
      result = result ? bitcast(result, pieces) : zero(pieces);
      result =
          LLVM::InsertElementOp::create(b, loc, result, value, i64(at / size));
    }
  });
  return bitcast(result, type);
}

void Emitter::storePart(Value value, Value pointer, int64_t valid, int align) {
  auto type = cast<VectorType>(value.getType());
  int64_t lanes = type.getNumElements();
  if (valid >= lanes)
    return store(value, pointer, align);
  int64_t bytes = bytesOf(type), elementBytes = bytes / lanes;
  // Not for one lane: LLVM 22 turns such a masked store of truncated lanes into
  // a store of the untruncated one (llvm/llvm-project#179489).
  if (masksElements(type) && !isOnePiece(valid * elementBytes)) {
    LLVM::MaskedStoreOp::create(b, loc, value, pointer, mask(lanes, valid),
                                static_cast<uint32_t>(align));
    return;
  }
  forPieces(valid * elementBytes, elementBytes, [&](int64_t at, int64_t size) {
    if (size == 16)
      return store(slice(value, at / elementBytes, size / elementBytes),
                   offset(pointer, at), align);
    Value pieces = bitcast(value, vec(bytes / size, integer(size * 8)));
    store(LLVM::ExtractElementOp::create(b, loc, pieces, i64(at / size)),
          offset(pointer, at), align);
  });
}

// ---- Lanes ------------------------------------------------------------------

Value Emitter::splat(Value scalar, int64_t lanes) {
  return vector::BroadcastOp::create(b, loc, vec(lanes, scalar.getType()),
                                     scalar);
}

Value Emitter::shuffle(Value x, Value y, llvm::ArrayRef<int64_t> lanes) {
  return vector::ShuffleOp::create(b, loc, x, y, lanes);
}

Value Emitter::slice(Value x, int64_t begin, int64_t count) {
  int64_t lanes = lanesOf(x);
  if (begin == 0 && count == lanes)
    return x;
  llvm::SmallVector<int64_t> map(count);
  for (int64_t i = 0; i < count; ++i)
    map[i] = begin + i < lanes ? begin + i : -1;
  return shuffle(x, x, map);
}

Value Emitter::concat(llvm::ArrayRef<Value> parts) {
  Values level(parts);
  while (level.size() > 1) {
    llvm::SmallVector<int64_t> map(2 * lanesOf(level[0]));
    std::iota(map.begin(), map.end(), 0);
    Values next;
    for (size_t i = 0; i < level.size(); i += 2)
      next.push_back(shuffle(level[i], level[i + 1], map));
    level = next;
  }
  return level[0];
}

Value Emitter::repeat(Value x, int64_t times) {
  if (times == 1)
    return x;
  int64_t lanes = lanesOf(x);
  llvm::SmallVector<int64_t> map(lanes * times);
  for (size_t i = 0; i < map.size(); ++i)
    map[i] = i % lanes;
  return shuffle(x, x, map);
}

// ---- Control ----------------------------------------------------------------

Emitter::Values Emitter::loop(Value begin, Value end, int64_t step,
                              Values carries,
                              llvm::function_ref<Values(Value, Values)> body) {
  // Filled after creation: bodies look for the function they are in.
  auto op = scf::ForOp::create(b, loc, begin, end, i64(step), carries);
  OpBuilder::InsertionGuard guard(b);
  if (carries.empty())
    b.setInsertionPointToStart(op.getBody());
  else
    b.setInsertionPointToEnd(op.getBody());
  Values results = body(op.getInductionVar(), Values(op.getRegionIterArgs()));
  if (!carries.empty())
    scf::YieldOp::create(b, loc, results);
  return Values(op.getResults());
}

Emitter::Values Emitter::ifElse(Value condition,
                                llvm::function_ref<Values()> then,
                                llvm::function_ref<Values()> otherwise) {
  // The number of results is known once `then` has run: it runs in an operation
  // without results, whose block moves into the final one.
  auto first = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  Values results;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(first.thenBlock());
    results = then();
  }
  first.thenYield().erase();
  auto op = scf::IfOp::create(b, loc, ValueRange(results).getTypes(), condition,
                              /*addThenBlock=*/false, /*addElseBlock=*/true);
  op.getThenRegion().takeBody(first.getThenRegion());
  first.erase();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(op.thenBlock());
  scf::YieldOp::create(b, loc, results);
  b.setInsertionPointToStart(op.elseBlock());
  results = otherwise();
  b.setInsertionPointToEnd(op.elseBlock());
  scf::YieldOp::create(b, loc, results);
  return Values(op.getResults());
}

void Emitter::ifThen(Value condition, llvm::function_ref<void()> then) {
  auto op = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(op.thenBlock());
  then();
}

} // namespace tilewright
