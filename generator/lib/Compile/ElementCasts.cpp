// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ElementCasts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using llvm::APFloat;

namespace tilewright {
namespace {

constexpr uint32_t kF32Infinity = 0x7F800000, kF32SignBit = 0x80000000;

bool isFolded(Operation *cast) {
  if (!isa<arith::ExtFOp, arith::TruncFOp, arith::ExtSIOp, arith::ExtUIOp,
           arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp>(cast))
    return false;
  Type to = cast->getResult(0).getType();
  auto truncation = dyn_cast<arith::TruncFOp>(cast);
  return to.isIntOrFloat() &&
         (to.isInteger() || to.getIntOrFloatBitWidth() >= 16) &&
         !(truncation && truncation.getRoundingmode());
}

/// The bits of bf16 that are nearest to those of f32, of two the even ones. A
/// NaN is quiet, and keeps what of its payload there is room for.
uint64_t roundedToBF16(uint32_t bits) {
  if ((bits & ~kF32SignBit) > kF32Infinity)
    return (bits | 0x00400000) >> 16;
  return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
}

/// Whether f16 has a normal number for it, or one that rounding carries into
/// infinity.
bool isNormalInF16(uint32_t bits) {
  uint32_t magnitude = bits & ~kF32SignBit;
  return magnitude >= (127 - 14) << 23 && magnitude < (127 + 16) << 23;
}

/// Of such ones, the bits of f16 that are nearest, of two the even ones.
uint64_t roundedToF16(uint32_t bits) {
  uint32_t magnitude = bits & ~kF32SignBit;
  uint32_t rebased = magnitude - ((127 - 15) << 23);
  return (rebased + 0xFFF + (rebased >> 13 & 1)) >> 13 |
         (bits & kF32SignBit) >> 16;
}

/// Calls `visit` with an integer of so many bytes.
template <class Visit> void withWord(int64_t bytes, Visit visit) {
  switch (bytes) {
  case 1:
    return visit(uint8_t());
  case 2:
    return visit(uint16_t());
  case 4:
    return visit(uint32_t());
  case 8:
    return visit(uint64_t());
  default:
    llvm_unreachable("ElementCasts has no others");
  }
}

} // namespace

SmallVector<Operation *> castsOf(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return {};
  SmallVector<Operation *> casts;
  Value value = op.getBlock()->getTerminator()->getOperand(0);
  while (Operation *cast = value.getDefiningOp()) {
    if (!isFolded(cast))
      return {};
    casts.push_back(cast);
    value = cast->getOperand(0);
  }
  if (value != op.getBlock()->getArgument(0) ||
      casts.size() + 1 != op.getBlock()->getOperations().size())
    return {};
  std::reverse(casts.begin(), casts.end());
  return casts;
}

std::string textOf(ArrayRef<Operation *> casts) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "cast " << casts.front()->getOperand(0).getType();
  for (Operation *cast : casts)
    os << ' ' << cast->getName() << ' ' << cast->getResult(0).getType();
  return text;
}

std::optional<ElementCasts> ElementCasts::of(ArrayRef<Operation *> casts,
                                             bool nativeF16) {
  Type from = casts.front()->getOperand(0).getType(),
       to = casts.back()->getResult(0).getType();
  unsigned fromBits = from.getIntOrFloatBitWidth(),
           toBits = to.getIntOrFloatBitWidth();
  if ((fromBits > 16 && fromBits != 32 && fromBits != 64) ||
      (toBits != 8 && toBits != 16 && toBits != 32 && toBits != 64))
    return std::nullopt;
  // Steps are of words.
  if (llvm::any_of(casts, [](Operation *cast) {
        return cast->getResult(0).getType().getIntOrFloatBitWidth() > 64;
      }))
    return std::nullopt;
  ElementCasts made;
  made.toBytes = toBits / 8;
  for (Operation *cast : casts)
    made.add(cast->getOperand(0).getType(), cast->getResult(0).getType(),
             isa<arith::ExtSIOp, arith::SIToFPOp>(cast), nativeF16);
  if (fromBits <= 16)
    made.makeTable(fromBits);
  return made;
}

/// Programs go by way of f32 from what is narrower, and from integers to it.
void ElementCasts::add(Type from, Type to, bool isSigned, bool nativeF16) {
  unsigned fromBits = from.getIntOrFloatBitWidth(),
           toBits = to.getIntOrFloatBitWidth();
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (toFloat && !to.isF32() && (fromFloat ? fromBits < 32 : toBits < 32)) {
    Type f32 = Float32Type::get(from.getContext());
    add(from, f32, isSigned, nativeF16);
    return add(f32, to, isSigned, nativeF16);
  }
  bool keepsPayload =
      nativeF16 ? fromBits > 8 : fromBits > 8 && !from.isF16() && !to.isF16();
  steps.push_back({fromFloat ? &fromFloat.getFloatSemantics() : nullptr,
                   toFloat ? &toFloat.getFloatSemantics() : nullptr, fromBits,
                   toBits, isSigned, keepsPayload});
}

uint64_t ElementCasts::Step::apply(uint64_t bits) const {
  constexpr auto kNearest = llvm::RoundingMode::NearestTiesToEven;
  bits &= llvm::maskTrailingOnes<uint64_t>(fromBits);
  if (!to)
    return (isSigned ? uint64_t(llvm::SignExtend64(bits, fromBits)) : bits) &
           llvm::maskTrailingOnes<uint64_t>(toBits);
  if (!from) {
    APFloat value(*to);
    value.convertFromAPInt(llvm::APInt(fromBits, bits), isSigned, kNearest);
    return value.bitcastToAPInt().getZExtValue();
  }
  // The upper half of f32.
  if (from == &APFloat::BFloat())
    return bits << 16;
  if (from == &APFloat::IEEEsingle() && to == &APFloat::BFloat())
    return roundedToBF16(uint32_t(bits));
  if (from == &APFloat::IEEEsingle() && to == &APFloat::IEEEhalf() &&
      isNormalInF16(uint32_t(bits)))
    return roundedToF16(uint32_t(bits));
  APFloat value(*from, llvm::APInt(fromBits, bits));
  bool isInexact;
  value.convert(*to, kNearest, &isInexact);
  if (value.isNaN() && !keepsPayload)
    value = APFloat::getQNaN(*to, value.isNegative());
  return value.bitcastToAPInt().getZExtValue();
}

uint64_t ElementCasts::apply(uint64_t bits) const {
  for (const Step &step : steps)
    bits = step.apply(bits);
  return bits;
}

void ElementCasts::makeTable(unsigned fromBits) {
  table.resize((size_t(1) << fromBits) * toBytes);
  for (uint64_t bits = 0; bits < uint64_t(1) << fromBits; ++bits) {
    uint64_t word = apply(bits);
    std::memcpy(&table[bits * toBytes], &word, toBytes); // little-endian
  }
}

template <class From, class To>
void ElementCasts::fill(ArrayRef<char> from, char *to) const {
  // Of less than a byte, the others of its bits say nothing.
  size_t mask = table.size() / sizeof(To) - 1;
  for (size_t at = 0; at < from.size(); at += sizeof(From), to += sizeof(To)) {
    From word;
    std::memcpy(&word, &from[at], sizeof(From));
    if (!table.empty()) {
      std::memcpy(to, &table[(word & mask) * sizeof(To)], sizeof(To));
      continue;
    }
    To made = static_cast<To>(apply(word));
    std::memcpy(to, &made, sizeof(To));
  }
}

void ElementCasts::fill(const ConstantElements &source,
                        MutableArrayRef<char> result) const {
  withWord(source.elementBytes, [&](auto from) {
    withWord(toBytes, [&](auto to) {
      fill<decltype(from), decltype(to)>(source.bytes, result.data());
    });
  });
}

} // namespace tilewright
