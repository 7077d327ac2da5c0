// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Devices/RegisterTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/TargetSelect.h"
#include <iterator>
#include <mutex>
#include <utility>

using namespace llvm;

namespace tilewright {
namespace {

struct Row {
  StringLiteral arch; ///< in triples
  void (*registerIt)();
};

#define TW_LLVM_TARGET_OF_CPU(NAME)                                            \
  [] {                                                                         \
    LLVMInitialize##NAME##TargetInfo();                                        \
    LLVMInitialize##NAME##Target();                                            \
    LLVMInitialize##NAME##TargetMC();                                          \
    LLVMInitialize##NAME##AsmPrinter();                                        \
    LLVMInitialize##NAME##AsmParser();                                         \
  }
#define TW_LLVM_TARGET_OF_GPU(NAME) TW_LLVM_TARGET_OF_CPU(NAME)
#define TW_LLVM_TARGET_OF_ANY(NAME) nullptr

const Row kRows[] = {
#define TW_ARCHITECTURE(ARCH, arch, kind, LLVMTarget, llvm_arch, triple,       \
                        march, max_k0, processors)                             \
  {#llvm_arch, TW_LLVM_TARGET_OF_##kind(LLVMTarget)},
#include "tilewright/architectures.def"
};

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
  static bool done[std::size(kRows) + 1];
  std::lock_guard<std::mutex> lock(mutex);
  const Row *row = find_if(kRows, [&](const Row &r) {
    return r.registerIt && Triple(r.arch).getArch() == arch;
  });
  if (std::exchange(done[row - kRows], true))
    return;
  if (row == std::end(kRows))
    registerAll();
  else
    row->registerIt();
}

} // namespace tilewright
