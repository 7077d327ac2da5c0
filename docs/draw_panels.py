#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws a matrix and its panels as an SVG, from the layout that `tilewright explain --json` gives.

  tilewright explain --json --target=x86_64_avx2_fma '#tw.encoding<rhs, ...>' > layout.json
  draw_panels.py layout.json rhs --rows 3 --columns 24 > data-tiling-panels.svg
"""

import argparse
import json
import re
import sys

CELL, TOP, GAP = 26, 44, 46
COLOURS = ["#cfe0f3", "#fbdcd3", "#d8ecd0", "#f4e7c0"]


def layout_of(facts, operand):
    """(outer dimensions, inner dimensions, tile sizes) of the first device."""
    found = find(facts, operand)
    numbers = [[int(n) for n in group.split(",")]
               for group in re.findall(r"= \[([\d, ]+)\]", found)]
    if len(numbers) != 3:
        sys.exit(f"no plain layout of two dimensions: {found}")
    return numbers


def find(facts, operand):
    """The text of the operand's layout, wherever the JSON has it."""
    if isinstance(facts, dict):
        own = facts.get(operand)
        if isinstance(own, dict) and "layout" in own:
            return own["layout"]
        facts = list(facts.values())
    if isinstance(facts, list):
        for part in facts:
            text = find(part, operand)
            if text:
                return text
    return None


def memory_order(shape, layout):
    """The index of the matrix at each place in memory; None where there is padding."""
    outer, inner, tiles = layout
    size = dict(zip(inner, tiles))
    counts = [-(-shape[dim] // size.get(dim, 1)) for dim in outer]
    for a in range(counts[0]):
        for b in range(counts[1]):
            for i in range(tiles[0]):
                for j in range(tiles[1]):
                    index = {outer[0]: a, outer[1]: b}
                    for dim, offset in zip(inner, (i, j)):
                        index[dim] = index[dim] * size[dim] + offset
                    inside = all(index[d] < shape[d] for d in (0, 1))
                    yield (a, (index[0], index[1]) if inside else None)


def cell(x, y, text, fill):
    return (f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{fill}" stroke="#8090a0"/>'
            f'<text x="{x + CELL / 2}" y="{y + 17}" text-anchor="middle">{text}</text>')


def svg(shape, layout):
    rows, columns = shape
    order = list(memory_order(shape, layout))
    place = {index: (number, panel) for number, (panel, index) in enumerate(order) if index}
    panels = 1 + max(panel for panel, _ in order)
    per_panel = len(order) // panels
    step = layout[2][0] * layout[2][1]
    per_line = min(per_panel, max(columns // step, 1) * step)
    lines = -(-per_panel // per_line)
    second = TOP + rows * CELL + GAP
    height = second + panels * (lines * CELL + 12) + 10
    width = 90 + CELL * max(columns, per_line)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           'font-family="sans-serif" font-size="10">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="10" y="26" font-size="13">the matrix, {rows} x {columns}: where each '
           'element lies in memory</text>']
    for row in range(rows):
        out.append(f'<text x="10" y="{TOP + row * CELL + 17}">row {row}</text>')
        for column in range(columns):
            number, panel = place[row, column]
            out.append(cell(80 + column * CELL, TOP + row * CELL, number,
                            COLOURS[panel % len(COLOURS)]))
    out.append(f'<text x="10" y="{second - 14}" font-size="13">memory, panel by panel, tiles of '
               f'{layout[2][0]} x {layout[2][1]}: row.column of each element</text>')
    for number, (panel, index) in enumerate(order):
        within = number - panel * per_panel
        x = 80 + within % per_line * CELL
        y = second + panel * (lines * CELL + 12) + within // per_line * CELL
        if within == 0:
            out.append(f'<text x="10" y="{y + 17}">panel {panel}</text>')
        text = f"{index[0]}.{index[1]}" if index else "0"
        out.append(cell(x, y, text, COLOURS[panel % len(COLOURS)] if index else "#eeeeee"))
    return "\n".join(out) + "\n</svg>\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="JSON of tilewright explain")
    parser.add_argument("operand", choices=["lhs", "rhs", "out"])
    parser.add_argument("--rows", type=int, default=3)
    parser.add_argument("--columns", type=int, default=24)
    arguments = parser.parse_args()
    with open(arguments.file, encoding="utf-8") as file:
        facts = json.load(file)
    sys.stdout.write(svg((arguments.rows, arguments.columns),
                         layout_of(facts, arguments.operand)))


if __name__ == "__main__":
    main()
