; Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
;
; A kernel of one wave that calls a tile.

target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

declare void @tw_mmt4d_tile_f16f16f32_48x48x16_amdgpu_gfx942(ptr addrspace(1), ptr addrspace(1), ptr addrspace(1), ptr)

define amdgpu_kernel void @kernel(ptr addrspace(1) %out, ptr addrspace(1) %lhs, ptr addrspace(1) %rhs, ptr addrspace(4) byref([18 x i64]) align 8 %params) #0 {
  %generic = addrspacecast ptr addrspace(4) %params to ptr
  call void @tw_mmt4d_tile_f16f16f32_48x48x16_amdgpu_gfx942(ptr addrspace(1) %out, ptr addrspace(1) %lhs, ptr addrspace(1) %rhs, ptr %generic)
  ret void
}

attributes #0 = { "target-cpu"="TARGET" "amdgpu-flat-work-group-size"="64,64" }
