// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-call-tile-functions --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// All rows of tiles in one call: rows, cols, stride, tiles of both, the bits of -2 and no flags. Rows are at most those of the tiles.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:      %[[A:[^:]*]]: memref<?x?xf32>, %[[P:[^:]*]]: memref<?x?x12x1xf32>)
// CHECK:         %[[BITS:.*]] = arith.constant 3221225472 : i64
// CHECK:         %[[S:.*]] = llvm.alloca %{{.*}} x !llvm.array<7 x i64>
// CHECK:         %[[PADDING:.*]] = llvm.getelementptr %[[S]][40]
// CHECK-NEXT:    llvm.store %[[BITS]], %[[PADDING]]
// CHECK:         %[[M:.*]] = memref.dim %[[A]], %c0
// CHECK:         %[[T:.*]] = memref.dim %[[P]], %c0
// CHECK-NOT:     scf.for
// CHECK:         %[[MOST:.*]] = arith.muli %[[T]], %c12
// CHECK:         arith.minsi %[[M]], %[[MOST]]
// CHECK:         llvm.call @tw_pack_tile_32_rows_12x1_generic(%{{.*}}, %{{.*}}, %[[S]]) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
func.func @rows(%a: memref<?x?xf32>, %p: memref<?x?x12x1xf32>) {
  %z = arith.constant -2.0 : f32
  tw.pack "tw_pack_tile_32_rows_12x1_generic" outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
      ins(%a : memref<?x?xf32>) padding(%z : f32) outs(%p : memref<?x?x12x1xf32>)
  return
}

// A batch has loops; the matrix is the first operand of the way back.
// CHECK-LABEL: func.func @batch(
// CHECK-SAME:      %[[P:[^:]*]]: memref<?x2x3x16x4xi8>, %[[A:[^:]*]]: memref<11x?x30xi8>)
// CHECK:         %[[B:.*]] = memref.dim %[[P]], %c0
// CHECK:         scf.for %[[I:.*]] = %c0 to %[[B]] step %c1 {
// CHECK:           arith.muli %[[I]], %c384
// CHECK:           arith.muli %[[I]], %c30
// CHECK-NOT:       scf.for
// CHECK:           llvm.call @tw_unpack_tile_8_cols_16x4_generic
func.func @batch(%p: memref<?x2x3x16x4xi8>, %a: memref<11x?x30xi8>) {
  tw.unpack "tw_unpack_tile_8_cols_16x4_generic" outer_dims_perm = [1, 2, 0] inner_dims_pos = [2, 0]
      ins(%p : memref<?x2x3x16x4xi8>) outs(%a : memref<11x?x30xi8>)
  return
}

// -----

// Where work is divided, a call packs some rows of tiles, about 16 KiB.
module attributes {tw.threads = 4 : i64, tw.least_task = 32768 : i64} {
// CHECK-LABEL: func.func @divided(
// CHECK:         arith.divui %c4096, %{{.*}}
// CHECK:         %[[SOME:.*]] = arith.maxsi
// CHECK:         scf.for %{{.*}} = %c0 to %{{.*}} step %[[SOME]] {
// CHECK:           tw.work
// CHECK:           llvm.call @tw_pack_tile_32_rows_12x1_generic
// CHECK:         } {tw.parallel}
func.func @divided(%a: memref<?x?xf32>, %p: memref<?x?x12x1xf32>) {
  tw.pack "tw_pack_tile_32_rows_12x1_generic" outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
      ins(%a : memref<?x?xf32>) outs(%p : memref<?x?x12x1xf32>)
  return
}
}

// -----

func.func @strided(%a: memref<?x8xf32, strided<[16, 1]>>, %p: memref<?x8x12x1xf32>) {
  // expected-error @below {{has the operand type 'memref<?x8xf32, strided<[16, 1]>>', which is not a contiguous buffer}}
  tw.pack "tw_pack_tile_32_rows_12x1_generic" outer_dims_perm = [0, 1] inner_dims_pos = [0, 1]
      ins(%a : memref<?x8xf32, strided<[16, 1]>>) outs(%p : memref<?x8x12x1xf32>)
  return
}
