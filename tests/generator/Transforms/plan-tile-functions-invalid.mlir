// RUN: tw-opt %s --tw-plan-tile-functions=plan=idiom=dpbusd --split-input-file --verify-diagnostics

// expected-error @below {{idiom 'dpbusd' does not take f32f32f32}}
func.func private @tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx2_fma(
    memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<16xi64>)

// -----

// expected-error @below {{idiom 'dpbusd' needs x86_64_avx_vnni or x86_64_avx512_vnni, which x86_64_avx2_fma does not imply}}
func.func private @tw_mmt4d_tile_s8s8s32_8x8x4_x86_64_avx2_fma(
    memref<1xi32>, memref<1xi8>, memref<1xi8>, memref<16xi64>)

// -----

// expected-error @below {{'tw_mmt4d_tile_f32f32f32_8x08x1_generic' is not a tile name: in N0: '08' has a leading zero}}
func.func private @tw_mmt4d_tile_f32f32f32_8x08x1_generic(memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<16xi64>)
