// RUN: tw-opt %s --tw-assign-devices=devices=host=x86_64,gpu=amdgpu:gfx942 --tw-lower-device-packs --canonicalize | FileCheck %s

// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
#ji = affine_map<(i, j) -> (j, i)>

// What is computed for a pack alone is computed where it packs, of what is unpacked there: one operation.
// CHECK-LABEL: func.func @between(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x16x16xf32>, %[[B:.*]]: tensor<40xf32>
// CHECK-NOT:     linalg.pack
// CHECK:         linalg.generic
// CHECK-SAME:      outs(%{{.*}} : tensor<4x10x8x4xf32>)
// CHECK-NOT:       tw.dispatch
// CHECK:           %[[I:.*]] = arith.addi
// CHECK:           %[[J:.*]] = arith.addi
// CHECK:           %[[A:.*]] = tensor.extract %[[X]][%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] : tensor<2x3x16x16xf32>
// CHECK:           %[[C:.*]] = tensor.extract %[[B]][%[[J]]] : tensor<40xf32>
// CHECK:           arith.index_cast %[[I]] : index to i32
// CHECK:           %[[S:.*]] = arith.addf %[[A]], %[[C]]
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @between(%x: tensor<2x3x16x16xf32>, %b: tensor<40xf32>) -> tensor<4x10x8x4xf32> {
  %e = tensor.empty() : tensor<32x40xf32>
  %m = linalg.unpack %x outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [16, 16]
      into %e : tensor<2x3x16x16xf32> -> tensor<32x40xf32>
  %r = linalg.generic {indexing_maps = [#ij, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%m, %b : tensor<32x40xf32>, tensor<40xf32>) outs(%e : tensor<32x40xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %s = arith.addf %a, %c : f32
    %f = arith.sitofp %n : i32 to f32
    %t = arith.mulf %s, %f : f32
    linalg.yield %t : f32
  } -> tensor<32x40xf32>
  %d = tensor.empty() : tensor<4x10x8x4xf32>
  %p = linalg.pack %r outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [8, 4]
      into %d : tensor<32x40xf32> -> tensor<4x10x8x4xf32>
  return %p : tensor<4x10x8x4xf32>
}

// So is what only moves elements.
// CHECK-LABEL: func.func @moved(
// CHECK-SAME:    %[[X:.*]]: tensor<16xf32>
// CHECK:         linalg.generic
// CHECK:           tensor.extract %[[X]][%{{.*}}] : tensor<16xf32>
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @moved(%x: tensor<16xf32>) -> tensor<4x4x8x4xf32> {
  %e = tensor.empty() : tensor<32x16xf32>
  %r = linalg.broadcast ins(%x : tensor<16xf32>) outs(%e : tensor<32x16xf32>) dimensions = [0]
  %d = tensor.empty() : tensor<4x4x8x4xf32>
  %p = linalg.pack %r outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [8, 4]
      into %d : tensor<32x16xf32> -> tensor<4x4x8x4xf32>
  return %p : tensor<4x4x8x4xf32>
}

// What something else wants, too, is computed once; it is computed where it is unpacked.
// CHECK-LABEL: func.func @several(
// CHECK-SAME:    %[[X:.*]]: tensor<2x2x16x16xf32>, %[[Y:.*]]: tensor<2x2x16x16xf32>
// CHECK:         %[[R:.*]] = linalg.generic
// CHECK-DAG:       tensor.extract %[[X]]
// CHECK-DAG:       tensor.extract %[[Y]]
// CHECK:           arith.addf
// CHECK:         linalg.generic
// CHECK-SAME:      tw.dispatch = "pack"
// CHECK:           tensor.extract %[[R]]
// CHECK-NOT:     linalg.generic
// CHECK:         return %[[R]]
func.func @several(%x: tensor<2x2x16x16xf32>, %y: tensor<2x2x16x16xf32>) -> (tensor<32x32xf32>, tensor<4x8x8x4xf32>) {
  %e = tensor.empty() : tensor<32x32xf32>
  %m = linalg.unpack %x outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [16, 16]
      into %e : tensor<2x2x16x16xf32> -> tensor<32x32xf32>
  %n = linalg.unpack %y outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [16, 16]
      into %e : tensor<2x2x16x16xf32> -> tensor<32x32xf32>
  %r = linalg.generic {indexing_maps = [#ij, #ji, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%m, %n : tensor<32x32xf32>, tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<32x32xf32>
  %d = tensor.empty() : tensor<4x8x8x4xf32>
  %p = linalg.pack %r outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [8, 4]
      into %d : tensor<32x32xf32> -> tensor<4x8x8x4xf32>
  return %r, %p : tensor<32x32xf32>, tensor<4x8x8x4xf32>
}

// A vector that is broadcast is computed once, not for each row.
// CHECK-LABEL: func.func @broadcast(
// CHECK:         %[[V:.*]] = linalg.exp
// CHECK:         linalg.generic
// CHECK:           tensor.extract %[[V]][%{{.*}}] : tensor<16xf32>
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @broadcast(%x: tensor<16xf32>) -> tensor<4x4x8x4xf32> {
  %v = tensor.empty() : tensor<16xf32>
  %exp = linalg.exp ins(%x : tensor<16xf32>) outs(%v : tensor<16xf32>) -> tensor<16xf32>
  %e = tensor.empty() : tensor<32x16xf32>
  %r = linalg.broadcast ins(%exp : tensor<16xf32>) outs(%e : tensor<32x16xf32>) dimensions = [0]
  %d = tensor.empty() : tensor<4x4x8x4xf32>
  %p = linalg.pack %r outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [8, 4]
      into %d : tensor<32x16xf32> -> tensor<4x4x8x4xf32>
  return %p : tensor<4x4x8x4xf32>
}

// The host's work stays where it is, and so do sums, and what writes over something.
// CHECK-LABEL: func.func @others(
// CHECK:         linalg.generic
// CHECK-SAME:      tw.dispatch = "unpack"
// CHECK:         linalg.generic
// CHECK-SAME:      tw.device = "host"
// CHECK:         linalg.generic
// CHECK-SAME:      tw.dispatch = "pack"
// CHECK:         linalg.generic
// CHECK-NOT:       tw.dispatch
// CHECK:         linalg.generic
// CHECK-SAME:      tw.dispatch = "pack"
func.func @others(%x: tensor<2x2x16x16xf32>, %y: tensor<32x32xf32>, %z: tensor<32x32xf32>) -> (tensor<4x8x8x4xf32>, tensor<4x8x8x4xf32>) {
  %e = tensor.empty() : tensor<32x32xf32>
  %m = linalg.unpack %x outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [16, 16]
      into %e : tensor<2x2x16x16xf32> -> tensor<32x32xf32>
  %r = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%m : tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) attrs = {tw.device = "host"} {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<32x32xf32>
  %d = tensor.empty() : tensor<4x8x8x4xf32>
  %p = linalg.pack %r outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [8, 4]
      into %d : tensor<32x32xf32> -> tensor<4x8x8x4xf32>
  %t = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<32x32xf32>) outs(%z : tensor<32x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<32x32xf32>
  %q = linalg.pack %t outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [8, 4]
      into %d : tensor<32x32xf32> -> tensor<4x8x8x4xf32>
  return %p, %q : tensor<4x8x8x4xf32>, tensor<4x8x8x4xf32>
}

// Branches come along.
// CHECK-LABEL: func.func @branches(
// CHECK:         linalg.generic
// CHECK-NOT:       tw.dispatch
// CHECK:           %[[I:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK:           %[[J:.*]] = arith.addi %{{.*}}, %{{.*}} : index
// CHECK:           scf.if
// CHECK:             tensor.extract %{{.*}}[%[[J]], %[[I]]]
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @branches(%x: tensor<32x32xf32>, %e: tensor<32x32xf32>) -> tensor<4x8x8x4xf32> {
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %m = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<32x32xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %inside = arith.cmpi ult, %i, %c16 : index
    %s = scf.if %inside -> (f32) {
      %a = tensor.extract %x[%j, %i] : tensor<32x32xf32>
      scf.yield %a : f32
    } else {
      scf.yield %zero : f32
    }
    linalg.yield %s : f32
  } -> tensor<32x32xf32>
  %d = tensor.empty() : tensor<4x8x8x4xf32>
  %p = linalg.pack %m outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [8, 4]
      into %d : tensor<32x32xf32> -> tensor<4x8x8x4xf32>
  return %p : tensor<4x8x8x4xf32>
}

// Heads of a transformer: rows are unpacked, taken apart, moved, scaled and packed for the next product, in one operation.
// CHECK-LABEL: func.func @heads(
// CHECK-SAME:    %[[X:.*]]: tensor<?x6x64x64xf32>, %[[ROWS:.*]]: index
// CHECK-NOT:     tensor.expand_shape
// CHECK-NOT:     linalg.transpose
// CHECK:         linalg.generic
// CHECK-SAME:      tensor<24x?x4x64x8xf32>
// CHECK:           arith.cmpi slt
// CHECK:           tensor.extract %[[X]]
// CHECK:           arith.mulf
// CHECK:           arith.select
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @heads(%x: tensor<?x6x64x64xf32>, %rows: index, %d: tensor<24x?x4x64x8xf32>) -> tensor<24x?x4x64x8xf32> {
  %s = arith.constant 0.25 : f32
  %zero = arith.constant 0.0 : f32
  %c2 = arith.constant 2 : index
  %length = arith.divui %rows, %c2 : index
  %e = tensor.empty(%rows) : tensor<?x384xf32>
  %m = linalg.unpack %x outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [64, 64]
      into %e : tensor<?x6x64x64xf32> -> tensor<?x384xf32>
  %h = tensor.expand_shape %m [[0, 1], [2, 3]] output_shape [2, %length, 12, 32]
      : tensor<?x384xf32> into tensor<2x?x12x32xf32>
  %te = tensor.empty(%length) : tensor<2x12x?x32xf32>
  %t = linalg.transpose ins(%h : tensor<2x?x12x32xf32>) outs(%te : tensor<2x12x?x32xf32>) permutation = [0, 2, 1, 3]
  %g = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%t : tensor<2x12x?x32xf32>) outs(%te : tensor<2x12x?x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %s : f32
    linalg.yield %q : f32
  } -> tensor<2x12x?x32xf32>
  %k = tensor.collapse_shape %g [[0, 1], [2], [3]] : tensor<2x12x?x32xf32> into tensor<24x?x32xf32>
  %p = linalg.pack %k padding_value(%zero : f32) outer_dims_perm = [0, 1, 2] inner_dims_pos = [1, 2] inner_tiles = [64, 8]
      into %d : tensor<24x?x32xf32> -> tensor<24x?x4x64x8xf32>
  return %p : tensor<24x?x4x64x8xf32>
}

// A sum reads what is unpacked for it, and so does what goes on from both: nobody writes the matrix. The sum's loop has no
// tensor left that says how long it is; an empty one does.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[X:.*]]: tensor<2x3x16x16xf32>, %[[B:.*]]: tensor<32x40xf32>
// CHECK:         linalg.generic
// CHECK-SAME:      "parallel", "reduction"
// CHECK-SAME:      ins(%[[B]] : tensor<32x40xf32>)
// CHECK:           tensor.extract %[[X]]
// CHECK:         %[[LOOPS:.*]] = tensor.empty() : tensor<40xi8>
// CHECK:         linalg.generic
// CHECK-SAME:      "parallel", "reduction"
// CHECK-SAME:      ins(%[[LOOPS]] : tensor<40xi8>)
// CHECK:           tensor.extract %[[X]]
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @rows(%x: tensor<2x3x16x16xf32>, %b: tensor<32x40xf32>, %v: tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>) {
  %e = tensor.empty() : tensor<32x40xf32>
  %m = linalg.unpack %x outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [16, 16]
      into %e : tensor<2x3x16x16xf32> -> tensor<32x40xf32>
  %r = linalg.generic {indexing_maps = [#ij, #ij, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%m, %b : tensor<32x40xf32>, tensor<32x40xf32>) outs(%v : tensor<32xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %q = arith.mulf %a, %c : f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<32xf32>
  %t = linalg.generic {indexing_maps = [#ij, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%m : tensor<32x40xf32>) outs(%v : tensor<32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.maximumf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<32xf32>
  return %r, %t : tensor<32xf32>, tensor<32xf32>
}

// What two operations read is computed by both where that reads less than writing it and reading it again; not what is computed
// of many tensors.
// CHECK-LABEL: func.func @readers(
// CHECK:         %[[MANY:.*]] = linalg.generic
// CHECK-SAME:      ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} :
// CHECK-COUNT-2: math.exp
// CHECK-COUNT-2: tensor.extract %[[MANY]]
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @readers(%x: tensor<32x32xf32>, %y: tensor<32x32xf32>, %z: tensor<32x32xf32>, %w: tensor<32x32xf32>, %d: tensor<4x8x8x4xf32>, %f: tensor<8x8x4x4xf32>)
    -> (tensor<4x8x8x4xf32>, tensor<8x8x4x4xf32>, tensor<4x8x8x4xf32>, tensor<8x8x4x4xf32>) {
  %e = tensor.empty() : tensor<32x32xf32>
  %one = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = math.exp %a : f32
    linalg.yield %s : f32
  } -> tensor<32x32xf32>
  %many = linalg.generic {indexing_maps = [#ij, #ij, #ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %y, %z, %w : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) outs(%e : tensor<32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %g: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.addf %c, %g : f32
    %u = arith.addf %s, %t : f32
    linalg.yield %u : f32
  } -> tensor<32x32xf32>
  %p = linalg.pack %one outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [8, 4] into %d : tensor<32x32xf32> -> tensor<4x8x8x4xf32>
  %q = linalg.pack %one outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %f : tensor<32x32xf32> -> tensor<8x8x4x4xf32>
  %r = linalg.pack %many outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [8, 4] into %d : tensor<32x32xf32> -> tensor<4x8x8x4xf32>
  %s = linalg.pack %many outer_dims_perm = [0, 1] inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %f : tensor<32x32xf32> -> tensor<8x8x4x4xf32>
  return %p, %q, %r, %s : tensor<4x8x8x4xf32>, tensor<8x8x4x4xf32>, tensor<4x8x8x4xf32>, tensor<8x8x4x4xf32>
}
