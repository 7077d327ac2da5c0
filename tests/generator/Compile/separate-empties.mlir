// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-separate-empties | FileCheck %s

// Each use has its own, before the operation; also two uses of one operation.
// CHECK-LABEL: func.func @shared(
// CHECK:         %[[E0:.*]] = tensor.empty(%[[N:.*]]) : tensor<?xf32>
// CHECK:         %[[A:.*]] = linalg.exp {{.*}} outs(%[[E0]] :
// CHECK:         %[[E1:.*]] = tensor.empty(%[[N]]) : tensor<?xf32>
// CHECK:         %[[E2:.*]] = tensor.empty(%[[N]]) : tensor<?xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[A]] : tensor<?xf32>) outs(%[[E2]], %[[E1]] :
// CHECK-NOT:     tensor.empty
#id = affine_map<(d0) -> (d0)>
func.func @shared(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %e = tensor.empty(%n) : tensor<?xf32>
  %a = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %b:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<?xf32>) outs(%e, %e : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%in: f32, %o0: f32, %o1: f32):
    linalg.yield %in, %in : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  return %b#0, %b#1 : tensor<?xf32>, tensor<?xf32>
}

// In a loop it stays outside of the loop.
// CHECK-LABEL: func.func @loop(
// CHECK-COUNT-2: tensor.empty() : tensor<8xf32>
// CHECK:         scf.for
// CHECK-NOT:     tensor.empty
func.func @loop(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %e) -> tensor<8xf32> {
    %z = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %z : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// One use: nothing changes.
// CHECK-LABEL: func.func @single(
// CHECK-COUNT-1: tensor.empty
// CHECK-NOT:     tensor.empty
func.func @single(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %z = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %z : tensor<8xf32>
}
