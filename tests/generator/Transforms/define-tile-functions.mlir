// RUN: tw-opt %s --tw-define-tile-functions | FileCheck %s

// The plain case: views, zero fill unless ACCUMULATE (bit 8 of the flags, which
// are the upper half of word 13), one mmt4d.
// CHECK-LABEL: func.func @tw_mmt4d_tile_s8s8s32_4x8x2_x86_64_avx2_fma(
// CHECK-SAME:    %[[OUT:[^:]+]]: memref<1xi32> {llvm.noalias}, %[[LHS:[^:]+]]: memref<1xi8> {llvm.noalias},
// CHECK-SAME:    %[[RHS:[^:]+]]: memref<1xi8> {llvm.noalias}, %[[PARAMS:[^:]+]]: memref<16xi64> {llvm.noalias})
// CHECK:         %[[C11:.*]] = arith.constant 11 : index
// CHECK:         %[[KWORD:.*]] = memref.load %[[PARAMS]][%[[C11]]]
// CHECK:         %[[K:.*]] = arith.index_cast %[[KWORD]]
// CHECK:         %[[C13:.*]] = arith.constant 13 : index
// CHECK:         %[[FLAGS:.*]] = memref.load %[[PARAMS]][%[[C13]]]
// CHECK:         %[[BIT:.*]] = arith.constant 1099511627776 : i64
// CHECK:         %[[MASKED:.*]] = arith.andi %[[FLAGS]], %[[BIT]]
// CHECK:         %[[ACCUMULATE:.*]] = arith.cmpi ne, %[[MASKED]]
// CHECK:         %[[L:.*]] = memref.reinterpret_cast %[[LHS]] to offset: [0], sizes: [1, %[[K]], 4, 2], strides: [8, 8, 2, 1]
// CHECK:         %[[R:.*]] = memref.reinterpret_cast %[[RHS]] to offset: [0], sizes: [1, %[[K]], 8, 2], strides: [16, 16, 2, 1]
// CHECK:         %[[STRIDE:.*]] = scf.if
// CHECK:           %[[C15:.*]] = arith.constant 15 : index
// CHECK:           memref.load %[[PARAMS]][%[[C15]]]
// CHECK:         } else {
// CHECK:           arith.constant 8 : index
// CHECK:         %[[O:.*]] = memref.reinterpret_cast %[[OUT]] to offset: [0], sizes: [1, 1, 4, 8], strides: [%[[STRIDE]], %[[STRIDE]], %[[STRIDE]], 1]
// CHECK:         scf.if %[[ACCUMULATE]] {
// CHECK-NEXT:    } else {
// CHECK:           linalg.fill
// CHECK-SAME:        outs(%[[O]] :
// CHECK:         linalg.mmt4d ins(%[[L]], %[[R]] : {{.*}}) outs(%[[O]] :
// CHECK-NEXT:    return
func.func private @tw_mmt4d_tile_s8s8s32_4x8x2_x86_64_avx2_fma(memref<1xi32>, memref<1xi8>, memref<1xi8>, memref<16xi64>)

// Unlike signedness: mmt4d cannot say it.
// CHECK-LABEL: func.func @tw_mmt4d_tile_u8s8s32_4x8x4_generic(
// CHECK-NOT:     linalg.mmt4d
// CHECK:         linalg.generic
// CHECK:         ^bb0(%[[A:.*]]: i8, %[[B:.*]]: i8, %[[C:.*]]: i32):
// CHECK:           %[[AX:.*]] = arith.extui %[[A]] : i8 to i32
// CHECK:           %[[BX:.*]] = arith.extsi %[[B]] : i8 to i32
// CHECK:           %[[P:.*]] = arith.muli %[[AX]], %[[BX]]
// CHECK:           arith.addi %[[C]], %[[P]]
func.func private @tw_mmt4d_tile_u8s8s32_4x8x4_generic(memref<1xi32>, memref<1xi8>, memref<1xi8>, memref<16xi64>)

// Narrower than a byte: elements come out of the bit stream of one K step.
// CHECK-LABEL: func.func @tw_mmt4d_tile_f6e2m3fnf6e3m2fnf32_4x8x2_generic(
// CHECK:         %[[BYTES:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%{{.*}}, 6], strides: [6, 1]
// CHECK:         linalg.generic
// CHECK:           memref.load %[[BYTES]]
// CHECK:           arith.trunci %{{.*}} : i16 to i6
// CHECK:           arith.bitcast %{{.*}} : i6 to f6E2M3FN
// CHECK:           arith.extf %{{.*}} : f6E2M3FN to f32
// CHECK:           arith.extf %{{.*}} : f6E3M2FN to f32
func.func private @tw_mmt4d_tile_f6e2m3fnf6e3m2fnf32_4x8x2_generic(memref<1xf32>, memref<1xi8>, memref<1xi8>, memref<16xi64>)

// A narrow output: rounded once.
// CHECK-LABEL: func.func @tw_mmt4d_tile_bf16bf16bf16_2x4x2_x86_64_avx512_bf16(
// CHECK:         %[[TILE:.*]] = memref.alloca() : memref<1x1x2x4xf32>
// CHECK-NOT:     scf.for
// CHECK:         linalg.mmt4d {{.*}} outs(%[[TILE]] :
// CHECK:         linalg.generic
// CHECK:           arith.truncf %{{.*}} : f32 to bf16
func.func private @tw_mmt4d_tile_bf16bf16bf16_2x4x2_x86_64_avx512_bf16(memref<1xbf16>, memref<1xbf16>, memref<1xbf16>, memref<16xi64>)

// The same, rounded after each K step.
// CHECK-LABEL: func.func @tw_mmt4d_tile_bf16bf16bf16_2x4x2_steprnd_x86_64_avx512_bf16(
// CHECK:         %[[TILE:.*]] = memref.alloca() : memref<1x1x2x4xf32>
// CHECK:         scf.for
// CHECK:           linalg.mmt4d {{.*}} outs(%[[TILE]] :
// CHECK:           linalg.generic {{.*}} outs(%[[TILE]] :
// CHECK:             %[[ROUNDED:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK:             arith.extf %[[ROUNDED]] : bf16 to f32
func.func private @tw_mmt4d_tile_bf16bf16bf16_2x4x2_steprnd_x86_64_avx512_bf16(memref<1xbf16>, memref<1xbf16>, memref<1xbf16>, memref<16xi64>)

// Not ours, and already defined.
// CHECK: func.func private @memcpy(memref<1xi8>)
func.func private @memcpy(memref<1xi8>)
// CHECK-LABEL: func.func @tw_mmt4d_tile_f32f32f32_1x1x1_generic
// CHECK-NEXT:    return
func.func @tw_mmt4d_tile_f32f32f32_1x1x1_generic(%out: memref<1xf32>, %lhs: memref<1xf32>, %rhs: memref<1xf32>, %params: memref<16xi64>) {
  return
}
