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
