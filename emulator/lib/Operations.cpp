// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding what an intrinsic does.

#include "Operations.h"
#include "MatrixInstructions.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tilewright::emulator {

static constexpr OperationRow barrier(const char *name, BarrierKind kind) {
  return {
      name,
      {OperationKind::Barrier, kind, nullptr, nullptr, nullptr, nullptr, 0}};
}

static constexpr OperationRow noEffect(const char *name) { return {name, {}}; }

/// Scheduling, and waiting for what the emulator does at once. LdsOrder.h has
/// the other waits.
static constexpr OperationRow kControl[] = {
    noEffect("sched.barrier"),
    noEffect("sched.group.barrier"),
    noEffect("iglp.opt"),
    noEffect("s.setprio"),
    noEffect("s.setprio.inc.wg"),
    noEffect("s.wait.storecnt"),
    noEffect("s.wait.kmcnt"),
    noEffect("s.wait.samplecnt"),
    noEffect("s.wait.bvhcnt"),
    noEffect("s.wait.expcnt"),
    noEffect("s.wait.tensorcnt"),
    noEffect("s.wait.event.export.ready"),
    noEffect("s.wait.event"),
    noEffect("s.nop"),
    noEffect("s.sleep"),
    noEffect("s.dcache.inv"),
    noEffect("s.dcache.wb"),
    noEffect("buffer.wbinvl1"),
    noEffect("s.prefetch.data"),
    noEffect("s.prefetch.inst"),
    noEffect("global.prefetch"),
    noEffect("flat.prefetch"),
    noEffect("s.setreg"),
    noEffect("asyncmark"),
    noEffect("wait.asyncmark"),
    barrier("s.barrier", BarrierKind::Whole),
    barrier("s.barrier.signal", BarrierKind::Signal),
    barrier("s.barrier.wait", BarrierKind::Wait),
};

static const StringMap<Operation> &operations() {
  static const StringMap<Operation> map = [] {
    StringMap<Operation> map;
    for (ArrayRef<OperationRow> rows :
         {ArrayRef<OperationRow>(kControl), identityOperations(),
          arithmeticOperations(), conversionOperations(), crossLaneOperations(),
          bufferOperations()})
      for (const OperationRow &row : rows)
        map[row.name] = row.operation;
    return map;
  }();
  return map;
}

Expected<Operation> findOperation(const CallBase &call, const Target &target) {
  const Function *callee = call.getCalledFunction();
  StringRef name = callee->getName();
  if (callee->getIntrinsicID() != Intrinsic::not_intrinsic)
    name = Intrinsic::getBaseName(callee->getIntrinsicID());
  name.consume_front("llvm.amdgcn.");
  if (auto at = operations().find(name); at != operations().end()) {
    bool named = at->second.barrier == BarrierKind::Signal ||
                 at->second.barrier == BarrierKind::Wait;
    if (named && !(isa<ConstantInt>(call.getArgOperand(0)) &&
                   cast<ConstantInt>(call.getArgOperand(0))->isMinusOne()))
      return createStringError(
          "emulator: " + callee->getName() +
          ": only the workgroup's barrier, -1, is emulated");
    return at->second;
  }
  if (name.starts_with("mfma.") || name.starts_with("wmma."))
    return findMatrixOperation(name, call, target);
  return createStringError("emulator: " + callee->getName() +
                           " is not emulated");
}

} // namespace tilewright::emulator
