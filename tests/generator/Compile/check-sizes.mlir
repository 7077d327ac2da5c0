// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-check-sizes --split-input-file --verify-diagnostics

// Sizes that only the caller knows are compared when it calls.
func.func @unknown(%a: tensor<?x?xf32>, %b: tensor<5x?xf32>, %c: tensor<3x?xf32>) -> tensor<3x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<5x?xf32>) outs(%c : tensor<3x?xf32>) -> tensor<3x?xf32>
  return %r : tensor<3x?xf32>
}

// -----

// Upstream's verifier compares no sizes where one is unknown.
func.func @reduced(%a: tensor<?x4xf32>, %b: tensor<5x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{dimension 1 of operand 0, of type 'tensor<?x4xf32>', is 4, but dimension 0 of operand 1, of type 'tensor<5x?xf32>', is 5; they must be equal}}
  %r = linalg.matmul ins(%a, %b : tensor<?x4xf32>, tensor<5x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

#mk = affine_map<(m, n, k, l) -> (m, k, l)>
#nk = affine_map<(m, n, k, l) -> (l, n, k)>
#mn = affine_map<(m, n, k, l) -> (n, m)>
func.func @result(%a: tensor<?x2x3xf32>, %b: tensor<3x7x2xf32>, %c: tensor<8x?xf32>) -> tensor<8x?xf32> {
  // expected-error @below {{dimension 1 of operand 1, of type 'tensor<3x7x2xf32>', is 7, but dimension 0 of operand 2, of type 'tensor<8x?xf32>', is 8}}
  %r = linalg.contract indexing_maps = [#mk, #nk, #mn]
      ins(%a, %b : tensor<?x2x3xf32>, tensor<3x7x2xf32>) outs(%c : tensor<8x?xf32>) -> tensor<8x?xf32>
  return %r : tensor<8x?xf32>
}

// -----

// Two operations that no size of %a suits both.
func.func @both(%a: tensor<?x?xf32>, %b: tensor<4x6xf32>, %d: tensor<5x6xf32>, %e: tensor<?x6xf32>) -> tensor<?x6xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<4x6xf32>) outs(%e : tensor<?x6xf32>) -> tensor<?x6xf32>
  // expected-error @below {{dimension 1 of operand 0, of type 'tensor<?x?xf32>', is known to be 4, but dimension 0 of operand 1, of type 'tensor<5x6xf32>', is 5}}
  %s = linalg.matmul ins(%a, %d : tensor<?x?xf32>, tensor<5x6xf32>) outs(%r : tensor<?x6xf32>) -> tensor<?x6xf32>
  // Each such operation is told of.
  // expected-error @below {{is known to be 4, but dimension 0 of operand 1}}
  %t = linalg.matmul ins(%a, %d : tensor<?x?xf32>, tensor<5x6xf32>) outs(%s : tensor<?x6xf32>) -> tensor<?x6xf32>
  return %t : tensor<?x6xf32>
}

// -----

func.func @made(%a: tensor<3x4xf32>, %b: tensor<4x6xf32>) -> tensor<?x?xf32> {
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %e = tensor.empty(%c5, %c6) : tensor<?x?xf32>
  // expected-error @below {{dimension 0 of operand 0, of type 'tensor<3x4xf32>', is 3, but dimension 0 of operand 2, of type 'tensor<?x?xf32>', is known to be 5}}
  %r = linalg.matmul ins(%a, %b : tensor<3x4xf32>, tensor<4x6xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

func.func @cast(%a: tensor<?x4xf32>) -> tensor<6x4xf32> {
  %five = tensor.cast %a : tensor<?x4xf32> to tensor<5x4xf32>
  // expected-error @below {{is to 'tensor<6x4xf32>', but dimension 0 is known to be 5}}
  %six = tensor.cast %a : tensor<?x4xf32> to tensor<6x4xf32>
  return %six : tensor<6x4xf32>
}

// -----

// Equal by a third size.
func.func @chain(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<3xf32>, %d: tensor<4xf32>) -> tensor<?xf32> {
  %r = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%b : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.add ins(%a, %c : tensor<?xf32>, tensor<3xf32>) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  // expected-error @below {{dimension 0 of operand 0, of type 'tensor<?xf32>', is known to be 3, but dimension 0 of operand 1, of type 'tensor<4xf32>', is 4}}
  %t = linalg.add ins(%b, %d : tensor<?xf32>, tensor<4xf32>) outs(%s : tensor<?xf32>) -> tensor<?xf32>
  return %t : tensor<?xf32>
}
