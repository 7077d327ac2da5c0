// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Encoding/MatchContraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tilewright/Dialect/TwDialect.h"

using namespace mlir;

namespace tilewright {
namespace {

/// The spelling of an operand's element type in tile names, given the casts
/// that widen it in the contraction's body: integers are signless, the
/// extension tells. Empty if tiles have no such type.
std::string elementName(Type type, const ProductFactor &factor) {
  if (factor.scale) {
    if (!isa<Float8E4M3FNType, Float8E5M2Type, Float6E2M3FNType,
             Float6E3M2FNType, Float4E2M1FNType>(type))
      return "";
    std::string name;
    llvm::raw_string_ostream(name) << type;
    return StringRef(name).lower();
  }
  if (type.isF64() || type.isF32() || type.isF16() || type.isBF16()) {
    std::string name;
    llvm::raw_string_ostream(name) << type;
    return name;
  }
  // Narrower ones do not lie in memory as panels have them.
  if (!type.isSignlessInteger() || type.getIntOrFloatBitWidth() < 8)
    return "";
  return (factor.isUnsigned ? "u" : "s") +
         std::to_string(type.getIntOrFloatBitWidth());
}

std::optional<unsigned> inputOf(Value value, Block *body) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != body)
    return std::nullopt;
  return argument.getArgNumber();
}

/// The block argument behind an optional extension.
std::optional<ProductFactor> matchFactor(Value value, Block *body) {
  ProductFactor factor;
  if (Operation *cast = value.getDefiningOp()) {
    if (!isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::ScalingExtFOp>(cast))
      return std::nullopt;
    factor.isUnsigned = isa<arith::ExtUIOp>(cast);
    if (auto scaling = dyn_cast<arith::ScalingExtFOp>(cast)) {
      factor.scale = inputOf(scaling.getScale(), body);
      if (!factor.scale ||
          !isa<Float8E8M0FNUType>(scaling.getScale().getType()))
        return std::nullopt;
    }
    value = cast->getOperand(0);
  }
  std::optional<unsigned> input = inputOf(value, body);
  if (!input)
    return std::nullopt;
  factor.input = *input;
  return factor;
}

/// The product that the body adds to the result; null if it adds none.
Operation *matchProduct(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return nullptr;
  Block *body = op.getBlock();
  Value sum = body->getTerminator()->getOperand(0);
  Operation *add = sum.getDefiningOp();
  if (!add || !isa<arith::AddFOp, arith::AddIOp>(add))
    return nullptr;
  Value out = body->getArguments().back();
  if (add->getOperand(0) != out && add->getOperand(1) != out)
    return nullptr;
  Value product = add->getOperand(add->getOperand(0) == out ? 1 : 0);
  Operation *mul = product.getDefiningOp();
  return isa_and_nonnull<arith::MulFOp, arith::MulIOp>(mul) ? mul : nullptr;
}

/// Whether these are all inputs, and no output.
bool areAllInputs(linalg::LinalgOp op,
                  const std::array<ProductFactor, 2> &factors) {
  SmallVector<unsigned> inputs;
  for (const ProductFactor &factor : factors) {
    inputs.push_back(factor.input);
    if (factor.scale)
      inputs.push_back(*factor.scale);
  }
  llvm::sort(inputs);
  return llvm::equal(inputs, llvm::seq<unsigned>(0, op.getNumDpsInputs()));
}

/// Of lhs, rhs and out; inputs that are scales have others.
std::array<AffineMap, 3> mapsOf(linalg::LinalgOp op,
                                const Contraction &contraction) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return {maps[contraction.lhs], maps[contraction.rhs], maps.back()};
}

/// The loops that index all of the operands in `operands` and no others.
SmallVector<unsigned> loopsOf(const std::array<AffineMap, 3> &maps,
                              std::array<bool, 3> operands) {
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

std::optional<std::array<ProductFactor, 2>> matchFactors(linalg::LinalgOp op) {
  Operation *mul = matchProduct(op);
  if (!mul)
    return std::nullopt;
  Block *body = op.getBlock();
  std::optional<ProductFactor> x = matchFactor(mul->getOperand(0), body);
  std::optional<ProductFactor> y = matchFactor(mul->getOperand(1), body);
  if (!x || !y)
    return std::nullopt;
  if (x->input > y->input)
    std::swap(x, y);
  std::array<ProductFactor, 2> factors{*x, *y};
  if (x->scale.has_value() != y->scale.has_value() ||
      !areAllInputs(op, factors))
    return std::nullopt;
  return factors;
}

std::optional<std::array<std::string, 3>>
matchProductElements(linalg::LinalgOp op) {
  std::optional<std::array<ProductFactor, 2>> factors = matchFactors(op);
  if (!factors)
    return std::nullopt;
  Block *body = op.getBlock();
  auto nameOf = [&](const ProductFactor &factor) {
    return elementName(body->getArgument(factor.input).getType(), factor);
  };
  return std::array<std::string, 3>{
      nameOf((*factors)[0]), nameOf((*factors)[1]),
      elementName(body->getArguments().back().getType(), {})};
}

namespace {

/// Of loops and operands that are known: where the scales are. A reason if
/// tiles have no such blocks.
std::string findScales(linalg::LinalgOp op, Contraction &contraction,
                       const std::array<ProductFactor, 2> &factors) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  Contraction::Scales scales{*factors[0].scale, *factors[1].scale, 0};
  SmallVector<unsigned> blocks;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    for (auto [operand, scale] : {std::pair(contraction.lhs, scales.lhs),
                                  std::pair(contraction.rhs, scales.rhs)})
      if (maps[operand].isFunctionOfDim(loop) !=
          maps[scale].isFunctionOfDim(loop))
        blocks.push_back(loop);
  if (blocks.size() != 2 || blocks[0] != blocks[1] ||
      !llvm::is_contained(contraction.k, blocks[0]))
    return "its scales are not indexed by the loops of their operands but one "
           "of k, which goes through a block";
  scales.block = blocks[0];
  int64_t size = op.getStaticLoopRanges()[scales.block];
  // Of elements of less than a byte the tensor itself has to say it.
  for (unsigned operand : {contraction.lhs, contraction.rhs}) {
    auto type = cast<RankedTensorType>(op->getOperand(operand).getType());
    AffineExpr loop = getAffineDimExpr(scales.block, op.getContext());
    if (tw::isInStreams(type.getElementType()) &&
        type.isDynamicDim(*maps[operand].getResultPosition(loop)))
      size = ShapedType::kDynamic;
  }
  if (size != kScaleBlock)
    return "it has a scale for " +
           (ShapedType::isDynamic(size)
                ? std::string("elements whose number is not known")
                : "each " + std::to_string(size) + " elements") +
           ", where tiles have one for each " + std::to_string(kScaleBlock);
  contraction.scales = scales;
  return "";
}

/// All but the scales and what tile there is; none if `op` is none.
std::optional<Contraction>
matchLoops(linalg::LinalgOp op,
           const std::optional<std::array<ProductFactor, 2>> &factors) {
  bool isScaled = factors && factors->front().scale;
  if (op.getNumDpsInputs() != (isScaled ? 4 : 2) || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics())
    return std::nullopt;
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation())
      return std::nullopt;
  Contraction result;
  if (isScaled) {
    result.lhs = factors->front().input;
    result.rhs = factors->back().input;
  }
  std::array<AffineMap, 3> maps = mapsOf(op, result);
  result.batch = loopsOf(maps, {true, true, true});
  result.m = loopsOf(maps, {true, false, true});
  result.n = loopsOf(maps, {false, true, true});
  result.k = loopsOf(maps, {true, true, false});
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
  return result;
}

} // namespace

std::string whyNotScaled(linalg::LinalgOp op) {
  Operation *product = matchProduct(op);
  auto isScaled = [](Value factor) {
    return factor.getDefiningOp<arith::ScalingExtFOp>() != nullptr;
  };
  if (!product || !op.getNumReductionLoops() ||
      llvm::none_of(product->getOperands(), isScaled))
    return "";
  std::optional<std::array<ProductFactor, 2>> factors = matchFactors(op);
  if (!factors)
    return "not each of its factors is scaled by f8E8M0FNU of an input of its "
           "own";
  auto isPlain = [](AffineMap map) { return map.isProjectedPermutation(); };
  if (!llvm::all_of(op.getIndexingMapsArray(), isPlain))
    return "it is not indexed by loops alone; expected two of k at least, one "
           "of which goes through a block";
  std::optional<Contraction> result = matchLoops(op, factors);
  return result ? findScales(op, *result, *factors)
                : "it is no product of matrices";
}

void Contraction::swapFactors() {
  std::swap(lhs, rhs);
  std::swap(m, n);
  if (scales)
    std::swap(scales->lhs, scales->rhs);
  std::swap(types, swappedTypes);
}

std::optional<Contraction> matchContraction(linalg::LinalgOp op) {
  std::optional<std::array<ProductFactor, 2>> factors = matchFactors(op);
  std::optional<Contraction> result = matchLoops(op, factors);
  if (!result)
    return std::nullopt;
  std::optional<std::array<std::string, 3>> names = matchProductElements(op);
  // The sum of something else is no multiplication; an outer product would be
  // any elementwise operation.
  if (!names)
    return linalg::isaContractionOpInterface(op) ? result : std::nullopt;
  auto &[lhs, rhs, out] = *names;
  bool isScaled = factors->front().scale.has_value();
  if ((isScaled && !findScales(op, *result, *factors).empty()) || lhs.empty() ||
      rhs.empty() || out.empty())
    return result;
  result->types = findTypeTriple(lhs + rhs + out);
  result->swappedTypes = findTypeTriple(rhs + lhs + out);
  if (result->n.empty() && !result->m.empty() && result->swappedTypes)
    result->swapFactors();
  return result;
}

} // namespace tilewright
