// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Dialect/TwDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright::tw;

#include "tilewright/Dialect/TwDialect.cpp.inc"
#include "tilewright/Dialect/TwEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tilewright/Dialect/TwAttributes.cpp.inc"

/// A stage's bare keyword.
static ParseResult parseStage(OpAsmParser &parser, StageAttr &stage) {
  StringRef keyword;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Stage> value = symbolizeStage(keyword);
  if (!value)
    return parser.emitError(where) << "there is no stage '" << keyword
                                   << "'; expected read, compute or write";
  stage = StageAttr::get(parser.getContext(), *value);
  return success();
}

static void printStage(OpAsmPrinter &printer, Operation *, StageAttr stage) {
  printer << stringifyStage(stage.getValue());
}

#define GET_OP_CLASSES
#include "tilewright/Dialect/TwOps.cpp.inc"

namespace {

/// Encodings are long, and each stands in many types.
struct Aliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    if (auto encoding = dyn_cast<EncodingAttr>(attribute))
      os << stringifyOperand(encoding.getOperand());
    else if (isa<LayoutAttr>(attribute))
      os << "layout";
    else
      return AliasResult::NoAlias;
    return AliasResult::OverridableAlias;
  }
};

} // namespace

void TwDialect::initialize() {
  addInterfaces<Aliases>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tilewright/Dialect/TwAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tilewright/Dialect/TwOps.cpp.inc"
      >();
}

/// Sizes that are known are numbers.
Operation *TwDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

LogicalResult
GroupAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                  Instructions, unsigned count) {
  if (count == 0)
    return emitError() << "a group of no instructions";
  return success();
}

LogicalResult StageBoundaryOp::verify() {
  if (std::optional<uint32_t> priority = getPriority(); priority > 3)
    return emitOpError("priority ") << *priority << " is not in 0..3";
  if (getAllow() && getInterleave())
    return emitOpError("'interleave' orders the stage's instructions, which "
                       "'allow' lets leave the stage: one of them");
  return success();
}

LogicalResult AwaitReadsOp::verify() {
  if (static_cast<int32_t>(getPending()) < 0)
    return emitOpError("expected a number of pending reads >= 0");
  return success();
}

namespace {

LogicalResult verifyBoundaries(Operation *op, Attribute attribute) {
  auto boundaries = dyn_cast<DictionaryAttr>(attribute);
  if (!boundaries)
    return op->emitError() << kBoundaries << ": expected a dictionary";
  for (NamedAttribute boundary : boundaries) {
    StringRef stage = boundary.getName();
    if (stage != "read" && stage != "compute")
      return op->emitError() << kBoundaries << ": boundaries are after read "
                             << "and compute, not '" << stage << "'";
    auto controls = dyn_cast<DictionaryAttr>(boundary.getValue());
    if (!controls)
      return op->emitError() << kBoundaries << ": expected the attributes of "
                             << "the boundary after " << stage;
    for (NamedAttribute control : controls)
      if (!llvm::is_contained({"allow", "interleave", "priority"},
                              control.getName().getValue()))
        return op->emitError()
               << kBoundaries << ": a boundary has allow, interleave and "
               << "priority, not '" << control.getName().getValue() << "'";
  }
  return success();
}

} // namespace

SmallVector<DeviceAttr> tilewright::tw::devicesOf(Operation *op) {
  // While it is parsed, the module is in another one.
  ArrayAttr all;
  for (; op; op = op->getParentOp())
    if (isa<ModuleOp>(op))
      if (auto here = op->getAttrOfType<ArrayAttr>(kDevices))
        all = here;
  SmallVector<DeviceAttr> devices;
  if (all)
    llvm::append_range(devices, all.getAsRange<DeviceAttr>());
  return devices;
}

LogicalResult tilewright::tw::verifyDevice(Operation *op, Attribute name) {
  SmallVector<DeviceAttr> known = devicesOf(op);
  if (auto text = dyn_cast<StringAttr>(name);
      text && llvm::any_of(known, [&](DeviceAttr device) {
        return device.getName() == text.getValue();
      }))
    return success();
  InFlightDiagnostic error = op->emitError()
                             << "has " << kDevice << " = " << name
                             << "; the model's devices are ";
  llvm::interleaveComma(known, error, [&](DeviceAttr device) {
    error << '"' << device.getName() << "\" (" << device.getTarget() << ")";
  });
  return error;
}

LogicalResult TwDialect::verifyOperationAttribute(Operation *op,
                                                  NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kStage)
    return isa<StageAttr>(attribute.getValue())
               ? success()
               : op->emitError() << kStage << ": expected #tw.stage<...>";
  if (name == kDevices) {
    auto devices = dyn_cast<ArrayAttr>(attribute.getValue());
    return devices && llvm::all_of(devices, llvm::IsaPred<DeviceAttr>)
               ? success()
               : op->emitError()
                     << name << ": expected an array of #tw.device<...>";
  }
  if (name == kDevice) // of devices that are not known yet: tw-assign-devices
    return devicesOf(op).empty() ? success()
                                 : verifyDevice(op, attribute.getValue());
  if (name == kTile)
    return verifyTile(op, attribute.getValue());
  if (name == kWorkgroupMemory)
    return isa<gpu::BarrierOp>(op)
               ? success()
               : op->emitError() << name << " is for gpu.barrier";
  if (!llvm::is_contained({kStages, kBuffers, kBoundaries, kSkew}, name))
    return success(); // the model compiler's (Compile/Passes.h)
  if (!isa<scf::ForOp>(op))
    return op->emitError() << name << " is for scf.for";
  if (name == kBoundaries)
    return verifyBoundaries(op, attribute.getValue());
  if (name == kSkew)
    return isa<UnitAttr>(attribute.getValue())
               ? success()
               : op->emitError() << kSkew << ": expected a unit attribute";
  return isa<IntegerAttr>(attribute.getValue())
             ? success()
             : op->emitError() << name << ": expected an integer";
}
