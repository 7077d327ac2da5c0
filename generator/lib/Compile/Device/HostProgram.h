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
#include "tilewright/Dialect/TwDialect.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright {

/// The program's data, a tw_hip_program_t, defined once the kernels are
/// compiled. Where functions run on several devices, each has one, with its
/// name behind a dot, and these are listed in order.
inline constexpr llvm::StringLiteral kProgramSymbol = "tw_hip_program";
inline constexpr llvm::StringLiteral kProgramsSymbol = "tw_hip_programs";
std::string programSymbol(llvm::StringRef device, bool isOneOfSeveral);

/// Of a workgroup: work-items, and bytes of LDS beside what the kernel has.
struct LaunchShape {
  int64_t block, dynamicLds;
};

/// The memory space of a buffer says which device's it is: see
/// memorySpaceOf().
class HostProgram {
public:
  explicit HostProgram(mlir::ModuleOp module);

  /// Whether a device, or the host, has it.
  bool isKnown(unsigned space) const { return space <= devices.size(); }
  /// Whose it is, for messages: "the host's", "that of 'gpu'".
  std::string ownerOf(unsigned space) const;

  /// Device memory for what `alloc` allocates, as memref<1xi8>.
  mlir::Value allocate(mlir::ImplicitLocOpBuilder &b, mlir::memref::AllocOp);
  void release(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer);
  /// A copy between contiguous buffers of the same shape, of which at least one
  /// is a device's: tw_hip_upload, tw_hip_download, tw_hip_copy or
  /// tw_hip_transfer.
  void copy(mlir::ImplicitLocOpBuilder &b, mlir::Value to, mlir::Value from);

  /// The number of the constant that the global holds, of that device.
  int64_t constant(unsigned space, llvm::StringRef global);
  /// Device memory that holds it, as memref<1xi8>.
  mlir::Value constantMemory(mlir::ImplicitLocOpBuilder &b, unsigned space,
                             int64_t number);

  /// Memory of each device that what an instance keeps there has a place in, if
  /// it keeps anything there.
  void allocateKept(mlir::ImplicitLocOpBuilder &b);
  /// It, as memref<1xi8>.
  mlir::Value keptMemory(mlir::ImplicitLocOpBuilder &b, unsigned space);
  /// Where in it the global of tw-place-kept is; none of other globals.
  std::optional<int64_t> keptOffset(llvm::StringRef global) const;

  /// Where a buffer starts: an i64.
  mlir::Value address(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer);
  /// An integer, index or float as the low bits of an i64, zero-extended.
  mlir::Value word(mlir::ImplicitLocOpBuilder &b, mlir::Value scalar);

  /// Launches `kernel` on that device, on grid `x` times `y`, indices, with
  /// these i64 words as its arguments.
  void launch(mlir::ImplicitLocOpBuilder &b, unsigned space,
              llvm::StringRef kernel, mlir::Value x, mlir::Value y,
              LaunchShape shape, mlir::ValueRange words);

  /// Puts tw_hip_begin and tw_hip_end, or those of several devices, around the
  /// body of `func`, which returns a status.
  void wrap(mlir::func::FuncOp func);

  /// Gives the module the lists of constants and the number of dispatches.
  void finish();
  /// What was launched on the devices of `target`, by number.
  mlir::ArrayAttr kernelsOf(mlir::StringAttr target);

private:
  /// What an instance keeps in the memory of one device.
  struct Kept {
    mlir::memref::GlobalOp address; ///< in what it keeps in the host's
    int64_t bytes = 0;
  };
  using Numbers = llvm::MapVector<llvm::StringRef, int64_t>;

  /// Gives each global of tw-place-kept in a device's memory its place.
  void placeKept();
  /// The host's memory that the address is in, as a pointer.
  mlir::Value keptAddress(mlir::ImplicitLocOpBuilder &b, const Kept &its);

  /// The name of the device.
  llvm::StringRef deviceOf(unsigned space) const;
  mlir::Value dataOf(mlir::ImplicitLocOpBuilder &b, const llvm::Twine &symbol,
                     int64_t words);
  /// The tw_hip_program_t of the device.
  mlir::Value programOf(mlir::ImplicitLocOpBuilder &b, unsigned space);
  mlir::Value call(mlir::ImplicitLocOpBuilder &b, llvm::StringRef function,
                   mlir::ValueRange arguments, mlir::Type result = {});
  /// A call that returns memory of the device, as memref<1xi8>.
  mlir::Value memory(mlir::ImplicitLocOpBuilder &b, unsigned space,
                     llvm::StringRef function, mlir::Value argument);
  /// The function that puts so many words into memory for tw_hip_launch: one
  /// for all launches with as many, which are most of a large model's code.
  static std::string launchOf(size_t words);
  void defineLaunch(mlir::ImplicitLocOpBuilder &b, size_t words);
  mlir::Value pointer(mlir::ImplicitLocOpBuilder &b, mlir::Value buffer);
  mlir::Value constantWord(mlir::ImplicitLocOpBuilder &b, int64_t value);
  mlir::Value bytes(mlir::ImplicitLocOpBuilder &b, mlir::MemRefType type,
                    mlir::ValueRange dynamicSizes);

  mlir::ModuleOp module;
  llvm::SmallVector<tw::DeviceAttr> devices; ///< by memory space, from 1
  llvm::SmallVector<unsigned> used; ///< memory spaces of the module, in order
  llvm::DenseMap<unsigned, Numbers> constants;       ///< by memory space
  llvm::MapVector<llvm::StringRef, Numbers> kernels; ///< by target
  llvm::MapVector<unsigned, Kept> kept;              ///< by memory space
  llvm::StringMap<int64_t> keptOffsets;              ///< by global
  int64_t dispatches = 0;                            ///< launches in the code
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_DEVICE_HOSTPROGRAM_H
