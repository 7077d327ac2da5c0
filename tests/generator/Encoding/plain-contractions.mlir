// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --tw-plain-contractions | FileCheck %s
// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tw-set-encodings,tw-drop-encodings,canonicalize,cse))" > %t.dropped
// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tw-plain-contractions,canonicalize,cse))" > %t.plain
// RUN: diff %t.plain %t.dropped

// Neighbours are merged, a vector is a matrix of one row.
// CHECK-LABEL: func.func @merged(
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0, 1], [2]] : tensor<3x5x7xf32> into tensor<15x7xf32>
// CHECK: linalg.generic {indexing_maps = [{{.*}}], iterator_types = ["parallel", "reduction", "parallel"]} ins(%{{.*}} : tensor<15x7xf32>, tensor<7x9xf32>) outs(%{{.*}} : tensor<15x9xf32>)
// CHECK: tensor.expand_shape
func.func @merged(%a: tensor<3x5x7xf32>, %b: tensor<7x9xf32>) -> tensor<3x5x9xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x5x9xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<3x5x9xf32>) -> tensor<3x5x9xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(a, b, k, n) -> (a, b, k)>, affine_map<(a, b, k, n) -> (k, n)>, affine_map<(a, b, k, n) -> (a, b, n)>], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
    ins(%a, %b : tensor<3x5x7xf32>, tensor<7x9xf32>) outs(%z : tensor<3x5x9xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x5x9xf32>
  return %r : tensor<3x5x9xf32>
}

// -----

// CHECK-LABEL: func.func @vector(
// CHECK: tensor.expand_shape %{{.*}} : tensor<7xf32> into tensor<1x7xf32>
// CHECK: linalg.generic
// CHECK: tensor.collapse_shape
func.func @vector(%a: tensor<9x7xf32>, %b: tensor<7xf32>, %c: tensor<9xf32>) -> tensor<9xf32> {
  %r = linalg.matvec ins(%a, %b : tensor<9x7xf32>, tensor<7xf32>) outs(%c : tensor<9xf32>) -> tensor<9xf32>
  return %r : tensor<9xf32>
}

// -----

// A destination is made with the dimension, so that it can be the caller's memory.
// CHECK-LABEL: func.func @overwritten_vector(
// CHECK:         %[[DEST:.*]] = tensor.empty() : tensor<1x9xf32>
// CHECK:         %[[ZEROS:.*]] = linalg.fill {{.*}} outs(%[[DEST]] : tensor<1x9xf32>)
// CHECK:         linalg.generic {{.*}} outs(%[[ZEROS]] : tensor<1x9xf32>)
func.func @overwritten_vector(%a: tensor<9x7xf32>, %b: tensor<7xf32>) -> tensor<9xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<9xf32>) -> tensor<9xf32>
  %r = linalg.matvec ins(%a, %b : tensor<9x7xf32>, tensor<7xf32>) outs(%z : tensor<9xf32>) -> tensor<9xf32>
  return %r : tensor<9xf32>
}
