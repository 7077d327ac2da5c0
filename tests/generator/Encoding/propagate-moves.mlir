// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What moves elements, casts them, or sums them up, of results of contractions as they lie: in tiles of 8 x 32.
// RUN: tw-opt %s --split-input-file --tw-assign-devices=devices=host=x86_64_avx512_base --tw-propagate-encodings --tw-verify-encodings | FileCheck %s
// RUN: tw-opt %s --split-input-file --tw-assign-devices=devices=host=x86_64_avx512_base --tw-propagate-encodings --tw-fold-encodings --tw-specialize-encodings --tw-materialize-encodings | FileCheck %s --check-prefix=PACKED
// RUN: tw-opt %s --split-input-file --tw-assign-devices=devices=host=x86_64_avx512_base --tw-propagate-encodings --tw-drop-encodings | FileCheck %s --check-prefix=NONE
// NONE-NOT: {{#tw.(encoding|layout)}}
// NONE-NOT: {{tw.(set|unset|relayout)}}

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 96, 64]>
#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>

// Sums of rows are of tiles of rows; one unset is left of two.
// CHECK-DAG:     #[[ROWS:.*]] = #tw.encoding<out, types = [f32, f32, f32], maps = [{{.*}}], sizes = [128, 96, 64], dims = [0]>
// CHECK-LABEL: func.func @sums(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<128x96xf32, #[[OUT:[a-z0-9]+]]>, %[[B:[a-z0-9]+]]:
// CHECK:         %[[F:.*]] = linalg.fill {{.*}} outs(%{{.*}} : tensor<128xf32, #[[ROWS]]>)
// CHECK:         %[[S:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[A]] : tensor<128x96xf32, #[[OUT]]>) outs(%[[F]] :
// CHECK:         %[[D:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[S]], %[[B]] : tensor<128x96xf32, #[[OUT]]>, tensor<128xf32, #[[ROWS]]>,
// CHECK:         tw.unset_encoding ins(%[[D]] :
// CHECK-NOT:     tw.
// CHECK:         return
// PACKED-LABEL: func.func @sums(
// PACKED-NOT:     pack
// PACKED:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "parallel", "reduction"]} ins(%{{.*}} : tensor<16x3x8x32xf32>) outs(%{{.*}} : tensor<16x8xf32>)
// PACKED-NEXT:    ^bb0
// PACKED-NEXT:      arith.addf
// PACKED-NEXT:      linalg.yield
// PACKED-NOT:     pack
// PACKED:         linalg.generic {{.*}} ins(%{{.*}} : tensor<16x3x8x32xf32>, tensor<16x8xf32>, tensor<16x3x8x32xf32>) outs(%{{.*}} : tensor<16x3x8x32xf32>)
// PACKED:         linalg.unpack
// PACKED-NEXT:    return
func.func @sums(%a: tensor<128x96xf32, #out>, %b: tensor<128x96xf32, #out>) -> tensor<128x96xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128xf32>
  %dx = tensor.empty() : tensor<128x96xf32>
  %x = tw.unset_encoding ins(%a : tensor<128x96xf32, #out>) outs(%dx : tensor<128x96xf32>) -> tensor<128x96xf32>
  %dy = tensor.empty() : tensor<128x96xf32>
  %y = tw.unset_encoding ins(%b : tensor<128x96xf32, #out>) outs(%dy : tensor<128x96xf32>) -> tensor<128x96xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %s = linalg.reduce ins(%x : tensor<128x96xf32>) outs(%f : tensor<128xf32>) dimensions = [1]
    (%p: f32, %o: f32) {
      %r = arith.addf %p, %o : f32
      linalg.yield %r : f32
    }
  %t = linalg.generic {indexing_maps = [#all, #row, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s, %y : tensor<128x96xf32>, tensor<128xf32>, tensor<128x96xf32>) outs(%dx : tensor<128x96xf32>) {
  ^bb0(%p: f32, %q: f32, %v: f32, %o: f32):
    %r = arith.subf %p, %q : f32
    %u = arith.addf %r, %v : f32
    linalg.yield %u : f32
  } -> tensor<128x96xf32>
  return %t : tensor<128x96xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 90, 64]>
#all = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>

// The last tile has 26 columns: what fills it up is not summed up.
// PACKED-LABEL: func.func @sums_of_part(
// PACKED:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "parallel", "reduction"]} ins(%{{.*}} : tensor<16x3x8x32xf32>)
// PACKED-NEXT:    ^bb0(%[[X:.*]]: f32, %[[SUM:.*]]: f32):
// PACKED-NEXT:      %[[TILE:.*]] = linalg.index 1
// PACKED-NEXT:      %[[COLUMN:.*]] = linalg.index 3
// PACKED-NEXT:      %[[C32:.*]] = arith.constant 32
// PACKED-NEXT:      %[[FIRST:.*]] = arith.muli %[[TILE]], %[[C32]]
// PACKED-NEXT:      %[[I:.*]] = arith.addi %[[FIRST]], %[[COLUMN]]
// PACKED-NEXT:      %[[END:.*]] = arith.constant 90
// PACKED-NEXT:      %[[INSIDE:.*]] = arith.cmpi slt, %[[I]], %[[END]]
// PACKED-NEXT:      %[[NEUTRAL:.*]] = arith.constant -0.0
// PACKED-NEXT:      %[[R:.*]] = arith.select %[[INSIDE]], %[[X]], %[[NEUTRAL]]
// PACKED-NEXT:      %[[NEXT:.*]] = arith.addf %[[R]], %[[SUM]]
// PACKED-NEXT:      linalg.yield %[[NEXT]]
func.func @sums_of_part(%a: tensor<128x90xf32, #out>, %b: tensor<128x90xf32, #out>) -> tensor<128x90xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128xf32>
  %dx = tensor.empty() : tensor<128x90xf32>
  %x = tw.unset_encoding ins(%a : tensor<128x90xf32, #out>) outs(%dx : tensor<128x90xf32>) -> tensor<128x90xf32>
  %dy = tensor.empty() : tensor<128x90xf32>
  %y = tw.unset_encoding ins(%b : tensor<128x90xf32, #out>) outs(%dy : tensor<128x90xf32>) -> tensor<128x90xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %s = linalg.reduce ins(%x : tensor<128x90xf32>) outs(%f : tensor<128xf32>) dimensions = [1]
    (%p: f32, %o: f32) {
      %r = arith.addf %p, %o : f32
      linalg.yield %r : f32
    }
  %t = linalg.generic {indexing_maps = [#all, #row, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s, %y : tensor<128x90xf32>, tensor<128xf32>, tensor<128x90xf32>) outs(%dx : tensor<128x90xf32>) {
  ^bb0(%p: f32, %q: f32, %v: f32, %o: f32):
    %r = arith.subf %p, %q : f32
    %u = arith.addf %r, %v : f32
    linalg.yield %u : f32
  } -> tensor<128x90xf32>
  return %t : tensor<128x90xf32>
}

// A body that is more than to combine two: the whole step is left out.
// PACKED-LABEL: func.func @steps_of_part(
// PACKED:         ^bb0(%[[X:.*]]: f32, %[[SUM:.*]]: f32):
// PACKED:           %[[NEXT:.*]] = arith.addf
// PACKED:           %[[INSIDE:.*]] = arith.cmpi slt
// PACKED-NEXT:      %[[R:.*]] = arith.select %[[INSIDE]], %[[NEXT]], %[[SUM]]
// PACKED-NEXT:      linalg.yield %[[R]]
func.func @steps_of_part(%a: tensor<128x90xf32, #out>) -> tensor<128xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128xf32>
  %d = tensor.empty() : tensor<128x90xf32>
  %x = tw.unset_encoding ins(%a : tensor<128x90xf32, #out>) outs(%d : tensor<128x90xf32>) -> tensor<128x90xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %s = linalg.reduce ins(%x : tensor<128x90xf32>) outs(%f : tensor<128xf32>) dimensions = [1]
    (%p: f32, %o: f32) {
      %q = arith.mulf %o, %o : f32
      %r = arith.addf %p, %q : f32
      linalg.yield %r : f32
    }
  return %s : tensor<128xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 96, 64]>
#all = affine_map<(m, n) -> (m, n)>
#turned = affine_map<(m, n) -> (n, m)>
#square = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 128, 64]>

// Transposed and cast: the same elements, of half the size, at the same places.
// CHECK-DAG:     #[[TURNED:.*]] = #tw.encoding<out, {{.*}}, dims = [1, 0], element = f16>
// CHECK-DAG:     #[[HALF:.*]] = #tw.encoding<out, {{.*}}, dims = [0, 1], element = f16>
// CHECK-LABEL: func.func @turned(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<128x96xf32, #[[OUT:[a-z0-9]+]]>
// CHECK:         %[[H:.*]] = linalg.generic {{.*}} ins(%[[A]] : tensor<128x96xf32, #[[OUT]]>) outs(%{{.*}} : tensor<128x96xf16, #[[HALF]]>)
// CHECK:         %[[T:.*]] = linalg.generic {{.*}} ins(%[[H]] : {{.*}}) outs(%{{.*}} : tensor<96x128xf16, #[[TURNED]]>)
// CHECK:         tw.unset_encoding ins(%[[T]] :
// PACKED-LABEL: func.func @turned(
// PACKED:         linalg.generic {indexing_maps = [#[[SAME:.*]], #[[SAME]]], {{.*}} ins(%{{.*}} : tensor<16x3x8x32xf16>) outs(%{{.*}} : tensor<16x3x8x32xf16>)
// PACKED:         linalg.unpack {{.*}} outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [8, 32] into {{.*}} -> tensor<96x128xf16>
func.func @turned(%a: tensor<128x96xf32, #out>) -> tensor<96x128xf16> {
  %h = tensor.empty() : tensor<128x96xf16>
  %e = tensor.empty() : tensor<96x128xf16>
  %dx = tensor.empty() : tensor<128x96xf32>
  %x = tw.unset_encoding ins(%a : tensor<128x96xf32, #out>) outs(%dx : tensor<128x96xf32>) -> tensor<128x96xf32>
  %c = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<128x96xf32>) outs(%h : tensor<128x96xf16>) {
  ^bb0(%p: f32, %o: f16):
    %r = arith.truncf %p : f32 to f16
    linalg.yield %r : f16
  } -> tensor<128x96xf16>
  %t = linalg.transpose ins(%c : tensor<128x96xf16>) outs(%e : tensor<96x128xf16>) permutation = [1, 0]
  return %t : tensor<96x128xf16>
}

// What is read both ways has no one tile for an element.
// CHECK-LABEL: func.func @both_ways(
// CHECK:         tw.unset_encoding
// CHECK-NEXT:    linalg.generic
func.func @both_ways(%a: tensor<128x128xf32, #square>) -> tensor<128x128xf16> {
  %h = tensor.empty() : tensor<128x128xf16>
  %dx = tensor.empty() : tensor<128x128xf32>
  %x = tw.unset_encoding ins(%a : tensor<128x128xf32, #square>) outs(%dx : tensor<128x128xf32>) -> tensor<128x128xf32>
  %c = linalg.generic {indexing_maps = [#all, #turned, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %x : tensor<128x128xf32>, tensor<128x128xf32>) outs(%h : tensor<128x128xf16>) {
  ^bb0(%p: f32, %q: f32, %o: f16):
    %s = arith.addf %p, %q : f32
    %r = arith.truncf %s : f32 to f16
    linalg.yield %r : f16
  } -> tensor<128x128xf16>
  return %c : tensor<128x128xf16>
}

// Nor has what is added to a transposed product.
// CHECK-LABEL: func.func @onto_transposed(
// CHECK-COUNT-2: tw.unset_encoding
// CHECK-NEXT:    linalg.generic
// CHECK-NOT:     tw.unset_encoding
// CHECK:         return
func.func @onto_transposed(%a: tensor<128x128xf32, #square>, %b: tensor<128x128xf32, #square>) -> tensor<128x128xf32> {
  %d = tensor.empty() : tensor<128x128xf32>
  %x = tw.unset_encoding ins(%a : tensor<128x128xf32, #square>) outs(%d : tensor<128x128xf32>) -> tensor<128x128xf32>
  %y = tw.unset_encoding ins(%b : tensor<128x128xf32, #square>) outs(%d : tensor<128x128xf32>) -> tensor<128x128xf32>
  %c = linalg.generic {indexing_maps = [#all, #turned], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<128x128xf32>) outs(%y : tensor<128x128xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<128x128xf32>
  return %c : tensor<128x128xf32>
}

// -----

#bmk = affine_map<(b, m, n, k) -> (b, m, k)>
#bkn = affine_map<(b, m, n, k) -> (b, k, n)>
#bmn = affine_map<(b, m, n, k) -> (b, m, n)>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#bmk, #bkn, #bmn], sizes = [4, 128, ?, 64]>

// The batch is in no tile: sums along it are of whole tiles, however many there are.
// CHECK-DAG:     #[[SUM:.*]] = #tw.encoding<out, {{.*}}, dims = [1, 2]>
// CHECK-LABEL: func.func @sum_of_batch(
// CHECK:         linalg.generic {{.*}} outs(%{{.*}} : tensor<128x?xf32, #[[SUM]]>)
// PACKED-LABEL: func.func @sum_of_batch(
// PACKED:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel"]} ins(%{{.*}} : tensor<4x16x?x8x32xf32>) outs(%{{.*}} : tensor<16x?x8x32xf32>)
// PACKED-NEXT:    ^bb0
// PACKED-NEXT:      arith.maximumf
// PACKED-NEXT:      linalg.yield
func.func @sum_of_batch(%a: tensor<4x128x?xf32, #out>, %n: index) -> tensor<128x?xf32> {
  %z = arith.constant 0.0 : f32
  %d = tensor.empty(%n) : tensor<4x128x?xf32>
  %e = tensor.empty(%n) : tensor<128x?xf32>
  %x = tw.unset_encoding ins(%a : tensor<4x128x?xf32, #out>) outs(%d : tensor<4x128x?xf32>) -> tensor<4x128x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<128x?xf32>) -> tensor<128x?xf32>
  %s = linalg.reduce ins(%x : tensor<4x128x?xf32>) outs(%f : tensor<128x?xf32>) dimensions = [0]
    (%p: f32, %o: f32) {
      %r = arith.maximumf %p, %o : f32
      linalg.yield %r : f32
    }
  return %s : tensor<128x?xf32>
}

// Of columns it would have to be known how many there are.
// CHECK-LABEL: func.func @sum_of_unknown(
// CHECK:         tw.unset_encoding
// CHECK:         linalg.reduce
func.func @sum_of_unknown(%a: tensor<4x128x?xf32, #out>, %n: index) -> tensor<4x128xf32> {
  %z = arith.constant 0.0 : f32
  %d = tensor.empty(%n) : tensor<4x128x?xf32>
  %e = tensor.empty() : tensor<4x128xf32>
  %x = tw.unset_encoding ins(%a : tensor<4x128x?xf32, #out>) outs(%d : tensor<4x128x?xf32>) -> tensor<4x128x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x128xf32>) -> tensor<4x128xf32>
  %s = linalg.reduce ins(%x : tensor<4x128x?xf32>) outs(%f : tensor<4x128xf32>) dimensions = [2]
    (%p: f32, %o: f32) {
      %r = arith.addf %p, %o : f32
      linalg.yield %r : f32
    }
  return %s : tensor<4x128xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 96, 64]>

// Rows 32 to 63 are tiles 4 to 7; what is left of the others is not unset.
// CHECK-DAG:     #[[PART:.*]] = #tw.encoding<out, {{.*}}, dims = [0, 1]>
// CHECK-LABEL: func.func @slice(
// CHECK-SAME:    %[[A:[a-z0-9]+]]:
// CHECK:         %[[S:.*]] = tensor.extract_slice %[[A]][32, 0] [30, 96] [1, 1] : tensor<128x96xf32, #{{.*}}> to tensor<30x96xf32, #[[PART]]>
// CHECK:         tw.unset_encoding ins(%[[S]] :
// PACKED-LABEL: func.func @slice(
// PACKED:         tensor.extract_slice %{{.*}}[4, 0, 0, 0] [4, 3, 8, 32] [1, 1, 1, 1] : tensor<16x3x8x32xf32> to tensor<4x3x8x32xf32>
func.func @slice(%a: tensor<128x96xf32, #out>) -> tensor<30x96xf32> {
  %dx = tensor.empty() : tensor<128x96xf32>
  %x = tw.unset_encoding ins(%a : tensor<128x96xf32, #out>) outs(%dx : tensor<128x96xf32>) -> tensor<128x96xf32>
  %s = tensor.extract_slice %x[32, 0] [30, 96] [1, 1] : tensor<128x96xf32> to tensor<30x96xf32>
  return %s : tensor<30x96xf32>
}

// Columns of every second tile, or from the middle of one, are not.
// CHECK-LABEL: func.func @slice_of_parts(
// CHECK:         %[[X:.*]] = tw.unset_encoding
// CHECK-NEXT:    tensor.extract_slice %[[X]]
// CHECK-NEXT:    tensor.extract_slice %[[X]]
func.func @slice_of_parts(%a: tensor<128x96xf32, #out>) -> (tensor<128x16xf32>, tensor<128x2xf32>) {
  %dx = tensor.empty() : tensor<128x96xf32>
  %x = tw.unset_encoding ins(%a : tensor<128x96xf32, #out>) outs(%dx : tensor<128x96xf32>) -> tensor<128x96xf32>
  %s = tensor.extract_slice %x[0, 16] [128, 16] [1, 1] : tensor<128x96xf32> to tensor<128x16xf32>
  %t = tensor.extract_slice %x[0, 0] [128, 2] [1, 64] : tensor<128x96xf32> to tensor<128x2xf32>
  return %s, %t : tensor<128x16xf32>, tensor<128x2xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 96, 64]>

// Heads of a whole tile each.
// CHECK-DAG:     #[[HEADS:.*]] = #tw.encoding<out, {{.*}}, dims = [0, *, 1]>
// CHECK-LABEL: func.func @heads(
// CHECK-SAME:    %[[A:[a-z0-9]+]]:
// CHECK:         %[[E:.*]] = tensor.expand_shape %[[A]] {{\[\[}}0], [1, 2]] output_shape [128, 3, 32] : tensor<128x96xf32, #{{.*}}> into tensor<128x3x32xf32, #[[HEADS]]>
// CHECK:         %[[S:.*]] = tensor.extract_slice %[[E]][0, 1, 0] [128, 1, 32] [1, 1, 1] : {{.*}} to tensor<128x32xf32, #[[HEAD:.*]]>
// CHECK:         tw.unset_encoding ins(%[[S]] :
// PACKED-LABEL: func.func @heads(
// PACKED:         tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2], [3], [4]] output_shape [16, 3, 1, 8, 32] : tensor<16x3x8x32xf32> into tensor<16x3x1x8x32xf32>
// PACKED:         tensor.extract_slice %{{.*}}[0, 1, 0, 0, 0] [16, 1, 1, 8, 32] [1, 1, 1, 1, 1] : tensor<16x3x1x8x32xf32> to tensor<16x1x8x32xf32>
func.func @heads(%a: tensor<128x96xf32, #out>) -> tensor<128x32xf32> {
  %dx = tensor.empty() : tensor<128x96xf32>
  %x = tw.unset_encoding ins(%a : tensor<128x96xf32, #out>) outs(%dx : tensor<128x96xf32>) -> tensor<128x96xf32>
  %h = tensor.expand_shape %x [[0], [1, 2]] output_shape [128, 3, 32] : tensor<128x96xf32> into tensor<128x3x32xf32>
  %s = tensor.extract_slice %h[0, 1, 0] [128, 1, 32] [1, 1, 1] : tensor<128x3x32xf32> to tensor<128x32xf32>
  return %s : tensor<128x32xf32>
}

// And of three quarters of one.
// CHECK-LABEL: func.func @heads_of_parts(
// CHECK:         tw.unset_encoding
// CHECK-NEXT:    tensor.expand_shape
func.func @heads_of_parts(%a: tensor<128x96xf32, #out>) -> tensor<128x24xf32> {
  %dx = tensor.empty() : tensor<128x96xf32>
  %x = tw.unset_encoding ins(%a : tensor<128x96xf32, #out>) outs(%dx : tensor<128x96xf32>) -> tensor<128x96xf32>
  %h = tensor.expand_shape %x [[0], [1, 2]] output_shape [128, 4, 24] : tensor<128x96xf32> into tensor<128x4x24xf32>
  %s = tensor.extract_slice %h[0, 1, 0] [128, 1, 24] [1, 1, 1] : tensor<128x4x24xf32> to tensor<128x24xf32>
  return %s : tensor<128x24xf32>
}
