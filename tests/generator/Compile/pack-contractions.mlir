// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-data-tiling=devices=x86_64_avx512_vnni --canonicalize --split-input-file | FileCheck %s
// RUN: not tw-opt %s --tw-data-tiling=devices=z80 --split-input-file 2>&1 | FileCheck %s --check-prefix=ISA

// ISA: unknown target 'z80'

// Zeros are not packed, and not even written.
func.func @f32(%a: tensor<?x64xf32>, %b: tensor<64x96xf32>, %e: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x96xf32>) outs(%z : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}

// CHECK-LABEL: func.func @f32(
// CHECK:         %[[A:.*]] = linalg.pack %{{.*}} inner_dims_pos = [0, 1] inner_tiles = [12, 1]
// CHECK:         %[[B:.*]] = linalg.pack %{{.*}} outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 1]
// CHECK-NOT:     linalg.fill
// CHECK:         %[[OUT:.*]] = tensor.empty
// CHECK:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base"> overwrite
// CHECK-SAME:      ins(%[[A]], %[[B]] : {{.*}}) outs(%[[OUT]] :
// CHECK:         linalg.unpack

// -----

// A matrix narrower than the tiles of the table gets a tile of its own width.
func.func @narrow(%a: tensor<3x16xi8>, %b: tensor<16x10xi8>, %c: tensor<3x10xi32>) -> tensor<3x10xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<3x16xi8>, tensor<16x10xi8>) outs(%c : tensor<3x10xi32>) -> tensor<3x10xi32>
  return %r : tensor<3x10xi32>
}

// CHECK-LABEL: func.func @narrow(
// CHECK-COUNT-3: linalg.pack
// CHECK:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_3x10x4_x86_64_avx512_vnni"> indexing_maps

// -----

// Signedness is in the extensions: u8 x s8.
#a = affine_map<(i, j, k) -> (i, k)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>
func.func @mixed(%a: tensor<?x?xi8>, %b: tensor<?x?xi8>, %c: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xi8>, tensor<?x?xi8>) outs(%c : tensor<?x?xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %xw = arith.extui %x : i8 to i32
    %yw = arith.extsi %y : i8 to i32
    %p = arith.muli %xw, %yw : i32
    %s = arith.addi %p, %o : i32
    linalg.yield %s : i32
  } -> tensor<?x?xi32>
  return %r : tensor<?x?xi32>
}

// CHECK-LABEL: func.func @mixed(
// CHECK:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_u8s8s32_{{[0-9]+x[0-9]+x4}}_x86_64_avx512_vnni">

// -----

// No tile function multiplies so, and a K of 0 multiplies nothing.
func.func @loops(%a: tensor<?x?xi64>, %b: tensor<?x?xi64>, %c: tensor<?x?xi64>,
                 %d: tensor<4x0xf32>, %e: tensor<0x5xf32>, %f: tensor<4x5xf32>) -> (tensor<?x?xi64>, tensor<4x5xf32>) {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xi64>, tensor<?x?xi64>) outs(%c : tensor<?x?xi64>) -> tensor<?x?xi64>
  %s = linalg.matmul ins(%d, %e : tensor<4x0xf32>, tensor<0x5xf32>) outs(%f : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r, %s : tensor<?x?xi64>, tensor<4x5xf32>
}

// CHECK-LABEL: func.func @loops(
// CHECK-NOT:     linalg.pack
// CHECK:         linalg.matmul
// CHECK-NOT:     linalg.pack

// -----

// Heads in the middle: batch dimensions become the outermost of each packed operand, and k lies next to the panel.
#scores_q = affine_map<(m, h, d, n) -> (m, h, d)>
#scores_k = affine_map<(m, h, d, n) -> (n, h, d)>
#scores_out = affine_map<(m, h, d, n) -> (h, m, n)>
func.func @scores(%q: tensor<?x8x64xf32>, %k: tensor<?x8x64xf32>, %o: tensor<8x?x?xf32>) -> tensor<8x?x?xf32> {
  %r = linalg.contract indexing_maps = [#scores_q, #scores_k, #scores_out]
      ins(%q, %k : tensor<?x8x64xf32>, tensor<?x8x64xf32>) outs(%o : tensor<8x?x?xf32>) -> tensor<8x?x?xf32>
  return %r : tensor<8x?x?xf32>
}

// CHECK-DAG:   #[[Q:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d2)>
// CHECK-DAG:   #[[K:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3, d2)>
// CHECK-DAG:   #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d3)>
// CHECK-LABEL: func.func @scores(
// CHECK-SAME:    %[[Q0:.*]]: tensor<?x8x64xf32>, %[[K0:.*]]: tensor<?x8x64xf32>, %[[O0:.*]]: tensor<8x?x?xf32>)
// CHECK:         %[[QP:.*]] = linalg.pack %[[Q0]] padding_value(%{{.*}}) outer_dims_perm = [1, 0, 2] inner_dims_pos = [0, 2] inner_tiles = [12, 1]
// CHECK-SAME:      -> tensor<8x?x64x12x1xf32>
// CHECK:         %[[KP:.*]] = linalg.pack %[[K0]] padding_value(%{{.*}}) outer_dims_perm = [1, 0, 2] inner_dims_pos = [0, 2] inner_tiles = [32, 1]
// CHECK-SAME:      -> tensor<8x?x64x32x1xf32>
// CHECK:         %[[OP:.*]] = linalg.pack %[[O0]] padding_value(%{{.*}}) inner_dims_pos = [1, 2] inner_tiles = [12, 32]
// CHECK:         %[[R:.*]] = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base">
// CHECK-SAME:      indexing_maps = [#[[Q]], #[[K]], #[[OUT]]] ins(%[[QP]], %[[KP]] : {{.*}}) outs(%[[OP]] :
// CHECK:         linalg.unpack %[[R]] inner_dims_pos = [1, 2] inner_tiles = [12, 32] into %[[O0]]

// -----

// The result is in another order than any operand.
#bad = affine_map<(b, a, d, c) -> (b, a, d)>
#cda = affine_map<(b, a, d, c) -> (c, d, a)>
#bca = affine_map<(b, a, d, c) -> (b, c, a)>
func.func @permuted(%x: tensor<5x6x7xi8>, %y: tensor<40x7x6xi8>, %o: tensor<5x40x6xi32>) -> tensor<5x40x6xi32> {
  %r = linalg.contract indexing_maps = [#bad, #cda, #bca]
      ins(%x, %y : tensor<5x6x7xi8>, tensor<40x7x6xi8>) outs(%o : tensor<5x40x6xi32>) -> tensor<5x40x6xi32>
  return %r : tensor<5x40x6xi32>
}

// CHECK-LABEL: func.func @permuted(
// CHECK:         linalg.pack %{{.*}} outer_dims_perm = [1, 0, 2] inner_dims_pos = [0, 2] inner_tiles = [5, 4]
// CHECK-SAME:      tensor<5x6x7xi8> -> tensor<6x1x2x5x4xi8>
// CHECK:         linalg.pack %{{.*}} outer_dims_perm = [2, 0, 1] inner_dims_pos = [0, 1] inner_tiles = [[[N0:[0-9]+]], 4]
// CHECK-SAME:      tensor<40x7x6xi8> -> tensor<6x[[N1:[0-9]+]]x2x[[N0]]x4xi8>
// CHECK:         linalg.pack %{{.*}} outer_dims_perm = [2, 0, 1] inner_dims_pos = [0, 1] inner_tiles = [5, [[N0]]]
// CHECK:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_5x[[N0]]x4_x86_64_avx512_vnni">
// CHECK:         linalg.unpack %{{.*}} outer_dims_perm = [2, 0, 1] inner_dims_pos = [0, 1] inner_tiles = [5, [[N0]]]
// CHECK-SAME:      tensor<6x1x[[N1]]x5x[[N0]]xi32> -> tensor<5x40x6xi32>

// -----

// Two dimensions of m, of n and of k: those are tiled that are padded least, and lie innermost of their kind. 48 rows fill
// tiles of 12, 5 do not; 64 columns fill tiles of 32, 3 do not; 8 are steps of 4, 7 are not.
#lhs = affine_map<(m, i, n, j, k, l) -> (m, l, i, k)>
#rhs = affine_map<(m, i, n, j, k, l) -> (k, j, l, n)>
#out = affine_map<(m, i, n, j, k, l) -> (j, m, n, i)>
func.func @dims(%x: tensor<48x8x5x7xi8>, %y: tensor<7x64x8x3xi8>, %o: tensor<64x48x3x5xi32>) -> tensor<64x48x3x5xi32> {
  %r = linalg.contract indexing_maps = [#lhs, #rhs, #out]
      ins(%x, %y : tensor<48x8x5x7xi8>, tensor<7x64x8x3xi8>) outs(%o : tensor<64x48x3x5xi32>) -> tensor<64x48x3x5xi32>
  return %r : tensor<64x48x3x5xi32>
}

// CHECK-DAG:   #[[LHS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d0, d4, d5)>
// CHECK-DAG:   #[[RHS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d3, d4, d5)>
// CHECK-DAG:   #[[OUT:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d0, d2, d3)>
// CHECK-LABEL: func.func @dims(
// CHECK:         linalg.pack %{{.*}} outer_dims_perm = [2, 0, 3, 1] inner_dims_pos = [0, 1] inner_tiles = [[[M0:[0-9]+]], 4]
// CHECK-SAME:      -> tensor<5x{{[0-9]+}}x7x2x[[M0]]x4xi8>
// CHECK:         linalg.pack %{{.*}} outer_dims_perm = [3, 1, 0, 2] inner_dims_pos = [1, 2] inner_tiles = [[[N0:[0-9]+]], 4]
// CHECK-SAME:      -> tensor<3x{{[0-9]+}}x7x2x[[N0]]x4xi8>
// CHECK:         linalg.pack %{{.*}} outer_dims_perm = [3, 1, 2, 0] inner_dims_pos = [1, 0] inner_tiles = [[[M0]], [[N0]]]
// CHECK:         tw.mmt4d {{.*}} indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]]
// CHECK:         linalg.unpack %{{.*}} outer_dims_perm = [3, 1, 2, 0] inner_dims_pos = [1, 0] inner_tiles = [[[M0]], [[N0]]]

// -----

// An operand of the batch that is transposed, and two that have dimensions of unknown size, one a known one beside it.
#a = affine_map<(b, m, n, k) -> (b, k, m)>
#b = affine_map<(b, m, n, k) -> (b, n, k)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @batch_matmul(%x: tensor<?x7x?xf32>, %y: tensor<?x96x7xf32>, %e: tensor<?x?x96xf32>) -> tensor<?x?x96xf32> {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x96xf32>) -> tensor<?x?x96xf32>
  %r = linalg.batch_matmul indexing_maps = [#a, #b, #c]
      ins(%x, %y : tensor<?x7x?xf32>, tensor<?x96x7xf32>) outs(%z : tensor<?x?x96xf32>) -> tensor<?x?x96xf32>
  return %r : tensor<?x?x96xf32>
}

// CHECK-LABEL: func.func @batch_matmul(
// CHECK:         linalg.pack %{{.*}} outer_dims_perm = [0, 2, 1] inner_dims_pos = [2, 1] inner_tiles = [12, 1]
// CHECK-SAME:      tensor<?x7x?xf32> -> tensor<?x?x7x12x1xf32>
// CHECK:         linalg.pack %{{.*}} inner_dims_pos = [1, 2] inner_tiles = [32, 1] into {{.*}} -> tensor<?x3x7x32x1xf32>
// CHECK-NOT:     linalg.fill
// CHECK:         tw.mmt4d {{.*}} overwrite
// CHECK:         linalg.unpack %{{.*}} inner_dims_pos = [1, 2] inner_tiles = [12, 32]

// -----

// Rows that all matrices of a batch share are more m, not a batch: of one matrix, as they lie next to each other.
#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (k, n)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>
func.func @shared_rhs(%x: tensor<?x24x64xf32>, %y: tensor<64x96xf32>, %o: tensor<?x24x96xf32>) -> tensor<?x24x96xf32> {
  %r = linalg.contract indexing_maps = [#a, #b, #c]
      ins(%x, %y : tensor<?x24x64xf32>, tensor<64x96xf32>) outs(%o : tensor<?x24x96xf32>) -> tensor<?x24x96xf32>
  return %r : tensor<?x24x96xf32>
}

// CHECK-LABEL: func.func @shared_rhs(
// CHECK:         tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : tensor<?x24x64xf32> into tensor<?x64xf32>
// CHECK:         linalg.pack {{.*}} -> tensor<?x64x12x1xf32>
// CHECK:         linalg.pack {{.*}} -> tensor<3x64x32x1xf32>
// CHECK:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_12x32x1_x86_64_avx512_base">
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [%{{.*}}, 24, 96]

// -----

// A vector is a matrix of one row, on whichever side it stands: its product with a matrix has the matrix as rhs.
func.func @matvec(%x: tensor<100x?xf32>, %y: tensor<?xf32>, %o: tensor<100xf32>) -> tensor<100xf32> {
  %r = linalg.matvec ins(%x, %y : tensor<100x?xf32>, tensor<?xf32>) outs(%o : tensor<100xf32>) -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// CHECK-LABEL: func.func @matvec(
// CHECK-SAME:    %[[X:.*]]: tensor<100x?xf32>, %[[Y:.*]]: tensor<?xf32>, %[[O:.*]]: tensor<100xf32>)
// CHECK-DAG:     %[[ROW:.*]] = tensor.expand_shape %[[Y]] {{\[\[}}0, 1]] output_shape [1, %{{.*}}]
// CHECK-DAG:     %[[OUT:.*]] = tensor.expand_shape %[[O]] {{\[\[}}0, 1]] output_shape [1, 100]
// CHECK-DAG:     %[[LHS:.*]] = linalg.pack %[[ROW]] {{.*}} -> tensor<1x?x1x1xf32>
// CHECK-DAG:     %[[RHS:.*]] = linalg.pack %[[X]] {{.*}} -> tensor<7x?x16x1xf32>
// CHECK:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_1x16x1_x86_64_avx512_base"> {{.*}} ins(%[[LHS]], %[[RHS]] :
// CHECK:         %[[R:.*]] = linalg.unpack {{.*}} into %[[OUT]]
// CHECK:         tensor.collapse_shape %[[R]] {{\[\[}}0, 1]]

// -----

// Types that have tiles in this order alone keep it.
func.func @matvec_of_two_types(%x: tensor<100x?xf32>, %y: tensor<?xbf16>, %o: tensor<100xf32>) -> tensor<100xf32> {
  %r = linalg.matvec ins(%x, %y : tensor<100x?xf32>, tensor<?xbf16>) outs(%o : tensor<100xf32>) -> tensor<100xf32>
  return %r : tensor<100xf32>
}

// CHECK-LABEL: func.func @matvec_of_two_types(
// CHECK:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32bf16f32_{{[0-9]+}}x1x1_x86_64_avx512_base">

// -----

// Neither m nor n, and a result of no dimension.
func.func @dot(%x: tensor<?xf32>, %y: tensor<?xf32>, %o: tensor<f32>) -> tensor<f32> {
  %r = linalg.dot ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%o : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func.func @dot(
// CHECK:         tensor.expand_shape %{{.*}} [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
// CHECK:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_1x1x1_x86_64_avx512_base">
// CHECK:         tensor.collapse_shape %{{.*}} [] : tensor<1x1xf32> into tensor<f32>

// -----

// An outer product is one step of k. What multiplies elementwise is none.
#m = affine_map<(m, n) -> (m)>
#n = affine_map<(m, n) -> (n)>
#mn = affine_map<(m, n) -> (m, n)>
func.func @outer(%x: tensor<40xf32>, %y: tensor<64xf32>, %o: tensor<40x64xf32>) -> (tensor<40x64xf32>, tensor<40x64xf32>) {
  %r = linalg.generic {indexing_maps = [#m, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<40xf32>, tensor<64xf32>) outs(%o : tensor<40x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<40x64xf32>
  %t = linalg.generic {indexing_maps = [#mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
      ins(%r, %y : tensor<40x64xf32>, tensor<64xf32>) outs(%o : tensor<40x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<40x64xf32>
  return %r, %t : tensor<40x64xf32>, tensor<40x64xf32>
}

// CHECK-LABEL: func.func @outer(
// CHECK:         linalg.pack {{.*}} -> tensor<5x1x8x1xf32>
// CHECK:         tw.mmt4d
// CHECK:         linalg.unpack
// CHECK:         linalg.generic
// CHECK-NOT:     tw.mmt4d

// -----

// A fill with negative zero is not overwritten: -0 + -0 is not 0.
func.func @negative_zero(%a: tensor<8x8xf32>, %e: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant -0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = linalg.matmul ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @negative_zero(
// CHECK:         linalg.fill
// CHECK-NOT:     overwrite
