// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-declare-packs: arguments that are handed over packed have ids, and each id
// a function that packs.

#include "../CNames.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/EntryNames.h"
#include "tilewright/Compile/Passes.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_DECLAREPACKS
#include "tilewright/Compile/Passes.h.inc"

namespace {

struct DeclarePacksPass : impl::DeclarePacksBase<DeclarePacksPass> {
  using DeclarePacksBase::DeclarePacksBase;

  void runOnOperation() override {
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>())
      for (unsigned i = 0; i < func.getNumArguments(); ++i)
        if (func.getArgAttr(i, kPackedArgumentAttr) &&
            failed(identify(func, i)))
          return signalPassFailure();
    for (auto &[id, argument] : arguments)
      if (failed(declare(id, argument.first, argument.second)))
        return signalPassFailure();
  }

private:
  InFlightDiagnostic refuse(func::FuncOp func, unsigned index) {
    return func.emitError() << "argument " << index << " of '" << func.getName()
                            << "' is to be handed over packed, but ";
  }

  static std::string nameOf(func::FuncOp func, unsigned index) {
    auto name = func.getArgAttrOfType<StringAttr>(index, kNameAttr);
    return name ? name.str() : "arg" + std::to_string(index);
  }

  /// Its id is what the attribute says, or names function and argument.
  LogicalResult identify(func::FuncOp func, unsigned index) {
    if (!rowMajorBecause.empty())
      return refuse(func, index) << rowMajorBecause;
    if (!func.isPublic() || func.isExternal())
      return refuse(func, index)
             << "nothing of C calls a private function; expected the argument "
                "of a public one";
    if (!isa<RankedTensorType>(func.getArgument(index).getType()))
      return refuse(func, index) << "it is no ranked tensor, but "
                                 << func.getArgument(index).getType();
    Attribute said = func.getArgAttr(index, kPackedArgumentAttr);
    auto id = dyn_cast<StringAttr>(said);
    if (isa<UnitAttr>(said))
      id = StringAttr::get(&getContext(),
                           (func.getName() + "_" + nameOf(func, index)).str());
    if (!id || !isCName(id.getValue()))
      return refuse(func, index)
             << "tw.packed is " << said
             << "; expected nothing, or a string that begins the names of "
                "functions of C";
    func.setArgAttr(index, kPackedArgumentAttr, id);
    auto [known, isNew] = arguments.insert({id, {func, index}});
    Type type = func.getArgument(index).getType();
    func::FuncOp other = known->second.first;
    unsigned otherIndex = known->second.second;
    Type otherType = other.getArgument(otherIndex).getType();
    if (type != otherType)
      return refuse(func, index)
             << "has the type " << type << " where argument " << otherIndex
             << " of '" << other.getName() << "', with the same id '"
             << id.getValue() << "', has " << otherType
             << "; expected one type, or other ids";
    return success();
  }

  /// A function of the model that returns what it is given; how that lies,
  /// tw-take-packed knows.
  LogicalResult declare(StringAttr id, func::FuncOp func, unsigned index) {
    for (StringRef suffix : {kPackSuffix, kPackedBytesSuffix})
      if (getOperation().lookupSymbol((id.getValue() + suffix).str()))
        return func.emitError("the model has a function '")
               << id.getValue() << suffix
               << "', which the header needs for argument " << index << " of '"
               << func.getName() << "'; give the function another name, or the "
               << "argument another id, tw.packed = \"...\"";
    ImplicitLocOpBuilder b(func.getLoc(), &getContext());
    b.setInsertionPointToEnd(getOperation().getBody());
    Type type = func.getArgument(index).getType();
    auto pack = func::FuncOp::create(b, (id.getValue() + kPackSuffix).str(),
                                     b.getFunctionType({type}, {type}));
    pack->setAttr(kPacksAttr, id);
    pack.setArgAttr(0, kNameAttr, b.getStringAttr("row_major"));
    b.setInsertionPointToStart(pack.addEntryBlock());
    func::ReturnOp::create(b, pack.getArguments());
    return success();
  }

  /// The first of each id.
  llvm::MapVector<StringAttr, std::pair<func::FuncOp, unsigned>> arguments;
};

} // namespace
} // namespace tilewright
