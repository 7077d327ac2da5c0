// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For programs that call a model compiled for an AMD GPU: libtilewright_hip.a,
// which loads HIP when the first call is made.

#ifndef TILEWRIGHT_HIP_H_
#define TILEWRIGHT_HIP_H_

#ifdef __cplusplus
extern "C" {
#endif

// Why the last call of a model on this thread failed (HIP is not installed, the
// GPU is of another kind than the model's, it has no memory left, ...): a
// sentence, valid until the next call that fails; empty if none has.
const char* tw_hip_message(void);

#ifdef __cplusplus
}
#endif

#endif  // TILEWRIGHT_HIP_H_
