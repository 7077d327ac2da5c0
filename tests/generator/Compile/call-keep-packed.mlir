// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is packed before it is multiplied by, by a function for the device whose vectors it asks for their length: each matrix of several
// by a call, which says by null that there is no memory.

// RUN: tw-opt %s -tw-call-tile-functions -canonicalize | FileCheck %s

// CHECK-LABEL: func.func private @tw.keep_packed.0(
// CHECK-SAME:      %[[W:.*]]: memref<3x64x2x96xf32>) -> i1 attributes {llvm.linkage = #llvm.linkage<internal>, tw.device = "b"}
// CHECK-DAG:     %[[YES:.*]] = arith.constant true
// CHECK-DAG:     %[[STRIDE:.*]] = arith.constant 192 : i64
// CHECK-DAG:     %[[N:.*]] = arith.constant 96 : i64
// CHECK-DAG:     %[[K:.*]] = arith.constant 64 : i64
// CHECK-DAG:     %[[SIX:.*]] = arith.constant 6 : index
// CHECK-DAG:     %[[TWO:.*]] = arith.constant 2 : index
// CHECK-DAG:     %[[THREE:.*]] = arith.constant 3 : index
// CHECK-DAG:     %[[ROW:.*]] = arith.constant 96 : index
// CHECK-DAG:     %[[MATRIX:.*]] = arith.constant 12288 : index
// CHECK-DAG:     %[[C:.*]] = llvm.alloca %{{.*}} x !llvm.array<50 x i64>
// CHECK-DAG:     llvm.store %[[STRIDE]], %{{.*}} : i64
// CHECK-DAG:     llvm.store %[[N]], %{{.*}} : i64
// CHECK-DAG:     llvm.store %[[K]], %{{.*}} : i64
// CHECK-DAG:     llvm.mlir.addressof @tw.kept_panels
// CHECK-DAG:     "llvm.intr.vscale"
// CHECK:         %[[ALL:.*]] = scf.for %[[I:.*]] = %{{.*}} to %[[SIX]] step %{{.*}} iter_args(%[[SO_FAR:.*]] = %[[YES]]) -> (i1)
// CHECK:           %[[COLUMN:.*]] = arith.remui %[[I]], %[[TWO]]
// CHECK:           %[[REST:.*]] = arith.divui %[[I]], %[[TWO]]
// CHECK:           arith.muli %[[COLUMN]], %[[ROW]]
// CHECK:           %[[BATCH:.*]] = arith.remui %[[REST]], %[[THREE]]
// CHECK:           arith.muli %[[BATCH]], %[[MATRIX]]
// CHECK:           %[[PANELS:.*]] = llvm.call @tw_keep_v1(%[[C]])
// CHECK:           %[[THERE:.*]] = llvm.icmp "ne" %[[PANELS]]
// CHECK:           %[[BOTH:.*]] = arith.andi %[[SO_FAR]], %[[THERE]]
// CHECK:           scf.yield %[[BOTH]]
// CHECK:         return %[[ALL]]
// CHECK-LABEL: func.func @panels(
// CHECK:         call @tw.keep_packed.0(
func.func @panels(%w: memref<3x64x2x96xf32>) -> i1 {
  %there = tw.keep_packed #tw.tile<"tw_mmt4d_tile_f32f32f32_8x3vlx1_arm_64_sve"> %w n = 3 k = 1 {tw.device = "b"} : memref<3x64x2x96xf32>
  return %there : i1
}

// Rows of lines, which K counts together: the same flags, types and lists as multiplications by it have.
// CHECK-LABEL: func.func private @tw.keep_packed.1(
// CHECK-SAME:      %{{.*}}: memref<40x3x8xi8>) -> i1
// CHECK-DAG:     %[[K1:.*]] = arith.constant 24 : i64
// CHECK-DAG:     %[[N1:.*]] = arith.constant 40 : i64
// CHECK-DAG:     llvm.store %[[K1]], %[[STRIDE_AT:.*]] : i64
// CHECK-DAG:     llvm.store %[[N1]], %{{.*}} : i64
// CHECK:         llvm.call_intrinsic "llvm.aarch64.sme.cntsd"
// CHECK:         llvm.call @tw_keep_v1(
// CHECK-LABEL: func.func @windows(
func.func @windows(%w: memref<40x3x8xi8>) -> i1 {
  %there = tw.keep_packed #tw.tile<"tw_mmt4d_tile_s8s8s32_2vlx2vlx4_arm_64_sme"> %w n = 0 k = 1 k_dims = 2 : memref<40x3x8xi8>
  return %there : i1
}
