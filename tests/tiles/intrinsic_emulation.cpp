// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/tiles/intrinsic_emulation.h"

#include <cmath>

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "tests/tiles/amx_model.h"
#include "tests/tiles/element_codec.h"

namespace tilewright::testing {
namespace {

using namespace llvm;

unsigned lanesOf(Value* vector) {
  return cast<FixedVectorType>(vector->getType())->getNumElements();
}

// `value` as a vector of i32, as vector registers have it.
Value* asWords(IRBuilder<>& b, Value* value) {
  const unsigned lanes = cast<FixedVectorType>(value->getType())
                             ->getPrimitiveSizeInBits()
                             .getFixedValue() /
                         32;
  return b.CreateBitCast(value, FixedVectorType::get(b.getInt32Ty(), lanes));
}

// Element `index` of `bits` bits of each of `words`, extended. By shifts: of
// shuffles of all elements LLVM thinks for seconds.
Value* elementOf(IRBuilder<>& b, Value* words, unsigned index, unsigned bits,
                 bool isSigned) {
  Value* high = b.CreateShl(words, 32 - bits * (index + 1));
  return isSigned ? b.CreateAShr(high, 32 - bits)
                  : b.CreateLShr(high, 32 - bits);
}

// Sums of `group` neighbouring products, modulo 2^32, plus `acc` if not null.
Value* dotProduct(IRBuilder<>& b, Value* acc, Value* x, bool xSigned, Value* y,
                  bool ySigned, unsigned bits) {
  x = asWords(b, x);
  y = asWords(b, y);
  for (unsigned i = 0; i < 32 / bits; ++i) {
    Value* product = b.CreateMul(elementOf(b, x, i, bits, xSigned),
                                 elementOf(b, y, i, bits, ySigned));
    acc = acc ? b.CreateAdd(acc, product) : product;
  }
  return acc;
}

// f32 denormals to zero.
Value* flush(IRBuilder<>& b, Value* value) {
  Value* magnitude = b.CreateUnaryIntrinsic(Intrinsic::fabs, value);
  Value* isTiny =
      b.CreateFCmpOLT(magnitude, ConstantFP::get(value->getType(), 0x1p-126));
  return b.CreateSelect(isTiny, Constant::getNullValue(value->getType()),
                        value);
}

Value* bf16Products(IRBuilder<>& b, Value* acc, Value* x, Value* y) {
  x = asWords(b, x);
  y = asWords(b, y);
  auto expand = [&](Value* words, unsigned index) {
    Value* bits = b.CreateShl(elementOf(b, words, index, 16, false), 16);
    return flush(b, b.CreateBitCast(bits, acc->getType()));
  };
  acc = flush(b, acc);
  for (unsigned i : {1u, 0u})
    acc = flush(b, b.CreateIntrinsic(Intrinsic::fma, {acc->getType()},
                                     {expand(x, i), expand(y, i), acc}));
  return acc;
}

// vcvtneps2bf16, of a scalar or vector: to nearest even, on the bits. (LLVM's
// fptrunc would call a library where the CPU has no such instruction.)
Value* toBf16(IRBuilder<>& b, Value* value) {
  value = flush(b, value);
  Type* words = value->getType()->getWithNewType(b.getInt32Ty());
  auto constant = [&](uint32_t c) { return ConstantInt::get(words, c); };
  Value* bits = b.CreateBitCast(value, words);
  Value* high = b.CreateLShr(bits, 16);
  Value* odd = b.CreateAnd(high, constant(1));
  Value* rounded =
      b.CreateLShr(b.CreateAdd(b.CreateAdd(bits, constant(0x7FFF)), odd), 16);
  Value* quiet = b.CreateOr(high, constant(0x40));
  Value* result = b.CreateSelect(b.CreateFCmpUNO(value, value), quiet, rounded);
  Value* narrow = b.CreateTrunc(result, words->getWithNewType(b.getInt16Ty()));
  return b.CreateBitCast(narrow, words->getWithNewType(b.getBFloatTy()));
}

// c = a * b + c of f16, each rounded once. In double a product, of 22 bits, is
// exact. The sum is rounded twice, but the first time changes it only where the
// product is below 2^-29 of c, which is the result then, or above 2^28, which
// overflows.
void fuseF16(const uint16_t* a, const uint16_t* b, uint16_t* c, int64_t count) {
  auto value = [](uint16_t bits) {
    return decodeElement(TW_ELEMENT_F16, bits);
  };
  for (int64_t i = 0; i < count; ++i)
    c[i] = static_cast<uint16_t>(encodeFloat(
        TW_ELEMENT_F16, std::fma(value(a[i]), value(b[i]), value(c[i]))));
}

// Calls `model`, a function of this program.
template <typename... Parameters>
void callModel(IRBuilder<>& b, void (*model)(Parameters...),
               ArrayRef<Value*> arguments) {
  SmallVector<Type*> types;
  for (Value* argument : arguments) types.push_back(argument->getType());
  Value* address = b.CreateIntToPtr(
      b.getInt64(reinterpret_cast<uintptr_t>(model)), b.getPtrTy());
  b.CreateCall(FunctionType::get(b.getVoidTy(), types, false), address,
               arguments);
}

// A copy of `value` in memory, of this function's frame.
AllocaInst* spill(IRBuilder<>& b, Value* value) {
  BasicBlock& entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  IRBuilder<> first(&entry, entry.begin());
  AllocaInst* memory = first.CreateAlloca(value->getType());
  b.CreateStore(value, memory);
  return memory;
}

bool isFusedF16(const CallInst& call) {
  const Intrinsic::ID id = call.getIntrinsicID();
  return (id == Intrinsic::fma || id == Intrinsic::fmuladd) &&
         call.getType()->getScalarType()->isHalfTy();
}

Value* fusedF16(IRBuilder<>& b, const CallInst& call) {
  auto* vector = dyn_cast<FixedVectorType>(call.getType());
  SmallVector<Value*> arguments;
  for (Value* operand : call.args()) arguments.push_back(spill(b, operand));
  Value* result = arguments.back();
  arguments.push_back(b.getInt64(vector ? vector->getNumElements() : 1));
  callModel(b, fuseF16, arguments);
  return b.CreateLoad(call.getType(), result);
}

// vcvtps2ph to nearest even of all lanes; null if it is another one.
Value* toF16(IRBuilder<>& b, const CallInst& call) {
  constexpr uint64_t kToNearest = 0, kIgnoreExceptions = 8;
  const auto* control = dyn_cast<ConstantInt>(call.getArgOperand(1));
  if (!control || (control->getZExtValue() & ~kIgnoreExceptions) != kToNearest)
    return nullptr;
  if (call.arg_size() > 2) {
    const auto* mask = dyn_cast<ConstantInt>(call.getArgOperand(3));
    if (!mask || !mask->isMinusOne()) return nullptr;
  }
  Value* value = call.getArgOperand(0);
  return b.CreateBitCast(
      b.CreateFPTrunc(value, value->getType()->getWithNewType(b.getHalfTy())),
      call.getType());
}

// The replacement of `call`; null if there is none.
Value* emulate(IRBuilder<>& b, CallInst& call) {
  StringRef name = call.getCalledFunction()->getName();
  if (!name.consume_front("llvm.x86.")) return nullptr;
  auto arg = [&](unsigned i) { return call.getArgOperand(i); };
  // The number at the end is the width, which the operands' types say as well.
  name = name.substr(0, name.find_last_not_of("0123456789") + 1);
  if (name == "avx512.vpdpbusd.")
    return dotProduct(b, arg(0), arg(1), false, arg(2), true, 8);
  if (name == "avx512.vpdpwssd.")
    return dotProduct(b, arg(0), arg(1), true, arg(2), true, 16);
  if (name == "avx2.vpdpbssd." || name == "avx10.vpdpbssd.")
    return dotProduct(b, arg(0), arg(1), true, arg(2), true, 8);
  if (name == "avx2.vpdpbsud." || name == "avx10.vpdpbsud.")
    return dotProduct(b, arg(0), arg(1), true, arg(2), false, 8);
  if (name == "avx2.vpdpbuud." || name == "avx10.vpdpbuud.")
    return dotProduct(b, arg(0), arg(1), false, arg(2), false, 8);
  if (name == "sse2.pmadd.wd" || name == "avx2.pmadd.wd" ||
      name == "avx512.pmaddw.d.")
    return dotProduct(b, nullptr, arg(0), true, arg(1), true, 16);
  if (name == "avx512bf16.dpbf16ps.")
    return bf16Products(b, arg(0), arg(1), arg(2));
  if (name == "avx512bf16.cvtneps2bf16." || name == "vcvtneps2bf")
    return toBf16(b, arg(0));
  if (name == "avx512.mask.vcvtps2ph." ||
      (name == "vcvtps2ph." && lanesOf(arg(0)) == lanesOf(&call)))
    return toF16(b, call);
  return nullptr;
}

// A vector of what is at `pointer`, by a load that repeats lanes and is written
// out; null for any other text.
Value* repeatedLoad(IRBuilder<>& b, StringRef text, FixedVectorType* vector,
                    Value* pointer) {
  const unsigned bits = vector->getPrimitiveSizeInBits().getFixedValue();
  const unsigned repeated = StringSwitch<unsigned>(text)
                                .Case("vpbroadcastd $1, $0", 32)
                                .Case("vpbroadcastq $1, $0", 64)
                                .Default(0);
  if (repeated != 0) {
    Value* one = b.CreateAlignedLoad(b.getIntNTy(repeated), pointer, Align(1));
    return b.CreateBitCast(b.CreateVectorSplat(bits / repeated, one), vector);
  }
  const int odd = StringSwitch<int>(text)
                      .Case("vmovsldup $1, $0", 0)
                      .Case("vmovshdup $1, $0", 1)
                      .Default(-1);
  if (odd < 0) return nullptr;
  SmallVector<int> lanes;
  for (unsigned lane = 0; lane < bits / 32; ++lane)
    lanes.push_back(static_cast<int>(lane & ~1u) + odd);
  Value* all = b.CreateAlignedLoad(
      FixedVectorType::get(b.getInt32Ty(), bits / 32), pointer, Align(1));
  return b.CreateBitCast(b.CreateShuffleVector(all, lanes), vector);
}

// What an instruction gives that is written out where LLVM would take another
// one for it; null for any other call.
Value* writtenOut(IRBuilder<>& b, const CallInst& call) {
  const auto* text = dyn_cast<InlineAsm>(call.getCalledOperand());
  auto* vector = dyn_cast<FixedVectorType>(call.getType());
  if (!text || !vector) return nullptr;
  // Behind the operands clang says that such a text clobbers the flags.
  const StringRef operands =
      StringRef(text->getConstraintString()).split(",~{").first;
  if (operands == "=v,*m")
    return repeatedLoad(b, text->getAsmString(), vector, call.getArgOperand(0));
  if (text->getAsmString() == "vpdpwssd $2, $1, $0" && operands == "=v,v,v,0") {
    const unsigned lanes =
        vector->getPrimitiveSizeInBits().getFixedValue() / 32;
    Value* sums = b.CreateBitCast(call.getArgOperand(2),
                                  FixedVectorType::get(b.getInt32Ty(), lanes));
    sums = dotProduct(b, sums, call.getArgOperand(0), true,
                      call.getArgOperand(1), true, 16);
    return b.CreateBitCast(sums, vector);
  }
  return nullptr;
}

// Calls the model of AMX in place of `call`; false if that is none of AMX.
// Numbers of registers are constants of 8 bits.
bool callAmxModel(IRBuilder<>& b, CallInst& call) {
  StringRef name = call.getCalledFunction()->getName();
  if (!name.consume_front("llvm.x86.")) return false;
  SmallVector<Value*> arguments;
  for (Value* argument : call.args())
    arguments.push_back(argument->getType()->isIntegerTy(8)
                            ? b.CreateZExt(argument, b.getInt32Ty())
                            : argument);
  if (name == "ldtilecfg") {
    callModel(b, tw_model_loadconfig, arguments);
  } else if (name == "tilerelease") {
    callModel(b, tw_model_release, arguments);
  } else if (name == "tilezero") {
    callModel(b, tw_model_zero, arguments);
  } else if (name == "tileloadd64" || name == "tileloaddt164") {
    callModel(b, tw_model_load, arguments);
  } else if (name == "tilestored64") {
    callModel(b, tw_model_store, arguments);
  } else {
    const int types = StringSwitch<int>(name)
                          .Case("tdpbssd", TW_MODEL_S8S8)
                          .Case("tdpbsud", TW_MODEL_S8U8)
                          .Case("tdpbusd", TW_MODEL_U8S8)
                          .Case("tdpbuud", TW_MODEL_U8U8)
                          .Case("tdpbf16ps", TW_MODEL_BF16)
                          .Default(-1);
    if (types < 0) return false;
    arguments.insert(arguments.begin(), b.getInt32(types));
    callModel(b, tw_model_multiply, arguments);
  }
  return true;
}

// Whether it only keeps the order of accesses to memory.
bool isMemoryBarrier(const CallInst& call) {
  const auto* text = dyn_cast<InlineAsm>(call.getCalledOperand());
  return text && text->getAsmString().empty() && call.getType()->isVoidTy();
}

// What an optimisation barrier gives: an empty text whose results are tied to
// its operands one by one, or whose one result is to the first of them, says
// nothing but that the values are made here, and that not for other CPUs. Null
// for any other call.
Value* withoutBarrier(IRBuilder<>& b, const CallInst& call) {
  const auto* text = dyn_cast<InlineAsm>(call.getCalledOperand());
  const unsigned count = call.arg_size();
  if (!text || !text->getAsmString().empty() || count == 0) return nullptr;
  std::string tied;
  SmallVector<Type*> types;
  for (unsigned i = 0; i < count; ++i) {
    tied += "," + std::to_string(i);
    types.push_back(call.getArgOperand(i)->getType());
  }
  // Behind the operands clang says that such a text clobbers the flags.
  const StringRef constraints =
      StringRef(text->getConstraintString()).split(",~{").first;
  // As a pointer behind what makes a vector.
  if (constraints == "=r,0,v" || constraints == "=r,0,x")
    return call.getArgOperand(0);
  if (!constraints.ends_with(tied)) return nullptr;
  if (count == 1)
    return call.getType() == types[0] ? call.getArgOperand(0) : nullptr;
  if (call.getType() != StructType::get(call.getContext(), types))
    return nullptr;
  Value* all = PoisonValue::get(call.getType());
  for (unsigned i = 0; i < count; ++i)
    all = b.CreateInsertValue(all, call.getArgOperand(i), i);
  return all;
}

}  // namespace

Error emulateForeignIsa(Module& module) {
  for (Function& function : module) {
    if (function.isDeclaration()) continue;
    for (StringRef attribute :
         {"target-cpu", "tune-cpu", "target-features", "prefer-vector-width",
          "min-legal-vector-width"})
      function.removeFnAttr(attribute);
    for (Instruction& instruction :
         make_early_inc_range(instructions(function))) {
      auto* narrowing = dyn_cast<FPTruncInst>(&instruction);
      if (narrowing && narrowing->getType()->getScalarType()->isBFloatTy()) {
        IRBuilder<> builder(narrowing);
        narrowing->replaceAllUsesWith(
            toBf16(builder, narrowing->getOperand(0)));
        narrowing->eraseFromParent();
        continue;
      }
      auto* call = dyn_cast<CallInst>(&instruction);
      if (!call) continue;
      IRBuilder<> builder(call);
      Value* values = withoutBarrier(builder, *call);
      if (!values) values = writtenOut(builder, *call);
      if (values) {
        call->replaceAllUsesWith(values);
        call->eraseFromParent();
        continue;
      }
      if (isMemoryBarrier(*call)) {
        call->eraseFromParent();
        continue;
      }
      Function* callee = call->getCalledFunction();
      if (!callee)
        return createStringError("inline assembly or an indirect call in " +
                                 function.getName() + " cannot be emulated");
      if (callAmxModel(builder, *call)) {
        call->eraseFromParent();
        continue;
      }
      const bool fusesF16 = isFusedF16(*call);
      if (!fusesF16 && !callee->getName().starts_with("llvm.x86.")) continue;
      Value* replacement =
          fusesF16 ? fusedF16(builder, *call) : emulate(builder, *call);
      if (!replacement || replacement->getType() != call->getType())
        return createStringError("no emulation of " + callee->getName() +
                                 ", called by " + function.getName());
      call->replaceAllUsesWith(replacement);
      call->eraseFromParent();
    }
  }
  std::string why;
  raw_string_ostream os(why);
  if (verifyModule(module, &os))
    return createStringError("the emulation made invalid IR: " + why);
  return Error::success();
}

}  // namespace tilewright::testing
