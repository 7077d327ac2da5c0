#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the dispatches of a model without and with data tiling as an SVG.

  tilewright compile data-tiling-model.mlir --target=amdgpu:gfx942 --data-tiling=none --emit=dispatches > none.mlir
  tilewright compile data-tiling-model.mlir --target=amdgpu:gfx942 --emit=dispatches > late.mlir
  draw_model.py none.mlir late.mlir > data-tiling-model.svg
"""

import argparse
import re
import sys

WIDTH, LINE, MARGIN, GAP = 330, 18, 20, 26
COLOURS = {"pack": "#fbdcd3", "unpack": "#fbdcd3", "relayout": "#fbdcd3", "mmt4d": "#cfe0f3", "reduction": "#cfe0f3"}
DISPATCH = re.compile(r"(%\w+)(?::\d+)? = tw\.dispatch @(\w+?)_(\d+) ins\((.*?) : (.*?)\) outs\(.*? : (.*?)\) accumulates")
VIEW = re.compile(r"(%\w+) = (?:bufferization\.(?:to_tensor|alloc_tensor\(\) copy\()|memref\.reinterpret_cast|"
                  r"tensor\.(?:expand_shape|collapse_shape|cast)) ?\(?(%[\w#]+)")


def tensors(types):
    """The shapes of a list of types; None for what is no tensor."""
    return [found[1] if (found := re.match(r"tensor<(.*)x\w+>$", one)) else None for one in re.split(r", (?![^<]*>)", types)]


def dispatches(text):
    """(kind, name, [(shape, where it comes from)], shape of the result) of each, in order."""
    origin, result = {}, []
    for line in text.splitlines():
        if constant := re.match(r"\s*(%\w+) = arith\.constant dense", line):
            origin[constant[1]] = "constant"
        elif view := VIEW.search(line):
            origin[view[1]] = origin.get(view[2].split("#")[0],
                                         "argument" if view[2].startswith("%arg") else "")
        elif found := DISPATCH.search(line):
            value, kind, number, names, types, outs = found.groups()
            reads = [(shape, origin.get(name.split("#")[0], ""))
                     for name, shape in zip(names.split(", "), tensors(types)) if shape]
            name = f"{kind}_{number}"
            origin[value] = f"of {name}"
            # What is computed on the way stays in the kernel's memory; the last result goes on.
            result.append((kind, name, reads, tensors(outs)[-1]))
    return result


def text(x, y, content, size=12, weight="normal"):
    return f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}">{content}</text>'


def column(x, title, boxes):
    """The drawing, and where it ends."""
    out, y = [text(x, 34, title, 15, "bold")], 52
    for number, (kind, name, reads, result) in enumerate(boxes):
        if number:
            middle = x + WIDTH // 2
            out.append(f'<path d="M{middle} {y - GAP + 2}V{y - 4}" stroke="#506070" fill="none" marker-end="url(#arrow)"/>')
        height = LINE * (len(reads) + 2) + 10
        out.append(f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{height}" rx="4" fill="{COLOURS.get(kind, "#d8ecd0")}" '
                   'stroke="#8090a0"/>')
        lines = [(name, "bold")] + [(f"{shape}  {source}", "normal") for shape, source in reads] + [(f"&#8594; {result}", "normal")]
        for row, (content, weight) in enumerate(lines):
            out.append(text(x + 10, y + LINE * (row + 1), content, 12, weight))
        y += height + GAP
    return out, y


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("without", help="of --data-tiling=none --emit=dispatches")
    parser.add_argument("with_tiling", metavar="with", help="of --emit=dispatches")
    arguments = parser.parse_args()
    drawn, end = [], 0
    for number, (title, path) in enumerate((("without data tiling", arguments.without), ("with data tiling", arguments.with_tiling))):
        with open(path, encoding="utf-8") as file:
            boxes = dispatches(file.read())
        if not boxes:
            sys.exit(f"{path}: no dispatches; it is to be what --emit=dispatches writes")
        out, below = column(MARGIN + number * (WIDTH + 2 * MARGIN), title, boxes)
        drawn += out
        end = max(end, below)
    width = 2 * WIDTH + 4 * MARGIN
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{end}" font-family="sans-serif">\n'
          '<defs><marker id="arrow" markerWidth="8" markerHeight="8" refX="6" refY="3" orient="auto">'
          '<path d="M0 0L6 3L0 6z" fill="#506070"/></marker></defs>\n'
          '<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(drawn) + "\n</svg>")


if __name__ == "__main__":
    main()
