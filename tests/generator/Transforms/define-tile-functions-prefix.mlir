// RUN: tw-opt %s --tw-define-tile-functions=prefix=iree_uk | FileCheck %s

// CHECK-LABEL: func.func @iree_uk_mmt4d_tile_f32f32f32_8x8x1_generic
// CHECK:         linalg.mmt4d
func.func private @iree_uk_mmt4d_tile_f32f32f32_8x8x1_generic(memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<16xi64>)

// Under another prefix it is any function.
// CHECK: func.func private @tw_mmt4d_tile_nonsense()
func.func private @tw_mmt4d_tile_nonsense()
