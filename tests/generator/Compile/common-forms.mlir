// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-common-forms | FileCheck %s
// RUN: tw-opt %s --tw-common-forms | FileCheck %s --check-prefix=FLOORED
// RUN: tw-opt %s --tw-common-forms --mlir-print-elementsattrs-with-hex-if-larger=2 | FileCheck %s --check-prefix=BYTES

// Each turn writes its slices into what the turns before have left.
func.func @forall(%x: tensor<8x6xf32>, %y: tensor<8x6xf32>, %n: index) -> (tensor<8x6xf32>, tensor<6x8xf32>) {
  %e = tensor.empty() : tensor<6x8xf32>
  %r:2 = scf.forall (%i, %j) = (0, 0) to (8, %n) step (2, 3) shared_outs(%a = %y, %b = %e) -> (tensor<8x6xf32>, tensor<6x8xf32>) {
    %s = tensor.extract_slice %x[%i, %j] [2, 3] [1, 1] : tensor<8x6xf32> to tensor<2x3xf32>
    %t = tensor.extract_slice %x[%j, %i] [3, 2] [1, 1] : tensor<8x6xf32> to tensor<3x2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %a[%i, %j] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<8x6xf32>
      tensor.parallel_insert_slice %t into %b[%j, %i] [3, 2] [1, 1] : tensor<3x2xf32> into tensor<6x8xf32>
      tensor.parallel_insert_slice %s into %a[%i, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<8x6xf32>
    }
  }
  return %r#0, %r#1 : tensor<8x6xf32>, tensor<6x8xf32>
}

// CHECK-LABEL: func.func @forall(
// CHECK-SAME: %[[X:.*]]: tensor<8x6xf32>, %[[Y:.*]]: tensor<8x6xf32>, %[[N:.*]]: index)
// CHECK: %[[R:.*]]:2 = scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A:.*]] = %[[Y]], %[[B:.*]] = %{{.*}})
// CHECK: %[[S:.*]]:2 = scf.for %[[J:.*]] = %{{.*}} to %[[N]] step %{{.*}} iter_args(%[[C:.*]] = %[[A]], %[[D:.*]] = %[[B]])
// CHECK: %[[P:.*]] = tensor.extract_slice %[[X]][%[[I]], %[[J]]]
// CHECK: %[[Q:.*]] = tensor.extract_slice %[[X]][%[[J]], %[[I]]]
// CHECK: %[[FIRST:.*]] = tensor.insert_slice %[[P]] into %[[C]][%[[I]], %[[J]]]
// CHECK: %[[OTHER:.*]] = tensor.insert_slice %[[Q]] into %[[D]][%[[J]], %[[I]]]
// CHECK: %[[LAST:.*]] = tensor.insert_slice %[[P]] into %[[FIRST]][%[[I]], 0]
// CHECK: scf.yield %[[LAST]], %[[OTHER]]
// CHECK: scf.yield %[[S]]#0, %[[S]]#1
// CHECK: return %[[R]]#0, %[[R]]#1

func.func @switch(%x: tensor<4xf32>, %y: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %r = scf.index_switch %i -> tensor<4xf32>
  case 3 {
    scf.yield %x : tensor<4xf32>
  }
  case 7 {
    %s = arith.addf %x, %y : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  default {
    scf.yield %y : tensor<4xf32>
  }
  %none = scf.index_switch %i -> tensor<4xf32>
  default {
    %s = arith.mulf %r, %y : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %none : tensor<4xf32>
}

// CHECK-LABEL: func.func @switch(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>, %[[I:.*]]: index)
// CHECK: %[[C3:.*]] = arith.constant 3
// CHECK: %[[IS3:.*]] = arith.cmpi eq, %[[I]], %[[C3]]
// CHECK: %[[R:.*]] = scf.if %[[IS3]]
// CHECK: scf.yield %[[X]]
// CHECK: else
// CHECK: %[[C7:.*]] = arith.constant 7
// CHECK: %[[IS7:.*]] = arith.cmpi eq, %[[I]], %[[C7]]
// CHECK: %[[INNER:.*]] = scf.if %[[IS7]]
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: scf.yield %[[SUM]]
// CHECK: else
// CHECK: scf.yield %[[Y]]
// CHECK: scf.yield %[[INNER]]
// CHECK: arith.mulf %[[R]], %[[Y]]

// The bytes of elements that are part of one have other bits, too.
// BYTES-LABEL: func.func @nibbles(
// BYTES: arith.constant dense<"0x0F010203"> : tensor<4xi4>
// BYTES: arith.constant dense<7> : tensor<9xi4>
func.func @nibbles() -> (tensor<4xi4>, tensor<9xi4>) {
  %c = arith.constant dense<"0xFF01F2A3"> : tensor<4xi4>
  %d = arith.constant dense<7> : tensor<9xi4>
  return %c, %d : tensor<4xi4>, tensor<9xi4>
}

// Scales of blocks of k: of the blocks and of the elements of one.
// FLOORED-DAG: #[[X:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// FLOORED-DAG: #[[S:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// FLOORED-DAG: #[[O:.*]] = affine_map<(d0, d1, d2) -> (d0)>
// FLOORED-LABEL: func.func @blocks(
// FLOORED:         %[[M:.*]] = tensor.dim %arg0
// FLOORED:         %[[E:.*]] = tensor.expand_shape %arg0 {{\[}}[0], [1, 2]] output_shape [%[[M]], 3, 32] : tensor<?x96xf32> into tensor<?x3x32xf32>
// FLOORED:         linalg.generic {indexing_maps = [#[[X]], #[[S]], #[[O]]], iterator_types = ["parallel", "reduction", "reduction"]} ins(%[[E]], %arg1 : tensor<?x3x32xf32>, tensor<?x3xf32>)
#k = affine_map<(m, k) -> (m, k)>
#b = affine_map<(m, k) -> (m, k floordiv 32)>
#m = affine_map<(m, k) -> (m)>
func.func @blocks(%x: tensor<?x96xf32>, %s: tensor<?x3xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [#k, #b, #m], iterator_types = ["parallel", "reduction"]}
    ins(%x, %s : tensor<?x96xf32>, tensor<?x3xf32>) outs(%o : tensor<?xf32>) {
  ^bb0(%a: f32, %p: f32, %c: f32):
    %v = arith.mulf %a, %p : f32
    %w = arith.addf %c, %v : f32
    linalg.yield %w : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Of 90 elements the last block is not whole; how many `?` are is not known; and a body may ask where it is.
// FLOORED-LABEL: func.func @part(
// FLOORED-NOT:     tensor.expand_shape
func.func @part(%x: tensor<4x90xf32>, %y: tensor<4x?xf32>, %z: tensor<4x96xf32>, %s: tensor<4x3xf32>, %o: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r = linalg.generic {indexing_maps = [#k, #b, #m], iterator_types = ["parallel", "reduction"]}
    ins(%x, %s : tensor<4x90xf32>, tensor<4x3xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%a: f32, %p: f32, %c: f32):
    %v = arith.mulf %a, %p : f32
    %w = arith.addf %c, %v : f32
    linalg.yield %w : f32
  } -> tensor<4xf32>
  %t = linalg.generic {indexing_maps = [#k, #b, #m], iterator_types = ["parallel", "reduction"]}
    ins(%y, %s : tensor<4x?xf32>, tensor<4x3xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%a: f32, %p: f32, %c: f32):
    %v = arith.mulf %a, %p : f32
    %w = arith.addf %c, %v : f32
    linalg.yield %w : f32
  } -> tensor<4xf32>
  %u = linalg.generic {indexing_maps = [#k, #b, #m], iterator_types = ["parallel", "reduction"]}
    ins(%z, %s : tensor<4x96xf32>, tensor<4x3xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%a: f32, %p: f32, %c: f32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %v = arith.mulf %f, %p : f32
    %w = arith.addf %c, %v : f32
    linalg.yield %w : f32
  } -> tensor<4xf32>
  return %r, %t, %u : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// BYTES-LABEL: func.func @few_bits(
// BYTES:         arith.constant dense<"0x3F010223"> : tensor<4xf6E3M2FN>
func.func @few_bits() -> tensor<4xf6E3M2FN> {
  %c = arith.constant dense<"0xFF0142A3"> : tensor<4xf6E3M2FN>
  return %c : tensor<4xf6E3M2FN>
}
