// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tw-materialize-encodings,tw-verify-encodings{none-left},canonicalize))" | FileCheck %s

#panels = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [32, 2]>

// CHECK-DAG: #[[PANELS_OF:.*]] = affine_map<()[s0] -> (s0 ceildiv 32)>

// Tiles that end where the tensor ends need no zeros, others do.
// CHECK-LABEL: func.func @whole(
// CHECK-SAME:    %[[X:.*]]: tensor<4x64xf32>)
// CHECK-NEXT:    %[[D:.*]] = tensor.empty() : tensor<2x2x32x2xf32>
// CHECK-NEXT:    %[[P:.*]] = linalg.pack %[[X]] outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 2] into %[[D]] : tensor<4x64xf32> -> tensor<2x2x32x2xf32>
// CHECK-NEXT:    return %[[P]] : tensor<2x2x32x2xf32>
func.func @whole(%x: tensor<4x64xf32>) -> tensor<4x64xf32, #panels> {
  %d = tensor.empty() : tensor<4x64xf32, #panels>
  %0 = tw.set_encoding ins(%x : tensor<4x64xf32>) outs(%d : tensor<4x64xf32, #panels>) -> tensor<4x64xf32, #panels>
  return %0 : tensor<4x64xf32, #panels>
}

// CHECK-LABEL: func.func @edges(
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         linalg.pack %{{.*}} padding_value(%[[ZERO]] : f32) {{.*}} : tensor<5x65xf32> -> tensor<3x3x32x2xf32>
func.func @edges(%x: tensor<5x65xf32>) -> tensor<5x65xf32, #panels> {
  %d = tensor.empty() : tensor<5x65xf32, #panels>
  %0 = tw.set_encoding ins(%x : tensor<5x65xf32>) outs(%d : tensor<5x65xf32, #panels>) -> tensor<5x65xf32, #panels>
  return %0 : tensor<5x65xf32, #panels>
}

// What is packed on one side is so on the other.
// CHECK-LABEL: func.func @packed(
// CHECK-SAME:    %[[P:.*]]: tensor<?x2x32x2xi8>)
// CHECK-NEXT:    return %[[P]] : tensor<?x2x32x2xi8>
func.func @packed(%p: tensor<?x2x32x2xi8>) -> tensor<?x2x32x2xi8> {
  %0 = tw.from_packed %p : tensor<?x2x32x2xi8> -> tensor<4x?xi8, #panels>
  %1 = tw.to_packed %0 : tensor<4x?xi8, #panels> -> tensor<?x2x32x2xi8>
  return %1 : tensor<?x2x32x2xi8>
}

// Of sizes that are not known: 32 columns to a panel.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME:    %[[X:.*]]: tensor<4x?xi8>, %[[N:.*]]: index, %[[BACK:.*]]: tensor<4x?xi8>)
// CHECK:         %[[COUNT:.*]] = affine.apply #[[PANELS_OF]]()[%[[N]]]
// CHECK:         %[[D:.*]] = tensor.empty(%[[COUNT]]) : tensor<?x2x32x2xi8>
// CHECK:         %[[P:.*]] = linalg.pack %[[X]] padding_value(%{{.*}} : i8) {{.*}} into %[[D]] :
// CHECK:         %[[U:.*]] = linalg.unpack %[[P]] outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [32, 2] into %[[BACK]] : tensor<?x2x32x2xi8> -> tensor<4x?xi8>
// CHECK:         return %[[U]]
func.func @dynamic(%x: tensor<4x?xi8>, %n: index, %back: tensor<4x?xi8>) -> tensor<4x?xi8> {
  %d = tensor.empty(%n) : tensor<4x?xi8, #panels>
  %0 = tw.set_encoding ins(%x : tensor<4x?xi8>) outs(%d : tensor<4x?xi8, #panels>) -> tensor<4x?xi8, #panels>
  %1 = tw.unset_encoding ins(%0 : tensor<4x?xi8, #panels>) outs(%back : tensor<4x?xi8>) -> tensor<4x?xi8>
  return %1 : tensor<4x?xi8>
}

// An identity leaves nothing behind; one dimension may be tiled, or none.
// CHECK-LABEL: func.func @identity(
// CHECK-SAME:    %[[X:[a-z0-9]*]]: tensor<4x?xf32>
// CHECK-NEXT:    return %[[X]] : tensor<4x?xf32>
#identity = #tw.layout<identity>
func.func @identity(%x: tensor<4x?xf32>, %d: tensor<4x?xf32, #identity>) -> tensor<4x?xf32> {
  %0 = tw.set_encoding ins(%x : tensor<4x?xf32>) outs(%d : tensor<4x?xf32, #identity>) -> tensor<4x?xf32, #identity>
  %1 = tw.unset_encoding ins(%0 : tensor<4x?xf32, #identity>) outs(%x : tensor<4x?xf32>) -> tensor<4x?xf32>
  return %1 : tensor<4x?xf32>
}

// CHECK-LABEL: func.func @rows(
// CHECK:         linalg.pack %{{.*}} inner_dims_pos = [0] inner_tiles = [4] into %{{.*}} : tensor<8x6xf32> -> tensor<2x6x4xf32>
#rows = #tw.layout<outer = [0, 1], inner = [0], tiles = [4]>
func.func @rows(%x: tensor<8x6xf32>) -> tensor<8x6xf32, #rows> {
  %d = tensor.empty() : tensor<8x6xf32, #rows>
  %0 = tw.set_encoding ins(%x : tensor<8x6xf32>) outs(%d : tensor<8x6xf32, #rows>) -> tensor<8x6xf32, #rows>
  return %0 : tensor<8x6xf32, #rows>
}

// -----

// A swizzle is a transpose of each tile's factors: behind the pack, before the
// unpack.
// CHECK-DAG: #[[TILES:.*]] = affine_map<()[s0] -> (s0 ceildiv 16)>
// CHECK-LABEL: func.func @swizzle(
// CHECK-SAME:    %[[X:.*]]: tensor<?x100xi8>, %[[M:.*]]: index)
// CHECK:         %[[COUNT:.*]] = affine.apply #[[TILES]]()[%[[M]]]
// CHECK:         %[[D:.*]] = tensor.empty(%[[COUNT]]) : tensor<?x2x16x16x4xi8>
// CHECK:         %[[P:.*]] = linalg.pack %[[X]] padding_value(%{{.*}} : i8) inner_dims_pos = [0, 1] inner_tiles = [16, 64] {{.*}} -> tensor<?x2x16x64xi8>
// CHECK:         %[[E:.*]] = tensor.expand_shape %[[P]] {{\[\[}}0], [1], [2], [3, 4]] output_shape [%{{.*}}, 2, 16, 16, 4]
// CHECK:         %[[T:.*]] = linalg.transpose ins(%[[E]] : {{.*}}) outs(%[[D]] : {{.*}}) permutation = [0, 1, 3, 2, 4]
// CHECK:         return %[[T]] : tensor<?x2x16x16x4xi8>
#swizzled = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [16, 64], swizzle = [[16], [16, 4]] perm [1, 0, 2]>
func.func @swizzle(%x: tensor<?x100xi8>, %m: index) -> tensor<?x100xi8, #swizzled> {
  %d = tensor.empty(%m) : tensor<?x100xi8, #swizzled>
  %0 = tw.set_encoding ins(%x : tensor<?x100xi8>) outs(%d : tensor<?x100xi8, #swizzled>) -> tensor<?x100xi8, #swizzled>
  return %0 : tensor<?x100xi8, #swizzled>
}

// CHECK-LABEL: func.func @unswizzle(
// CHECK-SAME:    %[[X:.*]]: tensor<?x2x16x16x4xi8>, %[[BACK:.*]]: tensor<?x100xi8>)
// CHECK:         %[[M:.*]] = tensor.dim %[[X]], %{{.*}}
// CHECK:         %[[D:.*]] = tensor.empty(%[[M]]) : tensor<?x2x16x16x4xi8>
// CHECK:         %[[S:.*]] = linalg.transpose ins(%[[X]] : {{.*}}) outs(%[[D]] : {{.*}}) permutation = [0, 1, 3, 2, 4]
// CHECK:         %[[C:.*]] = tensor.collapse_shape %[[S]] {{\[\[}}0], [1], [2], [3, 4]] : tensor<?x2x16x16x4xi8> into tensor<?x2x16x64xi8>
// CHECK:         linalg.unpack %[[C]] inner_dims_pos = [0, 1] inner_tiles = [16, 64] into %[[BACK]]
func.func @unswizzle(%x: tensor<?x100xi8, #swizzled>, %back: tensor<?x100xi8>) -> tensor<?x100xi8> {
  %0 = tw.unset_encoding ins(%x : tensor<?x100xi8, #swizzled>) outs(%back : tensor<?x100xi8>) -> tensor<?x100xi8>
  return %0 : tensor<?x100xi8>
}

// Factors that go around a circle come back the other way.
// CHECK-LABEL: func.func @circle(
// CHECK:         linalg.transpose {{.*}} permutation = [0, 3, 1, 2]
// CHECK:         linalg.transpose {{.*}} permutation = [0, 2, 3, 1]
#circle = #tw.layout<outer = [0], inner = [0], tiles = [24], swizzle = [[2, 3, 4]] perm [2, 0, 1]>
func.func @circle(%x: tensor<48xi8>, %d: tensor<48xi8, #circle>) -> (tensor<48xi8, #circle>, tensor<48xi8>) {
  %0 = tw.set_encoding ins(%x : tensor<48xi8>) outs(%d : tensor<48xi8, #circle>) -> tensor<48xi8, #circle>
  %1 = tw.unset_encoding ins(%d : tensor<48xi8, #circle>) outs(%x : tensor<48xi8>) -> tensor<48xi8>
  return %0, %1 : tensor<48xi8, #circle>, tensor<48xi8>
}

// -----

#a = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [12, 1]>
#b = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [32, 1]>
#identity = #tw.layout<identity>

// From one to another by one loop nest: from its place in the one to its place
// in the other. The size is that of the destination before it was packed.
// CHECK-LABEL: func.func @relayout(
// CHECK-SAME:    %[[X:.*]]: tensor<?x64x12x1xf32>, %[[M:.*]]: index)
// CHECK-NOT:     linalg.unpack
// CHECK-DAG:     %[[D:.*]] = tensor.empty(%[[M]]) : tensor<2x?x32x1xf32>
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} outs(%[[D]] : {{.*}}) attrs = {tw.dispatch = "relayout", tw.tile_dims = array<i64: 2, 2>}
// CHECK-DAG:       %[[PANEL:.*]] = linalg.index 0
// CHECK-DAG:       %[[ROW:.*]] = linalg.index 1
// CHECK-DAG:       %[[LANE:.*]] = linalg.index 2
// CHECK-DAG:       %[[TILE:.*]] = arith.divui %[[ROW]], %[[C12:.*]] : index
// CHECK-DAG:       %[[IN:.*]] = arith.remui %[[ROW]], %[[C12]] : index
// CHECK-DAG:       %[[FIRST:.*]] = arith.muli %[[PANEL]], %[[C32:.*]] : index
// CHECK-DAG:       %[[K:.*]] = arith.addi %[[FIRST]], %[[LANE]] : index
// CHECK:           %[[E:.*]] = tensor.extract %[[X]][%[[TILE]], %[[K]], %[[IN]], %{{.*}}]
// CHECK-NEXT:      linalg.yield %[[E]]
// CHECK-NOT:     linalg.pack
// CHECK:         return %[[R]]
func.func @relayout(%x: tensor<?x64xf32, #a>, %m: index) -> tensor<?x64xf32, #b> {
  %d = tensor.empty(%m) : tensor<?x64xf32, #b>
  %0 = tw.relayout ins(%x : tensor<?x64xf32, #a>) outs(%d : tensor<?x64xf32, #b>) -> tensor<?x64xf32, #b>
  return %0 : tensor<?x64xf32, #b>
}

// Tiles of 12 rows and of 8 have runs of 4 in common, of which a tile of the
// source has three and one of the destination two; of 32 columns and of 16 two
// and one. Behind the tensor's end are zeros, and the source's last tile is
// read instead of what there is none of.
// CHECK-LABEL: func.func @relayout_by_runs(
// CHECK-SAME:    %[[X:.*]]: tensor<?x2x12x32xf32>, %[[M:.*]]: index)
// CHECK:         %[[D:.*]] = tensor.empty(%{{.*}}) : tensor<?x4x2x4x16xf32>
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} ins(%[[M]] : index) outs(%[[D]] : {{.*}}) attrs = {tw.dispatch = "relayout", tw.tile_dims = array<i64: 2, 3>}
// CHECK:         ^bb0(%[[ROWS:.*]]: index, %{{.*}}: f32):
// CHECK-DAG:       %[[OUTER:.*]] = linalg.index 0
// CHECK-DAG:       %[[PART:.*]] = linalg.index 2
// CHECK-DAG:       %[[ROW:.*]] = linalg.index 3
// CHECK-DAG:       %[[COLUMN:.*]] = linalg.index 4
// CHECK:           %[[FIRST:.*]] = arith.muli %[[OUTER]], %{{.*}} : index
// CHECK:           %[[PIECE:.*]] = arith.addi %[[FIRST]], %[[PART]] : index
// CHECK-DAG:       %[[OF:.*]] = arith.divui %[[PIECE]],
// CHECK-DAG:       %[[LAST:.*]] = arith.divui %{{.*}}, %{{.*}} : index
// CHECK:           %[[TILE:.*]] = arith.minui %[[OF]], %[[LAST]] : index
// CHECK:           %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %[[ROWS]] : index
// CHECK:           %[[E:.*]] = tensor.extract %[[X]][%[[TILE]],
// CHECK-NEXT:      %[[V:.*]] = arith.select %{{.*}}, %[[E]], %{{.*}} : f32
// CHECK-NEXT:      linalg.yield %[[V]]
// CHECK:         tensor.collapse_shape %[[R]] {{\[\[}}0], [1], [2, 3], [4]] : tensor<?x4x2x4x16xf32> into tensor<?x4x8x16xf32>
#wide = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [12, 32]>
#narrow = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 16]>
func.func @relayout_by_runs(%x: tensor<?x60xf32, #wide>, %m: index) -> tensor<?x60xf32, #narrow> {
  %d = tensor.empty(%m) : tensor<?x60xf32, #narrow>
  %0 = tw.relayout ins(%x : tensor<?x60xf32, #wide>) outs(%d : tensor<?x60xf32, #narrow>) -> tensor<?x60xf32, #narrow>
  return %0 : tensor<?x60xf32, #narrow>
}

// A swizzle's factors, in its order, there and back; tiles of sizes that the
// program knows where it runs.
// CHECK-LABEL: func.func @relayouts_of_others(
// CHECK-COUNT-2: attrs = {tw.dispatch = "relayout"
// CHECK:           %[[ROW:.*]] = arith.remui %{{.*}}, %c16 : index
// CHECK-NEXT:      %[[LOW:.*]] = arith.remui %[[COLUMN:.*]], %[[C4:.*]] : index
// CHECK-NEXT:      %[[REST:.*]] = arith.divui %[[COLUMN]], %[[C4]] : index
// CHECK-NEXT:      %[[HIGH:.*]] = arith.remui %[[REST]], %c16 : index
// CHECK-NEXT:      tensor.extract %{{.*}}[%{{.*}}, %{{.*}}, %[[HIGH]], %[[ROW]], %[[LOW]]]
// CHECK:         attrs = {tw.dispatch = "relayout"
// CHECK-NOT:     linalg.transpose
#factors = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [16, 64], swizzle = [[16], [16, 4]] perm [1, 0, 2]>
#scalable = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [[4], 8]>
func.func @relayouts_of_others(%x: tensor<40x60xf32, #wide>) -> tensor<40x60xf32, #scalable> {
  %d = tensor.empty() : tensor<40x60xf32, #factors>
  %e = tensor.empty() : tensor<40x60xf32, #narrow>
  %f = tensor.empty() : tensor<40x60xf32, #scalable>
  %0 = tw.relayout ins(%x : tensor<40x60xf32, #wide>) outs(%d : tensor<40x60xf32, #factors>) -> tensor<40x60xf32, #factors>
  %1 = tw.relayout ins(%0 : tensor<40x60xf32, #factors>) outs(%e : tensor<40x60xf32, #narrow>) -> tensor<40x60xf32, #narrow>
  %2 = tw.relayout ins(%1 : tensor<40x60xf32, #narrow>) outs(%f : tensor<40x60xf32, #scalable>) -> tensor<40x60xf32, #scalable>
  return %2 : tensor<40x60xf32, #scalable>
}

// One row of whole tiles lies as in rows: it is packed, and that is all.
// CHECK-LABEL: func.func @relayout_of_a_row(
// CHECK-NOT:     linalg.generic
// CHECK:         linalg.unpack
// CHECK:         linalg.pack
#row = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [1, 32]>
func.func @relayout_of_a_row(%x: tensor<1x64xf32, #row>) -> tensor<1x64xf32, #narrow> {
  %d = tensor.empty() : tensor<1x64xf32, #narrow>
  %0 = tw.relayout ins(%x : tensor<1x64xf32, #row>) outs(%d : tensor<1x64xf32, #narrow>) -> tensor<1x64xf32, #narrow>
  return %0 : tensor<1x64xf32, #narrow>
}

// CHECK-LABEL: func.func @relayout_of_identity(
// CHECK-NOT:     linalg.unpack
// CHECK:         linalg.pack
func.func @relayout_of_identity(%x: tensor<?x64xf32, #identity>, %d: tensor<?x64xf32, #b>) -> tensor<?x64xf32, #b> {
  %0 = tw.relayout ins(%x : tensor<?x64xf32, #identity>) outs(%d : tensor<?x64xf32, #b>) -> tensor<?x64xf32, #b>
  return %0 : tensor<?x64xf32, #b>
}

// CHECK-LABEL: func.func @relayout_to_identity(
// CHECK:         linalg.unpack %{{.*}} into %{{.*}} : tensor<?x64x12x1xf32> -> tensor<?x64xf32>
// CHECK-NOT:     linalg.pack
func.func @relayout_to_identity(%x: tensor<?x64xf32, #a>, %m: index) -> tensor<?x64xf32, #identity> {
  %d = tensor.empty(%m) : tensor<?x64xf32, #identity>
  %0 = tw.relayout ins(%x : tensor<?x64xf32, #a>) outs(%d : tensor<?x64xf32, #identity>) -> tensor<?x64xf32, #identity>
  return %0 : tensor<?x64xf32, #identity>
}

// -----

#panels = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [32, 2]>
#swizzled = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [16, 64], swizzle = [[16], [16, 4]] perm [1, 0, 2]>
#identity = #tw.layout<identity>

// 64 elements of 4 bytes in a tile, 50 rows of these of 100 rows.
// CHECK-DAG: #[[PANELS:.*]] = affine_map<()[s0] -> ((s0 ceildiv 32) * 12800)>
// CHECK-DAG: #[[SWIZZLED:.*]] = affine_map<()[s0, s1] -> (((s0 ceildiv 16) * (s1 ceildiv 64)) * 1024)>
// CHECK-DAG: #[[IDENTITY:.*]] = affine_map<()[s0] -> (s0 * 56)>
// CHECK-LABEL: func.func @sizes(
// CHECK-SAME:    %[[M:.*]]: index, %[[N:.*]]: index)
// CHECK-DAG:     %[[KNOWN:.*]] = arith.constant 1024 : index
// CHECK-DAG:     %[[A:.*]] = affine.apply #[[PANELS]]()[%[[N]]]
// CHECK-DAG:     %[[B:.*]] = affine.apply #[[SWIZZLED]]()[%[[M]], %[[N]]]
// CHECK-DAG:     %[[C:.*]] = affine.apply #[[IDENTITY]]()[%[[M]]]
// CHECK:         return %[[A]], %[[B]], %[[C]], %[[KNOWN]]
func.func @sizes(%m: index, %n: index) -> (index, index, index, index) {
  %0 = tw.encoding_size tensor<100x?xf32, #panels> (%n) : index
  %1 = tw.encoding_size tensor<?x?xi8, #swizzled> (%m, %n) : index
  %2 = tw.encoding_size tensor<?x7xindex, #identity> (%m) : index
  %3 = tw.encoding_size tensor<3x5xi8, #swizzled> () : index
  return %0, %1, %2, %3 : index, index, index, index
}

// -----

#lhs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 1]>
#rhs = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [16, 1]>
#out = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [8, 16]>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// Maps are those of the tiles' order: rhs by n, then k.
// CHECK-DAG: #[[MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[NK:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @contraction(
// CHECK-SAME:    %[[A:.*]]: tensor<?x64x8x1xf32>, %[[B:.*]]: tensor<6x64x16x1xf32>, %[[C:.*]]: tensor<?x6x8x16xf32>)
// CHECK-NEXT:    %[[R:.*]] = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_8x16x1_x86_64_avx512_base"> indexing_maps = [#[[MK]], #[[NK]], #[[MN]]] ins(%[[A]], %[[B]] : {{.*}}) outs(%[[C]] : {{.*}}) {tw.device = "here"}
// CHECK-NEXT:    return %[[R]]
func.func @contraction(%a: tensor<?x64xf32, #lhs>, %b: tensor<64x96xf32, #rhs>, %c: tensor<?x96xf32, #out>) -> tensor<?x96xf32, #out> {
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<?x64xf32, #lhs>, tensor<64x96xf32, #rhs>) outs(%c : tensor<?x96xf32, #out>)
    attrs = {tw.device = "here", tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x16x1_x86_64_avx512_base">} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<?x96xf32, #out>
  return %r : tensor<?x96xf32, #out>
}

// Zeros are not written; -0 is another number.
// CHECK-LABEL: func.func @zeros(
// CHECK-SAME:    %{{.*}}: tensor<1x64x8x1xf32>, %{{.*}}: tensor<6x64x16x1xf32>, %[[C:.*]]: tensor<1x6x8x16xf32>)
// CHECK-NOT:     linalg.fill
// CHECK:         tw.mmt4d {{.*}} overwrite {{.*}} outs(%[[C]] :
func.func @zeros(%a: tensor<8x64xf32, #lhs>, %b: tensor<64x96xf32, #rhs>, %c: tensor<8x96xf32, #out>) -> tensor<8x96xf32, #out> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<8x96xf32, #out>) -> tensor<8x96xf32, #out>
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x64xf32, #lhs>, tensor<64x96xf32, #rhs>) outs(%f : tensor<8x96xf32, #out>)
    attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x16x1_x86_64_avx512_base">} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x96xf32, #out>
  return %r : tensor<8x96xf32, #out>
}

// CHECK-LABEL: func.func @negative_zeros(
// CHECK:         %[[Z:.*]] = linalg.fill {{.*}} -> tensor<1x6x8x16xf32>
// CHECK:         tw.mmt4d
// CHECK-NOT:     overwrite
// CHECK-SAME:    outs(%[[Z]] :
func.func @negative_zeros(%a: tensor<8x64xf32, #lhs>, %b: tensor<64x96xf32, #rhs>, %c: tensor<8x96xf32, #out>) -> tensor<8x96xf32, #out> {
  %zero = arith.constant -0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%c : tensor<8x96xf32, #out>) -> tensor<8x96xf32, #out>
  %r = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<8x64xf32, #lhs>, tensor<64x96xf32, #rhs>) outs(%f : tensor<8x96xf32, #out>)
    attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x16x1_x86_64_avx512_base">} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x96xf32, #out>
  return %r : tensor<8x96xf32, #out>
}

// What fills up the last tiles is 0, whatever the tensor is filled with: sums
// over k go over it.
// CHECK-LABEL: func.func @filled_up(
// CHECK-SAME:    %[[M:.*]]: index)
// CHECK:         %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[PLAIN:.*]] = tensor.empty(%[[M]]) : tensor<?x64xf32>
// CHECK:         %[[F:.*]] = linalg.fill {tw.device = "here"} ins(%[[ONE]] : f32) outs(%[[PLAIN]] :
// CHECK:         linalg.pack %[[F]] padding_value(
func.func @filled_up(%m: index) -> tensor<?x64xf32, #lhs> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty(%m) : tensor<?x64xf32, #lhs>
  %f = linalg.fill {tw.device = "here"} ins(%one : f32) outs(%e : tensor<?x64xf32, #lhs>) -> tensor<?x64xf32, #lhs>
  return %f : tensor<?x64xf32, #lhs>
}

// -----

// Two of m in lhs and out, each in its own order, and a batch; the layouts give
// all the same one.
#lhs = #tw.layout<outer = [1, 0, 2, 3], inner = [2, 3], tiles = [8, 1]>
#rhs = #tw.layout<outer = [1, 0, 2], inner = [0, 2], tiles = [16, 1]>
#out = #tw.layout<outer = [3, 2, 0, 1], inner = [0, 1], tiles = [8, 16]>
// CHECK-DAG: #[[L:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
// CHECK-DAG: #[[R:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>
// CHECK-DAG: #[[O:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @batch(
// CHECK:         tw.mmt4d #tw.tile<"{{.*}}"> indexing_maps = [#[[L]], #[[R]], #[[O]]] ins(%{{.*}}, %{{.*}} : tensor<2x3x1x64x8x1xf32>, tensor<2x6x64x16x1xf32>) outs(%{{.*}} : tensor<2x3x1x6x8x16xf32>)
func.func @batch(%a: tensor<3x2x8x64xf32, #lhs>, %b: tensor<96x2x64xf32, #rhs>, %c: tensor<8x96x3x2xf32, #out>) -> tensor<8x96x3x2xf32, #out> {
  %r = linalg.generic {indexing_maps = [affine_map<(b, p, m, n, k) -> (p, b, m, k)>, affine_map<(b, p, m, n, k) -> (n, b, k)>, affine_map<(b, p, m, n, k) -> (m, n, p, b)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<3x2x8x64xf32, #lhs>, tensor<96x2x64xf32, #rhs>) outs(%c : tensor<8x96x3x2xf32, #out>)
    attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x16x1_x86_64_avx512_base">} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  } -> tensor<8x96x3x2xf32, #out>
  return %r : tensor<8x96x3x2xf32, #out>
}

// -----

// Identities need no tile function, and any operation may take them that keeps
// encodings.
// CHECK-LABEL: func.func @identities(
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<8xf32>) outs(%{{.*}} : tensor<8xf32>)
#identity = #tw.layout<identity>
#all = affine_map<(i) -> (i)>
func.func @identities(%a: tensor<8xf32, #identity>, %c: tensor<8xf32, #identity>) -> tensor<8xf32, #identity> {
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel"]} ins(%a : tensor<8xf32, #identity>) outs(%c : tensor<8xf32, #identity>) {
  ^bb0(%x: f32, %o: f32):
    %p = math.exp %x : f32
    linalg.yield %p : f32
  } -> tensor<8xf32, #identity>
  return %r : tensor<8xf32, #identity>
}

// -----

// One side may know sizes that the other does not.
// CHECK-LABEL: func.func @more_sizes(
// CHECK-SAME:    %[[X:[a-z0-9]*]]: tensor<4x64xf32>, %[[Y:[a-z0-9]*]]: tensor<?x64xf32>,
// CHECK-DAG:     %[[A:.*]] = tensor.cast %[[X]] : tensor<4x64xf32> to tensor<?x64xf32>
// CHECK-DAG:     %[[B:.*]] = tensor.cast %[[Y]] : tensor<?x64xf32> to tensor<4x64xf32>
// CHECK:         return %[[A]], %[[B]], %[[A]]
#identity = #tw.layout<identity>
func.func @more_sizes(%x: tensor<4x64xf32>, %y: tensor<?x64xf32>, %d: tensor<?x64xf32, #identity>, %e: tensor<4x64xf32, #identity>) -> (tensor<?x64xf32, #identity>, tensor<4x64xf32, #identity>, tensor<?x64xf32>) {
  %0 = tw.set_encoding ins(%x : tensor<4x64xf32>) outs(%d : tensor<?x64xf32, #identity>) -> tensor<?x64xf32, #identity>
  %1 = tw.set_encoding ins(%y : tensor<?x64xf32>) outs(%e : tensor<4x64xf32, #identity>) -> tensor<4x64xf32, #identity>
  %2 = tw.set_encoding ins(%x : tensor<4x64xf32>) outs(%e : tensor<4x64xf32, #identity>) -> tensor<4x64xf32, #identity>
  %3 = tw.unset_encoding ins(%2 : tensor<4x64xf32, #identity>) outs(%y : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0, %1, %3 : tensor<?x64xf32, #identity>, tensor<4x64xf32, #identity>, tensor<?x64xf32>
}

// CHECK-LABEL: func.func @more_sizes_swizzled(
// CHECK:         linalg.pack {{.*}} -> tensor<?x1x16x64xi8>
// CHECK:         linalg.transpose ins(%{{.*}} : tensor<1x1x16x16x4xi8>) outs(%{{.*}} : tensor<1x1x16x16x4xi8>)
#swizzled = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [16, 64], swizzle = [[16], [16, 4]] perm [1, 0, 2]>
func.func @more_sizes_swizzled(%x: tensor<?x64xi8>, %d: tensor<4x64xi8, #swizzled>) -> tensor<4x64xi8, #swizzled> {
  %0 = tw.set_encoding ins(%x : tensor<?x64xi8>) outs(%d : tensor<4x64xi8, #swizzled>) -> tensor<4x64xi8, #swizzled>
  return %0 : tensor<4x64xi8, #swizzled>
}

// -----

// The panels of AMX: groups of 4 bytes along K.
#lhs = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [32, 64]>
#rhs = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [16, 64], swizzle = [[16], [16, 4]] perm [1, 0, 2]>
#out = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [32, 16]>
// CHECK-DAG: #[[L:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[R:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[O:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @in_groups(
// CHECK:         tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_32x16x64_vnni_x86_64_amx_int8"> indexing_maps = [#[[L]], #[[R]], #[[O]]]
// CHECK-SAME:      ins(%{{.*}}, %{{.*}} : tensor<?x2x32x64xi8>, tensor<6x2x16x16x4xi8>) outs(%{{.*}} : tensor<?x6x32x16xi32>)
func.func @in_groups(%a: tensor<?x100xi8, #lhs>, %b: tensor<100x96xi8, #rhs>, %c: tensor<?x96xi32, #out>) -> tensor<?x96xi32, #out> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<?x100xi8, #lhs>, tensor<100x96xi8, #rhs>) outs(%c : tensor<?x96xi32, #out>)
    attrs = {tw.tile = #tw.tile<"tw_mmt4d_tile_s8s8s32_32x16x64_vnni_x86_64_amx_int8">} {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %q = arith.addi %o, %p : i32
    linalg.yield %q : i32
  } -> tensor<?x96xi32, #out>
  return %r : tensor<?x96xi32, #out>
}
