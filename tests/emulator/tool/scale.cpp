// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small kernels for the tests of tw-emulate.

#define GLOBAL __attribute__((opencl_global))
#define LDS __attribute__((address_space(3)))
#define KERNEL extern "C" __attribute__((amdgpu_kernel))

// y[i] = factor * x[i], for each thread below count.
KERNEL void scale(const GLOBAL float* x, GLOBAL float* y, float factor,
                  int count) {
  int i =
      __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  if (i < count) y[i] = factor * x[i];
}

// The same, without the test.
KERNEL void careless(const GLOBAL float* x, GLOBAL float* y, float factor,
                     int count) {
  int i =
      __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  y[i] = factor * x[i];
}

// Reverses 128 numbers through LDS, without the barrier.
KERNEL void reverse(const GLOBAL int* x, GLOBAL int* y) {
  static LDS __attribute__((loader_uninitialized)) int all[128];
  int i = __builtin_amdgcn_workitem_id_x();
  all[i] = x[i];
  y[i] = all[127 - i];
}

// Who comes last?
KERNEL void last(GLOBAL int* y) { y[0] = __builtin_amdgcn_workitem_id_x(); }

struct Pair {
  int a, b;
};
KERNEL void sum(Pair pair, GLOBAL int* y) {
  y[__builtin_amdgcn_workitem_id_x()] = pair.a + pair.b;
}

extern "C" void add(const GLOBAL int* x, GLOBAL int* y, int n) {
  int i = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
  y[i] = x[i] + n;
}
