// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Encoding/Pipelines.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tilewright {
namespace {

struct DataTilingOptions : PassPipelineOptions<DataTilingOptions> {
  ListOption<std::string> devices{*this, "devices",
                                  llvm::cl::desc("As tw-assign-devices")};
  Option<std::string> prefix{*this, "prefix",
                             llvm::cl::desc("As tw-specialize-encodings"),
                             llvm::cl::init("tw")};
};

} // namespace

void addVerified(OpPassManager &pm, std::unique_ptr<Pass> pass,
                 Encodings left) {
  pm.addPass(std::move(pass));
  VerifyEncodingsOptions verify;
  verify.noneLeft = left == Encodings::NoneLeft;
  pm.addPass(createVerifyEncodings(verify));
}

void addSpecializeAndMaterialize(OpPassManager &pm,
                                 const SpecializeEncodingsOptions &options) {
  addVerified(pm, createSpecializeEncodings(options));
  addVerified(pm, createMaterializeEncodings(), Encodings::NoneLeft);
}

void registerDataTilingPipeline() {
  PassPipelineRegistration<DataTilingOptions>(
      "tw-data-tiling",
      "Encodings of contractions, set, agreed upon, propagated, folded, made "
      "layouts of devices and materialised at once",
      [](OpPassManager &pm, const DataTilingOptions &options) {
        AssignDevicesOptions assign;
        llvm::append_range(assign.devices, options.devices);
        pm.addPass(createAssignDevices(assign));
        addVerified(pm.nest<func::FuncOp>(), createSetEncodings());
        pm.addPass(createAgreeEncodings());
        pm.addNestedPass<func::FuncOp>(createVerifyEncodings());
        pm.addPass(createPropagateEncodings());
        OpPassManager &funcs = pm.nest<func::FuncOp>();
        funcs.addPass(createVerifyEncodings());
        addVerified(funcs, createFoldEncodings());
        SpecializeEncodingsOptions specialize;
        specialize.prefix = options.prefix;
        addSpecializeAndMaterialize(funcs, specialize);
      });
}

} // namespace tilewright
