// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device's side of a model in LLVM's IR: its kernels as a code object, and
// the data by which the host's side finds them.

#ifndef TILEWRIGHT_LIB_COMPILE_DEVICE_DEVICECODE_H
#define TILEWRIGHT_LIB_COMPILE_DEVICE_DEVICECODE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "tilewright/Compile/DeviceKernels.h"
#include "tilewright/Devices/TargetCpu.h"
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

/// One code object for `gpu` with the kernels of `kernels`, in the LLVM
/// dialect, and the workgroup kernels of `tiles`.
llvm::Expected<llvm::SmallVector<char, 0>>
emitCodeObject(mlir::ModuleOp kernels, llvm::ArrayRef<TileKey> tiles,
               llvm::ArrayRef<std::string> launched,
               const DeviceKernelOptions &options, const TargetCpu &gpu);

/// Defines the program's data (tw_hip_program_t) in the host's module: the code
/// object, the kernels' names and the constants, globals of `host` or, by
/// kConstantOffsetsAttr of `module`, in the file of parameters.
void defineProgram(mlir::ModuleOp module, llvm::Module &host,
                   llvm::ArrayRef<char> codeObject, const TargetCpu &gpu,
                   llvm::ArrayRef<std::string> kernels,
                   llvm::ArrayRef<std::string> constants);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_DEVICE_DEVICECODE_H
