#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models as shared libraries: loaded from C and from Python, they give what a program with the archive gives; they show
their functions for C and nothing else, and say which libraries they need.

  shared_library.py <tilewright> <scratch> --cc=... --readelf=... [--target=... --run=...]
      With --target and --run for another machine, whose programs --cc makes and --run runs.
"""

import argparse
import ctypes
import pathlib
import re
import shlex
import subprocess
import sys

MODEL = """
func.func @predict(%x: tensor<?x40xf32>) -> tensor<?x48xf32> {
  %w = arith.constant dense<0.5> : tensor<40x48xf32>
  %ramp = arith.constant dense_resource<ramp> : tensor<48x48xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x40xf32>
  %e = tensor.empty(%m) : tensor<?x48xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x48xf32>) -> tensor<?x48xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x40xf32>, tensor<40x48xf32>) outs(%z : tensor<?x48xf32>) -> tensor<?x48xf32>
  %r = linalg.matmul ins(%y, %ramp : tensor<?x48xf32>, tensor<48x48xf32>) outs(%z : tensor<?x48xf32>) -> tensor<?x48xf32>
  return %r : tensor<?x48xf32>
}
func.func @powers(%x: tensor<?xf64>, %y: tensor<?xf64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf64>
  %n = tensor.dim %y, %c0 : tensor<?xf64>
  %same = arith.cmpi eq, %m, %n : index
  cf.assert %same, "as many powers as bases"
  %p = math.powf %x, %y : tensor<?xf64>
  return %p : tensor<?xf64>
}
"""
SHOWN = {"predict", "predict_with_workspace", "predict_workspace_bytes", "powers", "powers_with_workspace",
         "powers_workspace_bytes", "powers_message"}
# The same program twice: with the archive, and with what dlopen finds.
MAIN = """
#include <stdio.h>
#include "model.h"
#ifdef LOADED
#include <dlfcn.h>
#define GET(function) __typeof__(&function) p_##function = (__typeof__(&function))dlsym(library, #function)
#else
#define GET(function) __typeof__(&function) p_##function = function
#endif
int main(int count, char **arguments) {
#ifdef LOADED
  void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    puts(dlerror());
    return 1;
  }
#endif
  GET(predict);
  GET(powers);
  GET(powers_message);
  static float x[3 * 40], y[3 * 48];
  for (int i = 0; i < 3 * 40; ++i) x[i] = (float)(i % 13 - 6);
  int32_t status = p_predict(x, 3, y);
  for (int i = 0; i < 3 * 48; ++i) printf("%d %.9g\\n", status, y[i]);
  double bases[4] = {1.5, 2.0, 0.25, 10.0}, powers[4] = {2.0, 0.5, -1.0, 3.0}, results[4];
  status = p_powers(bases, 4, powers, 4, results);
  for (int i = 0; i < 4; ++i) printf("%d %.17g\\n", status, results[i]);
  puts(p_powers_message(p_powers(bases, 4, powers, 3, results)));
  return 0;
}
"""


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"failed: {shlex.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_library(options, library):
    """What its dynamic section says."""
    dynamic = run(options.readelf, "-dW", library)
    named = re.findall(r"\((NEEDED|SONAME)\).*\[(.*)\]", dynamic)
    expected = [("NEEDED", "libm.so.6"), ("NEEDED", "libc.so.6"), ("SONAME", library.name)]
    if named != expected or "TEXTREL" in dynamic:
        sys.exit(f"{library.name} has {named}, expected {expected}:\n{dynamic}")
    shown = set()
    for line in run(options.readelf, "--dyn-syms", "-W", library).splitlines():
        fields = line.split()
        if len(fields) == 8 and fields[4] in ("GLOBAL", "WEAK") and fields[6] != "UND":
            shown.add(fields[7])
    if shown != SHOWN:
        sys.exit(f"{library.name} shows {shown}, expected {SHOWN}")


def are_close(printed, expected):
    """Whether they are the same words and numbers, but for the last bits of f32."""
    words, others = printed.split(), expected.split()
    return len(words) == len(others) and all(is_close(*pair) for pair in zip(words, others))


def is_close(word, other):
    try:
        return abs(float(word) - float(other)) <= 1e-6 * max(1, abs(float(other)))
    except ValueError:
        return word == other


def check_python(library, expected):
    loaded = ctypes.CDLL(str(library))
    x = (ctypes.c_float * 120)(*(i % 13 - 6 for i in range(120)))
    y = (ctypes.c_float * 144)()
    status = loaded.predict(x, ctypes.c_int64(3), y)
    printed = "".join(f"{status} {value:.9g}\n" for value in y)
    if not expected.startswith(printed):
        sys.exit(f"from Python: {printed[:200]}\nexpected: {expected[:200]}")
    if loaded.predict(x, ctypes.c_int64(-1), y) != 1:
        sys.exit("from Python: a negative size is not refused")


def check_refusals(options):
    work = options.scratch
    before = sorted(work.iterdir())
    for triple in "x86_64-apple-darwin", "x86_64-pc-windows-msvc", "x86_64-unknown-freebsd":
        done = subprocess.run([options.tool, "compile", work / "model.mlir", "-o", work / "x.so", "--target=generic",
                               f"--triple={triple}"], capture_output=True, text=True)
        if done.returncode != 1 or f"cannot be made for '{triple}', but for Linux on x86_64" not in done.stderr:
            sys.exit(f"--triple={triple}: {done.returncode}: {done.stderr}")
    if sorted(work.iterdir()) != before:
        sys.exit("something is left behind after an error")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--readelf", required=True)
    parser.add_argument("--target", default="host")
    parser.add_argument("--run", default="")
    options = parser.parse_args()
    work, compiler = options.scratch, shlex.split(options.cc)
    work.mkdir(parents=True, exist_ok=True)
    ramp = b"".join(i.to_bytes(2, "little") + b"\0\x3c" for i in range(48 * 48))
    (work / "model.mlir").write_text(
        MODEL + '{-# dialect_resources: { builtin: {\nramp: "0x40000000' + ramp.hex() + '"\n} } #-}\n')
    (work / "main.c").write_text(MAIN)

    def build(output, *flags):
        return run(options.tool, "compile", work / "model.mlir", "-o", work / output, f"--target={options.target}", *flags)

    build("model.a", f"--emit-header={work / 'model.h'}")
    run(*compiler, work / "main.c", work / "model.a", "-lm", "-o", work / "linked")
    expected = run(*shlex.split(options.run), work / "linked")
    if not expected.endswith("\nas many powers as bases\n"):
        sys.exit(f"the program with the archive says\n{expected[-300:]}")
    run(*compiler, "-DLOADED", work / "main.c", "-ldl", "-o", work / "loaded")
    for name, flags in ("libmodel.so", []), ("inlined.so", ["--inline"]):
        library = work / name
        report = build(name, "--report=text", *flags)
        if f"\n{library.stat().st_size} bytes written" not in report:
            sys.exit(f"{name} has {library.stat().st_size} bytes, but the report says\n{report}")
        check_library(options, library)
        printed = run(*shlex.split(options.run), work / "loaded", library.resolve())
        # Few rows go by a tile of few where tiles are called, which adds in another order than the one that is inlined.
        if not (are_close(printed, expected) if flags else printed == expected):
            sys.exit(f"{name}: {printed[:300]}\nexpected: {expected[:300]}")
        if not options.run:
            check_python(library.resolve(), printed)
    content = library.read_bytes()
    build("inlined.so", "--inline")
    if library.read_bytes() != content:
        sys.exit("the same model makes other bytes")
    if not options.run:
        check_refusals(options)


if __name__ == "__main__":
    main()
