// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WaveBuilder.h"

using namespace llvm;

namespace tilewright {

Value *WaveBuilder::element(const RawElements &raw, int bits, int index) {
  if (raw.unitBits == 0)
    return raw.units[index];
  int at = index * bits;
  int u = raw.unitBits;
  Value *value =
      CreateLShr(CreateZExt(raw.units[at / u], getInt32Ty()), at % u);
  for (int have = u - at % u, next = at / u + 1; have < bits; have += u)
    value = CreateOr(
        value, CreateShl(CreateZExt(raw.units[next++], getInt32Ty()), have));
  return bits == 32 ? value : CreateAnd(value, word((int64_t{1} << bits) - 1));
}

Value *WaveBuilder::wordOf(const RawElements &raw, int bits, int index) {
  if (raw.unitBits == 32)
    return raw.units[index];
  Value *value = nullptr;
  auto join = [&](Value *part, int shift) {
    part = shift >= 0 ? CreateShl(part, shift) : CreateLShr(part, -shift);
    value = value ? CreateOr(value, part) : part;
  };
  if (raw.unitBits == 0) {
    for (int e = index * 32 / bits; e * bits < (index + 1) * 32; ++e)
      join(raw.units[e], e * bits - index * 32);
    return value;
  }
  int units = 32 / raw.unitBits;
  Value *vector =
      PoisonValue::get(FixedVectorType::get(unit(raw.unitBits), units));
  for (int i = 0; i < units; ++i)
    vector = CreateInsertElement(vector, raw.units[index * units + i], i);
  return CreateBitCast(vector, getInt32Ty());
}

Values WaveBuilder::wordsOf(const RawElements &raw, int bits, int elements) {
  Values words;
  for (int i = 0; i < elements * bits / 32; ++i)
    words.push_back(wordOf(raw, bits, i));
  return words;
}

Values WaveBuilder::loop(Value *count, Values carries,
                         function_ref<Values(Value *, Values)> body) {
  LLVMContext &context = getContext();
  BasicBlock *before = GetInsertBlock();
  BasicBlock *header = BasicBlock::Create(context, "", function);
  BasicBlock *after = BasicBlock::Create(context, "", function);
  Value *zero = ConstantInt::get(count->getType(), 0);
  auto *constant = dyn_cast<ConstantInt>(count);
  bool always = constant && constant->getSExtValue() > 0;
  if (always)
    CreateBr(header);
  else
    CreateCondBr(CreateICmpSGT(count, zero), header, after);

  SetInsertPoint(header);
  PHINode *index = CreatePHI(count->getType(), 2);
  index->addIncoming(zero, before);
  SmallVector<PHINode *> phis;
  for (Value *carry : carries) {
    phis.push_back(CreatePHI(carry->getType(), 2));
    phis.back()->addIncoming(carry, before);
  }
  Values next = body(index, Values(phis.begin(), phis.end()));
  Value *following = CreateNSWAdd(index, ConstantInt::get(count->getType(), 1));
  BasicBlock *latch = GetInsertBlock();
  CreateCondBr(CreateICmpSLT(following, count), header, after);
  index->addIncoming(following, latch);
  for (auto [phi, value] : zip(phis, next))
    phi->addIncoming(value, latch);

  SetInsertPoint(after);
  Values results;
  for (auto [carry, value] : zip(carries, next)) {
    PHINode *phi = CreatePHI(carry->getType(), 2);
    if (!always)
      phi->addIncoming(carry, before);
    phi->addIncoming(value, latch);
    results.push_back(phi);
  }
  return results;
}

Values WaveBuilder::ifThen(Value *condition, Values otherwise,
                           function_ref<Values()> then) {
  LLVMContext &context = getContext();
  BasicBlock *before = GetInsertBlock();
  BasicBlock *block = BasicBlock::Create(context, "", function);
  BasicBlock *after = BasicBlock::Create(context, "", function);
  CreateCondBr(condition, block, after);
  SetInsertPoint(block);
  Values values = then();
  BasicBlock *last = GetInsertBlock();
  CreateBr(after);
  SetInsertPoint(after);
  Values results;
  for (auto [value, other] : zip(values, otherwise)) {
    PHINode *phi = CreatePHI(value->getType(), 2);
    phi->addIncoming(other, before);
    phi->addIncoming(value, last);
    results.push_back(phi);
  }
  return results;
}

} // namespace tilewright
