// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --pass-pipeline='builtin.module(tw-declare-packs,tw-make-entry-points,tw-assign-devices{devices=x86_64_avx512_base},func.func(canonicalize,tw-set-encodings),tw-take-packed,func.func(tw-verify-encodings))' | FileCheck %s

// The pointer is to panels, chosen without the 8 rows and the one row.
// CHECK-DAG: #[[RHS:.*]] = #tw.encoding<rhs, {{.*}} sizes = [8, 96, 64], any_m>
// CHECK-DAG: #[[RHS1:.*]] = #tw.encoding<rhs, {{.*}} sizes = [1, 96, 64], any_m>
// CHECK-LABEL: func.func private @prefill.body(
// CHECK-SAME:    %[[X:.*]]: memref<1xf32>, %[[W:.*]]: memref<1xf32> {tw.name = "w", tw.packed = "w"}, %{{.*}}: memref<1xf32>, %{{.*}}: memref<1xf32>)
// CHECK:         %[[VIEW:.*]] = memref.reinterpret_cast %[[W]] to offset: [0], sizes: [3, 64, 32, 1], strides: [2048, 32, 1, 1] : memref<1xf32> to memref<3x64x32x1xf32>
// CHECK:         %[[PANELS:.*]] = bufferization.to_tensor %[[VIEW]] restrict : memref<3x64x32x1xf32>
// CHECK-NOT:     reinterpret_cast %[[W]]
// CHECK:         %[[E:.*]] = tw.from_packed %[[PANELS]] : tensor<3x64x32x1xf32> -> tensor<64x96xf32, #[[RHS]]>
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[E]] :
func.func @prefill(%x: tensor<8x64xf32>, %w: tensor<64x96xf32> {tw.packed = "w", tw.name = "w"}, %c: tensor<8x96xf32>) -> tensor<8x96xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>) outs(%c : tensor<8x96xf32>) -> tensor<8x96xf32>
  return %y : tensor<8x96xf32>
}
// CHECK-LABEL: func.func private @decode.body(
// CHECK-NOT:     tw.set_encoding {{.*}}tensor<64x96xf32>
// CHECK:         tw.from_packed %{{.*}} : tensor<3x64x32x1xf32> -> tensor<64x96xf32, #[[RHS1]]>
// CHECK-NOT:     tw.from_packed
func.func @decode(%x: tensor<1x64xf32>, %w: tensor<64x96xf32> {tw.packed = "w"}, %c: tensor<1x96xf32>) -> tensor<1x96xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<1x64xf32>, tensor<64x96xf32>) outs(%c : tensor<1x96xf32>) -> tensor<1x96xf32>
  return %y : tensor<1x96xf32>
}

// The function that packs, on the device that reads.
// CHECK-LABEL: func.func private @w_pack.body(
// CHECK-SAME:    %[[ROWS:.*]]: memref<1xf32>, %[[OUT:.*]]: memref<1xf32>)
// CHECK:         %[[ROW:.*]] = bufferization.to_tensor {{.*}} : memref<64x96xf32>
// CHECK:         %[[SET:.*]] = tw.set_encoding ins(%[[ROW]] : tensor<64x96xf32>) outs(%{{.*}} : tensor<64x96xf32, #[[RHS]]>) {tw.device = "[[DEVICE:.*]]"}
// CHECK:         %[[PACKED:.*]] = tw.to_packed %[[SET]] {tw.device = "[[DEVICE]]"} : tensor<64x96xf32, #[[RHS]]> -> tensor<3x64x32x1xf32>
// CHECK:         %[[TO:.*]] = memref.reinterpret_cast %[[OUT]] to offset: [0], sizes: [3, 64, 32, 1]
// CHECK:         bufferization.materialize_in_destination %[[PACKED]] in restrict writable %[[TO]]
// CHECK-NOT:     materialize_in_destination

// CHECK-LABEL: func.func @w_packed_bytes() -> i64
// CHECK:         call @w_pack.check()
// CHECK:         arith.constant 24576 : i64

// -----

// Sizes of the call: rows of W are columns of the product. Loops of k that lie
// next to each other are one, here and where it is packed.
// CHECK-LABEL: func.func private @f.body(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: memref<1xf32> {tw.name = "arg1", tw.packed = "f_arg1"}
// CHECK:         %[[ROWS:.*]] = memref.reinterpret_cast %[[W]] to offset: [0], sizes: [%{{.*}}, %{{.*}}, 5]
// CHECK:         memref.reinterpret_cast %[[W]] to offset: [0], sizes: [%{{.*}}, %{{.*}}, 32, 1]
// CHECK:         tw.from_packed %{{.*}} : tensor<?x?x32x1xf32> -> tensor<?x?xf32,
func.func @f(%x: tensor<?x?x5xf32>, %w: tensor<?x?x5xf32> {tw.packed}, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = linalg.contract indexing_maps = [affine_map<(m, n, k, l) -> (m, k, l)>, affine_map<(m, n, k, l) -> (n, k, l)>, affine_map<(m, n, k, l) -> (m, n)>]
      ins(%x, %w : tensor<?x?x5xf32>, tensor<?x?x5xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
// CHECK-LABEL: func.func private @f_arg1_pack.body(
// CHECK:         %[[ROW:.*]] = bufferization.to_tensor {{.*}} : memref<?x?x5xf32>
// CHECK:         %[[MERGED:.*]] = tensor.collapse_shape %[[ROW]] {{\[\[}}0], [1, 2]] : tensor<?x?x5xf32> into tensor<?x?xf32>
// CHECK:         tw.set_encoding ins(%[[MERGED]] :

// Checked: what is refused, and what does not fit.
// CHECK-LABEL: func.func @f_arg1_packed_bytes(
// CHECK-SAME:    %[[D0:.*]]: i64, %[[D1:.*]]: i64) -> i64
// CHECK:         %[[STATUS:.*]] = call @f_arg1_pack.check(%[[D0]], %[[D1]])
// CHECK:         arith.ceildivsi %[[D0]]
// CHECK-COUNT-3: arith.mulsi_extended
// CHECK:         arith.select
// CHECK:         arith.cmpi ne, %[[STATUS]]
