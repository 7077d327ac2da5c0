// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-place-kept: what an instance keeps, as globals, in memory of the host or
// of devices. tw-load-kept: where those of the host are in its memory.

#include "ThreadedPointer.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/instance.h"

using namespace mlir;

namespace tilewright {

#define GEN_PASS_DEF_PLACEKEPT
#define GEN_PASS_DEF_LOADKEPT
#include "tilewright/Compile/Passes.h.inc"

namespace {

struct PlaceKeptPass : impl::PlaceKeptBase<PlaceKeptPass> {
  void runOnOperation() override {
    globals.clear();
    SmallVector<tw::KeepOp> keeps;
    SmallVector<tw::KeptOp> loads;
    getOperation().walk([&](tw::KeepOp op) { keeps.push_back(op); });
    getOperation().walk([&](tw::KeptOp op) { loads.push_back(op); });
    auto first = OpBuilder::atBlockBegin(getOperation().getBody());
    for (tw::KeepOp keep : keeps)
      if (failed(write(keep, first)))
        return signalPassFailure();
    for (tw::KeptOp load : loads)
      if (failed(read(load)))
        return signalPassFailure();
  }

private:
  /// Its global is where `place` is.
  LogicalResult write(tw::KeepOp keep, OpBuilder &place) {
    auto type = cast<RankedTensorType>(keep.getValue().getType());
    int64_t space = keep.getMemorySpace();
    auto buffer = MemRefType::get(
        type.getShape(), type.getElementType(), MemRefLayoutAttrInterface(),
        space ? place.getI64IntegerAttr(space) : nullptr);
    std::string name = "tw.kept." + std::to_string(keep.getNumber());
    if (space)
      name += "." + std::to_string(space);
    memref::GlobalOp &global = globals[{keep.getNumber(), space}];
    if (global)
      return keep.emitOpError() << "has the number of another";
    global = memref::GlobalOp::create(
        place, keep.getLoc(), name, place.getStringAttr("private"), buffer,
        /*initial_value=*/place.getUnitAttr(), /*constant=*/false,
        /*alignment=*/nullptr);
    global->setAttr(kKeptAttr, place.getUnitAttr());
    // At the beginning: what computes it may write it there at once.
    auto func = keep->getParentOfType<func::FuncOp>();
    if (space)
      func->setAttr(kKeepsOnDevicesAttr, place.getUnitAttr());
    auto b = ImplicitLocOpBuilder::atBlockBegin(keep.getLoc(),
                                                &func.getBody().front());
    Value memory = memref::GetGlobalOp::create(b, buffer, name);
    // At the end: what is computed of it may not overwrite it there.
    b.setInsertionPoint(keep->getBlock()->getTerminator());
    auto copy = bufferization::MaterializeInDestinationOp::create(
        b, keep.getValue(), memory);
    copy.setRestrict(true);
    copy.setWritable(true);
    keep.erase();
    return success();
  }

  LogicalResult read(tw::KeptOp load) {
    memref::GlobalOp global =
        globals.lookup({load.getNumber(), load.getMemorySpace()});
    auto type = cast<RankedTensorType>(load.getType());
    if (!global || global.getType().getShape() != type.getShape() ||
        global.getType().getElementType() != type.getElementType())
      return load.emitOpError()
             << "reads what no tw.keep of its type gives under the number "
             << load.getNumber() << " in memory space "
             << load.getMemorySpace();
    ImplicitLocOpBuilder b(load.getLoc(), load);
    Value memory =
        memref::GetGlobalOp::create(b, global.getType(), global.getSymName());
    load.replaceAllUsesWith(
        bufferization::ToTensorOp::create(b, type, memory, /*restrict=*/true,
                                          /*writable=*/false)
            .getResult());
    load.erase();
    return success();
  }

  /// By number and memory space.
  llvm::DenseMap<std::pair<int64_t, int64_t>, memref::GlobalOp> globals;
};

struct LoadKeptPass : impl::LoadKeptBase<LoadKeptPass> {
  void runOnOperation() override {
    llvm::StringMap<int64_t> offsets;
    SmallVector<memref::GlobalOp> globals;
    int64_t bytes = 0;
    SmallVector<NamedAttribute> onDevices;
    Builder b(&getContext());
    for (auto global : getOperation().getOps<memref::GlobalOp>())
      if (global->hasAttr(kKeptAttr)) {
        globals.push_back(global);
        if (auto device = global->getAttrOfType<StringAttr>(kKeptByAttr))
          onDevices.emplace_back(
              device,
              b.getDenseI64ArrayAttr(
                  {bytes, global->getAttrOfType<IntegerAttr>(kKeptByBytesAttr)
                              .getInt()}));
        offsets[global.getSymName()] = bytes;
        bytes = llvm::alignTo(bytes + bytesInMemory(global.getType(), global),
                              TW_PARAMETERS_ALIGNMENT);
      }
    if (globals.empty())
      return;
    ThreadedPointer pointer(getOperation());
    SmallVector<memref::GetGlobalOp> loads;
    getOperation().walk([&](memref::GetGlobalOp load) {
      if (offsets.contains(load.getName()))
        loads.push_back(load);
    });
    for (memref::GetGlobalOp load : loads)
      pointer.replace(load, offsets[load.getName()]);
    for (func::FuncOp func : pointer.functions())
      func->setAttr(kKeptPointerAttr, b.getUnitAttr());
    for (memref::GlobalOp global : globals)
      global.erase();
    getOperation()->setAttr(kKeptBytesAttr, b.getI64IntegerAttr(bytes));
    if (!onDevices.empty())
      getOperation()->setAttr(kKeptOnDevicesAttr,
                              b.getDictionaryAttr(onDevices));
  }
};

} // namespace
} // namespace tilewright
