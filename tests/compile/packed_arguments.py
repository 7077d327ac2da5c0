#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights that a C program packs once and hands over to two functions: headers in C and C++, an archive and a shared
library, in a call what plain loops give.

  packed_arguments.py <tilewright> <scratch> --cc=... --cxx=...
"""

import argparse
import pathlib
import shlex
import subprocess
import sys

MODEL = """
func.func @prefill(%x: tensor<?x40xf32>, %w: tensor<40x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x40xf32>
  %n = tensor.dim %w, %c1 : tensor<40x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x40xf32>, tensor<40x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
func.func @decode(%x: tensor<1x40xf32>, %w: tensor<40x?xf32>) -> tensor<1x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %n = tensor.dim %w, %c1 : tensor<40x?xf32>
  %e = tensor.empty(%n) : tensor<1x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x?xf32>) -> tensor<1x?xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1x40xf32>, tensor<40x?xf32>) outs(%z : tensor<1x?xf32>) -> tensor<1x?xf32>
  return %y : tensor<1x?xf32>
}
"""
MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include "model.h"
enum { M = 7, K = 40, N = 53 };
static float x[M * K], w[K * N], many[M * N], one[N];
static int wrong(const float *y, int rows) {
  int count = 0;
  for (int m = 0; m < rows; ++m)
    for (int n = 0; n < N; ++n) {
      float sum = 0;
      for (int k = 0; k < K; ++k) sum += x[m * K + k] * w[k * N + n];
      count += y[m * N + n] != sum;
    }
  return count;
}
int main(void) {
  for (int i = 0; i < M * K; ++i) x[i] = (float)(i % 13 - 6);
  for (int i = 0; i < K * N; ++i) w[i] = (float)(i % 7 - 3);
  int64_t bytes = w_packed_bytes(N);
  void *packed = malloc((size_t)bytes);
  if (!packed || w_pack(w, N, packed)) return 1;
  for (int i = 0; i < 2; ++i)
    if (prefill(x, M, packed, N, many) || decode(x, packed, N, one)) return 2;
  free(packed);
  printf("%d %d\\n", wrong(many, M), wrong(one, 1));
  return 0;
}
"""


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{shlex.join(str(part) for part in command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tilewright", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--cxx", required=True)
    options = parser.parse_args()
    scratch = options.scratch
    scratch.mkdir(parents=True, exist_ok=True)
    (scratch / "model.mlir").write_text(MODEL)
    (scratch / "main.c").write_text(MAIN)
    checks = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
    for output in "model.a", "model.so":
        run(options.tilewright, "compile", scratch / "model.mlir", "-o", scratch / output, "--emit-header", scratch / "model.h",
            "--packed=prefill:w=w", "--packed=decode:w=w", "--cache-dir", scratch / "cache")
        run(*shlex.split(options.cc), "-std=c11", *checks, scratch / "main.c", scratch / output, "-lm", "-o", scratch / "main",
            f"-Wl,-rpath,{scratch.resolve()}")
        assert run(scratch / "main") == "0 0\n", run(scratch / "main")
    (scratch / "header.cpp").write_text('#include "model.h"\n')
    run(*shlex.split(options.cxx), "-std=c++17", *checks, "-fsyntax-only", scratch / "header.cpp")


if __name__ == "__main__":
    main()
