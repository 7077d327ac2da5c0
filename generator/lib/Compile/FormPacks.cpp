// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-form-packs: packs and unpacks by functions with names.

#include "DeviceTargets.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Dialect/TwDialect.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_FORMPACKS
#include "tilewright/Compile/Passes.h.inc"

namespace {

/// Of the instruction sets with the longest vectors of fixed length the one
/// that asks for least.
tw_isa_t isaForPacks(const TargetCpu &cpu) {
  const IsaInfo *chosen = nullptr;
  for (tw_isa_t each : cpu.isas) {
    const IsaInfo &isa = info(each);
    bool isLeft =
        isa.scaling == TW_SCALING_NONE && (each != TW_ISA_GENERIC || !chosen);
    if (isLeft && (!chosen || isa.vectorBits >= chosen->vectorBits))
      chosen = &isa;
  }
  return chosen->isa;
}

template <typename Op> PackedForm formOf(Op op, int64_t rank) {
  PackedForm form{llvm::to_vector(op.getOuterDimsPerm()),
                  llvm::to_vector(op.getInnerDimsPos()),
                  llvm::to_vector(op.getStaticInnerTiles())};
  // The identity is left out.
  if (form.outerDims.empty())
    form.outerDims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  return form;
}

struct FormPacksPass : impl::FormPacksBase<FormPacksPass> {
  using FormPacksBase::FormPacksBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<linalg::PackOp, linalg::UnPackOp>(op) && isOnHost(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (auto pack = dyn_cast<linalg::PackOp>(op))
        form(pack);
      else
        form(cast<linalg::UnPackOp>(op));
  }

  void form(linalg::PackOp op) {
    PackedForm form = formOf(op, op.getSourceRank());
    std::string name = functionOf(op, form, /*unpack=*/false);
    if (name.empty())
      return;
    OpBuilder b(op);
    replace(op, tw::PackOp::create(b, op.getLoc(), op.getDest().getType(),
                                   op.getSource(), op.getPaddingValue(),
                                   op.getDest(), name, form.outerDims,
                                   form.innerDims));
  }

  void form(linalg::UnPackOp op) {
    PackedForm form = formOf(op, op.getDestRank());
    std::string name = functionOf(op, form, /*unpack=*/true);
    if (name.empty())
      return;
    OpBuilder b(op);
    replace(op, tw::UnPackOp::create(b, op.getLoc(), op.getDest().getType(),
                                     op.getSource(), op.getDest(), name,
                                     form.outerDims, form.innerDims));
  }

  static void replace(Operation *op, Operation *by) {
    placeLike(by, op);
    op->replaceAllUsesWith(by);
    op->erase();
  }

  /// Empty, with a remark, if there is none.
  template <typename Op>
  std::string functionOf(Op op, const PackedForm &form, bool unpack) {
    Type element = getElementTypeOrSelf(op.getSource().getType());
    std::string whyNot;
    std::optional<PackLayout> layout = packLayoutOf(form, whyNot);
    if (layout) {
      PackKey key = packKeyOf(*layout, unpack, tw::bitsInMemory(element),
                              isaForPacks(targets.of(op)));
      whyNot = validatePackKey(key);
      if (whyNot.empty())
        return printPackKey(key, prefix);
    }
    op->emitRemark() << "lowered to plain loops: no pack function does this, "
                     << "for " << whyNot;
    return {};
  }

  DeviceTargets targets;
};

} // namespace
} // namespace tilewright
