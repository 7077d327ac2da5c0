// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mistakes in how a kernel waits, synchronises and addresses LDS, made in its
// LLVM IR: one operator, one place.

#ifndef TESTS_EMULATOR_IR_MUTATIONS_H_
#define TESTS_EMULATOR_IR_MUTATIONS_H_

#include <string>
#include <vector>

#include "llvm/IR/Instruction.h"
#include "llvm/IR/Module.h"

enum class MutationKind { kWait, kFence, kBarrier, kIndex, kLane };

struct IrMutation {
  const char* name;
  MutationKind kind;
  unsigned site;  // among the operator's, in the order of the text
};

// Every operator at every place of the module that it applies to.
std::vector<IrMutation> mutationsOf(llvm::Module& module);

// Of the module, or of a copy.
llvm::Instruction& siteOf(llvm::Module& module, const IrMutation& mutation);
void applyMutation(llvm::Module& module, const IrMutation& mutation);

// Why a mutation of this kernel changes no execution: what can be told from the
// right kernel's text. Empty if that does not tell.
std::string whyEquivalent(llvm::Module& module, const IrMutation& mutation);

// What the places of mutations are.
struct WaitCounts {
  unsigned loads, lds;
};
constexpr unsigned kAllLoads = 63;
bool isWait(const llvm::Instruction& i);
WaitCounts waitCountsOf(const llvm::Instruction& i);
bool isBarrier(const llvm::Instruction& i);
enum class LdsAccess { kNone, kLoad, kStore, kStraightLoad };
LdsAccess ldsAccessOf(const llvm::Instruction& i);

#endif  // TESTS_EMULATOR_IR_MUTATIONS_H_
