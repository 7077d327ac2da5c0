#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fills abi/include/tilewright/core_rates.def: instructions per cycle of each core, of arm_64 by
llvm-mca, of x86-64 by a table of ports of our own (x86_ports.py).

  core_rates.py --write          rewrite the table
  core_rates.py --check          exit with 1 if the table is not what this program writes
  core_rates.py --markdown       rewrite the table of products per cycle in docs/benchmarks-arm.md
  core_rates.py --disagreements  where llvm-mca says something else of an x86-64 core

An instruction is timed alone, each on an accumulator of its own. What LLVM has no model of, or a
wrong one, is in MEASURED, with its source.
"""

import argparse
import pathlib
import re
import sys

import cpus
import x86_ports
from instructions import Instruction, products
from mca import Mca, independent
from report import replace_section
from sources import Tools
from tables import add_tool, tables_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "abi" / "include" / "tilewright" / "core_rates.def"
DOCUMENT = ROOT / "docs" / "benchmarks-arm.md"

# Registers of instructions.def that llvm-mca has timings of: none of SME's.
TIMED_FORMS = {"NEON", "SVE"}

# Cores for which LLVM takes another core's model (Cortex-A57's, Cortex-A53's): the nearest relative
# that has its own.
MODEL = {"cortex-a76": "neoverse-n1", "cortex-a78": "neoverse-n1"}

A510 = ("measured, https://github.com/iree-org/iree/pull/14495: bfmmla has 4 times fmla's products, and",
        "a matmul by it ran 1.1 times as fast (13.3 against 12.1 Gflop/s); bfdot is quicker than bfmmla")
APPLE = ("measured, https://github.com/robertknight/rten/pull/827: 450 Gop/s by udot, 457 by smmla on M3;",
         "four vector pipes since M1, https://dougallj.github.io/applecpu/firestorm-simd.html")

# core: (source, {instruction: per cycle, or a factor of the core's FMLA}). Replaces the model's.
MEASURED = {
    "cortex-a510": (A510, {"BFMMLA": 0.275, "BFMMLA_SVE": 0.275}),
    **{core: (APPLE, {"SMMLA": 0.5}) for core in ("apple-m2", "apple-m3", "apple-m4")},
}
# LLVM's model of Apple cores is that of a core with three vector pipes, and knows no instruction of
# the last ten years: all that multiplies issues to each of four pipes, but for what MEASURED says.
FOUR_PIPES = {"apple-m1", "apple-m2", "apple-m3", "apple-m4"}


def timed(known):
    """{instruction: its row} of what llvm-mca is asked for."""
    return {name: row for name, row in known.rated.items() if row["form"] in TIMED_FORMS}


def spelling(row):
    return Instruction(0, *row["assembly"][0].split(" ", 1))


def modelled_rates(core, tools, known):
    """{instruction: per cycle} by llvm-mca, of what the core can run."""
    has = cpus.features(core, tools.clang_22)
    names = [name for name, row in timed(known).items() if known.isa_features[row["isa"]] <= has]
    if core in FOUR_PIPES:
        return {name: 4.0 for name in names}
    spelled = [spelling(known.rated[name]) for name in names]
    asked = [independent([instruction]) for instruction in spelled]
    timings = Mca(tools.llvm_mca, MODEL.get(core, core)).time([lines for lines, _ in asked])
    missing = [name for name, timing in zip(names, timings) if timing is None]
    if missing:
        raise RuntimeError(f"llvm-mca times no {', '.join(missing)} on {core}")
    return {name: round(times / timing.cycles, 2)
            for name, timing, (_, times) in zip(names, timings, asked)}


def core_rates(core, tools, known):
    rates = modelled_rates(core, tools, known)
    for name, factor in MEASURED.get(core, ((), {}))[1].items():
        rates[name] = round(factor * rates["FMLA"], 3)
    return rates


def table(tools, known):
    """The whole text of core_rates.def: the head that stands there, and the rows."""
    text = TABLE.read_text(encoding="utf-8")
    head = text[:text.index("*/") + 3]
    lines = []
    for enumerator, core in known.cores("arm_64"):
        note = MEASURED.get(core, ((), {}))
        said = " ".join(sorted(note[1]))
        lines += core_rows(enumerator, core_rates(core, tools, known),
                           f"{said}: {note[0][0]}\n * {note[0][1]}." if note[0] else "")
    for enumerator, core in known.cores("x86_64"):
        said = " ".join(x86_ports.MEASURED.get(core, ()))
        lines += core_rows(enumerator, x86_ports.rates(core), said and f"{said}: measured.")
    return head + "\n".join(lines).rstrip() + "\n\n#undef TW_CORE_RATE\n"


def core_rows(enumerator, rates, note):
    """The lines of one core. What is as quick as its first instruction needs no row."""
    first = next(iter(rates))
    shown = {name: rate for name, rate in rates.items() if name == first or rate != rates[first]}
    lines = [f"\n/* {note} */"] if note else [""] if len(shown) > 1 else []
    return lines + [f"TW_CORE_RATE({enumerator}, {name}, {rate:g})" for name, rate in shown.items()]


def disagreements(tools, known):
    """Lines that say where llvm-mca gives an x86-64 core another rate than x86_ports.py."""
    lines = []
    for _, core in known.cores("x86_64"):
        ours = x86_ports.rates(core)
        asked = []
        for name in ours:
            accumulators = range(8, 32) if known.rated[name]["form"] == "ZMM" else range(3, 15)
            asked.append([line.replace("\\t", "2").replace("\\r", str(accumulator))
                          for accumulator in accumulators for line in known.rated[name]["assembly"]])
        timings = Mca(tools.llvm_mca, core, "x86-64").time(asked)
        for (name, rate), text, timing in zip(ours.items(), asked, timings):
            turns = len(text) / len(known.rated[name]["assembly"])
            theirs = round(turns / timing.cycles, 2) if timing else None
            if theirs != rate:
                lines.append(f"{core:16}{name:13}{rate:5g} here, "
                             + (f"{theirs:g} by llvm-mca" if timing else "no model in LLVM"))
    return lines


def markdown(tools, known):
    """Products per cycle of one core, by instruction."""
    asked = timed(known)
    texts = [row["assembly"][0] for row in asked.values()]
    lines = ["| core | " + " | ".join(f"`{text.split()[0]}` {_form(text)}" for text in texts) + " |",
             "|---" * (len(texts) + 1) + "|"]
    for _, core in known.cores("arm_64"):
        rates = core_rates(core, tools, known)
        bits = cpus.CPUS.get(core, ("", 128, ""))[1] or 128
        cells = []
        for name, row in asked.items():
            width = bits if row["form"] == "SVE" else 128
            cells.append(f"{rates[name] * products(spelling(row), width):g}" if name in rates else "")
        lines.append(f"| {core} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _form(text):
    return re.search(r"\s(?:v|z)0\.(\w+)", text).group(1) if " v0" in text else \
        "z." + re.search(r"z0\.(\w)", text).group(1)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", default=str(ROOT / "build" / "release"))
    add_tool(parser)
    parser.add_argument("--llvm-bin", metavar="DIR",
                        help="LLVM's programs (default: where llvm-mca-22 is)")
    action = parser.add_mutually_exclusive_group(required=True)
    for name in ("write", "check", "markdown", "disagreements"):
        action.add_argument(f"--{name}", action="store_true")
    options = parser.parse_args(arguments)
    tools, known = Tools(options.llvm_bin), tables_of(options)
    strangers = set(x86_ports.INSTRUCTIONS) - set(known.rated)
    if strangers:
        raise SystemExit(f"{known.tool} lists no instruction {', '.join(sorted(strangers))} with rates of its own")
    if options.markdown:
        replace_section(DOCUMENT, "rates", markdown(tools, known))
        return 0
    if options.disagreements:
        print("\n".join(disagreements(tools, known)))
        return 0
    text = table(tools, known)
    if options.write:
        TABLE.write_text(text, encoding="utf-8")
        return 0
    if text != TABLE.read_text(encoding="utf-8"):
        print(f"{TABLE} is not what {pathlib.Path(__file__).name} --write makes", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
