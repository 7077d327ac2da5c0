#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that tests can be selected by name, and that selecting none is a failure.

  check_test_names.py <ctest> <build directory> <source directory>

`ctest -R 'name$'` finds nothing, and succeeds, where a name ends in more than was written down: bytes of a parameter,
which differ from run to run.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

NAME = re.compile(r"[A-Za-z0-9_./-]+")


def bad_names(names):
    """Yields a line for each name that cannot be typed, or is of two tests."""
    seen = set()
    for name in names:
        if not NAME.fullmatch(name):
            yield f"test name {name!r} has other characters than {NAME.pattern}"
        if name in seen:
            yield f"two tests are called {name!r}"
        seen.add(name)


def lax_calls(script):
    """Yields a line for each call of ctest in a shell script that succeeds when it selects nothing."""
    for number, line in enumerate(script.splitlines(), 1):
        if re.match(r"\s*ctest\s", line) and "--no-tests=error" not in line.split("#")[0]:
            yield f"line {number}: ctest without --no-tests=error"


def run_ctest(ctest, tests, *arguments):
    """Runs ctest on a list of tests, from a folder of its own: it writes logs where it runs."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "CTestTestfile.cmake").write_text(tests, encoding="utf-8")
        return subprocess.run([ctest, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def findings(ctest, build, source):
    listed = run_ctest(ctest, f'subdirs("{build}")\n', "--show-only=json-v1")
    if listed.returncode != 0:
        yield f"ctest cannot list the tests of {build}: {listed.stderr.strip()}"
        return
    names = [test["name"] for test in json.loads(listed.stdout)["tests"]]
    if not names:
        yield f"no tests in {build}"
    yield from bad_names(names)
    for problem in lax_calls((source / "dev").read_text(encoding="utf-8")):
        yield f"dev, {problem}"
    if run_ctest(ctest, "add_test(one true)\n", "--no-tests=error", "-R", "two").returncode == 0:
        yield "ctest --no-tests=error succeeds without a test"


def main():
    found = list(findings(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])))
    for line in found:
        print(line)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
