// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-fuse-elementwise | FileCheck %s

#row = affine_map<(d0, d1) -> (d0, d1)>
#kept = affine_map<(d0, d1) -> (d0, 0)>
#one = affine_map<(d0, d1) -> (0, 0)>

// A mean that keeps its dimension, as front ends write it: the sum, its quotient and what is subtracted from have the same
// rows, without it.
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[OF:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @mean(
// CHECK:         %[[F:.*]] = linalg.fill {{.*}} -> tensor<?xf32>
// CHECK:         %[[S:.*]] = linalg.generic {indexing_maps = [#{{.*}}, #[[OF]]], iterator_types = ["parallel", "reduction"]} ins(%{{.*}} : tensor<?x8xf32>) outs(%[[F]] : tensor<?xf32>)
// CHECK:         %[[M:.*]] = linalg.generic {indexing_maps = [#[[ROW]], #[[ROW]]], iterator_types = ["parallel"]} ins(%[[S]] : tensor<?xf32>)
// CHECK:         %[[KEPT:.*]] = tensor.expand_shape %[[M]] {{\[\[}}0, 1]] output_shape [%{{.*}}, 1] : tensor<?xf32> into tensor<?x1xf32>
// CHECK:         %[[R:.*]] = linalg.generic {indexing_maps = [#{{.*}}, #[[OF]], #{{.*}}], iterator_types = ["parallel", "parallel"]} ins(%{{.*}}, %[[M]] : tensor<?x8xf32>, tensor<?xf32>)
// CHECK:         return %[[KEPT]], %[[R]]
func.func @mean(%x: tensor<?x8xf32>) -> (tensor<?x1xf32>, tensor<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %d = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%d) : tensor<?x1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x1xf32>) -> tensor<?x1xf32>
  %s = linalg.generic {indexing_maps = [#row, #kept], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x8xf32>) outs(%f : tensor<?x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<?x1xf32>
  %m = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<?x1xf32>) outs(%e : tensor<?x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.divf %a, %n : f32
    linalg.yield %r : f32
  } -> tensor<?x1xf32>
  %xe = tensor.empty(%d) : tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [#row, #kept, #row], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<?x8xf32>, tensor<?x1xf32>) outs(%xe : tensor<?x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.subf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  return %m, %r : tensor<?x1xf32>, tensor<?x8xf32>
}

// Of everything; the index of what is gone is 0.
// CHECK-LABEL: func.func @all(
// CHECK:         %[[S:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "reduction"]} {{.*}} outs(%{{.*}} : tensor<i32>)
// CHECK:         %[[I:.*]] = linalg.generic {{.*}} iterator_types = []} ins(%[[S]] : tensor<i32>)
// CHECK-NOT:       linalg.index
// CHECK:         tensor.expand_shape %[[I]] [] output_shape [1, 1] : tensor<i32> into tensor<1x1xi32>
func.func @all(%x: tensor<3x4xi32>) -> tensor<1x1xi32> {
  %zero = arith.constant dense<0> : tensor<1x1xi32>
  %s = linalg.generic {indexing_maps = [#row, #one], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<3x4xi32>) outs(%zero : tensor<1x1xi32>) {
  ^bb0(%a: i32, %o: i32):
    %r = arith.addi %a, %o : i32
    linalg.yield %r : i32
  } -> tensor<1x1xi32>
  %e = tensor.empty() : tensor<1x1xi32>
  %i = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<1x1xi32>) outs(%e : tensor<1x1xi32>) {
  ^bb0(%a: i32, %o: i32):
    %at = linalg.index 1 : index
    %w = arith.index_cast %at : index to i32
    %r = arith.addi %a, %w : i32
    linalg.yield %r : i32
  } -> tensor<1x1xi32>
  return %i : tensor<1x1xi32>
}

// Other dimensions of size 1 stay: a product's epilogue, say, has those of the product.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     shape
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%{{.*}} : tensor<?x1xf32>)
func.func @others(%x: tensor<?x1xf32>, %e: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %r = linalg.exp ins(%x : tensor<?x1xf32>) outs(%e : tensor<?x1xf32>) -> tensor<?x1xf32>
  return %r : tensor<?x1xf32>
}

// CHECK-LABEL: func.func @sizes(
// CHECK:           linalg.index 0
// CHECK-NOT:       affine.apply
// CHECK:           arith.muli
// CHECK:           arith.addi
func.func @sizes(%n: index, %e: tensor<?xindex>) -> tensor<?xindex> {
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<?xindex>) {
  ^bb0(%o: index):
    %i = linalg.index 0 : index
    %j = affine.apply affine_map<(d0)[s0] -> (d0 * 2 + s0)>(%i)[%n]
    linalg.yield %j : index
  } -> tensor<?xindex>
  return %r : tensor<?xindex>
}
