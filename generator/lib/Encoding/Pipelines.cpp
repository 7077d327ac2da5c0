// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Encoding/Pipelines.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tilewright {
namespace {

struct DataTilingOptions : PassPipelineOptions<DataTilingOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("As tw-specialize-encodings"),
                             llvm::cl::init("none")};
  Option<std::string> device{*this, "device",
                             llvm::cl::desc("As tw-specialize-encodings")};
  Option<std::string> prefix{*this, "prefix",
                             llvm::cl::desc("As tw-specialize-encodings"),
                             llvm::cl::init("tw")};
};

} // namespace

void addVerified(OpPassManager &pm, std::unique_ptr<Pass> pass) {
  pm.addPass(std::move(pass));
  pm.addPass(createVerifyEncodings());
}

void addSpecializeAndMaterialize(OpPassManager &pm,
                                 const SpecializeEncodingsOptions &options) {
  addVerified(pm, createSpecializeEncodings(options));
  pm.addPass(createMaterializeEncodings());
  VerifyEncodingsOptions verify;
  verify.noneLeft = true;
  pm.addPass(createVerifyEncodings(verify));
}

void registerDataTilingPipeline() {
  PassPipelineRegistration<DataTilingOptions>(
      "tw-data-tiling",
      "Encodings of a function's contractions, set, made layouts of a device "
      "and materialised at once",
      [](OpPassManager &pm, const DataTilingOptions &options) {
        SetEncodingsOptions set;
        set.hasDevice = !options.device.empty();
        addVerified(pm, createSetEncodings(set));
        SpecializeEncodingsOptions specialize;
        specialize.target = options.target;
        specialize.device = options.device;
        specialize.prefix = options.prefix;
        addSpecializeAndMaterialize(pm, specialize);
      });
}

} // namespace tilewright
