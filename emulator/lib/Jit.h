// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiling the host's modules, in process.

#ifndef TILEWRIGHT_EMULATOR_LIB_JIT_H
#define TILEWRIGHT_EMULATOR_LIB_JIT_H

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace tilewright::emulator {

class Jit {
public:
  static llvm::Expected<std::unique_ptr<Jit>>
  create(llvm::orc::ThreadSafeContext context);

  llvm::Error add(std::unique_ptr<llvm::Module> module);
  llvm::Expected<void *> lookup(llvm::StringRef symbol);
  const llvm::DataLayout &layout() const { return jit->getDataLayout(); }
  const llvm::Triple &triple() const { return jit->getTargetTriple(); }

private:
  Jit(llvm::orc::ThreadSafeContext context,
      std::unique_ptr<llvm::orc::LLJIT> jit)
      : context(std::move(context)), jit(std::move(jit)) {}

  llvm::orc::ThreadSafeContext context;
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_LIB_JIT_H
