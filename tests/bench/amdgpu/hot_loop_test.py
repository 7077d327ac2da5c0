# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of bench/amdgpu/hot_loop.py: figures of loops written down here."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "bench/amdgpu"))
import hot_loop  # noqa: E402


def machine(issue, **cycles):
    return {"issue": issue, "matrix_instructions": [
        {"mnemonic": mnemonic, "cycles": each} for mnemonic, found in cycles.items() for each in found]}


GFX942 = machine(4, v_mfma_f32_32x32x8_f16=[32])
GFX950 = machine(4, v_mfma_f32_32x32x64_f8f6f4=[64, 32])
GFX1201 = machine(1, v_wmma_f32_16x16x16_f16=[16])

MFMA = "v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[0:15]"  # 32 cycles on gfx942
LOAD = "buffer_load_dwordx4 v[20:23], v1, s[0:3], s4 offen"


class HotLoop(unittest.TestCase):
    def test_good_loop(self):
        loop = [LOAD, LOAD, "s_waitcnt lgkmcnt(0)", MFMA, MFMA, "s_barrier", "s_waitcnt vmcnt(0)", "ds_write_b128 v0, v[20:23]"]
        f = hot_loop.figures(loop, GFX942)
        self.assertEqual((f["matrix"], f["matrix_cycles"]), (2, 64))
        # Two loads and a write are issued; waits and barriers are not.
        self.assertEqual(f["issue_cycles"], 64 + 3 * 4)
        self.assertEqual(f["load_waits_between_matrix"], 0)
        self.assertEqual(f["matrix_before_first_load_wait"], 2)
        self.assertEqual(f["prefetch_distance"], 64)

    def test_wait_between(self):
        loop = [LOAD, MFMA, "s_waitcnt vmcnt(0)", MFMA]
        f = hot_loop.figures(loop, GFX942)
        self.assertEqual(f["load_waits_between_matrix"], 1)
        self.assertEqual(f["matrix_before_first_load_wait"], 1)
        self.assertEqual(f["prefetch_distance"], 32)

    def test_two_iterations_ahead(self):
        # Waits until one iteration's load is left: the distance spans two laps.
        loop = ["s_waitcnt vmcnt(1)", LOAD + " lds", MFMA, MFMA]
        self.assertEqual(hot_loop.figures(loop, GFX942)["prefetch_distance"], 128)

    def test_split_counters(self):
        loop = ["buffer_load_b128 v[0:3], v4, s[0:3], null offen", "v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[12:15], v[0:7]",
                "s_wait_loadcnt 0x0"]
        f = hot_loop.figures(loop, GFX1201)
        self.assertEqual((f["matrix"], f["waits"], f["prefetch_distance"]), (1, 1, 16))
        self.assertEqual(f["issue_cycles"], 16 + 1)
        self.assertEqual(hot_loop.pending_loads("s_wait_loadcnt_dscnt 0x302"), 3)
        self.assertIsNone(hot_loop.pending_loads("s_waitcnt lgkmcnt(0)"))

    def test_formats(self):
        cycles = hot_loop.MatrixCycles(GFX950)
        wide = cycles("v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[24:31], v[0:15]")
        narrow = cycles("v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:19], v[24:27], v[0:15] cbsz:4 blgp:4")
        self.assertEqual((wide, narrow), (64, 32))

    def test_unknown_instruction(self):
        with self.assertRaises(KeyError):
            hot_loop.MatrixCycles(GFX942)("v_mfma_f32_32x32x16_f16 v[0:15], v[16:19], v[24:27], v[0:15]")


if __name__ == "__main__":
    unittest.main()
