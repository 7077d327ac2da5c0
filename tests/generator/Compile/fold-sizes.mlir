// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-fold-sizes | FileCheck %s

// Sizes are folded. A slice of as many elements as there are is no copy of them
// while nobody has checked where it begins.
func.func @f(%x: tensor<4xf32>, %i: index) -> (tensor<4xf32>, tensor<?xf32>) {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %six = arith.muli %c2, %c3 : index
  %unused = tensor.empty(%i) : tensor<?xf32>
  %e = tensor.empty(%six) : tensor<?xf32>
  %r = tensor.extract_slice %x[%i] [4] [1] : tensor<4xf32> to tensor<4xf32>
  return %r, %e : tensor<4xf32>, tensor<?xf32>
}

// CHECK-LABEL: @f
// CHECK:       %[[SIX:.*]] = arith.constant 6 : index
// CHECK-NOT:   arith.muli
// CHECK-NOT:   tensor.empty(%{{arg.*}})
// CHECK:       %[[E:.*]] = tensor.empty(%[[SIX]])
// CHECK:       %[[R:.*]] = tensor.extract_slice
// CHECK:       return %[[R]], %[[E]]
