// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Operations of several results, paddings, and what asks for its indices, on results of contractions as they lie: in tiles of 8 x 32.
// RUN: tw-opt %s --split-input-file --tw-assign-devices=devices=host=x86_64_avx512_base --tw-propagate-encodings --tw-verify-encodings | FileCheck %s
// RUN: tw-opt %s --split-input-file --tw-assign-devices=devices=host=x86_64_avx512_base --tw-propagate-encodings=always --tw-verify-encodings | FileCheck %s --check-prefix=ALWAYS
// RUN: tw-opt %s --split-input-file --tw-assign-devices=devices=host=x86_64_avx512_base --tw-propagate-encodings --tw-fold-encodings --tw-specialize-encodings --tw-materialize-encodings | FileCheck %s --check-prefix=PACKED
// RUN: tw-opt %s --split-input-file --tw-assign-devices=devices=host=x86_64_avx512_base --tw-propagate-encodings --tw-drop-encodings | FileCheck %s --check-prefix=NONE
// NONE-NOT: {{#tw.(encoding|layout)}}
// NONE-NOT: {{tw.(set|unset|relayout)}}

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 90, 64]>
#all = affine_map<(m, n) -> (m, n)>
#turned = affine_map<(m, n) -> (n, m)>
#row = affine_map<(m, n) -> (m)>
#col = affine_map<(m, n) -> (n)>

// A product, cast and transposed, and the sum of each row. Where the last tile ends matters to the sum alone.
// CHECK-DAG:     #[[TURNED:.*]] = #tw.encoding<out, {{.*}}, dims = [1, 0], element = f16>
// CHECK-DAG:     #[[ROWS:.*]] = #tw.encoding<out, {{.*}}, dims = [0]>
// CHECK-LABEL: func.func @two(
// CHECK:         %[[R:.*]]:2 = linalg.generic {{.*}} ins(%{{.*}} : tensor<128x90xf32, #{{.*}}>, tensor<128x90xf32, #{{.*}}>) outs(%{{.*}} : tensor<90x128xf16, #[[TURNED]]>, tensor<128xf32, #[[ROWS]]>)
// CHECK:         tw.unset_encoding ins(%[[R]]#0 :
// CHECK:         tw.unset_encoding ins(%[[R]]#1 :
// PACKED-LABEL: func.func @two(
// PACKED:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction", "parallel", "reduction"]} ins({{.*}}) outs(%{{.*}} : tensor<16x3x8x32xf16>, tensor<16x8xf32>)
// PACKED:           %[[H:.*]] = arith.truncf
// PACKED:           %[[INSIDE:.*]] = arith.cmpi slt
// PACKED:           %[[X:.*]] = arith.select %[[INSIDE]], %{{.*}}, %{{.*}} : f32
// PACKED-NEXT:      %[[SUM:.*]] = arith.addf %{{.*}}, %[[X]]
// PACKED-NEXT:      linalg.yield %[[H]], %[[SUM]]
func.func @two(%a: tensor<128x90xf32, #out>, %b: tensor<128x90xf32, #out>) -> (tensor<90x128xf16>, tensor<128xf32>) {
  %z = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<128x90xf32>
  %h = tensor.empty() : tensor<90x128xf16>
  %e = tensor.empty() : tensor<128xf32>
  %x = tw.unset_encoding ins(%a : tensor<128x90xf32, #out>) outs(%d : tensor<128x90xf32>) -> tensor<128x90xf32>
  %y = tw.unset_encoding ins(%b : tensor<128x90xf32, #out>) outs(%d : tensor<128x90xf32>) -> tensor<128x90xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %r:2 = linalg.generic {indexing_maps = [#all, #all, #turned, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %y : tensor<128x90xf32>, tensor<128x90xf32>) outs(%h, %f : tensor<90x128xf16>, tensor<128xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f16, %s: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.truncf %t : f32 to f16
    %v = arith.addf %s, %t : f32
    linalg.yield %u, %v : f16, f32
  } -> (tensor<90x128xf16>, tensor<128xf32>)
  return %r#0, %r#1 : tensor<90x128xf16>, tensor<128xf32>
}

// A sum of all has no tiles: the operation reads what is unset.
// ALWAYS-LABEL: func.func @one_without_tiles(
// ALWAYS-COUNT-2: tw.unset_encoding
// ALWAYS:         linalg.generic
// ALWAYS-NOT:     tw.
// ALWAYS:         return
func.func @one_without_tiles(%a: tensor<128x90xf32, #out>, %b: tensor<128x90xf32, #out>) -> (tensor<128xf32>, tensor<f32>) {
  %z = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<128x90xf32>
  %e = tensor.empty() : tensor<128xf32>
  %g = tensor.empty() : tensor<f32>
  %x = tw.unset_encoding ins(%a : tensor<128x90xf32, #out>) outs(%d : tensor<128x90xf32>) -> tensor<128x90xf32>
  %y = tw.unset_encoding ins(%b : tensor<128x90xf32, #out>) outs(%d : tensor<128x90xf32>) -> tensor<128x90xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %h = linalg.fill ins(%z : f32) outs(%g : tensor<f32>) -> tensor<f32>
  %r:2 = linalg.generic {indexing_maps = [#all, #all, #row, affine_map<(m, n) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x, %y : tensor<128x90xf32>, tensor<128x90xf32>) outs(%f, %h : tensor<128xf32>, tensor<f32>) {
  ^bb0(%p: f32, %q: f32, %o: f32, %s: f32):
    %t = arith.mulf %p, %q : f32
    %u = arith.addf %o, %t : f32
    %v = arith.addf %s, %t : f32
    linalg.yield %u, %v : f32, f32
  } -> (tensor<128xf32>, tensor<f32>)
  return %r#0, %r#1 : tensor<128xf32>, tensor<f32>
}

// Where an element is in the tensor follows from where it is in its tile: a causal mask.
// CHECK-LABEL: func.func @mask(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]:
// CHECK:         linalg.generic {{.*}} ins(%[[A]], %[[B]] :
// PACKED-LABEL: func.func @mask(
// PACKED:           %[[C8:.*]] = arith.constant 8
// PACKED-NEXT:      %[[FIRST:.*]] = arith.muli %[[TILE:.*]], %[[C8]]
// PACKED-NEXT:      %[[I:.*]] = arith.addi %[[FIRST]], %{{.*}}
// PACKED:           %[[J:.*]] = arith.addi
// PACKED-NEXT:      arith.cmpi sge, %[[I]], %[[J]]
func.func @mask(%a: tensor<128x90xf32, #out>, %b: tensor<128x90xf32, #out>) -> tensor<128x90xf32> {
  %least = arith.constant -1.0e30 : f32
  %d = tensor.empty() : tensor<128x90xf32>
  %x = tw.unset_encoding ins(%a : tensor<128x90xf32, #out>) outs(%d : tensor<128x90xf32>) -> tensor<128x90xf32>
  %y = tw.unset_encoding ins(%b : tensor<128x90xf32, #out>) outs(%d : tensor<128x90xf32>) -> tensor<128x90xf32>
  %r = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<128x90xf32>, tensor<128x90xf32>) outs(%d : tensor<128x90xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sge, %i, %j : index
    %t = arith.addf %p, %q : f32
    %s = arith.select %c, %t, %least : f32
    linalg.yield %s : f32
  } -> tensor<128x90xf32>
  return %r : tensor<128x90xf32>
}

// What only changes what it writes over, twice, and an element for all.
// CHECK-LABEL: func.func @onto(
// CHECK-SAME:    %[[A:[a-z0-9]+]]:
// CHECK:         %[[S:.*]] = linalg.generic {{.*}} outs(%[[A]] : tensor<128x90xf32, #{{.*}}>)
// CHECK:         %[[T:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<f32>) outs(%[[S]] :
// CHECK:         %[[U:.*]] = linalg.generic {{.*}} ins(%[[T]] :
// CHECK:         tw.unset_encoding ins(%[[U]] :
// CHECK-NOT:     tw.
// CHECK:         return
// PACKED-LABEL: func.func @onto(
// PACKED:         linalg.generic {{.*}} ins(%{{.*}} : tensor<f32>) outs(%{{.*}} : tensor<16x3x8x32xf32>)
func.func @onto(%a: tensor<128x90xf32, #out>, %s: tensor<f32>) -> tensor<90x128xf16> {
  %d = tensor.empty() : tensor<128x90xf32>
  %h = tensor.empty() : tensor<90x128xf16>
  %x = tw.unset_encoding ins(%a : tensor<128x90xf32, #out>) outs(%d : tensor<128x90xf32>) -> tensor<128x90xf32>
  %y = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%x : tensor<128x90xf32>) {
  ^bb0(%o: f32):
    %r = math.exp %o : f32
    linalg.yield %r : f32
  } -> tensor<128x90xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(m, n) -> ()>, #all], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<f32>) outs(%y : tensor<128x90xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = arith.mulf %p, %o : f32
    linalg.yield %r : f32
  } -> tensor<128x90xf32>
  %t = linalg.generic {indexing_maps = [#all, #turned], iterator_types = ["parallel", "parallel"]}
      ins(%z : tensor<128x90xf32>) outs(%h : tensor<90x128xf16>) {
  ^bb0(%p: f32, %o: f16):
    %r = arith.truncf %p : f32 to f16
    linalg.yield %r : f16
  } -> tensor<90x128xf16>
  return %t : tensor<90x128xf16>
}

// What reads at indices of its own does so where elements lie.
// ALWAYS-LABEL: func.func @gather(
// ALWAYS-COUNT-2: tw.unset_encoding
// ALWAYS:         linalg.generic
// ALWAYS-NOT:     tw.
// ALWAYS:         return
func.func @gather(%a: tensor<128x90xf32, #out>, %b: tensor<128x90xf32, #out>, %t: tensor<90xf32>) -> tensor<128x90xf32> {
  %d = tensor.empty() : tensor<128x90xf32>
  %x = tw.unset_encoding ins(%a : tensor<128x90xf32, #out>) outs(%d : tensor<128x90xf32>) -> tensor<128x90xf32>
  %y = tw.unset_encoding ins(%b : tensor<128x90xf32, #out>) outs(%d : tensor<128x90xf32>) -> tensor<128x90xf32>
  %r = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<128x90xf32>, tensor<128x90xf32>) outs(%d : tensor<128x90xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %j = linalg.index 1 : index
    %v = tensor.extract %t[%j] : tensor<90xf32>
    %s = arith.addf %p, %v : f32
    %u = arith.addf %s, %q : f32
    linalg.yield %u : f32
  } -> tensor<128x90xf32>
  return %r : tensor<128x90xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#bmk = affine_map<(b, m, n, k) -> (b, m, k)>
#bkn = affine_map<(b, m, n, k) -> (b, k, n)>
#bmn = affine_map<(b, m, n, k) -> (b, m, n)>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 90, 64]>
#rows = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [?, 90, 64]>
#batch = #tw.encoding<out, types = [f32, f32, f32], maps = [#bmk, #bkn, #bmn], sizes = [?, 128, ?, 64]>
#all = affine_map<(m, n) -> (m, n)>

// A tile in front, and 8 columns behind: 6 of them fill up the tile that was the last one, the others are of one more.
// CHECK-DAG:     #[[PADDED:.*]] = #tw.encoding<out, {{.*}}sizes = [128, 90, 64], dims = [0, 1]>
// CHECK-LABEL: func.func @pad(
// CHECK:         %[[S:.*]] = linalg.generic
// CHECK:         %[[P:.*]] = tensor.pad %[[S]] low[0, 32] high[0, 8] {
// CHECK:         } : tensor<128x90xf32, #{{.*}}> to tensor<128x130xf32, #[[PADDED]]>
// CHECK:         tw.unset_encoding ins(%[[P]] :
// PACKED-LABEL: func.func @pad(
// PACKED:         %[[P:.*]] = tensor.pad %{{.*}} low[0, 1, 0, 0] high[0, 1, 0, 0] {
// PACKED:         } : tensor<16x3x8x32xf32> to tensor<16x5x8x32xf32>
// PACKED:         linalg.generic {{.*}} ins(%[[P]] :
// PACKED-NEXT:    ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// PACKED:           %[[END:.*]] = arith.constant 122
// PACKED-NEXT:      %[[INSIDE:.*]] = arith.cmpi slt, %{{.*}}, %[[END]]
// PACKED-NEXT:      arith.select %[[INSIDE]], %[[X]], %{{.*}} : f32
func.func @pad(%a: tensor<128x90xf32, #out>, %b: tensor<128x90xf32, #out>) -> tensor<128x130xf32> {
  %one = arith.constant 1.0 : f32
  %d = tensor.empty() : tensor<128x90xf32>
  %x = tw.unset_encoding ins(%a : tensor<128x90xf32, #out>) outs(%d : tensor<128x90xf32>) -> tensor<128x90xf32>
  %y = tw.unset_encoding ins(%b : tensor<128x90xf32, #out>) outs(%d : tensor<128x90xf32>) -> tensor<128x90xf32>
  %s = linalg.add ins(%x, %y : tensor<128x90xf32>, tensor<128x90xf32>) outs(%d : tensor<128x90xf32>) -> tensor<128x90xf32>
  %p = tensor.pad %s low[0, 32] high[0, 8] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  } : tensor<128x90xf32> to tensor<128x130xf32>
  return %p : tensor<128x130xf32>
}

// Whole tiles stay: rows behind, of an element that the body says.
// PACKED-LABEL: func.func @pad_tiles(
// PACKED:         %[[P:.*]] = tensor.pad %{{.*}} low[0, 0, 0, 0] high[1, 0, 0, 0] {
// PACKED-NOT:     linalg.generic
// PACKED:         linalg.unpack %[[P]]
func.func @pad_tiles(%a: tensor<128x90xf32, #out>, %b: tensor<128x90xf32, #out>) -> tensor<136x90xf32> {
  %d = tensor.empty() : tensor<128x90xf32>
  %x = tw.unset_encoding ins(%a : tensor<128x90xf32, #out>) outs(%d : tensor<128x90xf32>) -> tensor<128x90xf32>
  %y = tw.unset_encoding ins(%b : tensor<128x90xf32, #out>) outs(%d : tensor<128x90xf32>) -> tensor<128x90xf32>
  %s = linalg.add ins(%x, %y : tensor<128x90xf32>, tensor<128x90xf32>) outs(%d : tensor<128x90xf32>) -> tensor<128x90xf32>
  %p = tensor.pad %s low[0, 0] high[8, 0] {
  ^bb0(%i: index, %j: index):
    %two = arith.constant 2.0 : f32
    tensor.yield %two : f32
  } : tensor<128x90xf32> to tensor<136x90xf32>
  return %p : tensor<136x90xf32>
}

// No tile has the batch: any size may be put around it, of however many columns.
// PACKED-LABEL: func.func @pad_batch(
// PACKED:         tensor.pad %{{.*}} low[%{{.*}}, 0, 0, 0, 0] high[3, 0, 0, 0, 0] {
// PACKED:         linalg.unpack
func.func @pad_batch(%a: tensor<?x128x?xf32, #batch>, %b: tensor<?x128x?xf32, #batch>, %l: index, %m: index, %n: index) -> tensor<?x128x?xf32> {
  %one = arith.constant 1.0 : f32
  %d = tensor.empty(%m, %n) : tensor<?x128x?xf32>
  %x = tw.unset_encoding ins(%a : tensor<?x128x?xf32, #batch>) outs(%d : tensor<?x128x?xf32>) -> tensor<?x128x?xf32>
  %y = tw.unset_encoding ins(%b : tensor<?x128x?xf32, #batch>) outs(%d : tensor<?x128x?xf32>) -> tensor<?x128x?xf32>
  %s = linalg.add ins(%x, %y : tensor<?x128x?xf32>, tensor<?x128x?xf32>) outs(%d : tensor<?x128x?xf32>) -> tensor<?x128x?xf32>
  %p = tensor.pad %s low[%l, 0, 0] high[3, 0, 0] {
  ^bb0(%h: index, %i: index, %j: index):
    tensor.yield %one : f32
  } : tensor<?x128x?xf32> to tensor<?x128x?xf32>
  return %p : tensor<?x128x?xf32>
}

// A product of known sizes that is unset to unknown ones is padded as one of unknown ones.
// ALWAYS-LABEL: func.func @pad_known(
// ALWAYS-SAME:    %[[A:[a-z0-9]+]]:
// ALWAYS:         %[[C:.*]] = tensor.cast %[[A]] : tensor<128x90xf32, #{{.*}}> to tensor<?x90xf32, #{{.*}}>
// ALWAYS:         tensor.pad %[[C]] low[8, 0] high[0, 0]
func.func @pad_known(%a: tensor<128x90xf32, #out>, %m: index) -> tensor<?x90xf32> {
  %one = arith.constant 1.0 : f32
  %d = tensor.empty(%m) : tensor<?x90xf32>
  %x = tw.unset_encoding ins(%a : tensor<128x90xf32, #out>) outs(%d : tensor<?x90xf32>) -> tensor<?x90xf32>
  %p = tensor.pad %x low[8, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  } : tensor<?x90xf32> to tensor<?x90xf32>
  return %p : tensor<?x90xf32>
}

// What is unset behind has the type that it had, also where sizes are found out.
// ALWAYS-LABEL: func.func @unset_as_before(
// ALWAYS:         tw.unset_encoding ins(%{{.*}} : tensor<?x90xf32, #{{.*}}>) outs(%{{.*}} : tensor<?x90xf32>) -> tensor<?x90xf32>
// ALWAYS-NEXT:    return
func.func @unset_as_before(%a: tensor<128x90xf32, #out>) -> tensor<?x90xf32> {
  %e = tensor.empty() : tensor<128x90xf32>
  %d = tensor.cast %e : tensor<128x90xf32> to tensor<?x90xf32>
  %x = tw.unset_encoding ins(%a : tensor<128x90xf32, #out>) outs(%d : tensor<?x90xf32>) -> tensor<?x90xf32>
  %y = linalg.exp ins(%x : tensor<?x90xf32>) outs(%d : tensor<?x90xf32>) -> tensor<?x90xf32>
  %z = linalg.exp ins(%y : tensor<?x90xf32>) outs(%d : tensor<?x90xf32>) -> tensor<?x90xf32>
  return %z : tensor<?x90xf32>
}

// Not a part of a tile in front, nor what differs from place to place.
// ALWAYS-LABEL: func.func @pad_parts(
// ALWAYS-COUNT-2: tw.unset_encoding
// ALWAYS-COUNT-2: tensor.pad %{{.*}}
// ALWAYS-NOT:     tw.
// ALWAYS:         return
func.func @pad_parts(%a: tensor<128x90xf32, #out>, %b: tensor<128x90xf32, #out>) -> (tensor<132x90xf32>, tensor<136x90xf32>) {
  %one = arith.constant 1.0 : f32
  %d = tensor.empty() : tensor<128x90xf32>
  %x = tw.unset_encoding ins(%a : tensor<128x90xf32, #out>) outs(%d : tensor<128x90xf32>) -> tensor<128x90xf32>
  %y = tw.unset_encoding ins(%b : tensor<128x90xf32, #out>) outs(%d : tensor<128x90xf32>) -> tensor<128x90xf32>
  %p = tensor.pad %x low[4, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  } : tensor<128x90xf32> to tensor<132x90xf32>
  %q = tensor.pad %y low[8, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    %k = arith.index_cast %i : index to i32
    %v = arith.sitofp %k : i32 to f32
    tensor.yield %v : f32
  } : tensor<128x90xf32> to tensor<136x90xf32>
  return %p, %q : tensor<132x90xf32>, tensor<136x90xf32>
}

// Nor rows behind some of which nobody knows how many they are, and which may end within a tile.
// ALWAYS-LABEL: func.func @pad_unknown(
// ALWAYS:         tw.unset_encoding
// ALWAYS:         tensor.pad %{{.*}}
// ALWAYS-NOT:     tw.
// ALWAYS:         return
func.func @pad_unknown(%a: tensor<?x90xf32, #rows>, %m: index) -> tensor<?x90xf32> {
  %one = arith.constant 1.0 : f32
  %d = tensor.empty(%m) : tensor<?x90xf32>
  %x = tw.unset_encoding ins(%a : tensor<?x90xf32, #rows>) outs(%d : tensor<?x90xf32>) -> tensor<?x90xf32>
  %p = tensor.pad %x low[0, 0] high[8, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  } : tensor<?x90xf32> to tensor<?x90xf32>
  return %p : tensor<?x90xf32>
}
