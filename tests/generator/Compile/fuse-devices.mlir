// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-assign-devices=devices=host=x86_64,gpu=amdgpu:gfx942 --tw-fuse-elementwise | FileCheck %s

// What the host does beside a GPU is fused as without one, and stays the host's; what the GPU does keeps its form.

#row = affine_map<(d0, d1) -> (d0, d1)>
#kept = affine_map<(d0, d1) -> (d0, 0)>
#of = affine_map<(d0, d1) -> (d0)>
#line = affine_map<(d0) -> (d0)>

// CHECK-DAG: #[[KEPT:.*]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-DAG: #[[OF:.*]] = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @elementwise(
// CHECK:         linalg.generic
// CHECK-SAME:      tw.device = "host"
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      math.exp
// CHECK-NEXT:      arith.negf
// CHECK-NEXT:      linalg.yield
// CHECK-NOT:     linalg.generic
func.func @elementwise(%x: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> attributes {tw.device = "host"} {
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.negf ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %b : tensor<8xf32>
}

// A dimension that a sum keeps.
// CHECK-LABEL: func.func @sum(
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #[[OF]]], {{.*}} outs(%{{.*}} : tensor<?xf32>)
// CHECK-SAME:      tw.device = "host"
// CHECK-LABEL: func.func @sum_of_gpu(
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #[[KEPT]]], {{.*}} outs(%{{.*}} : tensor<?x1xf32>)
func.func @sum(%x: tensor<?x8xf32>, %z: tensor<?x1xf32>) -> tensor<?x1xf32> attributes {tw.device = "host"} {
  %s = linalg.generic {indexing_maps = [#row, #kept], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x8xf32>) outs(%z : tensor<?x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = arith.addf %o, %a : f32
    linalg.yield %b : f32
  } -> tensor<?x1xf32>
  return %s : tensor<?x1xf32>
}
func.func @sum_of_gpu(%x: tensor<?x8xf32>, %z: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %s = linalg.generic {indexing_maps = [#row, #kept], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x8xf32>) outs(%z : tensor<?x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = arith.addf %o, %a : f32
    linalg.yield %b : f32
  } -> tensor<?x1xf32>
  return %s : tensor<?x1xf32>
}

// A bias that a product begins with.
// CHECK-LABEL: func.func @bias(
// CHECK:         %[[Z:.*]] = linalg.fill {tw.device = "host"}
// CHECK:         %[[P:.*]] = linalg.matmul {tw.device = "host"} {{.*}} outs(%[[Z]] :
// CHECK:         linalg.generic {{.*}} ins(%[[P]], %{{.*}} : {{.*}} attrs = {tw.device = "host"}
// CHECK-LABEL: func.func @bias_of_gpu(
// CHECK:         %[[I:.*]] = linalg.broadcast
// CHECK:         %[[Q:.*]] = linalg.matmul {{.*}} outs(%[[I]] :
// CHECK-NEXT:    return %[[Q]]
func.func @bias(%x: tensor<?x5xf32>, %y: tensor<5x6xf32>, %b: tensor<6xf32>, %e: tensor<?x6xf32>) -> tensor<?x6xf32>
    attributes {tw.device = "host"} {
  %i = linalg.broadcast ins(%b : tensor<6xf32>) outs(%e : tensor<?x6xf32>) dimensions = [0]
  %p = linalg.matmul ins(%x, %y : tensor<?x5xf32>, tensor<5x6xf32>) outs(%i : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %p : tensor<?x6xf32>
}
func.func @bias_of_gpu(%x: tensor<?x5xf32>, %y: tensor<5x6xf32>, %b: tensor<6xf32>, %e: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %i = linalg.broadcast ins(%b : tensor<6xf32>) outs(%e : tensor<?x6xf32>) dimensions = [0]
  %p = linalg.matmul ins(%x, %y : tensor<?x5xf32>, tensor<5x6xf32>) outs(%i : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %p : tensor<?x6xf32>
}

// Arithmetic on indices in a body.
// CHECK-LABEL: func.func @index(
// CHECK-NOT:     affine.apply
// CHECK-LABEL: func.func @index_of_gpu(
// CHECK:         affine.apply
func.func @index(%e: tensor<8xindex>) -> tensor<8xindex> attributes {tw.device = "host"} {
  %r = linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]} outs(%e : tensor<8xindex>) {
  ^bb0(%o: index):
    %i = linalg.index 0 : index
    %j = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%i)
    linalg.yield %j : index
  } -> tensor<8xindex>
  return %r : tensor<8xindex>
}
func.func @index_of_gpu(%e: tensor<8xindex>) -> tensor<8xindex> {
  %r = linalg.generic {indexing_maps = [#line], iterator_types = ["parallel"]} outs(%e : tensor<8xindex>) {
  ^bb0(%o: index):
    %i = linalg.index 0 : index
    %j = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%i)
    linalg.yield %j : index
  } -> tensor<8xindex>
  return %r : tensor<8xindex>
}
