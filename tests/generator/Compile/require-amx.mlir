// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-require-amx | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// Behind the entry point, and behind the one with a workspace, a function calls a tile by AMX: both ask first. What is written is
// written by the body.
// CHECK-LABEL: func.func private @by_amx.body(
// CHECK-NOT:     tw_may_use_amx
// CHECK:       func.func @by_amx(
// CHECK-SAME:    attributes {tw.c_arguments = [], tw.needs_amx}
// CHECK:         %[[MAY:.*]] = llvm.call @tw_may_use_amx_v1() : () -> i32
// CHECK:         %[[IS:.*]] = arith.cmpi ne, %[[MAY]], %c0_i32
// CHECK:         %[[R:.*]] = scf.if %[[IS]] -> (i32) {
// CHECK:           %[[S:.*]] = func.call @by_amx.body(
// CHECK-NEXT:      scf.yield %[[S]]
// CHECK:         } else {
// CHECK:           %[[TWO:.*]] = arith.constant 2 : i32
// CHECK-NEXT:      scf.yield %[[TWO]]
// CHECK:         return %[[R]]
// CHECK:       func.func @by_amx_with_workspace(
// CHECK-NOT:     tw.needs_amx
// CHECK:         llvm.call @tw_may_use_amx_v1()
// CHECK:           func.call @by_amx.body(
func.func private @by_amx.body(%x: memref<1x1x32x64xi8>, %y: memref<1x1x16x32x4xi8>, %o: memref<1x1x32x32xi32>) -> i32 {
  %ok = arith.constant 0 : i32
  func.call @middle(%x, %y, %o) : (memref<1x1x32x64xi8>, memref<1x1x16x32x4xi8>, memref<1x1x32x32xi32>) -> ()
  return %ok : i32
}
func.func @by_amx(%x: memref<1x1x32x64xi8>, %y: memref<1x1x16x32x4xi8>, %o: memref<1x1x32x32xi32>) -> i32 attributes {tw.c_arguments = []} {
  %s = func.call @by_amx.body(%x, %y, %o) : (memref<1x1x32x64xi8>, memref<1x1x16x32x4xi8>, memref<1x1x32x32xi32>) -> i32
  return %s : i32
}
func.func @by_amx_with_workspace(%x: memref<1x1x32x64xi8>, %y: memref<1x1x16x32x4xi8>, %o: memref<1x1x32x32xi32>) -> i32 {
  %s = func.call @by_amx.body(%x, %y, %o) : (memref<1x1x32x64xi8>, memref<1x1x16x32x4xi8>, memref<1x1x32x32xi32>) -> i32
  return %s : i32
}
func.func private @middle(%x: memref<1x1x32x64xi8>, %y: memref<1x1x16x32x4xi8>, %o: memref<1x1x32x32xi32>) {
  func.call @product(%x, %y, %o) : (memref<1x1x32x64xi8>, memref<1x1x16x32x4xi8>, memref<1x1x32x32xi32>) -> ()
  return
}
func.func private @product(%x: memref<1x1x32x64xi8>, %y: memref<1x1x16x32x4xi8>, %o: memref<1x1x32x32xi32>) {
  tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8"> indexing_maps = [#a, #b, #c]
      ins(%x, %y : memref<1x1x32x64xi8>, memref<1x1x16x32x4xi8>) outs(%o : memref<1x1x32x32xi32>)
  return
}

// What the statuses say says this one, too.
// CHECK:       llvm.mlir.global private constant @by_amx_message.status2("it multiplies by AMX, which this process may not use; {{.*}}\00")
// CHECK-LABEL: func.func @by_amx_message(
// CHECK-SAME:    %[[STATUS:.*]]: i32)
// CHECK:         %[[OTHER:.*]] = llvm.mlir.zero
// CHECK:         %[[TEXT:.*]] = llvm.mlir.addressof @by_amx_message.status2
// CHECK:         %[[TWO:.*]] = arith.constant 2 : i32
// CHECK:         %[[IS:.*]] = arith.cmpi eq, %[[STATUS]], %[[TWO]]
// CHECK:         %[[R:.*]] = arith.select %[[IS]], %[[TEXT]], %[[OTHER]]
// CHECK:         return %[[R]]
func.func @by_amx_message(%status: i32) -> !llvm.ptr {
  %none = llvm.mlir.zero : !llvm.ptr
  return %none : !llvm.ptr
}

// Others call their bodies as they did.
// CHECK-LABEL: func.func @plain(
// CHECK-NOT:     tw.needs_amx
// CHECK-NEXT:    %[[S:.*]] = call @plain.body(
// CHECK-NEXT:    return %[[S]]
func.func private @plain.body(%x: memref<1x1x8x4xi8>, %y: memref<1x1x32x4xi8>, %o: memref<1x1x8x32xi32>) -> i32 {
  %ok = arith.constant 0 : i32
  tw.mmt4d #tw.tile<"tw_mmt4d_tile_s8s8s32_8x32x4_x86_64_avx512_vnni"> indexing_maps = [#a, #b, #c]
      ins(%x, %y : memref<1x1x8x4xi8>, memref<1x1x32x4xi8>) outs(%o : memref<1x1x8x32xi32>)
  return %ok : i32
}
func.func @plain(%x: memref<1x1x8x4xi8>, %y: memref<1x1x32x4xi8>, %o: memref<1x1x8x32xi32>) -> i32 attributes {tw.c_arguments = []} {
  %s = func.call @plain.body(%x, %y, %o) : (memref<1x1x8x4xi8>, memref<1x1x32x4xi8>, memref<1x1x8x32xi32>) -> i32
  return %s : i32
}
