// RUN: tw-opt %s --tw-assign-devices=devices=host=x86_64,gpu=amdgpu:gfx942 --tw-lower-device-packs --canonicalize --tw-outline-dispatches --tw-place-on-device --canonicalize | FileCheck %s

// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A pack of the device reads the element that belongs at each place of its result; outside of the matrix the last element
// is read and the padding taken. Sizes are operands: the kernel is one for all.
// CHECK-LABEL: func.func @pack(
// CHECK-SAME:    %[[X:.*]]: tensor<?x7xf32>
// CHECK-DAG:     %[[C7:.*]] = arith.constant 7 : index
// CHECK-DAG:     %[[PAD:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[SIZE:.*]] = tensor.dim %[[X]]
// CHECK-DAG:     %[[DEVICE:.*]] = bufferization.alloc_tensor() copy(%[[X]]) {memory_space = 1 : i64} : tensor<?x7xf32>
// CHECK-DAG:     %[[OUT:.*]] = bufferization.alloc_tensor(%{{.*}}) {memory_space = 1 : i64} : tensor<?x2x16x4xf32>
// CHECK:         tw.dispatch @pack_0 ins(%[[SIZE]], %[[C7]], %[[PAD]], %{{.*}}, %{{.*}}, %[[DEVICE]] : {{.*}}) outs(%[[OUT]]
func.func @pack(%x: tensor<?x7xf32>, %dest: tensor<?x2x16x4xf32>) -> tensor<?x2x16x4xf32> {
  %zero = arith.constant 0.0 : f32
  %p = linalg.pack %x padding_value(%zero : f32) outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [16, 4]
      into %dest : tensor<?x7xf32> -> tensor<?x2x16x4xf32>
  return %p : tensor<?x2x16x4xf32>
}

// What the host multiplied goes to the device as it is packed, and from one layout directly to the other.
// CHECK-LABEL: func.func @relayout(
// CHECK-SAME:    %[[X:.*]]: tensor<4x6x8x16xf32>
// CHECK-NOT:     linalg.unpack
// CHECK:         %[[DEVICE:.*]] = bufferization.alloc_tensor() copy(%[[X]]) {memory_space = 1 : i64} : tensor<4x6x8x16xf32>
// CHECK:         tw.dispatch @relayout_0 ins(%{{.*}}, %[[DEVICE]] :
// CHECK-NOT:     tw.dispatch
func.func @relayout(%x: tensor<4x6x8x16xf32>) -> tensor<6x8x16x4xf32> {
  %e = tensor.empty() : tensor<32x96xf32>
  %matrix = linalg.unpack %x outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [8, 16]
      into %e {tw.device = "host"} : tensor<4x6x8x16xf32> -> tensor<32x96xf32>
  %d = tensor.empty() : tensor<6x8x16x4xf32>
  %p = linalg.pack %matrix outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [16, 4]
      into %d : tensor<32x96xf32> -> tensor<6x8x16x4xf32>
  return %p : tensor<6x8x16x4xf32>
}

// Unpacking does not read what it overwrites.
// CHECK-LABEL: func.func @unpack(
// CHECK-NOT:     linalg.fill
// CHECK:         tw.dispatch @unpack_0
func.func @unpack(%x: tensor<2x3x16x16xi32>) -> tensor<30x40xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<30x40xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<30x40xi32>) -> tensor<30x40xi32>
  %m = linalg.unpack %x outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [16, 16]
      into %z : tensor<2x3x16x16xi32> -> tensor<30x40xi32>
  return %m : tensor<30x40xi32>
}

// The host reads a copy of what the device computed; both directions are copied once.
// CHECK-LABEL: func.func @back_and_forth(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
// CHECK:         %[[UP:.*]] = bufferization.alloc_tensor() copy(%[[X]]) {memory_space = 1 : i64}
// CHECK:         %[[A:.*]] = tw.dispatch @exp_0 ins(%[[UP]]
// CHECK:         %[[B:.*]] = tw.dispatch @abs_0 ins(%[[UP]]
// CHECK:         %[[DOWN:.*]] = bufferization.alloc_tensor() copy(%[[A]]) {memory_space = 0 : i64}
// CHECK:         tw.dispatch @abs_1 ins(%[[DOWN]]
// CHECK:         tw.dispatch @exp_1 ins(%[[DOWN]]
// CHECK:         %[[RESULT:.*]] = bufferization.alloc_tensor() copy(%[[B]]) {memory_space = 0 : i64}
// CHECK:         return %[[RESULT]],
func.func @back_and_forth(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.abs ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %c = linalg.abs {tw.device = "host"} ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %d = linalg.exp {tw.device = "host"} ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %b, %c, %d : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// A vector that the device multiplies, as a matrix of one row, is where the vector is: shapes are not looked at.
// CHECK-LABEL: func.func @views(
// CHECK-SAME:    %[[X:.*]]: tensor<8xf32>
// CHECK:         %[[UP:.*]] = bufferization.alloc_tensor() copy(%[[X]]) {memory_space = 1 : i64}
// CHECK:         %[[A:.*]] = tw.dispatch @exp_0 ins(%[[UP]]
// CHECK:         %[[ROW:.*]] = tensor.expand_shape %[[A]]
// CHECK:         %[[B:.*]] = tw.dispatch @exp_2 ins(%[[ROW]]
// CHECK:         %[[VECTOR:.*]] = tensor.collapse_shape %[[B]]
// CHECK:         tw.dispatch @abs_0 ins(%[[VECTOR]]
// CHECK:         %[[DOWN:.*]] = bufferization.alloc_tensor() copy(%{{.*}}) {memory_space = 0 : i64}
// CHECK-NOT:     bufferization.alloc_tensor
// CHECK:         return %[[DOWN]]
func.func @views(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<1x8xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %row = tensor.expand_shape %a [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
  %b = linalg.exp ins(%row : tensor<1x8xf32>) outs(%f : tensor<1x8xf32>) -> tensor<1x8xf32>
  %vector = tensor.collapse_shape %b [[0, 1]] : tensor<1x8xf32> into tensor<8xf32>
  %c = linalg.abs ins(%vector : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}

// CHECK-LABEL: func.func private @pack_0(
// CHECK:         tensor.extract %{{.*}}[%{{.*}}, %{{.*}}] : tensor<?x?xf32>
// CHECK:         arith.select
// CHECK-LABEL: func.func private @relayout_0(
// CHECK:         tensor.extract %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}]
