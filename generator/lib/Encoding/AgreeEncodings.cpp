// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-agree-encodings: a rhs that several contractions take lies in one way.

#include "EncodedValues.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Matchers.h"
#include "tilewright/Encoding/PackOperand.h"
#include "tilewright/Encoding/Passes.h"
#include "tilewright/Encoding/Place.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_AGREEENCODINGS
#include "tilewright/Encoding/Passes.h.inc"

namespace {

/// What contractions have in common that may take one packed rhs: where it
/// comes from, a constant or a value, its type when it is encoded, the elements
/// of the contractions, what kinds of loops index it, and the device.
struct Rhs {
  const void *source;
  Type type;
  ArrayRef<Type> elements;
  SmallVector<char> kinds;
  tw::DeviceAttr device;

  bool operator==(const Rhs &other) const {
    return source == other.source && type == other.type &&
           elements == other.elements && kinds == other.kinds &&
           device == other.device;
  }
};

SmallVector<char> kindsOf(tw::EncodingAttr rhs) {
  tw::EncodingAttr::Loops loops = rhs.getLoops();
  SmallVector<char> kinds;
  for (AffineExpr result : rhs.getMap().getResults()) {
    unsigned loop = cast<AffineDimExpr>(result).getPosition();
    kinds.push_back(llvm::is_contained(loops.batch, loop) ? 'b'
                    : llvm::is_contained(loops.n, loop)   ? 'n'
                                                          : 'k');
  }
  return kinds;
}

class Agreement {
public:
  explicit Agreement(bool hostPacksBlocks) : hostPacksBlocks(hostPacksBlocks) {}

  LogicalResult note(linalg::GenericOp op) {
    FailureOr<bool> isContraction = isEncodedContraction(op);
    if (failed(isContraction) || !*isContraction)
      return LogicalResult(isContraction);
    auto set = op->getOperand(1).getDefiningOp<tw::SetEncodingOp>();
    if (!set || !isEncodedHere(op))
      return success();
    Value source = withoutReshapes(set.getSource());
    Attribute constant;
    const void *key = source.getAsOpaquePointer();
    if (matchPattern(source, m_Constant(&constant)))
      key = constant.getAsOpaquePointer();
    else if (auto kept = source.getDefiningOp<tw::KeptOp>())
      key = kept.getNumberAttr().getAsOpaquePointer();
    else if (isOnHost(op) && hostPacksBlocks)
      return success(); // packed by each while it multiplies
    tw::EncodingAttr encoding = encodingOf(set.getResult().getType());
    Rhs rhs{key, set.getSourceType(), encoding.getElementTypes(),
            kindsOf(encoding), deviceOf(op)};
    auto known = llvm::find_if(
        users, [&](const auto &entry) { return entry.first == rhs; });
    if (known == users.end())
      users.push_back({rhs, {op}});
    else
      known->second.push_back(op);
    return success();
  }

  void agree() {
    for (const auto &entry : users) {
      ArrayRef<linalg::GenericOp> ops = entry.second;
      auto encodingOfRhs = [](linalg::GenericOp op) {
        return encodingOf(op->getOperand(1).getType());
      };
      if (llvm::all_of(ops, [&](linalg::GenericOp op) {
            return encodingOfRhs(op) == encodingOfRhs(ops.front());
          }))
        continue;
      for (linalg::GenericOp op : ops)
        makeAnyM(op);
    }
  }

private:
  bool hostPacksBlocks;
  SmallVector<std::pair<Rhs, SmallVector<linalg::GenericOp>>> users;
};

struct AgreeEncodingsPass : impl::AgreeEncodingsBase<AgreeEncodingsPass> {
  using AgreeEncodingsBase::AgreeEncodingsBase;

  void runOnOperation() override {
    Agreement agreement(hostPacksBlocks);
    WalkResult walk = getOperation().walk(
        [&](linalg::GenericOp op) { return WalkResult(agreement.note(op)); });
    if (walk.wasInterrupted())
      return signalPassFailure();
    agreement.agree();
  }
};

} // namespace
} // namespace tilewright
