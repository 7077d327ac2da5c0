#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What data tiling does to the dispatches of models, for two CPUs and a GPU:

- without it (`--data-tiling=none`, encodings set and dropped) they are those of a model whose operands never said what
  they are for (`unset`), with the same operands;
- there are no more with it than without; of a GPU for all models but the smallest, whose products without tiles are one
  dispatch with what follows them, and what loops of the host multiply.

  tiling_counts.py <tilewright> <model.mlir>...
"""

import re
import subprocess
import sys

TARGETS = ("x86_64_avx512_vnni", "arm_64:neoverse-n1", "amdgpu:gfx942")


def dispatches(tool, model, target, tiling):
    """The calls, without the names of values."""
    done = subprocess.run([tool, "compile", model, "--emit=dispatches", f"--target={target}", f"--data-tiling={tiling}"],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{model} was refused for {target}:\n{done.stderr[-2000:]}")
    return [re.sub(r"%[\w#:]+", "%", line).strip() for line in done.stdout.splitlines() if "tw.dispatch @" in line]


def check(tool, model, on_gpu=False):
    """Lines about what is wrong; `on_gpu`: whether there may be no more with data tiling there, either."""
    wrong = []
    for target in TARGETS:
        none, unset, late, early = (dispatches(tool, model, target, tiling)
                                    for tiling in ("none", "unset", "late", "early"))
        print(f"{model}, {target}: {len(late)} late, {len(early)} early, {len(none)} without")
        if none != unset:
            first = next((pair for pair in zip(none, unset) if pair[0] != pair[1]), (len(none), len(unset)))
            wrong.append(f"{model}, {target}: encodings left something behind: {first[0]}, not {first[1]}")
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
