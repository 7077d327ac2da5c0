// RUN: tw-opt %s --tw-plan-tile-functions | FileCheck %s
// RUN: tw-opt %s --tw-plan-tile-functions=plan=block=2x1 | FileCheck %s --check-prefix=BLOCK
// RUN: tw-opt %s --tw-plan-tile-functions | tw-opt --tw-plan-tile-functions=plan=block=2x1 | FileCheck %s

// By name, and by what it has already; with all parts; what has a plan keeps it.
// CHECK: func.func private @tw_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma({{.*}}) attributes {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma", plan = "idiom=fma {{.*}} block=4x1 {{.*}} ahead=
// BLOCK: func.func private @tw_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma({{.*}} block=2x1
func.func private @tw_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma(
    memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<16xi64>)

// Any prefix, where the attribute says that it is a tile.
// CHECK: func.func private @my_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma({{.*}}) attributes {tw.tile = #tw.tile<"my_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma", plan = "idiom=fma
func.func private @my_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma(
    memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<16xi64>)
  attributes {tw.tile = #tw.tile<"my_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma">}

// CHECK: func.func private @other()
// CHECK-NOT: tw.tile
func.func private @other()
