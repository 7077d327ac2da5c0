// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-name-entry-points --split-input-file | FileCheck %s

func.func private @not.called(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @"Graph in 2-D"(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = call @not.called(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func @float(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = call @"Graph in 2-D"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func @f.g(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @f_g(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// Would be what the model itself calls.
func.func @expf(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @malloc(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// CHECK: func.func private @not.called(
// CHECK: func.func @Graph_in_2_D(
// CHECK: func.func @model_float(
// CHECK: call @Graph_in_2_D(
// CHECK: func.func @f_g_(
// CHECK: func.func @f_g(
// CHECK: func.func @model_expf(
// CHECK: func.func @model_malloc(

// -----

// A program has a main of its own.
module @jit_step {
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
}

// CHECK: module @jit_step
// CHECK: func.func @jit_step(

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// CHECK: func.func @model(
