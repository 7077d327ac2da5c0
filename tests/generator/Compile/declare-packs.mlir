// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-declare-packs | FileCheck %s
// RUN: tw-opt %s --pass-pipeline='builtin.module(tw-declare-packs,tw-make-entry-points)' | FileCheck %s --check-prefix=ENTRY

// Without an id it is called after function and argument.
// CHECK-LABEL: func.func @prefill(
// CHECK-SAME: %{{.*}}: tensor<64x96xf32> {tw.name = "w", tw.packed = "wq"}, %{{.*}}: tensor<?x4xi8> {tw.packed = "prefill_arg1"}
// ENTRY-LABEL: func.func private @prefill.body(
// ENTRY-SAME: %{{.*}}: memref<1xf32> {tw.name = "w", tw.packed = "wq"}, %{{.*}}: memref<1xi8> {tw.name = "arg1", tw.packed = "prefill_arg1"}, %{{.*}}: i64 {tw.size}, %{{.*}}: memref<1xf32>)
// ENTRY-LABEL: func.func @prefill(
// ENTRY-SAME: tw.c_arguments = ["const void *w", "const void *arg1", "int64_t arg1_d0", "float *result"]
// ENTRY-SAME: tw.c_results = ["w: [64][96], packed by wq_pack", "arg1: [arg1_d0][4], packed by prefill_arg1_pack", "result: [64][96], written"]
func.func @prefill(%w: tensor<64x96xf32> {tw.name = "w", tw.packed = "wq"}, %v: tensor<?x4xi8> {tw.packed}) -> tensor<64x96xf32> {
  return %w : tensor<64x96xf32>
}

// CHECK-LABEL: func.func @decode(
// CHECK-SAME: {tw.name = "w", tw.packed = "wq"}
// CHECK-SAME: %{{.*}}: tensor<4x4xf32> {tw.name = "x"})
func.func @decode(%w: tensor<64x96xf32> {tw.name = "w", tw.packed = "wq"}, %x: tensor<4x4xf32> {tw.name = "x"}) -> tensor<64x96xf32> {
  return %w : tensor<64x96xf32>
}

// One for each id, last.
// CHECK-LABEL: func.func @wq_pack(
// CHECK-SAME: %[[ROWS:.*]]: tensor<64x96xf32> {tw.name = "row_major"}) -> tensor<64x96xf32> attributes {tw.packs = "wq"}
// CHECK-NEXT: return %[[ROWS]]
// CHECK-LABEL: func.func @prefill_arg1_pack(
// CHECK-SAME: tensor<?x4xi8> {tw.name = "row_major"}) -> tensor<?x4xi8> attributes {tw.packs = "prefill_arg1"}
// CHECK-NOT: func.func
// ENTRY-LABEL: func.func @wq_pack(
// ENTRY-SAME: tw.c_arguments = ["const float *row_major", "void *packed"]
// ENTRY-SAME: tw.c_results = ["row_major: [64][96]", "packed: the bytes that wq_packed_bytes returns, written"]
// ENTRY-SAME: tw.packs = "wq"
// ENTRY: func.func private @prefill_arg1_pack.body({{.*}} attributes {{{.*}}tw.packs = "prefill_arg1"}
