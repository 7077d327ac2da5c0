// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-keep-packed: what calls would pack first, and keep, is packed when an
// instance is made.

#include "../CheckVectors.h"
#include "../MakeEntryPoints.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/EntryNames.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Encoding/PackOperand.h"
#include "tilewright/status.h"
#include <set>
#include <tuple>

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_KEEPPACKED
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// What tells the panels of one matrix from others: where it is, as a constant
/// and its shape, how it lies, and the tile without M0.
using Panels = std::tuple<const void *, const void *, int64_t, int64_t, int64_t,
                          int, bool, int, int, int>;

struct KeepPackedPass : impl::KeepPackedBase<KeepPackedPass> {
  using KeepPackedBase::KeepPackedBase;

  void runOnOperation() override {
    if (!runOnce || (!hasInstance && !getOperation()->hasAttr(kStatesAttr)))
      return;
    seen.clear();
    SmallVector<tw::MatmulOp> kept;
    getOperation().walk([&](tw::MatmulOp op) {
      if (op.getRhsKept())
        kept.push_back(op);
    });
    if (kept.empty())
      return;
    FailureOr<func::FuncOp> once = bodyOfRunOnce();
    if (failed(once))
      return signalPassFailure();
    for (tw::MatmulOp op : kept)
      packOnce(op, *once);
  }

private:
  /// The function that makes what an instance keeps, which may be nothing yet.
  FailureOr<func::FuncOp> bodyOfRunOnce() {
    std::string body = (kRunOnce + kBodySuffix).str();
    auto find = [&] { return getOperation().lookupSymbol<func::FuncOp>(body); };
    if (func::FuncOp known = find())
      return known;
    Location loc = getOperation().getLoc();
    auto b = OpBuilder::atBlockEnd(getOperation().getBody());
    auto once =
        func::FuncOp::create(b, loc, kRunOnce, b.getFunctionType({}, {}));
    b.setInsertionPointToStart(once.addEntryBlock());
    func::ReturnOp::create(b, loc);
    checkVectors(once);
    if (failed(makeEntryPoint(once, /*describe=*/false)))
      return failure();
    return find();
  }

  void packOnce(tw::MatmulOp op, func::FuncOp once) {
    auto type = cast<RankedTensorType>(op.getRhs().getType());
    AffineMap map = op.getMaps()[1];
    auto dimOf = [&](unsigned loop) {
      return int64_t(
          *map.getResultPosition(getAffineDimExpr(loop, &getContext())));
    };
    int64_t n = dimOf(op.getNLoop()), k = dimOf(op.getFirstKLoop()),
            kDims = int64_t(op.getKLoops());
    // What has no elements is not multiplied by.
    Attribute constant;
    if (type.getNumElements() == 0 ||
        !matchPattern(withoutReshapes(op.getRhs()), m_Constant(&constant)))
      return;
    TileKey key = op.getKey();
    if (!seen.insert({constant.getAsOpaquePointer(), type.getAsOpaquePointer(),
                      n, k, kDims, int(key.types), key.n0Scalable, key.n0,
                      key.k0, int(key.isa)})
             .second)
      return;
    ImplicitLocOpBuilder b(op.getLoc(), once.getBody().front().getTerminator());
    Value matrix = bufferization::ToBufferOp::create(
        b, MemRefType::get(type.getShape(), type.getElementType()),
        copyOf(op.getRhs(), b), /*read_only=*/true);
    auto packed = tw::KeepPackedOp::create(b, b.getI1Type(), matrix,
                                           op.getTile(), n, k, kDims);
    placeOn(deviceOf(op), packed);
    auto check =
        cf::AssertOp::create(b, packed.getThere(), "memory for panels");
    check->setAttr(kStatusAttr, b.getI32IntegerAttr(TW_STATUS_OUT_OF_MEMORY));
  }

  /// The constant in `once`, shaped as there.
  static Value copyOf(Value rhs, ImplicitLocOpBuilder &b) {
    SmallVector<Operation *> chain = {rhs.getDefiningOp()};
    while (!chain.back()->hasTrait<OpTrait::ConstantLike>())
      chain.push_back(chain.back()->getOperand(0).getDefiningOp());
    IRMapping mapping;
    for (Operation *op : llvm::reverse(chain))
      b.clone(*op, mapping);
    return mapping.lookup(rhs);
  }

  std::set<Panels> seen;
};

} // namespace
} // namespace tilewright
