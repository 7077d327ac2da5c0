#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""That run_snippets.py can fail."""

import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import run_snippets  # noqa: E402


def document(*parts):
    """Blocks as (language, content), or lines between them."""
    return "\n".join(part if isinstance(part, str) else f"```{part[0]}\n{part[1]}\n```" for part in parts)


class RunSnippetsTest(unittest.TestCase):
    def run_document(self, *parts):
        with tempfile.TemporaryDirectory() as folder:
            return run_snippets.run(document(*parts), pathlib.Path(folder), dict(os.environ))

    def assert_bad(self, why, *parts):
        with self.assertRaisesRegex(run_snippets.BadSnippet, why):
            self.run_document(*parts)

    def test_blocks_share_a_folder_and_exports(self):
        self.assertEqual(4, self.run_document("`a.txt`:", ("txt", "one"), ("sh", "export B=2"),
                                              ("sh", "cat a.txt; echo $B; echo x y z"), ("text", "one\n…\nx … z")))

    def test_a_command_that_fails(self):
        self.assert_bad("line 1: ended with 1", ("sh", "false\ntrue"))
        self.assert_bad("line 1: ended with 1", ("sh", "false | cat"))

    def test_another_output(self):
        self.assert_bad("expected", ("sh", "echo 1"), ("text", "2"))
        self.assert_bad("expected", ("sh", "echo 1; echo 2"), ("text", "1"))
        self.assert_bad("expected", ("sh", "echo 1"), ("text", "1\n2"))
        self.assert_bad("nothing was run", ("text", "2"))

    def test_blocks_that_say_too_little(self):
        self.assert_bad("names its file", ("c", "int x;"))
        self.assert_bad("says what it is", ("", "x"))
        self.assert_bad("does not end", "```sh\ntrue")


if __name__ == "__main__":
    unittest.main()
