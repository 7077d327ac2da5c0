// RUN: tw-opt %s --tw-plan-tile-functions --tw-generate-tile-functions | FileCheck %s

// The same C ABI; parameters at their offsets; nothing is done for K = 0 under
// ACCUMULATE; one block, whose accumulators the K loop carries.
// CHECK-LABEL: func.func {{.*}}@tw_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma(
// CHECK-SAME:    %[[OUT:.*]]: !llvm.ptr {llvm.noalias}, %[[LHS:.*]]: !llvm.ptr {llvm.noalias}, %[[RHS:.*]]: !llvm.ptr {llvm.noalias}, %[[PARAMS:.*]]: !llvm.ptr {llvm.noalias})
// CHECK:         llvm.getelementptr %[[PARAMS]][88]
// CHECK:         llvm.getelementptr %[[PARAMS]][108]
// CHECK:         scf.if
// CHECK:           llvm.getelementptr %[[PARAMS]][120]
// CHECK:         scf.if
// CHECK:           scf.for {{.*}} iter_args({{.*}}) -> (!llvm.ptr, !llvm.ptr, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
// CHECK:             vector.fma
// CHECK:             scf.yield
// CHECK:           scf.if
// CHECK:             llvm.load {{.*}} -> vector<8xf32>
// CHECK:           llvm.store {{.*}} : vector<8xf32>
// CHECK:         return
func.func private @tw_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma(
    memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<16xi64>)

// Blocks of equal size in loops, the last one overlapping.
// CHECK-LABEL: func.func {{.*}}@tw_mmt4d_tile_f32f32f32_1021x8x1_x86_64_avx2_fma(
// CHECK:         scf.for
// CHECK:           arith.minsi
// CHECK:           scf.for {{.*}} iter_args
func.func private @tw_mmt4d_tile_f32f32f32_1021x8x1_x86_64_avx2_fma(
    memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<16xi64>)

// Other functions stay.
// CHECK-LABEL: func.func @other
// CHECK-NEXT:    return
func.func @other() {
  return
}

// The plan in the attribute is the one that is carried out: two vectors of
// accumulators where the planner's choice has four. What has none stays.
// CHECK-LABEL: func.func @given_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma(
// CHECK:           scf.for
// CHECK:             scf.for {{.*}} -> (!llvm.ptr, !llvm.ptr, vector<8xf32>, vector<8xf32>) : i64
func.func private @given_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma(
    memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<16xi64>)
  attributes {tw.tile = #tw.tile<"given_mmt4d_tile_f32f32f32_4x8x1_x86_64_avx2_fma", plan = "idiom=fma lanes=8 klanes=1 block=2x1 sets=1 unroll=4 broadcast=lhs by=load stage=none stagesteps=1 split=no decodeahead=0 loads=1x1 early=no order=mn ahead=0 sums=steps">}
