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

// In a device's memory only what is computed there is written at once, and in its own shape.
// CHECK-LABEL: func.func @device(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[R:.*]]: memref<4xf32, 1>, %[[S:.*]]: memref<4xf32, 1>, %[[H:.*]]: memref<2x2xf32, 1>)
// CHECK:         %[[T:.*]] = bufferization.to_tensor %[[R]] restrict writable : memref<4xf32, 1>
// CHECK-NEXT:    %[[A:.*]] = linalg.exp ins(%[[X]] : tensor<4xf32>) outs(%[[T]] :
// CHECK:         %[[OTHER:.*]] = bufferization.alloc_tensor() {memory_space = 2 : i64}
// CHECK-NEXT:    %[[B:.*]] = linalg.abs ins(%[[X]] : tensor<4xf32>) outs(%[[OTHER]] :
// CHECK:         %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[X]]) {memory_space = 1 : i64}
// CHECK-NEXT:    %[[C:.*]] = linalg.floor ins(%[[X]] : tensor<4xf32>) outs(%[[COPY]] :
// CHECK:         %[[FLAT:.*]] = bufferization.alloc_tensor() {memory_space = 1 : i64}
// CHECK-NEXT:    linalg.ceil ins(%[[X]] : tensor<4xf32>) outs(%[[FLAT]] :
func.func @device(%x: tensor<4xf32>, %r: memref<4xf32, 1>, %s: memref<4xf32, 1>, %h: memref<2x2xf32, 1>) {
  %0 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %a in restrict writable %r : (tensor<4xf32>, memref<4xf32, 1>) -> ()
  %1 = bufferization.alloc_tensor() {memory_space = 2 : i64} : tensor<4xf32>
  %b = linalg.abs ins(%x : tensor<4xf32>) outs(%1 : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %b in restrict writable %s : (tensor<4xf32>, memref<4xf32, 1>) -> ()
  %2 = bufferization.alloc_tensor() copy(%x) {memory_space = 1 : i64} : tensor<4xf32>
  %c = linalg.floor ins(%x : tensor<4xf32>) outs(%2 : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %c in restrict writable %s : (tensor<4xf32>, memref<4xf32, 1>) -> ()
  %3 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<4xf32>
  %d = linalg.ceil ins(%x : tensor<4xf32>) outs(%3 : tensor<4xf32>) -> tensor<4xf32>
  %row = tensor.expand_shape %d [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  bufferization.materialize_in_destination %row in restrict writable %h : (tensor<2x2xf32>, memref<2x2xf32, 1>) -> ()
  return
}
