// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-pack-contractions: which tile, then upstream's packing for it.

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "tilewright/Compile/ChooseDeviceTile.h"
#include "tilewright/Compile/ChooseTile.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_PACKCONTRACTIONS
#include "tilewright/Compile/Passes.h.inc"

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
  if (!type.isSignlessInteger())
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

/// The type triple of `op`, whose body must be exactly out + ext(lhs) *
/// ext(rhs).
const TypeTripleInfo *matchTypes(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  Value sum = body->getTerminator()->getOperand(0);
  Operation *add = sum.getDefiningOp();
  if (!add || !isa<arith::AddFOp, arith::AddIOp>(add))
    return nullptr;
  Value out = body->getArgument(2);
  if (add->getOperand(0) != out && add->getOperand(1) != out)
    return nullptr;
  Value product = add->getOperand(add->getOperand(0) == out ? 1 : 0);
  Operation *mul = product.getDefiningOp();
  if (!mul || !isa<arith::MulFOp, arith::MulIOp>(mul))
    return nullptr;
  std::optional<Factor> x = matchFactor(mul->getOperand(0), body);
  std::optional<Factor> y = matchFactor(mul->getOperand(1), body);
  if (!x || !y || x->argument + y->argument != 1)
    return nullptr;
  if (x->argument == 1)
    std::swap(x, y);
  std::string lhs = elementName(body->getArgument(0).getType(), x->isUnsigned);
  std::string rhs = elementName(body->getArgument(1).getType(), y->isUnsigned);
  std::string result = elementName(out.getType(), /*isUnsigned=*/false);
  if (lhs.empty() || rhs.empty() || result.empty())
    return nullptr;
  return findTypeTriple(lhs + rhs + result);
}

bool isZeroFill(Value value) {
  auto fill = value.getDefiningOp<linalg::FillOp>();
  return fill && (matchPattern(fill.value(), m_Zero()) ||
                  matchPattern(fill.value(), m_AnyZeroFloat()));
}

struct PackContractionsPass : impl::PackContractionsBase<PackContractionsPass> {
  using PackContractionsBase::PackContractionsBase;

  LogicalResult initialize(MLIRContext *context) override {
    auto parse = [&](StringRef text, TargetCpu &result) -> LogicalResult {
      llvm::Expected<TargetCpu> parsed = parseTargetCpu(text);
      if (!parsed)
        return emitError(UnknownLoc::get(context),
                         llvm::toString(parsed.takeError()));
      result = std::move(*parsed);
      return success();
    };
    if (failed(parse(target, cpu)))
      return failure();
    if (device.empty())
      return success();
    return parse(device, gpu.emplace());
  }

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> contractions;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (linalg::isaContractionOpInterface(op) && !op->hasAttr(kTileAttr))
        contractions.push_back(op);
    });
    for (linalg::LinalgOp op : contractions)
      if (failed(pack(op)))
        return signalPassFailure();
  }

  LogicalResult pack(linalg::LinalgOp op) {
    FailureOr<linalg::ContractionDimensions> dims =
        linalg::inferContractionDims(op);
    bool isMatmul = succeeded(dims) && dims->m.size() == 1 &&
                    dims->n.size() == 1 && dims->k.size() == 1 &&
                    dims->batch.size() + 3 == op.getNumLoops();
    const TypeTripleInfo *types = isMatmul ? matchTypes(op) : nullptr;
    if (!types) {
      op->emitRemark() << "lowered to plain loops: "
                       << (isMatmul ? "no tile function has these element types"
                                    : "not a matrix multiplication");
      return success();
    }
    auto extent = [&](unsigned loop) {
      int64_t size = op.getStaticLoopRanges()[loop];
      return ShapedType::isDynamic(size) ? -1 : size;
    };
    // Nothing to multiply: upstream erases the operation, and its result is
    // what it accumulates onto.
    if (extent(dims->m[0]) == 0 || extent(dims->n[0]) == 0 ||
        extent(dims->k[0]) == 0)
      return success();
    bool isForDevice = gpu && !isOnHost(op);
    TileKey key = isForDevice ? chooseDeviceTile(*types, extent(dims->m[0]),
                                                 extent(dims->n[0]), *gpu)
                              : chooseTile(*types, extent(dims->m[0]),
                                           extent(dims->n[0]), cpu);
    Attribute place = op->getAttr(kDeviceAttr);
    bool overwrites = isZeroFill(op.getDpsInits()[0]);

    linalg::BlockPackMatmulOptions options;
    options.blockFactors = {key.m0, key.n0, key.k0};
    IRRewriter rewriter(op);
    FailureOr<linalg::PackResult> packed = linalg::blockPackMatmul(
        rewriter, op,
        [&](linalg::LinalgOp) -> std::optional<linalg::BlockPackMatmulOptions> {
          return options;
        });
    if (failed(packed))
      return op->emitError("cannot be packed");
    Operation *contraction = packed->packedLinalgOp;
    // What packs for a contraction is done where that is.
    if (place)
      for (Operation *part : parts(*packed))
        part->setAttr(kDeviceAttr, place);
    contraction->setAttr(kTileAttr,
                         rewriter.getStringAttr(printTileKey(key, prefix)));
    if (!overwrites)
      return success();
    contraction->setAttr(kOverwriteAttr, rewriter.getUnitAttr());
    // The tile writes its zeros itself; the out operand needs only be there.
    linalg::PackOp outPack =
        contraction->getOperand(2).getDefiningOp<linalg::PackOp>();
    if (outPack)
      rewriter.replaceOp(outPack, outPack.getDest());
    return success();
  }

  /// The packed contraction, its packs and its unpack.
  static SmallVector<Operation *> parts(const linalg::PackResult &packed) {
    SmallVector<Operation *> ops{packed.packedLinalgOp};
    for (linalg::PackOp op : packed.packOps)
      ops.push_back(op);
    for (linalg::UnPackOp op : packed.unPackOps)
      ops.push_back(op);
    return ops;
  }

  TargetCpu cpu;
  std::optional<TargetCpu> gpu;
};

} // namespace
} // namespace tilewright
