// RUN: tw-opt %s --tw-assign-devices=devices=a=amdgpu:gfx942,host=x86_64,none=none,b=amdgpu:gfx950,c=amdgpu:gfx942 --tw-outline-dispatches --tw-place-on-device --canonicalize | FileCheck %s

// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each GPU's memory is a space, in the order of the devices. What one has computed is copied to the other directly, once for
// all that read it there.
// CHECK-LABEL: func.func @to_and_fro(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
// CHECK:         %[[UP:.*]] = bufferization.alloc_tensor() copy(%[[X]]) {memory_space = 1 : i64}
// CHECK:         %[[A:.*]] = tw.dispatch @exp_0 ins(%[[UP]]
// CHECK:         %[[A2:.*]] = bufferization.alloc_tensor() copy(%[[A]]) {memory_space = 2 : i64}
// CHECK:         %[[B:.*]] = tw.dispatch @abs_0 ins(%[[A2]]
// CHECK:         %[[A3:.*]] = bufferization.alloc_tensor() copy(%[[A]]) {memory_space = 3 : i64}
// CHECK:         %[[B3:.*]] = bufferization.alloc_tensor() copy(%[[B]]) {memory_space = 3 : i64}
// CHECK:         %[[C:.*]] = tw.dispatch @add_0 ins(%[[A3]], %[[B3]]
// CHECK:         tw.dispatch @sub_0 ins(%[[A2]], %[[B]]
// CHECK:         %[[HOST:.*]] = bufferization.alloc_tensor() copy(%{{.*}}) {memory_space = 0 : i64}
// CHECK:         %[[HOST2:.*]] = bufferization.alloc_tensor() copy(%[[C]]) {memory_space = 0 : i64}
// CHECK-NOT:     alloc_tensor
// CHECK:         tw.dispatch @add_1 ins(%[[HOST]], %[[HOST2]]
// CHECK:         return
func.func @to_and_fro(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.abs {tw.device = "b"} ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %c = linalg.add {tw.device = "c"} ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %d = linalg.sub {tw.device = "b"} ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.add {tw.device = "none"} ins(%d, %c : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// Another shape is the same memory, of whichever device.
// CHECK-LABEL: func.func @views(
// CHECK:         %[[A:.*]] = tw.dispatch @abs_0
// CHECK:         %[[ROW:.*]] = tensor.expand_shape %[[A]]
// CHECK-NEXT:    %[[OUT:.*]] = bufferization.alloc_tensor() {memory_space = 2 : i64} : tensor<1x8xf32>
// CHECK-NEXT:    tw.dispatch @abs_1 ins(%[[ROW]] : tensor<1x8xf32>) outs(%[[OUT]]
func.func @views(%x: tensor<8xf32>) -> tensor<1x8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<1x8xf32>
  %a = linalg.abs {tw.device = "b"} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %row = tensor.expand_shape %a [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
  %b = linalg.abs {tw.device = "b"} ins(%row : tensor<1x8xf32>) outs(%f : tensor<1x8xf32>) -> tensor<1x8xf32>
  return %b : tensor<1x8xf32>
}

// What a region says holds for what says nothing in it.
// CHECK-LABEL: func.func @region(
// CHECK:         bufferization.alloc_tensor() copy(%{{.*}}) {memory_space = 3 : i64}
// CHECK:         tw.dispatch @
// CHECK:         tw.dispatch @abs_0
func.func @region(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %r = tw.dispatch_region {
    %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    tw.yield %a : tensor<8xf32>
  } {tw.device = "c"} : tensor<8xf32>
  %s = linalg.abs {tw.device = "b"} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r, %s : tensor<8xf32>, tensor<8xf32>
}
