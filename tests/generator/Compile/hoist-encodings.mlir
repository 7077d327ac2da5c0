// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-hoist-encodings: the passes in a row, after those of tw-data-tiling.

// RUN: tw-opt %s --tw-data-tiling=devices=x86_64_avx512_base --tw-hoist-encodings | FileCheck %s
// RUN: tw-opt %s --tw-data-tiling --tw-hoist-encodings | FileCheck %s --check-prefix=NONE
// RUN: tw-opt %s --tw-hoist-encodings --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=PASSES

// PASSES:      tw-fold-constant-moves
// PASSES:      tw-fold-constant-packs
// PASSES-NEXT: tw-hoist-parameter-work{has-instance=true run-once=true}
// PASSES-NEXT: tw-pack-kept

#same = affine_map<(i, j) -> (i, j)>

// What a product takes of a constant is packed when compiling: it reads panels, and all else that is packed are arguments.
// CHECK-LABEL: func.func @constant(
// CHECK-SAME:    tw.packed = ["tensor<2x4xf32> -> tensor<1x2x4x1xf32>, 32 bytes"]
// CHECK:         %[[W:.*]] = arith.constant dense<{{.*}}[3.0{{.*}}], [4.0{{.*}}], [5.0{{.*}}], [6.0{{.*}}]], {{.*}}[7.0{{.*}}], [8.0{{.*}}], [9.0{{.*}}], [1.0{{.*}}]]{{.*}} : tensor<1x2x4x1xf32>
// CHECK-NOT:     linalg.pack %cst
// CHECK:         tw.mmt4d {{.*}} ins(%{{.*}}, %[[W]] :
// NONE-LABEL:  func.func @constant(
// NONE-NOT:      linalg.pack
// NONE-NOT:      tw.kept
// NONE-LABEL:  func.func @computed(
func.func @constant(%a: tensor<128x2xf32>, %d: tensor<128x4xf32>) -> tensor<128x4xf32> {
  %w = arith.constant dense<[[1.0, 2.0, 1.0, 2.0], [3.0, 4.0, 5.0, 6.0], [7.0, 8.0, 9.0, 1.0]]> : tensor<3x4xf32>
  %t = tensor.extract_slice %w[1, 0] [2, 4] [1, 1] : tensor<3x4xf32> to tensor<2x4xf32>
  %r = linalg.matmul ins(%a, %t : tensor<128x2xf32>, tensor<2x4xf32>) outs(%d : tensor<128x4xf32>) -> tensor<128x4xf32>
  return %r : tensor<128x4xf32>
}

// What is computed of constants is computed and packed when an instance is made.
// CHECK-LABEL: func.func @computed(
// CHECK:         %[[V:.*]] = tw.kept 0 : tensor<3x64x32x1xf32>
// CHECK:         tw.mmt4d {{.*}} ins(%{{.*}}, %[[V]] :
func.func @computed(%a: tensor<128x64xf32>, %d: tensor<128x96xf32>) -> tensor<128x96xf32> {
  %w = arith.constant dense_resource<v> : tensor<64x96xf32>
  %e = tensor.empty() : tensor<64x96xf32>
  %t = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%w : tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<64x96xf32>
  %r = linalg.matmul ins(%a, %t : tensor<128x64xf32>, tensor<64x96xf32>) outs(%d : tensor<128x96xf32>) -> tensor<128x96xf32>
  return %r : tensor<128x96xf32>
}

// What the caller hands over is packed by each call.
// CHECK-LABEL: func.func @argument(
// CHECK-NOT:     tw.packed
// CHECK-COUNT-2: linalg.pack
// CHECK-NOT:     tw.kept
// CHECK-LABEL: func.func private @tw.run_once.body(
// CHECK:         %[[P:.*]] = linalg.pack
// CHECK:         %[[E:.*]] = linalg.generic {{.*}} ins(%[[P]] :
// CHECK:           math.exp
// CHECK:         tw.keep 0, %[[E]] {{.*}} : tensor<3x64x32x1xf32>
func.func @argument(%a: tensor<128x64xf32>, %b: tensor<64x96xf32>, %d: tensor<128x96xf32>) -> tensor<128x96xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<128x64xf32>, tensor<64x96xf32>) outs(%d : tensor<128x96xf32>) -> tensor<128x96xf32>
  return %r : tensor<128x96xf32>
}
{-#
  dialect_resources: { builtin: { v: "0x04000000" } }
#-}
