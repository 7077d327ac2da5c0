# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests as the lists name them:

gtest TARGET [FILTER]          a GoogleTest executable, or the part of it that the filter names
lit FOLDER [REGEX]             the lit tests of a folder, or those whose names the expression matches
ctest REGEX TARGET...          tests by their names in ctest, and the targets that they need
"""

import fnmatch
import json
import os
import re
import signal
import subprocess

# What the lit tests of a suite run.
LIT_TARGETS = {
    "tests/generator": ["tilewright-tool", "tw-opt", "tilewright_bitcode", "tilewright_encodings_plugin"],
    "tests/emulator/tool": ["tw-emulate", "emulator_test_kernels"],
}
# Seconds that a suite may take: none takes a fifth of them on one core.
LIMIT = 600


def lit_suite(folder):
    """The lit suite that a folder is of."""
    return next(suite for suite in LIT_TARGETS if folder == suite or folder.startswith(suite + "/"))


def parts(test):
    kind, *words = test.split()
    return kind, words


def targets(test):
    kind, words = parts(test)
    if kind == "gtest":
        return words[:1]
    if kind == "lit":
        return LIT_TARGETS[lit_suite(words[0])]
    return words[1:]


def call(command, seconds, **options):
    """Exit status (None after `seconds`) and output of a command; nothing of it lives longer."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="replace", start_new_session=True, **options)
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return None, process.communicate()[0]
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise


class Tests:
    def __init__(self, build, jobs):
        self.folder = build
        self.jobs = jobs
        self.executables = {}
        # The user's cache is neither read nor filled, and no test sees what another's mutant wrote.
        self.environment = dict(os.environ, TILEWRIGHT_CACHE_DIR=str(build / "mutants_cache"))

    def build(self, test):
        status, output = call(["cmake", "--build", str(self.folder), "-j", str(self.jobs), "--target", *targets(test)],
                              3600)
        if status == 0:
            return ""
        errors = [line for line in output.splitlines() if "error:" in line] or output.splitlines()[-1:]
        return "; ".join(errors[:2]) or f"status {status}"

    def run(self, test):
        """What failed, or nothing."""
        kind, words = parts(test)
        return getattr(self, "run_" + kind)(words)

    def executable(self, target):
        if target not in self.executables:
            # Not those of the builds inside: the cross build, and those that install tests make.
            found = [path for path in self.folder.rglob(target)
                     if path.is_file() and os.access(path, os.X_OK)
                     and not any((parent / "CMakeCache.txt").exists() for parent in path.parents
                                 if self.folder in parent.parents)]
            self.executables[target] = found[0]
        return self.executables[target]

    def run_gtest(self, words):
        target, *filters = words
        command = [str(self.executable(target)), "--gtest_fail_fast"]
        if filters:
            command.append("--gtest_filter=" + filters[0])
        status, output = call(command, LIMIT, env=self.environment, cwd=self.executable(target).parent)
        if status == 0:
            return "" if re.search(r"\[  PASSED  \] [1-9]", output) else "no test ran"
        failed = re.findall(r"^\[  FAILED  \] ([^\s,]+)", output, re.M) or re.findall(r"^\[ RUN      \] (\S+)", output, re.M)
        where = f"{target} {failed[0] if status and status > 0 and failed else failed[-1] if failed else ''}".strip()
        if status is None:
            return f"{where}: no end after {LIMIT} s"
        return where if status > 0 else f"{where}: signal {-status}"

    def run_lit(self, words):
        folder, *expression = words
        suite = lit_suite(folder)
        lit = next(line.split("=", 1)[1] for line in (self.folder / "CMakeCache.txt").read_text().splitlines()
                   if line.startswith("TW_LIT:"))
        command = [lit, "-q", "-j", str(self.jobs), str(self.folder / suite) + folder.removeprefix(suite)]
        if expression:
            command += ["--filter", expression[0]]
        status, output = call(command, LIMIT, env=self.environment)
        if status == 0:
            return ""
        failed = re.findall(r"^\s*\S+ :: (\S+)", output, re.M)
        return "lit " + (failed[0] if failed else output.strip()[-200:] or f"status {status}")

    def run_ctest(self, words):
        command = ["ctest", "--test-dir", str(self.folder), "-j", str(self.jobs), "--no-tests=error",
                   "--stop-on-failure", "-R", words[0]]
        status, output = call(command, LIMIT, env=self.environment)
        if status == 0:
            return ""
        failed = re.findall(r"^\s*\d+ - (\S+) \(", output, re.M)
        return "ctest " + (failed[0] if failed else f"status {status}")


def gtest_matches(pattern, name):
    positive, _, negative = pattern.partition("-")
    matches = [any(fnmatch.fnmatchcase(name, p) for p in part.split(":")) for part in (positive or "*", negative)]
    return matches[0] and not matches[1]


def faults(mutants, root, build):
    """Tests that the lists name and the build does not have."""
    shown = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], check=True, capture_output=True)
    tests = [test for test in json.loads(shown.stdout)["tests"] if test.get("command")]
    by_executable = {}
    for test in tests:
        command = test["command"]
        name = next((word.removeprefix("--gtest_filter=") for word in command if word.startswith("--gtest_filter=")), "")
        by_executable.setdefault(os.path.basename(command[0]), []).append(name)
    found = []
    for test in sorted({test for m in mutants for test in m.tests}):
        kind, words = parts(test)
        if kind == "gtest":
            pattern = words[1] if len(words) > 1 else "*"
            there = any(gtest_matches(p, name) for name in by_executable.get(words[0], []) for p in [pattern])
        elif kind == "lit":
            there = any(re.search(words[1] if len(words) > 1 else "", path.name)
                        for path in (root / words[0]).rglob("*") if path.suffix in (".mlir", ".test"))
        elif kind == "ctest":
            there = any(re.search(words[0], t["name"]) for t in tests)
        else:
            there = False
        if not there:
            found.append(f"'{test}' names no test of {build}")
    return found
