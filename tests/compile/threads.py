#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models compiled for several threads.

  threads.py calls <tilewright> <scratch> --cc=... [--target=... --run=...]
      What a C program calls, in pools of 1 to 5 threads, computes the bits that one thread computes, with a workspace
      without any malloc; and so does a program with a runner. What is wrong with a number of threads is said.
  threads.py instances <tilewright> <scratch> --cc=... --include=abi/include --library=libtilewright_instance.a
      [--tsan=<clang>]
      Instances in eight threads, each with a pool of its own, also watched by ThreadSanitizer.
"""

import argparse
import pathlib
import random
import re
import shlex
import struct
import subprocess
import sys

import npy

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent

# Operations of every kind that is divided: elementwise, rows with a scratch, columns, a transpose, matrices of a batch, one
# matrix large enough for tasks, and an assertion.
MODEL = """
func.func @net(%x: tensor<?x96x200xf32>) -> (tensor<?x96x200xf32>, tensor<200xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x96x200xf32>
  %some = arith.cmpi ult, %n, %c64 : index
  cf.assert %some, "fewer than 64 matrices"
  %e = math.tanh %x : tensor<?x96x200xf32>
  %empty = tensor.empty(%n) : tensor<?x96x200xf32>
  %s = linalg.softmax dimension(2) ins(%e : tensor<?x96x200xf32>) outs(%empty : tensor<?x96x200xf32>) -> tensor<?x96x200xf32>
  %et = tensor.empty(%n) : tensor<?x200x96xf32>
  %t = linalg.transpose ins(%s : tensor<?x96x200xf32>) outs(%et : tensor<?x200x96xf32>) permutation = [0, 2, 1]
  %eg = tensor.empty(%n) : tensor<?x96x96xf32>
  %zg = linalg.fill ins(%zero : f32) outs(%eg : tensor<?x96x96xf32>) -> tensor<?x96x96xf32>
  %g = linalg.batch_matmul ins(%s, %t : tensor<?x96x200xf32>, tensor<?x200x96xf32>) outs(%zg : tensor<?x96x96xf32>)
      -> tensor<?x96x96xf32>
  %zx = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x96x200xf32>) -> tensor<?x96x200xf32>
  %h = linalg.batch_matmul ins(%g, %e : tensor<?x96x96xf32>, tensor<?x96x200xf32>) outs(%zx : tensor<?x96x200xf32>)
      -> tensor<?x96x200xf32>
  %w = arith.constant dense_resource<w> : tensor<200x200xf32>
  %rows = tensor.collapse_shape %h [[0, 1], [2]] : tensor<?x96x200xf32> into tensor<?x200xf32>
  %m = tensor.dim %rows, %c0 : tensor<?x200xf32>
  %em = tensor.empty(%m) : tensor<?x200xf32>
  %zm = linalg.fill ins(%zero : f32) outs(%em : tensor<?x200xf32>) -> tensor<?x200xf32>
  %p = linalg.matmul ins(%rows, %w : tensor<?x200xf32>, tensor<200x200xf32>) outs(%zm : tensor<?x200xf32>) -> tensor<?x200xf32>
  %ec = tensor.empty() : tensor<200xf32>
  %zc = linalg.fill ins(%zero : f32) outs(%ec : tensor<200xf32>) -> tensor<200xf32>
  %columns = linalg.reduce ins(%p : tensor<?x200xf32>) outs(%zc : tensor<200xf32>) dimensions = [0]
    (%a: f32, %b: f32) { %r = arith.addf %a, %b : f32  linalg.yield %r : f32 }
  %q = tensor.expand_shape %p [[0, 1], [2]] output_shape [%n, 96, 200] : tensor<?x200xf32> into tensor<?x96x200xf32>
  return %q, %columns : tensor<?x96x200xf32>, tensor<200xf32>
}
"""

# The same with what it adds up from call to call, so that it has instances.
STATE = """
ml_program.global private mutable @sum(dense<0.0> : tensor<200xf32>) : tensor<200xf32>
func.func @step(%x: tensor<4x96x200xf32>) -> tensor<200xf32> {
  %y = tensor.cast %x : tensor<4x96x200xf32> to tensor<?x96x200xf32>
  %z, %columns = func.call @net(%y) : (tensor<?x96x200xf32>) -> (tensor<?x96x200xf32>, tensor<200xf32>)
  %before = ml_program.global_load @sum : tensor<200xf32>
  %after = arith.addf %before, %columns : tensor<200xf32>
  ml_program.global_store @sum = %after : tensor<200xf32>
  return %after : tensor<200xf32>
}
"""

# A pool for programs; malloc is counted where it is the C library's own.
POOL = """
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net.h"
#include "ukernels/runner/pool.h"

static void fill(float *x, long count) {
  uint32_t state = 7;
  for (long i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    x[i] = (float)(state >> 8) / (1 << 23) - 1;
  }
}
"""

CALLS = POOL + """
#include <dlfcn.h>

static _Atomic long mallocs;
void *malloc(size_t size) {
  static void *(*real)(size_t);
  if (!real) real = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
  ++mallocs;
  return real(size);
}

int main(void) {
  static const int64_t sizes[] = {0, 1, 2, 5, 13};
  for (int s = 0; s < 5; ++s) {
    const int64_t n = sizes[s], count = n * 96 * 200;
    float *x = malloc((count + 1) * 4), *expected = malloc((count + 1) * 4), *got = malloc((count + 1) * 4);
    float columns[200], sums[200];
    fill(x, count);
    if (net(x, n, expected, columns, NULL) != 0) return 10;
    const int64_t bytes = net_workspace_bytes(n);
    void *workspace = aligned_alloc(64, bytes ? bytes : 64);
    for (int threads = 1; threads <= 5; ++threads) {
      tw_pool_t *pool = threads > 1 ? tw_pool_create(threads) : NULL;
      const tw_parallel_for_t tasks = tw_pool_parallel_for(pool);
      for (int turn = 0; turn < 20; ++turn) {
        memset(workspace, turn, bytes);
        memset(got, 1, count * 4);
        memset(sums, 1, sizeof(sums));
        const long before = mallocs;
        if (net_with_workspace(x, n, got, sums, pool ? &tasks : NULL, workspace, bytes) != 0) return 11;
        if (mallocs != before) return 12;
        if (memcmp(got, expected, count * 4) != 0 || memcmp(sums, columns, sizeof(sums)) != 0) {
          printf("%d threads, n %ld\\n", threads, (long)n);
          return 13;
        }
      }
      if (net(x, n, got, sums, pool ? &tasks : NULL) != 0 || memcmp(got, expected, count * 4) != 0) return 14;
      if (net(x, 64, got, sums, pool ? &tasks : NULL) != 1024) return 15;
      tw_pool_destroy(pool);
    }
    free(x), free(expected), free(got), free(workspace);
  }
  return 0;
}
"""

INSTANCES = POOL + """
static float x[4 * 96 * 200], expected[3][200];

static int run(const tw_parallel_for_t *tasks, int checks) {
  net_instance *instance;
  if (net_create(&instance) != 0) return 1;
  for (int call = 0; call < 3; ++call) {
    float result[200];
    if (step(instance, x, result, tasks) != 0) return 2;
    if (!checks) memcpy(expected[call], result, sizeof(result));
    if (memcmp(expected[call], result, sizeof(result)) != 0) return 3;
  }
  net_destroy(instance);
  return 0;
}

static void *work(void *number) {
  tw_pool_t *pool = tw_pool_create(2 + (intptr_t)number % 3);
  const tw_parallel_for_t tasks = tw_pool_parallel_for(pool);
  const intptr_t failed = run(&tasks, 1);
  tw_pool_destroy(pool);
  return (void *)failed;
}

int main(void) {
  fill(x, 4 * 96 * 200);
  if (run(NULL, 0) != 0) return 20;
  pthread_t threads[8];
  for (intptr_t i = 0; i < 8; ++i) pthread_create(&threads[i], NULL, work, (void *)i);
  int failed = 0;
  for (int i = 0; i < 8; ++i) {
    void *result;
    pthread_join(threads[i], &result);
    if (result) failed = 20 + (int)(intptr_t)result;
  }
  return failed;
}
"""


def with_weights(text):
    chooser = random.Random(3)
    data = struct.pack("<40000f", *(chooser.uniform(-0.1, 0.1) for _ in range(40000))).hex()
    return text + '{-# dialect_resources: { builtin: { w: "0x40000000' + data + '" } } #-}\n'


def compile_model(options, source, output, *flags):
    return subprocess.run([options.tool, "compile", source, "-o", output, f"--target={options.target}", *flags],
                          capture_output=True, text=True)


def compiled(options, source, output, *flags):
    done = compile_model(options, source, output, *flags)
    if done.returncode:
        sys.exit(f"{output.name}: {done.stderr}")
    return output


def check(what, command):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{what}: {done.returncode}: {done.stdout[:2000]} {done.stderr[:4000]}")
    return done.stdout


def includes(options):
    return [f"-I{options.scratch}", f"-I{options.include}", f"-I{SOURCE}"]


def check_program(options):
    work = options.scratch
    source = work / "net.mlir"
    (work / "calls.c").write_text(CALLS)
    for kind, threads in ("a", 4), ("o", 3):
        model = compiled(options, source, work / f"net.{kind}", f"--threads={threads}", f"--emit-header={work / 'net.h'}")
        check(f"cc, .{kind}", [*shlex.split(options.cc), "-std=c11", "-D_GNU_SOURCE", "-O2", *includes(options), work / "calls.c",
                               SOURCE / "ukernels/runner/pool.c", model, "-lpthread", "-lm", "-ldl", "-o", work / "calls"])
        check(f"calls of .{kind}", [*shlex.split(options.run), work / "calls"])


def check_runner(options):
    work = options.scratch
    chooser = random.Random(4)
    data = struct.pack(f"<{3 * 96 * 200}f", *(chooser.uniform(-1, 1) for _ in range(3 * 96 * 200)))
    (work / "x.npy").write_bytes(npy.encode("<f4", (3, 96, 200), data))
    programs = [compiled(options, work / "net.mlir", work / f"net{threads}", f"--cc={options.cc}",
                         *([f"--threads={threads}"] if threads > 1 else [])) for threads in (1, 5)]
    results = set()
    for program, flags in (programs[0], []), (programs[1], []), *((programs[1], [f"--threads={n}"]) for n in (1, 2, 3, 5)):
        printed = check("runner", [*shlex.split(options.run), program, f"--input={work / 'x.npy'}", "--runs=20",
                                   f"--output=result0={work / 'y.npy'}", f"--output=result1={work / 'z.npy'}", *flags])
        results.add((work / "y.npy").read_bytes() + (work / "z.npy").read_bytes())
        said = re.search(r"20 runs(.*): least", printed)[1]
        number = flags[0].split("=")[1] if flags else "5"
        wanted = "" if program == programs[0] else f" in {number} thread" + ("" if number == "1" else "s")
        if said != wanted:
            sys.exit(f"runner: '{said}', expected '{wanted}'")
    if len(results) != 1:
        sys.exit("runner: results differ")
    for program, value, message in ((programs[0], "2", "compile it with --threads=<n> for more"),
                                    *((programs[1], value, f"--threads={value} is no number of threads from 1 to 5")
                                      for value in ("0", "-1", "6", "x", "", "2x", "99999999999999999999"))):
        done = subprocess.run([*shlex.split(options.run), program, f"--input={work / 'x.npy'}", f"--threads={value}"],
                              capture_output=True, text=True)
        if done.returncode != 1 or message not in done.stderr or done.stdout:
            sys.exit(f"--threads={value}: expected '{message}', got {done.returncode}: {done.stderr}")


def check_refusals(options):
    work = options.scratch
    for flags, message in ((["--threads=0"], "--threads=0 is not from 2 to 1024; without --threads a model computes in the thread"),
                           (["--threads=1"], "--threads=1 is not from 2 to 1024"), (["--threads=1025"], "--threads=1025 is not"),
                           (["--threads=two"], "'two' value invalid for uint argument"),
                           (["--threads=-2"], "'-2' value invalid for uint argument"),
                           (["--threads=2", "--reference"], "--threads divides outlined functions, and --reference outlines none"),
                           (["--threads=2", "--target=amdgpu:gfx942"], "--threads divides the work of a CPU")):
        output = work / "refused.o"
        done = compile_model(options, work / "net.mlir", output, *flags)
        if done.returncode == 0 or message not in done.stderr or output.exists():
            sys.exit(f"{flags}: expected '{message}', got {done.returncode}: {done.stderr}")
    # Nothing of it without the flag.
    compiled(options, work / "net.mlir", work / "plain.o", f"--emit-header={work / 'plain.h'}")
    if "parallel_for" in (work / "plain.h").read_text():
        sys.exit("plain.h: takes threads")


def check_instances(options):
    work = options.scratch
    source = work / "state.mlir"
    source.write_text(with_weights(MODEL.replace("func.func @net", "func.func private @net") + STATE))
    (work / "instances.c").write_text(INSTANCES)
    build = ["-std=c11", *includes(options), work / "instances.c", SOURCE / "ukernels/runner/pool.c"]
    end = [options.library, "-lpthread", "-lm", "-o", work / "instances"]
    model = compiled(options, source, work / "net.a", "--threads=3", f"--emit-header={work / 'net.h'}")
    check("cc", [*shlex.split(options.cc), "-O2", *build, model, *end])
    check("instances", [work / "instances"])
    if not options.tsan:
        return
    # The model's own accesses to memory are watched, too.
    bitcode, text = compiled(options, source, work / "net.bc", "--threads=3"), work / "net.ll"
    check("llvm-dis", [options.tsan, "-S", "-emit-llvm", "-x", "ir", bitcode, "-o", text])
    watched, functions = re.subn(r"(?m)^(define .*) \{$", r"\1 sanitize_thread {", text.read_text())
    text.write_text(watched)
    if functions < 20:
        sys.exit(f"ThreadSanitizer watches {functions} functions of the model")
    check("clang", [options.tsan, "-fsanitize=thread", "-O1", *build, text, *end])
    check("ThreadSanitizer", [work / "instances"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["calls", "instances"])
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--include", type=pathlib.Path, default=SOURCE / "abi/include")
    parser.add_argument("--library", type=pathlib.Path)
    parser.add_argument("--tsan")
    parser.add_argument("--target", default="host")
    parser.add_argument("--run", default="")
    options = parser.parse_args()
    options.scratch.mkdir(parents=True, exist_ok=True)
    (options.scratch / "net.mlir").write_text(with_weights(MODEL))
    if options.what == "calls":
        check_program(options)
        check_runner(options)
        check_refusals(options)
    else:
        check_instances(options)


if __name__ == "__main__":
    main()
