// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiler with a device that Tilewright does not know: it reads a model,
// lays its contractions out for that device, and prints what comes of it.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tilewright/Encoding/Device.h"
#include "tilewright/Encoding/Pipelines.h"

using namespace mlir;
using namespace tilewright;

namespace {

/// Made up: a matrix unit that multiplies 8 x 4 with 4 x 8 elements of f32. For
/// at most two rows it is used the other way round, with 32 columns.
struct MatrixUnit : Device {
  explicit MatrixUnit(StringRef prefix) : prefix(prefix) {}
  StringRef getName() const override { return "unit:8x8x4"; }

  std::optional<TiledContraction> tile(
      tw::EncodingAttr encoding) const override {
    // Loops over tensors as they lie: it has no tiles for other elements.
    for (Type element : encoding.getElementTypes())
      if (!element.isF32()) return std::nullopt;
    auto pick = [](const TypeTripleInfo& types, int64_t m, int64_t, bool anyM) {
      bool isNarrow = !anyM && m >= 0 && m <= 2;
      TileKey key;
      key.types = types.value;
      key.m0 = isNarrow ? 2 : 8;
      key.n0 = isNarrow ? 32 : 8;
      key.k0 = 4;
      key.isa = TW_ISA_GENERIC;  // None of Tilewright's tables.
      return key;
    };
    return tileContraction(encoding, pick, prefix);
  }

  // It moves whole pages, of 4096 bytes.
  AffineExpr storageBytes(RankedTensorType type,
                          llvm::ArrayRef<AffineExpr> sizes,
                          AffineExpr vscale) const override {
    return Device::storageBytes(type, sizes, vscale).ceilDiv(4096) * 4096;
  }
  std::string prefix;
};

struct MatrixUnits : DeviceProvider {
  using DeviceProvider::DeviceProvider;

  FailureOr<std::shared_ptr<const Device>> parseDevice(
      StringRef name, StringRef prefix,
      function_ref<InFlightDiagnostic()> emitError) const override {
    std::shared_ptr<const Device> device;
    if (name.consume_front("unit:")) {
      if (name != "8x8x4")
        return emitError() << "no matrix unit '" << name << "'; expected 8x8x4";
      device = std::make_shared<MatrixUnit>(prefix);
    }
    return device;  // Null: not one of these.
  }
};

/// All that is in it are its devices.
struct UnitDialect : Dialect {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UnitDialect)
  static constexpr llvm::StringLiteral getDialectNamespace() { return "unit"; }
  explicit UnitDialect(MLIRContext* context)
      : Dialect(getDialectNamespace(), context, TypeID::get<UnitDialect>()) {
    addInterfaces<MatrixUnits>();
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    llvm::errs() << "usage: own_device <model.mlir> <device>\n";
    return 2;
  }
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, func::FuncDialect,
                      linalg::LinalgDialect, tensor::TensorDialect,
                      tw::TwDialect, UnitDialect>();
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!module) return 1;

  PassManager pm(&context);
  AssignDevicesOptions devices;
  devices.devices = {argv[2]};
  pm.addPass(createAssignDevices(devices));
  OpPassManager& functions = pm.nest<func::FuncOp>();
  functions.addPass(createSetEncodings());
  functions.addPass(createFoldEncodings());
  addSpecializeAndMaterialize(functions, {});
  functions.addPass(createCanonicalizerPass());
  if (failed(pm.run(*module))) return 1;
  module->print(llvm::outs());
}
