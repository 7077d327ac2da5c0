// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Emit/Elements.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;

namespace tilewright {
namespace {

/// What marks the NaNs of a float of at most 8 bits, but f8e5m2: NaN is `bits`
/// once `mask` is applied; none when the mask is 0.
struct NanCodes {
  int mask, bits;
};

NanCodes nanCodes(const FloatFormat &format) {
  int sign = 1 << (format.exponentBits + format.mantissaBits);
  switch (format.specials) {
  case TW_FLOAT_SPECIALS_FN:
    return {sign - 1, sign - 1};
  case TW_FLOAT_SPECIALS_FNUZ:
    return {2 * sign - 1, sign};
  case TW_FLOAT_SPECIALS_NONE:
    return {0, 0};
  case TW_FLOAT_SPECIALS_IEEE:
    break;
  }
  llvm_unreachable("infinities are decoded by an f16");
}

Type likeType(Value value, Type element) {
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    return vector.clone(element);
  return element;
}

Value asType(Emitter &e, Value value, Type element) {
  return e.bitcast(value, likeType(value, element));
}

/// 2^exponent as a constant like `value`.
Value powerOfTwo(Emitter &e, Value value, int exponent) {
  Value bits =
      e.constant(likeType(value, e.integer(32)), int64_t{127 + exponent} << 23);
  return asType(e, bits, e.f32());
}

/// `mantissa` and exponent bits, at the bottom of i32 lanes, as f32: they are
/// the bits of an f32 but for the exponent's bias, which a multiplication by a
/// power of two corrects, denormals included.
Value scaleMagnitude(Emitter &e, Value magnitude, int mantissa, int bias) {
  Value value = asType(e, e.shl(magnitude, 23 - mantissa), e.f32());
  return e.mul(value, powerOfTwo(e, value, 127 - bias));
}

/// f16 bits in i32 lanes -> f32, without F16C.
Value decodeHalfBits(Emitter &e, Value half) {
  Value magnitude = e.band(half, 0x7fff);
  Value bits = asType(e, scaleMagnitude(e, magnitude, 10, 15), e.integer(32));
  Value special = e.icmp(arith::CmpIPredicate::uge, magnitude, 0x7c00);
  Value infinite = e.constant(bits.getType(), 0x7f800000);
  bits = e.select(special, e.bor(bits, infinite), bits);
  return asType(e, e.bor(bits, e.shl(e.band(half, 0x8000), 16)), e.f32());
}

/// f16 bits in i16 lanes -> f32.
Value decodeHalf(Emitter &e, Value half) {
  if (!e.machine.convertsHalf)
    return decodeHalfBits(e, e.zext(half, e.integer(32)));
  Value value = asType(e, half, e.f16());
  return arith::ExtFOp::create(e.b, e.loc, likeType(value, e.f32()), value);
}

/// Codes in i8 or i16 lanes -> f32.
Value decodeSmallFloat(Emitter &e, tw_element_type_t type, Value code) {
  if (type == TW_ELEMENT_F8E5M2) // the upper byte of an f16
    return decodeHalf(e, e.shl(e.zext(code, e.integer(16)), 8));
  const FloatFormat &f = floatFormat(type);
  NanCodes nan = nanCodes(f);
  int magnitudeBits = f.exponentBits + f.mantissaBits;
  int sign = 1 << magnitudeBits, magnitudeMask = sign - 1;
  // With such conversions go through f16, whose five exponent bits hold four of
  // another format, but not five: it uses the all-ones exponent for numbers.
  bool viaHalf = e.machine.convertsHalf && f.exponentBits < 5;
  int width = viaHalf ? 16 : 32;
  Value wide = e.zext(code, e.integer(width));
  Value magnitude = e.band(wide, magnitudeMask);
  Value signBit = e.shl(e.band(wide, sign), width - 1 - magnitudeBits);
  auto fixNaN = [&](Value bits, int64_t replacement) {
    if (!nan.mask)
      return bits;
    Value isNaN =
        e.icmp(arith::CmpIPredicate::eq, e.band(wide, nan.mask), nan.bits);
    return e.select(isNaN, e.constant(bits.getType(), replacement), bits);
  };
  if (viaHalf) {
    Value half = e.bor(e.shl(magnitude, 10 - f.mantissaBits), signBit);
    Value value = decodeHalf(e, fixNaN(half, 0x7e00));
    return e.mul(value, powerOfTwo(e, value, 15 - f.bias));
  }
  Value value = scaleMagnitude(e, magnitude, f.mantissaBits, f.bias);
  Value bits = e.bor(asType(e, value, e.integer(32)), signBit);
  return asType(e, fixNaN(bits, 0x7fc00000), e.f32());
}

/// Bytes of 4-bit elements, low nibble first -> one element per byte, 0..15.
Value unpackNibbles(Emitter &e, Value raw) {
  Value pair = e.zext(raw, e.integer(16));
  pair = e.band(e.bor(pair, e.shl(pair, 4)), 0x0f0f);
  return e.bitcast(pair, Emitter::vec(2 * Emitter::lanesOf(raw), e.integer(8)));
}

/// n 6-bit elements in the first 3/4 n of n bytes -> one element per i16 lane,
/// 0..63. Each lane takes the two bytes that its element lies in and shifts it
/// down.
Value unpackSixBits(Emitter &e, Value raw) {
  int64_t n = Emitter::lanesOf(raw);
  llvm::SmallVector<int64_t> windows;
  llvm::SmallVector<Attribute> shifts;
  for (int64_t i = 0; i < n; ++i) {
    int64_t first = 6 * i / 8;
    windows.push_back(first);
    windows.push_back(std::min(first + 1, n - 1));
    shifts.push_back(e.b.getI16IntegerAttr(6 * i % 8));
  }
  VectorType words = Emitter::vec(n, e.integer(16));
  Value window = e.bitcast(e.shuffle(raw, raw, windows), words);
  Value shift = arith::ConstantOp::create(
      e.b, e.loc, DenseElementsAttr::get(words, shifts));
  return e.band(arith::ShRUIOp::create(e.b, e.loc, window, shift), 0x3f);
}

Value decodeInteger(Emitter &e, const ElementFormat &format, Value code) {
  bool isSigned = info(format.type).kind == TW_ELEMENT_KIND_SIGNED;
  Value value = code;
  if (format.type == TW_ELEMENT_S4) {
    value = e.bxor(value, 8); // the element + 8
    if (format.offset == 0)
      value = e.sub(value, e.constant(value.getType(), 8));
  } else if (format.offset != 0) {
    Value flips = e.constant(value.getType(), 0x80);
    value = arith::XOrIOp::create(
        e.b, e.loc, value, format.offsetMadeAnew ? e.keepOrder(flips) : flips);
  }
  Type element = e.integer(8 * bytesOf(format.compute));
  return isSigned ? e.sext(value, element) : e.zext(value, element);
}

} // namespace

int ElementFormat::bits() const {
  return decoded ? 8 * bytesOf(compute) : info(type).bits;
}

bool ElementFormat::isIdentity() const {
  return decoded || (isComputedAs(type, compute) && offset == 0);
}

VectorType computeVectorType(Emitter &e, ComputeType type, int64_t n) {
  if (type == ComputeType::F32)
    return Emitter::vec(n, e.f32());
  if (type == ComputeType::F64)
    return Emitter::vec(n, e.f64());
  if (type == ComputeType::F16)
    return Emitter::vec(n, e.f16());
  if (type == ComputeType::BF16 && e.machine.typesBF16)
    return Emitter::vec(n, e.b.getBF16Type());
  return Emitter::vec(n, e.integer(8 * bytesOf(type)));
}

VectorType rawVectorType(Emitter &e, const ElementFormat &format, int64_t n) {
  if (format.decoded)
    return computeVectorType(e, format.compute, n);
  if (format.type == TW_ELEMENT_F32)
    return Emitter::vec(n, e.f32());
  if (format.type == TW_ELEMENT_F64)
    return Emitter::vec(n, e.f64());
  // As what the instructions take, where nothing is to be decoded.
  if (format.isIdentity())
    return computeVectorType(e, format.compute, n);
  int bits = info(format.type).bits;
  if (bits == 6) // three quarters of it: a power of two loads in pieces
    return Emitter::vec(n, e.integer(8));
  if (bits == 4)
    return Emitter::vec(n / 2, e.integer(8));
  return Emitter::vec(n, e.integer(bits));
}

Value loadRaw(Emitter &e, const ElementFormat &format, Value pointer, int64_t n,
              int64_t valid) {
  VectorType type = rawVectorType(e, format, n);
  if (format.bits() < 8)
    valid = (std::min(valid, n) * format.bits() + 7) / 8;
  return e.loadPart(type, pointer, valid, format.align());
}

/// Bytes of 4-bit integers -> the elements in order: both halves apart, then
/// together by zip.
static Value interleaveNibbles(Emitter &e, const ElementFormat &format,
                               Value raw) {
  ElementFormat asBytes = format;
  asBytes.compute = ComputeType::I8;
  asBytes.scaled = false;
  Value even = decodeNibbles(e, asBytes, raw, 0);
  Value odd = decodeNibbles(e, asBytes, raw, 1);
  int64_t pairs = Emitter::lanesOf(raw);
  llvm::SmallVector<int64_t> order;
  for (int64_t i = 0; i < pairs; ++i)
    order.append({i, pairs + i});
  Value value = e.shuffle(even, odd, order);
  Type element = e.integer(8 * bytesOf(format.compute));
  return info(format.type).kind == TW_ELEMENT_KIND_SIGNED
             ? e.sext(value, element)
             : e.zext(value, element);
}

Value decode(Emitter &e, const ElementFormat &format, Value raw) {
  if (format.isIdentity())
    return raw;
  const ElementTypeInfo &type = info(format.type);
  if (type.bits == 4 && type.kind != TW_ELEMENT_KIND_FLOAT &&
      e.machine.zipsNibbles)
    return interleaveNibbles(e, format, raw);
  Value code = raw;
  if (type.bits == 4)
    code = unpackNibbles(e, raw);
  else if (type.bits == 6)
    code = unpackSixBits(e, raw);
  if (type.kind != TW_ELEMENT_KIND_FLOAT)
    return decodeInteger(e, format, code);
  switch (format.type) {
  case TW_ELEMENT_F32:
  case TW_ELEMENT_F64:
    return code;
  case TW_ELEMENT_F16:
    return format.compute == ComputeType::F16 ? asType(e, code, e.f16())
                                              : decodeHalf(e, code);
  case TW_ELEMENT_BF16:
    if (format.compute == ComputeType::BF16)
      return code;
    return asType(e, e.shl(e.zext(code, e.integer(32)), 16), e.f32());
  default:
    return decodeSmallFloat(e, format.type, code);
  }
}

Value decodeNibbles(Emitter &e, const ElementFormat &format, Value bytes,
                    int part) {
  if (format.scaled)
    return part == 0 ? e.shl(bytes, 4) : e.band(bytes, 0xf0);
  bool isSigned = format.type == TW_ELEMENT_S4 && format.offset == 0;
  if (format.type == TW_ELEMENT_S4 && format.offset != 0)
    bytes = e.bxor(bytes, 0x88); // the elements + 8
  Value value;
  if (isSigned)
    value = e.sar(part == 0 ? e.shl(bytes, 4) : bytes, 4);
  else
    value = part == 0 ? e.band(bytes, 0x0f) : e.shr(bytes, 4);
  Type element = e.integer(8 * bytesOf(format.compute));
  return isSigned ? e.sext(value, element) : e.zext(value, element);
}

Value decodeEachNth(Emitter &e, const ElementFormat &format, Value bytes,
                    int part) {
  bool isSigned = format.type == TW_ELEMENT_S4;
  bool words = bytesOf(format.compute) == 2;
  Value value = e.bitcast(
      bytes, Emitter::vec(Emitter::lanesOf(bytes) / 2, e.integer(16)));
  if (words && isSigned)
    return e.sar(e.shl(value, 12 - 4 * part), 12);
  value = e.shr(value, 4 * part);
  if (words)
    return part == 3 ? value : e.band(value, 0x000f);
  value = e.band(value, 0x0f0f);
  if (isSigned)
    value = e.bxor(value, 0x0808); // the elements + 8
  value = e.bitcast(value, bytes.getType());
  return isSigned && format.offset == 0
             ? e.sub(value, e.constant(value.getType(), 8))
             : value;
}

Value decodePairs(Emitter &e, Value pairs, int part) {
  VectorType lanes = Emitter::vec(Emitter::lanesOf(pairs) / 2, e.integer(32));
  Value pair = e.bitcast(pairs, lanes);
  return asType(e, part == 0 ? e.shl(pair, 16) : e.band(pair, 0xffff0000),
                e.f32());
}

// ---- Out elements -----------------------------------------------------------

Type outType(Emitter &e, tw_element_type_t type) {
  switch (type) {
  case TW_ELEMENT_F64:
    return e.f64();
  case TW_ELEMENT_F32:
    return e.f32();
  default:
    return e.integer(info(type).bits);
  }
}

static Value encodeBF16(Emitter &e, Value value, Narrowing narrowing) {
  bool converts =
      e.machine.convertsToBF16(narrowing == Narrowing::AsDotProducts);
  if (converts && mlir::isa<VectorType>(value.getType())) {
    Type narrow = likeType(value, e.b.getBF16Type());
    return asType(e, arith::TruncFOp::create(e.b, e.loc, narrow, value),
                  e.integer(16));
  }
  Value bits = asType(e, value, e.integer(32));
  Value odd = e.band(e.shr(bits, 16), 1);
  Value rounded =
      e.shr(e.add(e.add(bits, odd), e.constant(bits.getType(), 0x7fff)), 16);
  Value quiet = e.bor(e.shr(bits, 16), e.constant(bits.getType(), 0x40));
  Value isNaN =
      e.icmp(arith::CmpIPredicate::ugt, e.band(bits, 0x7fffffff), 0x7f800000);
  return e.trunc(e.select(isNaN, quiet, rounded), e.integer(16));
}

Value roundToBF16(Emitter &e, Value sum, Ties ties) {
  Value bits = asType(e, sum, e.integer(32));
  Value odd = e.band(e.shr(bits, 16), 1);
  // Halves are lifted by a bit that odd results have.
  Value half = e.constant(bits.getType(), 0x7fff);
  Value lifted = ties == Ties::Set ? e.add(e.bor(bits, odd), half)
                                   : e.add(e.add(bits, half), odd);
  return asType(e, e.band(lifted, 0xffff0000), e.f32());
}

static Value encodeHalf(Emitter &e, Value value) {
  if (e.machine.convertsHalf) {
    Value half =
        arith::TruncFOp::create(e.b, e.loc, likeType(value, e.f16()), value);
    return asType(e, half, e.integer(16));
  }
  Value bits = asType(e, value, e.integer(32));
  Value magnitude = e.band(bits, 0x7fffffff);
  auto constant = [&](int64_t c) { return e.constant(bits.getType(), c); };
  // Normal: rebias the exponent, add half a unit in the last place, ties to
  // even. A carry out of the largest f16 gives infinity.
  Value odd = e.band(e.shr(magnitude, 13), 1);
  Value normal = e.shr(
      e.add(e.add(magnitude, odd), constant(0xfff - (int64_t{127 - 15} << 23))),
      13);
  // Below 2^-14: adding 0.5 lets the f32 adder round at the f16 denormals'
  // unit.
  Value half = constant(0x3f000000);
  Value denormal = e.sub(
      asType(e, e.add(asType(e, magnitude, e.f32()), asType(e, half, e.f32())),
             e.integer(32)),
      half);
  Value isSmall =
      e.icmp(arith::CmpIPredicate::ult, magnitude, int64_t{113} << 23);
  Value result = e.select(isSmall, denormal, normal);
  Value isLarge =
      e.icmp(arith::CmpIPredicate::uge, magnitude, int64_t{143} << 23);
  Value isNaN = e.icmp(arith::CmpIPredicate::ugt, magnitude, 0x7f800000);
  result = e.select(
      isLarge, e.select(isNaN, constant(0x7e00), constant(0x7c00)), result);
  result = e.bor(result, e.band(e.shr(bits, 16), 0x8000));
  return e.trunc(result, e.integer(16));
}

Value encodeOut(Emitter &e, tw_element_type_t type, Value value,
                Narrowing narrowing) {
  if (type == TW_ELEMENT_F16)
    return encodeHalf(e, value);
  if (type == TW_ELEMENT_BF16)
    return encodeBF16(e, value, narrowing);
  return value;
}

Value decodeOut(Emitter &e, tw_element_type_t type, Value value) {
  if (type != TW_ELEMENT_F16 && type != TW_ELEMENT_BF16)
    return value;
  return decode(e, {type, ComputeType::F32}, value);
}

} // namespace tilewright
