#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose constants are large.

  large_constants.py programs <tilewright> <scratch> --cc=... [--target=...] [--run=...] [--cross]
      Two models that share constants, in every kind of output and of program: static, position-independent, a shared
      library. Each gives what --reference gives, and holds one copy of what its models share.
  large_constants.py size <tilewright> <tw-opt> <scratch> --mb=16
      How much more memory and processor time constants take than the same model does with hardly any, as bytecode and
      as text.
"""

import argparse
import array
import pathlib
import random
import shlex
import subprocess
import sys

N = 1024  # of the size test's square weights: 4 MiB each

MAIN = """
#include <stdint.h>
#include <stdio.h>
int32_t first(const float *, int64_t, float *);
int32_t second(const float *, int64_t, float *);
int main(void) {
  static float x[3 * 40], y[3 * 48], z[3 * 48];
  for (int i = 0; i < 3 * 40; ++i) x[i] = (float)(i % 13 - 6);
  int status = first(x, 3, y) + 2 * second(x, 3, z);
  for (int i = 0; i < 3 * 48; ++i) printf("%d %.9g %.9g\\n", status, y[i], z[i]);
  return 0;
}
"""


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, **options)
    if done.returncode:
        sys.exit(f"failed: {shlex.join(map(str, command))}\n{done.stdout.decode()}{done.stderr.decode()}")
    return done.stdout


def floats(generator, count):
    return array.array("f", [generator.randrange(-50, 50) for _ in range(count)]).tobytes()


def resources(blobs):
    """The end of a file of MLIR: aligned to 64 bytes, as bytecode keeps it."""
    texts = ",\n".join(f'{name}: "0x40000000{data.hex()}"' for name, data in blobs.items())
    return "{-# dialect_resources: { builtin: {\n" + texts + "\n} } #-}\n"


def small_model(name, scale, blobs):
    """scale * (x * w + b), where w is packed, and b [48 x 48] is used row by row as it is."""
    return f"""func.func @{name}(%x: tensor<?x40xf32>) -> tensor<?x48xf32> {{
  %w = arith.constant dense_resource<w> : tensor<40x48xf32>
  %b = arith.constant dense_resource<b> : tensor<48x48xf32>
  %scale = arith.constant {scale} : f32
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x40xf32>
  %e = tensor.empty(%m) : tensor<?x48xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x48xf32>) -> tensor<?x48xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x40xf32>, tensor<40x48xf32>) outs(%z : tensor<?x48xf32>) -> tensor<?x48xf32>
  %r = linalg.generic {{indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (j, k)>,
      affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%y, %b : tensor<?x48xf32>, tensor<48x48xf32>) outs(%z : tensor<?x48xf32>) {{
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    %t = arith.mulf %s, %scale : f32
    %u = arith.addf %o, %t : f32
    linalg.yield %u : f32
  }} -> tensor<?x48xf32>
  return %r : tensor<?x48xf32>
}}
""" + resources(blobs)


def check_programs(options):
    work = options.scratch
    generator = random.Random(7)
    blobs = {"w": floats(generator, 40 * 48), "b": floats(generator, 48 * 48)}
    marker = blobs["b"][:256]
    (work / "main.c").write_text(MAIN)
    for name, scale in ("first", "2.0"), ("second", "-0.5"):
        (work / f"{name}.mlir").write_text(small_model(name, scale, blobs))
        for kind in "a", "o", "bc", "ref.a":
            extra = ["--reference"] if kind == "ref.a" else []
            run(options.tool, "compile", work / f"{name}.mlir", "-o", work / f"{name}.{kind}",
                f"--target={options.target}", *extra)
        run(options.tool, "compile", work / f"{name}.mlir", "-o", work / f"{name}.s", "--emit=asm",
            f"--target={options.target}")
    compiler = shlex.split(options.cc)

    def outputs(kind):
        return [work / f"first.{kind}", work / f"second.{kind}"]

    def check(what, flags, files):
        program = work / "program"
        run(*compiler, work / "main.c", *files, *flags, "-o", program)
        printed = run(*shlex.split(options.run), program)
        if options.expected is None:
            options.expected = printed
        if printed != options.expected:
            sys.exit(f"{what}: wrong results:\n{printed.decode()[:300]}\nexpected:\n{options.expected.decode()[:300]}")
        copies = program.read_bytes().count(marker)
        if copies != 1:
            sys.exit(f"{what}: {copies} copies of a constant that two models share; expected 1")
        print(f"{what}: {program.stat().st_size} bytes")

    options.expected = None
    kinds = {"static": ["-static"], "static, position-independent": ["-static-pie"]}
    if not options.cross:
        kinds |= {"position-independent": ["-fPIE", "-pie", "-Wl,-z,text", "-Wl,--gc-sections"],
                  "at a fixed address": ["-no-pie"]}
    for kind, flags in kinds.items():
        for output in "ref.a", "a", "o":
            check(f"{output}, {kind}", [*flags, "-lm"], outputs(output))
    # What assembles, links, and is linked again has the tiles of the archives.
    check("assembly", ["-static", "-lm"], [*outputs("s"), *outputs("a")])
    if "clang" in compiler[0]:
        for name in "first", "second":
            run(*compiler, "-fPIC", "-c", work / f"{name}.bc", "-o", work / f"{name}.bc.o")
        check("bitcode", ["-static", "-lm"], outputs("bc.o"))
    run(*compiler, "-r", "-nostdlib", *outputs("o"), "-o", work / "both.o")
    check("linked twice", ["-static", "-lm"], [work / "both.o"])
    if options.cross:
        return
    library = work / "libmodels.so"
    run(*compiler, "-shared", "-Wl,-z,text", "-Wl,--no-undefined", *outputs("o"), "-lm", "-o", library)
    if library.read_bytes().count(marker) != 1:
        sys.exit("a shared library has several copies of a constant")
    if b"tw.constant" in run("nm", "-D", library):
        sys.exit("a shared library shows its constants")
    run(*compiler, work / "main.c", library, "-o", work / "program")
    if run(work / "program") != options.expected:
        sys.exit("a shared library gives wrong results")
    print("shared library: all right")


def large_model(values):
    """As many products in a row as there are `values`, each of constant weights."""
    lines = [f"func.func @f(%y0: tensor<?x{N}xf32>) -> tensor<?x{N}xf32> {{",
             "  %zero = arith.constant 0.0 : f32", "  %c0 = arith.constant 0 : index",
             f"  %m = tensor.dim %y0, %c0 : tensor<?x{N}xf32>", f"  %e = tensor.empty(%m) : tensor<?x{N}xf32>",
             f"  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x{N}xf32>) -> tensor<?x{N}xf32>"]
    for i, value in enumerate(values):
        lines += [f"  %w{i} = arith.constant {value} : tensor<{N}x{N}xf32>",
                  f"  %y{i + 1} = linalg.matmul ins(%y{i}, %w{i} : tensor<?x{N}xf32>, tensor<{N}x{N}xf32>)",
                  f"      outs(%z : tensor<?x{N}xf32>) -> tensor<?x{N}xf32>"]
    return "\n".join(lines + [f"  return %y{len(values)} : tensor<?x{N}xf32>", "}", ""])


def measure(*command):
    """MiB of resident memory at most, and seconds of user time."""
    reader = subprocess.Popen([sys.executable, "-c", """
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(status, usage.ru_maxrss, usage.ru_utime)
""", *map(str, command)], stdout=subprocess.PIPE)
    status, kib, seconds = reader.communicate()[0].split()
    if int(status):
        sys.exit(f"failed: {shlex.join(map(str, command))}")
    return int(kib) / 1024, float(seconds)


def check_size(options):
    work = options.scratch
    count = -(-options.mb * 1000 * 1000 // (4 * N * N))
    mib = count * 4 * N * N / 2**20
    generator = random.Random(11)
    blobs = {}
    for i in range(count):
        # Different everywhere, and quickly made.
        blobs[f"w{i}"] = generator.randbytes(4 * N * N)
    values = [f"dense_resource<w{i}>" for i in range(count)]
    (work / "base.mlir").write_text(large_model([f"dense<{i}.5>" for i in range(count)]))
    (work / "text.mlir").write_text(large_model(values) + resources(blobs))
    run(options.opt, work / "text.mlir", "--emit-bytecode", "-o", work / "bytecode.mlirbc")
    common = [f"--target={options.target}", f"--cache-dir={work}/cache"]
    run(options.tool, "compile", work / "base.mlir", "-o", work / "base.a", *common)  # makes the tiles
    failed = False
    for kind in options.kinds:
        base = measure(options.tool, "compile", work / "base.mlir", "-o", work / f"base.{kind}", *common)
        # The file is mapped: once the bytes, as text twice. Beside it, what the project promises, and 4 MiB for what
        # an allocator may keep.
        for source, mapped, allowed in ("bytecode.mlirbc", 1, 1.2), ("text.mlir", 2, 4.0):
            memory, user = measure(options.tool, "compile", work / source, "-o", work / f"big.{kind}", *common)
            anonymous = memory - base[0] - mapped * mib
            seconds = user - base[1]
            print(f".{kind} from {source} with {mib:.0f} MiB of constants: {memory:.0f} MiB, of which the file "
                  f"{mapped * mib:.0f} and the base {base[0]:.0f}: {anonymous / mib:.2f}x (at most {allowed}x); "
                  f"{user:.2f} s of user time, {seconds:.2f} more than the base")
            failed |= anonymous > allowed * mib + 4 or seconds > 1 + 0.02 * mib
            size = (work / f"big.{kind}").stat().st_size / 2**20
            failed |= not mib <= size < 1.1 * mib + 1
    if failed:
        sys.exit("more than is allowed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    programs = commands.add_parser("programs")
    programs.add_argument("tool", type=pathlib.Path)
    programs.add_argument("--cc", required=True)
    programs.add_argument("--run", default="")
    programs.add_argument("--cross", action="store_true")
    programs.set_defaults(check=check_programs)
    size = commands.add_parser("size")
    size.add_argument("tool", type=pathlib.Path)
    size.add_argument("opt", type=pathlib.Path)
    size.add_argument("--mb", type=int, required=True)
    size.add_argument("--kinds", nargs="+", default=["a", "o"])
    size.set_defaults(check=check_size)
    for command in programs, size:
        command.add_argument("scratch", type=pathlib.Path)
        command.add_argument("--target", default="host")
    options = parser.parse_args()
    options.scratch.mkdir(parents=True, exist_ok=True)
    options.check(options)


if __name__ == "__main__":
    main()
