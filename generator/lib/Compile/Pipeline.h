// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of each step, from a model on tensors to the LLVM dialect.

#ifndef TILEWRIGHT_LIB_COMPILE_PIPELINE_H
#define TILEWRIGHT_LIB_COMPILE_PIPELINE_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "tilewright/Compile/CompileModel.h"

namespace tilewright {

/// All dialects, interfaces and translations that the pipeline needs; `tune` as
/// registerDevices has it.
void registerModelDialects(mlir::DialectRegistry &registry,
                           const std::function<void(TargetCpu &)> &tune);

/// Whether the host multiplies by way of tw_contract_v8, which packs operands
/// block by block and takes convolutions too.
bool callsContractions(const ModelOptions &options);

/// Check, inline, make entry points, fuse elementwise operations.
void addModelStep(mlir::OpPassManager &pm, const ModelOptions &options);
/// Say which tensors are operands of contractions and, with DataTiling::Late,
/// what becomes one dispatch.
void addEncodeStep(mlir::OpPassManager &pm, const ModelOptions &options);
/// Pack contractions for tiles, constants at compile time; with a device, say
/// what is where.
void addPackStep(mlir::OpPassManager &pm, const ModelOptions &options);
/// What the CPU does becomes dispatches.
void addDispatchStep(mlir::OpPassManager &pm, const ModelOptions &options);
/// Tensors -> buffers that are freed.
void addBufferStep(mlir::OpPassManager &pm, const ModelOptions &options);
/// Work of the device becomes dispatches; tiles are called, everything else
/// becomes loops.
void addCallStep(mlir::OpPassManager &pm, const ModelOptions &options);
/// -> LLVM dialect.
void addLLVMStep(mlir::OpPassManager &pm, const ModelOptions &options);

/// Floats that arithmetic is not done in, but in f32, rounded by each
/// operation: `arith-emulate-unsupported-floats` takes these names.
llvm::SmallVector<std::string> narrowFloats();

/// What becomes of functions that LLVM has no intrinsic for: erf and the like.
enum class UnknownMath { Refused, CallLibm };

/// The end of an LLVM step, of hosts and devices: loops, buffers, arithmetic ->
/// LLVM dialect, functions with bare pointers.
void addConversionsToLLVM(mlir::OpPassManager &pm, UnknownMath unknown);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_PIPELINE_H
