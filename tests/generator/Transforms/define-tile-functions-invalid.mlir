// RUN: tw-opt %s --tw-define-tile-functions --split-input-file --verify-diagnostics

// expected-error @below {{'tw_mmt4d_tile_f32f32f32_8x08x1_generic' is not a tile name: in N0: '08' has a leading zero}}
func.func private @tw_mmt4d_tile_f32f32f32_8x08x1_generic(memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<16xi64>)

// -----

// expected-error @below {{unknown element types 'f32f32f33'; expected one of f32f32f32, }}
func.func private @tw_mmt4d_tile_f32f32f33_8x8x1_generic(memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<16xi64>)

// -----

// expected-error @below {{one K step of the rhs panel, N0*K0 = 1 elements of s4, does not fill whole bytes}}
func.func private @tw_mmt4d_tile_s8s4s32_8x1x1_generic(memref<1xi32>, memref<1xi8>, memref<1xi8>, memref<16xi64>)

// -----

// expected-error @below {{is declared with the type '(memref<1xi32>, memref<1xi8>, memref<1xf32>, memref<16xi64>) -> ()', but must have '(memref<1xi32>, memref<1xi8>, memref<1xi8>, memref<16xi64>) -> ()'}}
func.func private @tw_mmt4d_tile_s8s8s32_8x8x1_generic(memref<1xi32>, memref<1xi8>, memref<1xf32>, memref<16xi64>)

// -----

// Every bad declaration is reported, not only the first.
// expected-error @below {{unknown variant or instruction set 'x86_64_avx1024'}}
func.func private @tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx1024(memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<16xi64>)
// expected-error @below {{K0 is 65, but must be in 1..64}}
func.func private @tw_mmt4d_tile_f32f32f32_8x8x65_generic(memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<16xi64>)

// -----

// Another layout than the one that is defined here.
// expected-error @below {{tile function tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8 is of the variant 'vnni', which is not defined in linalg; expected a name without it}}
func.func private @tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8(memref<1xi32>, memref<1xi8>, memref<1xi8>, memref<16xi64>)
