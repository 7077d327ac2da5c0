// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What reads a parameter runs on the device that the parameter says.

// RUN: split-file %s %t
// RUN: tilewright compile %t/placed.mlir --device a=x86_64_avx512_base --device b=x86_64_avx2_fma --emit=packed | FileCheck %t/placed.mlir
// RUN: not tilewright compile %t/two.mlir --device a=x86_64_avx512_base --device b=x86_64_avx2_fma -o %t/two.a 2>&1 | FileCheck %t/two.mlir
// RUN: not tilewright compile %t/unknown.mlir --device a=x86_64_avx512_base --device b=x86_64_avx2_fma -o %t/two.a 2>&1 | FileCheck %t/unknown.mlir
// RUN: tilewright compile %t/handed.mlir --device a=x86_64_avx512_base --device b=x86_64_avx2_fma -o %t/handed.a 2>&1 | FileCheck %t/handed.mlir
// RUN: not ls %t/two.a

//--- placed.mlir
ml_program.global private @w(dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>) : tensor<4x2xf32> {tw.device = "b"}

// Through a transpose, and what says otherwise.
// CHECK-LABEL: func.func private @f.body(
// CHECK:         tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_{{.*}}_x86_64_avx2_fma">
// CHECK:         tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_{{.*}}_x86_64_avx512_base">
func.func @f(%x: tensor<8x2xf32>, %c: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %w = ml_program.global_load_const @w : tensor<4x2xf32>
  %e = tensor.empty() : tensor<2x4xf32>
  %t = linalg.transpose ins(%w : tensor<4x2xf32>) outs(%e : tensor<2x4xf32>) permutation = [1, 0]
  %r = linalg.matmul ins(%x, %t : tensor<8x2xf32>, tensor<2x4xf32>) outs(%c : tensor<8x4xf32>) -> tensor<8x4xf32>
  %q = linalg.matmul {tw.device = "a"} ins(%x, %t : tensor<8x2xf32>, tensor<2x4xf32>) outs(%r : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r, %q : tensor<8x4xf32>, tensor<8x4xf32>
}

//--- two.mlir
ml_program.global private @v(dense<2.0> : tensor<64xf32>) : tensor<64xf32> {tw.device = "a"}
ml_program.global private @w(dense<3.0> : tensor<64xf32>) : tensor<64xf32> {tw.device = "b"}

// CHECK: error: {{.*}}two.mlir:[[#@LINE+4]]:8: reads the globals 'v' and 'w', of the devices "a" and "b"; say by tw.device where it runs
func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {
  %v = ml_program.global_load_const @v : tensor<64xf32>
  %w = ml_program.global_load_const @w : tensor<64xf32>
  %r = linalg.add ins(%v, %w : tensor<64xf32>, tensor<64xf32>) outs(%x : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}

//--- unknown.mlir
ml_program.global private @w(dense<3.0> : tensor<64xf32>) : tensor<64xf32> {tw.device = "c"}

// CHECK: error: {{.*}}has tw.device = "c"; the model's devices are "a" (x86_64_avx512_base), "b" (x86_64_avx2_fma)
func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {
  %w = ml_program.global_load_const @w : tensor<64xf32>
  %r = linalg.add ins(%x, %w : tensor<64xf32>, tensor<64xf32>) outs(%x : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}

//--- handed.mlir
ml_program.global private @w(dense<3.0> : tensor<64xf32>) : tensor<64xf32> {tw.device = "b"}
func.func private @g(%x: tensor<64xf32>, %w: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.add ins(%x, %w : tensor<64xf32>, tensor<64xf32>) outs(%x : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// CHECK: handed.mlir:[[#@LINE+3]]:8: hands on the global 'w', of the device "b", to a function, which runs where it says
func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {
  %w = ml_program.global_load_const @w : tensor<64xf32>
  %r = func.call @g(%x, %w) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
