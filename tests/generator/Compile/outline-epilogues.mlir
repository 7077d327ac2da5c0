// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-outline-dispatches --split-input-file | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (n)>

// Elementwise, behind a multiplication, over its product.
// CHECK-LABEL: func.func @bias(
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<4x6xf32>
// CHECK:         %[[R:.*]]:2 = tw.dispatch @matmul_0 ins({{.*}} : tensor<4x5xf32>, tensor<5x6xf32>, tensor<6xf32>) outs(%{{.*}}, %[[E]] :
// CHECK:         return %[[R]]#1
// CHECK:       func.func private @matmul_0(%{{.*}}: tensor<?x?xf32>, %{{.*}}: tensor<?x?xf32>, %[[B:.*]]: tensor<?xf32>, %[[W:.*]]: tensor<?xi8>, %[[O:.*]]: tensor<?x?xf32>)
// CHECK:         %[[P:.*]]:2 = tw.matmul {{.*}} outs(%[[O]], %[[W]] :
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[P]]#0, %[[B]] : {{.*}}) outs(%[[P]]#0 :
func.func @bias(%x: tensor<4x5xf32>, %y: tensor<5x6xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %w = tensor.empty() : tensor<64xi8>
  %p:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> overwrite indexing_maps = [#mk, #kn, #mn]
      ins(%x, %y : tensor<4x5xf32>, tensor<5x6xf32>) outs(%e, %w : tensor<4x6xf32>, tensor<64xi8>) -> tensor<4x6xf32>, tensor<64xi8>
  %f = tensor.empty() : tensor<4x6xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p#0, %b : tensor<4x6xf32>, tensor<6xf32>) outs(%f : tensor<4x6xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id3 = affine_map<(a, b, n) -> (a, b, n)>

// Rows that were taken apart go together again. A result of another type has a
// place of its own.
// CHECK-LABEL: func.func @expanded(
// CHECK:         %[[R:.*]]:3 = tw.dispatch @matmul_0
// CHECK:         tensor.expand_shape %[[R]]#2 {{\[}}[0, 1], [2]] {{.*}} into tensor<2x2x6xf64>
// CHECK:       func.func private @matmul_0(
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]{{.*}} ins(%{{.*}} : tensor<?x?xf32>) outs(%{{.*}} : tensor<?x?xf64>)
func.func @expanded(%x: tensor<4x5xf32>, %y: tensor<5x6xf32>) -> tensor<2x2x6xf64> {
  %e = tensor.empty() : tensor<4x6xf32>
  %w = tensor.empty() : tensor<64xi8>
  %p:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> overwrite indexing_maps = [#mk, #kn, #mn]
      ins(%x, %y : tensor<4x5xf32>, tensor<5x6xf32>) outs(%e, %w : tensor<4x6xf32>, tensor<64xi8>) -> tensor<4x6xf32>, tensor<64xi8>
  %q = tensor.expand_shape %p#0 [[0, 1], [2]] output_shape [2, 2, 6] : tensor<4x6xf32> into tensor<2x2x6xf32>
  %f = tensor.empty() : tensor<2x2x6xf64>
  %r = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q : tensor<2x2x6xf32>) outs(%f : tensor<2x2x6xf64>) {
  ^bb0(%a: f32, %o: f64):
    %s = arith.extf %a : f32 to f64
    linalg.yield %s : f64
  } -> tensor<2x2x6xf64>
  return %r : tensor<2x2x6xf64>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
#rows = affine_map<(m, n) -> (m)>

// What a sum of rows needs too is a row of that; a product that has other
// users, and what asks for indices, stay as well.
// CHECK-LABEL: func.func @apart(
// CHECK:         tw.dispatch @matmul_0
// CHECK:         %[[S:.*]] = tw.dispatch @reduction_0
// CHECK:         tw.dispatch @matmul_0
// CHECK:         %[[I:.*]] = tw.dispatch @elementwise_0
// CHECK:         %[[P:.*]]:2 = tw.dispatch @matmul_0
// CHECK:         %[[T:.*]] = tw.dispatch @elementwise_1
// CHECK:         return %[[S]], %[[I]], %[[P]]#0, %[[T]]
func.func @apart(%x: tensor<4x5xf32>, %y: tensor<5x32xf32>, %z: tensor<5x32xf32>, %u: tensor<5x32xf32>) -> (tensor<4xf32>, tensor<4x32xi32>, tensor<4x32xf32>, tensor<4x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x32xf32>
  %w = tensor.empty() : tensor<64xi8>
  %p:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> overwrite indexing_maps = [#mk, #kn, #mn]
      ins(%x, %y : tensor<4x5xf32>, tensor<5x32xf32>) outs(%e, %w : tensor<4x32xf32>, tensor<64xi8>) -> tensor<4x32xf32>, tensor<64xi8>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p#0 : tensor<4x32xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.absf %a : f32
    linalg.yield %s : f32
  } -> tensor<4x32xf32>
  %g = tensor.empty() : tensor<4xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#id, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%r : tensor<4x32xf32>) outs(%h : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>

  %p2:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> overwrite indexing_maps = [#mk, #kn, #mn]
      ins(%x, %z : tensor<4x5xf32>, tensor<5x32xf32>) outs(%e, %w : tensor<4x32xf32>, tensor<64xi8>) -> tensor<4x32xf32>, tensor<64xi8>
  %f = tensor.empty() : tensor<4x32xi32>
  %i = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p2#0 : tensor<4x32xf32>) outs(%f : tensor<4x32xi32>) {
  ^bb0(%a: f32, %o: i32):
    %n = linalg.index 1 : index
    %c = arith.index_cast %n : index to i32
    %t = arith.fptosi %a : f32 to i32
    %s = arith.addi %c, %t : i32
    linalg.yield %s : i32
  } -> tensor<4x32xi32>

  %p3:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> overwrite indexing_maps = [#mk, #kn, #mn]
      ins(%x, %u : tensor<4x5xf32>, tensor<5x32xf32>) outs(%e, %w : tensor<4x32xf32>, tensor<64xi8>) -> tensor<4x32xf32>, tensor<64xi8>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p3#0 : tensor<4x32xf32>) outs(%e : tensor<4x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.absf %a : f32
    linalg.yield %s : f32
  } -> tensor<4x32xf32>
  return %sum, %i, %p3#0, %t : tensor<4xf32>, tensor<4x32xi32>, tensor<4x32xf32>, tensor<4x32xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id3 = affine_map<(a, b, n) -> (a, b, n)>
#unit = affine_map<(a, b, n) -> (0, 0, n)>

// Dimensions of size 1 that are indexed by 0 stay so.
// CHECK:       #[[ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @unit(
// CHECK-SAME:      %[[B:[^:]*]]: tensor<1x1x6xf32>
// CHECK:         %[[C:.*]] = tensor.collapse_shape %[[B]] {{\[}}[0, 1, 2]] : tensor<1x1x6xf32> into tensor<6xf32>
// CHECK:         tw.dispatch @matmul_0 ins({{.*}}%[[C]] :
// CHECK:         linalg.generic {indexing_maps = [#{{.*}}, #[[ROW]], #{{.*}}]
func.func @unit(%x: tensor<4x5xf32>, %y: tensor<5x6xf32>, %b: tensor<1x1x6xf32>) -> tensor<2x2x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %w = tensor.empty() : tensor<64xi8>
  %p:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> overwrite indexing_maps = [#mk, #kn, #mn]
      ins(%x, %y : tensor<4x5xf32>, tensor<5x6xf32>) outs(%e, %w : tensor<4x6xf32>, tensor<64xi8>) -> tensor<4x6xf32>, tensor<64xi8>
  %q = tensor.expand_shape %p#0 [[0, 1], [2]] output_shape [2, 2, 6] : tensor<4x6xf32> into tensor<2x2x6xf32>
  %f = tensor.empty() : tensor<2x2x6xf32>
  %r = linalg.generic {indexing_maps = [#id3, #unit, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q, %b : tensor<2x2x6xf32>, tensor<1x1x6xf32>) outs(%f : tensor<2x2x6xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<2x2x6xf32>
  return %r : tensor<2x2x6xf32>
}
