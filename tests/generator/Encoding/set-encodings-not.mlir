// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tw-set-encodings leaves as it is, with a remark where somebody may have
// expected a tile function.

// RUN: tw-opt %s --split-input-file --tw-set-encodings --verify-diagnostics | FileCheck %s

// CHECK-NOT: tw.

func.func @types(%a: tensor<4x8xi4>, %b: tensor<8x5xi4>, %c: tensor<4x5xi32>) -> tensor<4x5xi32> {
  // expected-remark @below {{lowered to plain loops: no tile function has these element types: 'i4', 'i4', 'i32'}}
  %r = linalg.matmul ins(%a, %b : tensor<4x8xi4>, tensor<8x5xi4>) outs(%c : tensor<4x5xi32>) -> tensor<4x5xi32>
  return %r : tensor<4x5xi32>
}

func.func @mixed_types(%a: tensor<4x8xf16>, %b: tensor<8x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-remark @below {{lowered to plain loops: no tile function has these element types: 'f16', 'f32', 'f32'}}
  %r = linalg.matmul ins(%a, %b : tensor<4x8xf16>, tensor<8x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// -----

// A loop of lhs alone.
func.func @no_kind(%a: tensor<4x8x3xf32>, %b: tensor<8x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // expected-remark @below {{lowered to plain loops: not a matrix multiplication}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (k, n)>, affine_map<(m, n, k, l) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%a, %b : tensor<4x8x3xf32>, tensor<8x5xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// -----

// No sum of products: nobody expects it.
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @maximum(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.maximumf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// Products of an operand with itself.
func.func @squares(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %x : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// What is added to is not the result.
func.func @other_sum(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %o : f32
    %s = arith.addf %y, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// A product of elements is no outer product.
#all = affine_map<(m, n) -> (m, n)>
func.func @elementwise(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
    ins(%a, %b : tensor<4x5xf32>, tensor<4x5xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
// Three factors.
func.func @three(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = linalg.generic {indexing_maps = [#mk, #kn, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b, %b : tensor<4x8xf32>, tensor<8x5xf32>, tensor<8x5xf32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.mulf %p, %z : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// -----

// There is nothing to multiply, or what is known of it does not say so.
func.func @empty(%a: tensor<4x0xf32>, %b: tensor<0x5xf32>, %c: tensor<4x5xf32>, %d: tensor<0x8xf32>, %e: tensor<8x5xf32>, %f: tensor<0x5xf32>) -> (tensor<4x5xf32>, tensor<0x5xf32>) {
  %r = linalg.matmul ins(%a, %b : tensor<4x0xf32>, tensor<0x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  %s = linalg.matmul ins(%d, %e : tensor<0x8xf32>, tensor<8x5xf32>) outs(%f : tensor<0x5xf32>) -> tensor<0x5xf32>
  return %r, %s : tensor<4x5xf32>, tensor<0x5xf32>
}

func.func @buffers(%a: memref<4x8xf32>, %b: memref<8x5xf32>, %c: memref<4x5xf32>) {
  // expected-remark @below {{lowered to plain loops: not a matrix multiplication}}
  linalg.matmul ins(%a, %b : memref<4x8xf32>, memref<8x5xf32>) outs(%c : memref<4x5xf32>)
  return
}

// Somebody else's encodings, of any operand.
func.func @encoded(%a: tensor<4x8xf32, "sparse">, %b: tensor<8x5xf32>, %c: tensor<4x5xf32>, %d: tensor<4x8xf32>, %e: tensor<8x5xf32, "sparse">, %f: tensor<4x5xf32, "sparse">) -> (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32, "sparse">) {
  %r = linalg.matmul ins(%a, %b : tensor<4x8xf32, "sparse">, tensor<8x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  %s = linalg.matmul ins(%d, %e : tensor<4x8xf32>, tensor<8x5xf32, "sparse">) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  %t = linalg.matmul ins(%d, %b : tensor<4x8xf32>, tensor<8x5xf32>) outs(%f : tensor<4x5xf32, "sparse">) -> tensor<4x5xf32, "sparse">
  return %r, %s, %t : tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32, "sparse">
}
