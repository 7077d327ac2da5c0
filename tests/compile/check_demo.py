#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the demo as ./dev demo does: check_demo.py <demo.sh> <build folder>

It fits one screen, most of the digits that it draws are read right, what it says of the CPU is what the tiles' names say,
and the reports are in its log.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

# ./dev demo prints one line more.
ROWS, COLUMNS = 23, 100


def findings(text, log):
    lines = text.splitlines()
    if len(lines) > ROWS:
        yield f"{len(lines)} lines, more than {ROWS}"
    yield from (f"longer than {COLUMNS} columns: {line}" for line in lines if len(line) > COLUMNS)
    drawn = len(re.findall(r"read as \d", text))
    if drawn < 4 or 2 * len(re.findall(r"read as \d, is \d", text)) >= drawn:
        yield f"{drawn} digits drawn, or most of them read wrong"
    for name in ("f32", "int8"):
        if not re.search(rf"^  {name} +\d+ [a-z-]+(, \d+ [a-z-]+)* \(\w+(, \w+)*\), compiled in \d+ ms$", text, re.M):
            yield f"{name}: no line of kernels by origin, instruction sets and ms"
        if not re.search(rf"^{name} +\d+ of 599 right \(9\d\.\d %\), [\d.]+ us an image, \d+x plain loops;", text, re.M):
            yield f"{name}: no line of accuracy and speed"
    for name in ("Arm", "AMDGPU", "C"):
        if not re.search(rf"^{name} +\S", text, re.M):
            yield f"no line for {name}"
    called = set(re.findall(r"tw_(?:mmt4d|pack)_tile_\w+?_\d+x\d+(?:x\d+)?_(\w+)  ", log))
    for isas in re.findall(r"\((\w+(?:, \w+)*)\), compiled in", text):
        yield from (f"{isa} is in no tile's name" for isa in isas.split(", ") if isa not in called)
    if "time by step" not in log:
        yield "the reports are not in the log"


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    demo, build = arguments
    # To a file, which whoever opens it anew would write over.
    with tempfile.TemporaryFile("w+", encoding="utf-8") as screen:
        status = subprocess.run([demo, build], stdout=screen, check=False).returncode
        screen.seek(0)
        text = screen.read()
    print(text)
    if status != 0:
        print(f"the demo ended with {status}")
        return 1
    found = list(findings(text, (pathlib.Path(build) / "demo/demo.log").read_text(encoding="utf-8")))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
