// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --one-shot-bufferize=bufferize-function-boundaries --canonicalize --cse | FileCheck %s

// Whole tiles have constant loops; padding is written in those at the edge only.
// CHECK-LABEL: func.func @pack(
// CHECK-SAME:    %[[A:.*]]: memref<?x8xf32{{.*}}>, %[[P:.*]]: memref<?x8x12x1xf32{{.*}}>
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           scf.for %[[K:.*]] =
// CHECK:             %[[START:.*]] = arith.muli %[[I]], %c12
// CHECK:             %[[LEFT:.*]] = arith.subi %{{.*}}, %[[START]]
// CHECK:             %[[VALID:.*]] = arith.minsi %[[LEFT]], %c12
// CHECK:             %[[WHOLE:.*]] = arith.cmpi eq, %[[VALID]], %c12
// CHECK:             scf.if %[[WHOLE]]
// CHECK:               scf.for %[[R:.*]] = %c0 to %c12
// CHECK:                 %[[ROW:.*]] = arith.addi %[[START]], %[[R]]
// CHECK:                 %[[X:.*]] = memref.load %[[A]][%[[ROW]], %[[K]]]
// CHECK:                 memref.store %[[X]], %[[P]][%[[I]], %[[K]], %[[R]], %c0]
// CHECK:             } else {
// CHECK:               scf.for %{{.*}} = %c0 to %c12
// CHECK:                 memref.store %{{.*}}, %[[P]]
// CHECK:               scf.for %[[R:.*]] = %c0 to %[[VALID]]
// CHECK:                 memref.store %{{.*}}, %[[P]][%[[I]], %[[K]], %[[R]], %c0]
// CHECK-NOT:     memref.alloc
func.func @pack(%a: tensor<?x8xf32>, %p: tensor<?x8x12x1xf32>) -> tensor<?x8x12x1xf32> {
  %zero = arith.constant 0.0 : f32
  %r = linalg.pack %a padding_value(%zero : f32) inner_dims_pos = [0, 1] inner_tiles = [12, 1]
      into %p : tensor<?x8xf32> -> tensor<?x8x12x1xf32>
  return %r : tensor<?x8x12x1xf32>
}

// CHECK-LABEL: func.func @unpack(
// CHECK-SAME:    %[[P:.*]]: memref<2x?x4x16xf32{{.*}}>, %[[A:.*]]: memref<8x?xf32{{.*}}>
// CHECK:         %[[VALID:.*]] = arith.minsi
// CHECK:         scf.if
// CHECK:           scf.for %{{.*}} = %c0 to %c4
// CHECK:             scf.for %{{.*}} = %c0 to %c16
// CHECK:               memref.load %[[P]]
// CHECK:               memref.store %{{.*}}, %[[A]]
// CHECK:         } else {
// CHECK:           scf.for %{{.*}} = %c0 to %c4
// CHECK:             scf.for %{{.*}} = %c0 to %[[VALID]]
// CHECK:               memref.load %[[P]]
// CHECK:               memref.store %{{.*}}, %[[A]]
func.func @unpack(%p: tensor<2x?x4x16xf32>, %a: tensor<8x?xf32>) -> tensor<8x?xf32> {
  %r = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [4, 16] into %a : tensor<2x?x4x16xf32> -> tensor<8x?xf32>
  return %r : tensor<8x?xf32>
}
