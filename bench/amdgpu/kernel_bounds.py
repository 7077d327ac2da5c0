#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the pipelined kernels to their bounds, from the code objects: exit status 1 if one is missed.

    kernel_bounds.py --tool build/release/bin/tilewright

No spills and no scratch; no wait for global memory between matrix instructions; loads issued at least 90 % of the loop's
matrix cycles before they are needed; matrix instructions at least 85 % of the modelled issue cycles of a wave
(hot_loop.py)."""

import argparse
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import code_object  # noqa: E402
import gpus  # noqa: E402
import hot_loop  # noqa: E402

MIN_SHARE, MIN_DISTANCE = 0.85, 0.90

# The planner's choice, or, where another tile is best for one wave, that.
KERNELS = (
    ("f16f16f32_16x16x16_amdgpu_gfx90a", ""),
    ("bf16bf16f32_16x16x16_amdgpu_gfx90a", ""),
    ("s8s8s32_16x16x16_amdgpu_gfx90a", ""),
    ("f16f16f32_16x16x16_amdgpu_gfx942", ""),
    ("bf16bf16f32_16x16x16_amdgpu_gfx942", ""),
    ("s8s8s32_16x16x32_amdgpu_gfx942", ""),
    ("f8e4m3fnuzf8e4m3fnuzf32_16x16x32_amdgpu_gfx942", ""),
    ("f8e5m2fnuzf8e4m3fnuzf32_16x16x32_amdgpu_gfx942", ""),
    ("f16f16f32_16x16x32_amdgpu_gfx950", ""),
    ("bf16bf16f32_16x16x32_amdgpu_gfx950", ""),
    ("s8s8s32_16x16x64_amdgpu_gfx950", ""),
    ("f8e4m3fnf8e4m3fnf32_16x16x128_amdgpu_gfx950", "waves=2x2 tiles=12x16 ksteps=1"),
    ("f8e5m2f8e4m3fnf32_16x16x128_amdgpu_gfx950", "waves=2x2 tiles=12x16 ksteps=1"),
)
# Other ways through LDS, whose share is not judged: they trade instructions for LDS, registers or distance.
OTHER_WAYS = (
    ("f16f16f32_16x16x16_amdgpu_gfx90a", "buffers=2"),
    ("f16f16f32_16x16x16_amdgpu_gfx942", "buffers=2"),
    ("f16f16f32_16x16x16_amdgpu_gfx942", "waves=2x2 tiles=8x16 stages=3"),
    ("s8s8s32_16x16x32_amdgpu_gfx942", "waves=2x4 tiles=16x16 ksteps=2 reads=direct"),
    ("f16f16f32_16x16x32_amdgpu_gfx950", "waves=2x2 tiles=12x16 ksteps=2 reads=direct"),
    ("f16f16f32_16x16x32_amdgpu_gfx950", "waves=2x2 tiles=8x8 ksteps=2 reads=direct stages=3"),
)


def machine_of(tool, tile):
    return gpus.machines(tool)[tile.rpartition("_")[2]]


def measure(tool, tile, plan):
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/kernel.hsaco"
        command = [tool, "gen", "-o", path, f"--plan={plan}", f"tw_mmt4d_kernel_{tile}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
        (kernel,) = code_object.read_kernels(path)
    return kernel.resources, hot_loop.hot_loop(kernel, machine_of(tool, tile))


def missed(resources, loop, share):
    """Which bounds are missed."""
    for note in ("vgpr_spill_count", "sgpr_spill_count", "private_segment_fixed_size"):
        if resources[note]:
            yield f"{note} is {resources[note]}"
    if loop["load_waits_between_matrix"]:
        yield f"{loop['load_waits_between_matrix']} waits for loads between matrix instructions"
    if loop["prefetch_distance"] < MIN_DISTANCE * loop["matrix_cycles"]:
        yield f"prefetch distance {loop['prefetch_distance']} of {loop['matrix_cycles']} matrix cycles"
    if share and loop["matrix_share"] < MIN_SHARE:
        yield f"matrix instructions are {loop['matrix_share']:.1%} of the issue cycles"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, help="the tilewright tool")
    options = parser.parse_args()
    failures = 0
    print("| kernel | plan | registers | matrix | others issued | waits between | prefetch distance | share |")
    print("|---|---|---|---|---|---|---|---|")
    for tile, plan in KERNELS + OTHER_WAYS:
        resources, loop = measure(options.tool, tile, plan)
        others = (loop["issue_cycles"] - loop["matrix_cycles"]) // machine_of(options.tool, tile)["issue"]
        print(
            f"| {tile} | {plan or 'chosen'} | {resources['vgpr_count']} | {loop['matrix']} | {others} | "
            f"{loop['load_waits_between_matrix']} | {loop['prefetch_distance']} of {loop['matrix_cycles']} | "
            f"{loop['matrix_share']:.1%} |"
        )
        for failure in missed(resources, loop, (tile, plan) in KERNELS):
            failures += 1
            print(f"kernel_bounds.py: {tile} {plan}: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
