// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions by tiles of scalable sizes: constant weights become rows, which the first call packs and keeps, others panels of a size
// that the program computes. Where the length of vectors is relied on, panels are as any.

// RUN: tw-opt %s --pass-pipeline='builtin.module(tw-assign-devices{devices=a=arm_64_sve_i8mm},func.func(tw-set-encodings{convolutions},canonicalize,cse,tw-specialize-encodings{host-packs-blocks},tw-materialize-encodings),tw-fold-constant-packs,canonicalize,cse)' | FileCheck %s --check-prefixes=CHECK,ANY
// RUN: tw-opt %s --pass-pipeline='builtin.module(tw-assign-devices{devices=a=arm_64:sve+i8mm+vl256},func.func(tw-set-encodings{convolutions},canonicalize,cse,tw-specialize-encodings{host-packs-blocks},tw-materialize-encodings),tw-fold-constant-packs,canonicalize,cse)' | FileCheck %s --check-prefixes=CHECK,VL256

// Lines of windows of 9 elements, in steps of 8: two for each of 3 lines.
// CHECK-LABEL: func.func @filled_up(
// ANY:           %[[W:.*]] = arith.constant dense<"0x0303030303030303030000000000000003{{.*}}"> : tensor<20x3x16xi8>
// ANY-NOT:       linalg.pack
// ANY:           tw.matmul #tw.tile<"tw_mmt4d_tile_s8s8s32_{{.*}}vlx8_arm_64_sve_i8mm"> rhs_kept m_loops = 3 k_loops = 2 k_size = 9 {{.*}} ins(%{{.*}}, %[[W]] :
// VL256:         tw.matmul #tw.tile<"tw_mmt4d_tile_s8s8s32_{{.*}}vlx8_arm_64_sve_i8mm"> rhs_packed m_loops = 3 k_loops = 2 k_size = 9
func.func @filled_up(%x: tensor<?x5x7x3xi8>, %o: tensor<?x3x5x20xi32>) -> tensor<?x3x5x20xi32> {
  %w = arith.constant dense<3> : tensor<3x3x3x20xi8>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<?x5x7x3xi8>, tensor<3x3x3x20xi8>) outs(%o : tensor<?x3x5x20xi32>) -> tensor<?x3x5x20xi32>
  return %r : tensor<?x3x5x20xi32>
}

// Rows that lie so already.
// CHECK-LABEL: func.func @channels_first(
// CHECK-SAME:      %[[X:.*]]: tensor<1x3x5x7xf16>
// ANY:           %[[W:.*]] = arith.constant dense<{{.*}}> : tensor<20x3x3x3xf16>
// ANY:           tw.matmul #tw.tile<"tw_mmt4d_tile_f16f16f32_8x3vlx1_arm_64_sve"> rhs_kept m_loops = 2 k_loops = 3 {{.*}} ins(%[[X]], %[[W]] :
// VL256:         tw.matmul #tw.tile<"tw_mmt4d_tile_f16f16f32_8x3vlx1_arm_64_sve"> rhs_packed {{.*}} tensor<1x3x3x3x24x1xf16>
func.func @channels_first(%x: tensor<1x3x5x7xf16>, %o: tensor<1x20x3x5xf32>) -> tensor<1x20x3x5xf32> {
  %w = arith.constant dense<1.0> : tensor<20x3x3x3xf16>
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x5x7xf16>, tensor<20x3x3x3xf16>) outs(%o : tensor<1x20x3x5xf32>) -> tensor<1x20x3x5xf32>
  return %r : tensor<1x20x3x5xf32>
}

// CHECK-LABEL: func.func @argument(
// CHECK-SAME:      %{{.*}}, %[[W:.*]]: tensor<3x3x3x20xf32>
// CHECK-DAG:     %[[W1:.*]] = tensor.collapse_shape %[[W]] {{\[}}[0], [1, 2], [3]]
// ANY-DAG:       %[[TWELVE:.*]] = arith.constant 12 : index
// ANY-DAG:       %[[SCALE:.*]] = tw.vscale : index
// ANY-DAG:       %[[N0:.*]] = arith.muli %[[SCALE]], %[[TWELVE]] : index
// ANY:           %[[P:.*]] = linalg.pack %[[W1]] {{.*}} inner_tiles = [%[[N0]], 1] into %{{.*}} : tensor<3x9x20xf32> -> tensor<?x3x9x?x1xf32>
// VL256:         %[[P:.*]] = linalg.pack %[[W1]] {{.*}} inner_tiles = [24, 1] into %{{.*}} : tensor<3x9x20xf32> -> tensor<1x3x9x24x1xf32>
// CHECK:         tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x3vlx1_arm_64_sve"> rhs_packed m_loops = 3 k_loops = 2 k_size = 9 {{.*}} ins(%{{.*}}, %[[P]] :
func.func @argument(%x: tensor<1x5x7x3xf32>, %w: tensor<3x3x3x20xf32>, %o: tensor<1x3x5x20xf32>) -> tensor<1x3x5x20xf32> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x5x7x3xf32>, tensor<3x3x3x20xf32>) outs(%o : tensor<1x3x5x20xf32>) -> tensor<1x3x5x20xf32>
  return %r : tensor<1x3x5x20xf32>
}
