// RUN: tw-opt %s -split-input-file -verify-diagnostics

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @loops(%x: tensor<4x5xf32>, %y: tensor<5x6xf32>, %o: tensor<4x6xf32>, %w: tensor<64xi8>) {
  // expected-error@+1 {{has the loop d0 of kind n; expected m}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> indexing_maps = [#kn, #mk, #mn]
      ins(%x, %y : tensor<4x5xf32>, tensor<5x6xf32>) outs(%o, %w : tensor<4x6xf32>, tensor<64xi8>)
      -> tensor<4x6xf32>, tensor<64xi8>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @elements(%x: tensor<4x5xf16>, %y: tensor<5x6xf32>, %o: tensor<4x6xf32>, %w: tensor<64xi8>) {
  // expected-error@+1 {{has lhs elements of 'f16', but those of the tile are f32}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> indexing_maps = [#mk, #kn, #mn]
      ins(%x, %y : tensor<4x5xf16>, tensor<5x6xf32>) outs(%o, %w : tensor<4x6xf32>, tensor<64xi8>)
      -> tensor<4x6xf32>, tensor<64xi8>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @workspace(%x: tensor<4x5xf32>, %y: tensor<5x6xf32>, %o: tensor<4x6xf32>, %w: tensor<64xf32>) {
  // expected-error@+1 {{has the workspace type 'tensor<64xf32>'; expected one dimension of i8}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> indexing_maps = [#mk, #kn, #mn]
      ins(%x, %y : tensor<4x5xf32>, tensor<5x6xf32>) outs(%o, %w : tensor<4x6xf32>, tensor<64xf32>)
      -> tensor<4x6xf32>, tensor<64xf32>
  return
}

// -----

#bmk = affine_map<(b, m, n, k) -> (m, k, b)>
#bkn = affine_map<(b, m, n, k) -> (b, k, n)>
#bmn = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @innermost(%x: tensor<4x5x3xf32>, %y: tensor<3x5x6xf32>, %o: tensor<3x4x6xf32>, %w: tensor<64xi8>) {
  // expected-error@+1 {{whose innermost loop is none of m, n, k}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> indexing_maps = [#bmk, #bkn, #bmn]
      ins(%x, %y : tensor<4x5x3xf32>, tensor<3x5x6xf32>) outs(%o, %w : tensor<3x4x6xf32>, tensor<64xi8>)
      -> tensor<3x4x6xf32>, tensor<64xi8>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @panels(%x: tensor<4x5xf32>, %y: tensor<5x1x8x1xf32>, %o: tensor<4x6xf32>, %w: tensor<64xi8>) {
  // expected-error@+1 {{expected it to end in n, k, as rhs is packed}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> rhs_packed indexing_maps = [#mk, #kn, #mn]
      ins(%x, %y : tensor<4x5xf32>, tensor<5x1x8x1xf32>) outs(%o, %w : tensor<4x6xf32>, tensor<64xi8>)
      -> tensor<4x6xf32>, tensor<64xi8>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @panel_count(%x: tensor<4x5xf32>, %y: tensor<2x5x8x1xf32>, %o: tensor<4x6xf32>, %w: tensor<64xi8>) {
  // expected-error@+1 {{has the loop d1 of size 6, but 2 in rhs}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> rhs_packed indexing_maps = [#mk, #nk, #mn]
      ins(%x, %y : tensor<4x5xf32>, tensor<2x5x8x1xf32>) outs(%o, %w : tensor<4x6xf32>, tensor<64xi8>)
      -> tensor<4x6xf32>, tensor<64xi8>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @sizes(%x: tensor<4x5xf32>, %y: tensor<7x6xf32>, %o: tensor<4x6xf32>, %w: tensor<64xi8>) {
  // expected-error@+1 {{has the loop d2 of size 5, but 7 in rhs}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> indexing_maps = [#mk, #kn, #mn]
      ins(%x, %y : tensor<4x5xf32>, tensor<7x6xf32>) outs(%o, %w : tensor<4x6xf32>, tensor<64xi8>)
      -> tensor<4x6xf32>, tensor<64xi8>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @thin(%x: tensor<4x5xf32>, %y: tensor<1x5x8x1xf32>, %o: tensor<4x6xf32>, %w: tensor<64xi8>) {
  // expected-error@+1 {{has more than one of `rhs_packed`, `rhs_kept` and `thin`; expected one or none}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> rhs_packed thin indexing_maps = [#mk, #nk, #mn]
      ins(%x, %y : tensor<4x5xf32>, tensor<1x5x8x1xf32>) outs(%o, %w : tensor<4x6xf32>, tensor<64xi8>)
      -> tensor<4x6xf32>, tensor<64xi8>
  return
}

// -----

#x = affine_map<(m, n, k, c) -> (m + k, c)>
#w = affine_map<(m, n, k, c) -> (n, k, c)>
#o = affine_map<(m, n, k, c) -> (m, n)>
func.func @windows(%x: tensor<7x5xf32>, %w: tensor<1x4x5x8x1xf32>, %o: tensor<5x6xf32>, %s: tensor<64xi8>) {
  // expected-error@+1 {{has windows of 8 elements in dimension 0 of the lhs type 'tensor<7x5xf32>'}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> rhs_packed k_loops = 2 indexing_maps = [#x, #w, #o]
      ins(%x, %w : tensor<7x5xf32>, tensor<1x4x5x8x1xf32>) outs(%o, %s : tensor<5x6xf32>, tensor<64xi8>)
      -> tensor<5x6xf32>, tensor<64xi8>
  return
}

// -----

#x = affine_map<(m, n, c, k) -> (m + k, c)>
#w = affine_map<(m, n, c, k) -> (n, c, k)>
#o = affine_map<(m, n, c, k) -> (m, n)>
func.func @k_size(%x: tensor<8x5xf32>, %w: tensor<1x5x4x8x1xf32>, %o: tensor<5x6xf32>, %s: tensor<64xi8>) {
  // expected-error@+1 {{has no k_size, and the lhs map affine_map<(d0, d1, d2, d3) -> (d0 + d3, d2)>; expected one if the last loop of k is part of a sum}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> rhs_packed k_loops = 2 indexing_maps = [#x, #w, #o]
      ins(%x, %w : tensor<8x5xf32>, tensor<1x5x4x8x1xf32>) outs(%o, %s : tensor<5x6xf32>, tensor<64xi8>)
      -> tensor<5x6xf32>, tensor<64xi8>
  return
}

// -----

#x = affine_map<(m, n, c, k) -> (m + k, c)>
#w = affine_map<(m, n, c, k) -> (n, c, k)>
#o = affine_map<(m, n, c, k) -> (m, n)>
func.func @wrong_k_size(%x: tensor<9x5xf32>, %w: tensor<1x5x4x8x1xf32>, %o: tensor<5x6xf32>, %s: tensor<64xi8>) {
  // expected-error@+1 {{has the loop d3 of size 3, but 4 in rhs}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> rhs_packed k_loops = 2 k_size = 3 indexing_maps = [#x, #w, #o]
      ins(%x, %w : tensor<9x5xf32>, tensor<1x5x4x8x1xf32>) outs(%o, %s : tensor<5x6xf32>, tensor<64xi8>)
      -> tensor<5x6xf32>, tensor<64xi8>
  return
}

// -----

#x = affine_map<(m, n, k) -> (m * 2, k)>
#w = affine_map<(m, n, k) -> (k, n)>
#o = affine_map<(m, n, k) -> (m, n)>
func.func @gathered_and_plain(%x: tensor<9x5xf32>, %w: tensor<5x6xf32>, %o: tensor<5x6xf32>, %s: tensor<64xi8>) {
  // expected-error@+1 {{gathers its lhs; expected a packed rhs, or one that is kept}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> indexing_maps = [#x, #w, #o]
      ins(%x, %w : tensor<9x5xf32>, tensor<5x6xf32>) outs(%o, %s : tensor<5x6xf32>, tensor<64xi8>)
      -> tensor<5x6xf32>, tensor<64xi8>
  return
}

// -----

#x = affine_map<(a, b, n, k) -> (a, b, k)>
#w = affine_map<(a, b, n, k) -> (n, k)>
#o = affine_map<(a, b, n, k) -> (a, n, b)>
func.func @rows_apart(%x: tensor<2x3x5xf32>, %w: tensor<1x5x8x1xf32>, %o: tensor<2x6x3xf32>, %s: tensor<64xi8>) {
  // expected-error@+1 {{expected its loops of m side by side}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> rhs_packed m_loops = 2 indexing_maps = [#x, #w, #o]
      ins(%x, %w : tensor<2x3x5xf32>, tensor<1x5x8x1xf32>) outs(%o, %s : tensor<2x6x3xf32>, tensor<64xi8>)
      -> tensor<2x6x3xf32>, tensor<64xi8>
  return
}

// -----

#x = affine_map<(m, n, k) -> (m - k + 4)>
#w = affine_map<(m, n, k) -> (n, k)>
#o = affine_map<(m, n, k) -> (m, n)>
func.func @backwards(%x: tensor<9xf32>, %w: tensor<1x5x8x1xf32>, %o: tensor<5x6xf32>, %s: tensor<64xi8>) {
  // expected-error@+1 {{expected different loops out of 3, or sums of their multiples}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> rhs_packed k_size = 5 indexing_maps = [#x, #w, #o]
      ins(%x, %w : tensor<9xf32>, tensor<1x5x8x1xf32>) outs(%o, %s : tensor<5x6xf32>, tensor<64xi8>)
      -> tensor<5x6xf32>, tensor<64xi8>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @no_epilogue(%x: memref<4x5xf32>, %y: memref<5x6xf32>, %o: memref<4x6xf32>, %w: memref<64xi8>) {
  // expected-error@+1 {{has the epilogue @finish, which is no function}}
  tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> indexing_maps = [#mk, #kn, #mn]
      ins(%x, %y : memref<4x5xf32>, memref<5x6xf32>) outs(%o, %w : memref<4x6xf32>, memref<64xi8>)
      epilogue @finish(%o : memref<4x6xf32>)
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func private @finish(%o: memref<4x6xf32>, %m0: i64, %m1: i64, %n0: i64)
func.func @epilogue_type(%x: memref<4x5xf32>, %y: memref<5x6xf32>, %o: memref<4x6xf32>, %w: memref<64xi8>) {
  // expected-error@+1 {{has the epilogue @finish of type '(memref<4x6xf32>, i64, i64, i64) -> ()'; expected '(memref<4x6xf32>, i64, i64, i64, i64) -> ()'}}
  tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> indexing_maps = [#mk, #kn, #mn]
      ins(%x, %y : memref<4x5xf32>, memref<5x6xf32>) outs(%o, %w : memref<4x6xf32>, memref<64xi8>)
      epilogue @finish(%o : memref<4x6xf32>)
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func private @finish(%o: tensor<4x6xf32>, %m0: i64, %m1: i64, %n0: i64, %n1: i64)
func.func @epilogue_of_tensors(%x: tensor<4x5xf32>, %y: tensor<5x6xf32>, %o: tensor<4x6xf32>, %w: tensor<64xi8>) {
  // expected-error@+1 {{has an epilogue; expected none but on buffers}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> indexing_maps = [#mk, #kn, #mn]
      ins(%x, %y : tensor<4x5xf32>, tensor<5x6xf32>) outs(%o, %w : tensor<4x6xf32>, tensor<64xi8>)
      epilogue @finish(%o : tensor<4x6xf32>) -> tensor<4x6xf32>, tensor<64xi8>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @few_of_plain(%x: memref<?x5xf32>, %y: memref<6x5xf32>, %o: memref<?x6xf32>, %w: memref<64xi8>) {
  // expected-error@+1 {{has tiles of few rows, which are for a matrix by a packed rhs}}
  tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> few_rows = [1] indexing_maps = [#mk, #nk, #mn]
      ins(%x, %y : memref<?x5xf32>, memref<6x5xf32>) outs(%o, %w : memref<?x6xf32>, memref<64xi8>)
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @few_are_many(%x: memref<?x5xf32>, %y: memref<1x5x8x1xf32>, %o: memref<?x6xf32>, %w: memref<64xi8>) {
  // expected-error@+1 {{has few_rows = [4, 8]; expected ascending ones below the tile's 8}}
  tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> rhs_packed few_rows = [4, 8] indexing_maps = [#mk, #nk, #mn]
      ins(%x, %y : memref<?x5xf32>, memref<1x5x8x1xf32>) outs(%o, %w : memref<?x6xf32>, memref<64xi8>)
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @few_are_as_many_at_least(%x: memref<?x5xf32>, %y: memref<5x6xf32>, %o: memref<?x6xf32>, %w: memref<64xi8>) {
  // expected-error@+1 {{has few_rows = [1, 8]; expected ascending ones below the tile's 8}}
  tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_2vlx2vlx1_arm_64_sme"> rhs_kept few_rows = [1, 8] indexing_maps = [#mk, affine_map<(m, n, k) -> (k, n)>, #mn]
      ins(%x, %y : memref<?x5xf32>, memref<5x6xf32>) outs(%o, %w : memref<?x6xf32>, memref<64xi8>)
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @too_many_of_few(%x: memref<?x5xf32>, %y: memref<1x5x8x1xf32>, %o: memref<?x6xf32>, %w: memref<64xi8>) {
  // expected-error@+1 {{has 3 tiles of few rows; calls have 2}}
  tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_generic"> rhs_packed few_rows = [1, 2, 4] indexing_maps = [#mk, #nk, #mn]
      ins(%x, %y : memref<?x5xf32>, memref<1x5x8x1xf32>) outs(%o, %w : memref<?x6xf32>, memref<64xi8>)
  return
}

// -----

// Rows of a kept rhs have columns filled up to whole steps of 4.
#x = affine_map<(o, n, k, c) -> (o + k, c)>
#w = affine_map<(o, n, k, c) -> (n, k, c)>
#o = affine_map<(o, n, k, c) -> (o, n)>
func.func @kept_rows(%x: tensor<9x5xf16>, %w: tensor<8x3x5xf16>, %o: tensor<7x8xf32>, %s: tensor<64xi8>) {
  // expected-error@+1 {{has the loop d3 of size 5, but 5 in rhs; expected whole steps of 2}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f16f16f32_8x8x2_generic"> rhs_kept k_loops = 2 indexing_maps = [#x, #w, #o]
      ins(%x, %w : tensor<9x5xf16>, tensor<8x3x5xf16>) outs(%o, %s : tensor<7x8xf32>, tensor<64xi8>)
      -> tensor<7x8xf32>, tensor<64xi8>
  return
}

// -----

#x = affine_map<(o, n, k, c) -> (o + k, c)>
#w = affine_map<(o, n, k, c) -> (k, c, n)>
#o = affine_map<(o, n, k, c) -> (o, n)>
func.func @kept_columns(%x: tensor<9x6xf16>, %w: tensor<3x6x8xf16>, %o: tensor<7x8xf32>, %s: tensor<64xi8>) {
  // expected-error@+1 {{expected it to end in n, k, as lhs is gathered}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_f16f16f32_8x8x2_generic"> rhs_kept k_loops = 2 indexing_maps = [#x, #w, #o]
      ins(%x, %w : tensor<9x6xf16>, tensor<3x6x8xf16>) outs(%o, %s : tensor<7x8xf32>, tensor<64xi8>)
      -> tensor<7x8xf32>, tensor<64xi8>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @kept_in_groups(%x: tensor<4x5xi8>, %y: tensor<5x6xi8>, %o: tensor<4x6xi32>, %w: tensor<64xi8>) {
  // expected-error@+1 {{names the tile 'tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8', whose rhs panels are in groups along K (variant 'vnni'), and keeps its rhs; expected a tile without this variant}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8"> rhs_kept indexing_maps = [#mk, #kn, #mn]
      ins(%x, %y : tensor<4x5xi8>, tensor<5x6xi8>) outs(%o, %w : tensor<4x6xi32>, tensor<64xi8>)
      -> tensor<4x6xi32>, tensor<64xi8>
  return
}

// -----

#windows = affine_map<(m, n, k) -> (m + k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @windows_in_groups(%x: tensor<68xi8>, %y: tensor<1x1x16x32x4xi8>, %o: tensor<5x32xi32>, %w: tensor<64xi8>) {
  // expected-error@+1 {{names the tile 'tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8', whose rhs panels are in groups along K (variant 'vnni'), and gathers its lhs; expected a tile without this variant}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8"> rhs_packed k_size = 64 indexing_maps = [#windows, #nk, #mn]
      ins(%x, %y : tensor<68xi8>, tensor<1x1x16x32x4xi8>) outs(%o, %w : tensor<5x32xi32>, tensor<64xi8>)
      -> tensor<5x32xi32>, tensor<64xi8>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @not_in_groups(%x: tensor<4x5xi8>, %y: tensor<1x1x32x64xi8>, %o: tensor<4x6xi32>, %w: tensor<64xi8>) {
  // expected-error@+1 {{has the rhs type 'tensor<1x1x32x64xi8>'; expected 2 dimensions, by its map, and 3 of the tile}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8"> rhs_packed indexing_maps = [#mk, #nk, #mn]
      ins(%x, %y : tensor<4x5xi8>, tensor<1x1x32x64xi8>) outs(%o, %w : tensor<4x6xi32>, tensor<64xi8>)
      -> tensor<4x6xi32>, tensor<64xi8>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @too_few_groups(%x: tensor<4x65xi8>, %y: tensor<1x1x16x32x4xi8>, %o: tensor<4x32xi32>, %w: tensor<64xi8>) {
  // expected-error@+1 {{has the loop d2 of size 65, but 1 in rhs}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8"> rhs_packed indexing_maps = [#mk, #nk, #mn]
      ins(%x, %y : tensor<4x65xi8>, tensor<1x1x16x32x4xi8>) outs(%o, %w : tensor<4x32xi32>, tensor<64xi8>)
      -> tensor<4x32xi32>, tensor<64xi8>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @too_few_columns(%x: tensor<4x64xi8>, %y: tensor<1x1x16x32x4xi8>, %o: tensor<4x33xi32>, %w: tensor<64xi8>) {
  // expected-error@+1 {{has the loop d1 of size 33, but 1 in rhs}}
  %r:2 = tw.matmul #tw.tile<"tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8"> rhs_packed indexing_maps = [#mk, #nk, #mn]
      ins(%x, %y : tensor<4x64xi8>, tensor<1x1x16x32x4xi8>) outs(%o, %w : tensor<4x33xi32>, tensor<64xi8>)
      -> tensor<4x33xi32>, tensor<64xi8>
  return
}
