// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program as it is given: bitcode, and what its functions say of the GPU.

#ifndef TILEWRIGHT_EMULATOR_LIB_SOURCEPROGRAM_H
#define TILEWRIGHT_EMULATOR_LIB_SOURCEPROGRAM_H

#include "tilewright/Emulator/Emulator.h"
#include "tilewright/Emulator/Target.h"
#include "llvm/IR/Module.h"

namespace tilewright::emulator {

llvm::Expected<std::unique_ptr<llvm::Module>>
loadSource(llvm::MemoryBufferRef input, llvm::LLVMContext &context);
llvm::SmallVector<char, 0> writeSource(const llvm::Module &module);

/// `gfx`, or what the functions' target-cpu says.
llvm::Expected<Target> targetOf(const llvm::Module &module,
                                llvm::StringRef gfx);
unsigned waveSizeOf(const llvm::Function &function, const Target &target);

/// Gives unnamed globals names, drops llvm.used, lowers buffer fat pointers.
llvm::Error prepareSource(llvm::Module &module, const Target &target);

/// Hidden kernel arguments of code object version 5 and later, from their
/// begin, as LLVM's AMDGPU usage guide lays them out.
struct HiddenArguments {
  HiddenArguments(Dim3 grid, Dim3 block, uint32_t dynamicLds);

  uint32_t blockCount[3];
  uint16_t groupSize[3];
  uint16_t remainder[3] = {0, 0, 0};
  uint8_t reserved0[16] = {};
  uint64_t globalOffset[3] = {0, 0, 0};
  uint16_t gridDimensions;
  uint8_t reserved1[54] = {};
  uint32_t dynamicLdsSize;
  uint8_t reserved2[132] = {};
};
static_assert(sizeof(HiddenArguments) == 256);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_LIB_SOURCEPROGRAM_H
