#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_instructions.py finds what it should, and nothing else."""

import unittest

import check_instructions

TABLE = check_instructions.TABLE
RECIPE = f"""### An instruction

1. A row in `{TABLE}`.
2. A case in `generator/lib/Emit.cpp`, named in `generator/lib/Idioms.cpp`.

Its tests: `generator/lib/Other.cpp`.

### An ISA
"""


class CheckInstructions(unittest.TestCase):
    def findings(self, recipe=RECIPE, **files):
        known = {TABLE: 'TW_INSTRUCTION(FMLA, "fmla")\n', "generator/lib/Emit.cpp": "case IdiomKind::Fma:",
                 "generator/lib/Idioms.cpp": "{TW_INSTRUCTION_FMLA}"}
        return list(check_instructions.findings({**known, **files}, recipe))

    def test_all_is_where_the_recipe_says(self):
        self.assertEqual(self.findings(**{"a.cpp": "TW_INSTRUCTION_NONE TW_INSTRUCTION_FMLA_F64"}), [])

    def test_an_instruction_elsewhere(self):
        found = self.findings(**{"generator/lib/Other.cpp": "TW_INSTRUCTION_FMLA"})
        self.assertEqual([line.split(":")[0] for line in found], ["generator/lib/Other.cpp"])

    def test_an_emitter_that_the_recipe_does_not_name(self):
        found = self.findings(RECIPE.replace("Emit.cpp", "Gone.cpp"))
        self.assertEqual([line.split(":")[0] for line in found], ["generator/lib/Emit.cpp"])

    def test_a_recipe_without_the_table(self):
        self.assertEqual(len(self.findings(RECIPE.replace(TABLE, "abi/other.def"))), 1)
        self.assertIn("does not name", self.findings("nothing")[0])


if __name__ == "__main__":
    unittest.main()
