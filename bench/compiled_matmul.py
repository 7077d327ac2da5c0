#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix multiplications of compiled models, with constant weights, against tw_mmt4d on packed operands.

    compiled_matmul.py build/release [--sizes=256,512,1024,2048,4096] [--types=f32,bf16,s8] [--rows=1] [--target=x86_64:znver3]
                       [--check]

Two models of each size and type: mn, a product of matrices, and abn, abk,kn->abn with the same rows in two dimensions.
Matrices are square, or have so many --rows, which are multiplied by square ones.
A line is the median of 21 turns of tw_mmt4d's time divided by the model's, so 1.00 is as fast although the model packs
its argument and writes rows. One thread; the machine should do nothing else. --check exits with 1 if one is below 0.95.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

BOUND = 0.95
SOURCE = pathlib.Path(__file__).resolve().parent.parent

# How MLIR spells elements of lhs and rhs, those of out, their triple; the body between; bytes; how a weight is made.
TYPES = {
    "f32": ("f32", "f32", "TW_TYPES_F32F32F32", 4),
    "bf16": ("bf16", "f32", "TW_TYPES_BF16BF16F32", 2),
    "s8": ("i8", "i32", "TW_TYPES_S8S8S32", 1),
}


def weights(kind, count):
    """`count` elements as MLIR's hexadecimal blob, behind its four bytes of alignment."""
    chooser = random.Random(1)
    size = TYPES[kind][3]
    pattern = bytes(
        chooser.randrange(7) if size == 1 else 0x3F if i % size == size - 1 else chooser.randrange(128)
        for i in range(4096 * size)
    )
    return "0x40000000" + (pattern.hex() * (count // 4096 + 1))[: 2 * count * size]


def model(kind, m, n):
    lhs, out, _, _ = TYPES[kind]
    zero = "0" if out == "i32" else "0.0"
    outer = 1 + (m % 2 == 0)
    shapes = {"mn": ("m", f"{m}"), "abn": ("a, b", f"{outer}x{m // outer}")}
    text = ""
    for name, (rows, sizes) in shapes.items():
        text += f"""
func.func @{name}(%x: tensor<{sizes}x{n}x{lhs}>) -> tensor<{sizes}x{n}x{out}> {{
  %w = arith.constant dense_resource<w> : tensor<{n}x{n}x{lhs}>
  %zero = arith.constant {zero} : {out}
  %e = tensor.empty() : tensor<{sizes}x{n}x{out}>
  %f = linalg.fill ins(%zero : {out}) outs(%e : tensor<{sizes}x{n}x{out}>) -> tensor<{sizes}x{n}x{out}>
  %r = linalg.contract indexing_maps = [affine_map<({rows}, n, k) -> ({rows}, k)>, affine_map<({rows}, n, k) -> (k, n)>,
                                        affine_map<({rows}, n, k) -> ({rows}, n)>]
      ins(%x, %w : tensor<{sizes}x{n}x{lhs}>, tensor<{n}x{n}x{lhs}>) outs(%f : tensor<{sizes}x{n}x{out}>)
      -> tensor<{sizes}x{n}x{out}>
  return %r : tensor<{sizes}x{n}x{out}>
}}
"""
    return text + '{-# dialect_resources: { builtin: { w: "' + weights(kind, n * n) + '" } } #-}\n'


def measure(build, directory, kind, m, n, target):
    lhs, out, triple, size = TYPES[kind]
    source = directory / "model.mlir"
    source.write_text(model(kind, m, n))
    subprocess.run([build / "bin/tilewright", "compile", source, "-o", directory / "model.a", "--emit-header",
                    directory / "model.h", *([f"--target={target}"] if target else [])], check=True)
    ratios = {}
    for name in ("mn", "abn"):
        program = directory / name
        subprocess.run(
            ["cc", "-O2", f"-DROWS={m}", f"-DSIZE={n}", f"-DTYPES={triple}", f"-DLHS_BYTES={size}", f"-DRHS_BYTES={size}",
             "-DOUT_BYTES=4", f"-DMODEL={name}", f"-DWITH_WORKSPACE={name}_with_workspace", f"-DWORKSPACE_BYTES={name}_workspace_bytes",
             f"-I{directory}", f"-I{SOURCE / 'abi/include'}", SOURCE / "bench/compiled_matmul.c", directory / "model.a",
             build / "ukernels/libtilewright.a", "-lm", "-o", program], check=True)
        ratio, rate = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
        ratios[name] = float(ratio)
        print(f"{kind:5} {m:5} {n:5} {name:4} {float(ratio):6.2f} {float(rate):9.1f} Gop/s", flush=True)
    return ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="the build tree")
    parser.add_argument("--sizes", default="256,512,1024,2048,4096")
    parser.add_argument("--rows", type=int, help="of the argument and the result (default: as many as columns)")
    parser.add_argument("--target", help="as compile has it, and by default its default")
    parser.add_argument("--types", default=",".join(TYPES))
    parser.add_argument("--check", action="store_true", help="exit with 1 if a bound is missed")
    options = parser.parse_args()
    unknown = [kind for kind in options.types.split(",") if kind not in TYPES]
    if unknown:
        parser.error(f"--types: '{unknown[0]}' is none of {', '.join(TYPES)}")
    if options.rows is not None and options.rows < 1:
        parser.error(f"--rows: {options.rows} is no number of rows, 1 or more")
    print("types  rows  size model  of tw_mmt4d")
    missed = 0
    for kind in options.types.split(","):
        for n in map(int, options.sizes.split(",")):
            with tempfile.TemporaryDirectory() as directory:
                ratios = measure(
                    options.build.resolve(), pathlib.Path(directory), kind, options.rows or n, n, options.target)
            missed += sum(ratio < BOUND for ratio in ratios.values())
    if options.check and missed:
        print(f"{missed} below {BOUND}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
