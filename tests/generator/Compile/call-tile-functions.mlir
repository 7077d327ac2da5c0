// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-call-tile-functions --canonicalize --split-input-file | FileCheck %s
// RUN: tw-opt %s --tw-call-tile-functions=prefix=uk --split-input-file --verify-diagnostics

#a = affine_map<(m, n, k, x, y, z) -> (m, k, x, z)>
#b = affine_map<(m, n, k, x, y, z) -> (n, k, y, z)>
#c = affine_map<(m, n, k, x, y, z) -> (m, n, x, y)>

// CHECK-DAG:   llvm.func @tw_mmt4d_tile_s8s8s32_8x32x4_x86_64_avx512_vnni(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr)
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[A:.*]]: memref<?x?x8x4xi8>, %[[B:.*]]: memref<3x?x32x4xi8>, %[[C:.*]]: memref<?x3x8x32xi32>)
// M0 and N0; K0 and the flags: types 2, ACCUMULATE.
// CHECK-DAG:     %[[M0N0:.*]] = llvm.mlir.constant(137438953480 : i64)
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
  // expected-error @below {{names the tile 'tw_mmt4d_tile_s8s8s32_8x32x4_x86_64_avx512_vnni': }}
  linalg.generic {indexing_maps = [#a, #b, #c],
                  iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?x8x4xi8>, memref<3x?x32x4xi8>) outs(%c : memref<?x3x8x32xi32>)
      attrs = {tw.tile = "tw_mmt4d_tile_s8s8s32_8x32x4_x86_64_avx512_vnni"} {
  ^bb0(%x: i8, %y: i8, %o: i32):
    linalg.yield %o : i32
  }
  return
}
