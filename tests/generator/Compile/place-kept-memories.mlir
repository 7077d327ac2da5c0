// RUN: tw-opt %s --split-input-file --tw-place-kept --verify-diagnostics | FileCheck %s

// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is made of it, and kept too, does not overwrite it.
// CHECK-LABEL: func.func @made_of_it(
// CHECK:         %[[E:.*]] = linalg.exp
// CHECK:         %[[S:.*]] = linalg.add {{.*}} outs(%[[E]] :
// CHECK-NEXT:    bufferization.materialize_in_destination %[[E]] in
// CHECK-NEXT:    bufferization.materialize_in_destination %[[S]] in
// CHECK-NEXT:    return
func.func @made_of_it(%a: tensor<4xf32>) {
  %0 = tensor.empty() : tensor<4xf32>
  %e = linalg.exp ins(%a : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  tw.keep 0, %e {bytes_read = 4 : i64, operations = 8 : i64} : tensor<4xf32>
  %s = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  tw.keep 1, %s {bytes_read = 4 : i64, operations = 8 : i64} : tensor<4xf32>
  return
}
