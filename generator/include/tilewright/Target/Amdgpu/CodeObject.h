// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM IR -> what an AMD GPU's driver loads. No ROCm: LLVM's back end and LLD,
// in this process.

#ifndef TILEWRIGHT_TARGET_AMDGPU_CODEOBJECT_H
#define TILEWRIGHT_TARGET_AMDGPU_CODEOBJECT_H

#include "tilewright/key.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <map>
#include <memory>

namespace tilewright {

enum class DeviceFile {
  CodeObject, ///< a .hsaco, with the optimised bitcode in section .llvmbc
  Bitcode,    ///< optimised
  Assembly    ///< for people
};

/// LLVM's name of the processor: "gfx942". `isa` must be of amdgpu.
llvm::StringRef processorOf(tw_isa_t isa);

/// Lanes of a wave: 64 or 32.
int waveSize(tw_isa_t isa);

/// Whether a wave has 32 lanes, as RDNA's; CDNA's have 64.
inline bool isRdna(tw_isa_t isa) { return waveSize(isa) == 32; }

/// The back end of one amdgpu target. Not thread-safe: one per worker.
class DeviceBackend {
public:
  /// `isa` must be of amdgpu. Registers LLVM's target on first use.
  static llvm::Expected<std::unique_ptr<DeviceBackend>> create(tw_isa_t isa);
  ~DeviceBackend();

  /// Gives the module the triple, the data layout and the code object's
  /// version, and each definition the processor and no unwinding. Call it
  /// before `emit` on IR that has none of that yet.
  void setTarget(llvm::Module &module) const;

  /// Optimises `module`: what is always-inline is inlined, functions that are
  /// no kernels and that no kernel needs go. Loops keep their shape: no
  /// unrolling and no vectorisation, which plans have decided on.
  void optimize(llvm::Module &module);

  /// Simplifies a library of device functions, all of which stay: a small part
  /// of `optimize`, in a small part of its time.
  void simplify(llvm::Module &module);

  /// Code for `module`, whose kernels (amdgpu_kernel) and constants of external
  /// linkage are what the file exports. It may refer to nothing else. Errors
  /// are those of LLVM and of the linker, in their words. `module` is optimised
  /// with `optimize`, and used up.
  llvm::Expected<llvm::SmallVector<char, 0>> emit(llvm::Module &module,
                                                  DeviceFile kind);

  llvm::TargetMachine &targetMachine() { return *machine; }

private:
  DeviceBackend(tw_isa_t isa, std::unique_ptr<llvm::TargetMachine> machine);
  llvm::Error generate(llvm::Module &module, llvm::CodeGenFileType type,
                       llvm::SmallVectorImpl<char> &bytes);

  tw_isa_t isa;
  std::unique_ptr<llvm::TargetMachine> machine;
};

/// The back ends in use. Not thread-safe: one per worker.
class DeviceBackends {
public:
  llvm::Expected<DeviceBackend *> get(tw_isa_t isa);

private:
  std::map<tw_isa_t, std::unique_ptr<DeviceBackend>> byIsa;
};

/// Links relocatable code into a code object, with LLD. Thread-safe; one at a
/// time. LLD gives every cl::opt of the process its default: copy what you need
/// of them before.
llvm::Expected<llvm::SmallVector<char, 0>>
linkCodeObject(llvm::ArrayRef<char> object);

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_AMDGPU_CODEOBJECT_H
