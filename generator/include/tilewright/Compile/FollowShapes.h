// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tile shapes by what was measured.

#ifndef TILEWRIGHT_COMPILE_FOLLOWSHAPES_H
#define TILEWRIGHT_COMPILE_FOLLOWSHAPES_H

#include "tilewright/Compile/CompileModel.h"
#include "tilewright/Resolve/Resolve.h"

namespace tilewright {

/// Sets TargetCpu::measured to what options.tuning says of shapes on the core
/// of the target, or on the one that options.generate is to plan for. Targets
/// that are called as one of `devices` are have its core: this machine's name
/// may not say it. What is not followed is said by options.warn. May be called
/// from several threads.
std::function<void(TargetCpu &)>
followShapes(const ResolveOptions &options,
             llvm::ArrayRef<ModelDevice> devices = {});

} // namespace tilewright

#endif // TILEWRIGHT_COMPILE_FOLLOWSHAPES_H
