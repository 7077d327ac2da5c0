// RUN: tw-opt %s --tw-define-tile-functions --tw-lower-to-loops | FileCheck %s
// RUN: tw-opt %s --tw-define-tile-functions --tw-lower-to-loops --tw-lower-to-llvm | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: func.func @tw_mmt4d_tile_f8e4m3fnf8e5m2f32_2x4x3_generic
// CHECK-NOT:     linalg
// CHECK-NOT:     f8E
// CHECK:         scf.for
// CHECK:         memref.store

// LLVM-LABEL: llvm.func @tw_mmt4d_tile_f8e4m3fnf8e5m2f32_2x4x3_generic(
// LLVM-SAME:    %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias})
// LLVM-NOT:     unrealized_conversion_cast
// LLVM-NOT:     memref
func.func private @tw_mmt4d_tile_f8e4m3fnf8e5m2f32_2x4x3_generic(memref<1xf32>, memref<1xi8>, memref<1xi8>, memref<16xi64>)
