#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""dev_test.py <dev>: what ./dev says of its arguments before it builds anything."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

DEV = pathlib.Path(sys.argv.pop(1))
COMMANDS = ["setup", "build", "demo", "test", "soak", "models", "bench", "format"]


class DevTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        # A folder with nothing to set up or build: whoever tries fails.
        shutil.copy(DEV, self.folder.name)

    def tearDown(self):
        left = [path.name for path in pathlib.Path(self.folder.name).iterdir()]
        self.folder.cleanup()
        self.assertEqual(left, [DEV.name])

    def run_dev(self, *arguments):
        return subprocess.run([f"{self.folder.name}/{DEV.name}", *arguments], capture_output=True, text=True)

    def test_help_is_at_hand_in_each_command(self):
        for arguments in [["help"], ["--help"], *([command, "--help"] for command in COMMANDS), ["test", "-h"]]:
            run = self.run_dev(*arguments)
            self.assertEqual((run.returncode, run.stderr), (0, ""), arguments)
            for command in COMMANDS:
                self.assertIn(f"\n  {command} ", run.stdout, arguments)

    def test_what_is_not_known_is_named(self):
        for arguments, name in [
            (["tset"], "'tset'"),
            (["test", "--bogus"], "'--bogus'"),
            (["test", "-j8"], "'-j8'"),
            (["test", "one", "two"], "'two'"),
            (["soak", "--all"], "'--all'"),
            (["models", "one", "two"], "'two'"),
            (["build", "--fast"], "'--fast'"),
            (["setup", "all"], "'all'"),
            (["demo", "--loud"], "'--loud'"),
            (["bench", "fast"], "'fast'"),
        ]:
            run = self.run_dev(*arguments)
            self.assertEqual(run.returncode, 1, arguments)
            self.assertIn(name, run.stderr.splitlines()[-1], arguments)


if __name__ == "__main__":
    unittest.main()
