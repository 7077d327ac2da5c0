// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM IR of a whole model -> optimised code. Unlike a tile, whose plan decides
// everything, a model's loops are left to LLVM's vectoriser.

#ifndef TILEWRIGHT_LIB_COMPILE_MODELBACKEND_H
#define TILEWRIGHT_LIB_COMPILE_MODELBACKEND_H

#include "tilewright/key.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace tilewright {

class ModelBackend {
public:
  static llvm::Expected<std::unique_ptr<ModelBackend>>
  create(const IsaInfo &isa);

  /// Triple, data layout, and the ISA's attributes on each definition.
  void setTarget(llvm::Module &module) const;

  void optimize(llvm::Module &module);

  llvm::Error emit(llvm::Module &module, llvm::CodeGenFileType type,
                   llvm::SmallVectorImpl<char> &bytes);

private:
  ModelBackend(const IsaInfo &isa, std::unique_ptr<llvm::TargetMachine> machine)
      : isa(isa), machine(std::move(machine)) {}
  const IsaInfo &isa;
  std::unique_ptr<llvm::TargetMachine> machine;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_MODELBACKEND_H
