// RUN: tw-opt %s --pass-pipeline='builtin.module(convert-elementwise-to-linalg,tw-assign-devices{devices=host=x86_64,gpu=amdgpu:gfx942})' | FileCheck %s

// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What an operation on tensors says about its place, the one that it becomes says.

// CHECK:       linalg.generic
// CHECK-SAME:    tw.device = "host"
// CHECK-NEXT:  ^bb0
// CHECK-NEXT:    arith.addf %{{.*}}, %{{.*}} : f32
// CHECK:       linalg.generic
// CHECK-NOT:     tw.device
// CHECK:         math.exp
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = arith.addf %x, %x {tw.device = "host"} : tensor<8xf32>
  %z = math.exp %y : tensor<8xf32>
  return %z : tensor<8xf32>
}
