// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of the freestanding kind, for gfx942: c[32][32] = a[32][depth] times
// the transpose of b[32][depth], f16 to f32, by four waves of 16x16 that share
// a and b in LDS. Each MUTATION is one thing that a careless hand would do; 0
// is right.

#ifndef MUTATION
#define MUTATION 0
#endif

#define GLOBAL __attribute__((opencl_global))
#define LDS __attribute__((address_space(3)))

typedef _Float16 half;
typedef half half4 __attribute__((ext_vector_type(4)));
typedef float float4 __attribute__((ext_vector_type(4)));

enum {
  kRight,
  kNoBarrierBeforeCompute,
  kNoBarrierAfterCompute,
  kSwappedOperands,
  kWrongLaneGroup,
  kDivergentMatrixInstruction,
  kDivergentBarrier,
  kLoadPastEnd,
  kStorePastEnd,
  kLdsPastEnd,
  kUnwrittenLds,
  kReturnBeforeBarrier,
  kMisaligned,
  kRaceOnPurpose,
};

static LDS
    __attribute__((loader_uninitialized, aligned(16))) half left[32 * 16],
    right[32 * 16];

static inline __attribute__((always_inline)) void Barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

extern "C"
    __attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(256, 256))) void
    product(const GLOBAL half* a, const GLOBAL half* b, GLOBAL float* c,
            int depth) {
  int thread = __builtin_amdgcn_workitem_id_x(), lane = thread % 64,
      wave = thread / 64;
  int row = wave / 2 * 16, column = wave % 2 * 16;
  int group = MUTATION == kWrongLaneGroup ? lane / 8 % 4 : lane / 16;
  float4 sum = {0, 0, 0, 0};
  for (int k = 0; k < depth; k += 16) {
    // 128 threads bring four elements each of a, and 128 of b.
    int part = thread % 128, at = part / 4,
        from = at * depth + k + part % 4 * 4;
    if (MUTATION == kLoadPastEnd && thread == 127 && k + 16 == depth) from += 1;
    const GLOBAL half* source = thread < 128 ? a : b;
    LDS half* target = (thread < 128 ? left : right) + part * 4;
    if (MUTATION == kLdsPastEnd && thread == 255) target += 1;
    half4 value;
    __builtin_memcpy(&value, (const GLOBAL char*)(source + from),
                     sizeof(value));
    if (MUTATION != kUnwrittenLds || thread != 100)
      __builtin_memcpy((LDS char*)target, &value, sizeof(value));
    if (MUTATION == kReturnBeforeBarrier && wave == 3 && k > 0) return;
    if (MUTATION == kDivergentBarrier) {
      if (lane < 48) Barrier();
    } else if (MUTATION != kNoBarrierBeforeCompute) {
      Barrier();
    }
    LDS half* from_left = left + (row + lane % 16) * 16 + group * 4;
    LDS half* from_right = right + (column + lane % 16) * 16 + group * 4;
    if (MUTATION == kMisaligned && lane == 63) from_left -= 1;
    half4 x = *(LDS half4*)from_left, y = *(LDS half4*)from_right;
    if (MUTATION == kSwappedOperands) {
      sum = __builtin_amdgcn_mfma_f32_16x16x16f16(y, x, sum, 0, 0, 0);
    } else if (MUTATION == kDivergentMatrixInstruction) {
      if (lane != 17)
        sum = __builtin_amdgcn_mfma_f32_16x16x16f16(x, y, sum, 0, 0, 0);
    } else {
      sum = __builtin_amdgcn_mfma_f32_16x16x16f16(x, y, sum, 0, 0, 0);
    }
    if (MUTATION == kRaceOnPurpose && thread == 0) left[511] = 0;
    if (MUTATION != kNoBarrierAfterCompute) Barrier();
  }
  for (int i = 0; i < 4; ++i) {
    int at = (row + lane / 16 * 4 + i) * 32 + column + lane % 16;
    if (MUTATION == kStorePastEnd && at == 1023) at += 1;
    c[at] = sum[i];
  }
}
