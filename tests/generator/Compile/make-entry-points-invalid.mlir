// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-make-entry-points --split-input-file --verify-diagnostics

func.func @computed(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %twice = arith.muli %n, %c2 : index
  // expected-error @below {{cannot tell which size of an argument dimension 0 of 'tensor<?xf32>' is; sizes must be constants, index arguments, or tensor.dim}}
  %e = tensor.empty(%twice) : tensor<?xf32>
  %r = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @forever(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{of 'forever' cannot be inlined; recursion is not accepted}}
  %r = call @forever(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
