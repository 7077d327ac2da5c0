// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mlir-opt with Tilewright's passes: for tests and for looking at one step.

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "tilewright/Compile/Passes.h"
#include "tilewright/Devices/Devices.h"
#include "tilewright/Dialect/Passes.h"
#include "tilewright/Encoding/Pipelines.h"
#include "tilewright/Support/Activity.h"
#include "tilewright/Support/Supervise.h"
#include "tilewright/Target/Amdgpu/Passes.h"
#include "tilewright/Transforms/Passes.h"
#include "tilewright/Transforms/Pipelines.h"

int main(int argc, char **argv) {
  tilewright::supervise("tw-opt", argc, argv);
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  registry.insert<tilewright::tw::TwDialect>();
  tilewright::registerPackBufferization(registry);
  tilewright::registerDevices(registry);
  tilewright::registerTilewrightCompilePasses();
  tilewright::registerHoistEncodingsPipeline();
  tilewright::registerTilewrightDialectPasses();
  tilewright::registerTilewrightEncodingPasses();
  tilewright::registerDataTilingPipeline();
  tilewright::registerTilewrightAmdgpuWorkgroupPasses();
  tilewright::registerTilewrightTransformsPasses();
  tilewright::registerTilewrightPipelines();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "Tilewright's and upstream's passes\n", registry);
  tilewright::WorkingOnInput working(input, "running passes over it");
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, input, output, registry));
}
