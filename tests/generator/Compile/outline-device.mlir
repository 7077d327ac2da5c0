// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-assign-devices=devices=host=x86_64,gpu=amdgpu:gfx942 --tw-outline-dispatches --split-input-file --verify-diagnostics | FileCheck %s

// Two shapes, one function, whose sizes are all arguments; so is the value that
// the sums begin with.
// CHECK-LABEL: func.func @two_shapes(
// CHECK-NOT:     linalg
// CHECK:         tw.dispatch @reduction_0 ins(%{{.*}} : f32, tensor<4x8xf32>) outs(%{{.*}} : tensor<4xf32>) accumulates [false] -> tensor<4xf32>
// CHECK:         tw.dispatch @reduction_0 ins(%{{.*}} : f32, tensor<1x16xf32>) outs(%{{.*}} : tensor<1xf32>) accumulates [false]
// CHECK:       func.func private @reduction_0(%[[V:.*]]: f32, %[[A:.*]]: tensor<?x?xf32>, %[[B:.*]]: tensor<?xf32>) -> tensor<?xf32> attributes {tw.device = "gpu", tw.dispatch = "reduction"} {
// CHECK:         %[[FILL:.*]] = linalg.fill ins(%[[V]] : f32) outs(%[[B]] : tensor<?xf32>)
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[A]] : tensor<?x?xf32>) outs(%[[FILL]] : tensor<?xf32>)
// CHECK:         return %[[SUM]]
// CHECK-NOT:     func.func
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
func.func @two_shapes(%x: tensor<4x8xf32>, %y: tensor<1x16xf32>) -> (tensor<4xf32>, tensor<1xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ae = tensor.empty() : tensor<4xf32>
  %be = tensor.empty() : tensor<1xf32>
  %af = linalg.fill ins(%zero : f32) outs(%ae : tensor<4xf32>) -> tensor<4xf32>
  %bf = linalg.fill ins(%one : f32) outs(%be : tensor<1xf32>) -> tensor<1xf32>
  %ar = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%af : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.addf %in, %out : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %br = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<1x16xf32>) outs(%bf : tensor<1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.addf %in, %out : f32
    linalg.yield %t : f32
  } -> tensor<1xf32>
  return %ar, %br : tensor<4xf32>, tensor<1xf32>
}

// -----

// The kernel of a tile does no fill: one that it shares with a sum is the sum's,
// too, and stays a dispatch.
// CHECK-LABEL: func.func @tile(
// CHECK:         %[[F:.*]] = tw.dispatch @fill_0 ins(%{{.*}} : f32) outs(%{{.*}} : tensor<2x1x4x16xf32>) accumulates [false]
// CHECK:         tw.dispatch @mmt4d_0 ins({{.*}}) outs(%[[F]] : tensor<2x1x4x16xf32>) accumulates [true]
// CHECK:         tw.dispatch @elementwise_0 ins(%{{.*}} : f32, tensor<2x1x4x16xf32>) outs(%{{.*}} : tensor<2x1x4x16xf32>) accumulates [false]
// CHECK:       func.func private @fill_0(%{{.*}}: f32, %{{.*}}: tensor<?x?x4x16xf32>)
// CHECK:       func.func private @mmt4d_0(%{{.*}}: tensor<?x?x4x1xf32>, %{{.*}}: tensor<?x?x16x1xf32>, %{{.*}}: tensor<?x?x4x16xf32>)
// CHECK-NOT:     linalg
// CHECK:         return
// CHECK:       func.func private @elementwise_0(
// CHECK:         linalg.fill
// CHECK:         linalg.generic
#id = affine_map<(a, b, c, d) -> (a, b, c, d)>
func.func @tile(%a: tensor<2x5x4x1xf32>, %b: tensor<1x5x16x1xf32>, %c: tensor<2x1x4x16xf32>) -> (tensor<2x1x4x16xf32>, tensor<2x1x4x16xf32>) {
  %three = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<2x1x4x16xf32>
  %f = linalg.fill ins(%three : f32) outs(%e : tensor<2x1x4x16xf32>) -> tensor<2x1x4x16xf32>
  %m = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic"> indexing_maps = [
        affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %b : tensor<2x5x4x1xf32>, tensor<1x5x16x1xf32>) outs(%f : tensor<2x1x4x16xf32>) -> tensor<2x1x4x16xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%c : tensor<2x1x4x16xf32>) outs(%f : tensor<2x1x4x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.addf %in, %out : f32
    linalg.yield %t : f32
  } -> tensor<2x1x4x16xf32>
  return %m, %s : tensor<2x1x4x16xf32>, tensor<2x1x4x16xf32>
}

// -----

// What a work-item computes for what it has just summed is part of the kernel,
// also where dimensions lie in another order; the sum is the caller's, too. What
// reads the sums of other items is not.
// CHECK-LABEL: func.func @rows(
// CHECK:         %[[R:.*]]:2 = tw.dispatch @reduction_0 ins(%{{.*}} : f32, tensor<4x5x8xf32>) outs(%{{.*}}, %{{.*}} : tensor<5x4xf32>, tensor<4x5xf32>) accumulates [false, false]
// CHECK:         tw.dispatch @elementwise_0 ins(%{{.*}}, %[[R]]#1 : tensor<4x5x8xf32>, tensor<4x5xf32>)
// CHECK:       func.func private @reduction_0(
// CHECK:         %[[SUM:.*]] = linalg.generic
// CHECK:         %[[MEAN:.*]] = linalg.generic {{.*}} ins(%[[SUM]] : tensor<?x?xf32>)
// CHECK:         return %[[SUM]], %[[MEAN]]
// CHECK:       func.func private @elementwise_0(
#ijk = affine_map<(i, j, k) -> (i, j, k)>
#ji = affine_map<(i, j, k) -> (j, i)>
#in = affine_map<(i, j, k) -> (i, j)>
#pq = affine_map<(p, q) -> (p, q)>
#qp = affine_map<(p, q) -> (q, p)>
func.func @rows(%x: tensor<4x5x8xf32>) -> tensor<4x5x8xf32> {
  %zero = arith.constant 0.0 : f32
  %eight = arith.constant 8.0 : f32
  %e = tensor.empty() : tensor<5x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<5x4xf32>) -> tensor<5x4xf32>
  %sum = linalg.generic {indexing_maps = [#ijk, #ji], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<4x5x8xf32>) outs(%f : tensor<5x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.addf %in, %out : f32
    linalg.yield %t : f32
  } -> tensor<5x4xf32>
  %g = tensor.empty() : tensor<4x5xf32>
  %mean = linalg.generic {indexing_maps = [#qp, #pq], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<5x4xf32>) outs(%g : tensor<4x5xf32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.divf %in, %eight : f32
    linalg.yield %t : f32
  } -> tensor<4x5xf32>
  %h = tensor.empty() : tensor<4x5x8xf32>
  %r = linalg.generic {indexing_maps = [#ijk, #in, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %mean : tensor<4x5x8xf32>, tensor<4x5xf32>) outs(%h : tensor<4x5x8xf32>) {
  ^bb0(%in: f32, %m: f32, %out: f32):
    %t = arith.subf %in, %m : f32
    linalg.yield %t : f32
  } -> tensor<4x5x8xf32>
  return %r : tensor<4x5x8xf32>
}

// -----

// One that reads the element of another item, by its map or in its body, is a
// kernel of its own: between kernels all work-items wait for each other.
// CHECK-LABEL: func.func @others(
// CHECK:         %[[A:.*]] = tw.dispatch @exp_0
// CHECK:         tw.dispatch @elementwise_0 ins(%[[A]] : tensor<4x4xf32>)
// CHECK:         %[[B:.*]] = tw.dispatch @exp_0
// CHECK:         tw.dispatch @elementwise_1 ins(%[[B]] : tensor<4x4xf32>)
#id = affine_map<(i, j) -> (i, j)>
#tr = affine_map<(i, j) -> (j, i)>
func.func @others(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %e = tensor.empty() : tensor<4x4xf32>
  %a = linalg.exp ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = linalg.generic {indexing_maps = [#id, #tr, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %other: f32, %out: f32):
    %t = arith.addf %in, %other : f32
    linalg.yield %t : f32
  } -> tensor<4x4xf32>
  %b = linalg.exp ins(%y : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %other = tensor.extract %b[%j, %i] : tensor<4x4xf32>
    %t = arith.addf %in, %other : f32
    linalg.yield %t : f32
  } -> tensor<4x4xf32>
  return %r, %s : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// What the host does is the host's function, though the body is the same: what
// says so, and what is in a branch.
// CHECK-LABEL: func.func @host(
// CHECK:         tw.dispatch @exp_0
// CHECK:         tw.dispatch @exp_1
// CHECK:         scf.if
// CHECK:           tw.dispatch @exp_1
// CHECK:       func.func private @exp_0({{.*}} attributes {tw.device = "gpu", tw.dispatch = "exp"} {
// CHECK:       func.func private @exp_1({{.*}} attributes {tw.device = "host", tw.dispatch = "exp"} {
func.func @host(%x: tensor<8xf32>, %c: i1) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.exp {tw.device = "host"} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %d = scf.if %c -> tensor<8xf32> {
    %t = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %t : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  return %a, %b, %d : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Offsets of bodies are arguments, what these divide by is not; a size is one
// argument for each operand, whatever else is as large.
// CHECK-LABEL: func.func @constants(
// CHECK:         tw.dispatch @elementwise_0 ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : index, index, index, tensor<8xf32>)
// CHECK:         tw.dispatch @elementwise_0 ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : index, index, index, tensor<8xf32>)
// CHECK:       func.func private @elementwise_0(%[[N:.*]]: index, %[[M:.*]]: index, %[[O:.*]]: index, %{{.*}}: tensor<?xf32>, %{{.*}}: tensor<?xf32>)
// CHECK:         %[[C4:.*]] = arith.constant 4 : index
// CHECK:         linalg.generic {{.*}} ins(%[[N]], %[[M]] : index, index)
// CHECK:           arith.remui %{{.*}}, %[[C4]]
// CHECK:           arith.addi %{{.*}}, %[[O]]
#scalar = affine_map<(i) -> ()>
#v = affine_map<(i) -> (i)>
func.func @constants(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#scalar, #scalar, #v], iterator_types = ["parallel"]}
      ins(%c8, %c8 : index, index) outs(%e : tensor<8xf32>) {
  ^bb0(%n: index, %m: index, %out: f32):
    %i = linalg.index 0 : index
    %j = arith.remui %i, %c4 : index
    %k = arith.addi %j, %c2 : index
    %l = arith.minsi %k, %n : index
    %o = arith.minsi %l, %m : index
    %t = tensor.extract %x[%o] : tensor<8xf32>
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#scalar, #scalar, #v], iterator_types = ["parallel"]}
      ins(%c3, %c8 : index, index) outs(%e : tensor<8xf32>) {
  ^bb0(%n: index, %m: index, %out: f32):
    %i = linalg.index 0 : index
    %j = arith.remui %i, %c4 : index
    %k = arith.addi %j, %c3 : index
    %l = arith.minsi %k, %n : index
    %o = arith.minsi %l, %m : index
    %t = tensor.extract %x[%o] : tensor<8xf32>
    linalg.yield %t : f32
  } -> tensor<8xf32>
  return %r, %s : tensor<8xf32>, tensor<8xf32>
}

// -----

// Tiles that are packed for a multiplication have their sizes.
// CHECK-LABEL: func.func @tiles(
// CHECK:       func.func private @elementwise_0(%{{.*}}: tensor<?x?x?x?xf32>, %{{.*}}: tensor<?x?x4x1xf32>) -> tensor<?x?x4x1xf32>
#id = affine_map<(a, b, c, d) -> (a, b, c, d)>
func.func @tiles(%a: tensor<2x5x4x1xf32>, %b: tensor<1x5x16x1xf32>, %c: tensor<2x1x4x16xf32>) -> tensor<2x1x4x16xf32> {
  %e = tensor.empty() : tensor<2x5x4x1xf32>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a : tensor<2x5x4x1xf32>) outs(%e : tensor<2x5x4x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.negf %in : f32
    linalg.yield %t : f32
  } -> tensor<2x5x4x1xf32>
  %m = tw.mmt4d #tw.tile<"tw_mmt4d_tile_f32f32f32_4x16x1_generic"> indexing_maps = [
        affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%p, %b : tensor<2x5x4x1xf32>, tensor<1x5x16x1xf32>) outs(%c : tensor<2x1x4x16xf32>) -> tensor<2x1x4x16xf32>
  return %m : tensor<2x1x4x16xf32>
}

// -----

func.func @pack(%x: tensor<32x8xf32>, %y: tensor<2x2x16x4xf32>) -> tensor<2x2x16x4xf32> {
  // expected-error@+1 {{of the device was not lowered}}
  %p = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [16, 4] into %y : tensor<32x8xf32> -> tensor<2x2x16x4xf32>
  return %p : tensor<2x2x16x4xf32>
}
