# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the tile functions come from: the bitcode library or objects, and `tilewright gen`."""

import os
import pathlib
import re
import shutil
import subprocess

from loops import functions

STREAMING = "_streaming"
TILE = re.compile(r"^tw_mmt4d_tile_\w+$")


def run(command, **options):
    out = subprocess.run([str(part) for part in command], capture_output=True, text=True,
                         check=False, **options)
    if out.returncode != 0:
        message = (out.stderr or out.stdout).strip()
        raise RuntimeError(f"{' '.join(map(str, command[:3]))}…: {message[-2000:]}")
    return out.stdout


class Tools:
    """LLVM's programs of one version, all in one directory."""

    def __init__(self, directory=None):
        if directory is None:
            program = shutil.which("llvm-mca-22") or shutil.which("llvm-mca")
            if program is None:
                raise RuntimeError("llvm-mca-22 is not in the PATH; the package llvm-22 brings it "
                                   "(./dev setup)")
            directory = pathlib.Path(program).resolve().parent
        self.directory = pathlib.Path(directory)

    def __getattr__(self, name):
        found = self.directory / name.replace("_", "-")
        if not found.exists():
            raise RuntimeError(f"{found} does not exist; llvm-22 and clang-22 bring it (./dev setup)")
        return found


def disassemble(tools, objects):
    """{tile name: [Instruction]} of the tile functions in objects and archives."""
    result = {}
    for start in range(0, len(objects), 200):
        text = run([tools.llvm_objdump, "-d", "--no-show-raw-insn", "--mattr=+all",
                    *objects[start:start + 200]])
        for name, body in functions(text).items():
            if TILE.match(name) and body:
                result[name] = body
    # An SME tile switches modes and calls its own streaming function, which holds the loop.
    for name in [name for name in result if name.endswith(STREAMING)]:
        result[name.removesuffix(STREAMING)] = result.pop(name)
    return result


def compile_bitcode(tools, libraries, directory):
    """Objects of bitcode libraries, as `tilewright link` makes them: for the ISA's features, tuned
    for no CPU."""
    directory.mkdir(parents=True, exist_ok=True)
    objects = []
    for library in map(pathlib.Path, libraries):
        target = directory / (library.stem + ".o")
        run([tools.llc, "-O3", "-filetype=obj", "-relocation-model=pic", library, "-o", target])
        objects.append(target)
    return objects


def generate(tilewright, names, directory, triple="aarch64-linux-gnu", tune_cpu=None):
    """Objects of generated tiles, for `tune_cpu` if that is given, and {name: message} of those that could not
    be generated. The plans are the planner's own: what was tuned on the core at hand says nothing about
    others."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    errors = {}
    if not names:
        return [], errors
    command = [tilewright, "gen", "--no-cache", "--tuning=none", "-j", str(os.cpu_count() or 1),
               f"--triple={triple}", *([f"--tune-cpu={tune_cpu}"] if tune_cpu else []),
               "-o", f"{directory}/", "-"]
    out = subprocess.run([str(part) for part in command], input="\n".join(names) + "\n", text=True,
                         capture_output=True, check=False)
    for name in names:
        if not (directory / f"{name}.o").exists():
            said = [line for line in out.stderr.splitlines() if name in line] or \
                out.stderr.strip().splitlines()[-1:] or [f"exit status {out.returncode}"]
            errors[name] = said[0].strip()
    return sorted(directory.glob("*.o")), errors
