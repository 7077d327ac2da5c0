#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the recipe "An instruction" says where one is: check_instructions.py ROOT

What an instruction is stands in its row of instructions.def. Beside it only the files that CONTRIBUTING.md's recipe
names may name one, and those in which a target's idioms are emitted must be among them.

Prints one line per finding; exits with 1 if there is any.
"""

import pathlib
import re
import sys

TABLE = "abi/include/tilewright/instructions.def"
RECIPE = re.compile(r"### An instruction\n(.*?)\nIts tests|### An instruction\n(.*?)\n###", re.S)
ROW = re.compile(r"^TW_INSTRUCTION\((\w+),", re.M)
EMITS = re.compile(r"\bcase IdiomKind::")
PRODUCT = ("abi", "ukernels", "measure", "generator")


def recipe_files(text):
    """The paths in the recipe, before what it says of tests."""
    found = RECIPE.search(text)
    return set(re.findall(r"`([\w./]+/[\w.]+)`", found.group(1) or found.group(2) or "")) if found else set()


def findings(files, contributing):
    """What is wrong with `files`, {path: text}, the table among them."""
    named = recipe_files(contributing)
    if TABLE not in named:
        yield f"CONTRIBUTING.md: the recipe \"An instruction\" does not name `{TABLE}`"
    instruction = re.compile(r"\bTW_INSTRUCTION_(?:%s)\b" % "|".join(ROW.findall(files[TABLE])))
    for path, text in sorted(files.items()):
        if path in named:
            continue
        if found := instruction.search(text):
            yield f"{path}: names {found.group()}; CONTRIBUTING.md's recipe \"An instruction\" does not name the file"
        elif EMITS.search(text):
            yield f"{path}: emits idioms; CONTRIBUTING.md's recipe \"An instruction\" does not name the file"


def main():
    root = pathlib.Path(sys.argv[1])
    files = {path.relative_to(root).as_posix(): path.read_text()
             for folder in PRODUCT for path in (root / folder).rglob("*")
             if path.suffix in (".h", ".c", ".cpp", ".def")}
    found = list(findings(files, (root / "CONTRIBUTING.md").read_text()))
    print("\n".join(found) or f"{len(ROW.findall(files[TABLE]))} instructions; the recipe names where they are")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
