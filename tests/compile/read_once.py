#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""That weights are read once, however many programs they are packed for.

  read_once.py <tilewright> <scratch> --interposer=<count_reads.so> [--mb=32]

A model with a prefill and a decode whose weights are multiplied as they are and transposed is compiled for one device,
and for three at once, into one file of parameters; the tool sees of its file of weights only one and a half at a time.
Fails if it reads more than the file and a mebibyte, or less than the file.
"""

import argparse
import json
import os
import pathlib
import random
import struct
import subprocess
import sys

COUNT = 16
SLACK = 1 << 20
TARGETS = [["x86_64_avx2_fma"], ["x86_64_avx2_fma", "arm_64:neoverse-n1", "amdgpu:gfx942"]]


def function(name, rows, side):
    """A chain of products, every second one with the transposed weight."""
    lines, value = [], "%y"
    vector, matrix = f"tensor<{rows}x{side}xf32>", f"tensor<{side}x{side}xf32>"
    for i in range(COUNT):
        rhs = "(n, k)" if i % 2 else "(k, n)"
        lines.append(f"""
  %w{i} = ml_program.global_load_const @w{i} : {matrix}
  %y{i} = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> {rhs}>,
      affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}}
      ins({value}, %w{i} : {vector}, {matrix}) outs(%z : {vector}) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.addf %o, %p : f32
    linalg.yield %q : f32
  }} -> {vector}""")
        value = f"%y{i}"
    return f"""
func.func @{name}(%y: {vector}) -> {vector} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {vector}
  %z = linalg.fill ins(%zero : f32) outs(%e : {vector}) -> {vector}{"".join(lines)}
  return {value} : {vector}
}}
"""


def write_weights(path, side):
    each = side * side * 4
    header = json.dumps({f"w{i}": {"dtype": "F32", "shape": [side, side], "data_offsets": [i * each, (i + 1) * each]}
                         for i in range(COUNT)}).encode()
    block = random.Random(1).randbytes(each)
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        for i in range(COUNT):
            file.write(struct.pack("<Q", i) + block[8:])
    return each


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--interposer", required=True)
    parser.add_argument("--mb", type=int, default=32)
    options = parser.parse_args()
    work = options.scratch.resolve()
    work.mkdir(parents=True, exist_ok=True)
    side = int((options.mb * 2**20 / 4 / COUNT) ** 0.5) // 64 * 64
    model, weights, log = work / "model.mlir", work / "weights.safetensors", work / "reads"
    matrix = f"tensor<{side}x{side}xf32>"
    model.write_text("".join(f"ml_program.global private @w{i}(#ml_program.extern : {matrix}) : {matrix}\n"
                             for i in range(COUNT)) + function("prefill", 128, side) + function("decode", 1, side))
    each = write_weights(weights, side)
    size = weights.stat().st_size
    failed = False
    for targets in TARGETS:
        log.write_bytes(bytes(8))
        first, *others = targets
        subprocess.run([options.tool, "compile", model, "-o", work / "model.a", f"--target={first}",
                        f"--parameters={weights}", f"--parameters-out={work / 'model.twp'}",
                        *(f"--also={work / f'also{number}.a'}={target}" for number, target in enumerate(others))],
                       check=True, env={**os.environ, "LD_PRELOAD": options.interposer, "TW_READS_OF": str(weights),
                                        "TW_READS_WINDOW": str(each * 3 // 2), "TW_READS_LOG": str(log)})
        read = struct.unpack("<Q", log.read_bytes())[0]
        print(f"{', '.join(targets)}: {read} bytes read of a file of {size}")
        failed |= not size <= read <= size + SLACK
    weights.unlink()
    if failed:
        sys.exit("expected each byte to be read once, in pieces of 64 KiB")


if __name__ == "__main__":
    main()
