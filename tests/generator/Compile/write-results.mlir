// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s "--pass-pipeline=builtin.module(func.func(tw-write-results))" | FileCheck %s

#id = affine_map<(i) -> (i)>

// By way of a fill and a reshape: the same memory, in the shape that is written.
// CHECK-LABEL: func.func @reshaped(
// CHECK-SAME:    %[[R:.*]]: memref<1xf32>, %[[N:.*]]: index)
// CHECK:         %[[VIEW:.*]] = memref.reinterpret_cast %[[R]] to offset: [0], sizes: [%{{.*}}]
// CHECK:         %[[POINTER:.*]] = memref.reinterpret_cast %[[VIEW]] to offset: [0], sizes: [1]
// CHECK:         %[[SHAPED:.*]] = memref.reinterpret_cast %[[POINTER]] to offset: [0], sizes: [%[[N]], %[[N]]], strides: [%{{.*}}, 1]
// CHECK:         %[[T:.*]] = bufferization.to_tensor %[[SHAPED]] restrict writable
// CHECK:         %[[F:.*]] = linalg.fill ins(%{{.*}}) outs(%[[T]] :
// CHECK:         bufferization.materialize_in_destination %[[F]] in restrict writable %[[SHAPED]]
func.func @reshaped(%r: memref<1xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = tensor.collapse_shape %f [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %size = arith.muli %n, %n : index
  %view = memref.reinterpret_cast %r to offset: [0], sizes: [%size], strides: [1] : memref<1xf32> to memref<?xf32>
  bufferization.materialize_in_destination %c in restrict writable %view : (tensor<?xf32>, memref<?xf32>) -> ()
  return
}

// What is returned itself is not where the next result is computed.
// CHECK-LABEL: func.func @both(
// CHECK-SAME:    %{{.*}}: f32, %[[R:.*]]: memref<4xf32>, %[[S:.*]]: memref<4xf32>)
// CHECK:         %[[T:.*]] = bufferization.to_tensor %[[S]]
// CHECK:         %[[F:.*]] = linalg.fill ins(%{{.*}}) outs(%[[T]] :
// CHECK:         %[[G:.*]] = linalg.generic {{.*}} outs(%[[F]] :
// CHECK:         bufferization.materialize_in_destination %[[G]] in restrict writable %[[R]]
// CHECK:         bufferization.materialize_in_destination %[[F]] in restrict writable %[[S]]
func.func @both(%x: f32, %r: memref<4xf32>, %s: memref<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %g = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%f : tensor<4xf32>) {
  ^bb0(%out: f32):
    %d = arith.addf %out, %out : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  bufferization.materialize_in_destination %g in restrict writable %r : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %f in restrict writable %s : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}
