# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of outputs share: the programs, and small inputs for every command."""

import argparse
import os
import pathlib
import shutil
import subprocess

TILE = "tw_mmt4d_tile_f32f32f32_5x7x1_generic"
OTHER_TILE = "tw_mmt4d_tile_s8s8s32_3x2x1_generic"
KERNEL = "tw_mmt4d_kernel_f16f16f32_16x16x16_amdgpu_gfx942"
USER = f"""void {TILE}(void *, const void *, const void *, const void *);
void user(void *o, void *l, void *r, void *p) {{ {TILE}(o, l, r, p); }}
"""
MODEL = """func.func @product(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}
"""
SKIPPED = 77


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--tilewright", required=True)
    parser.add_argument("--emulate", required=True, help="tw-emulate")
    parser.add_argument("--kernel", required=True, help="bitcode of the kernel `scale`, see tests/emulator/tool")
    parser.add_argument("--bench", default="", help="peak_bench; empty: not built")
    parser.add_argument("--clang", required=True)
    parser.add_argument("--ar", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path, help="a folder for scratch files")
    return parser


def make_inputs(options):
    """A new folder with an input of every kind; the cache holds the tiles that they want."""
    inputs = options.work / "inputs"
    shutil.rmtree(options.work, ignore_errors=True)
    inputs.mkdir(parents=True)
    (inputs / "user.c").write_text(USER)
    (inputs / "e.mlir").write_text(MODEL)
    (inputs / "names.txt").write_text(TILE + "\n")
    shutil.copy(options.kernel, inputs / "scale.bc")
    run = dict(cwd=inputs, check=True, env=environment(options))
    subprocess.run([options.clang, "-O1", "-c", "user.c", "-o", "user.o"], **run)
    subprocess.run([options.clang, "-O1", "-c", "-emit-llvm", "user.c", "-o", "user.bc"], **run)
    subprocess.run([options.ar, "qc", "lib.a", "user.o"], **run)
    subprocess.run([options.ar, "qcT", "thin.a", "user.o"], **run)
    for emit in "obj", "bitcode":
        subprocess.run([options.tilewright, "gen", f"--emit={emit}", TILE, OTHER_TILE, "-o", "../warm"],
                       **run)
    return inputs


def environment(options, **more):
    # The checks of a preloaded library by the sanitizers are not what is tested.
    return {**os.environ, "TILEWRIGHT_CACHE_DIR": str(options.work / "cache"), "LC_ALL": "C",
            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0", **more}


def snapshot(folder):
    """Every path below the folder, with what is there: a file's bytes, a link's text, or a kind."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = ("link", os.readlink(path))
        elif path.is_file():
            found[name] = ("file", path.read_bytes())
        else:
            found[name] = ("folder" if path.is_dir() else "special", b"")
    return found
