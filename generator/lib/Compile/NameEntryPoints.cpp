// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-name-entry-points: names of public functions that C can declare.

#include "CNames.h"
#include "tilewright/Compile/Passes.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_NAMEENTRYPOINTS
#include "tilewright/Compile/Passes.h.inc"

namespace {

struct NameEntryPointsPass : impl::NameEntryPointsBase<NameEntryPointsPass> {
  void runOnOperation() override {
    StringRef model = getOperation().getName().value_or("model");
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>()) {
      if (!func.isPublic())
        continue;
      std::string name = cFunctionName(func.getName(), model);
      if (name == func.getName())
        continue;
      while (getOperation().lookupSymbol(name))
        name += '_';
      auto renamed = StringAttr::get(&getContext(), name);
      if (failed(
              SymbolTable::replaceAllSymbolUses(func, renamed, getOperation())))
        return signalPassFailure();
      func.setName(renamed);
    }
  }
};

} // namespace
} // namespace tilewright
