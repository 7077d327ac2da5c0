#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what no compiler does: check_sources.py ROOT

- every source and build file carries the licence line;
- no source file is longer than 500 lines;
- no template, a header that is included with macros defined and undefines them, has more than eight of these parameters;
- every path that a document names in backticks exists, with <anything> in it for some text there;
- so does every file that CONTRIBUTING.md names without its folder.

Prints one line per finding; exits with 1 if there is any.
"""

import pathlib
import re
import subprocess
import sys

MAX_LINES = 500
MAX_PARAMETERS = 8
LICENSED = {".c", ".h", ".cpp", ".td", ".def", ".py", ".cmake", ".sh", ".S"}
COUNTED = {".c", ".h", ".cpp", ".td", ".py", ".cmake"}
# `path/to/file` or `folder/`: something with a slash that starts with a top-level folder of the tree.
DOCUMENT_PATH = re.compile(r"`([A-Za-z0-9_.<>-]+(?:/[A-Za-z0-9_.<>-]+)*/?)`")
# Where recipes are, whose every file is to be there.
RECIPES = "CONTRIBUTING.md"


def tracked(root):
    out = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], check=True, capture_output=True)
    return [pathlib.PurePosixPath(name) for name in out.stdout.decode().split("\0") if name]


def check_licence(path, text):
    if "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception" not in "\n".join(text.splitlines()[:6]):
        yield f"{path}: the licence line (SPDX-License-Identifier) is missing from the first lines"


def check_length(path, text):
    lines = text.count("\n")
    if lines > MAX_LINES:
        yield f"{path}: {lines} lines, more than {MAX_LINES}"


def template_parameters(text):
    """The macros that a header undefines and does not define itself, but for a default where one is not defined."""
    undefined = re.findall(r"^#[ \t]*undef\s+(\w+)", text, flags=re.M)
    own, conditions = set(), []
    for directive, rest in re.findall(r"^#[ \t]*(if\w*|else|elif|endif|define)\b[ \t]*(.*)$", text, flags=re.M):
        if directive.startswith("if"):
            conditions.append(rest.strip() if directive == "ifndef" else None)
        elif directive == "endif" and conditions:
            conditions.pop()
        elif directive == "define" and not any(condition in undefined for condition in conditions):
            own.add(re.match(r"\w+", rest).group())
    return sorted(set(undefined) - own)


def check_parameters(path, text):
    parameters = template_parameters(text)
    if len(parameters) > MAX_PARAMETERS:
        yield f"{path}: a template with {len(parameters)} parameters, more than {MAX_PARAMETERS}: {', '.join(parameters)}"


def exists(named, files, folders):
    """Whether `named` is a file or a folder; <text> in it stands for any text without a slash."""
    if "<" not in named:
        return pathlib.PurePosixPath(named) in files | folders
    pattern = re.compile(re.sub(r"<[^>]*>", "[^/]+", re.escape(named.rstrip("/"))))
    return any(pattern.fullmatch(str(path)) for path in files | folders)


def check_document(path, text, files, folders):
    tops = {name.parts[0] for name in files if len(name.parts) > 1}
    suffixes, names = {name.suffix for name in files} - {""}, {name.name for name in files}
    for match in DOCUMENT_PATH.finditer(text):
        named = match.group(1)
        parts = pathlib.PurePosixPath(named).parts
        if "/" not in named:
            is_wrong = str(path) == RECIPES and pathlib.PurePosixPath(named).suffix in suffixes and named not in names
        else:
            is_wrong = parts[0] in tops and not exists(named, files, folders)
        if is_wrong:
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: names `{named}`, which does not exist"


def findings(root, paths):
    files = set(paths)
    folders = {parent for name in paths for parent in name.parents}
    for path in paths:
        is_build_file = path.name == "CMakeLists.txt" or path.name == "dev"
        if path.suffix in LICENSED or is_build_file:
            text = (root / path).read_text(encoding="utf-8")
            yield from check_licence(path, text)
            if path.suffix in COUNTED or is_build_file:
                yield from check_length(path, text)
            if path.suffix == ".h":
                yield from check_parameters(path, text)
        elif path.suffix == ".md":
            yield from check_document(path, (root / path).read_text(encoding="utf-8"), files, folders)


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    root = pathlib.Path(arguments[0])
    found = list(findings(root, tracked(root)))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
