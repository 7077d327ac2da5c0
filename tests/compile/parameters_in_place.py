#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parameters that are large enough for their file to be the one that they were packed in.

  parameters_in_place.py <tilewright> <scratch> --cc=... --library=libtilewright_instance.a
"""

import argparse
import os
import pathlib
import random
import shlex
import struct
import subprocess
import sys

import parameters


def check_in_place(options):
    """Weights that are large enough for the file to be the one that they were packed in, with one that is not packed."""
    work, rows, cols = options.scratch, 700, 500
    generator = random.Random(3)
    floats = lambda count: struct.pack(f"<{count}f", *(generator.randrange(-8, 8) for _ in range(count)))
    weights = work / "large.safetensors"
    tensors = {"table": ("F32", [90, rows], floats(90 * rows)), "weight": ("F32", [rows, cols], floats(rows * cols)),
               "turned": ("F32", [cols, cols], floats(cols * cols))}
    weights.write_bytes(parameters.safetensors(tensors))
    model = work / "large.mlir"
    model.write_text(f"""
ml_program.global private @table(#ml_program.extern : tensor<90x{rows}xf32>) : tensor<90x{rows}xf32>
ml_program.global private @weight(#ml_program.extern : tensor<{rows}x{cols}xf32>) : tensor<{rows}x{cols}xf32>
ml_program.global private @turned(#ml_program.extern : tensor<{cols}x{cols}xf32>) : tensor<{cols}x{cols}xf32>
func.func @f(%x: tensor<90x{rows}xf32>) -> tensor<90x{cols}xf32> {{
  %zero = arith.constant 0.0 : f32
  %t = ml_program.global_load_const @table : tensor<90x{rows}xf32>
  %w = ml_program.global_load_const @weight : tensor<{rows}x{cols}xf32>
  %u = ml_program.global_load_const @turned : tensor<{cols}x{cols}xf32>
  %s = arith.addf %x, %t : tensor<90x{rows}xf32>
  %e = tensor.empty() : tensor<90x{cols}xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<90x{cols}xf32>) -> tensor<90x{cols}xf32>
  %p = linalg.matmul ins(%s, %w : tensor<90x{rows}xf32>, tensor<{rows}x{cols}xf32>) outs(%z : tensor<90x{cols}xf32>)
      -> tensor<90x{cols}xf32>
  %q = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                        affine_map<(m, n, k) -> (m, n)>]
      ins(%p, %u : tensor<90x{cols}xf32>, tensor<{cols}x{cols}xf32>) outs(%z : tensor<90x{cols}xf32>) -> tensor<90x{cols}xf32>
  return %q : tensor<90x{cols}xf32>
}}
""")
    (work / "large.c").write_text(f"""
#include <stdio.h>
#include "large.h"
int main(int count, char **arguments) {{
  static float x[90 * {rows}], y[90 * {cols}];
  char message[300] = "";
  large_parameters *parameters = NULL;
  large_instance *instance = NULL;
  for (int i = 0; i < 90 * {rows}; ++i) x[i] = (float)(i % 5 - 2);
  int32_t status = large_open_parameters(arguments[1], &parameters, message, sizeof(message));
  if (status == 0) status = large_create(parameters, &instance);
  if (status == 0) status = f(instance, x, y);
  fprintf(stderr, "%d %s\\n", status, message);
  fwrite(y, sizeof(y), 1, stdout);
  large_destroy(instance);
  large_close_parameters(parameters);
  return status;
}}
""")
    outputs, files = {}, {}

    def run(name, file, *flags):
        done = subprocess.run([options.tool, "compile", model, "-o", work / "large.a", "--target=generic",
                               f"--parameters={weights}", f"--parameters-out={file}",
                               f"--emit-header={work / 'large.h'}", *flags],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{name}: {done.stderr}")
        subprocess.run([*shlex.split(options.cc), f"-I{work}", work / "large.c", work / "large.a", options.library, "-lm",
                        "-o", work / "large"], check=True)
        done = subprocess.run([work / "large", file], capture_output=True)
        if done.returncode:
            sys.exit(f"{name}: {done.stderr.decode()}")
        outputs[name], files[name] = done.stdout, pathlib.Path(file).read_bytes()

    in_place, other = work / "large.twp", work / "other.twp"
    run("in place", in_place)
    run("again", other)
    if files["in place"] != files["again"]:
        sys.exit("the same parameters give other bytes")
    if struct.unpack_from("<Q", files["in place"], 64)[0] < 4096:
        sys.exit("the parameters were copied, though most of what was packed is theirs")
    run("reference", other, "--reference")
    if outputs["in place"] != outputs["reference"]:
        sys.exit("with parameters in place the results are others")
    # A file whose bytes are the same elsewhere is another one.
    done = subprocess.run([work / "large", in_place], capture_output=True, text=False)
    if done.returncode != 9:
        sys.exit(f"a file of another compilation is taken: {done.returncode}")
    # The temporary file becomes the output with the rights of others, or of what was there.
    os.chmod(in_place, 0o640)
    run("over", in_place)
    if in_place.stat().st_mode & 0o777 != 0o640:
        sys.exit(f"the file that was replaced had other rights: {oct(in_place.stat().st_mode)}")
    left = [path.name for path in work.iterdir() if ".tmp-" in path.name or path.name.startswith(".tilewright-")]
    if left:
        sys.exit(f"left {left} behind")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--library", required=True)
    options = parser.parse_args()
    options.scratch.mkdir(parents=True, exist_ok=True)
    check_in_place(options)


if __name__ == "__main__":
    main()
