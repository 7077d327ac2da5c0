// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --verify-diagnostics

func.func @sizes() -> tensor<?xf32> {
  // expected-error @+1 {{'tw.kept' op result #0 must be statically shaped tensor of any type values, but got 'tensor<?xf32>'}}
  %a = tw.kept 0 : tensor<?xf32>
  return %a : tensor<?xf32>
}

// -----

#rhs = #tw.encoding<rhs, types = [f32, f32, f32], maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 96, 64]>
func.func @encoded(%a: tensor<64x96xf32, #rhs>) {
  // expected-error @+1 {{expected a ranked tensor of numbers without an encoding}}
  tw.keep 0, %a {bytes_read = 0 : i64, operations = 0 : i64} : tensor<64x96xf32, #rhs>
  return
}

// -----

func.func @number() -> tensor<4xf32> {
  // expected-error @+1 {{attribute 'number' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %a = "tw.kept"() {number = -1 : i64} : () -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

func.func @memory_space() -> tensor<4xf32> {
  // expected-error @+1 {{attribute 'memory_space' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %a = "tw.kept"() {number = 0 : i64, memory_space = -1 : i64} : () -> tensor<4xf32>
  return %a : tensor<4xf32>
}
