#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether each public header compiles by itself: check_headers.py [--c] CLANG FOLDER... -- FLAG...

Compiles every header below the folders as a program of its own: as C++17; with --c as C11 as well, unless it includes a C++
header like <string>. A header that another one of them includes before anything else is compiled there, and not once more:
MLIR takes seconds each time.

Prints the first error of each that does not compile; exits with 1 if there is any, or no header."""

import concurrent.futures
import pathlib
import re
import subprocess
import sys

FIRST_LINE = re.compile(r"^(?!\s*(?://|#ifndef|#define|$))", re.M)
CPP_ONLY = re.compile(r"^#include <\w+>", re.M)
INCLUDE = re.compile(r'\s*#include "([^"]+)"')


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def first_include(text):
    """What a header includes before it has said anything itself; None if it says something first."""
    text = without_comments(text)
    start = FIRST_LINE.search(text)
    match = INCLUDE.match(text, start.start()) if start else None
    return match[1] if match else None


def to_compile(headers):
    """Those of {name for #include: text} that no other one compiles."""
    included = {first_include(text) for text in headers.values()}
    return sorted(name for name in headers if name not in included)


def compile_one(clang, language, flags, name):
    """The first error, or None."""
    done = subprocess.run([clang, "-x", *language, "-fsyntax-only", *flags, "-"], text=True, capture_output=True,
                          input=f'#include "{name}"\n')
    if done.returncode == 0:
        return None
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    return f"{name} does not compile by itself as {language[1]}: {errors[0] if errors else done.stderr.strip()}"


def main(arguments):
    own, flags = arguments[:arguments.index("--")], arguments[arguments.index("--") + 1:]
    c_as_well = own[0] == "--c"
    own = own[c_as_well:]
    headers = {}
    for folder in map(pathlib.Path, own[1:]):
        headers |= {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*.h")}
    names = to_compile(headers)
    programs = [(name, ("c++", "-std=c++17")) for name in names]
    if c_as_well:
        c_headers = {name: text for name, text in headers.items() if not CPP_ONLY.search(text)}
        programs += [(name, ("c", "-std=c11")) for name in to_compile(c_headers)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(compile_one, own[0], language, flags, name) for name, language in programs]
        findings = [job.result() for job in jobs if job.result()]
    for finding in findings:
        print(finding)
    print(f"{len(headers)} headers, {len(programs)} programs")
    return 1 if findings or not headers else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
