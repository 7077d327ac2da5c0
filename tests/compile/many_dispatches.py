#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What 1000 matrix multiplications, each with a tanh, over 50 shapes take to compile.

  many_dispatches.py <tilewright> <scratch> [--seconds=3] [--megabytes=250]

Exits with 1 if processor time or memory exceed that, or if a body is there twice.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import sys

SHAPES = 50
ROWS = 64


def model(count):
    width = [32 * (i % SHAPES + 1) for i in range(count + 1)]
    weights = ", ".join(f"%w{i}: tensor<{width[i]}x{width[i + 1]}xf32>" for i in range(SHAPES))
    yield f"func.func @chain(%x0: tensor<{ROWS}x{width[0]}xf32>, {weights}) -> tensor<{ROWS}x{width[count]}xf32> {{"
    yield "  %zero = arith.constant 0.0 : f32"
    for i in range(count):
        x, out = f"tensor<{ROWS}x{width[i]}xf32>", f"tensor<{ROWS}x{width[i + 1]}xf32>"
        w = f"tensor<{width[i]}x{width[i + 1]}xf32>"
        yield f"  %e{i} = tensor.empty() : {out}"
        yield f"  %f{i} = linalg.fill ins(%zero : f32) outs(%e{i} : {out}) -> {out}"
        yield f"  %m{i} = linalg.matmul ins(%x{i}, %w{i % SHAPES} : {x}, {w}) outs(%f{i} : {out}) -> {out}"
        yield f"  %x{i + 1} = math.tanh %m{i} : {out}"
    yield f"  return %x{count} : tensor<{ROWS}x{width[count]}xf32>"
    yield "}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tilewright")
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--megabytes", type=float, default=250)
    arguments = parser.parse_args()
    arguments.scratch.mkdir(parents=True, exist_ok=True)
    failed = False
    for count in (SHAPES, 1000):
        path = arguments.scratch / f"chain{count}.mlir"
        path.write_text("\n".join(model(count)) + "\n")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([arguments.tilewright, "compile", path, "-o", path.with_suffix(".a"), "--report=json"],
                              capture_output=True)
        if done.returncode:
            sys.exit(done.stderr.decode())
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        report = json.loads(done.stdout)
        megabytes = report["peak_memory_bytes"] / 1e6
        functions = [dispatch["function"] for dispatch in report["dispatches"]]
        calls = sum(dispatch["calls"] for dispatch in report["dispatches"])
        print(f"{count} matmul + tanh: {seconds:.2f} s of processor time, {megabytes:.0f} MB, "
              f"{calls} dispatches of {', '.join(functions)}")
        elementwise = [name for name in functions if name.startswith("elementwise")]
        if len(elementwise) > 1:
            failed = True
            print(f"wrong: tanh has several bodies, {elementwise}")
        if seconds > arguments.seconds or megabytes > arguments.megabytes:
            failed = True
            print(f"wrong: at most {arguments.seconds} s and {arguments.megabytes} MB are allowed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
