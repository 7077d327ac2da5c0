#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether each public header compiles by itself: check_headers.py [--c] [--precompile HEADER,...] CLANG FOLDER... -- FLAG...

Compiles every header below the folders as a program of its own: as C++17; with --c as C11 as well, unless it includes a C++
header like <string>. A header that another one of them includes before anything else is compiled there, and not once more:
MLIR takes seconds each time. With --precompile those that include one of these anyhow, itself or by
others, find it compiled: that hides nothing which they do not include.

Prints the first error of each that does not compile; exits with 1 if there is any, or no header."""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

FIRST_LINE = re.compile(r"^(?!\s*(?://|#ifndef|#define|$))", re.M)
CPP_ONLY = re.compile(r"^#include <\w+>", re.M)
INCLUDE = re.compile(r'\s*#include "([^"]+)"')
ANY_INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.M)
CPP = ("c++", "-std=c++17")


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


class Includes:
    """What headers include, by themselves and by others, as far as the folders of -I and -isystem have it; what stands
    under a condition counts as well."""

    def __init__(self, flags):
        self.folders = [pathlib.Path(re.sub("^-(I|isystem)", "", f)) for f in flags if re.match("-(I|isystem)", f)]
        self.direct = {}

    def of(self, name):
        """The names that `name` includes, its own among them."""
        found, left = set(), [name]
        while left:
            one = left.pop()
            if one not in found:
                found.add(one)
                left += self.of_one(one)
        return found

    def of_one(self, name):
        if name not in self.direct:
            paths = (folder / name for folder in self.folders)
            path = next((path for path in paths if path.is_file()), None)
            self.direct[name] = ANY_INCLUDE.findall(without_comments(path.read_text(errors="replace"))) if path else []
        return self.direct[name]


def precompile(clang, flags, name, path):
    subprocess.run([clang, "-x", "c++-header", CPP[1], *flags, "-", "-o", path], text=True, check=True,
                   input=f'#include "{name}"\n')


def largest(included, closures):
    """That of the precompiled headers which includes most and is included, or None."""
    usable = [name for name, closure in closures.items() if name in included and closure <= included]
    return max(usable, key=lambda name: len(closures[name]), default=None)


def compile_one(clang, language, flags, name):
    """The first error, or None."""
    done = subprocess.run([clang, "-x", *language, "-fsyntax-only", *flags, "-"], text=True, capture_output=True,
                          input=f'#include "{name}"\n')
    if done.returncode == 0:
        return None
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    return f"{name} does not compile by itself as {language[1]}: {errors[0] if errors else done.stderr.strip()}"


def main(arguments):
    split = arguments.index("--")
    flags = arguments[split + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--c", action="store_true")
    parser.add_argument("--precompile", type=lambda names: names.split(","), default=[], metavar="HEADER,...")
    parser.add_argument("clang")
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    options = parser.parse_args(arguments[:split])
    headers = {}
    for folder in options.folders:
        headers |= {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*.h")}
    includes = Includes(flags)
    closures = {name: includes.of(name) for name in options.precompile}
    uses = {name: largest(includes.of(name), closures) for name in to_compile(headers)}
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        compiled = {name: f"{scratch}/{number}.pch" for number, name in enumerate(options.precompile)}
        for done in [pool.submit(precompile, options.clang, flags, *one) for one in reversed(compiled.items())]:
            done.result()
        programs = [(name, CPP, [*flags, "-include-pch", compiled[use]] if use else flags) for name, use in uses.items()]
        if options.c:
            c_headers = {name: text for name, text in headers.items() if not CPP_ONLY.search(text)}
            programs += [(name, ("c", "-std=c11"), flags) for name in to_compile(c_headers)]
        jobs = [pool.submit(compile_one, options.clang, language, with_flags, name)
                for name, language, with_flags in programs]
        findings = [job.result() for job in jobs if job.result()]
    for finding in findings:
        print(finding)
    precompiled = sum(use is not None for use in uses.values())
    print(f"{len(headers)} headers, {len(programs)} programs, {precompiled} with a precompiled header")
    return 1 if findings or not headers else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
