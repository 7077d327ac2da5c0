// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s | tw-opt | FileCheck %s
// RUN: tw-opt %s --canonicalize --cse | FileCheck %s --check-prefix=SIMPLE

// CHECK-LABEL: func.func @f(
// CHECK-NEXT:    %[[A:.*]] = tw.kept 3 : tensor<4xf32>
// CHECK-NEXT:    %[[B:.*]] = tw.kept 3 : tensor<4xf32>
// CHECK-NEXT:    tw.kept 4 : tensor<2x3xi8>
// CHECK-NEXT:    tw.keep 0, %[[A]] {bytes_read = 16 : i64, operations = 8 : i64} : tensor<4xf32>
// CHECK-NEXT:    return %[[A]], %[[B]]

// It is the same whenever it is read, and kept although nobody here reads it.
// SIMPLE-LABEL: func.func @f(
// SIMPLE-NEXT:    %[[A:.*]] = tw.kept 3 : tensor<4xf32>
// SIMPLE-NEXT:    tw.keep 0, %[[A]]
// SIMPLE-NEXT:    return %[[A]], %[[A]]
func.func @f() -> (tensor<4xf32>, tensor<4xf32>) {
  %a = tw.kept 3 : tensor<4xf32>
  %b = tw.kept 3 : tensor<4xf32>
  %c = tw.kept 4 : tensor<2x3xi8>
  tw.keep 0, %a {bytes_read = 16 : i64, operations = 8 : i64} : tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// In the memory of a device it is another one.
// CHECK-LABEL: func.func @on_device(
// CHECK-NEXT:    %[[A:.*]] = tw.kept 3 {memory_space = 2 : i64} : tensor<4xf32>
// CHECK-NEXT:    %[[B:.*]] = tw.kept 3 : tensor<4xf32>
// CHECK-NEXT:    tw.keep 3, %[[A]] {bytes_read = 0 : i64, memory_space = 1 : i64, operations = 0 : i64} : tensor<4xf32>
// CHECK-NEXT:    return %[[B]]
// SIMPLE-LABEL: func.func @on_device(
// SIMPLE-DAG:     tw.kept 3 : tensor<4xf32>
// SIMPLE-DAG:     tw.kept 3 {memory_space = 2 : i64}
func.func @on_device() -> tensor<4xf32> {
  %a = tw.kept 3 {memory_space = 2 : i64} : tensor<4xf32>
  %b = tw.kept 3 : tensor<4xf32>
  tw.keep 3, %a {bytes_read = 0 : i64, memory_space = 1 : i64, operations = 0 : i64} : tensor<4xf32>
  return %b : tensor<4xf32>
}
