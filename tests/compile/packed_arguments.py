#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights that a C program packs once and hands over to functions, for few rows, for many, and for windows: headers in C and
C++, an archive and a shared library, exactly the bytes that packing writes, and what plain loops give.

  packed_arguments.py <tilewright> <scratch> --cc=... --cxx=...
  packed_arguments.py <tilewright> <scratch> --cc=... --target=... --run=... --run=...
      For another machine: the archive alone, in a program that each --run runs.
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
func.func @windows(%x: tensor<2x9x11x5xf32>, %f: tensor<3x2x5x37xf32>, %c: tensor<2x4x10x37xf32>) -> tensor<2x4x10x37xf32> {
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 1]> : tensor<2xi64>}
      ins(%x, %f : tensor<2x9x11x5xf32>, tensor<3x2x5x37xf32>) outs(%c : tensor<2x4x10x37xf32>) -> tensor<2x4x10x37xf32>
  return %y : tensor<2x4x10x37xf32>
}
"""
MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model.h"
enum { M = 7, K = 40, N = 53, BEHIND = 4096 };
static float x[M * K], w[K * N], many[M * N], one[N];
static float image[2][9][11][5], filters[3][2][5][37], start[2][4][10][37], places[2][4][10][37];
static void fill(void *to, size_t bytes, int period) {
  for (size_t i = 0; i < bytes / sizeof(float); ++i) ((float *)to)[i] = (float)((int)i % period - period / 2);
}
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
static int wrong_places(void) {
  int count = 0;
  for (int b = 0; b < 2; ++b)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 10; ++j)
        for (int n = 0; n < 37; ++n) {
          float sum = start[b][i][j][n];
          for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 2; ++l)
              for (int c = 0; c < 5; ++c) sum += image[b][2 * i + k][j + l][c] * filters[k][l][c][n];
          count += places[b][i][j][n] != sum;
        }
  return count;
}
/* What is packed ends with an element that is written, and nothing is written behind it. */
static unsigned char *room(int64_t bytes) {
  unsigned char *memory = bytes < 4 ? NULL : malloc((size_t)bytes + BEHIND);
  if (!memory) exit(3);
  memset(memory, 0xA5, (size_t)bytes + BEHIND);
  return memory;
}
static int ends(const unsigned char *memory, int64_t bytes) {
  int behind = 0;
  for (int i = 0; i < BEHIND; ++i) behind += memory[bytes + i] != 0xA5;
  return behind == 0 && (memory[bytes - 1] != 0xA5 || memory[bytes - 4] != 0xA5);
}
int main(void) {
  fill(x, sizeof x, 13);
  fill(w, sizeof w, 7);
  fill(image, sizeof image, 11);
  fill(filters, sizeof filters, 5);
  fill(start, sizeof start, 9);
  int64_t bytes = w_packed_bytes(N), bytes_of_filters = windows_f_packed_bytes();
  unsigned char *packed = room(bytes), *panels = room(bytes_of_filters);
  if (w_pack(w, N, packed) || windows_f_pack(&filters[0][0][0][0], panels)) return 1;
  for (int i = 0; i < 2; ++i)
    if (prefill(x, M, packed, N, many) || decode(x, packed, N, one) ||
        windows(&image[0][0][0][0], panels, &start[0][0][0][0], &places[0][0][0][0]))
      return 2;
  printf("%d %d %d, %d %d\\n", wrong(many, M), wrong(one, 1), wrong_places(), ends(packed, bytes),
         ends(panels, bytes_of_filters));
  free(packed);
  free(panels);
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
    parser.add_argument("--cxx")
    parser.add_argument("--target", default="host")
    parser.add_argument("--run", action="append")
    options = parser.parse_args()
    scratch = options.scratch
    scratch.mkdir(parents=True, exist_ok=True)
    (scratch / "model.mlir").write_text(MODEL)
    (scratch / "main.c").write_text(MAIN)
    checks = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
    for output in ["model.a"] if options.run else ["model.a", "model.so"]:
        run(options.tilewright, "compile", scratch / "model.mlir", "-o", scratch / output, "--emit-header", scratch / "model.h",
            f"--target={options.target}", "--packed=prefill:w=w", "--packed=decode:1=w", "--packed=windows:f", "--cache-dir",
            scratch / "cache")
        run(*shlex.split(options.cc), "-std=c11", *checks, scratch / "main.c", scratch / output, "-lm", "-o", scratch / "main",
            f"-Wl,-rpath,{scratch.resolve()}")
        for way in options.run or [""]:
            said = run(*shlex.split(way), scratch / "main")
            if said != "0 0 0, 1 1\n":
                sys.exit(f"{output} {way}: {said}; expected no wrong elements, and no bytes too few or too many")
    if options.cxx:
        (scratch / "header.cpp").write_text('#include "model.h"\n')
        run(*shlex.split(options.cxx), "-std=c++17", *checks, "-fsyntax-only", scratch / "header.cpp")


if __name__ == "__main__":
    main()
