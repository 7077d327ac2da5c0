// RUN: tw-opt %s --tw-call-tile-functions=core=znver3 | FileCheck %s
// RUN: tw-opt %s --tw-call-tile-functions | FileCheck %s --check-prefix=ANY
// RUN: not tw-opt %s --tw-call-tile-functions=core=znver33 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Blocks are for the core's caches, and a rhs from memory is read as the core likes it: KiB of L1 and of L2, panels side
// by side, by how many rows at least and how many tiles at most, of how many L2, whether L3 is slow, and whether
// pages are asked for ahead of time.
// CHECK:      %[[C:.*]] = llvm.alloca %{{.*}} x !llvm.array<50 x i64>
// CHECK:      llvm.mlir.constant(8388609 : i32)
// CHECK:      llvm.mlir.constant(32 : i32)
// CHECK:      llvm.mlir.constant(512 : i32)
// CHECK:      llvm.mlir.constant(4 : i32)
// CHECK-COUNT-2: llvm.mlir.constant(1 : i32)
// CHECK:      llvm.mlir.constant(32 : i32)
// CHECK:      llvm.mlir.constant(0 : i32)
// CHECK:      llvm.mlir.constant(1 : i32)
// CHECK:      llvm.call @tw_contract_v8(%[[C]])

// Of no core, nothing is said.
// ANY:        llvm.mlir.constant(8388609 : i32)
// ANY-COUNT-8: llvm.mlir.constant(0 : i32)
// ANY:        llvm.call @tw_contract_v8(

// UNKNOWN: error: no core 'znver33' is known; did you mean 'znver3'?
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @row(%x: memref<1x4096xf32>, %y: memref<256x4096x16x1xf32>, %o: memref<1x4096xf32>, %w: memref<4194304xi8>) {
  tw.matmul #tw.tile<"tw_mmt4d_tile_f32f32f32_1x16x1_x86_64_avx2_fma"> overwrite rhs_packed indexing_maps = [#mk, #nk, #mn]
      ins(%x, %y : memref<1x4096xf32>, memref<256x4096x16x1xf32>) outs(%o, %w : memref<1x4096xf32>, memref<4194304xi8>)
  return
}
