// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-outline-dispatches --split-input-file | FileCheck %s

#all = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// Row by row: one function, in which what lies between has sizes of its own.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?x?xf32>, %{{.*}}: tensor<?x?xf32>, %[[M:[^:]*]]: index
// CHECK:         %[[R:.*]] = tw.dispatch @reduce_0 ins(%[[X]], %[[M]] : tensor<?x?xf32>, index) outs(%{{.*}} : tensor<?x?xf32>) accumulates [false]
// CHECK-NEXT:    return %[[R]]
// CHECK:       func.func private @reduce_0(%{{.*}}: tensor<?x?xf32>, %[[SIZE:.*]]: index, %[[Y:.*]]: tensor<?x?xf32>)
// CHECK:         tensor.empty(%[[SIZE]]) : tensor<?xf32>
// CHECK:         linalg.fill
// CHECK:         linalg.reduce
// CHECK:         linalg.generic {{.*}} outs(%[[Y]] :
func.func @rows(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %m: index) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
  %d = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<?x?xf32>, tensor<?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// What uses a result in between ends the group, which has to stand before it;
// so does a sum down the columns, which needs all rows.
// CHECK-LABEL: func.func @ends(
// CHECK:         tw.dispatch @reduction_0
// CHECK:         tensor.expand_shape
// CHECK:         tw.dispatch @elementwise_0
// CHECK:         tw.dispatch @reduce_0
func.func @ends(%x: tensor<16x16xf32>, %y: tensor<16x16xf32>, %z: tensor<16xf32>) -> (tensor<1x16xf32>, tensor<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %s = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<16x16xf32>) outs(%f : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.addf %a, %o : f32
    linalg.yield %q : f32
  } -> tensor<16xf32>
  %expanded = tensor.expand_shape %s [[0, 1]] output_shape [1, 16] : tensor<16xf32> into tensor<1x16xf32>
  %d = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<16x16xf32>, tensor<16xf32>) outs(%y : tensor<16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<16x16xf32>
  %g = linalg.fill ins(%zero : f32) outs(%z : tensor<16xf32>) -> tensor<16xf32>
  %columns = linalg.reduce { arith.addf } ins(%d : tensor<16x16xf32>) outs(%g : tensor<16xf32>) dimensions = [0]
  return %expanded, %columns : tensor<1x16xf32>, tensor<16xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// Of one row, too: what begins its sum is one element, which has no vectors.
// CHECK-LABEL: func.func @one_row(
// CHECK-COUNT-1: tw.dispatch @
// CHECK-NEXT:    return
func.func @one_row(%x: tensor<1x64xf32>, %y: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<1x64xf32>) outs(%f : tensor<1xf32>) dimensions = [1]
  %d = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<1x64xf32>, tensor<1xf32>) outs(%y : tensor<1x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<1x64xf32>
  return %d : tensor<1x64xf32>
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i, j) -> (i, 1)>

// But elements that are no rows' would be done again for each.
// CHECK-LABEL: func.func @no_rows(
// CHECK-COUNT-2: tw.dispatch @
func.func @no_rows(%x: tensor<2x64xf32>, %s: tensor<2x3xf32>, %t: tensor<2x3xf32>, %y: tensor<2x64xf32>)
    -> (tensor<2x64xf32>, tensor<2x3xf32>) {
  %n = linalg.negf ins(%s : tensor<2x3xf32>) outs(%t : tensor<2x3xf32>) -> tensor<2x3xf32>
  %d = linalg.generic {indexing_maps = [#all, #one, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %n : tensor<2x64xf32>, tensor<2x3xf32>) outs(%y : tensor<2x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<2x64xf32>
  return %d, %n : tensor<2x64xf32>, tensor<2x3xf32>
}
