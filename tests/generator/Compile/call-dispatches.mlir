// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-flatten-dispatches "--one-shot-bufferize=buffer-alignment=64" --tw-contiguous-buffers --canonicalize --tw-call-dispatches --canonicalize --cse | FileCheck %s

// A function is bufferized by itself, and writes where it is told to; what calls it passes pointers and sizes.
// CHECK-LABEL: func.func @caller(
// CHECK-DAG:     %[[C4:.*]] = arith.constant 4 : i64
// CHECK-DAG:     %[[C8:.*]] = arith.constant 8 : i64
// CHECK:         call @reduction_0(%{{.*}}, %[[C4]], %[[C8]], %{{.*}}, %[[C4]]) : (memref<1xf32>, i64, i64, memref<1xf32>, i64) -> ()
// CHECK:       func.func private @reduction_0(%{{.*}}: memref<1xf32> {llvm.noalias}, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: memref<1xf32> {llvm.noalias}, %{{.*}}: i64)
// CHECK-SAME:    tw.dispatch_type = (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?xf32>
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @caller(%x: memref<4x8xf32>, %r: memref<4xf32>) {
  %a = bufferization.to_tensor %x restrict : memref<4x8xf32> to tensor<4x8xf32>
  %e = tensor.empty() : tensor<4xf32>
  %s = tw.dispatch @reduction_0 ins(%a : tensor<4x8xf32>) outs(%e : tensor<4xf32>) accumulates [false] -> tensor<4xf32>
  bufferization.materialize_in_destination %s in restrict writable %r : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

func.func private @reduction_0(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> attributes {tw.dispatch = "reduction"} {
  %zero = arith.constant 0.0 : f32
  %fill = linalg.fill ins(%zero : f32) outs(%b : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%a : tensor<?x?xf32>) outs(%fill : tensor<?xf32>) dimensions = [1]
  return %sum : tensor<?xf32>
}

// Strides that a branch has forgotten are those of what it chose from.
// CHECK-LABEL: func.func @chosen(
// CHECK:         %[[S:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : memref<4x8xf32>
// CHECK:         %[[P:.*]] = memref.reinterpret_cast %[[S]]
// CHECK:         call @reduction_0(%[[P]],
func.func @chosen(%c: i1, %x: memref<4x8xf32>, %y: memref<4x8xf32>, %r: memref<4xf32>) {
  %s = arith.select %c, %x, %y : memref<4x8xf32>
  %cast = memref.cast %s : memref<4x8xf32> to memref<4x8xf32, strided<[?, ?], offset: ?>>
  tw.dispatch @reduction_0 ins(%cast : memref<4x8xf32, strided<[?, ?], offset: ?>>) outs(%r : memref<4xf32>) accumulates [false]
  return
}
