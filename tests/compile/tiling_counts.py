#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What data tiling does to the dispatches of models, for two CPUs and a GPU:

- without it (`--data-tiling=none`, encodings set and dropped) the program on buffers is that of a model whose operands never
  said what they are for (`unset`): the same dispatches, copies and loops of the same values;
- there are no more with it than without; of a GPU for all models but the smallest, whose products without tiles are one
  dispatch with what follows them, and what loops of the host multiply.

  tiling_counts.py <tilewright> <model.mlir>...
"""

import itertools
import re
import subprocess
import sys

TARGETS = ("x86_64_avx512_vnni", "arm_64:neoverse-n1", "amdgpu:gfx942")


def compiled(tool, model, target, tiling, stage, flags):
    """The lines of a stage, without the names of values and of what the compiler has made of constants."""
    done = subprocess.run([tool, "compile", model, f"--emit={stage}", f"--target={target}", f"--data-tiling={tiling}", *flags],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{model} was refused for {target}:\n{done.stderr[-2000:]}")
    return [re.sub(r"%[\w#:]+", "%", re.sub(r"\bmade_\w+", "made", line)).strip() for line in done.stdout.splitlines()]


def dispatches(lines):
    """Those of a call; of a function with a second body, which is called for few rows, those of the first."""
    found, counts = [], True
    for line in lines:
        if line.startswith("func.func"):
            counts = ".few_rows.body(" not in line
        if counts and "tw.dispatch @" in line:
            found.append(line)
    return found


def first_difference(some, others):
    """Two lines that should be one; None if all are."""
    pairs = itertools.zip_longest(some, others, fillvalue="nothing")
    return next((pair for pair in pairs if pair[0] != pair[1]), None)


def check(tool, model, on_gpu=False, flags=()):
    """Lines about what is wrong; `on_gpu`: whether there may be no more with data tiling there, either."""
    wrong = []
    for target in TARGETS:
        none, late, early = (dispatches(compiled(tool, model, target, tiling, "dispatches", flags))
                             for tiling in ("none", "late", "early"))
        buffers = [compiled(tool, model, target, tiling, "buffers", flags) for tiling in ("none", "unset")]
        print(f"{model}, {target}: {len(late)} late, {len(early)} early, {len(none)} without; "
              f"{len(buffers[0])} lines on buffers without")
        if different := first_difference(*buffers):
            first, other = (line[:500] for line in different)
            wrong.append(f"{model}, {target}: encodings left something behind: {first}, not {other}")
        if (on_gpu or not target.startswith("amdgpu")) and len(late) > len(none):
            wrong.append(f"{model}, {target}: {len(late)} dispatches with data tiling, {len(none)} without")
    return wrong


def main():
    wrong = [line for model in sys.argv[2:] for line in check(sys.argv[1], model)]
    for line in wrong:
        print(line, file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
