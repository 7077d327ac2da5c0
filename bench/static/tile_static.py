#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Judges arm_64 tile functions without the hardware, by llvm-mca on their hot loops.

For each tile, hand-written and generated, and each CPU that LLVM has a scheduling model of: cycles
per K step, the bounds, instruction counts, spills. docs/benchmarks-arm.md says how to read them.
Exits with 1 if --check finds a miss, with 2 if something cannot be examined at all.
"""

import argparse
import json
import pathlib
import sys

import cpus
from analysis import Body, Question, prepare
from keys import Key
from mca import Mca
from report import misses, replace_section, summary, tables
from sources import Tools, compile_bitcode, disassemble, generate
from tables import add_tool, tables_of

ROOT = pathlib.Path(__file__).resolve().parents[2]


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="tile names (default: every hand-written one)")
    parser.add_argument("--build-dir", default=str(ROOT / "build" / "release"))
    parser.add_argument("--hand", action="append", metavar="FILE",
                        help="bitcode, objects or archives of hand-written tiles (default: the "
                             "build's bitcode library)")
    add_tool(parser)
    parser.add_argument("--origin", choices=("both", "hand", "generated"), default="both")
    parser.add_argument("--match", default="", help="only names that contain this text")
    parser.add_argument("--cpu", action="append", metavar="NAME",
                        help="only these CPUs (default: those an ISA is meant for); 'all': each")
    parser.add_argument("--llvm-bin", metavar="DIR",
                        help="LLVM's programs (default: where llvm-mca-22 is)")
    parser.add_argument("--from", dest="read", metavar="FILE",
                        help="take what --json wrote earlier instead of asking llvm-mca")
    parser.add_argument("--json", metavar="FILE", help="write everything")
    parser.add_argument("--markdown", metavar="FILE", help="rewrite the tables of this document")
    parser.add_argument("--check", action="store_true", help="judge the bounds")
    parser.add_argument("--quiet", action="store_true", help="no table on standard output")
    return parser.parse_args(arguments)


def hand_written(options, tools, work):
    if options.origin == "generated" and options.names:
        return {}
    paths = options.hand
    if not paths:
        folder = pathlib.Path(options.build_dir) / "lib" / "tilewright" / "bitcode"
        paths = sorted(folder.glob("tilewright_ukernels_arm_64_*.bc"))
        if not paths:
            raise RuntimeError(f"{folder} holds no arm_64 bitcode: build the target "
                               "tilewright_bitcode, or say --hand FILE")
    bitcode = [path for path in map(pathlib.Path, paths) if path.suffix == ".bc"]
    others = [path for path in map(pathlib.Path, paths) if path.suffix != ".bc"]
    return disassemble(tools, compile_bitcode(tools, bitcode, work / "hand") + others)


def chosen_cpus(options, isa, features, clang):
    """The CPUs to examine a tile of `isa` on."""
    if not options.cpu:
        return cpus.MEANT_FOR.get(isa, [])
    wanted = list(cpus.CPUS) if options.cpu == ["all"] else options.cpu
    for cpu in wanted:
        if cpu not in cpus.CPUS:
            raise RuntimeError(f"unknown CPU '{cpu}'; known: {', '.join(cpus.CPUS)}")
    return [cpu for cpu in wanted if features.get(isa, set()) <= cpus.features(cpu, clang)]


def examine(options, functions, tools, known, machines):
    """{name: {origin: {...}}} of {origin: {name: [Instruction]}}."""
    results, questions, features = {}, {}, known.isa_features
    for origin, bodies in functions.items():
        for name, function in sorted(bodies.items()):
            key = Key(name, known)
            entry = results.setdefault(name, {}).setdefault(origin, {"cpus": {}})
            wanted = chosen_cpus(options, key.isa, features, tools.clang_22)
            for bits in sorted({cpus.vector_bits(cpu, key.isa) for cpu in wanted} or {128}):
                try:
                    body = Body(key, function, bits)
                except ValueError as error:
                    entry["error"] = str(error)
                    continue
                entry.update(body.as_json() if bits == 128 or "multiplies" not in entry else {})
                question = Question(body, features.get(key.isa, set()))
                for cpu in wanted:
                    if cpus.vector_bits(cpu, key.isa) == bits:
                        questions.setdefault(cpu, []).append((entry, question))
    for cpu, asked in questions.items():
        machine = machines.setdefault(cpu, Mca(tools.llvm_mca, cpu))
        prepare(machine, [question for _, question in asked])
        for entry, question in asked:
            found = question.judge(machine)
            entry["cpus"][cpu] = found or {"error": "llvm-mca has no model of an instruction"}
    return results


def collect(options):
    """Everything that is asked for, as the JSON file holds it."""
    known, work = tables_of(options), pathlib.Path(options.build_dir) / "bench" / "static"
    tools = Tools(options.llvm_bin)
    hand = hand_written(options, tools, work)
    names = [name for name in options.names or sorted(hand) if options.match in name]
    for name in names:
        Key(name, known)
    functions, errors = {}, {}
    if options.origin != "generated":
        functions["hand"] = {name: hand[name] for name in names if name in hand}
    if options.origin != "hand":
        objects, errors = generate(known.tool, names, work / "generated")
        functions["generated"] = disassemble(tools, objects)
    results = examine(options, functions, tools, known, {})
    for name, message in errors.items():
        results.setdefault(name, {}).setdefault("generated", {"cpus": {}})["error"] = message
    if not results:
        raise RuntimeError("no tile was found")
    used = {cpu for each in results.values() for body in each.values() for cpu in body["cpus"]}
    return {"tiles": results,
            "cpus": {cpu: {"model": cpus.model(cpu), "sve_bits": cpus.CPUS[cpu][1],
                           "note": cpus.CPUS[cpu][2]} for cpu in sorted(used)}}


def main(arguments):
    options = parse(arguments)
    try:
        if options.read:
            data = json.loads(pathlib.Path(options.read).read_text(encoding="utf-8"))
        else:
            data = collect(options)
        if options.json:
            text = json.dumps(data, indent=1, sort_keys=True)
            pathlib.Path(options.json).write_text(text + "\n", encoding="utf-8")
        if options.markdown:
            replace_section(options.markdown, "tables", tables(data))
    except (RuntimeError, ValueError, OSError) as error:
        print(f"tile_static: {error}", file=sys.stderr)
        return 2
    if not options.quiet:
        print(summary(data))
    if not options.check:
        return 0
    found = misses(data)
    print("\n".join([*found, f"{len(found)} misses in {len(data['tiles'])} tiles"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
