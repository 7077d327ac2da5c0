// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --pass-pipeline="builtin.module(func.func(tw-materialize-encodings,tw-verify-encodings{none-left},canonicalize))" | FileCheck %s

#all = affine_map<(b, m, n) -> (b, m, n)>
#bn = affine_map<(b, m, n) -> (b, n)>
#nb = affine_map<(b, m, n) -> (n, b)>
#b = affine_map<(b, m, n) -> (b)>
#none = affine_map<(b, m, n) -> ()>
#out = #tw.layout<outer = [1, 0, 2], inner = [1, 2], tiles = [8, 16]>

// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
// CHECK-DAG: #[[BN:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d4)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1)>
// CHECK-DAG: #[[SCALAR:.*]] = affine_map<(d0, d1, d2, d3, d4) -> ()>

// Elements as they lie. Smaller operands are packed in the tiles of the dimensions that they have, in the order in which the
// layout goes through these, filled up; what has no tiled dimension stays.
// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<3x2x2x8x16xf32>, %[[Y:[a-z0-9]+]]: tensor<2x30xf32>, %[[Z:[a-z0-9]+]]: tensor<30x2xf32>, %[[V:[a-z0-9]+]]: tensor<2xf32>, %[[S:[a-z0-9]+]]: f32
// CHECK-DAG:     %[[PY:.*]] = linalg.pack %[[Y]] padding_value({{.*}}) {{.*}}inner_dims_pos = [1] inner_tiles = [16] into %{{.*}} : tensor<2x30xf32> -> tensor<2x2x16xf32>
// CHECK-DAG:     %[[PZ:.*]] = linalg.pack %[[Z]] padding_value({{.*}}) outer_dims_perm = [1, 0] inner_dims_pos = [0] inner_tiles = [16] into %{{.*}} : tensor<30x2xf32> -> tensor<2x2x16xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[ALL]], #[[BN]], #[[BN]], #[[B]], #[[SCALAR]], #[[ALL]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]}
// CHECK-SAME:      ins(%[[X]], %[[PY]], %[[PZ]], %[[V]], %[[S]] : tensor<3x2x2x8x16xf32>, tensor<2x2x16xf32>, tensor<2x2x16xf32>, tensor<2xf32>, f32) outs(%{{.*}} : tensor<3x2x2x8x16xf32>)
func.func @elementwise(%x: tensor<2x20x30xf32, #out>, %y: tensor<2x30xf32>, %z: tensor<30x2xf32>, %v: tensor<2xf32>, %s: f32) -> tensor<2x20x30xf32, #out> {
  %d = tensor.empty() : tensor<2x20x30xf32, #out>
  %r = linalg.generic {indexing_maps = [#all, #bn, #nb, #b, #none, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %y, %z, %v, %s : tensor<2x20x30xf32, #out>, tensor<2x30xf32>, tensor<30x2xf32>, tensor<2xf32>, f32) outs(%d : tensor<2x20x30xf32, #out>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %e: f32, %f: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.addf %0, %c : f32
    %2 = arith.mulf %1, %e : f32
    %3 = arith.mulf %2, %f : f32
    linalg.yield %3 : f32
  } -> tensor<2x20x30xf32, #out>
  return %r : tensor<2x20x30xf32, #out>
}

// An identity leaves the operation as it was.
// CHECK-LABEL: func.func @identity(
// CHECK-NOT:     linalg.pack
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x5x6xf32>, tensor<4x6xf32>) outs(%{{.*}} : tensor<4x5x6xf32>)
func.func @identity(%x: tensor<4x5x6xf32, #tw.layout<identity>>, %y: tensor<4x6xf32>) -> tensor<4x5x6xf32, #tw.layout<identity>> {
  %d = tensor.empty() : tensor<4x5x6xf32, #tw.layout<identity>>
  %r = linalg.generic {indexing_maps = [#all, #bn, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %y : tensor<4x5x6xf32, #tw.layout<identity>>, tensor<4x6xf32>) outs(%d : tensor<4x5x6xf32, #tw.layout<identity>>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x5x6xf32, #tw.layout<identity>>
  return %r : tensor<4x5x6xf32, #tw.layout<identity>>
}
