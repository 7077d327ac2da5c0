// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the emulator in the copy of a function.

#ifndef TILEWRIGHT_EMULATOR_LIB_INSTRUMENT_H
#define TILEWRIGHT_EMULATOR_LIB_INSTRUMENT_H

#include "Machine.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include <deque>

namespace tilewright::emulator {

class Instrumenter {
public:
  /// `map`: from the source's values to the copy's. `usesLds`: whether lanes
  /// may talk through LDS.
  Instrumenter(Machine &machine, llvm::Module &copy,
               llvm::ValueToValueMapTy &map, std::deque<Site> &sites,
               bool usesLds);

  llvm::Error run(llvm::Function &source, llvm::Function &copy);

private:
  /// What lanes of the wave may have done to LDS since they were last together:
  /// in hardware they go in step, so that what one reads, another has written
  /// by an earlier instruction. Fibers are brought together where loads follow
  /// stores or stores follow loads.
  enum class LdsPhase { Unknown, Together, Loads, Stores };

  llvm::Error visit(llvm::Instruction &from, llvm::Instruction &to);
  llvm::Error visitCall(llvm::CallBase &from, llvm::CallBase &to);
  llvm::Error visitIntrinsic(llvm::IntrinsicInst &from, llvm::CallBase &to);
  llvm::Error visitInlineAsm(llvm::CallBase &from, llvm::CallBase &to);
  llvm::Error checkAccess(llvm::Instruction &from, llvm::Instruction &to,
                          llvm::Value *fromPointer, llvm::Value *toPointer,
                          llvm::Value *bytes, MemoryAction action,
                          llvm::Align alignment);
  llvm::Error checkValueAccess(llvm::Instruction &from, llvm::Instruction &to,
                               llvm::Type *type, unsigned pointerOperand,
                               MemoryAction action, llvm::Align alignment);
  void emitOperation(llvm::CallBase &from, llvm::CallBase &to,
                     const Operation &operation);
  void emitOrder(llvm::Instruction &from, llvm::Instruction &to,
                 const LdsOrder &order);
  llvm::Error checkPrivateMemory(const llvm::Function &source);
  void emitTrap(llvm::Instruction &from, llvm::Instruction &before);
  Site &newSite(const llvm::Instruction &from);
  llvm::Value *siteConstant(const Site &site);

  Machine &machine;
  llvm::Module &module;
  llvm::ValueToValueMapTy &map;
  std::deque<Site> &sites;
  bool usesLds;
  llvm::FunctionCallee accessHook, operateHook, synchronizeHook, trapHook;
  // Of the function at hand:
  LdsPhase phase = LdsPhase::Unknown;
  llvm::AllocaInst *block = nullptr;
  uint64_t blockBytes = 0;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_EMULATOR_LIB_INSTRUMENT_H
