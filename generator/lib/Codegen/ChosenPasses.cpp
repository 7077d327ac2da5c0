// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ChosenPasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Pass.h"

namespace tilewright {

/// They are for calls, exceptions, debug information, garbage collection,
/// hardening and tools, of which tiles have none, or look for code that plans
/// do not give. A pass costs its own time, that of the analyses it asks for,
/// and the caches' while it looks at every block.
static constexpr llvm::StringLiteral kIdle[] = {
    "A No-Op Barrier Pass",
    "Analyze Machine Code For Garbage Collection",
    "Contiguously Lay Out Funclets",
    "Early If-Conversion",
    "Exception handling preparation",
    "Fixup Statepoint Caller Saved",
    "Implement the 'patchable-function' attribute",
    "Insert CFI remember/restore state instructions",
    "Insert XRay ops",
    "Insert fentry calls",
    "Live DEBUG_VALUE analysis",
    "Lower Garbage Collection Instructions",
    "Machine Outliner",
    "Machine Sanitizer Binary Metadata",
    "Merge disjoint stack slots",
    "Merge internal globals",
    "ObjC ARC contraction",
    "Prepare callbr",
    "Register Allocation Pass Scoring",
    "Remove Loads Into Fake Uses",
    "Remove Redundant DEBUG_VALUE analysis",
    "Safe Stack instrumentation pass",
    "Shadow Stack GC Lowering",
    "Stack Frame Layout Analysis",
    "StackMap Liveness Analysis",
};

void ChosenPasses::add(llvm::Pass *pass) {
  llvm::StringRef name = pass->getPassName();
  if (llvm::is_contained(kIdle, name) || llvm::is_contained(ofTarget, name))
    delete pass;
  else
    passes.add(pass);
}

} // namespace tilewright
