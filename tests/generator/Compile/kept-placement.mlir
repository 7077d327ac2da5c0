// RUN: tw-opt %s --tw-assign-devices=devices=a=amdgpu:gfx942,host=x86_64,b=amdgpu:gfx950 --tw-outline-dispatches --tw-place-on-device --canonicalize | FileCheck %s

// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What an instance keeps is kept where it is read: on both GPUs, on one, on one and the host. It is computed once, and copied
// once to where else it is kept.
// CHECK-LABEL: func.func @once(
// CHECK:         %[[E:.*]] = tw.dispatch @exp_0
// CHECK-NEXT:    tw.keep 0, %[[E]] {bytes_read = 64 : i64, memory_space = 1 : i64, operations = 16 : i64}
// CHECK-NEXT:    %[[E2:.*]] = bufferization.alloc_tensor() copy(%[[E]]) {memory_space = 2 : i64}
// CHECK-NEXT:    tw.keep 0, %[[E2]] {bytes_read = 64 : i64, memory_space = 2 : i64, operations = 16 : i64}
// CHECK:         %[[S:.*]] = tw.dispatch @sqrt_0
// CHECK-NEXT:    tw.keep 1, %[[S]] {bytes_read = 64 : i64, memory_space = 2 : i64, operations = 16 : i64}
// CHECK-NEXT:    %[[HOST:.*]] = bufferization.alloc_tensor() copy(%[[E]]) {memory_space = 0 : i64}
// CHECK-NEXT:    tw.keep 2, %[[HOST]] {bytes_read = 64 : i64, operations = 16 : i64}
// CHECK-NEXT:    tw.keep 2, %[[E]] {bytes_read = 64 : i64, memory_space = 1 : i64, operations = 16 : i64}
// CHECK-NEXT:    return
func.func @once() {
  %c = arith.constant dense<2.0> : tensor<16xf32>
  %e = tensor.empty() : tensor<16xf32>
  %x = linalg.exp ins(%c : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  tw.keep 0, %x {bytes_read = 64 : i64, operations = 16 : i64} : tensor<16xf32>
  %s = linalg.sqrt {tw.device = "b"} ins(%c : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  tw.keep 1, %s {bytes_read = 64 : i64, operations = 16 : i64} : tensor<16xf32>
  tw.keep 2, %x {bytes_read = 64 : i64, operations = 16 : i64} : tensor<16xf32>
  return
}

// Another shape of it is not copied, either.
// CHECK-LABEL: func.func @reads(
// CHECK-NEXT:    %[[HOST:.*]] = tw.kept 2 : tensor<16xf32>
// CHECK-NOT:     copy(
// CHECK:         %[[K1:.*]] = tw.kept 0 {memory_space = 1 : i64} : tensor<16xf32>
// CHECK:         tw.dispatch @abs_0 ins(%[[K1]]
// CHECK-NOT:     copy(
// CHECK:         %[[K2:.*]] = tw.kept 0 {memory_space = 2 : i64} : tensor<16xf32>
// CHECK-NEXT:    %[[ROW:.*]] = tensor.expand_shape %[[K2]]
// CHECK:         tw.dispatch @floor_0 ins(%[[ROW]]
// CHECK-NOT:     copy(
// CHECK:         %[[K3:.*]] = tw.kept 1 {memory_space = 2 : i64} : tensor<16xf32>
// CHECK:         tw.dispatch @ceil_0 ins(%[[K3]]
// CHECK-NOT:     copy(
// CHECK:         %[[K4:.*]] = tw.kept 2 {memory_space = 1 : i64} : tensor<16xf32>
// CHECK:         tw.dispatch @negf_0 ins(%[[K4]]
// CHECK-NOT:     copy(
// CHECK:         tensor.extract %[[HOST]]
// CHECK:         return
func.func @reads(%i: index) -> (tensor<16xf32>, tensor<4x4xf32>, tensor<16xf32>, tensor<16xf32>, f32) {
  %k = tw.kept 0 : tensor<16xf32>
  %l = tw.kept 1 : tensor<16xf32>
  %m = tw.kept 2 : tensor<16xf32>
  %e = tensor.empty() : tensor<16xf32>
  %square = tensor.empty() : tensor<4x4xf32>
  %a = linalg.abs ins(%k : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %row = tensor.expand_shape %k [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32>
  %b = linalg.floor {tw.device = "b"} ins(%row : tensor<4x4xf32>) outs(%square : tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = linalg.ceil {tw.device = "b"} ins(%l : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %d = linalg.negf ins(%m : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %r = tensor.extract %m[%i] : tensor<16xf32>
  return %a, %b, %c, %d, %r : tensor<16xf32>, tensor<4x4xf32>, tensor<16xf32>, tensor<16xf32>, f32
}
