// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements as they are in memory -> registers that instructions multiply. Every
// conversion is exact.

#include "WaveBuilder.h"

using namespace llvm;

namespace tilewright {
namespace {

bool isSigned(tw_element_type_t type) {
  return info(type).kind == TW_ELEMENT_KIND_SIGNED;
}

/// The value of a small float as an f32's bits. Its exponent and mantissa are
/// those of an f32 that is 2^(127 - bias) times too small, denormals included.
Value *decodeSmallFloat(WaveBuilder &b, tw_element_type_t type, Value *x) {
  const FloatFormat &format = floatFormat(type);
  int magnitudeBits = format.exponentBits + format.mantissaBits;
  int64_t mask = (1 << magnitudeBits) - 1;
  Value *magnitude = b.CreateAnd(x, b.word(mask));
  Value *tiny = b.CreateBitCast(
      b.CreateShl(magnitude, 23 - format.mantissaBits), b.getFloatTy());
  Value *scaled =
      b.CreateFMul(tiny, ConstantFP::get(b.getFloatTy(),
                                         std::ldexp(1.0, 127 - format.bias)));
  Value *bits = b.CreateBitCast(scaled, b.getInt32Ty());
  Value *sign =
      b.CreateShl(b.CreateAnd(x, b.word(mask + 1)), 31 - magnitudeBits);
  Value *nan = b.word(0x7FC00000);
  switch (format.specials) {
  case TW_FLOAT_SPECIALS_NONE:
    break;
  case TW_FLOAT_SPECIALS_FN: // all ones is NaN
    bits = b.CreateSelect(b.CreateICmpEQ(magnitude, b.word(mask)), nan, bits);
    break;
  case TW_FLOAT_SPECIALS_IEEE: {
    int64_t infinity = mask - ((1 << format.mantissaBits) - 1);
    Value *special = b.CreateOr(
        b.CreateShl(magnitude, 23 - format.mantissaBits), b.word(0x7F800000));
    bits = b.CreateSelect(b.CreateICmpUGE(magnitude, b.word(infinity)), special,
                          bits);
    break;
  }
  case TW_FLOAT_SPECIALS_FNUZ: // what would be -0 is NaN
    return b.CreateSelect(b.CreateICmpEQ(x, b.word(mask + 1)), nan,
                          b.CreateOr(bits, sign));
  }
  return b.CreateOr(bits, sign);
}

/// A float's value as an f32's bits.
Value *decodeFloat(WaveBuilder &b, tw_element_type_t type, Value *x) {
  switch (type) {
  case TW_ELEMENT_F32:
    return x;
  case TW_ELEMENT_BF16:
    return b.CreateShl(x, 16);
  case TW_ELEMENT_F16: {
    Value *half =
        b.CreateBitCast(b.CreateTrunc(x, b.getInt16Ty()), b.getHalfTy());
    return b.CreateBitCast(b.CreateFPExt(half, b.getFloatTy()), b.getInt32Ty());
  }
  default:
    return decodeSmallFloat(b, type, x);
  }
}

/// Two 16-bit values in one register.
Value *pair(WaveBuilder &b, Value *low, Value *high) {
  return b.CreateOr(b.CreateAnd(low, b.word(0xFFFF)), b.CreateShl(high, 16));
}

/// An integer element, extended to 32 bits.
Value *extend(WaveBuilder &b, const RawElements &raw, tw_element_type_t type,
              int index) {
  int bits = info(type).bits;
  Value *x = b.element(raw, bits, index);
  if (!isSigned(type) || bits == 32)
    return x;
  IntegerType *narrow = b.unit(bits);
  return b.CreateSExt(b.CreateTrunc(x, narrow), b.getInt32Ty());
}

/// Four 4-bit elements, in the low half of a register, as four bytes.
Value *spreadNibbles(WaveBuilder &b, Value *x, bool isSigned) {
  x = b.CreateAnd(b.CreateOr(x, b.CreateShl(x, 8)), b.word(0x00FF00FF));
  x = b.CreateAnd(b.CreateOr(x, b.CreateShl(x, 4)), b.word(0x0F0F0F0F));
  if (!isSigned)
    return x;
  // Each byte's bit 3, 8 or 0, times 30: 0xF0 where the element is negative.
  Value *negative = b.CreateAnd(x, b.word(0x08080808));
  Value *high = b.CreateSub(b.CreateShl(negative, 5), b.CreateShl(negative, 1));
  return b.CreateOr(x, high);
}

/// Four elements from `first` on as signed or unsigned bytes.
Value *fourBytes(WaveBuilder &b, const RawElements &raw, tw_element_type_t from,
                 int first) {
  if (raw.unitBits != 0) {
    RawElements halves{raw.units, raw.unitBits};
    return spreadNibbles(b, b.element(halves, 16, first / 4), isSigned(from));
  }
  Value *word = nullptr;
  for (int e = 0; e < 4; ++e) {
    Value *part = b.CreateShl(raw.units[first + e], 4 * e);
    word = word ? b.CreateOr(word, part) : part;
  }
  return spreadNibbles(b, word, isSigned(from));
}

Value *oneHalf(WaveBuilder &b, const RawElements &raw, tw_element_type_t from,
               tw_element_type_t to, int index) {
  if (to == TW_ELEMENT_S16)
    return extend(b, raw, from, index);
  Value *x = b.element(raw, info(from).bits, index);
  // An e5m2 is the upper half of an f16.
  if (to == TW_ELEMENT_F16 && from == TW_ELEMENT_F8E5M2)
    return b.CreateShl(x, 8);
  Value *bits = decodeFloat(b, from, x);
  if (to == TW_ELEMENT_BF16)
    return b.CreateLShr(bits, 16);
  Value *half =
      b.CreateFPTrunc(b.CreateBitCast(bits, b.getFloatTy()), b.getHalfTy());
  return b.CreateZExt(b.CreateBitCast(half, b.getInt16Ty()), b.getInt32Ty());
}

} // namespace

Values convertElements(WaveBuilder &b, const RawElements &raw,
                       tw_element_type_t from, tw_element_type_t to,
                       bool biased, int count) {
  int bits = info(from).bits;
  bool sameBits = bits == info(to).bits;
  Values words;
  if (from == to || (sameBits && bits == 8)) {
    words = b.wordsOf(raw, bits, count);
    if (biased)
      for (Value *&word : words)
        word = b.CreateXor(word, b.word(0x80808080));
    return words;
  }
  switch (info(to).bits) {
  case 8:
    for (int e = 0; e < count; e += 4)
      words.push_back(fourBytes(b, raw, from, e));
    return words;
  case 16:
    for (int e = 0; e < count; e += 2)
      words.push_back(pair(b, oneHalf(b, raw, from, to, e),
                           oneHalf(b, raw, from, to, e + 1)));
    return words;
  default:
    for (int e = 0; e < count; ++e)
      words.push_back(to == TW_ELEMENT_S32
                          ? extend(b, raw, from, e)
                          : decodeFloat(b, from, b.element(raw, bits, e)));
    return words;
  }
}

} // namespace tilewright
