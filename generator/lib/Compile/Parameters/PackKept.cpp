// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-pack-kept: what an instance keeps is packed when it is made.

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Encoding/JoinElements.h"
#include "tilewright/Encoding/PackChain.h"
#include "tilewright/Encoding/PackOperand.h"
#include <array>
#include <map>

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_PACKKEPT
#include "tilewright/Compile/Passes.h.inc"

namespace {

struct PackKeptPass : impl::PackKeptBase<PackKeptPass> {
  void runOnOperation() override {
    keeps.clear();
    packed.clear();
    getOperation().walk(
        [&](tw::KeepOp op) { keeps.try_emplace(op.getNumber(), op); });
    if (keeps.empty())
      return;
    SmallVector<linalg::PackOp> packs;
    getOperation().walk([&](linalg::PackOp op) { packs.push_back(op); });
    for (linalg::PackOp op : packs)
      if (failed(pack(op)))
        return signalPassFailure();
    eraseUnread();
  }

private:
  LogicalResult pack(linalg::PackOp op) {
    std::optional<JoinedElements> joined = JoinedElements::of(op.getSource());
    Value elements = joined ? joined->source : op.getSource();
    auto kept = withoutReshapes(elements).getDefiningOp<tw::KeptOp>();
    Attribute padding;
    // The length of vectors is known to calls alone.
    if (!kept || !op.getDestType().hasStaticShape() ||
        (op.getPaddingValue() &&
         !matchPattern(op.getPaddingValue(), m_Constant(&padding))))
      return success();
    auto keep = keeps.find(kept.getNumber());
    if (keep == keeps.end())
      return kept.emitOpError() << "reads what no tw.keep gives";
    PackChain chain = PackChain::startingAt(op);
    auto [known, isNew] =
        packed.try_emplace({kept.getNumberAttr().getAsOpaquePointer(),
                            op.getSourceType().getAsOpaquePointer(),
                            chain.getType().getAsOpaquePointer(),
                            op->getAttrDictionary().getAsOpaquePointer(),
                            padding.getAsOpaquePointer()},
                           int64_t(keeps.rbegin()->first + 1));
    if (isNew)
      keeps.emplace(known->second,
                    packOnce(chain, keep->second, known->second));
    auto func = op->getParentOfType<func::FuncOp>();
    auto b = OpBuilder::atBlockBegin(&func.getBody().front());
    auto read =
        tw::KeptOp::create(b, kept.getLoc(), chain.getType(), known->second);
    placeLike(read, op);
    chain.replaceBy(read);
    if (joined && joined->op->use_empty())
      joined->op->erase();
    return success();
  }

  /// Has what `keep` keeps be packed as `chain` does, and kept under `number`.
  static tw::KeepOp packOnce(const PackChain &chain, tw::KeepOp keep,
                             int64_t number) {
    linalg::PackOp op = chain.pack;
    ImplicitLocOpBuilder b(op.getLoc(), keep);
    IRMapping mapping;
    std::optional<JoinedElements> joined = JoinedElements::of(op.getSource());
    SmallVector<Operation *> reshapes;
    Value source = joined ? joined->source : op.getSource();
    for (; !source.getDefiningOp<tw::KeptOp>();
         source = source.getDefiningOp()->getOperand(0))
      reshapes.push_back(source.getDefiningOp());
    mapping.map(source, keep.getValue());
    for (Operation *reshape : llvm::reverse(reshapes))
      b.clone(*reshape, mapping);
    if (joined)
      mapping.map(op.getSource(),
                  joinElements(b, mapping.lookup(joined->source), joined->dim));
    if (Value padding = op.getPaddingValue())
      b.clone(*padding.getDefiningOp(), mapping);
    auto mapDest = [&](DestinationStyleOpInterface writer) {
      Value dest = writer.getDpsInits().front();
      auto type = cast<RankedTensorType>(dest.getType());
      mapping.map(dest, tensor::EmptyOp::create(b, type.getShape(),
                                                type.getElementType())
                            .getResult());
    };
    mapDest(op);
    Operation *copy = b.clone(*op, mapping);
    for (Operation *next : chain.behind) {
      if (auto writer = dyn_cast<DestinationStyleOpInterface>(next))
        mapDest(writer);
      copy = b.clone(*next, mapping);
    }
    return tw::KeepOp::create(b, keep.getLoc(), number, copy->getResult(0),
                              keep.getOperations(), keep.getBytesRead());
  }

  /// Of what is read packed alone, only that is kept.
  void eraseUnread() {
    llvm::DenseSet<int64_t> read;
    SmallVector<tw::KeptOp> unused;
    getOperation().walk([&](tw::KeptOp op) {
      if (isRead(op))
        read.insert(op.getNumber());
    });
    for (auto &[number, keep] : keeps)
      if (!read.contains(number))
        keep.erase();
  }

  /// Reshapes of what was packed are left.
  static bool isRead(Operation *op) {
    return llvm::any_of(op->getUsers(), [](Operation *user) {
      return !isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user) ||
             isRead(user);
    });
  }

  std::map<int64_t, tw::KeepOp> keeps; ///< by number
  /// The number by the one that is packed, its shape and the packed one, how it
  /// is packed, and padding.
  std::map<std::array<const void *, 5>, int64_t> packed;
};

} // namespace
} // namespace tilewright
