// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-common-forms | FileCheck %s
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
