// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Encoding/MatchContraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright {
namespace {

/// The spelling of an operand's element type in tile names, given the casts
/// that widen it in the contraction's body: integers are signless, the
/// extension tells. Empty if tiles have no such type.
std::string elementName(Type type, bool isUnsigned) {
  if (type.isF64() || type.isF32() || type.isF16() || type.isBF16()) {
    std::string name;
    llvm::raw_string_ostream(name) << type;
    return name;
  }
  // Narrower ones do not lie in memory as panels have them.
  if (!type.isSignlessInteger() || type.getIntOrFloatBitWidth() < 8)
    return "";
  return (isUnsigned ? "u" : "s") +
         std::to_string(type.getIntOrFloatBitWidth());
}

/// One factor of the product: the block argument behind an optional extension.
struct Factor {
  unsigned argument;
  bool isUnsigned = false;
};

std::optional<Factor> matchFactor(Value value, Block *body) {
  Factor factor;
  if (Operation *cast = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(cast))
      return std::nullopt;
    factor.isUnsigned = isa<arith::ExtUIOp>(cast);
    value = cast->getOperand(0);
  }
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != body)
    return std::nullopt;
  factor.argument = argument.getArgNumber();
  return factor;
}

/// The loops that index all of the operands in `operands` and no others.
SmallVector<unsigned> loopsOf(linalg::LinalgOp op,
                              std::array<bool, 3> operands) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<unsigned> loops;
  AffineMap first = maps[operands[0] ? 0 : 1];
  for (unsigned dim = 0; dim < first.getNumResults(); ++dim) {
    unsigned loop = first.getDimPosition(dim);
    if (llvm::all_of(llvm::seq(3), [&](int operand) {
          return maps[operand].isFunctionOfDim(loop) == operands[operand];
        }))
      loops.push_back(loop);
  }
  return loops;
}

} // namespace

std::optional<std::array<bool, 2>> matchUnsignedFactors(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return std::nullopt;
  Block *body = op.getBlock();
  Value sum = body->getTerminator()->getOperand(0);
  Operation *add = sum.getDefiningOp();
  if (!add || !isa<arith::AddFOp, arith::AddIOp>(add))
    return std::nullopt;
  Value out = body->getArgument(2);
  if (add->getOperand(0) != out && add->getOperand(1) != out)
    return std::nullopt;
  Value product = add->getOperand(add->getOperand(0) == out ? 1 : 0);
  Operation *mul = product.getDefiningOp();
  if (!mul || !isa<arith::MulFOp, arith::MulIOp>(mul))
    return std::nullopt;
  std::optional<Factor> x = matchFactor(mul->getOperand(0), body);
  std::optional<Factor> y = matchFactor(mul->getOperand(1), body);
  if (!x || !y || x->argument + y->argument != 1)
    return std::nullopt;
  if (x->argument == 1)
    std::swap(x, y);
  return std::array<bool, 2>{x->isUnsigned, y->isUnsigned};
}

std::optional<std::array<std::string, 3>>
matchProductElements(linalg::LinalgOp op) {
  std::optional<std::array<bool, 2>> isUnsigned = matchUnsignedFactors(op);
  if (!isUnsigned)
    return std::nullopt;
  Block *body = op.getBlock();
  auto nameOf = [&](unsigned argument, bool isUnsigned) {
    return elementName(body->getArgument(argument).getType(), isUnsigned);
  };
  return std::array<std::string, 3>{nameOf(0, (*isUnsigned)[0]),
                                    nameOf(1, (*isUnsigned)[1]),
                                    nameOf(2, /*isUnsigned=*/false)};
}

std::optional<Contraction> matchContraction(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics())
    return std::nullopt;
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation())
      return std::nullopt;
  Contraction result;
  result.batch = loopsOf(op, {true, true, true});
  result.m = loopsOf(op, {true, false, true});
  result.n = loopsOf(op, {false, true, true});
  result.k = loopsOf(op, {true, true, false});
  if (result.batch.size() + result.m.size() + result.n.size() +
          result.k.size() !=
      op.getNumLoops())
    return std::nullopt;
  for (unsigned loop : result.k)
    if (op.getIteratorTypesArray()[loop] != utils::IteratorType::reduction)
      return std::nullopt;
  if (op.getNumReductionLoops() != result.k.size() ||
      (result.k.empty() && (result.m.empty() || result.n.empty())))
    return std::nullopt;

  std::optional<std::array<std::string, 3>> names = matchProductElements(op);
  // The sum of something else is no multiplication; an outer product would be
  // any elementwise operation.
  if (!names)
    return linalg::isaContractionOpInterface(op) ? std::optional(result)
                                                 : std::nullopt;
  auto &[lhs, rhs, out] = *names;
  if (lhs.empty() || rhs.empty() || out.empty())
    return result;
  result.types = findTypeTriple(lhs + rhs + out);
  const TypeTripleInfo *swapped = findTypeTriple(rhs + lhs + out);
  if (result.n.empty() && !result.m.empty() && swapped) {
    std::swap(result.lhs, result.rhs);
    std::swap(result.m, result.n);
    result.types = swapped;
  }
  return result;
}

} // namespace tilewright
