# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the audit of hand-written bodies makes of figures.

  audit_test.py BENCH_STATIC_DIR
"""

import sys
import unittest

audit_report = instructions = mca = None


def tile(name, family, hand, generated, isa="arm_64_base", size=4, n0=8, types="f32f32f32"):
    return {"name": f"tw_mmt4d_tile_{name}_{isa}", "family": family, "isa": isa, "M0": size, "N0": n0,
            "K0": 1, "N0_scalable": False, "types": types, "steprnd": False, "vnni": False, "out": "f32",
            "bytes": {"hand": 100, "generated": 120}, "cycles": {"hand": hand, "generated": generated}}


def bits(_core, _isa):
    return 128


FEATURES = {"arm_64_base": {"neon"}, "arm_64_dotprod": {"neon", "dotprod"}}


class Audit(unittest.TestCase):

    def test_ratios_are_of_cores_that_both_have(self):
        one = tile("f32f32f32_4x8x1", "a", {"n1": 4.0, "v1": 2.0}, {"n1": 5.0, "a55": 9.0})
        self.assertEqual(audit_report.ratios(one), {"n1": 1.25})

    def test_a_family_is_a_line(self):
        tiles = [tile("f32f32f32_4x8x1", "a", {"n1": 4.0}, {"n1": 5.0}),
                tile("f32f32f32_8x8x1", "a", {"n1": 8.0}, {"n1": 8.0}), tile("f32f32f32_2x8x1", "b", {}, {})]
        text = audit_report.table(tiles)
        self.assertIn("| `a` | 2 | 200 | 240 | 2 | 1.00 | 1.12 | 1.25 | 1 | 0 |", text)
        self.assertIn("| `b` | 1 | 100 | 120 | no model | – | – | – | – | – |", text)

    def test_a_loser_loses_in_the_mean_of_the_cores(self):
        lost = tile("f32f32f32_4x8x1", "a", {"n1": 4.0, "v1": 2.0}, {"n1": 2.0, "v1": 2.0})
        mixed = tile("f32f32f32_8x8x1", "a", {"n1": 4.0, "v1": 2.0}, {"n1": 3.0, "v1": 2.6})
        text = audit_report.losers([lost, mixed])
        self.assertIn("| `a` | arm_64_base | 4x8x1 | 0.71 | 0.71 | 0.50 to 1.00 | n1 |", text)
        self.assertNotIn("8x8", text)
        self.assertEqual(audit_report.losers([mixed]), "None.")

    def test_a_loser_loses_in_the_mean_of_cores_out_of_order(self):
        outside = tile("f32f32f32_4x8x1", "a", {"n1": 4.0, "cortex-a55": 4.0}, {"n1": 3.0, "cortex-a55": 8.0})
        self.assertIn("| 1.22 | 0.75 |", audit_report.losers([outside]))
        # There the twin is one made for the core.
        inside = tile("f32f32f32_4x8x1", "a", {"n1": 4.0, "cortex-a55": 4.0}, {"n1": 4.0, "cortex-a55": 2.0})
        self.assertEqual(audit_report.losers([inside]), "None.")

    def test_a_winner_wins_on_some_core(self):
        mixed = tile("f32f32f32_8x8x1", "a", {"n1": 4.0, "v1": 2.0}, {"n1": 5.0, "v1": 1.0})
        self.assertIn("| `a` | arm_64_base | 8x8x1 | 1.25 | n1 |", audit_report.winners([mixed]))

    def test_chosen_is_what_is_best_somewhere(self):
        tiles = [tile("f32f32f32_4x8x1", "slow", {"n1": 8.0, "v1": 4.0}, {}),
                tile("f32f32f32_4x8x1", "quick", {"n1": 4.0}, {}),
                tile("f32f32f32_4x16x1", "wide", {"n1": 8.0, "v1": 4.0}, {}, n0=16)]
        self.assertEqual(audit_report.never_chosen(tiles, bits, FEATURES),
                         [("arm_64_base", "slow", 0.5, "4 rows on v1")])

    def test_another_number_of_rows_is_no_rival(self):
        tiles = [tile("f32f32f32_1x8x1", "thin", {"n1": 4.0}, {}, size=1),
                tile("f32f32f32_8x8x1", "thick", {"n1": 8.0}, {}, size=8)]
        self.assertEqual(audit_report.never_chosen(tiles, bits, FEATURES), [])

    def test_a_later_instruction_set_is_no_rival(self):
        tiles = [tile("s8s8s32_4x8x1", "old", {"n1": 8.0}, {}),
                tile("s8s8s32_4x8x4", "new", {"n1": 4.0}, {}, "arm_64_dotprod")]
        self.assertEqual(audit_report.never_chosen(tiles, bits, FEATURES), [])
        self.assertEqual(audit_report.never_chosen([tiles[1], tile("s8s8s32_4x8x1", "old", {"n1": 2.0}, {})],
                                                   bits, FEATURES),
                         [("arm_64_dotprod", "new", 0.5, "4 rows on n1")])

    def test_a_document_of_other_rows_is_stale(self):
        tiles = [tile("f32f32f32_4x8x1", "a", {}, {}), tile("f32f32f32_8x8x1", "a", {}, {})]
        text = audit_report.by_isa(tiles)
        self.assertEqual(audit_report.stale(tiles, text), [])
        self.assertEqual(audit_report.stale(tiles[:1], text), ["arm_64_base a: 1 tiles, 2 in the document"])
        self.assertEqual(audit_report.stale([], text), ["arm_64_base a: 0 tiles, 2 in the document"])

    def test_what_is_computed_in_place_is_timed_in_place(self):
        def lines(text):
            mnemonic, operands = text.split(" ", 1)
            return mca.independent([instructions.Instruction(0, mnemonic, operands)])[0]
        self.assertEqual(lines("and z1.b, z1.b, #0xf0")[1], "and z9.b, z9.b, #0xf0")
        self.assertEqual(lines("lsl z1.b, z1.b, #0x4")[1], "lsl z9.b, z0.b, #0x4")
        self.assertEqual(lines("and z1.d, z1.d, z2.d")[1], "and z9.d, z0.d, z1.d")


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    import audit_report  # pylint: disable=wrong-import-position
    import instructions  # pylint: disable=wrong-import-position
    import mca  # pylint: disable=wrong-import-position
    unittest.main(argv=sys.argv[:1])
