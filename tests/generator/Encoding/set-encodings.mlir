// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tw-set-encodings,tw-verify-encodings))" | FileCheck %s
// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tw-set-encodings,tw-set-encodings))" | FileCheck %s

// Operands are encoded, the result is not any more, and goes where it went.
// CHECK-DAG: #[[MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[KN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[LHS:.*]] = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#[[MK]], #[[KN]], #[[MN]]], sizes = [?, 96, 64]>
// CHECK-DAG: #[[RHS:.*]] = #tw.encoding<rhs, types = [f32, f32, f32], maps = [#[[MK]], #[[KN]], #[[MN]]], sizes = [?, 96, 64]>
// CHECK-DAG: #[[OUT:.*]] = #tw.encoding<out, types = [f32, f32, f32], maps = [#[[MK]], #[[KN]], #[[MN]]], sizes = [?, 96, 64]>
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME:    %[[A:.*]]: tensor<?x64xf32>, %[[B:.*]]: tensor<64x96xf32>, %[[C:.*]]: tensor<?x96xf32>
// CHECK:         %[[M:.*]] = tensor.dim %[[A]]
// CHECK:         %[[DA:.*]] = tensor.empty(%[[M]]) : tensor<?x64xf32, #[[LHS]]>
// CHECK:         %[[EA:.*]] = tw.set_encoding ins(%[[A]] : {{.*}}) outs(%[[DA]] :
// CHECK:         %[[EB:.*]] = tw.set_encoding ins(%[[B]] : {{.*}} -> tensor<64x96xf32, #[[RHS]]>
// CHECK:         %[[EC:.*]] = tw.set_encoding ins(%[[C]] : {{.*}} -> tensor<?x96xf32, #[[OUT]]>
// CHECK:         %[[R:.*]] = linalg.generic {indexing_maps = [#[[MK]], #[[KN]], #[[MN]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%[[EA]], %[[EB]] : {{.*}}) outs(%[[EC]] : tensor<?x96xf32, #[[OUT]]>)
// CHECK:         %[[U:.*]] = tw.unset_encoding ins(%[[R]] : tensor<?x96xf32, #[[OUT]]>) outs(%[[C]] : tensor<?x96xf32>)
// CHECK-NEXT:    return %[[U]]
func.func @matmul(%a: tensor<?x64xf32>, %b: tensor<64x96xf32>, %c: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x96xf32>) outs(%c : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}

// -----

// Zeros are encoded zeros, other values are set; -0 + x is x for each x, which
// 0 + x is not.
// CHECK-LABEL: func.func @zeros(
// CHECK-SAME:    %{{.*}}: tensor<4x8xf32>, %{{.*}}: tensor<8x5xf32>, %[[D:.*]]: tensor<4x5xf32>
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[E:.*]] = tensor.empty() : tensor<4x5xf32, #[[OUT:.*]]>
// CHECK:         %[[Z:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[E]] : tensor<4x5xf32, #[[OUT]]>)
// CHECK:         linalg.generic {{.*}} outs(%[[Z]] :
// CHECK:         tw.unset_encoding {{.*}} outs(%[[D]] :
func.func @zeros(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %d: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<4x5xf32>) -> tensor<4x5xf32>
  %r = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%z : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// CHECK-LABEL: func.func @integer_zeros(
// CHECK-COUNT-2: tw.set_encoding
// CHECK-NOT:     tw.set_encoding
// CHECK:         linalg.fill {{.*}} -> tensor<4x5xi32, #{{.*}}>
func.func @integer_zeros(%a: tensor<4x8xi8>, %b: tensor<8x5xi8>, %d: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %zero = arith.constant 0 : i32
  %z = linalg.fill ins(%zero : i32) outs(%d : tensor<4x5xi32>) -> tensor<4x5xi32>
  %r = linalg.matmul ins(%a, %b : tensor<4x8xi8>, tensor<8x5xi8>) outs(%z : tensor<4x5xi32>) -> tensor<4x5xi32>
  return %r : tensor<4x5xi32>
}

// CHECK-LABEL: func.func @negative_zeros(
// CHECK:         %[[Z:.*]] = linalg.fill {{.*}} -> tensor<4x5xf32>
// CHECK:         tw.set_encoding ins(%[[Z]] :
func.func @negative_zeros(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %d: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %zero = arith.constant -0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<4x5xf32>) -> tensor<4x5xf32>
  %r = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%z : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// -----

// A batch, here of two dimensions that are one.
// CHECK-DAG: #[[L:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[R:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG: #[[O:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG: #tw.encoding<rhs, types = [f32, f32, f32], maps = [#[[L]], #[[R]], #[[O]]], sizes = [6, 4, 9, 5]>
// CHECK-LABEL: func.func @batch(
// CHECK:         tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2], [3]] : tensor<2x3x4x5xf32> into tensor<6x4x5xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[L]], #[[R]], #[[O]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2], [3]] output_shape [2, 3, 4, 9]
func.func @batch(%a: tensor<2x3x4x5xf32>, %b: tensor<2x3x5x9xf32>, %c: tensor<2x3x4x9xf32>) -> tensor<2x3x4x9xf32> {
  %r = linalg.contract indexing_maps = [affine_map<(a, b, m, n, k) -> (a, b, m, k)>, affine_map<(a, b, m, n, k) -> (a, b, k, n)>, affine_map<(a, b, m, n, k) -> (a, b, m, n)>]
    ins(%a, %b : tensor<2x3x4x5xf32>, tensor<2x3x5x9xf32>) outs(%c : tensor<2x3x4x9xf32>) -> tensor<2x3x4x9xf32>
  return %r : tensor<2x3x4x9xf32>
}

// -----

// Two loops of m and two of n that the result has in another order, two of k
// that are beside each other in lhs only.
// CHECK-DAG: #[[L:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d4, d5)>
// CHECK-DAG: #[[R:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d2, d3, d5)>
// CHECK-DAG: #[[O:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d0, d3, d2)>
// CHECK-DAG: #tw.encoding<lhs, types = [f32, f32, f32], maps = [#[[L]], #[[R]], #[[O]]], sizes = [2, 3, 4, 5, 6, 7]>
// CHECK-LABEL: func.func @several(
// CHECK-NOT:     tensor.collapse_shape
// CHECK:         linalg.generic {indexing_maps = [#[[L]], #[[R]], #[[O]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
func.func @several(%a: tensor<2x3x6x7xf32>, %b: tensor<6x4x5x7xf32>, %c: tensor<3x2x5x4xf32>) -> tensor<3x2x5x4xf32> {
  %r = linalg.contract indexing_maps = [affine_map<(m, p, n, q, k, l) -> (m, p, k, l)>, affine_map<(m, p, n, q, k, l) -> (k, n, q, l)>, affine_map<(m, p, n, q, k, l) -> (p, m, q, n)>]
    ins(%a, %b : tensor<2x3x6x7xf32>, tensor<6x4x5x7xf32>) outs(%c : tensor<3x2x5x4xf32>) -> tensor<3x2x5x4xf32>
  return %r : tensor<3x2x5x4xf32>
}

// -----

// Three of m and two of k and n that are each one; loops keep their order. The
// destination that is filled is made anew, of one dimension less.
// CHECK-DAG: #[[L:.*]] = affine_map<(d0, d1, d2) -> (d1, d0)>
// CHECK-DAG: #[[R:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[O:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[LHS:.*]] = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#[[L]], #[[R]], #[[O]]], sizes = [12, ?, 20]>
// CHECK-LABEL: func.func @merged(
// CHECK:         tensor.collapse_shape %{{.*}} {{\[\[}}0, 1, 2], [3, 4]] : tensor<2x?x3x3x4xf32> into tensor<?x12xf32>
// CHECK:         tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2, 3]] : tensor<3x4x5x4xf32> into tensor<12x20xf32>
// CHECK:         %[[D:.*]] = tensor.empty(%{{.*}}) : tensor<?x20xf32>
// CHECK:         tw.set_encoding {{.*}} -> tensor<?x12xf32, #[[LHS]]>
// CHECK:         %[[U:.*]] = tw.unset_encoding {{.*}} outs(%[[D]] :
// CHECK:         tensor.expand_shape %[[U]] {{\[\[}}0, 1, 2], [3, 4]] output_shape [2, %{{.*}}, 3, 5, 4]
func.func @merged(%a: tensor<2x?x3x3x4xf32>, %b: tensor<3x4x5x4xf32>, %n: index) -> tensor<2x?x3x5x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<2x?x3x5x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x?x3x5x4xf32>) -> tensor<2x?x3x5x4xf32>
  %r = linalg.contract indexing_maps = [affine_map<(k, l, m, o, p, n, q) -> (m, o, p, k, l)>, affine_map<(k, l, m, o, p, n, q) -> (k, l, n, q)>, affine_map<(k, l, m, o, p, n, q) -> (m, o, p, n, q)>]
    ins(%a, %b : tensor<2x?x3x3x4xf32>, tensor<3x4x5x4xf32>) outs(%z : tensor<2x?x3x5x4xf32>) -> tensor<2x?x3x5x4xf32>
  return %r : tensor<2x?x3x5x4xf32>
}

// -----

// Neither those of the other order, nor those with another between.
// CHECK-DAG: #tw.encoding<lhs, {{.*}} sizes = [2, 3, 4, 5]>
// CHECK-LABEL: func.func @not_merged(
// CHECK-NOT: tensor.collapse_shape
// CHECK: tw.set_encoding ins(%{{.*}} : tensor<2x4x3xf32>)
func.func @not_merged(%a: tensor<2x4x3xf32>, %b: tensor<4x5xf32>, %c: tensor<2x3x5xf32>) -> tensor<2x3x5xf32> {
  %r = linalg.contract indexing_maps = [affine_map<(m, p, k, n) -> (m, k, p)>, affine_map<(m, p, k, n) -> (k, n)>, affine_map<(m, p, k, n) -> (m, p, n)>]
    ins(%a, %b : tensor<2x4x3xf32>, tensor<4x5xf32>) outs(%c : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %r : tensor<2x3x5xf32>
}

// -----

// A loop of one iteration is none beside another of its kind: rows are the batch, not the one pixel behind the channels.
// But all of a kind are not none, and neither is one whose size is not known.
// CHECK-DAG: #tw.encoding<lhs, {{.*}} sizes = [?, 8, 5]>
// CHECK-DAG: #tw.encoding<lhs, {{.*}} sizes = [8, 5, 1]>
// CHECK-DAG: #tw.encoding<lhs, {{.*}} sizes = [4, 8, 5, ?]>
// CHECK-LABEL: func.func @one_pixel(
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]] : tensor<?x5x1xf32> into tensor<?x5xf32>
// CHECK: tw.unset_encoding {{.*}} -> tensor<?x8xf32>
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]] output_shape [%{{.*}}, 8, 1] : tensor<?x8xf32> into tensor<?x8x1xf32>
func.func @one_pixel(%a: tensor<?x5x1xf32>, %b: tensor<8x5xf32>, %c: tensor<?x8x1xf32>) -> tensor<?x8x1xf32> {
  %r = linalg.contract indexing_maps = [affine_map<(m, n, k, p) -> (m, k, p)>, affine_map<(m, n, k, p) -> (n, k)>, affine_map<(m, n, k, p) -> (m, n, p)>]
    ins(%a, %b : tensor<?x5x1xf32>, tensor<8x5xf32>) outs(%c : tensor<?x8x1xf32>) -> tensor<?x8x1xf32>
  return %r : tensor<?x8x1xf32>
}
func.func @one_row(%a: tensor<1x5x1xf32>, %b: tensor<8x5xf32>, %c: tensor<1x8x1xf32>) -> tensor<1x8x1xf32> {
  %r = linalg.contract indexing_maps = [affine_map<(m, n, k, p) -> (m, k, p)>, affine_map<(m, n, k, p) -> (n, k)>, affine_map<(m, n, k, p) -> (m, n, p)>]
    ins(%a, %b : tensor<1x5x1xf32>, tensor<8x5xf32>) outs(%c : tensor<1x8x1xf32>) -> tensor<1x8x1xf32>
  return %r : tensor<1x8x1xf32>
}
func.func @unknown(%a: tensor<4x5x?xf32>, %b: tensor<8x5xf32>, %c: tensor<4x8x?xf32>) -> tensor<4x8x?xf32> {
  %r = linalg.contract indexing_maps = [affine_map<(m, n, k, p) -> (m, k, p)>, affine_map<(m, n, k, p) -> (n, k)>, affine_map<(m, n, k, p) -> (m, n, p)>]
    ins(%a, %b : tensor<4x5x?xf32>, tensor<8x5xf32>) outs(%c : tensor<4x8x?xf32>) -> tensor<4x8x?xf32>
  return %r : tensor<4x8x?xf32>
}

// -----

// A matrix times a vector: one row, and the matrix is rhs, transposed.
// CHECK-DAG: #[[L:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[R:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #[[O:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #tw.encoding<lhs, types = [f32, f32, f32], maps = [#[[L]], #[[R]], #[[O]]], sizes = [9, 7, 1]>
// CHECK-LABEL: func.func @matvec(
// CHECK-SAME:    %[[A:.*]]: tensor<9x7xf32>, %[[B:.*]]: tensor<7xf32>, %[[C:.*]]: tensor<9xf32>
// CHECK:         %[[ROW:.*]] = tensor.expand_shape %[[B]] {{.*}} : tensor<7xf32> into tensor<1x7xf32>
// CHECK:         %[[OUT:.*]] = tensor.expand_shape %[[C]] {{.*}} : tensor<9xf32> into tensor<1x9xf32>
// CHECK:         %[[LHS:.*]] = tw.set_encoding ins(%[[ROW]] : {{.*}} -> tensor<1x7xf32, #lhs>
// CHECK:         %[[RHS:.*]] = tw.set_encoding ins(%[[A]] : {{.*}} -> tensor<9x7xf32, #rhs>
// CHECK:         linalg.generic {indexing_maps = [#[[L]], #[[R]], #[[O]]], iterator_types = ["parallel", "reduction", "parallel"]} ins(%[[LHS]], %[[RHS]] :
// CHECK:         %[[U:.*]] = tw.unset_encoding {{.*}} outs(%[[OUT]] : tensor<1x9xf32>)
// CHECK:         tensor.collapse_shape %[[U]] {{.*}} : tensor<1x9xf32> into tensor<9xf32>
func.func @matvec(%a: tensor<9x7xf32>, %b: tensor<7xf32>, %c: tensor<9xf32>) -> tensor<9xf32> {
  %r = linalg.matvec ins(%a, %b : tensor<9x7xf32>, tensor<7xf32>) outs(%c : tensor<9xf32>) -> tensor<9xf32>
  return %r : tensor<9xf32>
}

// -----

// A vector times a matrix has no m, and is not swapped.
// CHECK-DAG: #[[L:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[R:.*]] = affine_map<(d0, d1, d2) -> (d1, d0)>
// CHECK-DAG: #tw.encoding<lhs, {{.*}}, maps = [#[[L]], #[[R]], #{{.*}}], sizes = [9, 7, 1]>
// CHECK-LABEL: func.func @vecmat(
// CHECK:         tw.set_encoding {{.*}} -> tensor<1x7xf32, #lhs>
// CHECK:         tw.set_encoding {{.*}} -> tensor<7x9xf32, #rhs>
// CHECK:         tensor.collapse_shape {{.*}} : tensor<1x9xf32> into tensor<9xf32>
func.func @vecmat(%a: tensor<7xf32>, %b: tensor<7x9xf32>, %c: tensor<9xf32>) -> tensor<9xf32> {
  %r = linalg.vecmat ins(%a, %b : tensor<7xf32>, tensor<7x9xf32>) outs(%c : tensor<9xf32>) -> tensor<9xf32>
  return %r : tensor<9xf32>
}

// -----

// A product of vectors has neither.
// CHECK-DAG: #tw.encoding<out, {{.*}} sizes = [?, 1, 1]>
// CHECK-LABEL: func.func @dot(
// CHECK:         tw.set_encoding {{.*}} -> tensor<1x?xf32, #lhs>
// CHECK:         tw.set_encoding {{.*}} -> tensor<1x?xf32, #rhs>
// CHECK:         tw.set_encoding {{.*}} -> tensor<1x1xf32, #out>
// CHECK:         tensor.collapse_shape {{.*}} : tensor<1x1xf32> into tensor<f32>
func.func @dot(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<f32>) -> tensor<f32> {
  %r = linalg.dot ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%c : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// An outer product has no k, of which one loop does it.
// CHECK-DAG: #[[L:.*]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[R:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[O:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: #tw.encoding<lhs, {{.*}}, maps = [#[[L]], #[[R]], #[[O]]], sizes = [5, 7, 1]>
// CHECK-LABEL: func.func @outer(
// CHECK:         iterator_types = ["parallel", "parallel", "reduction"]} ins(%{{.*}}, %{{.*}} : tensor<1x5xf32, #lhs>, tensor<1x7xf32, #rhs>) outs(%{{.*}} : tensor<5x7xf32, #out>)
func.func @outer(%a: tensor<5xf32>, %b: tensor<7xf32>, %c: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%a, %b : tensor<5xf32>, tensor<7xf32>) outs(%c : tensor<5x7xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}

// -----

// A batch of matrices times vectors: what was added is in front of the batch.
// CHECK-DAG: #[[L:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d0, d2)>
// CHECK-DAG: #[[R:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG: #[[O:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d0, d1)>
// CHECK-DAG: #tw.encoding<lhs, {{.*}}, maps = [#[[L]], #[[R]], #[[O]]], sizes = [2, 5, 7, 1]>
// CHECK-LABEL: func.func @batch_matvec(
// CHECK:         tw.set_encoding {{.*}} -> tensor<1x2x7xf32, #lhs>
func.func @batch_matvec(%a: tensor<2x5x7xf32>, %b: tensor<2x7xf32>, %c: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %r = linalg.batch_matvec ins(%a, %b : tensor<2x5x7xf32>, tensor<2x7xf32>) outs(%c : tensor<2x5xf32>) -> tensor<2x5xf32>
  return %r : tensor<2x5xf32>
}

// -----

// The extensions tell the signs of integers, in the order of the operands.
// CHECK-DAG: #tw.encoding<lhs, types = [ui8, si8, si32],
// CHECK-LABEL: func.func @signs(
// CHECK: tw.set_encoding {{.*}} -> tensor<4x8xi8, #lhs>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @signs(%a: tensor<4x8xi8>, %b: tensor<8x5xi8>, %c: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xi8>, tensor<8x5xi8>) outs(%c : tensor<4x5xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %e = arith.extui %x : i8 to i32
    %f = arith.extsi %y : i8 to i32
    %p = arith.muli %f, %e : i32
    %s = arith.addi %p, %o : i32
    linalg.yield %s : i32
  } -> tensor<4x5xi32>
  return %r : tensor<4x5xi32>
}

// -----

// With the vector as lhs its sign is first.
// CHECK-DAG: #tw.encoding<lhs, types = [ui8, si16, si32],
// CHECK-LABEL: func.func @swapped_signs(
// CHECK: tw.set_encoding {{.*}} -> tensor<1x8xi8, #lhs>
// CHECK: linalg.generic
// CHECK-NEXT: ^bb0(%[[X:.*]]: i8, %[[Y:.*]]: i16, %{{.*}}: i32):
// CHECK-DAG: arith.extui %[[X]]
// CHECK-DAG: arith.extsi %[[Y]]
func.func @swapped_signs(%a: tensor<4x8xi16>, %b: tensor<8xi8>, %c: tensor<4xi32>) -> tensor<4xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (k)>, affine_map<(m, k) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xi16>, tensor<8xi8>) outs(%c : tensor<4xi32>) {
  ^bb0(%x: i16, %y: i8, %o: i32):
    %e = arith.extsi %x : i16 to i32
    %f = arith.extui %y : i8 to i32
    %p = arith.muli %e, %f : i32
    %s = arith.addi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<4xi32>
  return %r : tensor<4xi32>
}

// -----

// Narrow weights have tiles as rhs only: the vector stays rhs, of one column.
// CHECK-DAG: #tw.encoding<lhs, types = [f32, f16, f32], {{.*}} sizes = [4, 8, 1]>
// CHECK-LABEL: func.func @not_swapped(
// CHECK: tw.set_encoding {{.*}} -> tensor<4x8xf32, #lhs>
// CHECK: tw.set_encoding {{.*}} -> tensor<1x8xf16, #rhs>
func.func @not_swapped(%a: tensor<4x8xf32>, %b: tensor<8xf16>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.matvec ins(%a, %b : tensor<4x8xf32>, tensor<8xf16>) outs(%c : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Other type triples.
// CHECK-DAG: types = [bf16, bf16, f32]
// CHECK-DAG: types = [f64, f64, f64]
// CHECK-LABEL: func.func @types(
func.func @types(%a: tensor<4x8xbf16>, %b: tensor<8x5xbf16>, %c: tensor<4x5xf32>, %d: tensor<4x8xf64>, %e: tensor<8x5xf64>, %f: tensor<4x5xf64>) -> (tensor<4x5xf32>, tensor<4x5xf64>) {
  %r = linalg.matmul ins(%a, %b : tensor<4x8xbf16>, tensor<8x5xbf16>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  %s = linalg.matmul ins(%d, %e : tensor<4x8xf64>, tensor<8x5xf64>) outs(%f : tensor<4x5xf64>) -> tensor<4x5xf64>
  return %r, %s : tensor<4x5xf32>, tensor<4x5xf64>
}
