// RUN: tw-opt %s --tw-lower-stage-boundaries-to-amdgpu --split-input-file --verify-diagnostics

func.func @skew_without_kernel() {
  // expected-error @below {{wave skew needs known_block_size on the gpu.func, to know which half of the waves runs behind}}
  tw.stage_boundary after write skew <enter>
  return
}

// -----

gpu.module @kernels {
  gpu.func @skew_of_planes() kernel attributes {known_block_size = array<i32: 64, 4, 1>} {
    // expected-error @below {{wave skew needs a one-dimensional workgroup}}
    tw.stage_boundary after write skew <enter>
    gpu.return
  }
}
