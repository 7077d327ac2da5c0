// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-make-entry-points=describe | FileCheck %s

// What a runner has to know: values on tensors, and sizes of results.
func.func @joined(%x: tensor<?x4xf32> {tw.name = "x"}, %n: index {tw.name = "n"}, %s: f32) -> (tensor<?x4xf32>, tensor<?xf32>) {
  %y = tensor.concat dim(0) %x, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %e = tensor.splat %s[%n] : tensor<?xf32>
  return %y, %e : tensor<?x4xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func private @joined.result_sizes(
// CHECK-SAME:    %[[M:.*]]: i64, %[[N:.*]]: i64) -> (i64, i64, i64)
// CHECK:       return %{{.*}}, %c4{{.*}}, %{{.*}} : i64, i64, i64
// CHECK-LABEL: func.func @joined(
// CHECK-SAME:    tw.argument_values = [{name = "x", shape = "[x_d0][4]", type = tensor<?x4xf32>},
// CHECK-SAME:    {name = "n", shape = "", type = index}, {name = "arg2", shape = "", type = f32}]
// CHECK-SAME:    tw.result_values = [{name = "result0", shape = "[x_d0 * 2][4]", type = tensor<?x4xf32>},
// CHECK-SAME:    {name = "result1", shape = "[n]", type = tensor<?xf32>}]

// Without sizes there is no such function.
func.func @one(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// CHECK-NOT:   @one.result_sizes
// CHECK-LABEL: func.func @one(
