// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's side of dispatches: calls of tilewright_hip (ukernels/hip/
// program.h) in a module of functions on buffers.

#ifndef TILEWRIGHT_LIB_COMPILE_DEVICE_HOSTPROGRAM_H
#define TILEWRIGHT_LIB_COMPILE_DEVICE_HOSTPROGRAM_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright {

/// The program's data, a tw_hip_program_t, defined once the kernels are
/// compiled.
inline constexpr llvm::StringLiteral kProgramSymbol = "tw_hip_program";

/// Of a workgroup: work-items, and bytes of LDS beside what the kernel has.
struct LaunchShape {
  int64_t block, dynamicLds;
};

class HostProgram {
public:
  explicit HostProgram(mlir::ModuleOp module) : module(module) {}

  /// Device memory for what `alloc` allocates, as memref<1xi8>.
  mlir::Value allocate(mlir::ImplicitLocOpBuilder &b, mlir::memref::AllocOp);
  void release(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer);
  /// A copy between contiguous buffers of the same shape: tw_hip_upload,
  /// tw_hip_download or tw_hip_copy.
  void copy(mlir::ImplicitLocOpBuilder &b, llvm::StringRef function,
            mlir::Value to, mlir::Value from);

  /// The number of the constant that the global holds.
  int64_t constant(llvm::StringRef global);
  /// Device memory that holds it, as memref<1xi8>.
  mlir::Value constantMemory(mlir::ImplicitLocOpBuilder &b, int64_t number);

  /// Where a buffer starts: an i64.
  mlir::Value address(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer);
  /// An integer, index or float as the low bits of an i64, zero-extended.
  mlir::Value word(mlir::ImplicitLocOpBuilder &b, mlir::Value scalar);

  /// Launches `kernel` on grid `x` times `y`, indices, with these i64 words as
  /// its arguments.
  void launch(mlir::ImplicitLocOpBuilder &b, llvm::StringRef kernel,
              mlir::Value x, mlir::Value y, LaunchShape shape,
              mlir::ValueRange words);

  /// Puts tw_hip_begin and tw_hip_end around the body of `func`, which returns
  /// a status.
  void wrap(mlir::func::FuncOp func);

  /// Gives the module the lists of kernels and constants, and the number of
  /// dispatches.
  void finish();

private:
  mlir::Value self(mlir::ImplicitLocOpBuilder &b);
  mlir::Value call(mlir::ImplicitLocOpBuilder &b, llvm::StringRef function,
                   mlir::ValueRange arguments, mlir::Type result = {});
  /// A call that returns memory, as memref<1xi8>.
  mlir::Value memory(mlir::ImplicitLocOpBuilder &b, llvm::StringRef function,
                     mlir::Value argument);
  /// The function that puts so many words into memory for tw_hip_launch: one
  /// for all launches with as many, which are most of a large model's code.
  static std::string launchOf(size_t words);
  void defineLaunch(mlir::ImplicitLocOpBuilder &b, size_t words);
  mlir::Value pointer(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer);
  mlir::Value constantWord(mlir::ImplicitLocOpBuilder &b, int64_t value);
  mlir::Value bytes(mlir::ImplicitLocOpBuilder &b, mlir::MemRefType type,
                    mlir::ValueRange dynamicSizes);

  mlir::ModuleOp module;
  llvm::MapVector<llvm::StringRef, int64_t> kernels, constants;
  int64_t dispatches = 0; ///< launches in the code
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_DEVICE_HOSTPROGRAM_H
