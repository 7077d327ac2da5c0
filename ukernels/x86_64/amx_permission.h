// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled models ask before they call tiles by AMX. Its code comes with
// them, so it may change from version to version; programs call
// tw_cpu_permit_amx.

#ifndef UKERNELS_X86_64_AMX_PERMISSION_H_
#define UKERNELS_X86_64_AMX_PERMISSION_H_

#ifdef __cplusplus
extern "C" {
#endif

// Not 0 if the operating system lets this process use AMX, whoever has asked
// it to. It asks nothing itself.
#define TW_MAY_USE_AMX tw_may_use_amx_v1
#if defined(__GNUC__) && !defined(_WIN32)
__attribute__((visibility("hidden")))
#endif
int TW_MAY_USE_AMX(void);

#ifdef __cplusplus
}
#endif

#endif  // UKERNELS_X86_64_AMX_PERMISSION_H_
