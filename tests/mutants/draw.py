#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws mutants at random, before anybody knows whether they are caught: draw.py [--seed S] [--group NAME] [N]

Prints them as an entry of a list each. README.md says by what rule; drawn-*.toml are what it drew.
"""

import argparse
import pathlib
import random
import re
import sys

import lists

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Of each group of folders so many.
GROUPS = {
    "abi": (10, ["abi/lib/*.cpp"]),
    "runtime": (34, ["ukernels/*.c", "ukernels/*.h"]),
    "x86": (12, ["ukernels/x86_64/*.c", "ukernels/x86_64/*.h"]),
    "planning": (7, ["generator/lib/Planning/*.cpp"]),
    "transforms": (7, ["generator/lib/Transforms/*.cpp", "generator/lib/Transforms/*.h"]),
    "targets": (4, ["generator/lib/Emit/*.cpp", "generator/lib/Target/*/*.cpp"]),
    "codegen": (4, ["generator/lib/Codegen/*.cpp", "generator/lib/Resolve/*.cpp"]),
    "link": (7, ["generator/lib/Link/*.cpp"]),
    "compile": (5, ["generator/lib/Compile/*.cpp", "generator/lib/Compile/Device/*.cpp"]),
    "dialect": (3, ["generator/lib/Dialect/*.cpp"]),
    "amdgpu": (4, ["generator/lib/Target/Amdgpu/Wave/*.cpp"]),
    "kernels": (4, ["generator/lib/Target/Amdgpu/Workgroup/*.cpp"]),
    "emulator": (8, ["emulator/lib/*.cpp"]),
}


def swap(*pairs):
    table = dict(pairs) | {new: old for old, new in pairs}
    return lambda match, rng: table[match.group()]


def other_number(match, rng):
    text = match.group()
    value = int(text, 0)
    new = value + 1 if value == 0 else value + rng.choice((-1, 1))
    return hex(new) if text.startswith("0x") else str(new)


# Binary operators have a space or a line's end on either side, which tells them from templates, pointers and references.
def binary(operators):
    return re.compile(r"(?<=\s)(?:" + operators + r")(?=\s)")


KINDS = {
    "relation": (binary("<=?|>=?|==|!="), swap(("<", "<="), (">", ">="), ("==", "!="))),
    "arithmetic": (binary(r"[+\-*/%&|]|<<|>>"),
                   lambda match, rng: {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "&": "|", "|": "&",
                                       "<<": ">>", ">>": "<<"}[match.group()]),
    "logic": (re.compile(r"(?<=\s)(?:&&|\|\|)(?=\s)|!(?=[\w(*])|\b(?:true|false)\b"),
              lambda match, rng: {"&&": "||", "||": "&&", "!": "", "true": "false", "false": "true"}[match.group()]),
    "number": (re.compile(r"(?<![\w.\"'])(?:0x[0-9A-Fa-f]+|[0-9]+)(?![\w.\"'])"), other_number),
    # A statement of one line that declares nothing: a call or an assignment.
    "statement": (re.compile(r"(?m)^ +(?!return\b|break\b|continue\b|using\b|case\b|default\b|goto\b|else\b)"
                             r"(?:[\w.>\[\]*-]|::)+(?:\([^;\n]*\)|(?: [-+*/|&]?=|\+\+|--)[^;\n]*)?;$"),
                  lambda match, rng: re.match(" *", match.group()).group() + ";"),
}


def blanked(text):
    """The text with comments, strings, preprocessor lines and assertions blanked out, all else in its place."""
    hidden = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'|"
                        r"(?m:^ *#(?:\\\n|[^\n])*)|\b(?:static_assert|_Static_assert|assert|llvm_unreachable)\b[^;]*;", re.S)
    return hidden.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def sites(path, kind):
    text = blanked(path.read_text(encoding="utf-8"))
    for match in KINDS[kind][0].finditer(text):
        if kind != "statement" or text[:match.start()].rstrip()[-1:] in (";", "{", "}", ":", ")"):
            if match.group().count("(") == match.group().count(")"):
                yield path, match


def excerpt(text, begin, end):
    """The bounds of whole lines around a place that stand once in the text."""
    begin, end = text.rfind("\n", 0, begin) + 1, text.find("\n", end)
    while text.count(text[begin:end]) > 1:
        begin = text.rfind("\n", 0, begin - 1) + 1
        end = text.find("\n", end + 1) if text.find("\n", end + 1) > 0 else end
    return begin, end


def draw(group, count, seed):
    rng = random.Random(f"{group} {seed}")
    files = sorted({path for pattern in GROUPS[group][1] for path in ROOT.glob(pattern)})
    places = {kind: [site for path in files for site in sites(path, kind)] for kind in KINDS}
    lines = set()
    while len(lines) < count:
        kind = rng.choice([kind for kind in KINDS if places[kind]])
        path, match = rng.choice(places[kind])
        text = path.read_text(encoding="utf-8")
        line = path, text.count("\n", 0, match.end())
        new = KINDS[kind][1](match, rng)
        if line in lines:
            continue
        lines.add(line)
        begin, end = excerpt(text, match.start(), match.end())
        yield lists.Mutant(f"{group}-{seed}-{len(lines):02}", path.relative_to(ROOT).as_posix(), text[begin:end],
                           text[begin:match.start()] + new + text[match.end():end], kind)


def toml(mutant):
    # Literal strings: no text of C or C++ here holds three apostrophes.
    words = "".join(f'{field} = "{getattr(mutant, field)}"\n'
                    for field in ("name", "file", "why", "equivalent", "survives") if getattr(mutant, field))
    return f"[[mutant]]\n{words}old = '''\n{mutant.old}'''\nnew = '''\n{mutant.new}'''\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("count", nargs="?", type=int, metavar="N", help="of each group (as GROUPS says)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--group", choices=GROUPS)
    args = parser.parse_args()
    for group in [args.group] if args.group else GROUPS:
        for mutant in draw(group, args.count or GROUPS[group][0], args.seed):
            print(toml(mutant))
    return 0


if __name__ == "__main__":
    sys.exit(main())
