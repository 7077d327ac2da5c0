# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lists of mutants, *.toml, and the suites that should catch them, suites.toml: README.md says what they hold."""

import dataclasses
import fnmatch
import tomllib


class ListError(Exception):
    pass


@dataclasses.dataclass
class Mutant:
    name: str
    file: str
    old: str
    new: str
    why: str = ""
    tests: list = dataclasses.field(default_factory=list)
    equivalent: str = ""
    survives: str = ""


def read(path):
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ListError(f"{path}: {error}") from error


def load(folder):
    suites = read(folder / "suites.toml")["suite"]
    mutants = []
    names = {}
    for path in sorted(folder.glob("*.toml")):
        if path.name == "suites.toml":
            continue
        for fields in read(path).get("mutant", []):
            try:
                mutant = Mutant(**fields)
            except TypeError as error:
                raise ListError(f"{path}: {fields.get('name', 'a mutant')}: {error}") from error
            if mutant.name in names:
                raise ListError(f"{path}: {mutant.name} is in {names[mutant.name]} already")
            names[mutant.name] = path.name
            if not mutant.tests:
                mutant.tests = tests_of(mutant.file, suites)
            mutants.append(mutant)
    return mutants


def tests_of(file, suites):
    """Those of the first suite that names the file."""
    for suite in suites:
        if any(fnmatch.fnmatchcase(file, pattern) for pattern in suite["files"]):
            return suite["tests"]
    return []


def apply(mutant, text):
    if text.count(mutant.old) != 1:
        raise ListError(f"{mutant.name}: the old text stands {text.count(mutant.old)} times in {mutant.file}, not once")
    return text.replace(mutant.old, mutant.new)


def faults(mutants, root):
    """What keeps mutants from being applied."""
    found = []
    for m in mutants:
        if m.old == m.new:
            found.append(f"{m.name}: old and new are the same")
        if m.file.startswith("tests/"):
            found.append(f"{m.name}: {m.file} is no product code")
        if not m.tests:
            found.append(f"{m.name}: no suite of suites.toml names {m.file}")
        if not (root / m.file).is_file():
            found.append(f"{m.name}: there is no {m.file}")
            continue
        try:
            apply(m, (root / m.file).read_text(encoding="utf-8"))
        except ListError as error:
            found.append(str(error))
    return found
