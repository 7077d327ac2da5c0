#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the machine code of every hand-written AMDGPU tile of one target: no spills, no scratch, the newest matrix
instructions, wide loads, and loads a K step or more ahead of what multiplies."""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "amdgpu"))

import code_object  # noqa: E402
import gpus  # noqa: E402
import wave_kernels  # noqa: E402

BITS = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "f8e4m3fn": 8, "f8e5m2": 8,
        "f8e4m3fnuz": 8, "f8e5m2fnuz": 8, "f6e2m3fn": 6, "f6e3m2fn": 6, "f4e2m1fn": 4}

# The newest full-rate instructions of each target, by operand type: mnemonics with {t} for the type's own spelling.
# Of blocks of 4x4 there is one generation only. From AMD's ISA documents.
F8 = ("f8e4m3fn", "f8e5m2", "f8e4m3fnuz", "f8e5m2fnuz", "f6e2m3fn", "f6e3m2fn", "f4e2m1fn")
NEWEST = {
    "gfx90a": {"f16": "f32_(4x4x4|16x16x16|32x32x8)f16", "bf16": "f32_(4x4x4|16x16x16|32x32x8)bf16_1k",
               "f32": "f32_(4x4x1|16x16x4|32x32x2)f32", "f64": "f64_(4x4x4|16x16x4)f64",
               "s8": "i32_(4x4x4|16x16x16|32x32x8)i8"},
    "gfx942": {"f16": "f32_(4x4x4_16b|16x16x16|32x32x8)_f16", "bf16": "f32_(4x4x4_16b|16x16x16|32x32x8)_bf16",
               "f32": "f32_(4x4x1_16b|16x16x4|32x32x2)_f32", "f64": "f64_(4x4x4_4b|16x16x4)_f64",
               "s8": "i32_(4x4x4_16b|16x16x32|32x32x16)_i8", "f8": "f32_(16x16x32|32x32x16)_{f8}"},
    "gfx950": {"f16": "f32_(4x4x4_16b|16x16x32|32x32x16)_f16", "bf16": "f32_(4x4x4_16b|16x16x32|32x32x16)_bf16",
               "f32": "f32_(4x4x1_16b|16x16x4|32x32x2)_f32", "f64": "f64_(4x4x4_4b|16x16x4)_f64",
               "s8": "i32_(4x4x4_16b|16x16x64|32x32x32)_i8", "f8": "f32_(16x16x128|32x32x64)_f8f6f4",
               "mx": "scale_f32_(16x16x128|32x32x64)_f8f6f4"},
    "gfx1100": {"f16": "f32_16x16x16_f16", "bf16": "f32_16x16x16_bf16", "8": "i32_16x16x16_iu8",
                "4": "i32_16x16x16_iu4"},
    "gfx1201": {"f16": "f32_16x16x16_f16", "bf16": "f32_16x16x16_bf16", "8": "i32_16x16x16_iu8",
                "4": "i32_16x16x32_iu4", "f8": "f32_16x16x16_{f8}"},
    "gfx1250": {"f32": "f32_16x16x4_f32", "f16": "f32_16x16x32_f16", "bf16": "f32_16x16x32_bf16",
                "8": "i32_16x16x64_iu8", "f8": "f32_16x16x128_{f8}"},
}
LOAD = re.compile(r"(?:global|flat)_load_(\w+)")
LOAD_BYTES = {"dwordx4": 16, "b128": 16, "dwordx3": 12, "b96": 12, "dwordx2": 8, "b64": 8, "dword": 4, "b32": 4,
              "ushort": 2, "u16": 2, "d16_b16": 2, "ubyte": 1, "u8": 1}


def newest(row):
    """The pattern of the mnemonics that `row` has to consist of."""
    kind = row.lhs
    if row.variant == "mx":
        kind = "mx"
    elif row.lhs in F8:
        kind = "f8"
    elif not row.gfx.startswith("gfx9") and row.lhs[0] in "su":
        kind = row.lhs[1:]
    # The instruction's first operand is the rhs panel.
    pair = "_".join("bf8" if t.startswith("f8e5m2") else "fp8" for t in (row.rhs, row.lhs))
    prefix = "v_mfma_" if row.gfx.startswith("gfx9") else "v_wmma_"
    return prefix + NEWEST[row.gfx][kind].replace("{f8}", pair)


def lane_bytes(row, element):
    """Bytes that one lane has of one operand row in one K step."""
    m = int(re.search(r"_(\d+)x", row.family)[1])
    if row.gfx == "gfx1100":
        groups = 1
    elif row.gfx.startswith("gfx9"):
        groups = {4: 4 if row.lhs == "f64" else 1, 16: 4, 32: 2}[m]
    else:
        groups = 2
    return row.k0 * BITS[element] // 8 // groups


def check(row, kernel):
    """What is wrong with a row's kernel, one sentence each."""
    for note in ("vgpr_spill_count", "sgpr_spill_count", "private_segment_fixed_size"):
        if kernel.resources[note]:
            yield f"{note} is {kernel.resources[note]}"
    texts = [[kernel.instructions[i] for i in loop] for loop in kernel.loops()]
    hot = [t for t in texts if any(re.match(r"v_(mfma|wmma|swmmac|smfmac)", x) for x in t)]
    if len(hot) != 1:
        yield f"{len(hot)} loops multiply, not one"
        return
    used = {x.split()[0] for x in kernel.instructions if re.match(r"v_(mfma|wmma|swmmac|smfmac)", x)}
    wanted = newest(row)
    for mnemonic in sorted(used):
        if not re.fullmatch(wanted, mnemonic):
            yield f"multiplies by {mnemonic}, not by {wanted}"
    allowed = set()
    for element in (row.lhs, row.rhs):
        rest = lane_bytes(row, element)
        while rest:
            piece = max(p for p in (16, 8, 4) if p <= rest)
            allowed.add(piece)
            rest -= piece
    if row.variant == "mx":
        allowed.add(max(1, row.k0 // int(row.family.rsplit("x", 1)[1])))
    loads = [LOAD.match(x)[1] for x in hot[0] if LOAD.match(x)]
    if not loads:
        yield "its loop loads nothing"
    for kind in sorted(set(loads)):
        if LOAD_BYTES.get(kind) not in allowed:
            yield f"loads {kind}, but pieces are of {sorted(allowed)} bytes"
    # A wait that leaves nothing outstanding would wait for the loads just issued.
    for x in hot[0]:
        if re.match(r"s_waitcnt.*vmcnt\(0\)|s_wait_loadcnt 0x0$", x):
            yield f"its loop waits for all loads: {x}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gfx", help="the target, as gfx942")
    parser.add_argument("--tool", required=True, help="the program tilewright")
    parser.add_argument("--kernels", required=True, help="where bench/amdgpu/wave_kernels.py built them")
    parser.add_argument("--clang", default="clang-22")
    options = parser.parse_args()
    gpus.check_targets(parser, options.tool, [options.gfx])
    rows = wave_kernels.rows_of(options.tool, options.gfx)
    tools = wave_kernels.llvm_programs(options.clang)
    kernels = {k.name: k for k in code_object.read_kernels(wave_kernels.built(options.gfx, options.kernels),
                                                           str(tools / "llvm-readelf"), str(tools / "llvm-objdump"))}
    wrong = 0
    for row in rows:
        for problem in check(row, kernels[row.name + "_wave"]):
            print(f"{row.name}: {problem}")
            wrong += 1
    print(f"{options.gfx}: {len(rows)} tiles, {wrong} problems")
    return 1 if wrong or not rows or len(kernels) != len(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
