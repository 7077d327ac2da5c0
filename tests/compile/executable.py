#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models as programs with a runner.

  executable.py calls <tilewright> <scratch> --cc=... [--target=... --run=...]
      Every type of elements, sizes that are computed, scalars, several functions and results; what is wrong with a command
      line or a file is said in a sentence. --target and --run for another machine.
  executable.py numpy <tilewright> <scratch> --cc=... --venv=build/models
      Files that numpy writes, results that it reads. Skipped (77) where the folder has no numpy.
  executable.py parameters <tilewright> <scratch> --cc=...
      With a file of parameters, or state, as a program and as a shared library.
  executable.py device <tilewright> <scratch> --cc=... --hip=<libtilewright_emulated_hip.so>
      A model for a GPU, as a program and as a shared library.
"""

import argparse
import ctypes
import json
import os
import pathlib
import shlex
import stat
import struct
import subprocess
import sys

import npy

# By MLIR's element type: struct's letter, what numpy calls it in results, and other names that are read.
ELEMENTS = {"f64": ("d", "<f8", []), "f32": ("f", "<f4", []), "f16": ("e", "<f2", []), "i64": ("q", "<i8", ["<u8"]),
            "i32": ("i", "<i4", ["<u4"]), "i16": ("h", "<i2", ["<u2"]), "i8": ("b", "|i1", ["|u1"])}
SUM = """func.func @add_{0}(%x: tensor<?x3x{0}>, %y: tensor<?x3x{0}>) -> tensor<?x3x{0}> {{
  %z = arith.{1} %x, %y : tensor<?x3x{0}>
  return %z : tensor<?x3x{0}>
}}
"""
PRODUCT = """func.func @product(%x: tensor<?x64xi8>) -> tensor<?x96xi32> {
  %w = arith.constant dense<3> : tensor<64x96xi8>
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xi8>
  %e = tensor.empty(%m) : tensor<?x96xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<?x96xi32>) -> tensor<?x96xi32>
  %r = linalg.matmul ins(%x, %w : tensor<?x64xi8>, tensor<64x96xi8>) outs(%z : tensor<?x96xi32>) -> tensor<?x96xi32>
  return %r : tensor<?x96xi32>
}
"""
MODEL = """
func.func @joined(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<4x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %z = tensor.concat dim(0) %x, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<4x?xf32>
  %t = linalg.transpose ins(%x : tensor<?x4xf32>) outs(%e : tensor<4x?xf32>) permutation = [1, 0]
  return %z, %t : tensor<?x4xf32>, tensor<4x?xf32>
}
func.func @iota(%n: index, %least: i64, %scale: f32, %offset: f64) -> tensor<?xf64> {
  %small = arith.index_cast %least : i64 to index
  %size = arith.maxsi %n, %small : index
  %wide = arith.extf %scale : f32 to f64
  %z = tensor.generate %size {
  ^bb0(%i: index):
    %k = arith.index_cast %i : index to i64
    %f = arith.sitofp %k : i64 to f64
    %p = arith.mulf %f, %wide : f64
    %s = arith.addf %p, %offset : f64
    tensor.yield %s : f64
  } : tensor<?xf64>
  return %z : tensor<?xf64>
}
func.func @one(%x: tensor<f32>, %k: i8) -> tensor<i32> {
  %f = tensor.extract %x[] : tensor<f32>
  %i = arith.fptosi %f : f32 to i32
  %w = arith.extsi %k : i8 to i32
  %s = arith.addi %i, %w : i32
  %z = tensor.from_elements %s : tensor<i32>
  return %z : tensor<i32>
}
func.func @checked(%x: tensor<?xi32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %some = arith.cmpi uge, %n, %c2 : index
  cf.assert %some, "at least two elements"
  %z = arith.addi %x, %x : tensor<?xi32>
  return %z : tensor<?xi32>
}
func.func @bits(%x: tensor<2x?xbf16>) -> tensor<2x?xbf16> {
  %z = arith.negf %x : tensor<2x?xbf16>
  return %z : tensor<2x?xbf16>
}
""" + "".join(SUM.format(name, "addf" if name[0] == "f" else "addi") for name in ELEMENTS)


class Program:
    def __init__(self, options, name, model, *flags):
        self.options, self.path = options, options.scratch / name
        source = options.scratch / f"{name}.mlir"
        source.write_text(model)
        targets = [f"--{'device' if '=' in target else 'target'}={target}" for target in options.target.split()]
        done = subprocess.run([options.tool, "compile", source, "-o", self.path, *targets, f"--cc={options.cc}",
                               "--report=json", *flags], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{name}: {done.stderr}")
        size, mode = self.path.stat().st_size, stat.S_IMODE(self.path.stat().st_mode)
        wanted = 0o600 if self.path.suffix else 0o700
        if json.loads(done.stdout)["output_bytes"] != size or mode & 0o700 != wanted:
            sys.exit(f"{name}: {size} bytes with mode {mode:o}")

    def run(self, *arguments):
        return subprocess.run([*shlex.split(self.options.run), self.path, *map(str, arguments)], capture_output=True,
                              text=True, cwd=self.options.scratch,
                              # What a program has at its end is no leak.
                              env=os.environ | {"ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1"})

    def prints(self, *arguments):
        done = self.run(*arguments)
        if done.returncode or done.stderr:
            sys.exit(f"{self.path.name} {shlex.join(map(str, arguments))}: {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def refuses(self, message, *arguments):
        before = sorted(self.options.scratch.iterdir())
        done = self.run(*arguments)
        expected = f"{self.path.name}: error: {message}"
        if done.returncode != 1 or expected not in done.stderr or done.stderr.count("\n") != 1:
            sys.exit(f"{shlex.join(map(str, arguments))}: expected '{expected}', got {done.returncode}: {done.stderr}")
        if sorted(self.options.scratch.iterdir()) != before:
            sys.exit(f"{message}: leaves a file behind")


def expect(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found}, expected {expected}")


def check_elements(options, program):
    work = options.scratch
    x, y, z = work / "x.npy", work / "y.npy", work / "z.npy"
    values = [3, -2, 1, 0, 5, 7]
    for name, (letter, descr, others) in ELEMENTS.items():
        data = struct.pack(f"<6{letter}", *values)
        doubled = struct.pack(f"<6{letter}", *(2 * value for value in values))
        for version, read in enumerate([descr, *others], start=1):
            x.write_bytes(npy.encode(read, (2, 3), data, version=version))
            y.write_bytes(npy.encode(descr, (2, 3), data, version=3))
            program.prints("--function", f"add_{name}", "--input", x, f"--input=y={y}", f"--output={z}")
            expect(f"{name} from {read}", npy.decode(z.read_bytes()), (descr, (2, 3), doubled))
    for read in "<u2", "<V2", "|V2":
        x.write_bytes(npy.encode(read, (2, 1), b"\x80\x3f\0\x40"))
        program.prints("--function=bits", f"--input={x}", "--output", f"result={z}")
        expect(f"bf16 from {read}", npy.decode(z.read_bytes()), ("<u2", (2, 1), b"\x80\xbf\0\xc0"))
    expect("bits", program.prints("--function=bits", f"--input={x}"), "result: bf16[2][1]\n  -1\n  -2\n")


def check_sizes(options, program):
    work = options.scratch
    x, y, z = work / "x.npy", work / "y.npy", work / "z.npy"
    x.write_bytes(npy.encode("<f4", (2, 4), struct.pack("<8f", *range(8))))
    y.write_bytes(npy.encode("<f4", (1, 4), struct.pack("<4f", *range(8, 12))))
    printed = program.prints("--function=joined", f"--input={x}", f"--input={y}", f"--output=result1={z}")
    expect("joined", printed, "result0: f32[3][4]\n  0 1 2 3\n  4 5 6 7\n  8 9 10 11\n")
    expect("transposed", npy.decode(z.read_bytes()), ("<f4", (4, 2), struct.pack("<8f", 0, 4, 1, 5, 2, 6, 3, 7)))
    y.write_bytes(npy.encode("<f4", (0, 4), b""))
    program.prints("--function=joined", f"--input={y}", f"--input={y}", f"--output={z}", f"--output={work / 'w.npy'}")
    expect("nothing", npy.decode(z.read_bytes()), ("<f4", (0, 4), b""))
    z.unlink()
    (work / "w.npy").unlink()
    scalars = ["--function=iota", "--input=3", "--input", "least=4", "--input=offset=-0.25", "--input=scale=1.5"]
    expect("iota", program.prints(*scalars), "result: f64[4]\n  -0.25 1.25 2.75 4.25\n")
    x.write_bytes(npy.encode("<f4", (), struct.pack("<f", 4.75)))
    expect("one", program.prints("--function=one", f"--input={x}", "--input=-3"), "result: i32\n  1\n")
    x.write_bytes(npy.encode("<i4", (20,), struct.pack("<20i", *range(20))))
    expect("long", program.prints("--function=checked", f"--input={x}"),
           "result: i32[20]\n  0 2 4 6 8 10 12 14 ...\n")
    lines = program.prints("--function=checked", f"--input={x}", "--runs=3", f"--output={z}").splitlines()
    if [line.split(":")[0] for line in lines] != ["run 1", "run 2", "run 3", "3 runs"] or "median" not in lines[3]:
        sys.exit(f"--runs=3: {lines}")
    help_text = program.prints("--help")
    for line in "argument x: f32[x_d0][4]", "argument n: index\n", "result result0: f32[x_d0 + y_d0][4]":
        if line not in help_text:
            sys.exit(f"--help does not say '{line}':\n{help_text}")


def check_refusals(options, program):
    work = options.scratch
    x, y = work / "x.npy", work / "y.npy"
    good = npy.encode("<f4", (2, 4), bytes(32))
    y.write_bytes(good)
    joined = ["--function=joined", f"--input={x}", f"--input={y}"]
    for message, content in [
        (f"'{x}' is no file of numpy.save", b"hello"),
        (f"'{x}' is no file of numpy.save", b""),
        (f"'{x}' has a version of the format", good[:6] + b"\4" + good[7:]),
        (f"'{x}' has a version of the format", good[:6] + b"\2" + good[7:10]),
        (f"'{x}' ends in its header", good[:40]),
        (f"'{x}' has a header without", npy.encode("<f4", (2, 4), b"").replace(b"shape", b"shade")),
        (f"'{x}' has a header without", npy.encode("<f4", (2, -4), b"")),
        (f"'{x}' has records with fields", npy.encode([("a", "<f4")], (2, 4), bytes(32))),
        (f"'{x}' is in Fortran's order; write it row-major", npy.encode("<f4", (2, 4), bytes(32), order=True)),
        (f"'{x}' has elements of '>f4', but 'x' of 'joined' has f32, in a file float32", npy.encode(">f4", (2, 4), bytes(32))),
        (f"'{x}' has elements of '<f8', but", npy.encode("<f8", (2, 4), bytes(64))),
        (f"'{x}' has the shape [2][5], but 'x' of 'joined' has [x_d0][4]", npy.encode("<f4", (2, 5), bytes(40))),
        (f"'{x}' has the shape [2], but 'x' of 'joined' has [x_d0][4]", npy.encode("<f4", (2,), bytes(8))),
        (f"'{x}' has the shape no dimensions, but", npy.encode("<f4", (), bytes(4))),
        (f"'{x}' ends after 31 of 32 bytes of its elements", good[:-1]),
        (f"'{x}' goes on after the 32 bytes of its elements", good + b"\0"),
        (f"'{x}' has more elements than there is memory for", npy.encode("<f4", (1 << 60, 4), b"")),
    ]:
        x.write_bytes(content)
        program.refuses(message, *joined)
    x.write_bytes(good)
    names = ", ".join(f"'{name}'" for name in ["joined", "iota", "one", "checked"])
    program.refuses(f"the model has several functions, {names}", f"--input={x}")
    program.refuses(f"the model has no function 'f', but {names}", "--function=f")
    program.refuses("'joined' has no argument 'z'; --help", *joined[:1], "--input=z=3")
    program.refuses("'joined' has no result 'z'; --help", *joined, "--output=z=3")
    program.refuses("--input is given twice for 'x'", *joined[:1], "--input=x=a", "--input=x=b")
    program.refuses("'joined' has 2 arguments, but more are given by --input", *joined, f"--input={x}")
    program.refuses("'joined' needs its argument 'y', f32[y_d0][4]; give it as --input=y=<file.npy>", *joined[:2])
    program.refuses("'iota' needs its argument 'n', index; give it as --input=n=<number>", "--function=iota")
    program.refuses("'none.npy' cannot be opened: No such file", *joined[:2], "--input=none.npy")
    program.refuses("'12x' cannot be opened: No such file or directory; nor is it a number of type index",
                    "--function=iota", *["--input=12x"] * 4)
    program.refuses("'300' cannot be opened", "--function=one", f"--input={options.scratch / 'scalar.npy'}", "--input=300")
    program.refuses("'--inputs=3' is no option; --help lists them", "--inputs=3")
    program.refuses("--input needs a value", "--input")
    program.refuses("--function is given twice", "--function=a", "--function=b")
    program.refuses("--runs=0 is no number of runs", "--runs=0")
    program.refuses("the model has its parameters in itself", *joined, "--parameters=x")
    program.refuses("there is no memory for 'result'", "--function=iota", f"--input={1 << 60}", *["--input=1"] * 3)
    program.refuses("'iota' refuses the call with status 1: sizes that must agree do not", "--function=iota", "--input=-5",
                    "--input=-4", *["--input=1"] * 2)
    x.write_bytes(npy.encode("<i4", (1,), bytes(4)))
    program.refuses("'checked' refuses the call with status 1024: at least two elements; 'x' [x_d0] is [1]",
                    "--function=checked", f"--input={x}")
    x.write_bytes(npy.encode("<f4", (2, 3), bytes(24)))
    y.write_bytes(npy.encode("<f4", (1, 3), bytes(12)))
    program.refuses("'add_f32' refuses the call with status 1: sizes that must agree do not, or a slice or a window reaches "
                    "outside of its tensor; 'x' [x_d0][3] is [2][3], 'y' [y_d0][3] is [1][3]",
                    "--function=add_f32", f"--input={x}", f"--input={y}")
    # Of two results that are files, both or none.
    x.write_bytes(good)
    y.write_bytes(good)
    kept = work / "kept.npy"
    kept.write_bytes(b"old")
    program.refuses("'/none/z.npy' cannot be written: No such file", *joined, f"--output={kept}", "--output=/none/z.npy")
    if pathlib.Path("/dev/full").exists():
        program.refuses("'/dev/full' cannot be written: No space left", *joined, f"--output={kept}", "--output=/dev/full")
    expect("a result beside one that fails", kept.read_bytes(), b"old")


def check_compiler(options):
    """What is wrong with the compiler, before anything is compiled."""
    work = options.scratch
    before = sorted(work.iterdir())
    for compiler, message in [
        ("no-such-cc", "'no-such-cc' is not found, and an executable needs a C compiler of the target"),
        ("false", "failed: "),
        (f"{shlex.split(options.cc)[0]} -no-such-option", "-no-such-option"),
    ]:
        done = subprocess.run([options.tool, "compile", work / "model.mlir", "-o", work / "refused",
                               f"--target={options.target}", f"--cc={compiler}"], capture_output=True, text=True)
        if done.returncode != 1 or message not in done.stderr or sorted(work.iterdir()) != before:
            sys.exit(f"--cc={compiler}: {done.returncode}: {done.stderr}")
    done = subprocess.run([options.tool, "compile", work / "model.mlir", "-o", work / "refused", "--target=arm_64_base",
                           f"--cc={shlex.split(options.cc)[0]}"], capture_output=True, text=True)
    if not options.run and (done.returncode != 1 or "name a C compiler of that by --cc" not in done.stderr):
        sys.exit(f"a compiler of this machine for another: {done.returncode}: {done.stderr}")


def check_calls(options):
    program = Program(options, "model", MODEL)
    (options.scratch / "scalar.npy").write_bytes(npy.encode("<f4", (), bytes(4)))
    check_elements(options, program)
    check_sizes(options, program)
    check_refusals(options, program)
    check_compiler(options)


def check_numpy(options):
    sys.path[:0] = map(str, options.venv.glob("lib/python*/site-packages"))
    try:
        import numpy
    except ImportError as error:
        print(f"skipped: {error}; `./dev models` installs it into {options.venv}")
        sys.exit(77)
    program = Program(options, "model", MODEL)
    work, generator = options.scratch, numpy.random.default_rng(3)
    for name in ELEMENTS:
        dtype = numpy.dtype(ELEMENTS[name][1])
        x, y = ((generator.random((5, 3)) * 100).astype(dtype) for _ in range(2))
        numpy.save(work / "x.npy", x)
        numpy.save(work / "y.npy", y)
        program.prints(f"--function=add_{name}", f"--input={work / 'x.npy'}", f"--input={work / 'y.npy'}",
                       f"--output={work / 'z.npy'}")
        z = numpy.load(work / "z.npy")
        if z.dtype != dtype or not (z == x + y).all():
            sys.exit(f"{name}: {z}, expected {x + y}")


PARAMETERS = """
ml_program.global private @w(#ml_program.extern : tensor<64x32xf32>) : tensor<64x32xf32>
func.func @product(%x: tensor<?x64xf32>) -> tensor<?x32xf32> {
  %w = ml_program.global_load_const @w : tensor<64x32xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m) : tensor<?x32xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x32xf32>) -> tensor<?x32xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x32xf32>) outs(%z : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}
"""

COUNTER = """
ml_program.global private mutable @count(dense<5> : tensor<i32>) : tensor<i32>
func.func @next(%step: tensor<i32>) -> tensor<i32> {
  %old = ml_program.global_load @count : tensor<i32>
  %new = arith.addi %old, %step : tensor<i32>
  ml_program.global_store @count = %new : tensor<i32>
  return %new : tensor<i32>
}
"""


def check_state(options):
    """One instance for all runs; as a shared library, too, which has the runtime in it."""
    work = options.scratch
    (work / "step.npy").write_bytes(npy.encode("<i4", (), struct.pack("<i", 10)))
    program = Program(options, "counter", COUNTER)
    expect("once", program.prints("--input=step.npy"), "result: i32\n  15\n")
    expect("three times", program.prints("--input=step.npy", "--runs=3").splitlines()[-1], "  35")
    program.refuses("the model has its parameters in itself", "--input=step.npy", "--parameters=x")
    Program(options, "counter.so", COUNTER)
    library = ctypes.CDLL(str((work / "counter.so").resolve()))
    instance, step, count = ctypes.c_void_p(), ctypes.c_int32(3), ctypes.c_int32()
    library.counter_create(ctypes.byref(instance))
    statuses = [library.next(instance, ctypes.byref(step), ctypes.byref(count)) for _ in range(2)]
    expect("counter.so", (statuses, count.value), ([0, 0], 11))
    library.counter_destroy(instance)


def check_file(options):
    """A program with its parameters in itself, and in a file; the flags, x and what it computes of it."""
    work = options.scratch
    weights = [float(i % 11 - 5) for i in range(64 * 32)]
    header = json.dumps({"w": {"dtype": "F32", "shape": [64, 32], "data_offsets": [0, 4 * len(weights)]}}).encode()
    (work / "w.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + struct.pack(f"<{len(weights)}f", *weights))
    flags = [f"--parameters={work / 'w.safetensors'}"]
    x = [float(i % 7 - 3) for i in range(2 * 64)]
    expected = struct.pack("<64f", *(sum(x[i * 64 + k] * weights[k * 32 + j] for k in range(64))
                                     for i in range(2) for j in range(32)))
    (work / "x.npy").write_bytes(npy.encode("<f4", (2, 64), struct.pack("<128f", *x)))
    call = [f"--input={work / 'x.npy'}", f"--output={work / 'y.npy'}"]

    def check(program, *arguments):
        program.prints(*call, *arguments)
        expect(program.path.name, npy.decode((work / "y.npy").read_bytes()), ("<f4", (2, 32), expected))

    check(Program(options, "whole", PARAMETERS, *flags))
    program = Program(options, "apart", PARAMETERS, *flags, f"--parameters-out={work / 'apart.twp'}")
    check(program, f"--parameters={work / 'apart.twp'}", "--runs=3")
    program.refuses("the model's parameters are in a file of their own; name it by --parameters=<file.twp>", *call)
    program.refuses("'none.twp' cannot be opened", *call, "--parameters=none.twp")
    program.refuses(f"'{work / 'x.npy'}' is no file of parameters", *call, f"--parameters={work / 'x.npy'}")
    return flags, x, expected


def check_parameters(options):
    work = options.scratch
    flags, x, expected = check_file(options)
    # The same as a shared library, which has the runtime in it.
    Program(options, "apart.so", PARAMETERS, *flags, f"--parameters-out={work / 'apart.twp'}")
    library = ctypes.CDLL(str((work / "apart.so").resolve()))
    parameters, instance = ctypes.c_void_p(), ctypes.c_void_p()
    y = (ctypes.c_float * 64)()
    statuses = [library.apart_open_parameters(str(work / "apart.twp").encode(), ctypes.byref(parameters), None,
                                              ctypes.c_int64(0)),
                library.apart_create(parameters, ctypes.byref(instance)),
                library.product(instance, (ctypes.c_float * 128)(*x), ctypes.c_int64(2), y)]
    expect("apart.so", (statuses, bytes(y)), ([0, 0, 0], expected))
    library.apart_destroy(instance)
    library.apart_close_parameters(parameters)
    check_state(options)
    if hasattr(library, "tw_instance_create"):
        sys.exit("apart.so shows what is not the model's")


def check_device(options):
    os.environ |= {"TW_HIP_LIBRARY": str(options.hip), "TW_EMULATED_HIP_DEVICE": "gfx942"}
    work = options.scratch
    options.target = "amdgpu:gfx942"
    program = Program(options, "model", SUM.format("f32", "addf"))
    data = struct.pack("<6f", *range(6))
    (work / "x.npy").write_bytes(npy.encode("<f4", (2, 3), data))
    expect("on a GPU", program.prints(*[f"--input={work / 'x.npy'}"] * 2), "result: f32[2][3]\n  0 2 4\n  6 8 10\n")
    Program(options, "model.so", SUM.format("f32", "addf"))
    library = ctypes.CDLL(str((work / "model.so").resolve()))
    x, y = (ctypes.c_float * 6)(*range(6)), (ctypes.c_float * 6)()
    expect("model.so", (library.add_f32(x, ctypes.c_int64(2), x, ctypes.c_int64(2), y), list(y)),
           (0, [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]))
    check_gpus(options, *check_file(options))
    (work / "x.npy").write_bytes(npy.encode("<f4", (2, 3), data))
    os.environ["TW_HIP_LIBRARY"] = "/none"
    program.refuses("'add_f32' returns ", *[f"--input={work / 'x.npy'}"] * 2)


def check_gpus(options, flags, x, expected):
    """Two GPUs, each of which uploads the parameter from one file."""
    work = options.scratch
    options.target = "cpu=host g0=amdgpu:gfx942 g1=amdgpu:gfx950"
    twice = PARAMETERS.replace("return %y", """%t = linalg.matmul {tw.device = "g1"}
      ins(%x, %w : tensor<?x64xf32>, tensor<64x32xf32>) outs(%y : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %t""")
    program = Program(options, "gpus", twice, *flags, f"--parameters-out={work / 'gpus.twp'}")
    call = [f"--input={work / 'x.npy'}", f"--output={work / 'y.npy'}", f"--parameters={work / 'gpus.twp'}"]
    os.environ["TW_EMULATED_HIP_DEVICE"] = "gfx950,gfx942"
    program.prints(*call, "--runs=2")
    expect("on two GPUs", struct.unpack("<64f", npy.decode((work / "y.npy").read_bytes())[2]),
           tuple(2 * y for y in struct.unpack("<64f", expected)))
    os.environ["TW_EMULATED_HIP_DEVICE"] = "gfx942"
    program.refuses("'product' returns ", *call)


def check_amx(options):
    """What multiplies by AMX wants a process that has asked for it: a program does, functions of a library say 2."""
    work = options.scratch
    options.target = "x86_64_amx_int8"
    program = Program(options, "amx", PRODUCT)
    (work / "x.npy").write_bytes(npy.encode("|i1", (2, 64), struct.pack("<128b", *[i % 3 for i in range(128)])))
    call = f"--input={work / 'x.npy'}"
    if "amx_int8" in pathlib.Path("/proc/cpuinfo").read_text().split():
        program.prints(call)
    else:
        program.refuses("the model multiplies by AMX, which this CPU lacks or the operating system does not permit", call)
    Program(options, "amx.so", PRODUCT)
    library = ctypes.CDLL(str((work / "amx.so").resolve()))
    x, y = (ctypes.c_int8 * 128)(), (ctypes.c_int32 * 192)(*[7] * 192)
    expect("amx.so", (library.product(x, ctypes.c_int64(2), y), set(y)), (2, {7}))
    expect("sizes before", library.product(x, ctypes.c_int64(-1), y), 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["calls", "numpy", "parameters", "device", "amx"])
    parser.add_argument("tool")
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--target", default="host")
    parser.add_argument("--run", default="")
    parser.add_argument("--venv", type=pathlib.Path)
    parser.add_argument("--hip")
    options = parser.parse_args()
    options.scratch = options.scratch.resolve()
    options.scratch.mkdir(parents=True, exist_ok=True)
    {"calls": check_calls, "numpy": check_numpy, "parameters": check_parameters, "device": check_device,
     "amx": check_amx}[options.what](options)


if __name__ == "__main__":
    main()
