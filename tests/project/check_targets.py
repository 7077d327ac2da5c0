#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the generator or the library names a CPU feature or an architecture: check_targets.py ROOT

What an architecture is to plans and code stands in its folder of generator/lib/Target, its hand-written tiles in one of
ukernels/, and tables (*.def) say which there are; nothing else tests for one, but what finds out which CPU it runs on
(ukernels/cpu*). Comments are left alone.

Prints one line per finding; exits with 1 if there is any.
"""

import pathlib
import re
import sys

ROOMS = re.compile(r"(generator/(lib|include/tilewright)/Target|ukernels/(amdgpu|arm_64|hip|riscv_64|x86_64))/|ukernels/(runner/)?cpu[_.]")
NAMED = re.compile(
    r'\bhas\("|"(?:neon|avx[0-9a-z]*|f16c|sve2?|sme2?|i8mm|dotprod|amx-[a-z0-9]*|zv?fh(?:min)?|zvfbfwma|zvl[0-9]+b)"'
    r"|Triple::(?:aarch64|x86_64|amdgcn|riscv64)\b|\bis(?:AArch64|X86|RISCV64|Amdgpu)\(\)|\bTW_SCALING_(?:SVE|SME)\b"
    r"|\b(?:TW_ISA|TW_HAVE)_(?:X86_64|ARM_64|AMDGPU|RISCV_64)_|\bllvm\.(?:aarch64|x86|amdgcn|riscv)\."
    r"|\bTW_CPU_MASK\((?!ARCH)|\b(?:__x86_64__|__aarch64__|__riscv|_M_X64|_M_ARM64|__AVX\w*|__ARM_\w+)\b")
COMMENT = re.compile(r"\s*(//|\*|/\*)")


def lines_that_name(text):
    """The numbers of the lines that name a feature or an architecture."""
    return [number for number, line in enumerate(text.splitlines(), 1)
            if not COMMENT.match(line) and NAMED.search(line)]


def findings(files):
    """What is wrong with `files`, {path: text}."""
    for path, text in sorted(files.items()):
        found = lines_that_name(text)
        if found:
            where = ", ".join(map(str, found))
            yield f"{path}:{where}: names a feature or an architecture; ask the target (Planning/Target.h) or a table"


def main():
    root = pathlib.Path(sys.argv[1])
    files = {}
    for folder in ("generator", "ukernels"):
        for path in (root / folder).rglob("*"):
            name = path.relative_to(root).as_posix()
            if path.suffix in (".h", ".c", ".cpp") and not ROOMS.match(name):
                files[name] = path.read_text()
    found = list(findings(files))
    print("\n".join(found) or f"{len(files)} files; none names a feature or an architecture")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
