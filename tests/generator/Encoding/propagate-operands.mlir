// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What operands of contractions are computed of is set instead, where that is less: in tiles of 8 x 32.
// RUN: tw-opt %s --split-input-file --tw-assign-devices=devices=host=x86_64_avx512_bf16 --tw-propagate-encodings --tw-verify-encodings | FileCheck %s
// RUN: tw-opt %s --split-input-file --tw-assign-devices=devices=host=x86_64_avx512_bf16 --tw-propagate-encodings --tw-fold-encodings --tw-specialize-encodings --tw-materialize-encodings --canonicalize | FileCheck %s --check-prefix=PACKED
// RUN: tw-opt %s --split-input-file --tw-assign-devices=devices=host=x86_64_avx512_bf16 --tw-propagate-encodings --tw-drop-encodings | FileCheck %s --check-prefix=NONE
// RUN: tw-opt %s --split-input-file --tw-propagate-encodings=host-packs-blocks | FileCheck %s --check-prefix=BLOCKS
// NONE-NOT: {{#tw.(encoding|layout)}}
// NONE-NOT: {{tw.(set|unset|relayout|zeros)}}
// BLOCKS-NOT: linalg.generic {{.*}}#tw.encoding

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#lhs = #tw.encoding<lhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 96, 64]>
#rhs = #tw.encoding<rhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 96, 64]>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 96, 64]>
#all = affine_map<(m, n) -> (m, n)>
#col = affine_map<(m, n) -> (n)>
#turned = affine_map<(m, n) -> (n, m)>

// Weights of 8 bits and a scale for each column: of 32 bits they are in tiles only.
// CHECK-DAG:     #[[BYTES:.*]] = #tw.encoding<rhs, {{.*}}, dims = [0, 1], element = i8>
// CHECK-LABEL: func.func @dequantized(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: tensor<64x96xi8>, %[[S:[a-z0-9]+]]: tensor<96xf32>
// CHECK:         %[[E:.*]] = tw.set_encoding ins(%[[W]] : tensor<64x96xi8>) outs(%{{.*}} : tensor<64x96xi8, #[[BYTES]]>)
// CHECK:         %[[C:.*]] = linalg.generic {{.*}} ins(%[[E]] : tensor<64x96xi8, #[[BYTES]]>) outs(%{{.*}} : tensor<64x96xf32, #[[RHS:[a-z0-9]+]]>)
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} ins(%[[C]], %[[S]] : tensor<64x96xf32, #[[RHS]]>, tensor<96xf32>) outs(%{{.*}} : tensor<64x96xf32, #[[RHS]]>)
// CHECK-NOT:     tw.
// CHECK:         return %[[R]]
// PACKED-LABEL: func.func @dequantized(
// PACKED:         linalg.pack %{{.*}} -> tensor<3x64x32x1xi8>
// PACKED:         linalg.generic {{.*}} ins(%{{.*}} : tensor<3x64x32x1xi8>) outs(%{{.*}} : tensor<3x64x32x1xf32>)
// PACKED:         linalg.generic {{.*}} ins(%{{.*}} : tensor<3x64x32x1xf32>, tensor<3x32xf32>) outs(%{{.*}} : tensor<3x64x32x1xf32>)
// PACKED-NOT:     pack
// PACKED:         return
func.func @dequantized(%w: tensor<64x96xi8>, %s: tensor<96xf32>) -> tensor<64x96xf32, #rhs> {
  %d = tensor.empty() : tensor<64x96xf32>
  %e = tensor.empty() : tensor<64x96xf32, #rhs>
  %c = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<64x96xi8>) outs(%d : tensor<64x96xf32>) {
  ^bb0(%p: i8, %o: f32):
    %r = arith.sitofp %p : i8 to f32
    linalg.yield %r : f32
  } -> tensor<64x96xf32>
  %m = linalg.generic {indexing_maps = [#all, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%c, %s : tensor<64x96xf32>, tensor<96xf32>) outs(%d : tensor<64x96xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.mulf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<64x96xf32>
  %x = tw.set_encoding ins(%m : tensor<64x96xf32>) outs(%e : tensor<64x96xf32, #rhs>) -> tensor<64x96xf32, #rhs>
  return %x : tensor<64x96xf32, #rhs>
}

// A bias that a product begins with.
// CHECK-LABEL: func.func @bias(
// CHECK-SAME:    %[[B:[a-z0-9]+]]: tensor<96xf32>
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} ins(%[[B]] : tensor<96xf32>) outs(%{{.*}} : tensor<128x96xf32, #{{.*}}>)
// CHECK-NOT:     tw.
// CHECK:         return %[[R]]
func.func @bias(%b: tensor<96xf32>) -> tensor<128x96xf32, #out> {
  %d = tensor.empty() : tensor<128x96xf32>
  %e = tensor.empty() : tensor<128x96xf32, #out>
  %m = linalg.broadcast ins(%b : tensor<96xf32>) outs(%d : tensor<128x96xf32>) dimensions = [0]
  %x = tw.set_encoding ins(%m : tensor<128x96xf32>) outs(%e : tensor<128x96xf32, #out>) -> tensor<128x96xf32, #out>
  return %x : tensor<128x96xf32, #out>
}

// A matrix for each of a batch: it is set once, as it lies in tiles.
// CHECK-LABEL: func.func @batch(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<64x96xf32>
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} ins(%[[A]] : tensor<64x96xf32>) outs(%{{.*}} : tensor<4x64x96xf32, #{{.*}}>)
// CHECK-NOT:     tw.
// CHECK:         return %[[R]]
// PACKED-LABEL: func.func @batch(
// PACKED:         linalg.pack {{.*}} -> tensor<3x64x32x1xf32>
// PACKED:         linalg.generic {{.*}} ins(%{{.*}} : tensor<3x64x32x1xf32>) outs(%{{.*}} : tensor<4x3x64x32x1xf32>)
#bmk = affine_map<(b, m, n, k) -> (b, m, k)>
#bkn = affine_map<(b, m, n, k) -> (b, k, n)>
#bmn = affine_map<(b, m, n, k) -> (b, m, n)>
#each = #tw.encoding<rhs, types = [f32, f32, f32], maps = [#bmk, #bkn, #bmn], sizes = [4, 128, 96, 64]>
func.func @batch(%a: tensor<64x96xf32>) -> tensor<4x64x96xf32, #each> {
  %d = tensor.empty() : tensor<4x64x96xf32>
  %e = tensor.empty() : tensor<4x64x96xf32, #each>
  %m = linalg.broadcast ins(%a : tensor<64x96xf32>) outs(%d : tensor<4x64x96xf32>) dimensions = [0]
  %x = tw.set_encoding ins(%m : tensor<4x64x96xf32>) outs(%e : tensor<4x64x96xf32, #each>) -> tensor<4x64x96xf32, #each>
  return %x : tensor<4x64x96xf32, #each>
}

// What is transposed lies in tiles as it lay before: nothing is left of it.
// CHECK-LABEL: func.func @transposed(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<64x128xf32>
// CHECK:         %[[E:.*]] = tw.set_encoding ins(%[[A]] :
// CHECK:         linalg.generic {{.*}} ins(%[[E]] : tensor<64x128xf32, #{{.*}}>) outs(%{{.*}} : tensor<128x64xf32, #{{.*}}>)
// PACKED-LABEL: func.func @transposed(
// PACKED:         %[[P:.*]] = linalg.pack %{{.*}} outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [8, 1] into %{{.*}} : tensor<64x128xf32> -> tensor<16x64x8x1xf32>
// PACKED-NEXT:    return %[[P]]
func.func @transposed(%a: tensor<64x128xf32>) -> tensor<128x64xf32, #lhs> {
  %d = tensor.empty() : tensor<128x64xf32>
  %e = tensor.empty() : tensor<128x64xf32, #lhs>
  %t = linalg.transpose ins(%a : tensor<64x128xf32>) outs(%d : tensor<128x64xf32>) permutation = [1, 0]
  %x = tw.set_encoding ins(%t : tensor<128x64xf32>) outs(%e : tensor<128x64xf32, #lhs>) -> tensor<128x64xf32, #lhs>
  return %x : tensor<128x64xf32, #lhs>
}

// Two heads of 32 rows, cast and put together: what is set has half the size. A padding is put around what is set.
// CHECK-LABEL: func.func @heads(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<4x32x60xf16>
// CHECK:         %[[E:.*]] = tw.set_encoding ins(%[[A]] :
// CHECK:         %[[P:.*]] = tensor.pad %[[E]] low[0, 0, 0] high[0, 0, 4]
// CHECK:         %[[F:.*]] = linalg.generic {{.*}} ins(%[[P]] :
// CHECK:         %[[R:.*]] = tensor.collapse_shape %[[F]] {{\[\[}}0, 1], [2]] : tensor<4x32x64xf32, #{{.*}}> into tensor<128x64xf32, #{{.*}}>
// CHECK-NEXT:    return %[[R]]
// PACKED-LABEL: func.func @heads(
// PACKED:         linalg.pack {{.*}} -> tensor<4x4x60x8x1xf16>
// PACKED:         tensor.pad {{.*}} low[0, 0, 0, 0, 0] high[0, 0, 4, 0, 0]
// PACKED:         tensor.collapse_shape {{.*}} {{\[\[}}0, 1], [2], [3], [4]] : tensor<4x4x64x8x1xf32> into tensor<16x64x8x1xf32>
func.func @heads(%a: tensor<4x32x60xf16>) -> tensor<128x64xf32, #lhs> {
  %z = arith.constant 0.0 : f16
  %d = tensor.empty() : tensor<4x32x64xf32>
  %e = tensor.empty() : tensor<128x64xf32, #lhs>
  %p = tensor.pad %a low[0, 0, 0] high[0, 0, 4] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %z : f16
  } : tensor<4x32x60xf16> to tensor<4x32x64xf16>
  %c = linalg.generic {indexing_maps = [affine_map<(h, m, n) -> (h, m, n)>, affine_map<(h, m, n) -> (h, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p : tensor<4x32x64xf16>) outs(%d : tensor<4x32x64xf32>) {
  ^bb0(%q: f16, %o: f32):
    %r = arith.extf %q : f16 to f32
    linalg.yield %r : f32
  } -> tensor<4x32x64xf32>
  %t = tensor.collapse_shape %c [[0, 1], [2]] : tensor<4x32x64xf32> into tensor<128x64xf32>
  %x = tw.set_encoding ins(%t : tensor<128x64xf32>) outs(%e : tensor<128x64xf32, #lhs>) -> tensor<128x64xf32, #lhs>
  return %x : tensor<128x64xf32, #lhs>
}

// A result that was unset is laid out anew, before it gets larger; both operands of a sum are set twice alike.
// CHECK-LABEL: func.func @of_result(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<128x64xf16, #{{.*}}>
// CHECK:         %[[U:.*]] = tw.unset_encoding ins(%[[A]] :
// CHECK:         %[[E:.*]] = tw.set_encoding ins(%[[U]] :
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} ins(%[[E]] : tensor<128x64xf16, #{{.*}}>) outs(%{{.*}} : tensor<128x64xf32, #{{.*}}>)
// CHECK:         return %[[R]], %[[R]]
#half = #tw.encoding<out, types = [f16, f16, f16], maps = [#mk, #kn, #mn], sizes = [128, 64, 64]>
func.func @of_result(%a: tensor<128x64xf16, #half>) -> (tensor<128x64xf32, #lhs>, tensor<128x64xf32, #lhs>) {
  %h = tensor.empty() : tensor<128x64xf16>
  %d = tensor.empty() : tensor<128x64xf32>
  %e = tensor.empty() : tensor<128x64xf32, #lhs>
  %u = tw.unset_encoding ins(%a : tensor<128x64xf16, #half>) outs(%h : tensor<128x64xf16>) -> tensor<128x64xf16>
  %c = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%u : tensor<128x64xf16>) outs(%d : tensor<128x64xf32>) {
  ^bb0(%p: f16, %o: f32):
    %r = arith.extf %p : f16 to f32
    linalg.yield %r : f32
  } -> tensor<128x64xf32>
  %x = tw.set_encoding ins(%c : tensor<128x64xf32>) outs(%e : tensor<128x64xf32, #lhs>) -> tensor<128x64xf32, #lhs>
  %y = tw.set_encoding ins(%c : tensor<128x64xf32>) outs(%e : tensor<128x64xf32, #lhs>) -> tensor<128x64xf32, #lhs>
  return %x, %y : tensor<128x64xf32, #lhs>, tensor<128x64xf32, #lhs>
}

// Each for itself: what is cast is set before, what is added up behind.
// CHECK-LABEL: func.func @chosen(
// CHECK-DAG:     tw.set_encoding ins(%{{.*}} : tensor<128x64xf16>)
// CHECK-DAG:     tw.set_encoding ins(%{{.*}} : tensor<128x64xf32>)
// CHECK-NOT:     tw.set_encoding
// CHECK:         return
func.func @chosen(%a: tensor<128x64xf32>, %b: tensor<128x64xf32>, %c: tensor<128x64xf16>) -> (tensor<128x64xf32, #lhs>, tensor<128x64xf32, #lhs>) {
  %d = tensor.empty() : tensor<128x64xf32>
  %e = tensor.empty() : tensor<128x64xf32, #lhs>
  %sum = linalg.add ins(%a, %b : tensor<128x64xf32>, tensor<128x64xf32>) outs(%d : tensor<128x64xf32>) -> tensor<128x64xf32>
  %cast = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<128x64xf16>) outs(%d : tensor<128x64xf32>) {
  ^bb0(%p: f16, %o: f32):
    %r = arith.extf %p : f16 to f32
    linalg.yield %r : f32
  } -> tensor<128x64xf32>
  %0 = tw.set_encoding ins(%sum : tensor<128x64xf32>) outs(%e : tensor<128x64xf32, #lhs>) -> tensor<128x64xf32, #lhs>
  %1 = tw.set_encoding ins(%cast : tensor<128x64xf32>) outs(%e : tensor<128x64xf32, #lhs>) -> tensor<128x64xf32, #lhs>
  return %0, %1 : tensor<128x64xf32, #lhs>, tensor<128x64xf32, #lhs>
}

// Not where it is more, or as much; where somebody else reads it; where it is a constant, cast when the model is compiled; where
// something could be divided by what fills up a tile.
// CHECK-LABEL: func.func @refused(
// CHECK-COUNT-5: tw.set_encoding ins(%{{.*}} : tensor<128x64xf32>)
// CHECK-NOT:     tw.set_encoding
// CHECK:         return
func.func @refused(%a: tensor<128x64xf32>, %b: tensor<128x64xf32>, %c: tensor<128x64xf16>)
    -> (tensor<128x64xf32, #lhs>, tensor<128x64xf32, #lhs>, tensor<128x64xf32, #lhs>, tensor<128x64xf32, #lhs>, tensor<128x64xf32, #lhs>, tensor<128x64xf32>) {
  %d = tensor.empty() : tensor<128x64xf32>
  %e = tensor.empty() : tensor<128x64xf32, #lhs>
  %more = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<128x64xf32>, tensor<128x64xf32>) outs(%d : tensor<128x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<128x64xf32>
  %same = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<128x64xf32>) outs(%d : tensor<128x64xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = math.exp %p : f32
    linalg.yield %r : f32
  } -> tensor<128x64xf32>
  %read = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<128x64xf16>) outs(%d : tensor<128x64xf32>) {
  ^bb0(%p: f16, %o: f32):
    %r = arith.extf %p : f16 to f32
    linalg.yield %r : f32
  } -> tensor<128x64xf32>
  %w = arith.constant dense<2.0> : tensor<128x64xf16>
  %constant = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<128x64xf16>) outs(%d : tensor<128x64xf32>) {
  ^bb0(%p: f16, %o: f32):
    %r = arith.extf %p : f16 to f32
    linalg.yield %r : f32
  } -> tensor<128x64xf32>
  %divided = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%c : tensor<128x64xf16>) outs(%d : tensor<128x64xf32>) {
  ^bb0(%p: f16, %o: f32):
    %i = arith.fptosi %p : f16 to i32
    %j = arith.divsi %i, %i : i32
    %r = arith.sitofp %j : i32 to f32
    linalg.yield %r : f32
  } -> tensor<128x64xf32>
  %0 = tw.set_encoding ins(%more : tensor<128x64xf32>) outs(%e : tensor<128x64xf32, #lhs>) -> tensor<128x64xf32, #lhs>
  %1 = tw.set_encoding ins(%same : tensor<128x64xf32>) outs(%e : tensor<128x64xf32, #lhs>) -> tensor<128x64xf32, #lhs>
  %2 = tw.set_encoding ins(%read : tensor<128x64xf32>) outs(%e : tensor<128x64xf32, #lhs>) -> tensor<128x64xf32, #lhs>
  %3 = tw.set_encoding ins(%constant : tensor<128x64xf32>) outs(%e : tensor<128x64xf32, #lhs>) -> tensor<128x64xf32, #lhs>
  %4 = tw.set_encoding ins(%divided : tensor<128x64xf32>) outs(%e : tensor<128x64xf32, #lhs>) -> tensor<128x64xf32, #lhs>
  return %0, %1, %2, %3, %4, %read : tensor<128x64xf32, #lhs>, tensor<128x64xf32, #lhs>, tensor<128x64xf32, #lhs>, tensor<128x64xf32, #lhs>, tensor<128x64xf32, #lhs>, tensor<128x64xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#rhs = #tw.encoding<rhs, types = [bf16, bf16, f32], maps = [#mk, #kn, #mn], sizes = [?, 90, ?]>
#odd = #tw.encoding<rhs, types = [bf16, bf16, f32], maps = [#mk, #kn, #mn], sizes = [?, 90, 63]>
#even = #tw.encoding<rhs, types = [bf16, bf16, f32], maps = [#mk, #kn, #mn], sizes = [?, 90, 64]>
#all = affine_map<(m, n) -> (m, n)>

// Two steps of k are in a tile: where there are 63, the 64th is zero, whatever the operation makes of a zero. What fills up the
// last tile of columns is not: nobody reads it.
// PACKED-LABEL: func.func @zeros(
// PACKED-DAG:     %[[C63:.*]] = arith.constant 63
// PACKED-DAG:     %[[C2:.*]] = arith.constant 2 : index
// PACKED-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : bf16
// PACKED:         linalg.generic {{.*}} ins(%{{.*}} : tensor<3x32x32x2xi8>) outs(%{{.*}} : tensor<3x32x32x2xbf16>)
// PACKED-NEXT:    ^bb0(%[[X:.*]]: i8, %{{.*}}: bf16):
// PACKED:           %[[Y:.*]] = math.exp
// PACKED-NEXT:      %[[TILE:.*]] = linalg.index 1
// PACKED-NEXT:      %[[STEP:.*]] = linalg.index 3
// PACKED-NEXT:      %[[FIRST:.*]] = arith.muli %[[TILE]], %[[C2]]
// PACKED-NEXT:      %[[K:.*]] = arith.addi %[[FIRST]], %[[STEP]]
// PACKED-NEXT:      %[[INSIDE:.*]] = arith.cmpi slt, %[[K]], %[[C63]]
// PACKED-NEXT:      %[[Z:.*]] = arith.select %[[INSIDE]], %[[Y]], %[[ZERO]]
// PACKED-NEXT:      linalg.yield %[[Z]]
func.func @zeros(%w: tensor<63x90xi8>) -> tensor<63x90xbf16, #odd> {
  %d = tensor.empty() : tensor<63x90xbf16>
  %e = tensor.empty() : tensor<63x90xbf16, #odd>
  %c = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<63x90xi8>) outs(%d : tensor<63x90xbf16>) {
  ^bb0(%p: i8, %o: bf16):
    %r = arith.sitofp %p : i8 to bf16
    %q = math.exp %r : bf16
    linalg.yield %q : bf16
  } -> tensor<63x90xbf16>
  %x = tw.set_encoding ins(%c : tensor<63x90xbf16>) outs(%e : tensor<63x90xbf16, #odd>) -> tensor<63x90xbf16, #odd>
  return %x : tensor<63x90xbf16, #odd>
}

// Of whole tiles there is nothing to be zero, and what is cast from zeros is.
// PACKED-LABEL: func.func @no_zeros(
// PACKED-NOT:     arith.select
// PACKED:         return
func.func @no_zeros(%w: tensor<64x90xi8>, %v: tensor<63x90xi8>) -> (tensor<64x90xbf16, #even>, tensor<63x90xbf16, #odd>) {
  %d = tensor.empty() : tensor<64x90xbf16>
  %e = tensor.empty() : tensor<64x90xbf16, #even>
  %f = tensor.empty() : tensor<63x90xbf16>
  %g = tensor.empty() : tensor<63x90xbf16, #odd>
  %c = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<64x90xi8>) outs(%d : tensor<64x90xbf16>) {
  ^bb0(%p: i8, %o: bf16):
    %r = arith.sitofp %p : i8 to bf16
    %q = math.exp %r : bf16
    linalg.yield %q : bf16
  } -> tensor<64x90xbf16>
  %x = tw.set_encoding ins(%c : tensor<64x90xbf16>) outs(%e : tensor<64x90xbf16, #even>) -> tensor<64x90xbf16, #even>
  %h = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%v : tensor<63x90xi8>) outs(%f : tensor<63x90xbf16>) {
  ^bb0(%p: i8, %o: bf16):
    %r = arith.sitofp %p : i8 to bf16
    linalg.yield %r : bf16
  } -> tensor<63x90xbf16>
  %y = tw.set_encoding ins(%h : tensor<63x90xbf16>) outs(%g : tensor<63x90xbf16, #odd>) -> tensor<63x90xbf16, #odd>
  return %x, %y : tensor<64x90xbf16, #even>, tensor<63x90xbf16, #odd>
}

// Where k ends is known when it is computed.
// PACKED-LABEL: func.func @zeros_of_unknown(
// PACKED-SAME:    %{{.*}}: tensor<?x90xi8>, %[[K:[a-z0-9]+]]: index
// PACKED:         arith.cmpi slt, %{{.*}}, %[[K]]
// PACKED-NEXT:    arith.select
func.func @zeros_of_unknown(%w: tensor<?x90xi8>, %k: index) -> tensor<?x90xbf16, #rhs> {
  %d = tensor.empty(%k) : tensor<?x90xbf16>
  %e = tensor.empty(%k) : tensor<?x90xbf16, #rhs>
  %c = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<?x90xi8>) outs(%d : tensor<?x90xbf16>) {
  ^bb0(%p: i8, %o: bf16):
    %r = arith.sitofp %p : i8 to bf16
    %q = math.exp %r : bf16
    linalg.yield %q : bf16
  } -> tensor<?x90xbf16>
  %x = tw.set_encoding ins(%c : tensor<?x90xbf16>) outs(%e : tensor<?x90xbf16, #rhs>) -> tensor<?x90xbf16, #rhs>
  return %x : tensor<?x90xbf16, #rhs>
}

// A padding that is not zero could be behind k, too.
// CHECK-LABEL: func.func @padded_otherwise(
// CHECK:         %[[P:.*]] = tensor.pad
// CHECK:         tw.set_encoding ins(%[[P]] :
func.func @padded_otherwise(%w: tensor<61x90xbf16>) -> tensor<63x90xbf16, #odd> {
  %one = arith.constant 1.0 : bf16
  %e = tensor.empty() : tensor<63x90xbf16, #odd>
  %p = tensor.pad %w low[0, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : bf16
  } : tensor<61x90xbf16> to tensor<63x90xbf16>
  %x = tw.set_encoding ins(%p : tensor<63x90xbf16>) outs(%e : tensor<63x90xbf16, #odd>) -> tensor<63x90xbf16, #odd>
  return %x : tensor<63x90xbf16, #odd>
}
