// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-call-tile-functions --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// CHECK-DAG:   llvm.func @tw_mmt4d_tile_s8s8s32_8x32x4_x86_64_avx512_vnni(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr)
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[A:.*]]: memref<?x?x8x4xi8>, %[[B:.*]]: memref<3x?x32x4xi8>, %[[C:.*]]: memref<?x3x8x32xi32>)
// M0 and N0; K0 and the flags: types 2, ACCUMULATE.
// CHECK-DAG:     %[[M0N0:.*]] = arith.constant 137438953480 : i64
// CHECK-DAG:     %[[K0FLAGS:.*]] = llvm.mlir.constant(1108101562372 : i64)
// CHECK-DAG:     %[[PARAMS:.*]] = llvm.alloca %{{.*}} x !llvm.array<16 x i64>
// CHECK:         %[[K:.*]] = memref.dim %[[A]], %c1
// CHECK:         %[[KWORD:.*]] = arith.index_cast %[[K]]
// CHECK:         %[[P11:.*]] = llvm.getelementptr %[[PARAMS]][11]
// CHECK:         llvm.store %[[KWORD]], %[[P11]]
// CHECK:         %[[P12:.*]] = llvm.getelementptr %[[PARAMS]][12]
// CHECK:         llvm.store %[[M0N0]], %[[P12]]
// CHECK:         %[[P13:.*]] = llvm.getelementptr %[[PARAMS]][13]
// CHECK:         llvm.store %[[K0FLAGS]], %[[P13]]
// Blocks of rhs panels, lhs panels, the panels of the block.
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               llvm.call @tw_mmt4d_tile_s8s8s32_8x32x4_x86_64_avx512_vnni(%{{.*}}, %{{.*}}, %{{.*}}, %[[PARAMS]])
func.func @f(%a: memref<?x?x8x4xi8>, %b: memref<3x?x32x4xi8>, %c: memref<?x3x8x32xi32>) {
  tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_8x32x4_x86_64_avx512_vnni"> indexing_maps = [#a, #b, #c]
      ins(%a, %b : memref<?x?x8x4xi8>, memref<3x?x32x4xi8>) outs(%c : memref<?x3x8x32xi32>)
  return
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// A rhs in groups along K: the flags have RHS_VNNI, 0x40000, and panels are as large as without.
// CHECK-LABEL: func.func @in_groups(
// CHECK-DAG:     %[[K0FLAGS:.*]] = llvm.mlir.constant(1127008008405056 : i64)
// CHECK-DAG:     %[[PANEL:.*]] = arith.constant 10240 : index
// CHECK:         %[[P13:.*]] = llvm.getelementptr %{{.*}}[13]
// CHECK:         llvm.store %[[K0FLAGS]], %[[P13]]
// CHECK:         scf.for %[[COLUMN:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:           arith.muli %[[COLUMN]], %[[PANEL]]
// CHECK:           llvm.call @tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8(
func.func @in_groups(%a: memref<2x5x32x64xi8>, %b: memref<3x5x16x32x4xi8>, %c: memref<2x3x32x32xi32>) {
  tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8"> indexing_maps = [#a, #b, #c]
      ins(%a, %b : memref<2x5x32x64xi8>, memref<3x5x16x32x4xi8>) outs(%c : memref<2x3x32x32xi32>)
  return
}

// -----

// Two dimensions of each kind, in panels of 1 x 1 elements: each operand is an array of panels, and the addresses of
// panel and tile are those of the loops' numbers.
#a = affine_map<(b0, b1, m0, m1, n0, n1, k0, k1) -> (b0, b1, m0, m1, k0, k1)>
#b = affine_map<(b0, b1, m0, m1, n0, n1, k0, k1) -> (b0, b1, n0, n1, k0, k1)>
#c = affine_map<(b0, b1, m0, m1, n0, n1, k0, k1) -> (b0, b1, m0, m1, n0, n1)>

// CHECK-LABEL: func.func @dims(
// CHECK-DAG:     %[[I0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[I1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[BATCH:.*]] = arith.constant 6 : index
// CHECK-DAG:     %[[M:.*]] = arith.constant 20 : index
// CHECK-DAG:     %[[N:.*]] = arith.constant 42 : index
// CHECK-DAG:     %[[K:.*]] = arith.constant 72 : i64
// K0 and the flags: types 0x21, no ACCUMULATE.
// CHECK-DAG:     %[[FLAGS:.*]] = llvm.mlir.constant(141733920769 : i64)
// One panel has 72 * 4 bytes, one tile 4.
// CHECK-DAG:     %[[PANEL:.*]] = arith.constant 288 : index
// CHECK-DAG:     %[[TILE:.*]] = arith.constant 4 : index
// CHECK:         llvm.store %[[K]]
// CHECK:         llvm.store %[[FLAGS]]
// CHECK:         scf.for %[[I:.*]] = %[[I0]] to %[[BATCH]] step %[[I1]] {
// CHECK:           %[[ROW0:.*]] = arith.muli %[[I]], %[[M]]
// CHECK:           %[[COLUMN0:.*]] = arith.muli %[[I]], %[[N]]
// All rhs panels are one block.
// CHECK:           scf.for %[[J:.*]] = %[[I0]] to %[[M]] step %[[I1]] {
// CHECK:             %[[ROW:.*]] = arith.addi %[[ROW0]], %[[J]]
// CHECK:             scf.for %[[L:.*]] = %[[I0]] to %[[N]] step %[[I1]] {
// CHECK-DAG:           %[[ROWS:.*]] = arith.muli %[[ROW]], %[[N]]
// CHECK-DAG:           %[[OUT:.*]] = arith.addi %[[ROWS]], %[[L]]
// CHECK-DAG:           arith.muli %[[OUT]], %[[TILE]]
// CHECK-DAG:           arith.muli %[[ROW]], %[[PANEL]]
// CHECK-DAG:           %[[COLUMN:.*]] = arith.addi %[[COLUMN0]], %[[L]]
// CHECK-DAG:           arith.muli %[[COLUMN]], %[[PANEL]]
// CHECK:               llvm.call @tw_mmt4d_tile_s32s32s32_1x1x1_generic(
func.func @dims(%a: memref<2x3x4x5x8x9x1x1xi32>, %b: memref<2x3x6x7x8x9x1x1xi32>, %c: memref<2x3x4x5x6x7x1x1xi32>) {
  tw.mmt4d #tw.tile<"tw_mmt4d_tile_s32s32s32_1x1x1_generic"> overwrite indexing_maps = [#a, #b, #c]
      ins(%a, %b : memref<2x3x4x5x8x9x1x1xi32>, memref<2x3x6x7x8x9x1x1xi32>) outs(%c : memref<2x3x4x5x6x7x1x1xi32>)
  return
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @strided(%a: memref<2x5x1x1xf32>, %b: memref<3x5x1x1xf32, strided<[10, 1, 1, 1]>>, %c: memref<2x3x1x1xf32>) {
  // expected-error @below {{has the operand type 'memref<3x5x1x1xf32, strided<[10, 1, 1, 1]>>', which is not a contiguous buffer}}
  tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_1x1x1_generic"> indexing_maps = [#a, #b, #c]
      ins(%a, %b : memref<2x5x1x1xf32>, memref<3x5x1x1xf32, strided<[10, 1, 1, 1]>>) outs(%c : memref<2x3x1x1xf32>)
  return
}

// -----

func.func @scaled(%a: memref<2x3x1x16x4x32xf8E4M3FN>, %b: memref<5x3x1x16x4x32xf8E4M3FN>, %p: memref<2x3x16x4xf8E8M0FNU>, %q: memref<5x3x16x4xf8E8M0FNU>, %c: memref<2x5x16x16xf32>) {
  // expected-error @below {{has block scales, which tiles of CPUs do not take; expected it on a GPU}}
  tw.mmt4d #tw.tile<"tw_mmt4d_tile_f8e4m3fnf8e4m3fnf32_16x16x128_mx_amdgpu_gfx950">
      indexing_maps = [affine_map<(m, n, k, z) -> (m, k, z)>, affine_map<(m, n, k, z) -> (n, k, z)>, affine_map<(m, n, k, z) -> (m, n)>]
      ins(%a, %b : memref<2x3x1x16x4x32xf8E4M3FN>, memref<5x3x1x16x4x32xf8E4M3FN>) scales(%p, %q : memref<2x3x16x4xf8E8M0FNU>, memref<5x3x16x4xf8E8M0FNU>) outs(%c : memref<2x5x16x16xf32>)
  return
}
