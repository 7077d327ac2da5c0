#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_test_names.py finds what it should, and nothing else."""

import unittest

import check_test_names


class CheckTestNames(unittest.TestCase):
    def test_names(self):
        self.assertEqual(list(check_test_names.bad_names(["project.format", "arm_64/base/A.B/1x2", "soak.x-y"])), [])
        for name in ["A.B/f32  # GetParam() = 24-byte object <4A-08", "A.B/(16 bits, true)", "A.B/\"name\"", ""]:
            self.assertEqual(len(list(check_test_names.bad_names([name]))), 1, name)

    def test_two_of_a_name(self):
        self.assertRegex(list(check_test_names.bad_names(["a", "b", "a"]))[0], "two tests are called 'a'")

    def test_lax_calls(self):
        strict = '  ctest --test-dir "$build" --no-tests=error ${1:+-R "$1"}\n'
        self.assertEqual(list(check_test_names.lax_calls(strict)), [])
        self.assertEqual(list(check_test_names.lax_calls("# ctest is called below\n")), [])
        self.assertEqual(
            list(check_test_names.lax_calls("say test\n  ctest -R x # --no-tests=error\n")),
            ["line 2: ctest without --no-tests=error"])


if __name__ == "__main__":
    unittest.main()
