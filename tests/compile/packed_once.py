#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights for tiles of scalable sizes are packed when an instance is made: calls pack none, later instances neither, and
without memory there is no instance. On emulated CPUs with vectors of several lengths.

  packed_once.py <tilewright> <scratch> --cc=... --run=<qemu-aarch64> --sources=<repository> --target=arm_64_sve --cpu=<model>...
"""

import argparse
import json
import pathlib
import random
import shlex
import subprocess
import sys

WEIGHTS = 4  # panels: of @w one for both functions, of each matrix of @heads, of @filters

MODEL = """
ml_program.global private mutable @calls(0 : i64) : i64
func.func @prefill(%x: tensor<?x64xf32>, %h: tensor<2x?x8xf32>) -> (tensor<?x96xf32>, tensor<2x?x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : i64
  %n = ml_program.global_load @calls : i64
  %next = arith.addi %n, %one : i64
  ml_program.global_store @calls = %next : i64
  %w = arith.constant dense<WEIGHT> : tensor<64x96xf32>
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?x96xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x96xf32>) outs(%z : tensor<?x96xf32>) -> tensor<?x96xf32>
  %heads = arith.constant dense<HEADS> : tensor<2x8x32xf32>
  %rows = tensor.dim %h, %c1 : tensor<2x?x8xf32>
  %he = tensor.empty(%rows) : tensor<2x?x32xf32>
  %hz = linalg.fill ins(%zero : f32) outs(%he : tensor<2x?x32xf32>) -> tensor<2x?x32xf32>
  %hy = linalg.batch_matmul ins(%h, %heads : tensor<2x?x8xf32>, tensor<2x8x32xf32>) outs(%hz : tensor<2x?x32xf32>) -> tensor<2x?x32xf32>
  return %y, %hy : tensor<?x96xf32>, tensor<2x?x32xf32>
}
func.func @decode(%x: tensor<1x64xf32>, %i: tensor<1x9x9x4xf32>) -> (tensor<1x96xf32>, tensor<1x7x7x40xf32>) {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<WEIGHT> : tensor<64x96xf32>
  %e = tensor.empty() : tensor<1x96xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x96xf32>) -> tensor<1x96xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1x64xf32>, tensor<64x96xf32>) outs(%z : tensor<1x96xf32>) -> tensor<1x96xf32>
  %filters = arith.constant dense<FILTERS> : tensor<3x3x4x40xf32>
  %ce = tensor.empty() : tensor<1x7x7x40xf32>
  %cz = linalg.fill ins(%zero : f32) outs(%ce : tensor<1x7x7x40xf32>) -> tensor<1x7x7x40xf32>
  %cy = linalg.conv_2d_nhwc_hwcf ins(%i, %filters : tensor<1x9x9x4xf32>, tensor<3x3x4x40xf32>)
      outs(%cz : tensor<1x7x7x40xf32>) -> tensor<1x7x7x40xf32>
  return %y, %cy : tensor<1x96xf32>, tensor<1x7x7x40xf32>
}
"""

# What an instance and its calls allocate themselves is the same each time; panels are allocated once.
MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "net.h"
enum { kRows = 5 };
static long allocated, most = -1;
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_aligned_alloc(size_t alignment, size_t bytes) {
  if (most >= 0 && allocated >= most) return NULL;
  ++allocated;
  return __real_aligned_alloc(alignment, bytes);
}
static float x[kRows * 64], h[2 * kRows * 8], image[9 * 9 * 4];
static struct { float y[kRows * 96], heads[2 * kRows * 32], one[96], image[7 * 7 * 40]; } all, again;
#ifdef PARAMETERS
static net_parameters *parameters;
#define CREATE(instance) net_create(parameters, instance)
#else
#define CREATE(instance) net_create(instance)
#endif
static long spent(void) {
  const long count = allocated;
  allocated = 0;
  return count;
}
static long calls(net_instance *instance) {
  spent();
  if (prefill(instance, x, kRows, h, kRows, all.y, all.heads) != 0 || decode(instance, x, image, all.one, all.image) != 0) exit(2);
  return spent();
}
int main(int count, char **arguments) {
  for (int i = 0; i < kRows * 64; ++i) x[i] = (float)(i % 13 - 6);
  for (int i = 0; i < 2 * kRows * 8; ++i) h[i] = (float)(i % 11 - 5);
  for (int i = 0; i < 9 * 9 * 4; ++i) image[i] = (float)(i % 7 - 3);
#ifdef PARAMETERS
  if (net_open_parameters(arguments[1], &parameters, NULL, 0) != 0) return 1;
#endif
  net_instance *instance, *second;
  const int refuses = count > 1 && strcmp(arguments[count - 1], "refuse") == 0;
  // Wherever memory ends there is no instance, and what was packed is found by the next one.
  long refused = 0;
  for (most = refuses ? 0 : -1;; ++most) {
    instance = (void *)1;
    const int status = CREATE(&instance);
    if (status == 0) break;
    if (status != 5 || instance) return 3;
    ++refused;
    spent();
  }
  most = -1;
  const long first_create = spent(), first_calls = calls(instance);
  again = all;
  memset(&all, 0, sizeof(all));
  spent();
  if (CREATE(&second) != 0) return 4;
  const long second_create = spent(), second_calls = calls(second);
  if (memcmp(&all, &again, sizeof(all)) != 0) return 5;
  net_destroy(instance);
  net_destroy(second);
  fprintf(stderr, "%ld %ld %ld\\n", first_create - second_create, first_calls - second_calls, refused - second_create);
  fwrite(&all, sizeof(all), 1, stdout);
  return 0;
}
"""


class Checker:
    def __init__(self, options):
        self.options, self.work = options, options.scratch
        self.work.mkdir(parents=True, exist_ok=True)
        choose = random.Random(7)

        def dense(*shape):
            if len(shape) == 1:
                return "[" + ", ".join(f"{choose.randint(-3, 3)}.0" for _ in range(shape[0])) + "]"
            return "[" + ", ".join(dense(*shape[1:]) for _ in range(shape[0])) + "]"

        (self.work / "net.mlir").write_text(MODEL.replace("WEIGHT", dense(64, 96)).replace("HEADS", dense(2, 8, 32)).replace(
            "FILTERS", dense(3, 3, 4, 40)))
        (self.work / "main.c").write_text(MAIN)

    def program(self, in_file, *flags):
        """What the report says of weights, and what runs the program."""
        file = [f"--parameters-out={self.work / 'net.twp'}"] if in_file else []
        done = subprocess.run([self.options.tool, "compile", self.work / "net.mlir", "-o", self.work / "net.a",
                               f"--emit-header={self.work / 'net.h'}", f"--target={self.options.target}", "--report=json", *file,
                               *flags], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{flags}: {done.stderr}")
        sources = self.options.sources / "ukernels" / "instance"
        subprocess.run([*shlex.split(self.options.cc), f"-I{self.work}", f"-I{self.options.sources / 'abi' / 'include'}",
                        f"-I{self.options.sources}", *(["-DPARAMETERS"] if in_file else []), self.work / "main.c",
                        self.work / "net.a", sources / "instance.c", sources / "parameters.c", "-Wl,--wrap=aligned_alloc", "-lm",
                        "-o", self.work / "net"], check=True)
        rules = [relayout["rule"] for relayout in json.loads(done.stdout)["relayouts"] if relayout["what"] == "rhs"]
        return rules, [self.work / "net", *([self.work / "net.twp"] if in_file else [])]

    def run(self, cpu, command):
        """Panels allocated by the first instance and by its calls, refusals that are due to panels, and results."""
        done = subprocess.run([*shlex.split(self.options.run), "-cpu", cpu, *map(str, command)], capture_output=True)
        if done.returncode:
            sys.exit(f"{command} on {cpu}: {done.returncode} {done.stderr}")
        return [int(number) for number in done.stderr.split()], done.stdout

    def check(self, in_file, *flags):
        rules, command = self.program(in_file, "--run-once=false", *flags)
        if set(rules) != {"vectors"}:
            sys.exit(f"{flags}: --run-once=false: weights are {rules}")
        plain = {}
        for cpu in self.options.cpu:
            counts, plain[cpu] = self.run(cpu, command)
            if counts[:2] != [0, WEIGHTS]:
                sys.exit(f"{flags} on {cpu}: --run-once=false: an instance and its calls pack {counts[:2]}")
        rules, command = self.program(in_file, *flags)
        if set(rules) != {"instance"}:
            sys.exit(f"{flags}: weights are {rules}")
        for cpu in self.options.cpu:
            counts, results = self.run(cpu, command)
            if counts[:2] != [WEIGHTS, 0] or results != plain[cpu]:
                sys.exit(f"{flags} on {cpu}: an instance and its calls pack {counts[:2]}, or compute something else")
            counts, results = self.run(cpu, [*command, "refuse"])
            if counts[2] < 1 or counts[1] != 0 or results != plain[cpu]:
                sys.exit(f"{flags} on {cpu}: without memory: {counts}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--run", required=True)
    parser.add_argument("--sources", type=pathlib.Path, required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--cpu", action="append", required=True)
    checker = Checker(parser.parse_args())
    checker.check(False)
    checker.check(True)
    checker.check(False, "--data-tiling=early")


if __name__ == "__main__":
    main()
