// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of all the instruction sets that a CPU has, by type, and none of a
// scalable size. How quick the core is with an instruction counts.

// RUN: tw-opt %s --tw-data-tiling=devices=arm_64:neoverse-n1 | FileCheck %s --check-prefixes=CHECK,N1
// RUN: tw-opt %s --tw-data-tiling=devices=arm_64:neoverse-v1 | FileCheck %s --check-prefixes=CHECK,V1
// RUN: tw-opt %s --tw-data-tiling=devices=arm_64:cortex-a510 | FileCheck %s --check-prefixes=CHECK,A510
// RUN: tw-opt %s --tw-data-tiling=devices=arm_64_sme | FileCheck %s --check-prefixes=CHECK,SME
// RUN: not tw-opt %s --tw-data-tiling=devices=arm_64:neoverse-v9 2>&1 | FileCheck %s --check-prefix=CPU

// CPU: error: target 'arm_64:neoverse-v9': 'neoverse-v9' is neither a CPU, a feature nor an instruction set of arm_64

// CHECK-LABEL: func.func @f32(
// CHECK:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_8x12x1_arm_64_base">
func.func @f32(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @s8(
// N1:            tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_{{[0-9]+x[0-9]+}}x4_arm_64_dotprod">
// V1:            tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_{{[0-9]+x[0-9]+}}x8_arm_64_i8mm">
// SME:           tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_{{[0-9]+x[0-9]+}}x8_arm_64_i8mm">
func.func @s8(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%c : tensor<?x?xi32>) -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

// CHECK-LABEL: func.func @f16(
// N1:            tw.mmt4d #tw.tile<"tw_mmt4d_tile_f16f16f32_{{.*}}_arm_64_base">
// V1:            tw.mmt4d #tw.tile<"tw_mmt4d_tile_f16f16f32_{{.*}}_arm_64_fp16fml">
// A510:          tw.mmt4d #tw.tile<"tw_mmt4d_tile_f16f16f32_{{.*}}_arm_64_fp16fml">
func.func @f16(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// bfmmla has twice the products of bfdot, and takes a Cortex-A510 longer still.
// CHECK-LABEL: func.func @bf16(
// N1:            tw.mmt4d #tw.tile<"tw_mmt4d_tile_bf16bf16f32_{{.*}}_arm_64_base">
// V1:            tw.mmt4d #tw.tile<"tw_mmt4d_tile_bf16bf16f32_{{[0-9]+x[0-9]+}}x4_arm_64_bf16">
// A510:          tw.mmt4d #tw.tile<"tw_mmt4d_tile_bf16bf16f32_{{[0-9]+x[0-9]+}}x2_arm_64_bf16">
func.func @bf16(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
