# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hand-written tiles as kernels: the rows of ukernels/amdgpu, each in a kernel of one wave of its own.

By itself: builds those of one target in a folder, where others find them (built, below)."""

import argparse
import dataclasses
import pathlib
import shutil
import subprocess
import sys

from gpus import check_targets, listed

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    variant: str  # "", "steprnd" or "mx"
    lhs: str
    rhs: str
    out: str
    m0: int
    n0: int
    k0: int
    gfx: str
    family: str


def rows_of(tool, gfx):
    """The rows of one target, in the registry's order."""
    return [Row(tile["name"], "mx" if tile["mx"] else "steprnd" if tile["steprnd"] else "", tile["lhs"], tile["rhs"],
                tile["out"], tile["M0"], tile["N0"], tile["K0"], gfx, tile["family"])
            for tile in listed(tool, "tiles", f"--isa=amdgpu_{gfx}")]


def llvm_programs(clang):
    """The directory of LLVM's programs: that of the compiler."""
    return pathlib.Path(shutil.which(clang) or clang).resolve().parent


def lanes(gfx):
    return 64 if gfx.startswith("gfx9") else 32


def source(names, gfx):
    """Calls each tile from a kernel <name>_wave(out, lhs, rhs, params). The wave may use all registers."""
    pointers = "TW_GLOBAL void *out, const TW_GLOBAL void *lhs, const TW_GLOBAL void *rhs"
    text = '#include "ukernels/amdgpu/device.h"\n'
    for name in names:
        text += (f'extern "C" void {name}({pointers}, const tw_mmt4d_params_t *params);\n'
                 f'extern "C" __attribute__((amdgpu_kernel, amdgpu_flat_work_group_size({lanes(gfx)}, {lanes(gfx)})))\n'
                 f"void {name}_wave({pointers}, tw_mmt4d_params_t params) {{\n  {name}(out, lhs, rhs, &params);\n}}\n")
    return text


def built(gfx, folder):
    """The code object of a target's kernels in a folder."""
    return pathlib.Path(folder) / f"wave_kernels_{gfx}.hsaco"


def build(gfx, names, bitcode_dir, clang, work):
    """Links the kernels of `names` with the target's bitcode library; the code object's path."""
    bitcode = pathlib.Path(bitcode_dir) / f"tilewright_ukernels_amdgpu_{gfx}.bc"
    if not bitcode.exists():
        raise RuntimeError(f"{bitcode} does not exist: build the target tilewright_bitcode")
    code = pathlib.Path(work) / f"wave_kernels_{gfx}.cpp"
    code.write_text(source(names, gfx), encoding="utf-8")
    output = built(gfx, work)
    done = subprocess.run(
        [clang, "-x", "c++", "-std=c++17", "--target=amdgcn-amd-amdhsa", f"-mcpu={gfx}", "-O3", "-nogpulib",
         "-nostdlibinc", "-D__STDC_HOSTED__=0", "-Wno-builtin-macro-redefined", f"-I{ROOT}",
         f"-I{ROOT / 'abi' / 'include'}", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", str(bitcode), str(code),
         "-o", str(output)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{clang} cannot build the kernels of {gfx}:\n{done.stderr[:2000]}")
    return output


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gfx", help="the target, as gfx942")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tool", required=True, help="the program tilewright")
    parser.add_argument("--bitcode-dir", required=True)
    parser.add_argument("--clang", default="clang-22")
    options = parser.parse_args()
    check_targets(parser, options.tool, [options.gfx])
    options.folder.mkdir(parents=True, exist_ok=True)
    names = [row.name for row in rows_of(options.tool, options.gfx)]
    path = build(options.gfx, names, options.bitcode_dir, options.clang, options.folder)
    print(f"{path}: {len(names)} kernels")
    return 0 if names else 1


if __name__ == "__main__":
    sys.exit(main())
