// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --tw-propagate-encodings | FileCheck %s
// RUN: tw-opt %s --split-input-file --tw-propagate-encodings=host-packs-blocks | FileCheck %s --check-prefix=BLOCKS
// RUN: tw-opt %s --split-input-file --tw-assign-devices=devices=host=x86_64,gpu=amdgpu:gfx942 --tw-propagate-encodings | FileCheck %s --check-prefix=BLOCKS

// Where contractions pack while they multiply, or on a GPU, nothing is saved.
// BLOCKS-NOT: linalg.generic {{.*}}#out>

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64]>
#lhs = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 32, 96]>
#all = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>

// Two results with one encoding, a bias that is a constant: two unsets are saved. The product is laid out anew for the next by
// tw-fold-encodings.
// CHECK-LABEL: func.func @gated(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<?x96xf32, #[[OUT:[a-z0-9]+]]>, %[[B:[a-z0-9]+]]: tensor<?x96xf32, #[[OUT]]>
// CHECK-DAG:     %[[BIAS:.*]] = arith.constant dense<2.0
// CHECK:         %[[S:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[BIAS]] : tensor<?x96xf32, #[[OUT]]>, tensor<96xf32>) outs(%{{.*}} : tensor<?x96xf32, #[[OUT]]>)
// CHECK:         %[[G:.*]] = linalg.generic {{.*}} ins(%[[S]], %[[B]] : tensor<?x96xf32, #[[OUT]]>, tensor<?x96xf32, #[[OUT]]>) outs(%{{.*}} : tensor<?x96xf32, #[[OUT]]>)
// CHECK:         %[[U:.*]] = tw.unset_encoding ins(%[[G]] :
// CHECK:         tw.set_encoding ins(%[[U]] :
// CHECK-NOT:     tw.unset_encoding
func.func @gated(%a: tensor<?x96xf32, #out>, %b: tensor<?x96xf32, #out>, %e: tensor<?x96xf32, #lhs>, %rows: index) -> tensor<?x96xf32, #lhs> {
  %bias = arith.constant dense<2.0> : tensor<96xf32>
  %d = tensor.empty(%rows) : tensor<?x96xf32>
  %x = tw.unset_encoding ins(%a : tensor<?x96xf32, #out>) outs(%d : tensor<?x96xf32>) -> tensor<?x96xf32>
  %y = tw.unset_encoding ins(%b : tensor<?x96xf32, #out>) outs(%d : tensor<?x96xf32>) -> tensor<?x96xf32>
  %s = linalg.generic {indexing_maps = [#all, #n, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %bias : tensor<?x96xf32>, tensor<96xf32>) outs(%d : tensor<?x96xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<?x96xf32>
  %g = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%s, %y : tensor<?x96xf32>, tensor<?x96xf32>) outs(%d : tensor<?x96xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.mulf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<?x96xf32>
  %z = tw.set_encoding ins(%g : tensor<?x96xf32>) outs(%e : tensor<?x96xf32, #lhs>) -> tensor<?x96xf32, #lhs>
  return %z : tensor<?x96xf32, #lhs>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 96, 64]>
#all = affine_map<(m, n) -> (m, n)>

// A residual is set, for two unsets that are saved; the sum is wanted as it would lie: two and two, nothing is saved.
// CHECK-LABEL: func.func @balanced(
// CHECK-NOT:     tw.set_encoding
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x96xf32>, tensor<?x96xf32>, tensor<?x96xf32>)
func.func @balanced(%a: tensor<?x96xf32, #out>, %b: tensor<?x96xf32, #out>, %c: tensor<?x96xf32>, %rows: index) -> tensor<?x96xf32> {
  %d = tensor.empty(%rows) : tensor<?x96xf32>
  %x = tw.unset_encoding ins(%a : tensor<?x96xf32, #out>) outs(%d : tensor<?x96xf32>) -> tensor<?x96xf32>
  %y = tw.unset_encoding ins(%b : tensor<?x96xf32, #out>) outs(%d : tensor<?x96xf32>) -> tensor<?x96xf32>
  %g = linalg.generic {indexing_maps = [#all, #all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y, %c : tensor<?x96xf32>, tensor<?x96xf32>, tensor<?x96xf32>) outs(%d : tensor<?x96xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    %t = arith.addf %s, %r : f32
    linalg.yield %t : f32
  } -> tensor<?x96xf32>
  return %g : tensor<?x96xf32>
}

// And so it is of one operation on one result.
// CHECK-LABEL: func.func @alone(
// CHECK:         tw.unset_encoding
// CHECK-NEXT:    linalg.generic
func.func @alone(%a: tensor<?x96xf32, #out>, %rows: index) -> tensor<?x96xf32> {
  %d = tensor.empty(%rows) : tensor<?x96xf32>
  %x = tw.unset_encoding ins(%a : tensor<?x96xf32, #out>) outs(%d : tensor<?x96xf32>) -> tensor<?x96xf32>
  %g = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x96xf32>) outs(%d : tensor<?x96xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = math.exp %p : f32
    linalg.yield %t : f32
  } -> tensor<?x96xf32>
  return %g : tensor<?x96xf32>
}

// Unset for somebody else, it stays; what is set again as it was stays encoded. The residual is set.
// CHECK-LABEL: func.func @used(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<?x96xf32, #[[OUT:[a-z0-9]+]]>, %[[C:[a-z0-9]+]]: tensor<?x96xf32>,
// CHECK:         %[[X:.*]] = tw.unset_encoding ins(%[[A]] :
// CHECK:         %[[R:.*]] = tw.set_encoding ins(%[[C]] :
// CHECK:         %[[G:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[R]] :
// CHECK:         %[[H:.*]] = linalg.generic {{.*}} ins(%[[G]] :
// CHECK-NOT:     tw.unset_encoding ins(%[[G]]
// CHECK:         return
func.func @used(%a: tensor<?x96xf32, #out>, %c: tensor<?x96xf32>, %e: tensor<?x96xf32, #out>, %rows: index)
    -> (tensor<?x96xf32>, tensor<?x96xf32, #out>, tensor<?x96xf32, #out>) {
  %d = tensor.empty(%rows) : tensor<?x96xf32>
  %x = tw.unset_encoding ins(%a : tensor<?x96xf32, #out>) outs(%d : tensor<?x96xf32>) -> tensor<?x96xf32>
  %g = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %c : tensor<?x96xf32>, tensor<?x96xf32>) outs(%d : tensor<?x96xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %t = arith.addf %p, %q : f32
    linalg.yield %t : f32
  } -> tensor<?x96xf32>
  %h = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<?x96xf32>) outs(%d : tensor<?x96xf32>) {
  ^bb0(%p: f32, %o: f32):
    %t = math.exp %p : f32
    linalg.yield %t : f32
  } -> tensor<?x96xf32>
  %y = tw.set_encoding ins(%h : tensor<?x96xf32>) outs(%e : tensor<?x96xf32, #out>) -> tensor<?x96xf32, #out>
  %z = tw.set_encoding ins(%h : tensor<?x96xf32>) outs(%e : tensor<?x96xf32, #out>) -> tensor<?x96xf32, #out>
  return %x, %y, %z : tensor<?x96xf32>, tensor<?x96xf32, #out>, tensor<?x96xf32, #out>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#out = #tw.encoding<out, types = [si32, si32, si32], maps = [#mk, #kn, #mn], sizes = [30, 30, 64]>
#lhs = #tw.encoding<lhs, types = [si32, si32, si32], maps = [#mk, #kn, #mn], sizes = [30, 32, 30]>
#all = affine_map<(m, n) -> (m, n)>
#turned = affine_map<(m, n) -> (n, m)>

// What lies beyond the tensor would be divided by, too: by zero. Nor is done what turns one of its operands, and what adds to
// what is there.
// CHECK-LABEL: func.func @refused(
// CHECK-NOT:     linalg.generic {{.*}}#tw.encoding
// CHECK-NOT:     linalg.generic {{.*}}xi32, #
// CHECK:         return
func.func @refused(%a: tensor<30x30xi32, #out>, %b: tensor<30x30xi32, #out>, %e: tensor<30x30xi32, #lhs>, %w: tensor<30x30xi32>)
    -> (tensor<30x30xi32, #lhs>, tensor<30x30xi32, #lhs>, tensor<30x30xi32, #lhs>) {
  %d = tensor.empty() : tensor<30x30xi32>
  %x = tw.unset_encoding ins(%a : tensor<30x30xi32, #out>) outs(%d : tensor<30x30xi32>) -> tensor<30x30xi32>
  %y = tw.unset_encoding ins(%b : tensor<30x30xi32, #out>) outs(%d : tensor<30x30xi32>) -> tensor<30x30xi32>
  %divided = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<30x30xi32>, tensor<30x30xi32>) outs(%d : tensor<30x30xi32>) {
  ^bb0(%p: i32, %q: i32, %o: i32):
    %t = arith.divsi %p, %q : i32
    linalg.yield %t : i32
  } -> tensor<30x30xi32>
  %turned = linalg.generic {indexing_maps = [#all, #turned, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<30x30xi32>, tensor<30x30xi32>) outs(%d : tensor<30x30xi32>) {
  ^bb0(%p: i32, %q: i32, %o: i32):
    %t = arith.addi %p, %q : i32
    linalg.yield %t : i32
  } -> tensor<30x30xi32>
  %added = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<30x30xi32>, tensor<30x30xi32>) outs(%w : tensor<30x30xi32>) {
  ^bb0(%p: i32, %q: i32, %o: i32):
    %t = arith.addi %p, %q : i32
    %u = arith.addi %t, %o : i32
    linalg.yield %u : i32
  } -> tensor<30x30xi32>
  %0 = tw.set_encoding ins(%divided : tensor<30x30xi32>) outs(%e : tensor<30x30xi32, #lhs>) -> tensor<30x30xi32, #lhs>
  %2 = tw.set_encoding ins(%turned : tensor<30x30xi32>) outs(%e : tensor<30x30xi32, #lhs>) -> tensor<30x30xi32, #lhs>
  %3 = tw.set_encoding ins(%added : tensor<30x30xi32>) outs(%e : tensor<30x30xi32, #lhs>) -> tensor<30x30xi32, #lhs>
  return %0, %2, %3 : tensor<30x30xi32, #lhs>, tensor<30x30xi32, #lhs>, tensor<30x30xi32, #lhs>
}

// -----

// Elements of less than a byte, of which panels have several in one, are not chosen in tiles.
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [64, 96, 64]>
#all = affine_map<(m, n) -> (m, n)>
// CHECK-LABEL: func.func @few_bits(
// CHECK:         %[[U:.*]] = tw.unset_encoding
// CHECK:         linalg.generic {{.*}} ins(%[[U]], %arg1 : tensor<64x96xf32>, tensor<64x96xf4E2M1FN>) outs(%{{.*}} : tensor<64x96xf4E2M1FN>)
func.func @few_bits(%a: tensor<64x96xf32, #out>, %b: tensor<64x96xf4E2M1FN>) -> tensor<64x96xf4E2M1FN> {
  %d = tensor.empty() : tensor<64x96xf32>
  %e = tensor.empty() : tensor<64x96xf4E2M1FN>
  %x = tw.unset_encoding ins(%a : tensor<64x96xf32, #out>) outs(%d : tensor<64x96xf32>) -> tensor<64x96xf32>
  %r = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<64x96xf32>, tensor<64x96xf4E2M1FN>) outs(%e : tensor<64x96xf4E2M1FN>) {
  ^bb0(%p: f32, %q: f4E2M1FN, %o: f4E2M1FN):
    %zero = arith.constant 0.0 : f32
    %none = arith.constant 0.0 : f4E2M1FN
    %c = arith.cmpf ogt, %p, %zero : f32
    %s = arith.select %c, %q, %none : f4E2M1FN
    linalg.yield %s : f4E2M1FN
  } -> tensor<64x96xf4E2M1FN>
  return %r : tensor<64x96xf4E2M1FN>
}
