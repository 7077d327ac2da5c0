// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiling the host's modules, in process.

#include "Jit.h"
#include "Machine.h"
#include "Numbers.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/Support/TargetSelect.h"
#include <mutex>

using namespace llvm;
using namespace llvm::orc;

namespace tilewright::emulator {

namespace {

// Conversions that the host's compiler runtime may lack. They are called with
// the bits of half and bfloat in floating-point registers, as compiled code has
// them.
extern "C" {
static __bf16 truncateToBf16(float value) {
  return bitsTo<__bf16>(floatToBf16(value));
}
static __bf16 truncateDoubleToBf16(double value) {
  return bitsTo<__bf16>(doubleToBf16(value));
}
static _Float16 truncateToHalf(float value) { return _Float16(value); }
static _Float16 truncateDoubleToHalf(double value) { return _Float16(value); }
static float extendHalf(_Float16 value) { return float(value); }
}

} // namespace

Expected<std::unique_ptr<Jit>> Jit::create(ThreadSafeContext context) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
  });
  auto machine = JITTargetMachineBuilder::detectHost();
  if (!machine)
    return machine.takeError();
  // Its conversion to bf16 treats denormals as zero, which no AMD GPU's does.
  for (const char *feature : {"-avx512bf16", "-avxneconvert"})
    if (machine->getTargetTriple().isX86())
      machine->addFeatures({feature});
  // The bitcode is optimised already, and the hooks leave little to optimise.
  machine->setCodeGenOptLevel(CodeGenOptLevel::Less);

  auto jit =
      LLJITBuilder().setJITTargetMachineBuilder(std::move(*machine)).create();
  if (!jit)
    return jit.takeError();

  SymbolMap symbols;
  auto define = [&](StringRef name, auto *function) {
    symbols[(*jit)->mangleAndIntern(name)] = {ExecutorAddr::fromPtr(function),
                                              JITSymbolFlags::Exported |
                                                  JITSymbolFlags::Callable};
  };
  define("tw_emulator_access", &tw_emulator_access);
  define("tw_emulator_operate", &tw_emulator_operate);
  define("tw_emulator_synchronize", &tw_emulator_synchronize);
  define("tw_emulator_trap", &tw_emulator_trap);
  define("__truncsfbf2", &truncateToBf16);
  define("__truncdfbf2", &truncateDoubleToBf16);
  define("__truncsfhf2", &truncateToHalf);
  define("__truncdfhf2", &truncateDoubleToHalf);
  define("__extendhfsf2", &extendHalf);
  JITDylib &library = (*jit)->getMainJITDylib();
  if (Error failure = library.define(absoluteSymbols(std::move(symbols))))
    return failure;
  auto process = DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  library.addGenerator(std::move(*process));
  return std::unique_ptr<Jit>(new Jit(std::move(context), std::move(*jit)));
}

Error Jit::add(std::unique_ptr<Module> module) {
  return jit->addIRModule(ThreadSafeModule(std::move(module), context));
}

Expected<void *> Jit::lookup(StringRef symbol) {
  auto address = jit->lookup(symbol);
  if (!address)
    return address.takeError();
  return address->toPtr<void *>();
}

} // namespace tilewright::emulator
