// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's passes without those that find nothing to do on planned tiles.

#ifndef TILEWRIGHT_CODEGEN_CHOSENPASSES_H
#define TILEWRIGHT_CODEGEN_CHOSENPASSES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/LegacyPassManager.h"

namespace tilewright {

/// Adds passes to another pass manager, but for idle ones: those of any
/// target's code, and `ofTarget`, the names of more (llvm::Pass::getPassName).
class ChosenPasses : public llvm::legacy::PassManagerBase {
public:
  ChosenPasses(llvm::legacy::PassManagerBase &passes,
               llvm::ArrayRef<llvm::StringLiteral> ofTarget)
      : passes(passes), ofTarget(ofTarget) {}

  void add(llvm::Pass *pass) override;

private:
  llvm::legacy::PassManagerBase &passes;
  llvm::ArrayRef<llvm::StringLiteral> ofTarget;
};

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_CHOSENPASSES_H
