// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tw-declare-packs,tw-make-entry-points,tw-assign-devices{devices=x86_64_avx512_base},func.func(canonicalize,tw-set-encodings),tw-take-packed,func.func(tw-verify-encodings))'

// expected-error @below {{argument 'w' of 'f' is to be handed over packed, but no contraction takes it; expected one that has it as its rhs}}
func.func @f(%w: tensor<64x96xf32> {tw.packed, tw.name = "w"}, %c: tensor<8x96xf32>) -> tensor<8x96xf32> {
  return %c : tensor<8x96xf32>
}

// -----

func.func @f(%x: tensor<8x64xf32> {tw.packed}, %w: tensor<64x96xf32>, %c: tensor<8x96xf32>) -> tensor<8x96xf32> {
  // expected-error @below {{argument 'arg0' of 'f' is to be handed over packed, but this contraction has it as its lhs; expected contractions that have it as their rhs}}
  %y = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>) outs(%c : tensor<8x96xf32>) -> tensor<8x96xf32>
  return %y : tensor<8x96xf32>
}

// -----

func.func @f(%x: tensor<8x64xf32>, %w: tensor<64x96xf32>, %c: tensor<8x96xf32> {tw.packed}) -> tensor<8x96xf32> {
  // expected-error @below {{argument 'arg2' of 'f' is to be handed over packed, but this contraction adds to it; expected nothing but contractions that have it as their rhs}}
  %y = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>) outs(%c : tensor<8x96xf32>) -> tensor<8x96xf32>
  return %y : tensor<8x96xf32>
}

// -----

// expected-error @below {{argument 'arg1' of 'f' is to be handed over packed, but it is returned row-major; expected nothing but contractions}}
func.func @f(%x: tensor<8x64xf32>, %w: tensor<64x96xf32> {tw.packed}, %c: tensor<8x96xf32>) -> (tensor<8x96xf32>, tensor<64x96xf32>) {
  %y = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>) outs(%c : tensor<8x96xf32>) -> tensor<8x96xf32>
  return %y, %w : tensor<8x96xf32>, tensor<64x96xf32>
}

// -----

func.func @f(%x: tensor<8x64xf32>, %w: tensor<64x96xf32> {tw.packed}, %c: tensor<8x96xf32>) -> tensor<8x96xf32> {
  %i = arith.constant 0 : index
  %y = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>) outs(%c : tensor<8x96xf32>) -> tensor<8x96xf32>
  // expected-error @below {{argument 'arg1' of 'f' is to be handed over packed, but 'tensor.extract' reads it row-major; expected nothing but contractions}}
  %e = tensor.extract %w[%i, %i] : tensor<64x96xf32>
  %r = tensor.splat %e : tensor<8x96xf32>
  return %r : tensor<8x96xf32>
}

// -----

// Sizes that only the call knows.
#w = affine_map<(m, n, k) -> (k, n)>
func.func @f(%x: tensor<8x?xf32>, %v: tensor<?xf32> {tw.packed}, %c: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %c1 = arith.constant 1 : index
  %k = tensor.dim %x, %c1 : tensor<8x?xf32>
  // expected-error @below {{argument 'arg1' of 'f' is to be handed over packed, but 'tensor.expand_shape' reads it row-major}}
  %w = tensor.expand_shape %v [[0, 1]] output_shape [%k, 4] : tensor<?xf32> into tensor<?x4xf32>
  %y = linalg.matmul ins(%x, %w : tensor<8x?xf32>, tensor<?x4xf32>) outs(%c : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %y : tensor<8x4xf32>
}

// -----

// The same weights in other shapes, in panels of the same tiles.
func.func @f(%x: tensor<8x64xf32>, %w: tensor<4x16x96xf32> {tw.packed = "w"}, %c: tensor<8x96xf32>) -> tensor<8x96xf32> {
  %v = tensor.collapse_shape %w [[0, 1], [2]] : tensor<4x16x96xf32> into tensor<64x96xf32>
  // expected-note @below {{the other one, of argument 'arg1' of 'f'}}
  %y = linalg.matmul ins(%x, %v : tensor<8x64xf32>, tensor<64x96xf32>) outs(%c : tensor<8x96xf32>) -> tensor<8x96xf32>
  return %y : tensor<8x96xf32>
}
func.func @g(%x: tensor<8x4xf32>, %w: tensor<4x16x96xf32> {tw.packed = "w"}, %c: tensor<8x1536xf32>) -> tensor<8x1536xf32> {
  %v = tensor.collapse_shape %w [[0], [1, 2]] : tensor<4x16x96xf32> into tensor<4x1536xf32>
  // expected-error-re @below {{argument 'arg1' of 'g' is to be handed over packed, but this contraction wants it as 'tensor<4x1536xf32, #tw.layout<{{.*}}>>', and another one wants what has the same id as 'tensor<64x96xf32, #tw.layout<{{.*}}>>'; expected contractions that want it alike, as those of one device do, or other ids}}
  %y = linalg.matmul ins(%x, %v : tensor<8x4xf32>, tensor<4x1536xf32>) outs(%c : tensor<8x1536xf32>) -> tensor<8x1536xf32>
  return %y : tensor<8x1536xf32>
}
