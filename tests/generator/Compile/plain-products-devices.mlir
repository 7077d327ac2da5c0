// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-assign-devices=devices=host=x86_64,gpu=amdgpu:gfx942 --tw-plain-products | FileCheck %s

// Zero points are taken off convolutions that have tiles, which those of the host have, also beside a GPU. Its own stay.
// CHECK-LABEL: func.func @on_host(
// CHECK-NOT:     linalg.conv_2d_nhwc_hwcf_q
// CHECK:         tw.device = "host"
// CHECK-LABEL: func.func @on_gpu(
// CHECK-NEXT:    arith.constant
// CHECK-NEXT:    linalg.conv_2d_nhwc_hwcf_q
// CHECK-NEXT:    return
func.func @on_host(%x: tensor<1x8x8x16xi8>, %w: tensor<3x3x16x8xi8>, %b: i32, %c: tensor<1x6x6x8xi32>) -> tensor<1x6x6x8xi32>
    attributes {tw.device = "host"} {
  %zero = arith.constant 0 : i32
  %r = linalg.conv_2d_nhwc_hwcf_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w, %zero, %b : tensor<1x8x8x16xi8>, tensor<3x3x16x8xi8>, i32, i32)
      outs(%c : tensor<1x6x6x8xi32>) -> tensor<1x6x6x8xi32>
  return %r : tensor<1x6x6x8xi32>
}
func.func @on_gpu(%x: tensor<1x8x8x16xi8>, %w: tensor<3x3x16x8xi8>, %b: i32, %c: tensor<1x6x6x8xi32>) -> tensor<1x6x6x8xi32> {
  %zero = arith.constant 0 : i32
  %r = linalg.conv_2d_nhwc_hwcf_q {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %w, %zero, %b : tensor<1x8x8x16xi8>, tensor<3x3x16x8xi8>, i32, i32)
      outs(%c : tensor<1x6x6x8xi32>) -> tensor<1x6x6x8xi32>
  return %r : tensor<1x6x6x8xi32>
}
