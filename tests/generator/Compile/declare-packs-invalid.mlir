// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --verify-diagnostics --tw-declare-packs

// expected-error @below {{argument 0 of 'g' is to be handed over packed, but nothing of C calls a private function; expected the argument of a public one}}
func.func private @g(%w: tensor<4x4xf32> {tw.packed}) -> tensor<4x4xf32> {
  return %w : tensor<4x4xf32>
}

// -----

// expected-error @below {{argument 1 of 'f' is to be handed over packed, but it is no ranked tensor, but 'index'}}
func.func @f(%w: tensor<4x4xf32>, %n: index {tw.packed}) -> tensor<4x4xf32> {
  return %w : tensor<4x4xf32>
}

// -----

// expected-error @below {{but tw.packed is "a b"; expected nothing, or a string that begins the names of functions of C}}
func.func @f(%w: tensor<4x4xf32> {tw.packed = "a b"}) -> tensor<4x4xf32> {
  return %w : tensor<4x4xf32>
}

// -----

// expected-error @below {{but tw.packed is 3 : i64; expected nothing}}
func.func @f(%w: tensor<4x4xf32> {tw.packed = 3}) -> tensor<4x4xf32> {
  return %w : tensor<4x4xf32>
}

// -----

func.func @f(%w: tensor<4x4xf32> {tw.packed = "w"}) -> tensor<4x4xf32> {
  return %w : tensor<4x4xf32>
}
// expected-error @below {{argument 0 of 'g' is to be handed over packed, but has the type 'tensor<4x?xf32>' where argument 0 of 'f', with the same id 'w', has 'tensor<4x4xf32>'; expected one type, or other ids}}
func.func @g(%w: tensor<4x?xf32> {tw.packed = "w"}) -> tensor<4x?xf32> {
  return %w : tensor<4x?xf32>
}

// -----

// expected-error @below {{the model has a function 'w_packed_bytes', which the header needs for argument 0 of 'f'; give the function another name, or the argument another id, tw.packed = "..."}}
func.func @f(%w: tensor<4x4xf32> {tw.packed = "w"}) -> tensor<4x4xf32> {
  return %w : tensor<4x4xf32>
}
func.func @w_packed_bytes(%w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  return %w : tensor<4x4xf32>
}
