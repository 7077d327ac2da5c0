#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model's own packs and unpacks, against memcpy of the matrix on one thread.

    compiled_pack.py build/release/bin/tilewright [--against=other/bin/tilewright] [--size=1024] [--rounds=40]

Each line is a layout of matrices of size x size with the speed of a copy of the matrix as 1.00: least times of calls in turns. With
--against the same model, compiled by another tool, takes its turns beside. One core; the machine should do nothing else.
"""

import argparse
import ctypes
import pathlib
import subprocess
import tempfile
import time

BYTES = {"f32": 4, "i8": 1}

# Shape (n stands for the size), outer dimensions, tiled ones, tiles.
LAYOUTS = {
    "lhs, rows 12x1": ("n n", [0, 1], [0, 1], [12, 1]),
    "lhs, rows 12x4": ("n n", [0, 1], [0, 1], [12, 4]),
    "rhs, columns 32x1": ("n n", [1, 0], [1, 0], [32, 1]),
    "rhs, columns 32x4": ("n n", [1, 0], [1, 0], [32, 4]),
    "out, rows 16x16": ("n n", [0, 1], [0, 1], [16, 16]),
    "channels first, of 16": ("16 64 n", [0, 1, 2], [1], [16]),
    "channels last to first, of 16": ("16 n 64", [0, 2, 1], [2], [16]),
}


def model(kind, size, layout):
    """The text, and the bytes of matrix and packed form."""
    shape, outer, inner, tiles = layout
    sizes = [size if text == "n" else int(text) for text in shape.split()]
    tile_of = dict(zip(inner, tiles))
    packed = [-(-sizes[dim] // tile_of.get(dim, 1)) for dim in outer] + tiles
    matrix_type, packed_type = ("tensor<" + "".join(f"{s}x" for s in each) + kind + ">" for each in (sizes, packed))
    form = f"outer_dims_perm = {outer} inner_dims_pos = {inner} inner_tiles = {tiles} into %e"
    zero = "0.0" if kind == "f32" else "0"
    text = f"""
func.func @pack(%x: {matrix_type}) -> {packed_type} {{
  %zero = arith.constant {zero} : {kind}
  %e = tensor.empty() : {packed_type}
  %p = linalg.pack %x padding_value(%zero : {kind}) {form} : {matrix_type} -> {packed_type}
  return %p : {packed_type}
}}
func.func @unpack(%p: {packed_type}) -> {matrix_type} {{
  %e = tensor.empty() : {matrix_type}
  %x = linalg.unpack %p {form} : {packed_type} -> {matrix_type}
  return %x : {matrix_type}
}}
"""
    count = BYTES[kind]
    total = [count, count]
    for i, each in enumerate((sizes, packed)):
        for extent in each:
            total[i] *= extent
    return text, total


def least(ways, rounds):
    times = [float("inf")] * len(ways)
    for _ in range(rounds):
        for i, way in enumerate(ways):
            start = time.perf_counter()
            way()
            times[i] = min(times[i], time.perf_counter() - start)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("--against", type=pathlib.Path)
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    tools = [options.tool] + ([options.against] if options.against else [])
    print("share of the speed of a copy" + (", and of the other tool's" if options.against else ""))
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        for kind in BYTES:
            for number, (title, layout) in enumerate(LAYOUTS.items()):
                text, (matrix_bytes, packed_bytes) = model(kind, options.size, layout)
                source = directory / "model.mlir"
                source.write_text(text)
                libraries = []
                for i, tool in enumerate(tools):
                    output = directory / f"{kind}{number}{i}.so"
                    subprocess.run([tool, "compile", source, "-o", output], check=True, capture_output=True)
                    libraries.append(ctypes.CDLL(str(output)))
                matrix, copy = (ctypes.create_string_buffer(b"\1" * matrix_bytes, matrix_bytes) for _ in range(2))
                packed = ctypes.create_string_buffer(b"\1" * packed_bytes, packed_bytes)
                for direction, arguments in (("pack", (matrix, packed)), ("unpack", (packed, matrix))):
                    ways = [lambda: ctypes.memmove(copy, matrix, matrix_bytes)]
                    for library in libraries:
                        function = getattr(library, direction)
                        ways.append(lambda function=function: function(*arguments))
                    copied, *ours = least(ways, options.rounds)
                    print(f"{kind:4} {direction:6} {title:30}" + "".join(f" {copied / each:6.2f}" for each in ours), flush=True)


if __name__ == "__main__":
    main()
