// RUN: tw-opt %s --pass-pipeline='builtin.module(tw-assign-devices{devices=host=x86_64,gpu=amdgpu:gfx942},inline,func.func(tw-fuse-elementwise))' | FileCheck %s

// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A function's place is that of its operations, unless they have another; fusion leaves what two devices do two
// operations, and takes operations with names of their own.

// CHECK: module attributes {tw.devices = [#tw.device<"host" = "x86_64", memory = host>, #tw.device<"gpu" = "amdgpu:gfx942", memory = own>]}

#map = affine_map<(i) -> (i)>

// What becomes another operation stays where it was.
// CHECK-LABEL: func.func @constant(
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%{{[^,]*}} : tensor<8xf32>)
// CHECK-SAME:      tw.device = "host"
func.func @constant(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %two = arith.constant dense<2.0> : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%x, %two : tensor<8xf32>, tensor<8xf32>) outs(%x : tensor<8xf32>) attrs = {tw.device = "host"} {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %v = arith.mulf %in, %other : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %a : tensor<8xf32>
}

func.func private @helper(%x: tensor<8xf32>) -> tensor<8xf32> attributes {tw.device = "host"} {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.negf %in : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %b = linalg.exp {tw.device = "gpu"} ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %b : tensor<8xf32>
}

// CHECK-LABEL: func.func @f(
// CHECK:         linalg.generic
// CHECK-SAME:      tw.device = "host"
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.negf
// CHECK-NEXT:      linalg.yield
// CHECK:         linalg.generic
// CHECK-NOT:       tw.device
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      math.exp
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      linalg.yield
// CHECK-NOT:     linalg.generic
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %h = func.call @helper(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%h : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %in, %in : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %b = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.mulf %in, %in : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %b : tensor<8xf32>
}
