// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices' side of a model in LLVM's IR: its kernels as code objects, and
// the data by which the host's side finds them.

#ifndef TILEWRIGHT_LIB_COMPILE_DEVICE_DEVICECODE_H
#define TILEWRIGHT_LIB_COMPILE_DEVICE_DEVICECODE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "tilewright/Compile/CompileModel.h"
#include "tilewright/Compile/DeviceKernels.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace tilewright {

/// The kernels that tw-form-dispatches makes -> the LLVM dialect. Mathematics
/// that the device has no instructions for is approximated in f32; what has no
/// answer then is an error that names it.
void addDeviceLLVMStep(mlir::OpPassManager &pm);

/// The names of the attribute's strings.
std::vector<std::string> namesOf(mlir::Operation *op, llvm::StringRef attr);

/// A code object, and what is launched of it.
struct EmittedCode {
  CodeObject description;
  std::string gfx; ///< "gfx942"
  llvm::SmallVector<char, 0> bytes;
  std::vector<std::string> remarks; ///< kernels that spill
};

/// The nested modules of kernels that tw-form-dispatches makes.
llvm::SmallVector<mlir::ModuleOp> kernelModulesOf(mlir::ModuleOp module);

/// The code object of one, in the LLVM dialect, with the workgroup kernels of
/// those of `tiles` that are for its target.
llvm::Expected<EmittedCode> emitCodeObject(mlir::ModuleOp kernels,
                                           llvm::ArrayRef<TileKey> tiles,
                                           const DeviceKernelOptions &options);

/// A file holds one.
llvm::Error checkOneCodeObject(llvm::ArrayRef<EmittedCode> code);

/// Defines the data of the devices' programs (tw_hip_program_t) in the host's
/// module: of each the code object of its target, the kernels' names and the
/// constants, globals of `host` or, by kConstantOffsetsAttr of `module`, in the
/// file of parameters.
void definePrograms(mlir::ModuleOp module, llvm::Module &host,
                    llvm::ArrayRef<EmittedCode> code);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_DEVICE_DEVICECODE_H
