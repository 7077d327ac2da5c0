// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of scalable sizes, where multiplications pack their operands when they run, or the target says how long vectors are.

// RUN: tw-opt %s --pass-pipeline='builtin.module(tw-assign-devices{devices=a=arm_64_sve},func.func(tw-set-encodings,tw-specialize-encodings{host-packs-blocks},tw-materialize-encodings),canonicalize,cse)' | FileCheck %s --check-prefixes=CHECK,SVE
// RUN: tw-opt %s --pass-pipeline='builtin.module(tw-assign-devices{devices=a=arm_64_sme},func.func(tw-set-encodings,tw-specialize-encodings{host-packs-blocks},tw-materialize-encodings),canonicalize,cse)' | FileCheck %s --check-prefixes=CHECK,SME
// RUN: tw-opt %s --tw-data-tiling=devices=a=arm_64:sve+vl256 | FileCheck %s --check-prefixes=CHECK,VL256
// RUN: tw-opt %s --tw-data-tiling=devices=a=arm_64_sve | FileCheck %s --check-prefixes=CHECK,FIXED

// CHECK-LABEL: func.func @f32(
// CHECK-SAME:      %[[A:.*]]: tensor<?x64xf32>, %[[B:.*]]: tensor<64x96xf32>
// SVE-DAG:       %[[TWELVE:.*]] = arith.constant 12 : index
// SVE-DAG:       %[[SCALE:.*]] = tw.vscale : index
// SVE-DAG:       %[[N0:.*]] = arith.muli %[[SCALE]], %[[TWELVE]] : index
// SVE:           linalg.pack %[[B]] {{.*}}outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [%[[N0]], 1] into %{{.*}} : tensor<64x96xf32> -> tensor<?x64x?x1xf32>
// SVE:           tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_8x3vlx1_arm_64_sve"> {{.*}} : tensor<?x64x8x1xf32>, tensor<?x64x?x1xf32>) outs(%{{.*}} : tensor<?x?x8x?xf32>)
// SVE:           linalg.unpack {{.*}} inner_tiles = [8, %[[N0]]]
// SME:           tw.vscale streaming : index
// SME:           tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_{{[0-9]}}vlx{{[0-9]}}vlx1_arm_64_sme"> {{.*}} : tensor<?x64x?x1xf32>, tensor<?x64x?x1xf32>) outs(%{{.*}} : tensor<?x?x?x?xf32>)
// VL256-NOT:     tw.vscale
// VL256:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_8x3vlx1_arm_64_sve"> {{.*}} : tensor<?x64x8x1xf32>, tensor<4x64x24x1xf32>) outs(%{{.*}} : tensor<?x4x8x24xf32>)
// FIXED-NOT:     tw.vscale
// FIXED:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_8x12x1_arm_64_base">
func.func @f32(%a: tensor<?x64xf32>, %b: tensor<64x96xf32>, %c: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x96xf32>) outs(%c : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}
