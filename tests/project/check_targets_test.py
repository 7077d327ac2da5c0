#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_targets.py finds what it should, and nothing else."""

import unittest

import check_targets


class CheckTargets(unittest.TestCase):
    def test_lines(self):
        named = ['if (isa.has("neon"))', "arch == Triple::aarch64", "triple.isX86()", "TW_ISA_ARM_64_SVE",
                 'intrinsic("llvm.x86.avx2.pmadd.wd")', "isa.scaling == TW_SCALING_SME", 'feature == "zvfh"']
        for line in named:
            self.assertEqual(check_targets.lines_that_name(f"\n  {line}\n"), [2], line)
        for line in ["machine.namesLanes", "// has(\"neon\")", "TW_ISA_GENERIC", "info(key.isa).isGpu()", "target.has(isa)"]:
            self.assertEqual(check_targets.lines_that_name(line), [], line)

    def test_counts(self):
        files = {"a.cpp": 'has("fma")\nhas("v")\n', "b.cpp": ""}
        self.assertEqual(list(check_targets.findings(files, {"a.cpp": 2})), [])
        self.assertRegex(list(check_targets.findings(files, {"a.cpp": 1}))[0], "lines 1, 2 name .* of which 1 are known")
        self.assertRegex(list(check_targets.findings(files, {"a.cpp": 3}))[0], "2 lines name .* not 3")
        self.assertRegex(list(check_targets.findings(files, {"a.cpp": 2, "c.cpp": 1}))[0], "no such file")


if __name__ == "__main__":
    unittest.main()
