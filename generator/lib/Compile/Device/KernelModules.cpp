// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelModules.h"

#include "ElementKernels.h"
#include "TileEpilogue.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/OperationSupport.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Dialect/TwDialect.h"

using namespace mlir;

namespace tilewright {
namespace {

/// Whether they differ in their names only.
bool areEqual(func::FuncOp x, func::FuncOp y) {
  auto attributesOf = [](func::FuncOp func) {
    NamedAttrList attributes(func->getAttrDictionary());
    attributes.erase(func.getSymNameAttrName());
    return attributes.getDictionary(func.getContext());
  };
  return attributesOf(x) == attributesOf(y) &&
         OperationEquivalence::isRegionEquivalentTo(
             &x.getBody(), &y.getBody(), OperationEquivalence::IgnoreLocations);
}

} // namespace

bool isWork(Operation *op) { return isa<tw::Mmt4dOp, linalg::LinalgOp>(op); }

void useGlobalMemory(Operation *op) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](MemRefType type) -> Type {
    if (type.getMemorySpaceAsInt() == 0)
      return type;
    auto space = IntegerAttr::get(IntegerType::get(type.getContext(), 64),
                                  kGlobalMemorySpace);
    return MemRefType::get(type.getShape(), type.getElementType(),
                           type.getLayout(), space);
  });
  replacer.recursivelyReplaceElementsIn(op, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

KernelModules::KernelModules(ModuleOp module) {
  OpBuilder b(module.getBody(), module.getBody()->end());
  for (tw::DeviceAttr device : devicesWithMemoryOf(module)) {
    StringAttr target = b.getStringAttr(device.getTarget());
    if (modules.contains(target))
      continue;
    std::string name = kKernelsModule.str();
    if (!modules.empty())
      name += "_" + std::to_string(modules.size());
    auto kernels = ModuleOp::create(b, module.getLoc(), name);
    kernels->setAttr(kTargetAttr, target);
    modules[target] = kernels;
  }
}

LogicalResult KernelModules::add(func::FuncOp dispatch) {
  SmallVector<Operation *> work;
  for (Operation &op : dispatch.getBody().front().without_terminator()) {
    if (isWork(&op))
      work.push_back(&op);
    else if (!isPure(&op) || op.getNumRegions())
      return op.emitOpError() << "in '" << dispatch.getName()
                              << "' cannot be done on the device";
  }
  bool hasTile = llvm::any_of(work, llvm::IsaPred<tw::Mmt4dOp>);
  bool hasEpilogue = work.size() == 2 && isa<tw::Mmt4dOp>(work.front()) &&
                     tileEpilogueLoops(work.back());
  if (work.empty() || (hasTile && work.size() > 1 && !hasEpilogue))
    return dispatch.emitError()
           << "'" << dispatch.getName() << "' is nothing that one kernel does";
  if (hasTile && !hasEpilogue)
    return success();
  StringAttr target =
      StringAttr::get(dispatch.getContext(), deviceOf(dispatch).getTarget());
  ModuleOp kernels = modules[target];
  SmallVector<func::FuncOp> known(kernels.getOps<func::FuncOp>());
  if (failed(makeElementKernel(dispatch, kernels)))
    return failure();
  auto made = cast<func::FuncOp>(kernels.getBody()->back());
  useGlobalMemory(made);
  for (func::FuncOp other : known)
    if (areEqual(other, made)) {
      names[dispatch] = other.getSymNameAttr().getValue();
      made.erase();
      return success();
    }
  names[dispatch] = made.getSymNameAttr().getValue();
  return success();
}

StringRef KernelModules::nameOf(func::FuncOp dispatch) const {
  return names.at(dispatch);
}

void KernelModules::finish(HostProgram &program) {
  for (auto [target, kernels] : modules)
    kernels->setAttr(kKernelsAttr, program.kernelsOf(target));
}

} // namespace tilewright
