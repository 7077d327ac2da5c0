// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopSizes.h"

using namespace mlir;

namespace tilewright {
namespace {

/// The largest or smallest value of an index, if it is a sum of loops, each
/// times a constant, where `last` has the last value of each loop.
std::optional<AffineExpr> extreme(AffineExpr index, ArrayRef<AffineExpr> last,
                                  bool isLargest) {
  if (isa<AffineConstantExpr>(index))
    return index;
  if (auto loop = dyn_cast<AffineDimExpr>(index))
    return isLargest ? last[loop.getPosition()]
                     : getAffineConstantExpr(0, index.getContext());
  auto binary = dyn_cast<AffineBinaryOpExpr>(index);
  if (!binary)
    return std::nullopt;
  AffineExpr x = binary.getLHS(), y = binary.getRHS();
  if (binary.getKind() == AffineExprKind::Add) {
    std::optional<AffineExpr> a = extreme(x, last, isLargest),
                              b = extreme(y, last, isLargest);
    return a && b ? std::optional(*a + *b) : std::nullopt;
  }
  auto factor = dyn_cast<AffineConstantExpr>(y);
  if (binary.getKind() != AffineExprKind::Mul || !factor)
    return std::nullopt;
  std::optional<AffineExpr> a =
      extreme(x, last, isLargest == (factor.getValue() >= 0));
  return a ? std::optional(*a * factor) : std::nullopt;
}

class LoopCheck {
public:
  LoopCheck(linalg::LinalgOp op, RequiredSizes &required,
            const SizeLookup &lookup)
      : op(op), required(required), lookup(lookup) {}

  LogicalResult run() {
    Extents extents(op.getNumLoops());
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
        std::optional<AffineExpr> size = lookup.sizeOf(operand.get(), dim);
        if (!size && lookup.refusesUnknown)
          return lookup.refuse(operand.get(), dim);
        auto loop = dyn_cast<AffineDimExpr>(expr);
        if (!loop || !size)
          continue;
        std::optional<Extent> &extent = extents[loop.getPosition()];
        Extent here{*size, operand.getOperandNumber(), int64_t(dim)};
        if (!extent) {
          extent = here;
        } else if (failed(required.equal(extent->size, here.size))) {
          return op.emitOpError() << describe(*extent) << ", but "
                                  << describe(here) << "; they must be equal";
        }
      }
    }
    return checkWindows(extents);
  }

private:
  /// Where a loop of a structured operation has its size from.
  struct Extent {
    AffineExpr size;
    unsigned operand;
    int64_t dim;
  };
  using Extents = SmallVector<std::optional<Extent>>;

  /// What is indexed by more than one loop has to be large enough for the last
  /// of them.
  LogicalResult checkWindows(const Extents &extents) {
    SmallVector<AffineExpr> last;
    for (const std::optional<Extent> &extent : extents)
      last.push_back(extent ? extent->size - 1 : nullptr);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
        if (isa<AffineDimExpr>(expr))
          continue;
        bool isKnown = true;
        expr.walk([&](AffineExpr part) {
          if (auto loop = dyn_cast<AffineDimExpr>(part))
            isKnown &= last[loop.getPosition()] != nullptr;
        });
        std::optional<AffineExpr> size = lookup.sizeOf(operand.get(), dim),
                                  from, to;
        if (isKnown) {
          from = extreme(expr, last, /*isLargest=*/false);
          to = extreme(expr, last, /*isLargest=*/true);
        }
        if (lookup.refusesUnknown && (!from || !to))
          return op.emitOpError()
                 << "indexes operand " << operand.getOperandNumber() << " by "
                 << AffineMapAttr::get(map)
                 << ", of which it cannot be told where it ends; an index must "
                    "be a sum of loops, each times a constant, and each loop "
                    "the index of some dimension";
        if (!size || !from || !to)
          continue;
        if (failed(required.notNegative(*size - 1 - *to)) ||
            failed(required.notNegative(*from)))
          return op.emitOpError()
                 << "reaches beyond dimension " << dim << " of operand "
                 << operand.getOperandNumber() << ", of type "
                 << operand.get().getType() << ", with "
                 << AffineMapAttr::get(map);
      }
    }
    return success();
  }

  std::string describe(const Extent &extent) const {
    std::string line;
    llvm::raw_string_ostream os(line);
    auto type =
        cast<RankedTensorType>(op->getOperand(extent.operand).getType());
    os << "dimension " << extent.dim << " of operand " << extent.operand
       << ", of type '" << type << "', "
       << (type.isDynamicDim(extent.dim) ? "is known to be " : "is ")
       << required.text(extent.size);
    return line;
  }

  linalg::LinalgOp op;
  RequiredSizes &required;
  const SizeLookup &lookup;
};

} // namespace

LogicalResult checkLoopSizes(linalg::LinalgOp op, RequiredSizes &required,
                             const SizeLookup &lookup) {
  return LoopCheck(op, required, lookup).run();
}

} // namespace tilewright
