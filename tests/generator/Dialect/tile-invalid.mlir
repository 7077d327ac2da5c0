// RUN: tw-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'tw_mmt4d_tile_f32f32f32_8x08x1_generic' is not a tile name: in N0: '08' has a leading zero}}
func.func private @f() attributes {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x08x1_generic">}

// -----

// expected-error @below {{'matmul' is not a tile name: it does not start with 'tw_mmt4d_tile_'}}
func.func private @f() attributes {tw.tile = #tw.tile<"matmul">}

// -----

// expected-error @below {{unknown variant or instruction set 'x86_64_avx1024'}}
func.func private @f() attributes {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx1024">}

// -----

// A part of a plan leaves the planner something to choose.
// expected-error @below {{tw_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma: the plan 'idiom=fma block=2x1' lacks parts; expected all of them}}
func.func private @f() attributes {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma", plan = "idiom=fma block=2x1">}

// -----

// expected-error @below {{plan part 'blocks=2x1': no part 'blocks'; expected idiom, lanes}}
func.func private @f() attributes {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma", plan = "blocks=2x1">}

// -----

// A plan of another tile.
// expected-error @below {{tw_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma: the plan 'idiom=dpbusd lanes=8 klanes=1 block=2x1}}
func.func private @f() attributes {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma", plan = "idiom=dpbusd lanes=8 klanes=1 block=2x1 sets=1 unroll=4 broadcast=lhs by=load stage=none stagesteps=1 split=no decodeahead=0 loads=1x1 early=no order=mn ahead=0 sums=steps">}

// -----

// expected-error @below {{is planned with the kernel around it; expected none}}
func.func private @f() attributes {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_64x64x4_amdgpu_gfx942", plan = "waves=1">}

// -----

// expected-error @below {{tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8: a tile of the variant 'vnni' has no plan}}
func.func private @f() attributes {tw.tile = #tw.tile<"tw_mmt4d_tile_s8s8s32_32x32x64_vnni_x86_64_amx_int8", plan = "idiom=generic">}

// -----

// expected-error @below {{expected 'plan'}}
func.func private @f() attributes {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma", core = "znver4">}

// -----

// expected-error @below {{tw.tile: expected #tw.tile<...>}}
func.func private @f() attributes {tw.tile = "tw_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma"}

// -----

// expected-error @below {{function 'f' has tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma">; expected the tile that it is called after}}
func.func private @f() attributes {tw.tile = #tw.tile<"tw_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma">}
