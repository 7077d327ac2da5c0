// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ArenaLayout.h"

#include "BufferLifetimes.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "tilewright/Compile/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {
namespace {

/// More than this is no size of memory; what is added to it later fits.
constexpr int64_t kMostBytes = int64_t(1) << 62;

/// What sizes are taken for where buffers are compared whose sizes are not
/// known: a batch, or a length of text.
constexpr int64_t kEstimatedSize = 128;

int64_t estimate(AffineExpr bytes, size_t symbols) {
  Builder b(bytes.getContext());
  SmallVector<AffineExpr> sizes(symbols,
                                b.getAffineConstantExpr(kEstimatedSize));
  auto value = dyn_cast<AffineConstantExpr>(
      simplifyAffineExpr(bytes.replaceSymbols(sizes), 0, 0));
  return value ? value.getValue() : 0;
}

/// `bytes` as a factor that all calls know and one that they do not.
std::pair<AffineExpr, int64_t> factors(AffineExpr bytes) {
  auto product = dyn_cast<AffineBinaryOpExpr>(bytes);
  if (product && product.getKind() == AffineExprKind::Mul)
    if (auto factor = dyn_cast<AffineConstantExpr>(product.getRHS()))
      return {product.getLHS(), factor.getValue()};
  return {bytes, 1};
}

} // namespace

ArenaLayout::ArenaLayout(func::FuncOp func) : expressions(func.getContext()) {
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (func.getArgAttr(i, kSizeAttr))
      expressions.addSizeArgument(i);
  func.walk([&](Operation *op) {
    if (isa<memref::AllocOp, memref::ReinterpretCastOp>(op))
      expressions.trustSizesOf(op->getResult(0));
  });
  BufferLifetimes all(func);
  SmallVector<memref::AllocOp> known, unknown;
  SmallVector<Lifetime> ofKnown, ofUnknown;
  SmallVector<int64_t> knownSizes;
  SmallVector<AffineExpr> ofBytes;
  func.walk([&](memref::AllocOp alloc) {
    auto refuse = [&](std::string reason) {
      others.push_back({alloc, std::move(reason)});
    };
    if (!alloc.getType().getLayout().isIdentity() ||
        alloc.getType().getMemorySpace())
      return refuse("it is not contiguous, or in other memory");
    std::optional<AffineExpr> bytes = bytesOf(alloc);
    if (!bytes)
      return refuse("its size does not follow from sizes that the caller "
                    "passes");
    auto constant = dyn_cast<AffineConstantExpr>(*bytes);
    if (constant &&
        (constant.getValue() < 0 || constant.getValue() > kMostBytes))
      return refuse("no memory is as large");
    llvm::Expected<Lifetime> lifetime = all.of(alloc);
    if (!lifetime)
      return refuse(llvm::toString(lifetime.takeError()));
    if (constant) {
      known.push_back(alloc);
      ofKnown.push_back(*lifetime);
      knownSizes.push_back(llvm::alignTo(constant.getValue(), kArenaAlignment));
    } else {
      unknown.push_back(alloc);
      ofUnknown.push_back(*lifetime);
      ofBytes.push_back(*bytes);
    }
  });
  placeStatic(known, ofKnown, knownSizes);
  placeDynamic(unknown, ofUnknown, ofBytes);
}

std::optional<AffineExpr> ArenaLayout::bytesOf(memref::AllocOp alloc) {
  llvm::TypeSize element =
      DataLayout::closest(alloc).getTypeSize(alloc.getType().getElementType());
  return expressions.bytesOf(alloc, element.getFixedValue());
}

void ArenaLayout::placeStatic(ArrayRef<memref::AllocOp> allocs,
                              ArrayRef<Lifetime> lifetimes,
                              ArrayRef<int64_t> sizes) {
  OffsetPlan plan = planOffsets(lifetimes, sizes);
  fixedBytes = plan.bytes;
  for (auto [alloc, offset] : llvm::zip_equal(allocs, plan.offsets))
    placed.push_back({alloc, offset, std::nullopt});
}

void ArenaLayout::placeDynamic(ArrayRef<memref::AllocOp> allocs,
                               ArrayRef<Lifetime> lifetimes,
                               ArrayRef<AffineExpr> bytes) {
  SmallVector<int64_t> estimates;
  for (AffineExpr expr : bytes)
    estimates.push_back(estimate(expr, expressions.symbols().size()));
  std::vector<unsigned> slotOf = planSlots(lifetimes, estimates);
  // Of each slot, the largest known factor by what it is multiplied with.
  std::vector<llvm::MapVector<AffineExpr, int64_t>> largest;
  for (auto [alloc, slot, expr] : llvm::zip_equal(allocs, slotOf, bytes)) {
    placed.push_back({alloc, 0, slot});
    if (slot >= largest.size())
      largest.resize(slot + 1);
    auto [rest, factor] = factors(expr);
    int64_t &most = largest[slot][rest];
    most = std::max(most, factor);
  }
  for (const auto &slot : largest) {
    slotBytes.emplace_back();
    for (auto [rest, factor] : slot)
      slotBytes.back().push_back(rest * factor);
  }
}

SmallVector<unsigned> ArenaLayout::symbols() const {
  SmallVector<unsigned> arguments;
  for (SizeSymbol symbol : expressions.symbols())
    arguments.push_back(symbol.argument);
  return arguments;
}

ArenaLayout::Code ArenaLayout::emit(ImplicitLocOpBuilder &b,
                                    ValueRange symbols) const {
  CheckedSizes sizes(b, symbols);
  Code code;
  code.bytes = sizes.constant(fixedBytes);
  for (ArrayRef<AffineExpr> slot : slotBytes) {
    code.slotOffsets.push_back(code.bytes);
    Value most = sizes.evaluate(slot.front());
    for (AffineExpr other : slot.drop_front())
      most = sizes.larger(most, sizes.evaluate(other));
    code.bytes = sizes.add(code.bytes, sizes.roundUp(most, kArenaAlignment));
  }
  Value tooMany = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt,
                                        code.bytes, sizes.constant(kMostBytes));
  code.overflow = arith::OrIOp::create(b, sizes.overflow(), tooMany);
  return code;
}

} // namespace tilewright
