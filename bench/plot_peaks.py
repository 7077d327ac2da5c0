#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the shares of the issue peak in a JSON file of tile_bench or compare_rows as an SVG.

  tile_bench --cache=hot --origin=both --json=tiles.json
  plot_peaks.py tiles.json > tiles.svg
"""

import argparse
import json
import sys
from xml.sax.saxutils import escape

ROW, LEFT, WIDTH, TOP = 18, 420, 500, 40
COLOURS = {"hand": "#4477aa", "generated": "#ee6677"}


def shares(data):
    """{tile name: {"hand": %, "generated": %}}, in the order of the file."""
    tiles = {}
    for row in data.get("rows", []):
        if "ratio" in row:
            tiles[row["name"]] = {"hand": row["hand_peak_percent"],
                                  "generated": row["generated_peak_percent"]}
    for case in data.get("benchmarks", []):
        parts = case["name"].split("/")
        if "%peak" in case and parts[1] in COLOURS and parts[2] == "hot":
            tiles.setdefault(parts[0], {})[parts[1]] = case["%peak"]
    return tiles


def svg(tiles, title):
    height = TOP + ROW * len(tiles) + 30
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 80}" '
           f'height="{height}" font-family="sans-serif" font-size="11">',
           '<rect width="100%" height="100%" fill="white"/>',
           f'<text x="10" y="18" font-size="13">{escape(title)}</text>']
    for index, (origin, colour) in enumerate(COLOURS.items()):
        out.append(f'<text x="{LEFT + 120 * index}" y="18" fill="{colour}">{origin}</text>')
    for percent in (0, 25, 50, 75, 95, 100):
        x = LEFT + WIDTH * percent / 100
        out.append(f'<line x1="{x}" y1="{TOP - 8}" x2="{x}" y2="{height - 25}" stroke="#cccccc"/>'
                   f'<text x="{x}" y="{height - 10}" text-anchor="middle">{percent}</text>')
    for index, (name, values) in enumerate(tiles.items()):
        y = TOP + ROW * index
        label = name.removeprefix("tw_mmt4d_tile_")
        out.append(f'<text x="{LEFT - 8}" y="{y + 10}" text-anchor="end">{escape(label)}</text>')
        for offset, (origin, colour) in zip((0, 7), COLOURS.items()):
            if origin in values:
                width = WIDTH * min(values[origin], 115) / 100
                out.append(f'<rect x="{LEFT}" y="{y + offset}" width="{width:.1f}" height="6" '
                           f'fill="{colour}"/>')
    return "\n".join(out) + "\n</svg>\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="JSON of tile_bench or compare_rows")
    arguments = parser.parse_args()
    with open(arguments.file, encoding="utf-8") as file:
        data = json.load(file)
    tiles = shares(data)
    if not tiles:
        print(f"plot_peaks: {arguments.file} holds no L1-hot tile with a share of the peak; write "
              "it with tile_bench --cache=hot --json=FILE or compare_rows --json=FILE",
              file=sys.stderr)
        return 2
    commit = data.get("context", {}).get("tilewright_commit", "unknown commit")
    sys.stdout.write(svg(tiles, f"L1-hot, % of the issue peak ({commit})"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
