// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tw-data-tiling: the passes in a row.

// RUN: tw-opt %s --tw-data-tiling="devices=x86_64_avx512_base prefix=my" --canonicalize | FileCheck %s
// RUN: tw-opt %s --tw-data-tiling --canonicalize | FileCheck %s --check-prefix=NONE
// RUN: tw-opt %s --tw-data-tiling="devices=a=x86_64_avx512_base,b=x86_64_avx2_fma" --canonicalize | FileCheck %s --check-prefix=TWO
// RUN: tw-opt %s --tw-data-tiling --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=PASSES
// RUN: not tw-opt %s --tw-data-tiling="devices=a=z80" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: unknown target 'z80'

// CHECK-LABEL: func.func @f(
// CHECK-COUNT-2: linalg.pack
// CHECK:         tw.mmt4d #tw.tile<"my_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base"> overwrite
// CHECK-NOT:     linalg.unpack
// CHECK:         tw.dispatch = "relayout"
// CHECK-COUNT-2: linalg.pack
// CHECK:         tw.mmt4d #tw.tile<"my_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base"> indexing_maps
// CHECK:         linalg.unpack

// NONE-LABEL: func.func @f(
// NONE-SAME:    %[[A:.*]]: tensor<?x64xf32>, %[[B:.*]]: tensor<64x96xf32>, %[[C:.*]]: tensor<96x96xf32>, %[[D:.*]]: tensor<?x96xf32>)
// NONE-NOT:     linalg.pack
// NONE:         %[[Z:.*]] = linalg.fill
// NONE:         %[[P:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[B]] : {{.*}}) outs(%[[Z]] :
// NONE:         %[[R:.*]] = linalg.generic {{.*}} ins(%[[P]], %[[C]] : {{.*}}) outs(%[[D]] :
// NONE:         return %[[R]]

// TWO-LABEL: func.func @f(
// TWO:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base">
// TWO:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base">
func.func @f(%a: tensor<?x64xf32>, %b: tensor<64x96xf32>, %c: tensor<96x96xf32>, %d: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<?x96xf32>) -> tensor<?x96xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x96xf32>) outs(%z : tensor<?x96xf32>) -> tensor<?x96xf32>
  %r = linalg.matmul ins(%p, %c : tensor<?x96xf32>, tensor<96x96xf32>) outs(%d : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}

// Each is verified.
// PASSES:      tw-set-encodings
// PASSES-NEXT: tw-verify-encodings{none-left=false}
// PASSES:      tw-agree-encodings
// PASSES-NEXT: func.func(
// PASSES-NEXT:   tw-verify-encodings{none-left=false}
// PASSES:      tw-propagate-encodings
// PASSES-NEXT: func.func(
// PASSES-NEXT:   tw-verify-encodings{none-left=false},
// PASSES-NEXT:   tw-fold-encodings
// PASSES-NEXT:   tw-verify-encodings{none-left=false},
// PASSES-NEXT:   tw-specialize-encodings
// PASSES-NEXT:   tw-verify-encodings{none-left=false},
// PASSES-NEXT:   tw-materialize-encodings,
// PASSES-NEXT:   tw-verify-encodings{none-left=true}
