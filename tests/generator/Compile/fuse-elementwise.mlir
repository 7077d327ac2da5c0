// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-fuse-elementwise | FileCheck %s
// RUN: tw-opt %s --tw-assign-devices=devices=host=x86_64,gpu=amdgpu:gfx942 --tw-fuse-elementwise | FileCheck %s

#i = affine_map<(i, j) -> (i, j)>
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>

// Two operations are one, but the product of what they make is a tile's.
// CHECK-LABEL: func.func @product(
// CHECK:         linalg.generic
// CHECK:           arith.negf
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      linalg.yield
// CHECK:         linalg.generic
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      linalg.yield
// CHECK-NOT:     linalg.generic
func.func @product(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>, %o: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %n = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%u: f32, %v: f32):
    %w = arith.negf %u : f32
    linalg.yield %w : f32
  } -> tensor<8x8xf32>
  %t = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel", "parallel"]}
      ins(%n : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%u: f32, %v: f32):
    %w = arith.addf %u, %u : f32
    linalg.yield %w : f32
  } -> tensor<8x8xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%t, %y : tensor<8x8xf32>, tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) {
  ^bb0(%u: f32, %v: f32, %s: f32):
    %p = arith.mulf %u, %v : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// What no tile computes is fused.
// CHECK-LABEL: func.func @loops(
// CHECK:         linalg.generic
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.muli
// CHECK-NEXT:      arith.muli
// CHECK-NEXT:      arith.addi
// CHECK-NOT:     linalg.generic
func.func @loops(%x: tensor<8x8xi64>, %y: tensor<8x8xi64>, %o: tensor<8x8xi64>) -> tensor<8x8xi64> {
  %e = tensor.empty() : tensor<8x8xi64>
  %n = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xi64>) outs(%e : tensor<8x8xi64>) {
  ^bb0(%u: i64, %v: i64):
    %w = arith.muli %u, %u : i64
    linalg.yield %w : i64
  } -> tensor<8x8xi64>
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%n, %y : tensor<8x8xi64>, tensor<8x8xi64>) outs(%o : tensor<8x8xi64>) {
  ^bb0(%u: i64, %v: i64, %s: i64):
    %p = arith.muli %u, %v : i64
    %q = arith.addi %s, %p : i64
    linalg.yield %q : i64
  } -> tensor<8x8xi64>
  return %r : tensor<8x8xi64>
}

#ji = affine_map<(i, j) -> (j, i)>

// Transposes of constants are constants, however they are written, and also of one that is used twice.
// CHECK-LABEL: func.func @transposes(
// CHECK-DAG:     %[[T:.*]] = arith.constant dense<{{\[\[}}1, 4], [2, 5], [3, 6]]> : tensor<3x2xi8>
// CHECK-DAG:     %[[S:.*]] = arith.constant dense<7> : tensor<3x2xi8>
// CHECK-DAG:     %[[P:.*]] = arith.constant dense<{{\[\[\[}}1, 3], [5, 7]], {{\[\[}}2, 4], [6, 8]]]> : tensor<2x2x2xi16>
// CHECK-NOT:     linalg
// CHECK:         return %[[T]], %[[T]], %[[S]], %[[P]]
func.func @transposes() -> (tensor<3x2xi8>, tensor<3x2xi8>, tensor<3x2xi8>, tensor<2x2x2xi16>) {
  %w = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %s = arith.constant dense<7> : tensor<2x3xi8>
  %c = arith.constant dense<[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]> : tensor<2x2x2xi16>
  %e = tensor.empty() : tensor<3x2xi8>
  %e3 = tensor.empty() : tensor<2x2x2xi16>
  %t = linalg.transpose ins(%w : tensor<2x3xi8>) outs(%e : tensor<3x2xi8>) permutation = [1, 0]
  %g = linalg.generic {indexing_maps = [#ji, #i], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<2x3xi8>) outs(%e : tensor<3x2xi8>) {
  ^bb0(%u: i8, %v: i8):
    linalg.yield %u : i8
  } -> tensor<3x2xi8>
  %ts = linalg.transpose ins(%s : tensor<2x3xi8>) outs(%e : tensor<3x2xi8>) permutation = [1, 0]
  %tc = linalg.transpose ins(%c : tensor<2x2x2xi16>) outs(%e3 : tensor<2x2x2xi16>) permutation = [2, 0, 1]
  return %t, %g, %ts, %tc : tensor<3x2xi8>, tensor<3x2xi8>, tensor<3x2xi8>, tensor<2x2x2xi16>
}

// What computes, or yields the result that was there, is no transpose.
// CHECK-LABEL: func.func @no_transposes(
// CHECK-COUNT-2: linalg.generic
func.func @no_transposes(%o: tensor<3x2xi8>) -> (tensor<3x2xi8>, tensor<3x2xi8>) {
  %w = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %g = linalg.generic {indexing_maps = [#ji, #i], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<2x3xi8>) outs(%o : tensor<3x2xi8>) {
  ^bb0(%u: i8, %v: i8):
    %d = arith.addi %u, %v : i8
    linalg.yield %d : i8
  } -> tensor<3x2xi8>
  %h = linalg.generic {indexing_maps = [#ji, #i], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<2x3xi8>) outs(%g : tensor<3x2xi8>) {
  ^bb0(%u: i8, %v: i8):
    %d = arith.muli %u, %v : i8
    linalg.yield %d : i8
  } -> tensor<3x2xi8>
  return %g, %h : tensor<3x2xi8>, tensor<3x2xi8>
}

// What windows look at is not computed again for each of them, and what they are multiplied with not in the product's body.
// CHECK-LABEL: func.func @windows(
// CHECK-COUNT-2: arith.negf
// CHECK:         linalg.generic
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      linalg.yield
// CHECK-NOT:     linalg.generic
#x1 = affine_map<(o, f, k) -> (o + k)>
#w1 = affine_map<(o, f, k) -> (k, f)>
#o1 = affine_map<(o, f, k) -> (o, f)>
#one = affine_map<(i) -> (i)>
func.func @windows(%x: tensor<10xf32>, %w: tensor<3x8xf32>, %o: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<10xf32>
  %n = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%x : tensor<10xf32>) outs(%e : tensor<10xf32>) {
  ^bb0(%u: f32, %v: f32):
    %a = arith.negf %u : f32
    linalg.yield %a : f32
  } -> tensor<10xf32>
  %g = tensor.empty() : tensor<3x8xf32>
  %m = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<3x8xf32>) outs(%g : tensor<3x8xf32>) {
  ^bb0(%u: f32, %v: f32):
    %a = arith.negf %u : f32
    linalg.yield %a : f32
  } -> tensor<3x8xf32>
  %r = linalg.generic {indexing_maps = [#x1, #w1, #o1], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%n, %m : tensor<10xf32>, tensor<3x8xf32>) outs(%o : tensor<8x8xf32>) {
  ^bb0(%u: f32, %v: f32, %s: f32):
    %p = arith.mulf %u, %v : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// What adds to what it writes over does so once, not for each copy that is made of it; turned around it is written once.
#j = affine_map<(i, j, k) -> (i, k)>
#t = affine_map<(i, j) -> (j, i)>
// CHECK-LABEL: func.func @copies(
// CHECK:         %[[S:.*]] = linalg.generic
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      linalg.yield
// CHECK:         %[[C:.*]] = linalg.generic {{.*}} ins(%[[S]] :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      linalg.yield
// CHECK:         return %[[C]]
func.func @copies(%x: tensor<8x8xf32>, %o: tensor<8x8xf32>) -> tensor<8x2x8xf32> {
  %s = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) {
  ^bb0(%u: f32, %v: f32):
    %w = arith.mulf %u, %u : f32
    %z = arith.addf %w, %v : f32
    linalg.yield %z : f32
  } -> tensor<8x8xf32>
  %e = tensor.empty() : tensor<8x2x8xf32>
  %c = linalg.generic {indexing_maps = [#j, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x2x8xf32>) {
  ^bb0(%u: f32, %v: f32):
    linalg.yield %u : f32
  } -> tensor<8x2x8xf32>
  return %c : tensor<8x2x8xf32>
}
// CHECK-LABEL: func.func @turned(
// CHECK:         linalg.generic
// CHECK:           arith.mulf
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      arith.negf
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @turned(%x: tensor<8x8xf32>, %o: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %s = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8x8xf32>) outs(%o : tensor<8x8xf32>) {
  ^bb0(%u: f32, %v: f32):
    %w = arith.mulf %u, %u : f32
    %z = arith.addf %w, %v : f32
    linalg.yield %z : f32
  } -> tensor<8x8xf32>
  %e = tensor.empty() : tensor<8x8xf32>
  %c = linalg.generic {indexing_maps = [#t, #i], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%u: f32, %v: f32):
    %n = arith.negf %u : f32
    linalg.yield %n : f32
  } -> tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}
