#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What stage boundaries do to a pipelined kernel: the same kernel with and without them, from the disassembly.

    schedule_table.py --tool build/release/bin/tilewright             prints the tables in Markdown
    schedule_table.py --tool build/release/bin/tilewright --write docs/amdgpu-scheduling.md
    schedule_table.py --tool build/release/bin/tilewright --check docs/amdgpu-scheduling.md

--write replaces what stands between the document's markers; --check compares with it, and holds the rows with both
boundaries to their promise: no wait for global memory between matrix instructions, loads issued a whole iteration before
they are needed."""

import argparse
import itertools
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import code_object  # noqa: E402
import gpus  # noqa: E402
import hot_loop  # noqa: E402

BEGIN, END = "<!-- begin: schedule_table.py -->", "<!-- end: schedule_table.py -->"

# 128 x 128 of out by four waves, 32 K per iteration, by instructions of 16x16: 32 of them in a wave's iteration, 16 on
# gfx950, whose instructions are twice as deep.
PLAN = "waves=2x2 tiles=8x8 ksteps=2 instruction="
KERNELS = {
    "gfx90a": ("tw_mmt4d_kernel_f16f16f32_16x16x16_amdgpu_gfx90a", PLAN + "mfma.f32.16x16x16f16"),
    "gfx942": ("tw_mmt4d_kernel_f16f16f32_16x16x16_amdgpu_gfx942", PLAN + "mfma.f32.16x16x16f16"),
    "gfx950": ("tw_mmt4d_kernel_f16f16f32_16x16x16_amdgpu_gfx950", PLAN + "mfma.f32.16x16x32.f16"),
}
# boundaries= of the plan, and what the table says of it: after COMPUTE, after READ.
BOUNDARIES = {
    "none": ("no", "no"),
    "compute": ("yes", "no"),
    "read": ("no", "yes"),
    "read+compute": ("yes", "yes"),
    "relaxed": ("relaxed", "relaxed"),
}
BUFFERS = (1, 2)
# How zeros come to be where rows or K steps are missing, and what WRITE is for it.
PADDINGS = {"select": "WRITE has arithmetic on what was loaded", "offsets": "WRITE only stores"}


def measure(tool, gfx, boundaries, buffers, padding):
    name, plan = KERNELS[gfx]
    plan = f"{plan} boundaries={boundaries} buffers={buffers} padding={padding}"
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/kernel.hsaco"
        command = [tool, "gen", "-o", path, f"--plan={plan}", name]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
        (kernel,) = code_object.read_kernels(path)
    return hot_loop.hot_loop(kernel, gpus.machines(tool)[gfx])


def table_of(rows, gfx, buffers, padding):
    lines = [
        f"{gfx}, {buffers} buffer{'s' if buffers > 1 else ''} of LDS, {PADDINGS[padding]} (`padding={padding}`):",
        "",
        "| boundary after COMPUTE | after READ | matrix instructions before the first wait for a load | such waits "
        "between them | prefetch distance, matrix cycles | of the loop's |",
        "|---|---|---|---|---|---|",
    ]
    for boundaries, (after_compute, after_read) in BOUNDARIES.items():
        f = rows[gfx, boundaries, buffers, padding]
        lines.append(
            f"| {after_compute} | {after_read} | {f['matrix_before_first_load_wait']} of {f['matrix']} | "
            f"{f['load_waits_between_matrix']} | {f['prefetch_distance']} | {f['matrix_cycles']} |"
        )
    return "\n".join(lines)


def broken_promises(rows):
    """What is not as the pipelining promises."""
    for (gfx, boundaries, buffers, padding), f in rows.items():
        where = f"{gfx}, boundaries={boundaries} buffers={buffers} padding={padding}"
        if boundaries == "read+compute":
            if f["load_waits_between_matrix"]:
                yield f"{where}: {f['load_waits_between_matrix']} waits for loads between matrix instructions"
            if f["prefetch_distance"] < 0.9 * f["matrix_cycles"]:
                yield f"{where}: a prefetch distance of {f['prefetch_distance']} of {f['matrix_cycles']} cycles"
        if not f["matrix"]:
            yield f"{where}: no matrix instructions in the hot loop"
    # What the boundaries are for. If LLVM learns to do without them, this says so.
    for gfx in KERNELS:
        without = [rows[gfx, "none", b, p] for b in BUFFERS for p in PADDINGS]
        if not any(f["load_waits_between_matrix"] or f["prefetch_distance"] < f["matrix_cycles"] / 2 for f in without):
            yield f"{gfx}: without boundaries the schedule is as good: they have lost their reason"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, help="the tilewright tool")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--write", type=pathlib.Path, metavar="DOCUMENT")
    group.add_argument("--check", type=pathlib.Path, metavar="DOCUMENT")
    options = parser.parse_args()

    rows = {
        key: measure(options.tool, *key) for key in itertools.product(KERNELS, BOUNDARIES, BUFFERS, PADDINGS)
    }
    text = "\n\n".join(table_of(rows, *key) for key in itertools.product(KERNELS, BUFFERS, PADDINGS))
    failures = list(broken_promises(rows))
    document = options.write or options.check
    if document:
        before, _, rest = document.read_text().partition(BEGIN)
        old, found, after = rest.partition(END)
        if not found:
            raise SystemExit(f"{document}: no markers {BEGIN} and {END}")
        if options.write:
            document.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")
        elif old.strip() != text:
            failures.append(f"{document} says something else; schedule_table.py --write brings it up to date")
    if not options.write:
        print(text)
    for failure in failures:
        print(f"schedule_table.py: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
