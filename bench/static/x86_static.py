#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges x86-64 tile functions on cores that are not at hand: the ports that their hot loops take.

Of each hand-written tile, or object given, and each core of x86_ports.py that has its instructions:
the cycles that the ports and the width of the core allow an iteration of the hot loop at least,
beside those that the multiplies alone take. Nothing waits, nothing misses a cache: a bound, no time.
docs/benchmarks-x86.md says how to read it. Exits with 1 if --check finds a miss.
"""

import argparse
import json
import pathlib
import re
import sys

import x86_ports
from report import replace_section
from sources import Tools, run
from tables import add_tool, tables_of
from x86_loops import TILE_BITS, functions, hot_loop, useful_products

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "benchmarks-x86.md"
NAME = re.compile(r"tw_mmt4d_tile_[a-z0-9]+?_(\d+)x(\d+)x(\d+)_(?:steprnd_|vnni_)?(x86_64_\w+)$")
SHARE = 0.95
# The first cores that have an instruction set have all before it, in this order.
FEATURES = {
    "skylake-avx512": "avx512_base", "icelake-server": "avx512_vnni",
    "sapphirerapids": "amx_bf16 avx_vnni", "emeraldrapids": "amx_bf16 avx_vnni",
    "graniterapids": "amx_bf16 avx_vnni", "alderlake": "avx_vnni", "gracemont": "avx_vnni",
    "znver2": "avx2_fma", "znver3": "avx2_fma", "znver4": "avx512_bf16",
    "znver5": "avx512_bf16 avx_vnni",
}


def slots_of(instruction, core):
    """What an instruction takes of the ports; None for an operation that the table has not."""
    tables = x86_ports.CORES[core]
    table = tables[{TILE_BITS: "tmm", 512: "zmm"}.get(instruction.bits, "ymm")]
    slots = []
    if instruction.operation:
        if instruction.operation not in table:
            return None
        # The loads of half vectors, as vpmovzx and vcvtph2ps have them, are those of whole ones.
        slots += table[instruction.operation]
    elif instruction.mnemonic.startswith("vbroadcasts") and "float broadcast" in table:
        return table["float broadcast"]
    if instruction.loads:
        slots = slots + table["broadcast" if instruction.broadcasts else "load"]
    if instruction.stores:
        slots = slots + table["store"]
    return slots


def judge(loop, tile_products, core):
    """{cycles, per_step, bound, share} of a hot loop on `core`, of an iteration but for `per_step`,
    of a K step; None if the table lacks an instruction."""
    slots = [slots_of(instruction, core) for instruction in loop]
    if None in slots:
        return None
    useful = useful_products(loop, tile_products)
    multiplies = [slot for instruction, taken in zip(loop, slots) if instruction.products
                  for slot in taken if slot[0][0] not in "LMNST"]
    # Additions of products that stand apart are part of the multiplication.
    if any(i.operation in ("multiply 16", "multiply 32") for i in loop):
        multiplies += [slot for i, taken in zip(loop, slots) if i.operation == "add" for slot in taken]
    products = sum(instruction.products for instruction in loop)
    bound = x86_ports.cycles(multiplies) * useful / products
    ports = x86_ports.cycles([slot for taken in slots for slot in taken])
    # A compare and the branch behind it are one; so are moves of registers none.
    taken_in = len(loop) - 1
    if core in x86_ports.INDICES_ARE_APART:
        taken_in += sum(instruction.computes_with_index for instruction in loop)
    width = taken_in / x86_ports.WIDTH[core]
    cycles = max(ports, width)
    return {"cycles": round(cycles, 3), "per_step": round(cycles * tile_products / useful, 4),
            "bound": round(bound, 3), "share": round(bound / cycles, 4),
            "limit": "ports" if ports >= width else "width"}


def has(core, isa, features):
    own = set().union(*(features["x86_64_" + name] for name in FEATURES[core].split()))
    return features[isa] <= own


def collect(options):
    tools, features = Tools(options.llvm_bin), tables_of(options).isa_features
    objects = options.objects or [pathlib.Path(options.build_dir) / "ukernels" / "libtilewright.a"]
    text = run([tools.llvm_objdump, "-d", "--no-show-raw-insn", *objects])
    tiles = {}
    for name, body in sorted(functions(text).items()):
        parts = NAME.match(name)
        if not parts or options.match not in name:
            continue
        m0, n0, k0 = (int(parts.group(i)) for i in (1, 2, 3))
        entry = tiles[name] = {"cores": {}}
        try:
            loop = hot_loop(body)
            for core in options.core or x86_ports.CORES:
                if not has(core, parts.group(4), features):
                    continue
                found = judge(loop, m0 * n0 * k0, core)
                entry["cores"][core] = found or {"error": "an instruction has no row"}
        except ValueError as error:
            entry["error"] = str(error)
    if not tiles:
        raise RuntimeError(f"no x86-64 tile function in {', '.join(map(str, objects))}")
    return tiles


def wide(name):
    """Whether a tile has so many vectors that multiplies bound it: not those of one or few rows."""
    m0, n0 = (int(NAME.match(name).group(i)) for i in (1, 2))
    lanes = 32 if name.endswith(("avx512_fp16", "amx_int8", "amx_bf16")) else \
        16 if "avx512" in name else 8
    return m0 * n0 >= 8 * lanes


def is_miss(name, found):
    return wide(name) and found["share"] < SHARE


def misses(tiles):
    """A line per tile: the cores on which it misses, those of one share together."""
    lines = []
    for name, entry in tiles.items():
        if "error" in entry:
            lines.append(f"{name}: {entry['error']}")
        groups = {}
        for core, found in entry["cores"].items():
            if "error" in found:
                groups.setdefault(found["error"], []).append(core)
            elif is_miss(name, found):
                groups.setdefault(f"{found['share']:.1%} of the multiplies' bound by "
                                  f"{found['limit']}", []).append(core)
        if groups:
            said = "; ".join(f"{what} on {', '.join(cores)}" for what, cores in groups.items())
            lines.append(f"{name}: {said}")
    return lines


def table(tiles):
    """A row per tile, a column per core: the share of the multiplies' bound in percent, misses in
    bold."""
    cores = list(x86_ports.CORES)
    lines = ["| tile | " + " | ".join(cores) + " |", "|---" * (len(cores) + 1) + "|"]
    for name, entry in tiles.items():
        cells = []
        for core in cores:
            found = entry["cores"].get(core, {})
            text = f"{100 * found['share']:.0f}" if "share" in found else \
                "?" if "error" in found else ""
            cells.append(f"**{text}**" if "share" in found and is_miss(name, found) else text)
        lines.append(f"| {name.removeprefix('tw_mmt4d_tile_')} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("objects", nargs="*", help="objects or archives (default: the build's library)")
    parser.add_argument("--build-dir", default=str(ROOT / "build" / "release"))
    add_tool(parser)
    parser.add_argument("--match", default="", help="only names that contain this text")
    parser.add_argument("--core", action="append", choices=list(x86_ports.CORES),
                        help="only these cores (default: all)")
    parser.add_argument("--llvm-bin", metavar="DIR", help="LLVM's programs (default: where llvm-mca-22 is)")
    parser.add_argument("--json", metavar="FILE", help="write everything")
    parser.add_argument("--markdown", action="store_true", help=f"rewrite the tables of {DOCUMENT.name}")
    parser.add_argument("--check", action="store_true", help="judge the bounds")
    options = parser.parse_args(arguments)
    try:
        tiles = collect(options)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(tiles, indent=1) + "\n", encoding="utf-8")
        if options.markdown:
            replace_section(DOCUMENT, "shares", table(tiles))
    except (RuntimeError, OSError) as error:
        print(f"x86_static: {error}", file=sys.stderr)
        return 2
    if not options.check:
        print(table(tiles))
        return 0
    found = misses(tiles)
    print("\n".join([*found, f"{len(found)} misses in {len(tiles)} tiles"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
