// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What decides a function's code is the target of its device: CPUs of one target share functions, GPUs their kernels, for a
// function says in whose memory it works.

// RUN: tw-opt %s --tw-assign-devices=devices=a=x86_64_avx512_base,b=x86_64_avx512_base --tw-outline-dispatches | FileCheck %s --check-prefix=CALL
// RUN: tw-opt %s --tw-assign-devices=devices=x=x86_64_avx2_fma,a=x86_64_avx512_base,b=x86_64_avx512_base --tw-outline-dispatches | FileCheck %s --check-prefix=CALL
// RUN: tw-opt %s --tw-assign-devices=devices=a=x86_64_avx512_base,b=x86_64_avx2_fma --tw-outline-dispatches | FileCheck %s --check-prefix=OTHER
// RUN: tw-opt %s --tw-assign-devices=devices=cpu=x86_64,a=amdgpu:gfx942,b=amdgpu:gfx942 --tw-outline-dispatches --tw-place-on-device | FileCheck %s --check-prefix=GPUS

// CALL-LABEL: func.func @f(
// CALL:         tw.dispatch @exp_0
// CALL:         tw.dispatch @exp_0
// CALL:       func.func private @exp_0({{.*}} attributes {tw.device = "a"
// CALL-NOT:   func.func

// OTHER-LABEL: func.func @f(
// OTHER:         tw.dispatch @exp_0
// OTHER:         tw.dispatch @exp_1
// OTHER:       func.func private @exp_0({{.*}} attributes {tw.device = "b"
// OTHER:       func.func private @exp_1({{.*}} attributes {tw.device = "a"

// GPUS-LABEL: func.func @f(
// GPUS:         memory_space = 2
// GPUS:         tw.dispatch @exp_0
// GPUS:         memory_space = 1
// GPUS:         tw.dispatch @exp_1
// GPUS:       func.func private @exp_0({{.*}} attributes {tw.device = "b"
// GPUS:       func.func private @exp_1({{.*}} attributes {tw.device = "a"
func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %p = linalg.exp {tw.device = "b"} ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  %q = linalg.exp {tw.device = "a"} ins(%y : tensor<?xf32>) outs(%y : tensor<?xf32>) -> tensor<?xf32>
  return %p, %q : tensor<?xf32>, tensor<?xf32>
}
