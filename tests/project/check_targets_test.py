#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_targets.py finds what it should, and nothing else."""

import unittest

import check_targets


class CheckTargets(unittest.TestCase):
    def test_lines(self):
        named = ['if (isa.has("neon"))', "arch == Triple::aarch64", "triple.isX86()", "TW_ISA_ARM_64_SVE",
                 'intrinsic("llvm.x86.avx2.pmadd.wd")', "isa.scaling == TW_SCALING_SME", 'feature == "zvfh"',
                 "#ifdef TW_HAVE_X86_64_TILES", "#if defined(__aarch64__)", "TW_CPU_MASK(X86_64, AMXTILE, 0)"]
        for line in named:
            self.assertEqual(check_targets.lines_that_name(f"\n  {line}\n"), [2], line)
        for line in ["machine.namesLanes", "// has(\"neon\")", "TW_ISA_GENERIC", "info(key.isa).isGpu()", "target.has(isa)"]:
            self.assertEqual(check_targets.lines_that_name(line), [], line)

    def test_findings(self):
        files = {"a.cpp": 'has("fma")\nhas("neon")\n', "b.cpp": ""}
        self.assertEqual([line.split(": ")[0] for line in check_targets.findings(files)], ["a.cpp:1, 2"])


if __name__ == "__main__":
    unittest.main()
