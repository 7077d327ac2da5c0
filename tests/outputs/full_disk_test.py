#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every command that writes, on a disk that is full at its first write, its second, and so on.

After each: the outputs are byte for byte what they were, nothing else is there, and one line names the file and the
reason. With --full every write fails in every way of full_disk.c, and --tmpfs mounts a small disk that is really full
(as root)."""

import dataclasses
import json
import shutil
import subprocess
import sys
import typing

import commands
from commands import KERNEL, OTHER_TILE, TILE

REASONS = {"ENOSPC": "No space left on device", "SHORT": "No space left on device",
           "EDQUOT": "Disk quota exceeded"}
SIGNALS = ["TERM", "INT", "HUP", "SEGV"]
MODES = [*REASONS, *SIGNALS]
OLD = b"what was here before\n" * 400
PAGE = 4096


@dataclasses.dataclass
class Case:
    name: str
    command: list  # its first word names the program
    outputs: list  # what it writes, below the folder that it runs in
    absent: typing.Sequence = ()  # those of the outputs that are not there before
    links: typing.Sequence = ()  # (link, what it names)
    varies: str = ""  # an output with times in it: JSON
    below: str = "here"  # the folder that is full: "here", where the command runs, or "cache", a cold one


def cases(options):
    scale = ["emulate", "scale.bc", "--kernel", "scale", "--grid", "2", "--schedules", "1", "--args",
             "in:f32x100:iota"]
    yield Case("gen", ["gen", TILE, "-o", "out.o"], ["out.o"])
    yield Case("gen, new", ["gen", TILE, "-o", "out.o"], ["out.o"], absent=["out.o"])
    yield Case("gen, through a link", ["gen", TILE, "-o", "link.o"], ["out.o"], links=[("link.o", "out.o")])
    yield Case("gen, text", ["gen", "--emit=asm", TILE, "-o", "out.s"], ["out.s"])
    folder = [f"dir/{name}.o" for name in (TILE, OTHER_TILE)]
    yield Case("gen, folder", ["gen", TILE, OTHER_TILE, "-o", "dir", "--json"], folder, absent=folder[:1])
    yield Case("gen, new folder", ["gen", TILE, OTHER_TILE, "-o", "new/dir/"], [f"new/{f}" for f in folder],
               absent=[f"new/{f}" for f in folder])
    yield Case("gen, code object", ["gen", KERNEL, "-o", "k.hsaco"], ["k.hsaco"])
    yield Case("link, archive", ["link", "user.o", "-o", "tiles.a"], ["tiles.a"])
    yield Case("link, object", ["link", "user.bc", "--emit=obj", "-o", "all.o"], ["all.o"])
    yield Case("link, bitcode", ["link", "user.bc", "--emit=bitcode", "--inline", "-o", "all.bc"], ["all.bc"])
    yield Case("link, report", ["link", "user.o", "-o", "tiles.a", "--report=json", "--report-file=r.json"],
               ["tiles.a", "r.json"], varies="r.json")
    yield Case("link, in place", ["link", "--with-inputs", "lib.a", "-o", "lib.a"], ["lib.a"])
    for extension in "a", "o", "so", "bc":
        yield Case(f"compile, .{extension}", ["compile", "e.mlir", "-o", f"e.{extension}", "--emit-header=e.h",
                                              "--report=json"],
                   [f"e.{extension}", "e.h"], absent=["e.h"] if extension == "o" else [])
    yield Case("compile, stage", ["compile", "e.mlir", "--emit=llvm", "-o", "e.ll"], ["e.ll"])
    yield Case("tw-emulate", scale + ["out:f32x100:to=one.bin", "f32:2", "i32:100"], ["one.bin"])
    if options.bench:
        yield Case("bench", ["bench", "--benchmark_filter=xmm", "--json=r.json"], ["r.json"],
                   varies="r.json")
    yield Case("cache", ["gen", TILE, "-o", "out.o"], ["out.o"], below="cache")


class Failure(Exception):
    pass


def require(condition, *what):
    if not condition:
        raise Failure(" ".join(str(part) for part in what))


class Runner:

    def __init__(self, options):
        self.options = options
        self.inputs = commands.make_inputs(options)
        self.log = options.work / "log"
        self.here = options.work / "here"
        self.disk = options.work / "disk"
        self.cache = self.disk / "cold"
        self.runs = 0

    def prepare(self, case):
        for folder in self.here, self.disk:
            if folder.is_dir():
                for path in folder.iterdir():  # it may be a mount point
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(self.inputs, self.here, dirs_exist_ok=True)
        self.cache.mkdir(parents=True)
        for output in case.outputs:
            path = self.here / output
            if output not in case.absent and not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(OLD)
        for link, to in case.links:
            (self.here / link).symlink_to(to)
        return commands.snapshot(self.here)

    def run(self, case, **settings):
        program, *rest = case.command
        programs = {"emulate": [self.options.emulate], "bench": [self.options.bench]}
        environment = commands.environment(self.options, **settings)
        if case.below == "cache":
            environment["TILEWRIGHT_CACHE_DIR"] = str(self.cache)
        self.runs += 1
        return subprocess.run(programs.get(program, [self.options.tilewright, program]) + rest, cwd=self.here,
                              env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)

    def check_success(self, case, before, result):
        require(result.returncode == 0, "failed by itself:", result.stderr.decode())
        after = commands.snapshot(self.here)
        for output in case.outputs:
            require(output in after and after[output] != before.get(output), output, "was not written")
        return after

    def check_failure(self, case, before, reason, result):
        """Of a command whose outputs could not be written."""
        errors = result.stderr.decode()
        require(0 < result.returncode < 126, "exit status", result.returncode, errors)
        lines = [line for line in errors.splitlines() if "cannot " in line]
        require(len(lines) == 1 and reason in lines[0] and "Stack dump" not in errors, "unexpected message:", errors)
        named = [*case.outputs, *(link for link, _ in case.links), "new'", "dir'"]
        require(any(name in lines[0] for name in named), "no output is named:", errors)
        self.compare(before, commands.snapshot(self.here))

    def check_cache(self, case, good, reason, result):
        """Of a command that could not write the cache: it does its work, and says so once."""
        errors = result.stderr.decode()
        require(result.returncode == 0, "exit status", result.returncode, errors)
        require(errors.count("warning") == 1 and reason in errors, "unexpected message:", errors)
        self.compare(good, commands.snapshot(self.here))
        left = [path for path in commands.snapshot(self.cache) if ".tmp-" in path]
        require(not left, "left in the cache:", left)

    def check_killed(self, case, before, good, result):
        """Each output is what it was or what it shall be, and nothing else is there but folders."""
        require(result.returncode != 0, "survived")
        after = commands.snapshot(self.here)
        for path in sorted({*before, *after}):
            if path == case.varies and after[path] != before[path]:
                json.loads(after[path][1])
            elif after.get(path, ("",))[0] != "folder":
                require(after.get(path) in (before.get(path), good.get(path)), path, "is damaged or left behind")
        left = [path for path in commands.snapshot(self.cache) if ".tmp-" in path]
        require(not left, "left in the cache:", left)

    def compare(self, expected, found):
        for path in sorted({*expected, *found}):
            require(expected.get(path) == found.get(path), path,
                    "is left behind" if path not in expected else "is gone" if path not in found else "has changed")

    def fail_everywhere(self, case, good, modes, stride):
        """Lets call 1, 2, ... fail until the command makes no such call; `modes` in turn, or all."""
        folder = self.here if case.below == "here" else self.cache
        at = 0
        while True:
            at += 1
            reached = False
            for mode in modes if stride is None else [modes[(at * stride) % len(modes)]]:
                before = self.prepare(case)
                self.log.unlink(missing_ok=True)
                result = self.run(case, LD_PRELOAD=self.options.interposer, TW_FAIL_BELOW=str(folder),
                                  TW_FAIL_AT=str(at), TW_FAIL_MODE=mode, TW_FAIL_LOG=str(self.log))
                reached = self.log.exists()
                try:
                    if not reached:
                        self.check_success(case, before, result)
                    elif mode in SIGNALS:
                        self.check_killed(case, before, good, result)
                    elif case.below == "cache":
                        self.check_cache(case, good, REASONS[mode], result)
                    else:
                        self.check_failure(case, before, REASONS[mode], result)
                except Failure as failure:
                    what = self.log.read_text().strip() if reached else "none"
                    raise Failure(f"{case.name}: {mode} at call {at} ({what}): {failure}") from None
            if not reached:
                return at - 1

    def fill_disk(self, case, good):
        """On a disk with no free page, one, two, ... until the command succeeds."""
        folder = self.here if case.below == "here" else self.disk
        filler = folder / "filler"
        pages = 0
        while True:
            before = self.prepare(case)
            with open(filler, "wb", buffering=0) as file:
                try:
                    while file.write(bytes(PAGE)):
                        pass
                except OSError:
                    pass
                file.truncate(max(0, file.tell() - pages * PAGE))
            if case.below == "here":
                before = commands.snapshot(self.here)
            result = self.run(case)
            try:
                if result.returncode == 0 and not result.stderr.count(b"warning"):
                    self.check_success(case, before, result)
                    return pages
                if case.below == "cache":
                    self.check_cache(case, good, REASONS["ENOSPC"], result)
                else:
                    self.check_failure(case, before, REASONS["ENOSPC"], result)
            except Failure as failure:
                raise Failure(f"{case.name}: {pages} free pages: {failure}") from None
            pages += 1


def mounted(folder):
    folder.mkdir(parents=True, exist_ok=True)
    return subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)],
                          stderr=subprocess.PIPE, check=False).returncode == 0


def main():
    parser = commands.arguments(__doc__)
    parser.add_argument("--interposer", required=True, help="full_disk.c as a shared library")
    parser.add_argument("--full", action="store_true", help="every call in every way, not one each")
    parser.add_argument("--tmpfs", action="store_true", help="on a small disk that is really full")
    parser.add_argument("--only", default="", help="cases whose name holds this")
    options = parser.parse_args()
    runner = Runner(options)
    folders = [runner.here, runner.disk] if options.tmpfs else []
    on = [folder for folder in folders if mounted(folder)]
    try:
        if len(on) != len(folders):
            print("SKIPPED: cannot mount a tmpfs; that takes root")
            return commands.SKIPPED
        failures = 0
        for number, case in enumerate(cases(options)):
            if options.only not in case.name:
                continue
            before = runner.prepare(case)
            good = runner.check_success(case, before, runner.run(case))
            try:
                if options.tmpfs:
                    points = runner.fill_disk(case, good)
                else:
                    points = runner.fail_everywhere(case, good, MODES, None if options.full else number + 1)
                print(f"{case.name}: {points} points of failure")
                if points == 0:
                    raise Failure(f"{case.name}: nothing failed")
            except Failure as failure:
                print(f"FAILED: {failure}")
                failures += 1
        print(f"{runner.runs} runs, {failures} failures")
        return 1 if failures or not runner.runs else 0
    finally:
        for folder in on:
            subprocess.run(["umount", str(folder)], check=False)


if __name__ == "__main__":
    sys.exit(main())
