#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_sources.py finds what it should, and nothing else."""

import pathlib
import tempfile
import unittest

import check_sources

LICENCE = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"


class CheckSources(unittest.TestCase):
    def find(self, contents):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in contents.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            paths = [pathlib.PurePosixPath(name) for name in contents]
            return list(check_sources.findings(root, paths))

    def test_clean_tree(self):
        self.assertEqual(self.find({"abi/a.c": LICENCE, "R.md": "See `abi/a.c` and `abi/` and `x/y`.\n"}), [])

    def test_missing_licence(self):
        self.assertRegex(self.find({"abi/a.c": "int x;\n"})[0], "abi/a.c: the licence line")

    def test_long_file(self):
        self.assertRegex(self.find({"abi/a.c": LICENCE + "\n" * 500})[0], "501 lines")

    def test_document_names_a_missing_path(self):
        found = self.find({"abi/a.c": LICENCE, "R.md": "\nSee `abi/b.c`.\n"})
        self.assertEqual(found, ["R.md:2: names `abi/b.c`, which does not exist"])

    def test_a_template_of_nine_parameters(self):
        nine = "".join(f"#undef TW_{letter}\n" for letter in "ABCDEFGHI")
        self.assertRegex(self.find({"abi/a.h": LICENCE + nine})[0], "abi/a.h: a template with 9 parameters.*TW_A, TW_B")
        own = "#define TW_I 1\n"
        self.assertEqual(self.find({"abi/a.h": LICENCE + own + nine}), [])

    def test_a_parameter_with_a_default_is_one(self):
        nine = "".join(f"#undef TW_{letter}\n" for letter in "ABCDEFGHI")
        default = "#ifndef TW_I\n#define TW_I 1\n#endif\n"
        self.assertRegex(self.find({"abi/a.h": LICENCE + default + nine})[0], "9 parameters")

    def test_a_part_of_a_path_may_be_any_text(self):
        files = {"abi/x_1.c": LICENCE, "R.md": "\nSee `abi/x_<number>.c`, `abi/<folder>/x.c`, `<any>/x_1.c`.\n"}
        self.assertEqual(self.find(files), ["R.md:2: names `abi/<folder>/x.c`, which does not exist"])

    def test_recipes_name_files_without_their_folder(self):
        text = "See `a.c`, `b.c`, `x.y` and `word`.\n"
        self.assertEqual(self.find({"abi/a.c": LICENCE, "CONTRIBUTING.md": text, "R.md": text}),
                         ["CONTRIBUTING.md:1: names `b.c`, which does not exist"])


if __name__ == "__main__":
    unittest.main()
