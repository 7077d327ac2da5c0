// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: tw-opt %s --tw-move-narrow-floats | FileCheck %s

// CHECK-LABEL: @copy
// CHECK:         %[[ZEROS:.*]] = llvm.bitcast %{{.*}} : vector<8xbf16> to vector<8xi16>
// CHECK:         %[[V:.*]] = llvm.intr.masked.load %{{.*}}, %{{.*}}, %[[ZEROS]] {{.*}} vector<8xi16>
// CHECK:         %[[F:.*]] = llvm.bitcast %[[V]] : vector<8xi16> to vector<8xbf16>
// CHECK:         %[[B:.*]] = llvm.bitcast %[[F]] : vector<8xbf16> to vector<8xi16>
// CHECK:         llvm.intr.masked.store %[[B]]
llvm.func @copy(%from: !llvm.ptr, %to: !llvm.ptr, %mask: vector<8xi1>, %zeros: vector<8xbf16>) {
  %v = llvm.intr.masked.load %from, %mask, %zeros {alignment = 2 : i32}
      : (!llvm.ptr, vector<8xi1>, vector<8xbf16>) -> vector<8xbf16>
  llvm.intr.masked.store %v, %to, %mask {alignment = 2 : i32} : vector<8xbf16>, vector<8xi1> into !llvm.ptr
  llvm.return
}

// CHECK-LABEL: @splat
// CHECK:         llvm.insertelement %{{.*}} : vector<8xi16>
// CHECK:         llvm.shufflevector %{{.*}} : vector<8xi16>
llvm.func @splat(%x: bf16) -> vector<8xbf16> {
  %u = llvm.mlir.poison : vector<8xbf16>
  %c0 = llvm.mlir.constant(0 : i32) : i32
  %i = llvm.insertelement %x, %u[%c0 : i32] : vector<8xbf16>
  %s = llvm.shufflevector %i, %u [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xbf16>
  llvm.return %s : vector<8xbf16>
}
