#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a model computes of its parameters alone is computed once, when an instance is made: with the bits that each call would
compute, of functions that are not exact, too; in threads, after a reset, in a shared library, for several targets, and where
there is no memory.

  run_once_instances.py <tilewright> <scratch> --cc=... --library=libtilewright_instance.a
"""

import argparse
import ctypes
import json
import pathlib
import random
import struct
import subprocess
import sys

import parameters

MODEL = """
ml_program.global private @w(#ml_program.extern : tensor<64x96xi8>) : tensor<64x96xi8>
ml_program.global private @scale(#ml_program.extern : tensor<96xf32>) : tensor<96xf32>
ml_program.global private @gate(#ml_program.extern : tensor<64x96xf32>) : tensor<64x96xf32>
ml_program.global private mutable @sum(dense<0.0> : tensor<96xf32>) : tensor<96xf32>

// Weights of integers and their scales, times a softmax of a parameter: as one tensor for prefill and decode.
func.func private @weight() -> tensor<64x96xf32> {
  %w = ml_program.global_load_const @w : tensor<64x96xi8>
  %s = ml_program.global_load_const @scale : tensor<96xf32>
  %g = ml_program.global_load_const @gate : tensor<64x96xf32>
  %e = tensor.empty() : tensor<64x96xf32>
  %f = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<64x96xi8>, tensor<96xf32>) outs(%e : tensor<64x96xf32>) {
  ^bb0(%a: i8, %b: f32, %out: f32):
    %1 = arith.sitofp %a : i8 to f32
    %2 = arith.mulf %1, %b : f32
    linalg.yield %2 : f32
  } -> tensor<64x96xf32>
  %p = linalg.softmax dimension(1) ins(%g : tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
  %r = arith.mulf %f, %p : tensor<64x96xf32>
  return %r : tensor<64x96xf32>
}
func.func @prefill(%x: tensor<?x64xf32>) -> tensor<?x96xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %w = call @weight() : () -> tensor<64x96xf32>
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?x96xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x96xf32>) outs(%z : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %y : tensor<?x96xf32>
}
func.func @decode(%x: tensor<1x64xf32>, %n: index) -> tensor<96xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %old = ml_program.global_load @sum : tensor<96xf32>
  // In a loop, as in a branch.
  %new = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %old) -> tensor<96xf32> {
    %w = func.call @weight() : () -> tensor<64x96xf32>
    %e = tensor.empty() : tensor<1x96xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x96xf32>) -> tensor<1x96xf32>
    %y = linalg.matmul ins(%x, %w : tensor<1x64xf32>, tensor<64x96xf32>) outs(%z : tensor<1x96xf32>) -> tensor<1x96xf32>
    %row = tensor.collapse_shape %y [[0, 1]] : tensor<1x96xf32> into tensor<96xf32>
    %next = arith.addf %sum, %row : tensor<96xf32>
    scf.yield %next : tensor<96xf32>
  }
  ml_program.global_store @sum = %new : tensor<96xf32>
  return %new : tensor<96xf32>
}
"""

ROWS = 17
MAIN = """
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "net.h"
enum { kRows = ROWS };
static float x[kRows * 64];
typedef struct { float prefill[kRows * 96], decode[96], again[96]; } results_t;
static results_t expected, all[8];
static net_parameters *parameters;
static int run(results_t *results) {
  net_instance *instance;
  if (net_create(parameters, &instance) != 0) return 1;
  for (int round = 0; round < 3; ++round) {
    if (prefill(instance, x, kRows, results->prefill) != 0) return 2;
    if (decode(instance, x, 3, results->decode) != 0) return 3;
    if (net_reset(instance) != 0) return 4;
    // The state is what it was, and what is kept is still there.
    if (decode(instance, x, 3, results->again) != 0) return 5;
    if (memcmp(results->decode, results->again, sizeof(results->again)) != 0) return 6;
    if (net_reset(instance) != 0) return 7;
  }
  net_destroy(instance);
  return 0;
}
static void *work(void *number) { return run(&all[(long)number]) ? number : NULL; }
int main(int count, char **arguments) {
  char message[300];
  if (net_open_parameters(arguments[1], &parameters, message, sizeof(message)) != 0) return 8;
  for (int i = 0; i < kRows * 64; ++i) x[i] = (float)(i % 13 - 6) / 7;
  int failed = run(&expected);
  if (failed) return failed;
  pthread_t threads[8];
  for (long i = 0; i < 8; ++i) pthread_create(&threads[i], NULL, work, (void *)i);
  for (long i = 0; i < 8; ++i) {
    void *result;
    pthread_join(threads[i], &result);
    if (result || memcmp(&all[i], &expected, sizeof(expected)) != 0) return 9;
  }
  net_close_parameters(parameters);
  fwrite(&expected, sizeof(expected), 1, stdout);
  return 0;
}
"""

# 40 MiB of sines, of nothing, turned around: it takes as much again to make.
TABLE = """
ml_program.global private mutable @calls(0 : i64) : i64
func.func @look(%i: index) -> f32 {
  %one = arith.constant 1 : i64
  %n = ml_program.global_load @calls : i64
  %next = arith.addi %n, %one : i64
  ml_program.global_store @calls = %next : i64
  %e = tensor.empty() : tensor<10485760xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e : tensor<10485760xf32>) {
  ^bb0(%out: f32):
    %at = linalg.index 0 : index
    %word = arith.index_cast %at : index to i64
    %f = arith.sitofp %word : i64 to f32
    %s = math.sin %f : f32
    linalg.yield %s : f32
  } -> tensor<10485760xf32>
  %last = arith.constant 10485759 : index
  %u = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e : tensor<10485760xf32>) {
  ^bb0(%out: f32):
    %at = linalg.index 0 : index
    %from = arith.subi %last, %at : index
    %v = tensor.extract %t[%from] : tensor<10485760xf32>
    linalg.yield %v : f32
  } -> tensor<10485760xf32>
  %r = tensor.extract %u[%i] : tensor<10485760xf32>
  return %r : f32
}
"""

LITTLE_MEMORY = """
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include "table.h"
int main(void) {
  float y;
  table_instance *instance;
  FILE *file = fopen("/proc/self/statm", "r");
  long pages;
  if (!file || fscanf(file, "%ld", &pages) != 1) return 1;
  fclose(file);
  for (rlim_t mib = 24; mib <= MOST; mib += 40) {
    struct rlimit least = {(rlim_t)pages * 4096 + (mib << 20), RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &least);
    instance = (void *)1;
    if (table_create(&instance) != 5 || instance) return 2;
  }
  struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &all);
  if (table_create(&instance) != 0) return 3;
  if (look(instance, AT, &y) != 0) return 4;
  if (look(instance, 10485760, &y) != 1) return 5;
  table_destroy(instance);
  printf("%.6f\\n", y);
  return 0;
}
"""


class Instances:
    def __init__(self, options):
        self.options, self.work = options, options.scratch
        self.work.mkdir(parents=True, exist_ok=True)
        choose = random.Random(5)
        count = 64 * 96
        self.file = self.work / "net.safetensors"
        self.file.write_bytes(parameters.safetensors({
            "w": ("I8", [64, 96], bytes(choose.randrange(256) for _ in range(count))),
            "scale": ("F32", [96], struct.pack("<96f", *(choose.uniform(0.001, 0.02) for _ in range(96)))),
            "gate": ("F32", [64, 96], struct.pack(f"<{count}f", *(choose.uniform(-2, 2) for _ in range(count))))}))
        self.model = self.work / "net.mlir"
        self.model.write_text(MODEL)
        (self.work / "main.c").write_text(MAIN.replace("ROWS", str(ROWS)))

    def compile(self, output, *flags):
        done = subprocess.run([self.options.tool, "compile", self.model, "-o", self.work / output,
                               f"--parameters={self.file}", f"--parameters-out={self.work / 'net.twp'}",
                               f"--emit-header={self.work / 'net.h'}", "--report=json", *flags], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{output} with {flags}: {done.stderr}")
        return json.loads(done.stdout)

    def link(self, source, *inputs):
        program = self.work / source.removesuffix(".c")
        subprocess.run([*self.options.cc.split(), f"-I{self.work}", self.work / source, *inputs, self.options.library,
                        "-lpthread", "-lm", "-o", program], check=True)
        return program

    def results(self, *flags):
        report = self.compile("net.a", *flags)
        program = self.link("main.c", self.work / "net.a")
        done = subprocess.run([program, self.work / "net.twp"], capture_output=True)
        if done.returncode:
            sys.exit(f"{flags}: {done.returncode} {done.stderr}")
        return done.stdout, report

    def values(self):
        for flags in [(), ("--data-tiling=early",), ("--data-tiling=none",), ("--target=generic",)]:
            plain, report = self.results("--run-once=false", *flags)
            if report["run_once"]["work"] or "--run-once=false" not in report["each_call"][0]["because"]:
                sys.exit(f"{flags}: --run-once=false keeps {report['run_once']}")
            once, report = self.results(*flags)
            self.compare(once, plain, flags)
            works = report["run_once"]["work"]
            if len(works) != 1 or works[0]["entry_points"] != ["prefill", "decode"] or report["each_call"]:
                sys.exit(f"{flags}: expected one tensor for both functions, got {works}, {report['each_call']}")
            if report["run_once"]["bytes_kept"] < works[0]["bytes"]:
                sys.exit(f"{flags}: {works[0]['bytes']} bytes in {report['run_once']['bytes_kept']}")
            panels = "none" not in str(flags)
            if (works[0]["type"] == "tensor<64x96xf32>") == panels:
                sys.exit(f"{flags}: kept as {works[0]['type']}")
            left = [d["function"] for d in report["dispatches"] for w in d["work"] if w["entry_point"] == "prefill"]
            if len(left) != 1:
                sys.exit(f"{flags}: {left} are left for each call")

    def compare(self, once, plain, flags):
        """The bits that each call computes; of one row, whose tile is another where the weight is packed before, nearly."""
        many = ROWS * 96 * 4
        if once[:many] != plain[:many]:
            sys.exit(f"{flags}: not the bits that each call computes")
        floats = [struct.unpack(f"<{len(bits) // 4}f", bits) for bits in (once[many:], plain[many:])]
        most = 0 if "--data-tiling=none" in flags else 1e-6
        if len(floats[0]) != len(floats[1]) or any(abs(x - y) > most for x, y in zip(*floats)):
            sys.exit(f"{flags}: not what each call computes of one row")

    def libraries(self):
        """A shared library, and a program for another target beside it."""
        self.compile("net.so", f"--cc={self.options.cc}")
        net = ctypes.CDLL(str(self.work / "net.so"))
        handle, instance = ctypes.c_void_p(), ctypes.c_void_p()
        if net.net_open_parameters(str(self.work / "net.twp").encode(), ctypes.byref(handle), None, ctypes.c_int64(0)):
            sys.exit("net.so: cannot open its parameters")
        if net.net_create(handle, ctypes.byref(instance)):
            sys.exit("net.so: no instance")
        x = (ctypes.c_float * 64)(*((i % 13 - 6) / 7 for i in range(64)))
        y = (ctypes.c_float * 96)()
        if net.prefill(instance, x, ctypes.c_int64(1), y) or not any(y):
            sys.exit("net.so: wrong")
        net.net_destroy(instance)
        net.net_close_parameters(handle)
        plain, _ = self.results("--run-once=false")
        if bytes(y) != plain[:96 * 4]:
            # A row alone may have another tile.
            expected = struct.unpack("<96f", plain[:96 * 4])
            if any(abs(a - b) > 1e-5 for a, b in zip(y, expected)):
                sys.exit("net.so: not what the archive computes")
        reports = self.compile("net.a", f"--also={self.work / 'other.a'}=arm_64:neoverse-n1")
        if [len(report["run_once"]["work"]) for report in reports] != [1, 1]:
            sys.exit(f"--also: {[report['run_once'] for report in reports]}")

    def memory(self):
        # Too little to make it, though there is enough to keep it, and too little to keep it.
        for turned, at, most in ("%u", 10485754, 64), ("%t", 5, 24):
            (self.work / "table.mlir").write_text(TABLE.replace("tensor.extract %u[", f"tensor.extract {turned}["))
            (self.work / "table.c").write_text(LITTLE_MEMORY.replace("AT,", f"{at},").replace("MOST", str(most)))
            subprocess.run([self.options.tool, "compile", self.work / "table.mlir", "-o", self.work / "table.a",
                            f"--emit-header={self.work / 'table.h'}"], check=True, capture_output=True)
            if "keeps: 41943040" not in (self.work / "table.h").read_text():
                sys.exit("the header does not say what an instance of the table keeps")
            done = subprocess.run([self.link("table.c", self.work / "table.a")], capture_output=True, text=True)
            if done.returncode or abs(float(done.stdout) + 0.958924) > 1e-5:
                sys.exit(f"table of {turned}: {done.returncode} {done.stdout}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--library", required=True)
    instances = Instances(parser.parse_args())
    instances.values()
    instances.libraries()
    instances.memory()


if __name__ == "__main__":
    main()
