// RUN: tw-opt %s | tw-opt | FileCheck %s
// RUN: tw-opt %s --mlir-print-op-generic | tw-opt | FileCheck %s
// RUN: tw-opt %s --emit-bytecode | tw-opt | FileCheck %s

// Any prefix, a plan or none.
// CHECK: func.func private @tw_mmt4d_tile_f32f32f32_8x32x1_x86_64_avx512_base() attributes {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x32x1_x86_64_avx512_base">}
func.func private @tw_mmt4d_tile_f32f32f32_8x32x1_x86_64_avx512_base() attributes {
  tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x32x1_x86_64_avx512_base">}
// CHECK: attributes {tw.tile = #tw.tile<"my_mmt4d_tile_s8s8s32_3x2vlx8_arm_64_sve_i8mm">}
func.func private @my_mmt4d_tile_s8s8s32_3x2vlx8_arm_64_sve_i8mm() attributes {
  tw.tile = #tw.tile<"my_mmt4d_tile_s8s8s32_3x2vlx8_arm_64_sve_i8mm">}
// CHECK: #tw.tile<"tw_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma", plan = "idiom=fma lanes=8 klanes=1 block=2x1 sets=1 unroll=4 broadcast=lhs by=load stage=none stagesteps=1 split=no decodeahead=0 loads=1x1 early=no order=mn ahead=0 sums=steps">
func.func private @tw_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma() attributes {
  tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma", plan = "idiom=fma lanes=8 klanes=1 block=2x1 sets=1 unroll=4 broadcast=lhs by=load stage=none stagesteps=1 split=no decodeahead=0 loads=1x1 early=no order=mn ahead=0 sums=steps">}
