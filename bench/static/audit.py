#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each hand-written body beside its generated twin, the tile of the same name that `tilewright gen`
makes: bytes of code, and what a model of each core says of the hot loop.

Models are llvm-mca's of LLVM 22 for arm_64 and riscv_64 and the port table of x86_ports.py for x86-64;
no figure was timed, and what no model covers (SME) has bytes only. docs/audit.md says how to read
them.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

import audit_report
import cpus
import riscv_static
import tile_static
import x86_static
from sources import Tools, compile_bitcode, disassemble, generate, run
from tables import add_tool, tables_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "audit.md"
# Architectures whose hand-written tiles have generated twins, and what these are compiled for.
TRIPLES = {"x86_64": "x86_64-linux-gnu", "arm_64": "aarch64-linux-gnu",
           "riscv_64": "riscv64-linux-gnu"}
# The cores that LLVM has a model of their own of.
ARM_CORES = [cpu for cpu, (model, _, _) in cpus.CPUS.items()
             if model.lower().replace(" ", "-") == cpu or cpu in ("a64fx", "ampere1", "oryon-1")]


def architecture(isa):
    return next((arch for arch in TRIPLES if isa.startswith(arch + "_")), None)


def listed(known):
    """The hand-written tiles of architectures that have twins, as `tilewright list` has them."""
    return [tile for tile in known.rows("tiles") if architecture(tile["isa"])]


def sizes(tools, objects):
    """{object: {function: bytes}}."""
    result = {}
    for path in objects:
        functions = result[path] = {}
        text = run([tools.llvm_nm, "--print-size", "--defined-only", "--radix=d", path])
        for line in text.splitlines():
            found = re.match(r"\d+ (\d+) [tT] (\S+)$", line)
            if found:
                functions[found.group(2)] = int(found.group(1))
    return result


def hand_bytes(tools, objects):
    """{tile: bytes}. A tile by SME has a function of its own for what runs in streaming mode."""
    found = {}
    for functions in sizes(tools, objects).values():
        for name, size in functions.items():
            tile = name.removesuffix("_streaming")
            found[tile] = found.get(tile, 0) + size
    return found


def generated_bytes(tools, objects):
    """{tile: bytes} of all functions of the object named after the tile."""
    return {path.stem: sum(functions.values()) for path, functions in sizes(tools, objects).items()}


def arm_cycles(tools, known, options, objects, directory):
    """{tile: {origin: {core: cycles per K step}}} by llvm-mca. On cores that issue in order twins are
    those made for the core, whose instructions are in another order."""
    result = cycles_on([core for core in ARM_CORES if core not in audit_report.IN_ORDER], tools, known,
                       options, objects)
    names = [path.stem for path in objects["generated"]]
    for core in audit_report.IN_ORDER:
        own = {**objects, "generated": generate(known.tool, names, directory / core, tune_cpu=core)[0]}
        for name, origins in cycles_on([core], tools, known, options, own).items():
            for origin, cycles in origins.items():
                result.setdefault(name, {}).setdefault(origin, {}).update(cycles)
    return result


def cycles_on(cores, tools, known, options, objects):
    """The same of `cores`."""
    asked = argparse.Namespace(cpu=cores)
    functions = {origin: disassemble(tools, paths) for origin, paths in objects.items()}
    names = {name for bodies in functions.values() for name in bodies if options.match in name}
    functions = {origin: {name: body for name, body in bodies.items() if name in names}
                 for origin, bodies in functions.items()}
    found = tile_static.examine(asked, functions, tools, known, {})
    return {name: {origin: {core: figures["cycles"] for core, figures in body["cpus"].items()
                            if "cycles" in figures} for origin, body in origins.items()}
            for name, origins in found.items()}


def x86_cycles(options, objects):
    """The same by the table of ports."""
    result = {}
    for origin, paths in objects.items():
        asked = argparse.Namespace(llvm_bin=options.llvm_bin, objects=paths, match=options.match,
                                   core=None, build_dir=options.build_dir, tilewright=options.tilewright)
        for name, entry in x86_static.collect(asked).items():
            result.setdefault(name, {})[origin] = {
                core: figures["per_step"] for core, figures in entry["cores"].items()
                if "per_step" in figures}
    return result


def riscv_cycles(tools, options, objects):
    """The same by llvm-mca's models of riscv_64."""
    bodies = {origin: riscv_static.disassemble(tools, paths) for origin, paths in objects.items()}
    names = sorted(name for name in bodies["hand"] if options.match in name)
    found = riscv_static.examine(tools, bodies, names, riscv_static.CORES)
    return {name: {origin: {core: cycles for core, cycles in cores.items() if core != "error" and cycles}
                   for origin, cores in origins.items()} for name, origins in found.items()}


def collect(options, known):
    """{"tiles": [...]}: of each tile what the document needs."""
    tools, build = Tools(options.llvm_bin), pathlib.Path(options.build_dir)
    work = build / "bench" / "audit"
    tiles = [tile for tile in listed(known) if options.match in tile["name"]]
    for arch, triple in TRIPLES.items():
        of_arch = [tile for tile in tiles if architecture(tile["isa"]) == arch]
        if not of_arch:
            continue
        bitcode = sorted((build / "lib" / "tilewright" / "bitcode").glob(
            f"tilewright_ukernels_{arch}_*.bc"))
        objects = {"hand": compile_bitcode(tools, bitcode, work / arch / "hand")}
        objects["generated"], errors = generate(known.tool, [tile["name"] for tile in of_arch],
                                                work / arch / "generated", triple)
        code = {"hand": hand_bytes(tools, objects["hand"]),
                "generated": generated_bytes(tools, objects["generated"])}
        cycles = {"arm_64": lambda o=objects: arm_cycles(tools, known, options, o, work / arch),
                  "x86_64": lambda o=objects: x86_cycles(options, o),
                  "riscv_64": lambda o=objects: riscv_cycles(tools, options, o)}[arch]()
        for tile in of_arch:
            tile["bytes"] = {origin: found.get(tile["name"]) for origin, found in code.items()}
            tile["cycles"] = cycles.get(tile["name"], {})
            if tile["name"] in errors:
                tile["error"] = errors[tile["name"]]
    return {"tiles": tiles}


def vector_bits(core, isa):
    """What `vl` counts on a core."""
    return cpus.vector_bits(core, isa) if core in cpus.CPUS else 128


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", default=str(ROOT / "build" / "release"))
    add_tool(parser)
    parser.add_argument("--match", default="", help="only names that contain this text")
    parser.add_argument("--llvm-bin", metavar="DIR",
                        help="LLVM's programs (default: where llvm-mca-22 is)")
    parser.add_argument("--from", dest="read", metavar="FILE", help="take what --json wrote earlier")
    parser.add_argument("--json", metavar="FILE", help="write every figure of every tile")
    parser.add_argument("--markdown", action="store_true",
                        help=f"rewrite the tables of {DOCUMENT.name}")
    parser.add_argument("--check", action="store_true",
                        help=f"only say whether {DOCUMENT.name} has the tiles of today")
    options = parser.parse_args(arguments)
    known = tables_of(options)
    try:
        if options.check:
            tiles = listed(known)
            stale = audit_report.stale(tiles, DOCUMENT.read_text(encoding="utf-8"))
            print("\n".join(stale) or f"{DOCUMENT.name} has all {len(tiles)} tiles")
            return 1 if stale else 0
        if options.read:
            data = json.loads(pathlib.Path(options.read).read_text(encoding="utf-8"))
        else:
            data = collect(options, known)
        if options.json:
            text = json.dumps(data, indent=1, sort_keys=True)
            pathlib.Path(options.json).write_text(text + "\n", encoding="utf-8")
        if options.markdown:
            audit_report.write(DOCUMENT, data["tiles"], vector_bits, known.isa_features)
    except (RuntimeError, ValueError, OSError, subprocess.SubprocessError) as error:
        print(f"audit: {error}", file=sys.stderr)
        return 2
    print(audit_report.lines(data["tiles"]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
