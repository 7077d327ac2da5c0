// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ScalableVectors.h"
#include "tilewright/Emit/Elements.h"

using namespace mlir;

namespace tilewright {

VectorType ScalableVectors::vec(int lanes, Type element) {
  return VectorType::get({lanes}, element, {true});
}

VectorType ScalableVectors::full(Type element) {
  return vec(static_cast<int>(128 / element.getIntOrFloatBitWidth()), element);
}

std::string ScalableVectors::suffix(Type vector) {
  auto type = cast<VectorType>(vector);
  Type element = type.getElementType();
  std::string name = element.isBF16()          ? "bf"
                     : isa<FloatType>(element) ? "f"
                                               : "i";
  return "nxv" + std::to_string(type.getNumElements()) + name +
         std::to_string(element.getIntOrFloatBitWidth());
}

Value ScalableVectors::ptrue(int lanes) {
  return arith::ConstantOp::create(e.b, e.loc,
                                   DenseElementsAttr::get(mask(lanes), true));
}

Value ScalableVectors::firstLanes(int lanes, int count) {
  assert(count >= 1 && count <= 8 && "no pattern of ptrue");
  // The patterns VL1 to VL8 of ptrue are 1 to 8.
  return sve("ptrue", mask(lanes), {immediate(count)});
}

Value ScalableVectors::splat(Value scalar, VectorType type) {
  return vector::BroadcastOp::create(e.b, e.loc, type, scalar);
}

Value ScalableVectors::offset(Value pointer, VectorType type, int index) {
  if (index == 0)
    return pointer;
  return LLVM::GEPOp::create(e.b, e.loc, e.pointer(), type, pointer,
                             llvm::ArrayRef<LLVM::GEPArg>{index});
}

Value ScalableVectors::load(VectorType type, Value pointer, int align) {
  return e.load(type, pointer, align);
}

Emitter::Values ScalableVectors::loadApart(VectorType type, Value pointer,
                                           int count, Value mask) {
  auto lanes = static_cast<int>(type.getNumElements());
  llvm::SmallVector<Type> types(count, type);
  Value all = e.intrinsic(
      ("llvm.aarch64.sve.ld" + llvm::Twine(count) + ".sret." + suffix(type))
          .str(),
      LLVM::LLVMStructType::getLiteral(e.b.getContext(), types),
      {mask ? mask : ptrue(lanes), pointer});
  Values parts;
  for (int i = 0; i < count; ++i)
    parts.push_back(LLVM::ExtractValueOp::create(e.b, e.loc, all,
                                                 llvm::ArrayRef<int64_t>{i}));
  return parts;
}

Value ScalableVectors::loadPattern(VectorType type, Value pointer) {
  return sve("ld1rq", type,
             {ptrue(static_cast<int>(type.getNumElements())), pointer});
}

Value ScalableVectors::inRegister(Value x, int number) {
  std::string constraints = "={z" + std::to_string(number) + "},0";
  return e.assembly(x.getType(), x, "", constraints, false);
}

Value ScalableVectors::sve(llvm::StringRef name, VectorType type,
                           Values operands) {
  return sveSuffixed(name + "." + suffix(type), type, operands);
}

Value ScalableVectors::sveSuffixed(const llvm::Twine &name, VectorType result,
                                   Values operands) {
  return e.intrinsic(("llvm.aarch64.sve." + name).str(), result, operands);
}

Value ScalableVectors::unpackLow(Value x, bool isSigned) {
  auto type = cast<VectorType>(x.getType());
  auto lanes = static_cast<int>(type.getNumElements() / 2);
  int bits = 2 * type.getElementType().getIntOrFloatBitWidth();
  return sve(isSigned ? "sunpklo" : "uunpklo", vec(lanes, e.integer(bits)),
             {x});
}

Value ScalableVectors::halfToFloat(Value x, tw_element_type_t type) {
  auto lanes = static_cast<int>(cast<VectorType>(x.getType()).getNumElements());
  VectorType floats = vec(lanes, e.f32());
  if (type == TW_ELEMENT_F16)
    return arith::ExtFOp::create(e.b, e.loc, floats,
                                 e.bitcast(x, vec(lanes, e.f16())));
  Value wide = arith::ExtUIOp::create(e.b, e.loc, vec(lanes, e.integer(32)), x);
  return e.bitcast(e.shl(wide, 16), floats);
}

Value ScalableVectors::halvesToFloat(Value words, tw_element_type_t type) {
  VectorType floats = full(e.f32());
  if (type != TW_ELEMENT_F16)
    return e.bitcast(e.shl(words, 16), floats);
  return sveSuffixed(
      "fcvt.f32f16", floats,
      {e.bitcast(words, floats), ptrue(4), e.bitcast(words, full(e.f16()))});
}

Value ScalableVectors::floatToHalf(Value x, tw_element_type_t type) {
  auto lanes = static_cast<int>(cast<VectorType>(x.getType()).getNumElements());
  if (type == TW_ELEMENT_F16)
    return e.bitcast(
        arith::TruncFOp::create(e.b, e.loc, vec(lanes, e.f16()), x),
        vec(lanes, e.integer(16)));
  return encodeOut(e, type, x, Narrowing::AsDotProducts);
}

} // namespace tilewright
