#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose weights are in safetensors files.

  parameters.py values <tilewright> <scratch> --cc=...
      A model with parameters gives what the same model with constants gives, and each file that is not as it should be
      is refused by a sentence that names what is wrong, with nothing written.
  parameters.py instances <tilewright> <scratch> --cc=... --library=libtilewright_instance.a [--tsan=<clang>]
      The same with a file of parameters, which instances in eight threads share, and with broken files of parameters.
  parameters.py size <tilewright> <scratch> --mb=64
      What memory and processor time it takes to write such a file.
"""

import argparse
import json
import mmap
import os
import pathlib
import random
import re
import resource
import shlex
import struct
import subprocess
import sys
import time

import npy

GLOBALS = """
ml_program.global private @"layer.weight"(#ml_program.extern : tensor<40x48xf32>) : tensor<40x48xf32>
ml_program.global private @bias(#ml_program.extern : tensor<48xf32>) : tensor<48xf32>
ml_program.global private @scale(#ml_program.extern : tensor<2xi32>) : tensor<2xi32>
ml_program.global private @offset(dense<0.5> : tensor<48xf32>) : tensor<48xf32>
"""
LOADS = """
  %w = ml_program.global_load_const @"layer.weight" : tensor<40x48xf32>
  %b = ml_program.global_load @bias : tensor<48xf32>
  %s = ml_program.global_load_const @scale : tensor<2xi32>
  %o = ml_program.global_load_const @offset : tensor<48xf32>
"""
BODY = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x40xf32>
  // Of memory for as many rows as %x has.
  %a = tensor.empty(%m) : tensor<?x40xf32>
  %n = linalg.negf ins(%x : tensor<?x40xf32>) outs(%a : tensor<?x40xf32>) -> tensor<?x40xf32>
  %e = tensor.empty(%m) : tensor<?x48xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x48xf32>) -> tensor<?x48xf32>
  %y = linalg.matmul ins(%n, %w : tensor<?x40xf32>, tensor<40x48xf32>) outs(%z : tensor<?x48xf32>) -> tensor<?x48xf32>
  %k = tensor.extract %s[%c1] : tensor<2xi32>
  %f = arith.sitofp %k : i32 to f32
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
      affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%y, %b, %o : tensor<?x48xf32>, tensor<48xf32>, tensor<48xf32>) outs(%e : tensor<?x48xf32>) {
  ^bb0(%p: f32, %q: f32, %t: f32, %out: f32):
    %1 = arith.addf %p, %q : f32
    %2 = arith.mulf %1, %f : f32
    %3 = arith.addf %2, %t : f32
    linalg.yield %3 : f32
  } -> tensor<?x48xf32>
  return %r : tensor<?x48xf32>
}
"""
HEAD = "func.func @predict(%x: tensor<?x40xf32>) -> tensor<?x48xf32> {\n"
MAIN = """
#include <stdio.h>
#include "model.h"
int main(void) {
  static float x[3 * 40], y[3 * 48];
  for (int i = 0; i < 3 * 40; ++i) x[i] = (float)(i % 13 - 6);
  int status = predict(x, 3, y);
  for (int i = 0; i < 3 * 48; ++i) printf("%d %.9g\\n", status, y[i]);
  return 0;
}
"""


def safetensors(tensors, offsets=None, tail=b""):
    """A file of {name: (dtype, shape, bytes)}; `offsets` replaces the places of some."""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, (dtype, shape, content) in tensors.items():
        place = (offsets or {}).get(name, [len(data), len(data) + len(content)])
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": place}
        data += content
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data + tail


def sound_tensors():
    generator = random.Random(11)
    floats = lambda count: struct.pack(f"<{count}f", *(generator.randrange(-8, 8) for _ in range(count)))
    # An odd number of bytes first: what follows is not aligned.
    return {"other": ("U8", [3], b"abc"), "layer.weight": ("F32", [40, 48], floats(40 * 48)),
            "scale": ("I32", [2], struct.pack("<2i", 7, -3)), "bias": ("F32", [48], floats(48))}


def compile_model(options, model, output, *flags):
    return subprocess.run([options.tool, "compile", model, "-o", output, "--target=generic", *flags],
                          capture_output=True, text=True)


def results(options, model, *flags):
    work = options.scratch
    done = compile_model(options, model, work / "model.a", f"--emit-header={work / 'model.h'}", *flags)
    if done.returncode:
        sys.exit(f"{model.name} with {flags}: {done.stderr}")
    subprocess.run([*shlex.split(options.cc), f"-I{work}", work / "main.c", work / "model.a", "-lm", "-o", work / "main"],
                   check=True)
    return subprocess.run([work / "main"], capture_output=True, check=True).stdout


def check_values(options):
    work, tensors = options.scratch, sound_tensors()
    hexadecimal = lambda name: f'"0x{tensors[name][2].hex()}"'
    (work / "main.c").write_text(MAIN)
    (work / "constants.mlir").write_text(HEAD + f"""
  %w = arith.constant dense<{hexadecimal("layer.weight")}> : tensor<40x48xf32>
  %b = arith.constant dense<{hexadecimal("bias")}> : tensor<48xf32>
  %s = arith.constant dense<[7, -3]> : tensor<2xi32>
  %o = arith.constant dense<0.5> : tensor<48xf32>""" + BODY)
    expected = results(options, work / "constants.mlir")
    whole, first, second = (work / f"{name}.safetensors" for name in ("whole", "first", "second"))
    whole.write_bytes(safetensors(tensors))
    first.write_bytes(safetensors({name: tensors[name] for name in ("other", "bias")}))
    second.write_bytes(safetensors({name: tensors[name] for name in ("scale", "layer.weight")}))
    model = work / "model.mlir"
    for flags in ([f"--parameters={whole}"], [f"--parameters={first}", f"--parameters={second}"],
                  [f"--parameters={whole}", "--reference"]):
        if results(options, model, *flags) != expected:
            sys.exit(f"{flags}: not what the same model with constants gives")


# Of F4 two are in a byte; large ones stay out of code.
NARROW = {"four": ("f4E2M1FN", "F4", 10), "large_four": ("f4E2M1FN", "F4", 9001 * 2), "eight": ("f8E4M3FN", "F8_E4M3", 7),
          "large_eight": ("f8E5M2", "F8_E5M2", 5000), "scales": ("f8E8M0FNU", "F8_E8M0", 5)}


def check_narrow(options):
    work, generator = options.scratch, random.Random(5)
    content = {name: generator.randbytes(count // 2 if dtype == "F4" else count) for name, (_, dtype, count) in NARROW.items()}
    parameters = work / "narrow.safetensors"
    # Of 6 bits they are at least no reason to refuse a file.
    parameters.write_bytes(safetensors({name: (dtype, [count], content[name]) for name, (_, dtype, count) in NARROW.items()}
                                       | {"six": ("F6_E2M3", [2, 4], bytes(6))}))
    types = [f"tensor<{count}x{element}>" for element, _, count in NARROW.values()]
    model = work / "narrow.mlir"
    model.write_text("".join(f"ml_program.global private @{name}(#ml_program.extern : {kind}) : {kind}\n"
                             for name, kind in zip(NARROW, types))
                     + f"func.func @f() -> ({', '.join(types)}) {{\n"
                     + "".join(f"  %{name} = ml_program.global_load_const @{name} : {kind}\n" for name, kind in zip(NARROW, types))
                     + f"  return {', '.join('%' + name for name in NARROW)} : {', '.join(types)}\n}}\n")
    done = compile_model(options, model, work / "narrow", f"--parameters={parameters}", f"--cc={options.cc}")
    if done.returncode:
        sys.exit(f"narrow parameters: {done.stderr}")
    outputs = [work / f"{name}.npy" for name in NARROW]
    subprocess.run([work / "narrow", *(f"--output={path}" for path in outputs)], check=True)
    for path, (name, (_, dtype, count)) in zip(outputs, NARROW.items()):
        data = content[name]
        expected = bytes(nibble for byte in data for nibble in (byte & 15, byte >> 4)) if dtype == "F4" else data
        if npy.decode(path.read_bytes()) != ("|u1", (count,), expected):
            sys.exit(f"the parameter '{name}' of {dtype} is not what its file has")
    model.write_text(model.read_text().replace(types[0], "tensor<10xf6E2M3FN>"))
    done = compile_model(options, model, work / "narrow.a", f"--parameters={parameters}")
    if done.returncode != 1 or "of which files do not say how they lie in bytes" not in done.stderr:
        sys.exit(f"a parameter of 6 bits: {done.returncode}: {done.stderr}")


def broken_files():
    """Name, bytes, and what the message says."""
    sound = sound_tensors()
    whole = safetensors(sound)
    replaced = lambda name, value: safetensors(sound | {name: value})
    yield "empty", b"", "it has 0 bytes"
    yield "cut-length", whole[:5], "it has 5 bytes"
    yield "cut-header", whole[:60], "its header would be"
    yield "cut-data", whole[:-1], "was the file copied whole?"
    yield "longer", whole + b"\0", "1 bytes follow that belong to no tensor"
    yield "long-header", struct.pack("<Q", 1 << 63) + whole[8:], "its header would be 9223372036854775808 bytes long"
    yield "no-json", struct.pack("<Q", 4) + b"{{{{" + whole[8:], "its header is no JSON"
    yield "no-object", struct.pack("<Q", 2) + b"[]", "its header is no JSON object"
    yield "overlap", safetensors(sound, {"scale": [0, 8]}), "the tensors 'other' and 'scale' overlap"
    yield "gap", safetensors(sound, {"bias": [7699, 7891]}, bytes(8)), "there is a gap before the tensor 'bias'"
    yield "backwards", safetensors(sound, {"bias": [90, 10]}), "the tensor 'bias' has data_offsets that are no begin and end"
    yield "short", safetensors(sound, {"other": [0, 2]}), "the tensor 'other' has 2 bytes"
    yield "unknown-dtype", replaced("other", ("F3", [3], b"abc")), "the tensor 'other' has the unknown dtype 'F3'"
    yield "half-byte", replaced("other", ("F4", [5], b"abc")), "which is not what its shape and dtype take"
    yield "negative", replaced("other", ("U8", [-3], b"abc")), "the tensor 'other' has a shape with something else than sizes"
    yield "huge", replaced("other", ("F32", [1 << 40, 1 << 40], b"abc")), "which is not what its shape and dtype take"
    weight = sound["layer.weight"][2]
    yield "shape", replaced("layer.weight", ("F32", [48, 40], weight)), (
        "the parameter 'layer.weight' has the type 'tensor<40x48xf32>', but in")
    yield "dtype", replaced("layer.weight", ("I32", [40, 48], weight)), "it is I32 of shape [40, 48]"
    del sound["layer.weight"]
    sound["layer.weights"] = ("F32", [40, 48], weight)
    yield "missing", safetensors(sound), "did you mean 'layer.weights'?"


def check_refusals(options):
    work = options.scratch
    output = work / "refused.a"

    def check(what, message, *flags):
        done = compile_model(options, work / "model.mlir", output, *flags)
        if done.returncode != 1 or message not in done.stderr:
            sys.exit(f"{what}: expected an error with '{message}', got {done.returncode}: {done.stderr}")
        left = sorted(path.name for path in work.glob("refused*"))
        if left:
            sys.exit(f"{what}: left {left} behind")

    for name, content, message in broken_files():
        path = work / f"{name}.safetensors"
        path.write_bytes(content)
        check(name, message, f"--parameters={path}")
    whole = work / "whole.safetensors"
    check("without a file", "has no value; give a file with it, --parameters=<weights.safetensors>")
    check("no such file", "none.safetensors", f"--parameters={work / 'none.safetensors'}")
    check("twice", "the tensor 'other' is in", f"--parameters={whole}", f"--parameters={work / 'first.safetensors'}")


THREADS = """
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "net.h"
static net_parameters *parameters;
static float x[17 * 40], expected[3 * 48];
static int wrong[8];
static void *work(void *number) {
  static float results[8][17 * 48];
  float *y = results[(long)number];
  net_instance *instance;
  if (net_create(parameters, &instance) != 0) return &wrong[(long)number];
  for (int round = 0; round < 40; ++round) {
    int rows = round % 3 ? 3 : 17;
    if (predict(instance, x, rows, y) != 0) wrong[(long)number] = 1;
    if (memcmp(y, expected, sizeof(expected)) != 0) wrong[(long)number] = 1;
  }
  if (predict(instance, x, -1, y) != 1) wrong[(long)number] = 1;
  if (predict(instance, x, (int64_t)1 << 60, y) != 3) wrong[(long)number] = 1;
  if (predict(instance, x, (int64_t)1 << 50, y) != 5) wrong[(long)number] = 1;
  if (predict(instance, x, 3, y) != 0) wrong[(long)number] = 1;
  net_destroy(instance);
  return NULL;
}
int main(int count, char **arguments) {
  char message[300] = "";
  int32_t status = net_open_parameters(arguments[1], &parameters, message, sizeof(message));
  if (status != 0) {
    printf("%d: %s\\n", status, message);
    return 1;
  }
  net_instance *instance;
  for (int i = 0; i < 17 * 40; ++i) x[i] = (float)(i % 13 - 6);
  if (net_create(parameters, &instance) != 0 || predict(instance, x, 3, expected) != 0) return 2;
  net_destroy(instance);
  for (int i = 0; i < 3 * 48; ++i) printf("0 %.9g\\n", expected[i]);
  pthread_t threads[8];
  for (long i = 0; i < 8; ++i) pthread_create(&threads[i], NULL, work, (void *)i);
  void *failed = NULL;
  for (int i = 0; i < 8; ++i) {
    void *result;
    pthread_join(threads[i], &result);
    if (result || wrong[i]) failed = &wrong[i];
  }
  net_close_parameters(parameters);
  return failed ? 3 : 0;
}
"""


def broken_parameters(whole):
    """What becomes of a file of parameters, its status and what the message says."""
    flipped = lambda at: whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1:]
    yield "empty", b"", 7, "too few for its header"
    yield "text", b"hello" * 50, 7, "is no file of parameters of a compiled model"
    yield "version", flipped(8), 7, "version 7 of its format"
    yield "count", flipped(15), 8, "entries do not fit"
    yield "identity", flipped(40), 8, "its header is not what was written"
    yield "target", flipped(70), 8, "its header is not what was written"
    yield "table", flipped(165), 8, "its header is not what was written"
    yield "data", flipped(len(whole) - 7), 8, "parameter 1 of 1, are not what was written"
    yield "first", flipped(256), 8, "parameter 1 of 1, are not what was written"
    yield "cut", whole[:-1], 8, "was it copied whole?"
    yield "longer", whole + b"\0", 8, "was it copied whole?"


def check_instances(options):
    work = options.scratch
    tensors = sound_tensors()
    (work / "whole.safetensors").write_bytes(safetensors(tensors))
    model = work / "model.mlir"
    (work / "main.c").write_text(MAIN)
    (work / "threads.c").write_text(THREADS)
    expected = results(options, model, f"--parameters={work / 'whole.safetensors'}")
    parameters = work / "net.twp"

    def build(output, compiler, *flags):
        done = compile_model(options, model, output, f"--parameters={work / 'whole.safetensors'}",
                             f"--parameters-out={parameters}", f"--emit-header={work / 'net.h'}")
        if done.returncode:
            sys.exit(f"{output.name}: {done.stderr}")
        subprocess.run([*shlex.split(compiler), *flags, f"-I{work}", work / "threads.c", output, options.library,
                        "-lpthread", "-lm", "-o", work / "threads"], check=True)

    def run(file):
        return subprocess.run([work / "threads", file], capture_output=True, text=True,
                              env=os.environ | {"TSAN_OPTIONS": "allocator_may_return_null=1"})

    for kind in "a", "o":
        build(work / f"net.{kind}", options.cc)
        done = run(parameters)
        if done.returncode or done.stdout.encode() != expected:
            sys.exit(f"net.{kind}: {done.returncode}: {done.stdout[:300]} {done.stderr}")
    if options.tsan:
        # The model's own accesses to memory are watched, too.
        build(work / "net.bc", options.cc if "clang" in options.cc else options.tsan)
        text = work / "net.ll"
        subprocess.run([options.tsan, "-S", "-emit-llvm", "-x", "ir", work / "net.bc", "-o", text], check=True)
        watched, functions = re.subn(r"(?m)^(define .*) \{$", r"\1 sanitize_thread {", text.read_text())
        text.write_text(watched)
        subprocess.run([options.tsan, "-fsanitize=thread", "-O1", f"-I{work}", work / "threads.c", text, options.library,
                        "-lm", "-o", work / "threads"], check=True)
        if functions < 5:
            sys.exit(f"ThreadSanitizer watches {functions} functions of the model")
        done = run(parameters)
        if done.returncode or done.stdout.encode() != expected:
            sys.exit(f"with ThreadSanitizer: {done.returncode}: {done.stdout[:300]} {done.stderr}")
    whole = parameters.read_bytes()
    for name, content, status, message in broken_parameters(whole):
        path = work / f"{name}.twp"
        path.write_bytes(content)
        done = run(path)
        if done.returncode != 1 or not done.stdout.startswith(f"{status}: '{path}' ") or message not in done.stdout:
            sys.exit(f"{name}.twp: expected {status} and '{message}', got {done.returncode}: {done.stdout}")
    done = run(work / "none.twp")
    if "cannot be opened: No such file or directory" not in done.stdout:
        sys.exit(f"none.twp: {done.stdout}")
    # Another model's: other values.
    tensors["layer.weight"] = ("F32", [40, 48], bytes(40 * 48 * 4 - 4) + struct.pack("<f", 1))
    (work / "other.safetensors").write_bytes(safetensors(tensors))
    compile_model(options, model, work / "net.a", f"--parameters={work / 'other.safetensors'}",
                  f"--parameters-out={work / 'other.twp'}")
    done = run(work / "other.twp")
    if done.returncode != 1 or not done.stdout.startswith("9: ") or "another model than 'net'" not in done.stdout or (
            "compilation of it, for generic" not in done.stdout):
        sys.exit(f"other.twp: {done.stdout}")
    # A function of the model has the name of one that comes with it.
    clash = work / "clash.mlir"
    clash.write_text(GLOBALS + HEAD.replace("predict", "clash_create") + LOADS + BODY)
    done = compile_model(options, clash, work / "clash.a", f"--parameters={work / 'whole.safetensors'}",
                         f"--parameters-out={work / 'clash.twp'}")
    if "the model has a function 'clash_create', which the header needs" not in done.stderr:
        sys.exit(f"clash: {done.stderr}")
    # Nothing is written after an error.
    before = sorted(work.iterdir())
    done = compile_model(options, model, work / "x.a", f"--parameters={work / 'whole.safetensors'}",
                         f"--parameters-out={work / 'none' / 'x.twp'}")
    if done.returncode != 1 or sorted(work.iterdir()) != before:
        sys.exit(f"without a folder: {done.returncode}: {done.stderr}")


def check_size(options):
    """Sixteen matrices, and the same model with hardly any bytes to compare with."""
    work, count = options.scratch, 16

    def measure(side):
        names = [f"w{i}" for i in range(count)]
        model = work / f"size{side}.mlir"
        lines = [f'ml_program.global private @{name}(#ml_program.extern : tensor<{side}x{side}xf32>) : '
                 f'tensor<{side}x{side}xf32>' for name in names]
        lines.append(f"func.func @f(%y: tensor<8x{side}xf32>) -> tensor<8x{side}xf32> {{\n%zero = arith.constant 0.0 : f32\n"
                     f"%e = tensor.empty() : tensor<8x{side}xf32>")
        value = "%y"
        for name in names:
            lines.append(f"""%{name} = ml_program.global_load_const @{name} : tensor<{side}x{side}xf32>
%z{name} = linalg.fill ins(%zero : f32) outs(%e : tensor<8x{side}xf32>) -> tensor<8x{side}xf32>
%y{name} = linalg.matmul ins({value}, %{name} : tensor<8x{side}xf32>, tensor<{side}x{side}xf32>)
    outs(%z{name} : tensor<8x{side}xf32>) -> tensor<8x{side}xf32>""")
            value = f"%y{name}"
        lines.append(f"return {value} : tensor<8x{side}xf32> }}")
        model.write_text("\n".join(lines))
        weights = work / "size.safetensors"
        bytes_each = side * side * 4
        header = json.dumps({name: {"dtype": "F32", "shape": [side, side],
                                    "data_offsets": [i * bytes_each, (i + 1) * bytes_each]}
                             for i, name in enumerate(names)}).encode()
        with weights.open("wb") as file:
            file.write(struct.pack("<Q", len(header)) + header)
            generator = random.Random(1)
            block = generator.randbytes(bytes_each)
            for i in range(count):
                file.write(struct.pack("<Q", i))
                file.write(memoryview(block)[8:])
        command = [options.tool, "compile", model, "-o", work / "size.a", "--target=generic",
                   f"--parameters={weights}", f"--parameters-out={work / 'size.twp'}", "--report=json",
                   *(f"--also={work / f'size{number}.a'}={target}" for number, target in enumerate(options.also))]
        peak = 0
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while process.poll() is None:
            peak = max(peak, anonymous_memory(process.pid))
            time.sleep(0.002)
        # In turns, and the best of each: what a page of the file's cache costs changes fourfold from minute to minute where
        # a hypervisor backs memory.
        fill, loop = float("inf"), float("inf")
        for _ in range(3 if options.least else 1):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            first = report[0] if options.also else report
            fill = min(fill, next(step["ms"] for step in first["steps"] if step["step"] == "fill") / 1e3)
            loop = min(loop, read_and_write(weights, (1 + len(options.also)) * count * bytes_each, work / "copy"))
        weights.unlink()
        if process.returncode:
            sys.exit(f"failed with {process.returncode}")
        return peak / 1024, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, loop / fill

    base_memory, base_time, _ = measure(64)
    memory, seconds, share = measure(int((options.mb * 2**20 / 4 / count) ** 0.5) // 64 * 64)
    written = (work / "size.twp").stat().st_size >> 20
    (work / "size.twp").unlink()
    print(f"{written} MiB of parameters: anonymous memory {memory:.0f} MiB, {base_memory:.0f} with next to none; "
          f"processor time {seconds:.2f} s, {base_time:.2f} with next to none; packed at {share:.2f} of the speed of a loop that "
          "reads and writes as many bytes")
    if share < options.least:
        sys.exit(f"packing is to have at least {options.least} of the loop's speed")
    if memory > base_memory + 64:
        sys.exit("more than 64 MiB of anonymous memory beside that of a small model")


def read_and_write(source, size, path):
    """Seconds that it takes to read `source` and to write a file of `size` bytes, with the bytes of the one."""
    start = time.perf_counter()
    with source.open("rb") as file, path.open("w+b") as copy:
        copy.truncate(size)
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as old, mmap.mmap(copy.fileno(), size) as new, \
                memoryview(old) as whole:
            block, at = 1 << 20, 0
            # Each block of the source is read once, and written as often as there are copies of it.
            for start_of_block in range(0, len(old), block):
                part = whole[start_of_block:start_of_block + block]
                for _ in range(size // len(old) + 1):
                    count = min(len(part), size - at)
                    new[at:at + count] = part[:count]
                    at += count
                part.release()
    path.unlink()
    return time.perf_counter() - start


def anonymous_memory(process):
    """Of a process and its children, in KiB."""
    total = 0
    for task in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        try:
            total += sum(anonymous_memory(int(child)) for child in task.read_text().split())
        except OSError:
            pass
    try:
        for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith(("RssAnon:", "RssShmem:")):
                total += int(line.split()[1])
    except OSError:
        pass
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["values", "instances", "size"])
    parser.add_argument("tool")
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--cc")
    parser.add_argument("--library")
    parser.add_argument("--tsan")
    parser.add_argument("--mb", type=int, default=64)
    parser.add_argument("--also", action="append", default=[], help="one more target that is packed for")
    parser.add_argument("--least", type=float, default=0, help="the share of the loop's speed that packing has")
    options = parser.parse_args()
    options.scratch.mkdir(parents=True, exist_ok=True)
    (options.scratch / "model.mlir").write_text(GLOBALS + HEAD + LOADS + BODY)
    if options.what == "values":
        check_values(options)
        check_narrow(options)
        check_refusals(options)
    elif options.what == "instances":
        check_instances(options)
    else:
        check_size(options)


if __name__ == "__main__":
    main()
