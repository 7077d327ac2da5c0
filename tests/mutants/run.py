#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts one fault after another into a copy of the product's code and sees whether the tests notice.

./dev mutate runs this; tests/mutants/README.md describes the lists. Exit status: 0 if at least 95 % of the mutants
that are not equivalent are caught, 1 if fewer are, 2 if a list or a suite is broken, 130 after an interruption.
"""

import argparse
import json
import os
import pathlib
import random
import re
import signal
import sys
import time

import lists
import scratch
import suites

ROOT = pathlib.Path(__file__).resolve().parents[2]
BOUND = 0.95


def arguments():
    parser = argparse.ArgumentParser(prog="./dev mutate", description=__doc__.split("\n")[0])
    parser.add_argument("regex", nargs="?", default="", metavar="REGEX",
                        help="only mutants whose name or file it matches")
    parser.add_argument("--list", action="store_true", help="print the mutants, run nothing")
    parser.add_argument("--check", metavar="BUILD",
                        help="check the lists against the sources and the tests of this build, run nothing")
    parser.add_argument("--sample", type=int, metavar="N", help="only N mutants, drawn by the seed")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of --sample (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N",
                        help="processes to build with, and for lit and ctest to test with (as many as CPUs)")
    parser.add_argument("--json", metavar="FILE", help="write the results there as well")
    parser.add_argument("--preset", default="release", help="of CMakePresets.json (release)")
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / "build" / "mutants", metavar="DIR",
                        help="where the copy of the tree is made and built, and kept for next time (build/mutants)")
    return parser.parse_args()


def select(mutants, args):
    chosen = [m for m in mutants if re.search(args.regex, m.name) or re.search(args.regex, m.file)]
    if args.sample is not None and args.sample < len(chosen):
        chosen = random.Random(args.seed).sample(chosen, args.sample)
    # One library after the other, and one file after the other, so that little is built again.
    return sorted(chosen, key=lambda m: (m.file, m.name))


def check(mutants, build):
    faults = lists.faults(mutants, ROOT) + suites.faults(mutants, ROOT, pathlib.Path(build))
    for fault in faults:
        print(fault)
    equivalent = sum(bool(m.equivalent) for m in mutants)
    print(f"{len(mutants)} mutants, {equivalent} of them equivalent, {len(faults)} faults of the lists")
    return 2 if faults else 0


class Runner:
    def __init__(self, args):
        self.tree = scratch.Tree(ROOT, args.scratch, args.preset)
        self.tests = suites.Tests(self.tree.build, args.jobs)
        self.sound = set()

    def run(self, mutant):
        """The verdict, and what it is due to."""
        verdict, detail, test = self.run_mutated(mutant)
        # A suite that catches something must pass while nothing is mutated.
        if verdict == "caught" and test not in self.sound:
            why = self.tests.build(test) or self.tests.run(test)
            if why:
                raise scratch.BuildError(f"'{test}' does not pass unmutated: {why}")
            self.sound.add(test)
        return verdict, detail

    def run_mutated(self, mutant):
        with self.tree.mutated(mutant):
            for test in mutant.tests:
                failure = self.tests.build(test)
                if failure:
                    return "does not build", failure, test
                failure = self.tests.run(test)
                if failure:
                    return "caught", failure, test
        return "survived", mutant.survives, ""


def report(results, seconds):
    count = {verdict: sum(r["verdict"] == verdict for r in results)
             for verdict in ("caught", "survived", "does not build", "equivalent")}
    for result in results:
        if result["verdict"] in ("survived", "does not build"):
            print(f"{result['verdict']}: {result['name']} ({result['file']}): {result['detail'] or 'no reason listed'}")
    counted = count["caught"] + count["survived"]
    score = count["caught"] / counted if counted else 1
    print(f"{count['caught']} of {counted} caught ({100 * score:.1f} %), {count['equivalent']} equivalent, "
          f"{count['does not build']} do not build; {seconds:.0f} s")
    return score, count


def write_json(path, results, score):
    text = json.dumps({"score": score, "mutants": results}, indent=2) + "\n"
    temporary = pathlib.Path(f"{path}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def main():
    args = arguments()
    signal.signal(signal.SIGTERM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt()))
    try:
        mutants = lists.load(ROOT / "tests" / "mutants")
    except lists.ListError as error:
        print(f"mutate: {error}", file=sys.stderr)
        return 2
    if args.check:
        return check(mutants, args.check)
    chosen = select(mutants, args)
    if not chosen:
        print(f"mutate: no mutant matches '{args.regex}'", file=sys.stderr)
        return 2
    if args.list:
        for m in chosen:
            print(f"{m.name}  {m.file}" + ("  equivalent" if m.equivalent else ""))
        return 0
    faults = lists.faults(chosen, ROOT)
    if faults:
        print("\n".join(faults), file=sys.stderr)
        return 2

    started = time.monotonic()
    runner = Runner(args)
    results = []

    def record(m, verdict, detail):
        results.append({"name": m.name, "file": m.file, "verdict": verdict, "detail": detail})
        print(f"[{len(results)}/{len(chosen)}] {m.name}: {verdict}" + (f": {detail}" if detail else ""), flush=True)

    interrupted = False
    try:
        for m in chosen:
            if m.equivalent:
                record(m, "equivalent", m.equivalent)
        for m in chosen:
            if not m.equivalent:
                record(m, *runner.run(m))
    except KeyboardInterrupt:
        interrupted = True
        print(f"\nmutate: interrupted; nothing outside of {args.scratch} was changed", file=sys.stderr)
    except scratch.BuildError as error:
        print(f"mutate: {error}", file=sys.stderr)
        return 2
    score, count = report(results, time.monotonic() - started)
    if args.json:
        write_json(args.json, results, score)
    if interrupted:
        return 130
    return 2 if count["does not build"] else 1 if score < BOUND else 0


if __name__ == "__main__":
    sys.exit(main())
