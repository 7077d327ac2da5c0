// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels for the tests of the emulator's interface.

#define GLOBAL __attribute__((opencl_global))
#define LDS __attribute__((address_space(3)))
#define KERNEL \
  extern "C" __attribute__((amdgpu_kernel, visibility("protected")))

typedef unsigned char u8;
typedef unsigned u32;
typedef unsigned long u64;

struct Params {
  GLOBAL u32* out;
  u32 a;
  u64 b;
};

extern "C" __attribute__((visibility("protected"))) GLOBAL u32 table[4] = {
    10, 20, 30, 40};

// Arguments of every size, and a struct by value among them.
KERNEL void mixed(u8 small, GLOBAL u32* out, short medium, Params params,
                  bool flag, double large) {
  out[0] = small;
  out[1] = u32(medium);
  out[2] = params.a;
  out[3] = u32(params.b >> 32);
  out[4] = flag;
  out[5] = u32(large * 4);
  params.out[6] = 7;
}

// Which of how many it is, as the hidden arguments and the identifiers say.
KERNEL void geometry(GLOBAL u32* out) {
  u32 x = __builtin_amdgcn_workitem_id_x(),
      y = __builtin_amdgcn_workitem_id_y();
  u32 width = __builtin_amdgcn_workgroup_size_x(),
      height = __builtin_amdgcn_workgroup_size_y();
  u32 group =
      __builtin_amdgcn_workgroup_id_x() + 2 * __builtin_amdgcn_workgroup_id_y();
  out[(group * height + y) * width + x] = group * 10000 + y * 100 + x;
}

KERNEL void add_table(GLOBAL u32* out) {
  u32 i = __builtin_amdgcn_workitem_id_x();
  if (i < 4) table[i] += 1;
  if (i < 4) out[i] = table[i];
}

extern LDS u32 dynamic[];
KERNEL void dynamic_lds(GLOBAL u32* out, u32 words) {
  u32 i = __builtin_amdgcn_workitem_id_x();
  if (i < words) dynamic[i] = i;
  if (i < words) out[i] = dynamic[i] * 2;
}
