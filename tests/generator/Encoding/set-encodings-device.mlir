// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --pass-pipeline="builtin.module(tw-assign-devices{devices=host=generic,gpu=amdgpu:gfx942},func.func(tw-set-encodings))" | FileCheck %s

// Loops that lie next to each other are one on either; what is made for one runs where it does.
// CHECK-LABEL: func.func @both(
// CHECK:         tensor.collapse_shape %{{.*}} : tensor<3x5x7xf32> into tensor<15x7xf32>
// CHECK:         tw.set_encoding ins(%{{.*}} : tensor<15x7xf32>)
// CHECK-NOT:     tw.device =
// CHECK:         tw.unset_encoding
// CHECK:         tensor.collapse_shape %{{.*}} : tensor<3x5x7xf32> into tensor<15x7xf32>
// CHECK:         tw.set_encoding {{.*}} {tw.device = "host"}
// CHECK:         tw.set_encoding {{.*}} {tw.device = "host"}
// CHECK:         linalg.fill {tw.device = "host"}
// CHECK:         linalg.generic {{.*}} attrs = {tw.device = "host"}
// CHECK:         tw.unset_encoding {{.*}} {tw.device = "host"}
func.func @both(%a: tensor<3x5x7xf32>, %b: tensor<7x9xf32>, %c: tensor<3x5x9xf32>) -> (tensor<3x5x9xf32>, tensor<3x5x9xf32>) {
  %r = linalg.contract indexing_maps = [affine_map<(a, b, k, n) -> (a, b, k)>, affine_map<(a, b, k, n) -> (k, n)>, affine_map<(a, b, k, n) -> (a, b, n)>]
    ins(%a, %b : tensor<3x5x7xf32>, tensor<7x9xf32>) outs(%c : tensor<3x5x9xf32>) -> tensor<3x5x9xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill {tw.device = "host"} ins(%zero : f32) outs(%c : tensor<3x5x9xf32>) -> tensor<3x5x9xf32>
  %s = linalg.contract indexing_maps = [affine_map<(a, b, k, n) -> (a, b, k)>, affine_map<(a, b, k, n) -> (k, n)>, affine_map<(a, b, k, n) -> (a, b, n)>] {tw.device = "host"}
    ins(%a, %b : tensor<3x5x7xf32>, tensor<7x9xf32>) outs(%z : tensor<3x5x9xf32>) -> tensor<3x5x9xf32>
  return %r, %s : tensor<3x5x9xf32>, tensor<3x5x9xf32>
}
