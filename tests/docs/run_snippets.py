#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the fenced blocks of a document, in order, in one shell and one folder.

  run_snippets.py <document> <scratch folder> <build folder>

- ```sh      is run; an error fails.
- ```c, ```cmake and the like are written to the file that the line before them names in backticks, "`first.c`:".
- ```text    is what the last ```sh printed: the same lines, where "…" stands for any text within a line, and as a line for
             any lines.

In the scratch folder, `build/release` is the build folder, and HOME the scratch folder itself.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

FENCE = re.compile(r"^```(\w*)$")
FILE_NAME = re.compile(r"`([\w./-]+)`:$")


class BadSnippet(Exception):
    """A block that is not as it should be; says where and why."""


def blocks(text):
    """Yields (line number, language, file named before, content) of each fenced block."""
    lines = text.splitlines()
    before, start = "", None
    for number, line in enumerate(lines, 1):
        fence = FENCE.match(line)
        if start is None and line.startswith("```"):
            if not fence or not fence.group(1):
                raise BadSnippet(f"line {number}: a block says what it is: ```sh, ```text, ```c, ...")
            start, language = number, fence.group(1)
        elif start is not None and line == "```":
            named = FILE_NAME.search(before)
            yield start, language, named and named.group(1), "\n".join(lines[start : number - 1]) + "\n"
            start, before = None, ""
        elif start is None and line.strip():
            before = line
    if start is not None:
        raise BadSnippet(f"line {start}: the block does not end")


def pattern_of(expected):
    """A regular expression for a ```text block."""
    parts = []
    for line in expected.splitlines():
        if line.strip() == "…":
            parts.append(r"(?:[^\n]*\n)*?")
        else:
            parts.append(".*".join(re.escape(part) for part in line.rstrip().split("…")) + r"[ ]*\n")
    return re.compile("".join(parts))


def run(text, folder, environment):
    """Runs all blocks; returns how many. Raises BadSnippet."""
    count, printed = 0, None
    state = folder / ".environment"
    for line, language, named, content in blocks(text):
        count += 1
        if language == "sh":
            # What a block exports, the next one has.
            script = f'set -euo pipefail\n[ ! -f "{state}" ] || . "{state}"\n{content}\nexport -p >"{state}"\n'
            result = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            printed = result.stdout
            if result.returncode != 0:
                raise BadSnippet(f"line {line}: ended with {result.returncode}:\n{content}\n{printed}")
        elif language == "text":
            if printed is None:
                raise BadSnippet(f"line {line}: nothing was run before this output")
            if not pattern_of(content).fullmatch(printed):
                raise BadSnippet(f"line {line}: expected\n{content}\nbut it printed\n{printed}")
        elif named is None:
            raise BadSnippet(f"line {line}: the line before a block of {language} names its file: `name`:")
        else:
            (folder / named).write_text(content, encoding="utf-8")
    return count


def main(arguments):
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    document, folder, build = (pathlib.Path(argument).absolute() for argument in arguments)
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "build").mkdir(parents=True)
    (folder / "build/release").symlink_to(build, target_is_directory=True)
    environment = {**os.environ, "HOME": str(folder), "TILEWRIGHT_CACHE_DIR": str(folder / "cache"), "TILEWRIGHT_TUNING": "none",
                   "CCACHE_DISABLE": "1"}
    try:
        count = run(document.read_text(encoding="utf-8"), folder, environment)
    except BadSnippet as error:
        print(f"{document}: {error}")
        return 1
    print(f"{count} blocks")
    return 0 if count else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
