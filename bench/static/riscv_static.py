#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""riscv_64 tile functions, hand-written and generated, by LLVM's models of RVV cores.

Cycles per K step of each hot loop, by llvm-mca, with registers of 128 bits. Nobody has measured these cores: the figures
say which of two loops a model thinks is quicker, not how quick a core is. A model counts the registers of a group, not
the elements in them: a core with longer registers may be quicker at groups than it says.

  riscv_static.py [NAMES] [--build-dir DIR] [--core NAME] [--plan PLAN] [--json FILE] [--markdown FILE]
"""

import argparse
import json
import pathlib
import re
import sys

from mca import LOOP, Mca
from report import replace_section
from sources import Tools, compile_bitcode, run

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "benchmarks-riscv.md"
# LLVM's names of those that it has a model of, vectors included.
CORES = ["sifive-p470", "sifive-p670", "sifive-p870", "sifive-x280", "sifive-x390", "spacemit-x60", "tt-ascalon-d8", "andes-ax45mpv"]
FEATURES = "+v,+zvfh,+zvfbfwma"
NAME = re.compile(r"tw_mmt4d_tile_\w+?_(\d+)x(\d+)x(\d+)(?:_steprnd)?_riscv_64_\w+$")
SYMBOL = re.compile(r"^[0-9a-f]+ <([^>]+)>:$")
LINE = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)(?:\s+(.*))?$")
MULTIPLY = re.compile(r"v(f|fw|w)?n?m(acc|add|accu|accsu|accus|accbf16)\.(vf|vv|vx)$")
CONFIGURES = re.compile(r"vsetivli|vsetvli")


class Loop:
    """The innermost loop with the most products: its `lines` as llvm-mca takes them, and its `products`."""

    def __init__(self, body, start, end):
        # What vsetvli said last, which holds at the loop's beginning; one of "zero, zero" keeps the elements.
        before = [operands for _, mnemonic, operands in body[:start] if CONFIGURES.match(mnemonic)]
        counts = [elements(operands) for operands in before]
        count = next((count for count in reversed(counts) if count), 0)
        self.products, self.lines = 0, instruments(before[-1] if before else "")
        for _, mnemonic, operands in body[start:end + 1]:
            if CONFIGURES.match(mnemonic):
                count = elements(operands) or count
            if MULTIPLY.match(mnemonic):
                self.products += count
            branch = re.match(r"(.*?)(?:0x)?[0-9a-f]+ <.*>$", operands) if mnemonic.startswith("b") else None
            self.lines.append(f"{mnemonic} {branch.group(1) if branch else ''}@TOP@" if branch else
                              f"{mnemonic} {re.sub(r' *<.*>$', '', operands)}")


def instruments(vtype):
    """What tells llvm-mca which registers and elements instructions are of."""
    parts = re.search(r"e(\d+), (m\w+)", vtype)
    if not parts:
        return []
    return [f"# LLVM-MCA-RISCV-LMUL {parts.group(2).upper()}", f"# LLVM-MCA-RISCV-SEW E{parts.group(1)}"]


def elements(operands):
    """Of a vector, where vsetivli says so; 0 where it does not."""
    count = re.match(r"zero, 0x([0-9a-f]+),", operands)
    return int(count.group(1), 16) if count else 0


def functions(text):
    """{symbol: [(address, mnemonic, operands)]} of a disassembly."""
    result, current = {}, None
    for line in text.splitlines():
        symbol, found = SYMBOL.match(line.strip()), LINE.match(line)
        if symbol:
            current = result.setdefault(symbol.group(1), [])
        elif found and current is not None:
            current.append((int(found.group(1), 16), found.group(2), (found.group(3) or "").strip()))
    return result


def hot_loop(body):
    at = {address: index for index, (address, _, _) in enumerate(body)}
    ranges = {}
    for index, (_, mnemonic, operands) in enumerate(body):
        target = re.search(r"0x([0-9a-f]+) <", operands) if mnemonic.startswith("b") else None
        start = at.get(int(target.group(1), 16)) if target else None
        if start is not None and start <= index:
            ranges[start] = max(index, ranges.get(start, 0))
    inner = [(s, e) for s, e in ranges.items()
             if not any(s <= other and end <= e for other, end in ranges.items() if (other, end) != (s, e))]
    loops = [Loop(body, start, end) for start, end in inner]
    best = max(loops, key=lambda loop: loop.products, default=None)
    if best is None or best.products == 0:
        raise ValueError("no innermost loop multiplies")
    return best


def generate(options, names, folder):
    folder.mkdir(parents=True, exist_ok=True)
    tool = pathlib.Path(options.build_dir) / "bin" / "tilewright"
    plan = [f"--plan={options.plan}"] if options.plan else []
    run([tool, "gen", "--no-cache", *plan, "-o", f"{folder}/", *names])
    return [folder / f"{name}.o" for name in names]


def disassemble(tools, objects):
    """{tile: [(address, mnemonic, operands)]}"""
    text = run([tools.llvm_objdump, "-d", "--no-show-raw-insn", f"--mattr={FEATURES}", *objects])
    return {name: body for name, body in functions(text).items() if NAME.match(name)}


def examine(tools, origins, names, cores):
    """{name: {origin: {core: cycles per K step}}} of {origin: {name: body}}."""
    loops, result = {}, {name: {} for name in names}
    for origin, bodies in origins.items():
        for name in names:
            if name in bodies:
                try:
                    loops[name, origin] = hot_loop(bodies[name])
                except ValueError as error:
                    result[name][origin] = {"error": str(error)}
    for core in cores:
        machine = Mca(tools.llvm_mca, core, "riscv64")
        machine.target.append(f"-mattr={FEATURES}")
        timings = machine.time([loop.lines for loop in loops.values()], LOOP)
        for (name, origin), timing in zip(loops, timings):
            m0, n0, k0 = map(int, NAME.match(name).groups())
            steps = loops[name, origin].products / (m0 * n0 * k0)
            result[name].setdefault(origin, {})[core] = round(timing.cycles / steps, 2) if timing else None
    return result


def collect(options):
    """The same of the tiles that are asked for."""
    tools, work = Tools(), pathlib.Path(options.build_dir) / "bench" / "static" / "riscv"
    libraries = sorted((pathlib.Path(options.build_dir) / "lib" / "tilewright" / "bitcode").glob(
        "tilewright_ukernels_riscv_64_*.bc"))
    hand = disassemble(tools, compile_bitcode(tools, libraries, work / "hand"))
    # Those of longer registers have the loops of those of 128 bits.
    names = options.names or sorted(name for name in hand if "_zvl" not in name)
    generated = disassemble(tools, generate(options, names, work / "generated"))
    return examine(tools, {"hand": hand, "generated": generated}, names, options.core or CORES)


def table(result, cores):
    lines = ["| tile | " + " | ".join(cores) + " |", "|---" * (len(cores) + 1) + "|"]
    for name, origins in result.items():
        cells = []
        for core in cores:
            hand, own = (origins.get(origin, {}).get(core) for origin in ("hand", "generated"))
            text = " / ".join("?" if value is None else f"{value:g}" for value in (hand, own))
            cells.append(f"{text} ({own / hand:.2f})" if hand and own else text)
        lines.append(f"| {name.removeprefix('tw_mmt4d_tile_')} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="tile names (default: every hand-written one of registers of 128 bits)")
    parser.add_argument("--build-dir", default=str(ROOT / "build" / "release"))
    parser.add_argument("--core", action="append", choices=CORES, help="only these (default: all)")
    parser.add_argument("--plan", help="of the generated tiles, as `tilewright gen --plan` takes it")
    parser.add_argument("--json", metavar="FILE", help="write everything")
    parser.add_argument("--markdown", action="store_true", help=f"rewrite the table of {DOCUMENT.name}")
    options = parser.parse_args(arguments)
    try:
        result = collect(options)
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        text = table(result, options.core or CORES)
        if options.markdown:
            replace_section(DOCUMENT, "cycles", text)
    except (RuntimeError, ValueError, OSError) as error:
        print(f"riscv_static: {error}", file=sys.stderr)
        return 2
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
