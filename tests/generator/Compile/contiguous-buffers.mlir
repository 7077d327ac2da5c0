// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-contiguous-buffers | FileCheck %s

func.func private @f(%a: tensor<24xi32>, %b: tensor<24xi32>) -> tensor<24xi32> attributes {tw.dispatch = "elementwise"} {
  return %b : tensor<24xi32>
}

// Both branches yield what is contiguous, and so are the result, its reshapes and theirs.
// CHECK-LABEL: func.func @branches(
// CHECK:         %[[IF:.*]] = scf.if %{{.*}} -> (memref<4x6xi32>) {
// CHECK:         memref.collapse_shape %{{.*}} : memref<2x2x6xi32> into memref<24xi32>
// CHECK:         tw.dispatch @f ins(%{{.*}} : memref<24xi32>)
// CHECK-NOT:     tw.dispatch @f ins(%{{.*}} : memref<24xi32, strided
// CHECK:         tw.dispatch @f ins(%{{.*}} : memref<24xi32>)
func.func @branches(%c: i1, %out: memref<24xi32>) {
  %if = scf.if %c -> (memref<4x6xi32, strided<[?, ?], offset: ?>>) {
    %a = memref.alloc() : memref<4x6xi32>
    %x = memref.cast %a : memref<4x6xi32> to memref<4x6xi32, strided<[?, ?], offset: ?>>
    scf.yield %x : memref<4x6xi32, strided<[?, ?], offset: ?>>
  } else {
    %a = memref.alloc() : memref<4x6xi32>
    %x = memref.cast %a : memref<4x6xi32> to memref<4x6xi32, strided<[?, ?], offset: ?>>
    scf.yield %x : memref<4x6xi32, strided<[?, ?], offset: ?>>
  }
  %e = memref.expand_shape %if [[0, 1], [2]] output_shape [2, 2, 6]
      : memref<4x6xi32, strided<[?, ?], offset: ?>> into memref<2x2x6xi32, strided<[?, ?, ?], offset: ?>>
  %x = memref.collapse_shape %e [[0, 1, 2]] : memref<2x2x6xi32, strided<[?, ?, ?], offset: ?>> into memref<24xi32, strided<[?], offset: ?>>
  tw.dispatch @f ins(%x : memref<24xi32, strided<[?], offset: ?>>) outs(%out : memref<24xi32>) accumulates [false]
  %y = memref.collapse_shape %if [[0, 1]] : memref<4x6xi32, strided<[?, ?], offset: ?>> into memref<24xi32, strided<[?], offset: ?>>
  tw.dispatch @f ins(%y : memref<24xi32, strided<[?], offset: ?>>) outs(%out : memref<24xi32>) accumulates [false]
  return
}

// One of them yields a part of a buffer: nothing is known.
// CHECK-LABEL: func.func @a_part(
// CHECK:         scf.if %{{.*}} -> (memref<4x6xi32, strided<[?, ?], offset: ?>>) {
// CHECK:         memref.expand_shape {{.*}} into memref<2x2x6xi32, strided<[?, ?, ?], offset: ?>>
func.func @a_part(%c: i1, %whole: memref<4x8xi32>, %other: memref<4x6xi32>) -> i32 {
  %if = scf.if %c -> (memref<4x6xi32, strided<[?, ?], offset: ?>>) {
    %a = memref.subview %whole[0, 2] [4, 6] [1, 1] : memref<4x8xi32> to memref<4x6xi32, strided<[8, 1], offset: 2>>
    %x = memref.cast %a : memref<4x6xi32, strided<[8, 1], offset: 2>> to memref<4x6xi32, strided<[?, ?], offset: ?>>
    scf.yield %x : memref<4x6xi32, strided<[?, ?], offset: ?>>
  } else {
    %x = memref.cast %other : memref<4x6xi32> to memref<4x6xi32, strided<[?, ?], offset: ?>>
    scf.yield %x : memref<4x6xi32, strided<[?, ?], offset: ?>>
  }
  %e = memref.expand_shape %if [[0, 1], [2]] output_shape [2, 2, 6]
      : memref<4x6xi32, strided<[?, ?], offset: ?>> into memref<2x2x6xi32, strided<[?, ?, ?], offset: ?>>
  %0 = arith.constant 0 : index
  %r = memref.load %e[%0, %0, %0] : memref<2x2x6xi32, strided<[?, ?, ?], offset: ?>>
  return %r : i32
}
