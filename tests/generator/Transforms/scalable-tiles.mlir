// RUN: tw-opt %s --tw-define-tile-functions | FileCheck %s --check-prefix=DEFINED
// RUN: tw-opt %s --tw-plan-tile-functions="plan=idiom=generic" --tw-generate-tile-functions | FileCheck %s --check-prefix=LOWERED

// A dynamic dimension of 2 * 4 * vscale rows, and the row stride with it.
// DEFINED-LABEL: func.func @tw_mmt4d_tile_f32f32f32_8x2vlx1_arm_64_sve(
// DEFINED:         %[[VSCALE:.*]] = "llvm.intr.vscale"()
// DEFINED:         %[[FACTOR:.*]] = arith.index_cast %[[VSCALE]]
// DEFINED:         %[[C8:.*]] = arith.constant 8 : index
// DEFINED:         %[[N0:.*]] = arith.muli %[[FACTOR]], %[[C8]]
// DEFINED:         memref.reinterpret_cast {{.*}} sizes: [1, %{{.*}}, 8, 1], strides: [8, 8, 1, 1]
// DEFINED:         memref.reinterpret_cast {{.*}} sizes: [1, %{{.*}}, %[[N0]], 1], strides: [%[[STEP:.*]], %[[STEP]], 1, 1]
// DEFINED:         scf.if
// DEFINED:         } else {
// DEFINED-NEXT:      scf.yield %[[N0]]
// DEFINED:         memref.reinterpret_cast {{.*}} sizes: [1, 1, 8, %[[N0]]]
// DEFINED:         linalg.mmt4d

// A loop over the blocks; K steps are a run-time distance apart.
// LOWERED-LABEL: func.func @tw_mmt4d_tile_f32f32f32_8x2vlx1_arm_64_sve(
// LOWERED:         %[[VSCALE:.*]] = "llvm.intr.vscale"()
// LOWERED:         %[[C32:.*]] = arith.constant 32 : i64
// LOWERED:         %[[STRIDE:.*]] = arith.muli %[[VSCALE]], %[[C32]]
// LOWERED:         scf.for
// LOWERED:           scf.for {{.*}} iter_args(%{{[^ ]+}} = %{{[^ ]+}}, %[[RHS:[^ ]+]] = {{.*}}vector<4xf32>
// LOWERED:             llvm.getelementptr %[[RHS]][%[[STRIDE]]]
func.func private @tw_mmt4d_tile_f32f32f32_8x2vlx1_arm_64_sve(
    memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<16xi64>)

// The streaming vector length, read outside of streaming mode.
// DEFINED-LABEL: func.func @tw_mmt4d_tile_bf16bf16bf16_3vlx5x2_arm_64_sme(
// DEFINED:         %[[DOUBLES:.*]] = llvm.call_intrinsic "llvm.aarch64.sme.cntsd"() : () -> i64
// DEFINED:         %[[ONE:.*]] = llvm.mlir.constant(1 : i64)
// DEFINED:         llvm.lshr %[[DOUBLES]], %[[ONE]]
// DEFINED:         memref.alloca(%{{.*}}) : memref<1x1x?x5xf32>
// LOWERED-LABEL: func.func @tw_mmt4d_tile_bf16bf16bf16_3vlx5x2_arm_64_sme(
// LOWERED:         llvm.call_intrinsic "llvm.aarch64.sme.cntsd"() : () -> i64
func.func private @tw_mmt4d_tile_bf16bf16bf16_3vlx5x2_arm_64_sme(
    memref<1xbf16>, memref<1xbf16>, memref<1xbf16>, memref<16xi64>)
