// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_DEVICES_REGISTERTARGET_H
#define TILEWRIGHT_DEVICES_REGISTERTARGET_H

#include "llvm/TargetParser/Triple.h"

namespace tilewright {

/// Makes LLVM's code generator and assembly parser of `arch` known; with
/// UnknownArch, or any but x86-64, AArch64 and AMDGCN, those of every target
/// that LLVM was built with, which costs milliseconds. Thread-safe; cheap the
/// next time.
void registerTarget(llvm::Triple::ArchType arch);

} // namespace tilewright

#endif // TILEWRIGHT_DEVICES_REGISTERTARGET_H
