// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect `tw`, its passes, data tiling and the devices that Tilewright has
// tiles for, for mlir-opt: --load-dialect-plugin and --load-pass-plugin.

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "tilewright/Devices/Devices.h"
#include "tilewright/Dialect/Passes.h"
#include "tilewright/Encoding/Pipelines.h"

namespace {

constexpr char kName[] = "tilewright_encodings";

void registerDialect(mlir::DialectRegistry *registry) {
  registry->insert<tilewright::tw::TwDialect>();
  tilewright::registerDevices(*registry);
}

void registerPasses() {
  tilewright::registerTilewrightDialectPasses();
  tilewright::registerTilewrightEncodingPasses();
  tilewright::registerDataTilingPipeline();
}

} // namespace

mlir::DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, kName, TILEWRIGHT_VERSION, registerDialect};
}

mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, kName, TILEWRIGHT_VERSION, registerPasses};
}
