# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A copy of the tree with a build of its own: what is mutated is never the developer's."""

import contextlib
import shutil
import subprocess

import lists


class BuildError(Exception):
    pass


class Tree:
    def __init__(self, root, folder, preset):
        self.root = root
        self.folder = folder
        # Where it would be in the tree itself, so that a compiler cache sees like paths.
        self.build = folder / "build" / preset
        self.copy()
        if not (self.build / "build.ninja").is_file():
            self.configure(preset)

    def copy(self):
        """Brings the copy up to date: also after a run that was killed while a mutant was in it."""
        listed = subprocess.run(["git", "-C", str(self.root), "ls-files", "-coz", "--exclude-standard"],
                                check=True, capture_output=True).stdout.decode().split("\0")
        wanted = {name for name in listed if name and (self.root / name).is_file()}
        for name in sorted(wanted):
            source, target = self.root / name, self.folder / name
            if target.is_file() and target.read_bytes() == source.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            # Without the time of the source: what was built of the old text must be built again.
            shutil.copyfile(source, target)
            shutil.copymode(source, target)
        for top in self.folder.iterdir():
            if top.name in ("build", ".git"):
                continue
            for path in top.rglob("*") if top.is_dir() else [top]:
                if path.is_file() and path.relative_to(self.folder).as_posix() not in wanted:
                    path.unlink()

    def configure(self, preset):
        result = subprocess.run(["cmake", "--preset", preset], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, check=False)
        if result.returncode:
            raise BuildError(f"configuring {self.folder} failed:\n{result.stdout}")

    @contextlib.contextmanager
    def mutated(self, mutant):
        path = self.folder / mutant.file
        original = path.read_text(encoding="utf-8")
        path.write_text(lists.apply(mutant, original), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(original, encoding="utf-8")
