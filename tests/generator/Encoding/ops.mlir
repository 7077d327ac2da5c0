// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --split-input-file | tw-opt --split-input-file | FileCheck %s
// RUN: tw-opt %s --split-input-file --mlir-print-op-generic | tw-opt --split-input-file | FileCheck %s
// RUN: tw-opt %s --split-input-file --canonicalize | FileCheck %s --check-prefix=FOLDED

#lhs = #tw.encoding<lhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 96, 64]>
#layout = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [12, 1]>

// Sizes may be known on one side only.
// CHECK-LABEL: func.func @ops(
// CHECK-SAME: %[[X:.*]]: tensor<?x64xf32>, %[[E:.*]]: tensor<?x?xf32, #lhs>, %[[L:.*]]: tensor<4x64xf32, #layout>, %[[D:.*]]: tensor<4x?xf32>
// CHECK-NEXT: %[[SET:.*]] = tw.set_encoding ins(%[[X]] : tensor<?x64xf32>) outs(%[[E]] : tensor<?x?xf32, #lhs>) -> tensor<?x?xf32, #lhs>
// CHECK-NEXT: %[[MOVED:.*]] = tw.relayout ins(%[[SET]] : tensor<?x?xf32, #lhs>) outs(%[[L]] : tensor<4x64xf32, #layout>) {note} -> tensor<4x64xf32, #layout>
// CHECK-NEXT: %[[UNSET:.*]] = tw.unset_encoding ins(%[[MOVED]] : tensor<4x64xf32, #layout>) outs(%[[D]] : tensor<4x?xf32>) -> tensor<4x?xf32>
// CHECK-NEXT: return %[[UNSET]]
// FOLDED-LABEL: func.func @ops(
// FOLDED: tw.set_encoding
// FOLDED: tw.relayout
// FOLDED: tw.unset_encoding
func.func @ops(%x: tensor<?x64xf32>, %e: tensor<?x?xf32, #lhs>, %l: tensor<4x64xf32, #layout>, %d: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %set = tw.set_encoding ins(%x : tensor<?x64xf32>) outs(%e : tensor<?x?xf32, #lhs>) -> tensor<?x?xf32, #lhs>
  %moved = tw.relayout ins(%set : tensor<?x?xf32, #lhs>) outs(%l : tensor<4x64xf32, #layout>) {note} -> tensor<4x64xf32, #layout>
  %unset = tw.unset_encoding ins(%moved : tensor<4x64xf32, #layout>) outs(%d : tensor<4x?xf32>) -> tensor<4x?xf32>
  return %unset : tensor<4x?xf32>
}

// CHECK-LABEL: func.func @packed(
// CHECK-SAME: %[[P:.*]]: tensor<1x64x12x1xf32>)
// CHECK-NEXT: %[[E:.*]] = tw.from_packed %[[P]] : tensor<1x64x12x1xf32> -> tensor<4x64xf32, #layout>
// CHECK-NEXT: %[[BACK:.*]] = tw.to_packed %[[E]] : tensor<4x64xf32, #layout> -> tensor<1x64x12x1xf32>
// CHECK-NEXT: return %[[BACK]]
func.func @packed(%p: tensor<1x64x12x1xf32>) -> tensor<1x64x12x1xf32> {
  %e = tw.from_packed %p : tensor<1x64x12x1xf32> -> tensor<4x64xf32, #layout>
  %back = tw.to_packed %e : tensor<4x64xf32, #layout> -> tensor<1x64x12x1xf32>
  return %back : tensor<1x64x12x1xf32>
}

// CHECK-LABEL: func.func @sizes(
// CHECK: tw.encoding_size tensor<?x?xf32, #lhs>(%{{.*}}, %{{.*}}) {note} : index
// CHECK: tw.encoding_size tensor<4x64xf32, #lhs>() : index
func.func @sizes(%m: index, %k: index) -> (index, index) {
  %0 = tw.encoding_size tensor<?x?xf32, #lhs> (%m, %k) {note} : index
  %1 = tw.encoding_size tensor<4x64xf32, #lhs> () : index
  return %0, %1 : index, index
}

// -----

// One in another, of several results and of none; what does nothing vanishes.
// CHECK-LABEL: func.func @regions(
// CHECK: %[[R:.*]]:2 = tw.dispatch_region {
// CHECK-NEXT:  %[[I:.*]] = tw.dispatch_region {
// CHECK-NEXT:    tw.yield %{{.*}} : tensor<?xf32>
// CHECK-NEXT:  } {note} : tensor<?xf32>
// CHECK-NEXT:  tw.yield %[[I]], %{{.*}} : tensor<?xf32>, tensor<4xi8>
// CHECK-NEXT: } : tensor<?xf32>, tensor<4xi8>
// CHECK-NEXT: tw.dispatch_region {
// CHECK-NEXT:   tw.yield{{$}}
// CHECK-NEXT: }
// CHECK-NEXT: return %[[R]]#0, %[[R]]#1
// FOLDED-LABEL: func.func @regions(
// FOLDED-COUNT-2: tw.dispatch_region
// FOLDED-NOT: tw.dispatch_region
func.func @regions(%x: tensor<?xf32>, %y: tensor<4xi8>) -> (tensor<?xf32>, tensor<4xi8>) {
  %r:2 = tw.dispatch_region {
    %i = tw.dispatch_region {
      tw.yield %x : tensor<?xf32>
    } {note} : tensor<?xf32>
    tw.yield %i, %y : tensor<?xf32>, tensor<4xi8>
  } : tensor<?xf32>, tensor<4xi8>
  tw.dispatch_region {
    tw.yield
  }
  return %r#0, %r#1 : tensor<?xf32>, tensor<4xi8>
}

// -----

#layout = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [12, 1]>

// What was set, of the same type, is what it was set of.
// FOLDED-LABEL: func.func @unset(
// FOLDED-SAME: %[[X:[a-z0-9]*]]: tensor<?x64xf32>
// FOLDED-NOT: tw.
// FOLDED: return %[[X]]
func.func @unset(%x: tensor<?x64xf32>, %e: tensor<?x?xf32, #layout>, %d: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = tw.set_encoding ins(%x : tensor<?x64xf32>) outs(%e : tensor<?x?xf32, #layout>) -> tensor<?x?xf32, #layout>
  %1 = tw.unset_encoding ins(%0 : tensor<?x?xf32, #layout>) outs(%d : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %1 : tensor<?x64xf32>
}

// FOLDED-LABEL: func.func @unset_to_another_type(
// FOLDED: tw.set_encoding
// FOLDED: tw.unset_encoding
func.func @unset_to_another_type(%x: tensor<?x64xf32>, %e: tensor<?x64xf32, #layout>, %d: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %0 = tw.set_encoding ins(%x : tensor<?x64xf32>) outs(%e : tensor<?x64xf32, #layout>) -> tensor<?x64xf32, #layout>
  %1 = tw.unset_encoding ins(%0 : tensor<?x64xf32, #layout>) outs(%d : tensor<4x64xf32>) -> tensor<4x64xf32>
  return %1 : tensor<4x64xf32>
}

// Whether that saves anything tw-fold-encodings knows.
// FOLDED-LABEL: func.func @set_of_unset(
// FOLDED: tw.unset_encoding
// FOLDED: tw.set_encoding
func.func @set_of_unset(%x: tensor<4x64xf32, #layout>, %d: tensor<4x64xf32>) -> tensor<4x64xf32, #layout> {
  %0 = tw.unset_encoding ins(%x : tensor<4x64xf32, #layout>) outs(%d : tensor<4x64xf32>) -> tensor<4x64xf32>
  %1 = tw.set_encoding ins(%0 : tensor<4x64xf32>) outs(%x : tensor<4x64xf32, #layout>) -> tensor<4x64xf32, #layout>
  return %1 : tensor<4x64xf32, #layout>
}

// -----

#a = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [12, 1]>
#b = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [16, 1]>
#c = #tw.layout<identity>

// FOLDED-LABEL: func.func @relayout_to_the_same(
// FOLDED-SAME: %[[X:[a-z0-9]*]]: tensor<?x64xf32, #{{.*}}>, %{{.*}}:
// FOLDED-NEXT: return %[[X]]
func.func @relayout_to_the_same(%x: tensor<?x64xf32, #a>, %d: tensor<?x64xf32, #a>) -> tensor<?x64xf32, #a> {
  %0 = tw.relayout ins(%x : tensor<?x64xf32, #a>) outs(%d : tensor<?x64xf32, #a>) -> tensor<?x64xf32, #a>
  return %0 : tensor<?x64xf32, #a>
}

// FOLDED-LABEL: func.func @relayout_and_back(
// FOLDED-SAME: %[[X:[a-z0-9]*]]: tensor<?x64xf32, #{{.*}}>, %{{.*}}:
// FOLDED-NEXT: return %[[X]]
func.func @relayout_and_back(%x: tensor<?x64xf32, #a>, %d: tensor<?x64xf32, #b>, %e: tensor<?x64xf32, #a>) -> tensor<?x64xf32, #a> {
  %0 = tw.relayout ins(%x : tensor<?x64xf32, #a>) outs(%d : tensor<?x64xf32, #b>) -> tensor<?x64xf32, #b>
  %1 = tw.relayout ins(%0 : tensor<?x64xf32, #b>) outs(%e : tensor<?x64xf32, #a>) -> tensor<?x64xf32, #a>
  return %1 : tensor<?x64xf32, #a>
}

// An encoding may be another layout on each device: of what one writes and
// another reads.
// FOLDED-LABEL: func.func @relayout_of_encodings(
// FOLDED-COUNT-2: tw.relayout
#lhs = #tw.encoding<lhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 96, 64]>
func.func @relayout_of_encodings(%x: tensor<?x64xf32, #lhs>, %d: tensor<?x64xf32, #a>) -> (tensor<?x64xf32, #lhs>, tensor<?x64xf32, #lhs>) {
  %0 = tw.relayout ins(%x : tensor<?x64xf32, #lhs>) outs(%x : tensor<?x64xf32, #lhs>) -> tensor<?x64xf32, #lhs>
  %1 = tw.relayout ins(%0 : tensor<?x64xf32, #lhs>) outs(%x : tensor<?x64xf32, #lhs>) -> tensor<?x64xf32, #lhs>
  return %0, %1 : tensor<?x64xf32, #lhs>, tensor<?x64xf32, #lhs>
}

// Neither to a third one, nor to what knows other sizes, nor to an identity,
// which lies as without but is an encoding.
// FOLDED-LABEL: func.func @relayouts(
// FOLDED-COUNT-4: tw.relayout
func.func @relayouts(%x: tensor<?x64xf32, #a>, %d: tensor<?x64xf32, #b>, %e: tensor<?x64xf32, #c>, %f: tensor<4x64xf32, #a>) -> (tensor<?x64xf32, #c>, tensor<4x64xf32, #a>, tensor<?x64xf32, #c>) {
  %0 = tw.relayout ins(%x : tensor<?x64xf32, #a>) outs(%d : tensor<?x64xf32, #b>) -> tensor<?x64xf32, #b>
  %1 = tw.relayout ins(%0 : tensor<?x64xf32, #b>) outs(%e : tensor<?x64xf32, #c>) -> tensor<?x64xf32, #c>
  %2 = tw.relayout ins(%x : tensor<?x64xf32, #a>) outs(%f : tensor<4x64xf32, #a>) -> tensor<4x64xf32, #a>
  %3 = tw.relayout ins(%x : tensor<?x64xf32, #a>) outs(%e : tensor<?x64xf32, #c>) -> tensor<?x64xf32, #c>
  return %1, %2, %3 : tensor<?x64xf32, #c>, tensor<4x64xf32, #a>, tensor<?x64xf32, #c>
}

// -----

#panels = #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [32, 2]>
#swizzled = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [16, 64], swizzle = [[16], [16, 4]] perm [1, 0, 2]>
#rows = #tw.layout<outer = [0, 1], inner = [0], tiles = [8]>

// Sizes that are known, with what fills up the last tiles: 4 panels of 32 over
// 100 columns, 3 tiles of 2 over 5 rows, of 4 bytes.
// FOLDED-LABEL: func.func @known_sizes(
// FOLDED-DAG: %[[PANELS:.*]] = arith.constant 3072 : index
// FOLDED-DAG: %[[SWIZZLED:.*]] = arith.constant 4096 : index
// FOLDED-DAG: %[[ROWS:.*]] = arith.constant 112 : index
// FOLDED: return %[[PANELS]], %[[PANELS]], %[[SWIZZLED]], %[[ROWS]]
func.func @known_sizes() -> (index, index, index, index) {
  %n = arith.constant 100 : index
  %0 = tw.encoding_size tensor<5x100xf32, #panels> () : index
  %1 = tw.encoding_size tensor<5x?xf32, #panels> (%n) : index
  %2 = tw.encoding_size tensor<17x?xi8, #swizzled> (%n) : index
  %3 = tw.encoding_size tensor<9x7xi1, #rows> () : index
  return %0, %1, %2, %3 : index, index, index, index
}

#plain = #tw.layout<identity>

// Elements take whole bytes, an index a word.
// FOLDED-LABEL: func.func @elements(
// FOLDED-DAG: %[[BYTES:.*]] = arith.constant 15 : index
// FOLDED-DAG: %[[WORDS:.*]] = arith.constant 120 : index
// FOLDED-DAG: %[[TWO:.*]] = arith.constant 30 : index
// FOLDED-DAG: %[[NONE:.*]] = arith.constant 0 : index
// FOLDED: return %[[BYTES]], %[[BYTES]], %[[WORDS]], %[[TWO]], %[[NONE]]
func.func @elements() -> (index, index, index, index, index) {
  %0 = tw.encoding_size tensor<3x5xi1, #plain> () : index
  %1 = tw.encoding_size tensor<3x5xi4, #plain> () : index
  %2 = tw.encoding_size tensor<3x5xindex, #plain> () : index
  %3 = tw.encoding_size tensor<3x5xbf16, #plain> () : index
  %4 = tw.encoding_size tensor<0x5xf32, #panels> () : index
  return %0, %1, %2, %3, %4 : index, index, index, index, index
}

#lhs = #tw.encoding<lhs, types = [f32, f32, f32],
  maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, ?, ?]>
#scalable = #tw.layout<outer = [0, 1], inner = [0, 1], tiles = [1, [4]]>

// A size that is not known, less than none, or more bytes than fit; encodings,
// which say nothing of bytes; tiles whose size the program knows where it runs.
// FOLDED-LABEL: func.func @unknown_sizes(
// FOLDED-COUNT-6: tw.encoding_size
func.func @unknown_sizes(%n: index) -> (index, index, index, index, index, index) {
  %negative = arith.constant -5 : index
  %huge = arith.constant 9223372036854775807 : index
  %0 = tw.encoding_size tensor<5x?xf32, #panels> (%n) : index
  %1 = tw.encoding_size tensor<5x?xf32, #panels> (%negative) : index
  %2 = tw.encoding_size tensor<5x?xf32, #panels> (%huge) : index
  %3 = tw.encoding_size tensor<5x4xf32, #lhs> () : index
  %4 = tw.encoding_size tensor<5x4xf32, #scalable> () : index
  %5 = tw.encoding_size tensor<5x?xf32, #plain> (%negative) : index
  return %0, %1, %2, %3, %4, %5 : index, index, index, index, index, index
}

// -----

// A device may want more.
module attributes {tw.devices = [#tw.device<"cpu" = "generic", memory = host>]} {
  // FOLDED-LABEL: func.func @size_on_a_device(
  // FOLDED:       tw.encoding_size
  func.func @size_on_a_device() -> index {
    %0 = tw.encoding_size tensor<5x100xf32, #tw.layout<outer = [1, 0], inner = [1, 0], tiles = [32, 2]>> () : index
    return %0 : index
  }
}
