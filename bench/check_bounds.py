#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the benchmarks and compares them with the project's bounds.

Prints one line per bound: what, the bound, what was measured, whether it holds.
Exits with 1 if one is missed, with 2 if a benchmark cannot run.
"""

import argparse
import json
import os
import re
import subprocess
import sys

NAME = re.compile(r"tw_mmt4d_tile_(?P<types>[a-z0-9]+?)_(?P<m0>\d+)x(?P<n0>\d+)x(?P<k0>\d+)"
                  r"(?:_(?P<variant>steprnd))?_(?P<isa>[a-z]\w*)$")
REFERENCE_TILE = "tw_mmt4d_tile_f32f32f32_1x16x1_x86_64_avx512_base"
# Types whose compute-bound tiles must reach a share of the issue peak: bytes of an accumulator, percent.
COMPUTE_TYPES = {"f32f32f32": (4, 97), "f64f64f64": (8, 97), "bf16bf16f32": (4, 95), "s16s16s32": (4, 97),
                 "u8s8s32": (4, 97)}


class Line:
    """One bound. `measured` None: not measured, and `note` says why; that is not a miss."""

    def __init__(self, what, relation, bound, measured, unit="", note=""):
        self.what, self.relation, self.bound, self.measured = what, relation, bound, measured
        self.unit, self.note = unit, note

    @property
    def ok(self):
        if self.measured is None:
            return None
        if self.relation == ">=":
            return self.measured >= self.bound
        if self.relation == "<=":
            return self.measured <= self.bound
        return self.measured == self.bound

    def as_json(self):
        return {"what": self.what, "relation": self.relation, "bound": self.bound,
                "measured": self.measured, "unit": self.unit, "note": self.note, "ok": self.ok}


def vector_bytes(isa):
    return 64 if "avx512" in isa else 32


def parsed_rows(compare):
    """The rows that were compared, each with the parts of its name."""
    for row in compare["rows"]:
        parts = NAME.match(row["name"])
        if parts and "ratio" in row:
            yield row, parts.groupdict()


def share_lines(what, bound, rows, note_none, of="peak"):
    """Two lines: the worst hand-written and the worst generated share of the peak (or bound) over `rows`."""
    for origin, field in (("hand-written", f"hand_{of}_percent"),
                          ("generated", f"generated_{of}_percent")):
        if rows:
            worst = min(rows, key=lambda row: row[field])
            yield Line(f"{what}, {origin}", ">=", bound, worst[field], "%", worst["name"])
        else:
            yield Line(f"{what}, {origin}", ">=", bound, None, "%", note_none)


def tile_lines(compare):
    """Shares of the issue peak. A tile counts as compute-bound from two vectors of columns on:
    narrower ones load more than they multiply."""
    rows = list(parsed_rows(compare))
    for types, (size, bound) in COMPUTE_TYPES.items():
        isas = sorted({p["isa"] for _, p in rows if p["types"] == types})
        for isa in isas:
            wide = [row for row, p in rows
                    if p["types"] == types and p["isa"] == isa and not p["variant"]
                    and int(p["n0"]) * size >= 2 * vector_bytes(isa)]
            if wide:
                yield from share_lines(f"{types} {isa} compute-bound", bound, wide, "")
        if not isas:
            yield Line(f"{types} compute-bound", ">=", bound, None, "%", "this CPU can run no row")

    def s8(shape):
        name = f"tw_mmt4d_tile_s8s8s32_{shape}_x86_64_avx512_vnni"
        return [row for row, _ in rows if row["name"] == name]
    lacking = "this CPU lacks it"
    yield from share_lines("s8s8s32 12x32x4 avx512_vnni", 95, s8("12x32x4"), lacking)
    yield from share_lines("s8s8s32 16x16x4 avx512_vnni", 85, s8("16x16x4"), lacking)
    name = "tw_mmt4d_tile_f16f16f32_12x32x1_x86_64_avx512_base"
    f16 = [row for row, _ in rows if row["name"] == name]
    yield from share_lines("f16f16f32 12x32x1 avx512_base", 95, f16, lacking)


def narrow_lines(compare):
    """Tiles of 1, 2 and 4 rows: of the tighter of issue and what their loads take from L1."""
    for rows_of_tile in (1, 2, 4):
        rows = [row for row, p in parsed_rows(compare)
                if int(p["m0"]) == rows_of_tile and "hand_bound_percent" in row and not p["variant"]]
        yield from share_lines(f"M0 = {rows_of_tile}, of issue and loads", 90, rows, "this CPU can run no row",
                               "bound")


def ratio_lines(compare):
    rows = [row for row in compare["rows"] if "ratio" in row]
    wrong = [row["name"] for row in compare["rows"] if row.get("wrong")]
    worst = max(rows, key=lambda row: row["ratio"])["name"] if rows else ""
    note = "" if rows else "no row was compared"
    yield Line("generated / hand-written time, median over the rows", "<=", 1.03,
               compare["median_ratio"] if rows else None, "", note or f"{len(rows)} rows")
    yield Line("generated / hand-written time, worst row", "<=", 1.05,
               compare["worst_ratio"] if rows else None, "", note or worst)
    yield Line("rows with a wrong result or no generated body", "==", 0, len(wrong), "",
               ", ".join(wrong[:3]))


def reference_lines(tiles):
    """f32 1x16x1 against one accumulator: calls accumulate into one tile, as the K blocks of a
    matmul do, so that they do not overlap."""
    best = {}
    for case in tiles["benchmarks"]:
        if "best_ns" in case:
            best[case["name"].split("/")[1]] = case["best_ns"]
    for origin, label in (("hand", "hand-written"), ("generated", "generated")):
        measured = None
        if origin in best and "single-accumulator" in best:
            measured = best["single-accumulator"] / best[origin]
        yield Line(f"f32 1x16x1 avx512_base against one accumulator, {label}", ">=", 3.5, measured,
                   "x", "" if measured else "this CPU lacks AVX-512")


def generation_lines(compile_time):
    last = compile_time["one_thread"][-1]
    keys = f"{last['keys']} random keys, one thread, warm"
    yield Line("generation, median", "<=", 5, last["ms_median"], "ms", keys)
    yield Line("generation, p99", "<=", 20, last["ms_p99"], "ms", keys)
    yield Line("random keys that could not be generated", "==", 0, compile_time["failed"])
    memory = compile_time.get("memory")
    if memory:
        yield Line("peak memory, growth", "<=", 1.10,
                   memory["peak_rss_mib_after"] / memory["peak_rss_mib_before"], "x",
                   f"{memory['peak_rss_mib_before']:.0f} MiB after {memory['keys_before']} keys, "
                   f"{memory['peak_rss_mib_after']:.0f} after {memory['keys_after']}")
    yield Line("a cached key", "<=", 0.2, compile_time["cached"]["ms_each"], "ms",
               f"{compile_time['cached']['keys']} keys")


def link_lines(link):
    what = f"link {link['calls']} calls of {link['names']} names in {link['modules']} modules"
    for each in link["links"]:
        bound = 1 if each["emit"] == "archive" else None
        if bound:
            yield Line(f"{what}, empty cache", "<=", bound, each["cold_seconds"], "s",
                       f"cached {each['cached_seconds']:.3f} s")
        exact = each["definitions"] if each["each_once"] else -1
        yield Line(f"{what}: definitions, {each['emit']}", "==", link["names"], exact, "",
                   "" if each["each_once"] else "a name is missing or defined twice")


def all_lines(results):
    lines = []
    for name, lines_of in (("compare", tile_lines), ("compare", narrow_lines), ("compare", ratio_lines),
                           ("reference", reference_lines), ("compile_time", generation_lines),
                           ("link", link_lines)):
        if name not in results.get("failed", []):
            lines += lines_of(results[name])
    failed = results.get("failed", [])
    return lines + [Line("benchmarks that failed", "==", 0, len(failed), "", ", ".join(failed))]


def run(program, *arguments):
    """The JSON that a benchmark prints, or None if it fails; what it missed is judged from the
    JSON."""
    result = subprocess.run([program, "--json", *arguments], stdout=subprocess.PIPE, text=True)
    if result.returncode in (0, 1) and result.stdout:
        return json.loads(result.stdout)
    command = " ".join([program, *arguments])
    print(f"check_bounds: {command} failed with status {result.returncode}", file=sys.stderr)
    return None


def measure(build_dir):
    def program(name):
        path = os.path.join(build_dir, "bin", name)
        if not os.path.exists(path):
            print(f"check_bounds: there is no {path}; build the benchmarks with the generator "
                  "(TW_BUILD_GENERATOR=ON, TW_BUILD_BENCH=ON) first", file=sys.stderr)
            sys.exit(2)
        return path
    results = {"compare": run(program("compare_rows")),
               "compile_time": run(program("compile_time_bench")),
               "link": run(program("link_bench"))}
    isas = json.loads(subprocess.run([program("peak_bench"), "--json", "--benchmark_filter=xmm"],
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                     check=True).stdout)["context"]["tilewright_isas"].split()
    results["reference"] = {"benchmarks": []}
    if "x86_64_avx512_base" in isas:
        results["reference"] = run(program("tile_bench"), "--reference", "--accumulate",
                                   "--cache=hot", "--origin=both", REFERENCE_TILE)
    results["failed"] = [name for name, measured in results.items() if measured is None]
    return results


def show(lines):
    width = max(len(line.what) for line in lines)
    for line in lines:
        measured = "not run" if line.measured is None else f"{line.measured:.4g}{line.unit}"
        verdict = {True: "ok", False: "MISSED", None: "-"}[line.ok]
        print(f"{line.what:{width}}  {line.relation} {line.bound:<5g} {measured:>9}  {verdict:6}  "
              f"{line.note}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", default="build/release", help="default: build/release")
    parser.add_argument("--json", metavar="FILE",
                        help="also write the lines and all measurements to FILE")
    parser.add_argument("--from", dest="source", metavar="FILE",
                        help="judge an earlier --json FILE instead of measuring")
    arguments = parser.parse_args()
    if arguments.source:
        with open(arguments.source, encoding="utf-8") as file:
            results = json.load(file)["results"]
    else:
        results = measure(arguments.build_dir)
    lines = all_lines(results)
    show(lines)
    missed = [line for line in lines if line.ok is False]
    print(f"{sum(line.ok is True for line in lines)} bounds hold, {len(missed)} are missed, "
          f"{sum(line.ok is None for line in lines)} cannot be measured here")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"lines": [line.as_json() for line in lines], "results": results}, file,
                      indent=1)
            file.write("\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
