#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models with mutable globals: what an instance keeps from call to call.

  state.py <tilewright> <scratch> --cc=... --library=libtilewright_instance.a [--hip=libtilewright_hip.a
      --emulator=libtilewright_emulated_hip.so] [--tsan=<clang>]

A recurrent network in two instances, by turns and in two threads, with constants and with a file of parameters, on the
CPU, as plain loops and on an emulated GPU, gives what the same network computed here gives.
"""

import argparse
import math
import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys

SIZE = 32

# h <- tanh(x + W h), for each row of x; the state goes through calls, loops and branches.
MODEL = """
ml_program.global private @w(#ml_program.extern : tensor<32x32xf32>) : tensor<32x32xf32>
ml_program.global private mutable @h(dense<0.25> : tensor<32xf32>) : tensor<32xf32>
ml_program.global private mutable @rows(0 : i64) : i64
ml_program.global private mutable @unused(dense<0> : tensor<i64>) : tensor<i64>

func.func private @advance(%x: tensor<32xf32>) {
  %w = ml_program.global_load_const @w : tensor<32x32xf32>
  %h = ml_program.global_load @h : tensor<32xf32>
  %s = linalg.matvec ins(%w, %h : tensor<32x32xf32>, tensor<32xf32>) outs(%x : tensor<32xf32>) -> tensor<32xf32>
  %t = math.tanh %s : tensor<32xf32>
  ml_program.global_store @h = %t : tensor<32xf32>
  %n = ml_program.global_load @rows : i64
  %c1 = arith.constant 1 : i64
  %m = arith.addi %n, %c1 : i64
  ml_program.global_store @rows = %m : i64
  return
}
// Fails after it has computed, if there are more than %most.
func.func @step(%x: tensor<?x32xf32>, %most: i64) -> (tensor<32xf32>, tensor<1xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x32xf32>
  scf.for %i = %c0 to %n step %c1 {
    %row = tensor.extract_slice %x[%i, 0] [1, 32] [1, 1] : tensor<?x32xf32> to tensor<32xf32>
    func.call @advance(%row) : (tensor<32xf32>) -> ()
  }
  %rows = ml_program.global_load @rows : i64
  %ok = arith.cmpi sle, %rows, %most : i64
  cf.assert %ok, "too many rows"
  %h = ml_program.global_load @h : tensor<32xf32>
  %t = tensor.from_elements %rows : tensor<1xi64>
  return %h, %t : tensor<32xf32>, tensor<1xi64>
}
func.func @read() -> tensor<32xf32> {
  %u = ml_program.global_load @unused : tensor<i64>
  %h = ml_program.global_load @h : tensor<32xf32>
  return %h : tensor<32xf32>
}
func.func @write(%x: tensor<32xf32>, %really: i64) {
  %zero = arith.constant 0 : i64
  %c = arith.cmpi ne, %really, %zero : i64
  scf.if %c {
    ml_program.global_store @h = %x : tensor<32xf32>
  }
  return
}
"""

MAIN = """
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "net.h"
#ifdef IN_FILE
static net_parameters *parameters;
#define CREATE(instance) net_create(parameters, &(instance))
#else
#define CREATE(instance) net_create(&(instance))
#endif
static float x[40 * 32];

static void show(int status, const float *h, int64_t rows) {
  printf("%d %d", status, (int)rows);
  for (int i = 0; i < 32; ++i) printf(" %.9g", h[i]);
  printf("\\n");
}
static void *work(void *to) {
  float *h = to;
  int64_t rows = 0;
  net_instance *instance;
  if (CREATE(instance) != 0) return to;
  for (int i = 0; i < 40; ++i)
    if (step(instance, x + i * 32, 1, 100, h, &rows) != 0) return to;
  net_destroy(instance);
  return rows == 40 ? NULL : to;
}
int main(int count, char **arguments) {
  for (int i = 0; i < 40 * 32; ++i) x[i] = (float)(i * 7 % 41 - 20) / 16;
#ifdef IN_FILE
  if (net_open_parameters(arguments[1], &parameters, NULL, 0) != 0) return 1;
#endif
  net_instance *a, *b;
  float h[32], unwritten[32];
  int64_t rows = 0;
  if (CREATE(a) != 0 || CREATE(b) != 0) return 2;
  int status = step(a, x, 5, 7, h, &rows);
  show(status, h, rows);
  status = step(b, x + 32, 1, 7, h, &rows);
  show(status, h, rows);
  // Nothing is left of a call that fails, late or early.
  memcpy(unwritten, h, sizeof(h));
  status = step(a, x, 4, 7, h, &rows);
  show(status, unwritten, -1);
  status = step(a, x, -1, 7, h, &rows);
  show(status, unwritten, -1);
  status = step(a, x + 5 * 32, 2, 7, h, &rows);
  show(status, h, rows);
  status = step(b, x, 0, 7, h, &rows);
  show(status, h, rows);
  // No result is the state itself.
  status = read(b, h);
  for (int i = 0; i < 32; ++i) h[i] = 9;
  status |= read(b, h);
  show(status, h, -1);
  status = write(b, x, 0);
  status |= read(b, h);
  show(status, h, -1);
  status = write(b, x, 1);
  status |= read(b, h);
  show(status, h, -1);
  status = net_reset(a);
  status |= step(a, x, 0, 7, h, &rows);
  show(status, h, rows);
  net_destroy(a);
  net_destroy(b);
  net_destroy(NULL);
  static float ends[2][32];
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, ends[i]);
  for (int i = 0; i < 2; ++i) {
    void *failed;
    pthread_join(threads[i], &failed);
    if (failed) return 3;
    show(0, ends[i], -1);
  }
#ifdef IN_FILE
  net_close_parameters(parameters);
#endif
  return 0;
}
"""

# The same of TOSA, a running sum.
TOSA = """
tosa.variable @sum = dense<1.0> : tensor<4xf32>
func.func @add(%x: tensor<4xf32>) -> tensor<4xf32> {
  %h = tosa.variable_read @sum : tensor<4xf32>
  %n = tosa.add %h, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  tosa.variable_write @sum, %n : tensor<4xf32>
  return %n : tensor<4xf32>
}
"""

TOSA_MAIN = """
#include "sum.h"
int main(void) {
  sum_instance *instance;
  const float x[4] = {1, 2, 3, 4};
  float result[4];
  if (sum_create(&instance) != 0) return 1;
  for (int call = 1; call <= 3; ++call) {
    if (add(instance, x, result) != 0) return 2;
    for (int i = 0; i < 4; ++i)
      if (result[i] != 1 + (float)call * x[i]) return 3;
  }
  sum_destroy(instance);
  return 0;
}
"""

REFUSED = {
    "dynamic": ("ml_program.global private mutable @g(dense<0.0> : tensor<4xf32>) : tensor<?xf32>",
                "tensor<?xf32>", "the global 'g' is neither a tensor of static shape nor an integer"),
    "empty": ("ml_program.global private mutable @g : tensor<4xf32>", "tensor<4xf32>", "the global 'g' has no value"),
    "other": ("ml_program.global private mutable @g(dense<0.0> : tensor<3xf32>) : tensor<4xf32>", "tensor<4xf32>",
              "the global 'g' has a value of another type"),
    "elements": ("ml_program.global private mutable @g(dense<0> : tensor<4xi24>) : tensor<4xi24>", "tensor<4xi24>",
                 "has type 'tensor<4xi24>'"),
}


def weights():
    return [[((i * 5 + j * 3) % 17 - 8) / 64 for j in range(SIZE)] for i in range(SIZE)]


def inputs():
    return [[(((i * SIZE + j) * 7) % 41 - 20) / 16 for j in range(SIZE)] for i in range(40)]


def expected():
    """The lines that the program prints: status, rows, state."""
    w, x = weights(), inputs()
    initial = [0.25] * SIZE

    def run(h, rows):
        for row in rows:
            h = [math.tanh(row[i] + sum(w[i][j] * h[j] for j in range(SIZE))) for i in range(SIZE)]
        return h

    a, b = run(initial, x[:5]), run(initial, x[1:2])
    end = run(initial, x)
    return [(0, 5, a), (0, 1, b), (1024, -1, b), (1, -1, b), (0, 7, run(a, x[5:7])), (0, 1, b), (0, -1, b), (0, -1, b),
            (0, -1, x[0]), (0, 0, initial), (0, -1, end), (0, -1, end)]


def compile_model(options, model, *flags):
    return subprocess.run([options.tool, "compile", model, *flags], capture_output=True, text=True)


def check_tosa(options, compiler):
    work = options.scratch
    (work / "sum.mlir").write_text(TOSA)
    (work / "sum.c").write_text(TOSA_MAIN)
    done = compile_model(options, work / "sum.mlir", "-o", work / "sum.a", f"--emit-header={work / 'sum.h'}")
    if done.returncode:
        sys.exit(f"TOSA: {done.stderr}")
    subprocess.run([*compiler, f"-I{work}", work / "sum.c", work / "sum.a", options.library, "-lm", "-o", work / "sum"],
                   check=True)
    status = subprocess.run([work / "sum"]).returncode
    if status:
        sys.exit(f"TOSA: the program returns {status}")


def check_refusals(options):
    work = options.scratch
    for name, (line, type, message) in REFUSED.items():
        model = work / f"{name}.mlir"
        model.write_text(f"{line}\nfunc.func @f(%x: {type}) {{\n  ml_program.global_store @g = %x : {type}\n  return\n}}\n")
        done = compile_model(options, model, "-o", work / "refused.a")
        if done.returncode != 1 or message not in done.stderr or (work / "refused.a").exists():
            sys.exit(f"{name}: expected an error with '{message}', got {done.returncode}: {done.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--hip")
    parser.add_argument("--emulator")
    parser.add_argument("--tsan")
    options = parser.parse_args()
    work = options.scratch
    work.mkdir(parents=True, exist_ok=True)
    (work / "model.mlir").write_text(MODEL)
    (work / "main.c").write_text(MAIN)
    flat = [value for row in weights() for value in row]
    header = (b'{"w":{"dtype":"F32","shape":[%d,%d],"data_offsets":[0,%d]}}' % (SIZE, SIZE, 4 * len(flat)))
    file = work / "w.safetensors"
    file.write_bytes(struct.pack("<Q", len(header)) + header + struct.pack(f"<{len(flat)}f", *flat))

    def compile(output, *flags):
        done = compile_model(options, work / "model.mlir", "-o", work / output, f"--parameters={file}",
                             f"--emit-header={work / 'net.h'}", *flags)
        if done.returncode:
            sys.exit(f"{output}: {done.stderr}")

    def check(what, compiler, *arguments):
        subprocess.run([*compiler, f"-I{work}", work / "main.c", *arguments, options.library, "-lpthread", "-ldl", "-lm",
                        "-o", work / "main"], check=True)
        emulated = {"TW_HIP_LIBRARY": options.emulator, "TW_EMULATED_HIP_DEVICE": "gfx942"} if options.emulator else {}
        done = subprocess.run([work / "main", work / "net.twp"], capture_output=True, text=True,
                              env=os.environ | emulated)
        lines = [line.split() for line in done.stdout.splitlines()]
        right = expected()
        if done.returncode or len(lines) != len(right):
            sys.exit(f"{what}: {done.returncode}, {len(lines)} lines: {done.stdout[:300]} {done.stderr}")
        for number, (line, (status, rows, state)) in enumerate(zip(lines, right)):
            error = max(abs(float(got) - value) for got, value in zip(line[2:], state))
            if line[:2] != [str(status), str(rows)] or not error < 1e-5:
                sys.exit(f"{what}: call {number}: status {line[0]} of {status}, {line[1]} rows of {rows}, "
                         f"largest error {error}")

    compiler = shlex.split(options.cc)
    for what, flags in ("plain", []), ("generic", ["--target=generic"]), ("reference", ["--reference"]):
        compile("net.a", *flags)
        check(what, compiler, work / "net.a")
    compile("net.o", f"--parameters-out={work / 'net.twp'}")
    check("parameters in a file", compiler, "-DIN_FILE", work / "net.o")
    if options.hip:
        compile("net.a", "--target=amdgpu:gfx942")
        check("GPU", compiler, work / "net.a", options.hip)
    if options.tsan:
        compile("net.bc")
        text = work / "net.ll"
        subprocess.run([options.tsan, "-S", "-emit-llvm", "-x", "ir", work / "net.bc", "-o", text], check=True)
        watched, functions = re.subn(r"(?m)^(define .*) \{$", r"\1 sanitize_thread {", text.read_text())
        text.write_text(watched)
        if functions < 5:
            sys.exit(f"ThreadSanitizer watches {functions} functions of the model")
        check("ThreadSanitizer", [options.tsan, "-fsanitize=thread", "-O1"], text)
    check_tosa(options, compiler)
    check_refusals(options)


if __name__ == "__main__":
    main()
