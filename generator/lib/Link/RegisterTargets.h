// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_LINK_REGISTERTARGETS_H
#define TILEWRIGHT_LIB_LINK_REGISTERTARGETS_H

namespace tilewright {

/// Makes all of LLVM's targets known, with their assembly parsers: inputs may
/// hold inline assembly. Cheap after the first call.
void registerTargets();

} // namespace tilewright

#endif // TILEWRIGHT_LIB_LINK_REGISTERTARGETS_H
