// RUN: tw-opt %s --tw-call-tile-functions | FileCheck %s

// One call for each matrix of the batch, of which only the places of the operands change. Flags: f32f32f32 (1)
// and that lhs lies transposed (bit 20).
// CHECK-LABEL: func.func @batch(
// CHECK:         %[[C:.*]] = llvm.alloca %{{.*}} x !llvm.array<36 x i64>
// CHECK:         llvm.mlir.constant(1048577 : i32)
// CHECK:         llvm.mlir.addressof @tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base
// CHECK:         llvm.mlir.zero : !llvm.ptr
// CHECK:         scf.for
// CHECK-COUNT-3:   llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK:           llvm.call @tw_contract_v2(%[[C]])
#a = affine_map<(b, m, n, k) -> (b, k, m)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @batch(%x: memref<?x7x?xf32>, %y: memref<?x7x96xf32>, %o: memref<?x?x96xf32>, %w: memref<4194304xi8>) {
  tw.matmul "tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base" overwrite indexing_maps = [#a, #b, #c]
      ins(%x, %y : memref<?x7x?xf32>, memref<?x7x96xf32>) outs(%o, %w : memref<?x?x96xf32>, memref<4194304xi8>)
  return
}

// Of few rows, perhaps: what multiplies them without a tile goes along.
// CHECK-LABEL: func.func @thin(
// CHECK:         llvm.mlir.addressof @tw_thin_v1_x86_64_avx512_base
// CHECK:         llvm.call @tw_contract_v2(
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @thin(%x: memref<?x?xi8>, %y: memref<?x?xi8>, %o: memref<?x?xi32>, %w: memref<4194304xi8>) {
  tw.matmul "tw_mmt4d_tile_s8s8s32_12x32x4_x86_64_avx512_vnni" overwrite thin indexing_maps = [#mk, #kn, #mn]
      ins(%x, %y : memref<?x?xi8>, memref<?x?xi8>) outs(%o, %w : memref<?x?xi32>, memref<4194304xi8>)
  return
}

// Of a lhs that is gathered, rows and columns are told by sizes and strides, here of two loops each; the last columns are filled up to
// steps of 4, in K too. Flags: s8s8s32.
// CHECK-LABEL: func.func @windows(
// CHECK-SAME:      %[[X:[^:]*]]: memref<?x20xi8>
// CHECK:         llvm.alloca %{{.*}} x !llvm.array<36 x i64>
// CHECK:         llvm.call @tw_contract_v2(
#x = affine_map<(h, w, n, i, j) -> (h * 2 + i, w * 3 + j)>
#w = affine_map<(h, w, n, i, j) -> (n, i, j)>
#o = affine_map<(h, w, n, i, j) -> (h, w, n)>
func.func @windows(%x: memref<?x20xi8>, %y: memref<3x?x2x16x4xi8>, %o: memref<?x5x40xi32>, %w: memref<4194304xi8>) {
  tw.matmul "tw_mmt4d_tile_s8s8s32_8x16x4_x86_64_avx512_vnni" rhs_packed m_loops = 2 k_loops = 2 k_size = 7 indexing_maps = [#x, #w, #o]
      ins(%x, %y : memref<?x20xi8>, memref<3x?x2x16x4xi8>) outs(%o, %w : memref<?x5x40xi32>, memref<4194304xi8>)
  return
}
