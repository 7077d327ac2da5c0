// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Upstream's mlir-opt with the plugin; without it the dialect and its passes
// are unknown. What is instrumented for a sanitizer cannot be loaded there.

// REQUIRES: plugin
// DEFINE: %{opt} = mlir-opt --load-dialect-plugin=%{plugin} --load-pass-plugin=%{plugin}

// RUN: not mlir-opt %s --pass-pipeline="builtin.module(tw-data-tiling)" 2>&1 | FileCheck %s --check-prefix=WITHOUT
// RUN: %{opt} %s --pass-pipeline="builtin.module(tw-data-tiling{devices=x86_64:znver5})" | FileCheck %s --check-prefix=X86
// RUN: %{opt} %s --pass-pipeline="builtin.module(tw-data-tiling{devices=arm_64:neoverse-n1 prefix=my})" | FileCheck %s --check-prefix=ARM
// RUN: %{opt} %s --pass-pipeline="builtin.module(tw-data-tiling{devices=amdgpu:gfx942})" | FileCheck %s --check-prefix=GPU
// RUN: %{opt} %s --pass-pipeline="builtin.module(tw-data-tiling)" | FileCheck %s --check-prefix=NONE
// RUN: not %{opt} %s --pass-pipeline="builtin.module(tw-data-tiling{devices=z80})" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// One pass after the other, and through a file, which has the dialect in it.
// RUN: %{opt} %s --pass-pipeline="builtin.module(tw-assign-devices{devices=x86_64_avx2_fma},func.func(tw-set-encodings,tw-fold-encodings))" -o %t
// RUN: FileCheck %s --check-prefix=SET --input-file=%t
// RUN: %{opt} %t --pass-pipeline="builtin.module(func.func(tw-specialize-encodings,tw-materialize-encodings,canonicalize))" | FileCheck %s --check-prefix=AVX2

// WITHOUT: 'tw-data-tiling' does not refer to a registered pass or pass pipeline
// UNKNOWN: unknown target 'z80'; expected host, x86_64_
// X86: tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base">
// ARM: tw.mmt4d #tw.tile<"my_mmt4d_tile_f32f32f32_8x12x1_arm_64_base">
// GPU: tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_64x64x8_amdgpu_gfx942">
// NONE-NOT: tw.mmt4d
// NONE: linalg.generic
// NONE-NOT: tw.mmt4d
// SET-COUNT-3: tw.set_encoding
// SET: tw.unset_encoding
// AVX2-COUNT-3: linalg.pack
// AVX2: tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_{{.*}}x86_64_avx2_fma">
// AVX2: linalg.unpack
// AVX2-NOT: tw.encoding<
func.func @f(%a: tensor<?x64xf32>, %b: tensor<64x96xf32>, %c: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x96xf32>) outs(%c : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %0 : tensor<?x96xf32>
}
