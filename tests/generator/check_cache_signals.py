#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ends runs of the generator by signals and looks at the cache that they leave: whole entries, and nothing else.

  check_cache_signals.py <tilewright> [--runs=N]
"""

import argparse
import filecmp
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

NAMES = [f"tw_mmt4d_tile_f32f32f32_{m}x{n}x1_generic" for m in range(1, 9) for n in range(1, 9)]
SIGNALS = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
OURS = re.compile(r"CACHEDIR\.TAG|llvmcache\.timestamp|llvmcache-[0-9a-f]{32}")
ENTRY = "llvmcache-"


def generate(tool, out, *options):
    return [tool, "gen", *NAMES, "-o", str(out), *options]


def wait_for_group(group, seconds=10):
    """Whether all processes of a run are gone."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


def interrupted_run(tool, folder, after, number):
    """Starts a run on a fresh cache and ends it; returns the cache's folder."""
    cache = folder / "cache"
    # A session of its own: only a terminal's interrupt goes to all of its processes.
    with subprocess.Popen(generate(tool, folder / "out", f"--cache-dir={cache}"), start_new_session=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        time.sleep(after)
        if run.poll() is None:
            (os.killpg if number == signal.SIGINT else os.kill)(run.pid, number)
        run.wait(timeout=60)
        if not wait_for_group(run.pid):
            raise RuntimeError("processes of the run are still there")
    return cache


def problems(tool, folder, cache, reference):
    """Yields what is wrong with what a run left."""
    files = sorted(path.name for path in cache.iterdir()) if cache.exists() else []
    for name in files:
        if not OURS.fullmatch(name):
            yield f"the cache holds '{name}'"
    out = folder / "out"
    for path in out.iterdir() if out.exists() else []:
        if path.name not in {f"{name}.o" for name in NAMES}:
            yield f"the output folder holds '{path.name}'"
    entries = sum(len(name) == len(ENTRY) + 32 and name.startswith(ENTRY) for name in files)
    again = subprocess.run(generate(tool, folder / "again", f"--cache-dir={cache}", "--json"),
                           capture_output=True, text=True, check=True)
    cached = again.stdout.count('"origin": "cached"')
    if cached != entries:
        yield f"of {entries} entries {cached} are used"
    json.loads(again.stdout)
    different = filecmp.cmpfiles(reference, folder / "again", [f"{name}.o" for name in NAMES], shallow=False)
    if different[1] or different[2]:
        yield f"kernels differ: {different[1]} {different[2]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--runs", type=int, default=12)
    arguments = parser.parse_args()
    found, partial = [], 0
    with tempfile.TemporaryDirectory() as root:
        reference = pathlib.Path(root) / "reference"
        started = time.monotonic()
        subprocess.run(generate(arguments.tool, reference, f"--cache-dir={root}/first"), check=True)
        whole = time.monotonic() - started
        for i in range(arguments.runs):
            folder = pathlib.Path(root) / str(i)
            folder.mkdir()
            number = SIGNALS[i % len(SIGNALS)]
            after = whole * (i + 0.5) / arguments.runs
            cache = interrupted_run(arguments.tool, folder, after, number)
            entries = len(list(cache.glob(ENTRY + "*"))) if cache.exists() else 0
            partial += 0 < entries < len(NAMES)
            found += [f"run {i}, {number.name} after {after:.3f} s: {problem}"
                      for problem in problems(arguments.tool, folder, cache, reference)]
    for line in found:
        print(line)
    print(f"{arguments.runs} runs, {partial} ended with a part of the entries")
    # A machine that is busy may finish a run, or not begin it, before its signal.
    sys.exit(1 if found or partial < arguments.runs / 6 else 0)


if __name__ == "__main__":
    main()
