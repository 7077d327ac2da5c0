#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of a compiled model is no tile, against numpy and memcpy on one thread.

    compare_numpy.py build/release/bin/tilewright [--elements=1048576] [--check]

needs numpy (and scipy, for erf). Each line is an operation on f32 with the least time of many runs of its own, of numpy
and of a copy of the same tensor, taken in turns. --check exits with 1 if a bound is missed.
"""

import argparse
import ctypes
import math
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

try:
    from scipy import special
except ImportError:
    special = None

ROUNDS = 30


def unary(name, op):
    return f"""
func.func @{name}(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {{
  %y = {op} %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}}
"""


def reduction(name, dim):
    return f"""
func.func @{name}(%x: tensor<?x?xf32>) -> tensor<?xf32> {{
  %dim = arith.constant {1 - dim} : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %dim : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.reduce {{ arith.addf }} ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) dimensions = [{dim}]
  return %r : tensor<?xf32>
}}
"""


SIZES = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
"""

ROWS = (
    'indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], '
    'iterator_types = ["parallel", "parallel"]'
)

SOFTMAX = f"""
func.func @softmax_(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {{ {SIZES}
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}}
"""

LAYER_NORM = f"""
func.func @layer_norm_(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {{ {SIZES}
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %k = arith.index_cast %n : index to i32
  %count = arith.sitofp %k : i32 to f32
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce {{ arith.addf }} ins(%x : tensor<?x?xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
  %mean = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
      ins(%sum : tensor<?xf32>) outs(%e : tensor<?xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %r = arith.divf %a, %count : f32
    linalg.yield %r : f32
  }} -> tensor<?xf32>
  %g = tensor.empty(%m, %n) : tensor<?x?xf32>
  %d = linalg.generic {{ {ROWS} }} ins(%x, %mean : tensor<?x?xf32>, tensor<?xf32>) outs(%g : tensor<?x?xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.subf %a, %b : f32
    linalg.yield %r : f32
  }} -> tensor<?x?xf32>
  %square = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}} ins(%d : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %s = arith.mulf %a, %a : f32
    %r = arith.addf %s, %o : f32
    linalg.yield %r : f32
  }} -> tensor<?xf32>
  %scale = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
      ins(%square : tensor<?xf32>) outs(%e : tensor<?xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %v = arith.divf %a, %count : f32
    %w = arith.addf %v, %eps : f32
    %r = math.rsqrt %w : f32
    linalg.yield %r : f32
  }} -> tensor<?xf32>
  %y = linalg.generic {{ {ROWS} }} ins(%d, %scale : tensor<?x?xf32>, tensor<?xf32>) outs(%g : tensor<?x?xf32>) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  }} -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}}
"""

TRANSPOSE = f"""
func.func @transpose_(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {{ {SIZES}
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %r = linalg.transpose ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) permutation = [1, 0]
  return %r : tensor<?x?xf32>
}}
"""


def softmax(x, out):
    np.subtract(x, x.max(axis=1, keepdims=True), out=out)
    np.exp(out, out=out)
    out /= out.sum(axis=1, keepdims=True)


def layer_norm(x, out):
    np.subtract(x, x.mean(axis=1, keepdims=True), out=out)
    out *= 1 / np.sqrt(np.square(out).mean(axis=1, keepdims=True) + np.float32(1e-5))


# Name, model, numpy, tolerance; the bound is of numpy's time, or of twice that of a copy.
CASES = [
    ("exp_", unary("exp_", "math.exp"), np.exp, 1e-6, "numpy"),
    ("tanh_", unary("tanh_", "math.tanh"), np.tanh, 1e-6, "numpy"),
    ("erf_", unary("erf_", "math.erf"), special and special.erf, 1e-6, "numpy"),
    ("log1p_", unary("log1p_", "math.log1p"), np.log1p, 1e-6, None),
    ("sin_", unary("sin_", "math.sin"), np.sin, 1e-6, None),
    ("softmax_", SOFTMAX, softmax, 1e-5, "copy"),
    ("layer_norm_", LAYER_NORM, layer_norm, 1e-4, "copy"),
    ("transpose_", TRANSPOSE, lambda x, out: np.copyto(out, x.T), 0, None),
    ("sum_rows_", reduction("sum_rows_", 1), lambda x, out: np.sum(x, axis=1, out=out), 1e-3, None),
    ("sum_columns_", reduction("sum_columns_", 0), lambda x, out: np.sum(x, axis=0, out=out), 1e-3, None),
]


def build(tool, folder):
    model, archive, library = folder / "model.mlir", folder / "model.a", folder / "model.so"
    model.write_text("".join(case[1] for case in CASES))
    subprocess.run([tool, "compile", model, "-o", archive], check=True)
    subprocess.run(["cc", "-shared", "-o", library, "-Wl,--whole-archive", archive, "-Wl,--no-whole-archive", "-lm"], check=True)
    return ctypes.CDLL(str(library))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("--elements", type=int, default=1 << 20)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    n = math.isqrt(args.elements)
    x = np.random.default_rng(0).uniform(-0.9, 4, (n, n)).astype(np.float32)
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        library = build(args.tool, pathlib.Path(folder))
        print(f"{'':14}{'ms':>9}{'numpy':>9}{'copy':>9}{'numpy/ours':>12}{'copy/ours':>11}")
        for name, _, reference, tolerance, bound in CASES:
            shape = (n,) if name.startswith("sum") else (n, n)
            ours, theirs, copy = np.zeros(shape, np.float32), np.zeros(shape, np.float32), np.zeros_like(x)
            entry = getattr(library, name)
            pointers = [ctypes.c_void_p(x.ctypes.data), ctypes.c_int64(n), ctypes.c_int64(n), ctypes.c_void_p(ours.ctypes.data)]
            runs = {"ours": lambda: entry(*pointers), "copy": lambda: ctypes.memmove(copy.ctypes.data, x.ctypes.data, x.nbytes)}
            if reference:
                runs["numpy"] = lambda: reference(x, out=theirs)
            least = {}
            for _ in range(ROUNDS):
                for who, run in runs.items():
                    start = time.perf_counter()
                    run()
                    least[who] = min(least.get(who, math.inf), (time.perf_counter() - start) * 1e3)
            if reference and not np.allclose(ours, theirs, rtol=tolerance, atol=tolerance):
                sys.exit(f"{name} differs from numpy by {np.abs(ours - theirs).max()}")
            least.setdefault("numpy", math.nan)
            is_fast = {"numpy": not least["ours"] > least["numpy"], "copy": least["ours"] <= 2 * least["copy"], None: True}[bound]
            print(
                f"{name.rstrip('_'):14}{least['ours']:9.3f}{least['numpy']:9.3f}{least['copy']:9.3f}"
                f"{least['numpy'] / least['ours']:12.2f}{least['copy'] / least['ours']:11.2f}{'' if is_fast else '  missed'}"
            )
            if not is_fast:
                missed.append(name)
    return 1 if args.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
