// RUN: tw-opt %s --tw-call-tile-functions | FileCheck %s

// One call for each matrix of the batch, of which only the places of the operands change. Flags: f32f32f32 (1)
// and that lhs lies transposed (bit 20).
// CHECK-LABEL: func.func @batch(
// CHECK:         %[[C:.*]] = llvm.alloca %{{.*}} x !llvm.array<50 x i64>
// CHECK:         llvm.mlir.constant(1048577 : i32)
// CHECK:         llvm.mlir.addressof @tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base
// CHECK:         llvm.mlir.zero : !llvm.ptr
// CHECK:         llvm.mlir.addressof @tw_pack_tile_32_cols_12x1_x86_64_avx512_base
// CHECK:         llvm.mlir.addressof @tw_pack_tile_32_cols_32x1_x86_64_avx512_base
// CHECK:         scf.for
// CHECK-COUNT-3:   llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK:           llvm.call @tw_contract_v8(%[[C]])
#a = affine_map<(b, m, n, k) -> (b, k, m)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @batch(%x: memref<?x7x?xf32>, %y: memref<?x7x96xf32>, %o: memref<?x?x96xf32>, %w: memref<4194304xi8>) {
  tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base"> overwrite indexing_maps = [#a, #b, #c]
      ins(%x, %y : memref<?x7x?xf32>, memref<?x7x96xf32>) outs(%o, %w : memref<?x?x96xf32>, memref<4194304xi8>)
  return
}

// Of few rows, perhaps: what multiplies them without a tile goes along.
// CHECK-LABEL: func.func @thin(
// CHECK:         llvm.mlir.addressof @tw_thin_v1_x86_64_avx512_base
// CHECK:         llvm.mlir.addressof @tw_pack_tile_8_rows_12x4_x86_64_avx512_vnni
// CHECK:         llvm.mlir.addressof @tw_pack_tile_8_cols_32x4_x86_64_avx512_vnni
// CHECK:         llvm.call @tw_contract_v8(
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @thin(%x: memref<?x?xi8>, %y: memref<?x?xi8>, %o: memref<?x?xi32>, %w: memref<4194304xi8>) {
  tw.matmul #tw.tile<"tw_mmt4d_tile_s8s8s32_12x32x4_x86_64_avx512_vnni"> overwrite thin indexing_maps = [#mk, #kn, #mn]
      ins(%x, %y : memref<?x?xi8>, memref<?x?xi8>) outs(%o, %w : memref<?x?xi32>, memref<4194304xi8>)
  return
}

// A rhs that lies [n][k] is packed from its rows.
// CHECK-LABEL: func.func @transposed(
// CHECK:         llvm.mlir.addressof @tw_mmt4d_tile_f32f32f32_8x12x1_arm_64_base
// CHECK:         llvm.mlir.addressof @tw_pack_tile_32_rows_8x1_arm_64_base
// CHECK:         llvm.mlir.addressof @tw_pack_tile_32_rows_12x1_arm_64_base
// CHECK:         llvm.call @tw_contract_v8(
#nk = affine_map<(m, n, k) -> (n, k)>
func.func @transposed(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %o: memref<?x?xf32>, %w: memref<4194304xi8>) {
  tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x12x1_arm_64_base"> overwrite indexing_maps = [#mk, #nk, #mn]
      ins(%x, %y : memref<?x?xf32>, memref<?x?xf32>) outs(%o, %w : memref<?x?xf32>, memref<4194304xi8>)
  return
}

// Of a lhs that is gathered, rows and columns are told by sizes and strides, here of two loops each; the last columns are filled up to
// steps of 4, in K too. Flags: s8s8s32.
// CHECK-LABEL: func.func @windows(
// CHECK-SAME:      %[[X:[^:]*]]: memref<?x20xi8>
// CHECK-NOT:     @tw_pack_tile
// CHECK:         llvm.alloca %{{.*}} x !llvm.array<50 x i64>
// CHECK:         llvm.call @tw_contract_v8(
#x = affine_map<(h, w, n, i, j) -> (h * 2 + i, w * 3 + j)>
#w = affine_map<(h, w, n, i, j) -> (n, i, j)>
#o = affine_map<(h, w, n, i, j) -> (h, w, n)>
func.func @windows(%x: memref<?x20xi8>, %y: memref<3x?x2x16x4xi8>, %o: memref<?x5x40xi32>, %w: memref<4194304xi8>) {
  tw.matmul #tw.tile<"tw_mmt4d_tile_s8s8s32_8x16x4_x86_64_avx512_vnni"> rhs_packed m_loops = 2 k_loops = 2 k_size = 7 indexing_maps = [#x, #w, #o]
      ins(%x, %y : memref<?x20xi8>, memref<3x?x2x16x4xi8>) outs(%o, %w : memref<?x5x40xi32>, memref<4194304xi8>)
  return
}

// Rows of a kept rhs have K columns, 3 lines of 8, one line of which is 7 columns and what fills it up.
// CHECK-LABEL: func.func @kept_windows(
// CHECK:         %[[K:.*]] = arith.constant 24 : index
// CHECK:         %[[K1:.*]] = arith.index_cast %[[K]] : index to i64
// CHECK-NOT:     arith.constant 96 : index
// CHECK:         llvm.mlir.addressof @tw_keep_v1
// CHECK:         llvm.call @tw_contract_v8(
#wk = affine_map<(h, w, n, i, j) -> (n, i, j)>
func.func @kept_windows(%x: memref<11x20xi8>, %y: memref<40x3x8xi8>, %o: memref<5x5x40xi32>, %w: memref<4194304xi8>) {
  tw.matmul #tw.tile<"tw_mmt4d_tile_s8s8s32_8x2vlx4_arm_64_sve"> rhs_kept m_loops = 2 k_loops = 2 k_size = 7 indexing_maps = [#x, #wk, #o]
      ins(%x, %y : memref<11x20xi8>, memref<40x3x8xi8>) outs(%o, %w : memref<5x5x40xi32>, memref<4194304xi8>)
  return
}

// What is done with blocks of out: its operands and the number of the batch's matrix are words, which a function takes apart.
// CHECK-LABEL: func.func @finished(
// CHECK-SAME:      %{{.*}}: memref<?x?x?xf32>, %{{.*}}: memref<?x?x?xf32>, %[[O:.*]]: memref<?xf32>, %[[V:.*]]: memref<1xf32>, %[[N:[^:]*]]: i64
// CHECK-DAG:     %[[WORDS:.*]] = llvm.alloca %{{.*}} x !llvm.array<4 x i64>
// CHECK-DAG:     %[[C:.*]] = llvm.alloca %{{.*}} x !llvm.array<50 x i64>
// CHECK:         llvm.mlir.addressof @finish.call
// CHECK:         scf.for %[[I:.*]] =
// CHECK-NEXT:      %[[NUMBER:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK-NEXT:      %[[AT:.*]] = llvm.getelementptr %[[WORDS]][3]
// CHECK-NEXT:      llvm.store %[[NUMBER]], %[[AT]]
// CHECK:           llvm.call @tw_contract_v8(%[[C]])
// CHECK:       llvm.func internal @finish.call(%[[X:.*]]: !llvm.ptr, %[[M0:.*]]: i64, %[[M1:.*]]: i64, %[[N0:.*]]: i64, %[[N1:.*]]: i64)
// CHECK-COUNT-2: builtin.unrealized_conversion_cast
// CHECK:         call @finish(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[M0]], %[[M1]], %[[N0]], %[[N1]])
#bmk = affine_map<(b, m, n, k) -> (b, m, k)>
#bkn = affine_map<(b, m, n, k) -> (b, k, n)>
#bmn = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @finished(%x: memref<?x?x?xf32>, %y: memref<?x?x?xf32>, %o: memref<?xf32>, %v: memref<1xf32>, %n: i64, %r: memref<?x?x?xf32>, %w: memref<4194304xi8>) {
  tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base"> overwrite indexing_maps = [#bmk, #bkn, #bmn]
      ins(%x, %y : memref<?x?x?xf32>, memref<?x?x?xf32>) outs(%r, %w : memref<?x?x?xf32>, memref<4194304xi8>)
      epilogue @finish(%o, %v, %n : memref<?xf32>, memref<1xf32>, i64)
  return
}
func.func private @finish(%o: memref<?xf32>, %v: memref<1xf32>, %n: i64, %b: i64, %m0: i64, %m1: i64, %n0: i64, %n1: i64) attributes {tw.epilogue} {
  return
}

// Of few rows, perhaps, by panels: the tiles of 1 and of 4 rows go along, whose lhs the code behind the call packs.
// CHECK-LABEL: func.func @few(
// CHECK:         llvm.mlir.addressof @tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base
// CHECK:         llvm.mlir.addressof @tw_mmt4d_tile_f32f32f32_1x32x1_x86_64_avx512_base
// CHECK:         llvm.mlir.addressof @tw_mmt4d_tile_f32f32f32_4x32x1_x86_64_avx512_base
// CHECK:         llvm.mlir.addressof @tw_pack_tile_32_rows_12x1_x86_64_avx512_base
// CHECK:         llvm.call @tw_contract_v8(
func.func @few(%x: memref<?x64xf32>, %y: memref<3x64x32x1xf32>, %o: memref<?x96xf32>, %w: memref<4194304xi8>) {
  tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base"> overwrite rhs_packed few_rows = [1, 4] indexing_maps = [#mk, #nk, #mn]
      ins(%x, %y : memref<?x64xf32>, memref<3x64x32x1xf32>) outs(%o, %w : memref<?x96xf32>, memref<4194304xi8>)
  return
}

// How many columns a tile has is computed, and the panels of a rhs that never changes are kept: in lists that all
// multiplications of the model share. No pack function has a tile of such a size.
// CHECK-LABEL: func.func @scalable(
// CHECK:         %[[SCALE:.*]] = "llvm.intr.vscale"() : () -> i64
// CHECK:         %[[INDEX:.*]] = arith.index_cast %[[SCALE]] : i64 to index
// CHECK:         %[[N0:.*]] = arith.muli %[[INDEX]], %c8{{.*}} : index
// CHECK:         arith.index_cast %[[N0]] : index to i32
// CHECK:         llvm.mlir.addressof @tw_mmt4d_tile_f32f32f32_8x2vlx1_arm_64_sve
// CHECK:         llvm.mlir.addressof @tw_keep_v1
// CHECK:         llvm.mlir.addressof @tw.kept_panels
// CHECK:         llvm.mlir.addressof @tw_pack_tile_32_rows_8x1_arm_64_sve
// CHECK-NOT:     llvm.mlir.addressof @tw_pack_tile
// CHECK:         llvm.call @tw_contract_v8(
func.func @scalable(%x: memref<?x64xf32>, %y: memref<64x96xf32>, %o: memref<?x96xf32>, %w: memref<4194304xi8>) {
  tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x2vlx1_arm_64_sve"> overwrite rhs_kept few_rows = [1, 4] indexing_maps = [#mk, #kn, #mn]
      ins(%x, %y : memref<?x64xf32>, memref<64x96xf32>) outs(%o, %w : memref<?x96xf32>, memref<4194304xi8>)
  return
}

// SME's length is told by an instruction that is not of streaming mode.
// CHECK-LABEL: func.func @streaming(
// CHECK:         %[[WORDS:.*]] = llvm.call_intrinsic "llvm.aarch64.sme.cntsd"() : () -> i64
// CHECK:         %[[ONE:.*]] = llvm.mlir.constant(1 : i64) : i64
// CHECK:         llvm.lshr %[[WORDS]], %[[ONE]] : i64
func.func @streaming(%x: memref<?x64xf32>, %y: memref<64x96xf32>, %o: memref<?x96xf32>, %w: memref<4194304xi8>) {
  tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_2vlx2vlx1_arm_64_sme"> overwrite indexing_maps = [#mk, #kn, #mn]
      ins(%x, %y : memref<?x64xf32>, memref<64x96xf32>) outs(%o, %w : memref<?x96xf32>, memref<4194304xi8>)
  return
}

// Of few rows, perhaps: tiles of a fixed number of them go along with one whose number is scalable.
// CHECK-LABEL: func.func @few_streaming(
// CHECK:         llvm.mlir.addressof @tw_mmt4d_tile_f32f32f32_2vlx2vlx1_arm_64_sme
// CHECK:         llvm.mlir.addressof @tw_mmt4d_tile_f32f32f32_1x2vlx1_arm_64_sme
// CHECK:         llvm.mlir.addressof @tw_mmt4d_tile_f32f32f32_4x2vlx1_arm_64_sme
// CHECK:         llvm.call @tw_contract_v8(
func.func @few_streaming(%x: memref<?x64xf32>, %y: memref<64x96xf32>, %o: memref<?x96xf32>, %w: memref<4194304xi8>) {
  tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_2vlx2vlx1_arm_64_sme"> overwrite rhs_kept few_rows = [1, 4] indexing_maps = [#mk, #kn, #mn]
      ins(%x, %y : memref<?x64xf32>, memref<64x96xf32>) outs(%o, %w : memref<?x96xf32>, memref<4194304xi8>)
  return
}

// Of tiles by AMX the rhs is packed in groups along K, and a lhs that lies transposed by way of such: by the code behind the call,
// not by pack functions. Flags: s8s8s32 (2) and RHS_VNNI (bit 18); prepacked (bit 23), and that lhs lies transposed.
// CHECK-LABEL: func.func @in_groups(
// CHECK:         llvm.mlir.constant(262146 : i32)
// CHECK:         llvm.mlir.addressof @tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8
// CHECK:         llvm.mlir.addressof @tw_pack_tile_8_rows_32x64_x86_64_amx_int8
// CHECK-NOT:     @tw_pack_tile
// CHECK:         llvm.call @tw_contract_v8(
func.func @in_groups(%x: memref<?x?xi8>, %y: memref<?x?xi8>, %o: memref<?x?xi32>, %w: memref<4194304xi8>) {
  tw.matmul #tw.tile<"tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8"> overwrite indexing_maps = [#mk, #kn, #mn]
      ins(%x, %y : memref<?x?xi8>, memref<?x?xi8>) outs(%o, %w : memref<?x?xi32>, memref<4194304xi8>)
  return
}

// CHECK-LABEL: func.func @transposed_in_groups(
// CHECK:         llvm.mlir.constant(9699330 : i32)
// CHECK-NOT:     @tw_pack_tile
// CHECK:         llvm.call @tw_contract_v8(
#km = affine_map<(m, n, k) -> (k, m)>
func.func @transposed_in_groups(%x: memref<?x?xi8>, %y: memref<3x?x16x32x4xi8>, %o: memref<?x96xi32>, %w: memref<4194304xi8>) {
  tw.matmul #tw.tile<"tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8"> overwrite rhs_packed indexing_maps = [#km, #nk, #mn]
      ins(%x, %y : memref<?x?xi8>, memref<3x?x16x32x4xi8>) outs(%o, %w : memref<?x96xi32>, memref<4194304xi8>)
  return
}
