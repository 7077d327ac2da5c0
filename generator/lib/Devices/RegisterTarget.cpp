// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Devices/RegisterTarget.h"

#include "llvm/Support/TargetSelect.h"
#include <mutex>
#include <utility>

using namespace llvm;

namespace tilewright {
namespace {

void registerX86() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeX86AsmParser();
}

void registerAArch64() {
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  LLVMInitializeAArch64AsmParser();
}

void registerAmdgpu() {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmPrinter();
  LLVMInitializeAMDGPUAsmParser();
}

void registerAll() {
  InitializeAllTargetInfos();
  InitializeAllTargets();
  InitializeAllTargetMCs();
  InitializeAllAsmPrinters();
  InitializeAllAsmParsers();
}

} // namespace

void registerTarget(Triple::ArchType arch) {
  // LLVM's list of targets has no lock of its own.
  static std::mutex mutex;
  static bool x86, aarch64, amdgpu, all;
  std::lock_guard<std::mutex> lock(mutex);
  auto once = [](bool &done, void (*function)()) {
    if (!std::exchange(done, true))
      function();
  };
  if (arch == Triple::x86_64)
    once(x86, registerX86);
  else if (arch == Triple::aarch64)
    once(aarch64, registerAArch64);
  else if (arch == Triple::amdgcn)
    once(amdgpu, registerAmdgpu);
  else
    once(all, registerAll);
}

} // namespace tilewright
