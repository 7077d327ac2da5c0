#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs for several targets, made in one run, which read one file of parameters.

Programs for x86-64, arm_64 and gfx942, each run alone, against sums that are exact.
"""

import argparse
import json
import os
import pathlib
import shlex
import struct
import subprocess
import sys

import parameters

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHAPES = {"w": (64, 96), "v": (96, 40), "b": (5000,)}
MODEL = """
ml_program.global private @w(#ml_program.extern : tensor<64x96xf32>) : tensor<64x96xf32>
ml_program.global private @v(#ml_program.extern : tensor<96x40xf32>) : tensor<96x40xf32>
ml_program.global private @b(#ml_program.extern : tensor<5000xf32>) : tensor<5000xf32>
func.func @predict(%x: tensor<?x64xf32>) -> (tensor<?x40xf32>, tensor<5000xf32>) {
  %w = ml_program.global_load_const @w : tensor<64x96xf32>
  %v = ml_program.global_load_const @v : tensor<96x40xf32>
  %b = ml_program.global_load_const @b : tensor<5000xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %d = tensor.empty(%m) : tensor<?x96xf32>
  %z = linalg.fill ins(%zero : f32) outs(%d : tensor<?x96xf32>) -> tensor<?x96xf32>
  %y = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x96xf32>) outs(%z : tensor<?x96xf32>) -> tensor<?x96xf32>
  %e = tensor.empty(%m) : tensor<?x40xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x40xf32>) -> tensor<?x40xf32>
  %r = linalg.matmul ins(%y, %v : tensor<?x96xf32>, tensor<96x40xf32>) outs(%f : tensor<?x40xf32>) -> tensor<?x40xf32>
  %g = tensor.empty() : tensor<5000xf32>
  %n = linalg.negf ins(%b : tensor<5000xf32>) outs(%g : tensor<5000xf32>) -> tensor<5000xf32>
  return %r, %n : tensor<?x40xf32>, tensor<5000xf32>
}
"""
ROWS = 7
MAIN = f"""
#include <stdio.h>
#include "net.h"
int main(int argc, char **argv) {{
  static float x[{ROWS} * 64], r[{ROWS} * 40], n[5000];
  char message[300];
  net_parameters *parameters;
  net_instance *instance;
  for (int i = 0; i < {ROWS} * 64; ++i) x[i] = (float)(i % 7 - 3);
  int status = net_open_parameters(argc > 1 ? argv[1] : "", &parameters, message, sizeof(message));
  if (status) return puts(message), status;
  status = net_create(parameters, &instance);
  if (!status) status = predict(instance, x, {ROWS}, r, n);
  for (int i = 0; i < {ROWS} * 40; ++i) printf("%g ", r[i]);
  for (int i = 0; i < 5000; ++i) printf("%g ", n[i]);
  return status;
}}
"""


def elements(name):
    count = 1
    for extent in SHAPES[name]:
        count *= extent
    return [float(i % 11 - 5) for i in range(count)]


def expected():
    x, w, v = [float(i % 7 - 3) for i in range(ROWS * 64)], elements("w"), elements("v")
    y = [sum(x[i * 64 + k] * w[k * 96 + j] for k in range(64)) for i in range(ROWS) for j in range(96)]
    return [sum(y[i * 96 + k] * v[k * 40 + j] for k in range(96)) for i in range(ROWS) for j in range(40)] + \
        [-value for value in elements("b")]


def compile_programs(options, model, *flags):
    done = subprocess.run([options.tool, "compile", model, "-o", options.scratch / "net.a", *flags], capture_output=True,
                          text=True)
    if done.returncode:
        sys.exit(f"{shlex.join(map(str, flags))}: {done.stderr}")
    return done.stdout


def check(options):
    work = options.scratch
    (work / "model.mlir").write_text(MODEL)
    (work / "main.c").write_text(MAIN)
    (work / "w.safetensors").write_bytes(parameters.safetensors({
        name: ("F32", list(shape), struct.pack(f"<{len(elements(name))}f", *elements(name)))
        for name, shape in SHAPES.items()}))
    common = [f"--parameters={work / 'w.safetensors'}", f"--emit-header={work / 'net.h'}"]
    others = {"arm": "arm_64:neoverse-n1", "gpu": "amdgpu:gfx942", "old": "x86_64:x86-64"}
    reports = json.loads(compile_programs(
        options, work / "model.mlir", *common, f"--parameters-out={work / 'net.twp'}", "--report=json",
        *(f"--also={work / name}.a={target}" for name, target in others.items())))
    # Each matrix in each layout once, and a vector that all of them read.
    count = struct.unpack_from("<I", (work / "net.twp").read_bytes(), 12)[0]
    layouts = {constant["type"] for report in reports for constant in report["large_constants"]}
    if count != len(layouts) or not 5 < count < 3 * len(reports):
        sys.exit(f"{count} parameters in the file, of {len(layouts)} layouts: {layouts}")

    def run(name, compiler, runner, *libraries):
        program = work / name
        subprocess.run([*shlex.split(compiler), f"-I{work}", f"-I{ROOT / 'abi/include'}", f"-I{ROOT}", work / "main.c",
                        work / f"{name}.a", *libraries, "-lpthread", "-lm", "-o", program], check=True)
        done = subprocess.run([*shlex.split(runner), program, work / "net.twp"], capture_output=True, text=True)
        if done.returncode or [float(word) for word in done.stdout.split()] != expected():
            sys.exit(f"{name}: {done.returncode}: {done.stdout[:300]} {done.stderr}")
        print(f"{name}: right")
        return program

    program = run("net", options.cc, "", options.instance)
    run("old", options.cc, "", options.instance)
    if options.hip:
        os.environ |= {"TW_HIP_LIBRARY": options.hip, "TW_EMULATED_HIP_DEVICE": "gfx942"}
        run("gpu", options.cc, "", options.instance, options.hip_library, "-ldl")
    if options.arm_cc:
        run("arm", options.arm_cc, options.run, *sorted((ROOT / "ukernels/instance").glob("*.c")))
    # The file of another compilation is none of these programs'.
    compile_programs(options, work / "model.mlir", *common, f"--parameters-out={work / 'other.twp'}", "--target=x86_64:haswell",
                     f"--also={work / 'two.a'}=arm_64:sve+vl256")
    done = subprocess.run([program, work / "other.twp"], capture_output=True, text=True)
    if done.returncode != 9 or "compilation of it, for x86_64:haswell and 1 more" not in done.stdout:
        sys.exit(f"another's file: {done.returncode}: {done.stdout[:300]}")
    if b"arm_64:sve+vl256\0" not in (work / "other.twp").read_bytes()[:288]:
        sys.exit("the file does not say how long vectors are")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--instance", help="libtilewright_instance.a")
    parser.add_argument("--hip", help="what stands for HIP")
    parser.add_argument("--hip-library", help="libtilewright_hip.a")
    parser.add_argument("--arm-cc", help="a C compiler for arm_64, without the instance library")
    parser.add_argument("--run", default="", help="what runs programs for arm_64")
    options = parser.parse_args()
    options.scratch.mkdir(parents=True, exist_ok=True)
    options.scratch = options.scratch.resolve()
    check(options)


if __name__ == "__main__":
    main()
