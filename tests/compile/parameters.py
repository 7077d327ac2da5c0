#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose weights are in safetensors files.

  parameters.py <tilewright> <scratch> --cc=...
      A model with parameters gives what the same model with constants gives, and each file that is not as it should be
      is refused by a sentence that names what is wrong, with nothing written.
"""

import argparse
import json
import pathlib
import random
import shlex
import struct
import subprocess
import sys

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
  %e = tensor.empty(%m) : tensor<?x48xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x48xf32>) -> tensor<?x48xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x40xf32>, tensor<40x48xf32>) outs(%z : tensor<?x48xf32>) -> tensor<?x48xf32>
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--cc", required=True)
    options = parser.parse_args()
    options.scratch.mkdir(parents=True, exist_ok=True)
    (options.scratch / "model.mlir").write_text(GLOBALS + HEAD + LOADS + BODY)
    check_values(options)
    check_refusals(options)


main()
