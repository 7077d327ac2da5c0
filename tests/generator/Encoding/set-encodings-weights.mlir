// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is packed before any call is a rhs: tw-set-encodings multiplies the
// other way round where it was a lhs, and leaves the loops, the body and the
// result as they are.

// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tw-set-encodings,tw-verify-encodings))" | FileCheck %s

// CHECK-DAG: #[[KN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[LHS:.*]] = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#[[KN]], #[[MK]], #[[MN]]], sizes = [96, ?, 64]>
// CHECK-DAG: #[[RHS:.*]] = #tw.encoding<rhs, types = [f32, f32, f32], maps = [#[[KN]], #[[MK]], #[[MN]]], sizes = [96, ?, 64]>
// CHECK-LABEL: func.func @constant(
// CHECK-SAME:    %[[X:.*]]: tensor<64x?xf32>
// CHECK:         %[[W:.*]] = arith.constant dense_resource<w>
// CHECK:         %[[EX:.*]] = tw.set_encoding ins(%[[X]] : {{.*}} -> tensor<64x?xf32, #[[LHS]]>
// CHECK:         %[[EW:.*]] = tw.set_encoding ins(%[[W]] : {{.*}} -> tensor<96x64xf32, #[[RHS]]>
// CHECK:         linalg.generic {indexing_maps = [#[[KN]], #[[MK]], #[[MN]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%[[EX]], %[[EW]] :
func.func @constant(%x: tensor<64x?xf32>, %c: tensor<96x?xf32>) -> tensor<96x?xf32> {
  %w = arith.constant dense_resource<w> : tensor<96x64xf32>
  %r = linalg.matmul ins(%w, %x : tensor<96x64xf32>, tensor<64x?xf32>) outs(%c : tensor<96x?xf32>) -> tensor<96x?xf32>
  return %r : tensor<96x?xf32>
}

// -----

// What an instance keeps, behind a reshape, of a batch.
// CHECK-LABEL: func.func @kept(
// CHECK-SAME:    %[[X:.*]]: tensor<2x64x5xf32>
// CHECK:         %[[W:.*]] = tensor.expand_shape
// CHECK:         %[[EX:.*]] = tw.set_encoding ins(%[[X]] : {{.*}} -> tensor<2x64x5xf32, #[[LHS:.*]]>
// CHECK:         %[[EW:.*]] = tw.set_encoding ins(%[[W]] : {{.*}} -> tensor<2x96x64xf32, #[[RHS:.*]]>
// CHECK:         linalg.generic {{.*}} ins(%[[EX]], %[[EW]] :
func.func @kept(%x: tensor<2x64x5xf32>, %c: tensor<2x96x5xf32>) -> tensor<2x96x5xf32> {
  %k = tw.kept 0 : tensor<192x64xf32>
  %w = tensor.expand_shape %k [[0, 1], [2]] output_shape [2, 96, 64] : tensor<192x64xf32> into tensor<2x96x64xf32>
  %r = linalg.batch_matmul ins(%w, %x : tensor<2x96x64xf32>, tensor<2x64x5xf32>) outs(%c : tensor<2x96x5xf32>) -> tensor<2x96x5xf32>
  return %r : tensor<2x96x5xf32>
}

// -----

// Each operand keeps its sign.
// CHECK-DAG:   #tw.encoding<rhs, types = [ui8, si8, si32],
// CHECK-LABEL: func.func @signs(
// CHECK:         ^bb0(%[[X:.*]]: i8, %[[W:.*]]: i8, %{{.*}}: i32):
// CHECK-DAG:       arith.extsi %[[W]]
// CHECK-DAG:       arith.extui %[[X]]
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @signs(%x: tensor<64x5xi8>, %c: tensor<96x5xi32>) -> tensor<96x5xi32> {
  %w = arith.constant dense_resource<w> : tensor<96x64xi8>
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%w, %x : tensor<96x64xi8>, tensor<64x5xi8>) outs(%c : tensor<96x5xi32>) {
  ^bb0(%a: i8, %b: i8, %o: i32):
    %l = arith.extsi %a : i8 to i32
    %r = arith.extui %b : i8 to i32
    %p = arith.muli %l, %r : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<96x5xi32>
  return %r : tensor<96x5xi32>
}

// -----

// Left alone: no tile has the elements the other way round.
// CHECK-LABEL: func.func @no_types(
// CHECK:         %[[EW:.*]] = tw.set_encoding ins(%cst :
// CHECK:         linalg.generic {{.*}} ins(%[[EW]], %{{.*}} :
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @no_types(%x: tensor<64x5xf16>, %c: tensor<96x5xf32>) -> tensor<96x5xf32> {
  %w = arith.constant dense_resource<w> : tensor<96x64xf32>
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%w, %x : tensor<96x64xf32>, tensor<64x5xf16>) outs(%c : tensor<96x5xf32>) {
  ^bb0(%a: f32, %b: f16, %o: f32):
    %r = arith.extf %b : f16 to f32
    %p = arith.mulf %a, %r : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<96x5xf32>
  return %r : tensor<96x5xf32>
}

// -----

// Of constants that are both, the second is the rhs already.
// CHECK-LABEL: func.func @both(
// CHECK:         %[[EW:.*]] = tw.set_encoding {{.*}} -> tensor<96x64xf32,
// CHECK:         linalg.generic {{.*}} ins(%[[EW]], %{{.*}} :
func.func @both(%c: tensor<96x5xf32>) -> tensor<96x5xf32> {
  %w = arith.constant dense_resource<w> : tensor<96x64xf32>
  %x = arith.constant dense_resource<x> : tensor<64x5xf32>
  %r = linalg.matmul ins(%w, %x : tensor<96x64xf32>, tensor<64x5xf32>) outs(%c : tensor<96x5xf32>) -> tensor<96x5xf32>
  return %r : tensor<96x5xf32>
}

// Seven rows would be columns that fill little of a panel; eight are enough.
// CHECK-LABEL: func.func @few_rows(
// CHECK:         %[[EW:.*]] = tw.set_encoding {{.*}} -> tensor<7x64xf32,
// CHECK:         linalg.generic {{.*}} ins(%[[EW]], %{{.*}} :
func.func @few_rows(%x: tensor<64x128xf32>, %c: tensor<7x128xf32>) -> tensor<7x128xf32> {
  %w = arith.constant dense_resource<w> : tensor<7x64xf32>
  %r = linalg.matmul ins(%w, %x : tensor<7x64xf32>, tensor<64x128xf32>) outs(%c : tensor<7x128xf32>) -> tensor<7x128xf32>
  return %r : tensor<7x128xf32>
}

// CHECK-LABEL: func.func @eight_rows(
// CHECK:         %[[EW:.*]] = tw.set_encoding {{.*}} -> tensor<8x64xf32,
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[EW]] :
func.func @eight_rows(%x: tensor<64x128xf32>, %c: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %w = arith.constant dense_resource<w> : tensor<8x64xf32>
  %r = linalg.matmul ins(%w, %x : tensor<8x64xf32>, tensor<64x128xf32>) outs(%c : tensor<8x128xf32>) -> tensor<8x128xf32>
  return %r : tensor<8x128xf32>
}

// An argument is none that is packed ahead.
// CHECK-LABEL: func.func @argument(
// CHECK:         %[[EW:.*]] = tw.set_encoding {{.*}} -> tensor<96x64xf32,
// CHECK:         linalg.generic {{.*}} ins(%[[EW]], %{{.*}} :
func.func @argument(%w: tensor<96x64xf32>, %x: tensor<64x128xf32>, %c: tensor<96x128xf32>) -> tensor<96x128xf32> {
  %r = linalg.matmul ins(%w, %x : tensor<96x64xf32>, tensor<64x128xf32>) outs(%c : tensor<96x128xf32>) -> tensor<96x128xf32>
  return %r : tensor<96x128xf32>
}
