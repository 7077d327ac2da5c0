// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Four cases of upstream's and IREE's tests of layout propagation that are not done here (docs/adr/0047-operands-are-computed-in-tiles.md): what they are
// packed for is packed behind, what they read is unset before, where bytes are saved otherwise, too, and all of it becomes packs as ever. Beside each is the
// form of it that is done.
// RUN: tw-opt %s --split-input-file --tw-assign-devices=devices=host=x86_64_avx512_base --tw-propagate-encodings --tw-verify-encodings | FileCheck %s
// RUN: tw-opt %s --split-input-file --tw-assign-devices=devices=host=x86_64_avx512_base --tw-propagate-encodings --tw-fold-encodings --tw-specialize-encodings --tw-materialize-encodings --tw-verify-encodings=none-left | FileCheck %s --check-prefix=PACKED
// RUN: tw-opt %s --split-input-file --tw-assign-devices=devices=host=x86_64_avx512_base --tw-propagate-encodings --tw-drop-encodings --tw-verify-encodings=none-left | FileCheck %s --check-prefix=NONE
// NONE-NOT: {{#tw.(encoding|layout)}}
// NONE-NOT: {{linalg.(pack|unpack)}}

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#rhs = #tw.encoding<rhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 96, 64]>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 96, 64]>
#all = affine_map<(i, j) -> (i, j)>
#first = affine_map<(i, j) -> (0, j)>
#columns = affine_map<(i, j) -> (j)>

// 1. An operand of size 1, indexed by 0: which tile an element is in, a map of loops alone says (`affine_constant_expr_pack`). `tilewright compile` takes such
// dimensions away before, and then it is a row that goes along.
// CHECK-LABEL: func.func @size_of_one(
// CHECK:         %[[B:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<64x96xi8>, tensor<1x96xf32>) outs(%{{.*}} : tensor<64x96xf32>)
// CHECK:         tw.set_encoding ins(%[[B]] : tensor<64x96xf32>)
// PACKED-LABEL: func.func @size_of_one(
// PACKED:         linalg.generic {{.*}} ins(%{{.*}} : tensor<64x96xi8>, tensor<1x96xf32>)
// PACKED:         linalg.pack {{.*}} -> tensor<3x64x32x1xf32>
func.func @size_of_one(%w: tensor<64x96xi8>, %s: tensor<1x96xf32>) -> tensor<64x96xf32, #rhs> {
  %d = tensor.empty() : tensor<64x96xf32>
  %e = tensor.empty() : tensor<64x96xf32, #rhs>
  %c = linalg.generic {indexing_maps = [#all, #first, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<64x96xi8>, tensor<1x96xf32>) outs(%d : tensor<64x96xf32>) {
  ^bb0(%p: i8, %q: f32, %o: f32):
    %f = arith.sitofp %p : i8 to f32
    %r = arith.mulf %f, %q : f32
    linalg.yield %r : f32
  } -> tensor<64x96xf32>
  %x = tw.set_encoding ins(%c : tensor<64x96xf32>) outs(%e : tensor<64x96xf32, #rhs>) -> tensor<64x96xf32, #rhs>
  return %x : tensor<64x96xf32, #rhs>
}

// CHECK-LABEL: func.func @size_of_one_taken_away(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: tensor<64x96xi8>
// CHECK:         %[[E:.*]] = tw.set_encoding ins(%[[W]] : tensor<64x96xi8>)
// CHECK:         linalg.generic {{.*}} ins(%[[E]], %{{.*}} : tensor<64x96xi8, #{{.*}}>, tensor<96xf32>)
// CHECK-NOT:     tw.
// CHECK:         return
// PACKED-LABEL: func.func @size_of_one_taken_away(
// PACKED:         linalg.pack {{.*}} -> tensor<3x64x32x1xi8>
func.func @size_of_one_taken_away(%w: tensor<64x96xi8>, %s: tensor<1x96xf32>) -> tensor<64x96xf32, #rhs> {
  %d = tensor.empty() : tensor<64x96xf32>
  %e = tensor.empty() : tensor<64x96xf32, #rhs>
  %row = tensor.collapse_shape %s [[0, 1]] : tensor<1x96xf32> into tensor<96xf32>
  %c = linalg.generic {indexing_maps = [#all, #columns, #all], iterator_types = ["parallel", "parallel"]}
      ins(%w, %row : tensor<64x96xi8>, tensor<96xf32>) outs(%d : tensor<64x96xf32>) {
  ^bb0(%p: i8, %q: f32, %o: f32):
    %f = arith.sitofp %p : i8 to f32
    %r = arith.mulf %f, %q : f32
    linalg.yield %r : f32
  } -> tensor<64x96xf32>
  %x = tw.set_encoding ins(%c : tensor<64x96xf32>) outs(%e : tensor<64x96xf32, #rhs>) -> tensor<64x96xf32, #rhs>
  return %x : tensor<64x96xf32, #rhs>
}

// Of results alike: the product is unset before it, and what comes of it is set anew.
// CHECK-LABEL: func.func @size_of_one_behind(
// CHECK:         %[[U:.*]] = tw.unset_encoding
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} ins(%[[U]], %{{.*}} : tensor<128x96xf32>, tensor<1x96xf32>)
// CHECK:         tw.set_encoding ins(%[[R]] :
// PACKED-LABEL: func.func @size_of_one_behind(
// PACKED:         linalg.unpack
// PACKED:         linalg.generic
// PACKED:         linalg.pack
func.func @size_of_one_behind(%a: tensor<128x96xf32, #out>, %s: tensor<1x96xf32>) -> tensor<128x96xf32, #out> {
  %d = tensor.empty() : tensor<128x96xf32>
  %e = tensor.empty() : tensor<128x96xf32, #out>
  %u = tw.unset_encoding ins(%a : tensor<128x96xf32, #out>) outs(%d : tensor<128x96xf32>) -> tensor<128x96xf32>
  %c = linalg.generic {indexing_maps = [#all, #first, #all], iterator_types = ["parallel", "parallel"]}
      ins(%u, %s : tensor<128x96xf32>, tensor<1x96xf32>) outs(%d : tensor<128x96xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %r = arith.mulf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<128x96xf32>
  %x = tw.set_encoding ins(%c : tensor<128x96xf32>) outs(%e : tensor<128x96xf32, #out>) -> tensor<128x96xf32, #out>
  return %x : tensor<128x96xf32, #out>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#rhs = #tw.encoding<rhs, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 96, 64]>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 96, 64]>

// 2. A sum that is an operand: four times as much would be set for it as of it (`reduction_pack_transpose_inner_dims`). Sums of results are done.
// CHECK-LABEL: func.func @sum_for_operand(
// CHECK:         %[[S:.*]] = linalg.generic {{.*}} ins(%{{.*}} : tensor<64x96x4xf32>) outs(%{{.*}} : tensor<64x96xf32>)
// CHECK:         tw.set_encoding ins(%[[S]] :
// PACKED-LABEL: func.func @sum_for_operand(
// PACKED:         linalg.generic
// PACKED:         linalg.pack {{.*}} -> tensor<3x64x32x1xf32>
func.func @sum_for_operand(%w: tensor<64x96x4xf32>) -> tensor<64x96xf32, #rhs> {
  %zero = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<64x96xf32>
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<64x96xf32>) -> tensor<64x96xf32>
  %e = tensor.empty() : tensor<64x96xf32, #rhs>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%w : tensor<64x96x4xf32>) outs(%z : tensor<64x96xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = arith.addf %p, %o : f32
    linalg.yield %r : f32
  } -> tensor<64x96xf32>
  %x = tw.set_encoding ins(%c : tensor<64x96xf32>) outs(%e : tensor<64x96xf32, #rhs>) -> tensor<64x96xf32, #rhs>
  return %x : tensor<64x96xf32, #rhs>
}

// CHECK-LABEL: func.func @sum_of_result(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<128x96xf32, #{{.*}}>
// CHECK:         linalg.generic {{.*}} ins(%[[A]] : tensor<128x96xf32, #{{.*}}>) outs(%{{.*}} : tensor<128xf32, #{{.*}}>)
// PACKED-LABEL: func.func @sum_of_result(
// PACKED-NOT:     linalg.unpack {{.*}} -> tensor<128x96xf32>
// PACKED:         return
func.func @sum_of_result(%a: tensor<128x96xf32, #out>) -> tensor<128xf32> {
  %zero = arith.constant 0.0 : f32
  %d = tensor.empty() : tensor<128x96xf32>
  %f = tensor.empty() : tensor<128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%f : tensor<128xf32>) -> tensor<128xf32>
  %u = tw.unset_encoding ins(%a : tensor<128x96xf32, #out>) outs(%d : tensor<128x96xf32>) -> tensor<128x96xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%u : tensor<128x96xf32>) outs(%z : tensor<128xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = arith.addf %p, %o : f32
    linalg.yield %r : f32
  } -> tensor<128xf32>
  return %c : tensor<128xf32>
}

// Windows of a product reach from one tile into the next.
// CHECK-LABEL: func.func @pooled(
// CHECK:         %[[U:.*]] = tw.unset_encoding
// CHECK:         linalg.generic {{.*}} ins(%[[U]], %{{.*}} : tensor<128x96xf32>, tensor<4xf32>)
// PACKED-LABEL: func.func @pooled(
// PACKED:         linalg.unpack {{.*}} -> tensor<128x96xf32>
// PACKED:         linalg.generic {{.*}} ins(%{{.*}} : tensor<128x96xf32>, tensor<4xf32>)
func.func @pooled(%a: tensor<128x96xf32, #out>) -> tensor<125x96xf32> {
  %least = arith.constant 0xFF800000 : f32
  %d = tensor.empty() : tensor<128x96xf32>
  %window = tensor.empty() : tensor<4xf32>
  %f = tensor.empty() : tensor<125x96xf32>
  %z = linalg.fill ins(%least : f32) outs(%f : tensor<125x96xf32>) -> tensor<125x96xf32>
  %u = tw.unset_encoding ins(%a : tensor<128x96xf32, #out>) outs(%d : tensor<128x96xf32>) -> tensor<128x96xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j, w) -> (i + w, j)>, affine_map<(i, j, w) -> (w)>, affine_map<(i, j, w) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%u, %window : tensor<128x96xf32>, tensor<4xf32>) outs(%z : tensor<125x96xf32>) {
  ^bb0(%p: f32, %w: f32, %o: f32):
    %r = arith.maximumf %p, %o : f32
    linalg.yield %r : f32
  } -> tensor<125x96xf32>
  return %c : tensor<125x96xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 96, 64]>
#part = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [30, 96, 64]>

// 3. A part that takes tiles apart, and what is computed of it: upstream computes it of everything and takes the part of the result, so that the slice is
// behind (`push_extract_through_generic`). That is four times the work here; the part is taken of what is unset.
// CHECK-LABEL: func.func @part_of_tiles(
// CHECK:         %[[U:.*]] = tw.unset_encoding
// CHECK:         %[[S:.*]] = tensor.extract_slice %[[U]][33, 0] [30, 96] [1, 1]
// CHECK:         %[[E:.*]] = linalg.generic {{.*}} ins(%[[S]] : tensor<30x96xf32>)
// CHECK:         tw.set_encoding ins(%[[E]] :
// PACKED-LABEL: func.func @part_of_tiles(
// PACKED:         linalg.unpack
// PACKED:         tensor.extract_slice
// PACKED:         linalg.generic
// PACKED:         linalg.pack
func.func @part_of_tiles(%a: tensor<128x96xf32, #out>) -> tensor<30x96xf32, #part> {
  %d = tensor.empty() : tensor<128x96xf32>
  %f = tensor.empty() : tensor<30x96xf32>
  %e = tensor.empty() : tensor<30x96xf32, #part>
  %u = tw.unset_encoding ins(%a : tensor<128x96xf32, #out>) outs(%d : tensor<128x96xf32>) -> tensor<128x96xf32>
  %s = tensor.extract_slice %u[33, 0] [30, 96] [1, 1] : tensor<128x96xf32> to tensor<30x96xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<30x96xf32>) outs(%f : tensor<30x96xf32>) {
  ^bb0(%p: f32, %o: f32):
    %r = math.exp %p : f32
    linalg.yield %r : f32
  } -> tensor<30x96xf32>
  %x = tw.set_encoding ins(%c : tensor<30x96xf32>) outs(%e : tensor<30x96xf32, #part>) -> tensor<30x96xf32, #part>
  return %x : tensor<30x96xf32, #part>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#out = #tw.encoding<out, types = [f32, f32, f32], maps = [#mk, #kn, #mn], sizes = [128, 96, 64]>

// 4. State that is stored packed between calls: an instance holds it as the model wrote it, since its first value, a reset and other functions know no tiles.
// What a private function is handed is encoded.
// CHECK-LABEL: func.func @state(
// CHECK-SAME:    %[[H:.*]]: tensor<128x96xf32> {tw.state = 0 : i64}, %{{.*}}: tensor<128x96xf32, #{{.*}}>) -> (tensor<128x96xf32> {tw.state = 0 : i64})
// CHECK:         %[[U:.*]] = tw.unset_encoding
// CHECK:         linalg.generic {{.*}} ins(%[[H]], %[[U]] : tensor<128x96xf32>, tensor<128x96xf32>)
// PACKED-LABEL: func.func @state(
// PACKED:         linalg.unpack {{.*}} -> tensor<128x96xf32>
module attributes {tw.states = [["h", tensor<128x96xf32>]]} {
  func.func @state(%h: tensor<128x96xf32> {tw.state = 0 : i64}, %a: tensor<128x96xf32, #out>) -> (tensor<128x96xf32> {tw.state = 0 : i64}) {
    %d = tensor.empty() : tensor<128x96xf32>
    %u = tw.unset_encoding ins(%a : tensor<128x96xf32, #out>) outs(%d : tensor<128x96xf32>) -> tensor<128x96xf32>
    %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%h, %u : tensor<128x96xf32>, tensor<128x96xf32>) outs(%d : tensor<128x96xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %r = arith.addf %p, %q : f32
      linalg.yield %r : f32
    } -> tensor<128x96xf32>
    return %c : tensor<128x96xf32>
  }
}
