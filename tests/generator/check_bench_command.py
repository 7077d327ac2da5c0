# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `tilewright bench` and `tune` do that depends on the CPU: check_bench_command.py <tilewright> <clang>"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

tool = clang = None

# What is hand-written here is by no measurement of this CPU another body.
os.environ["TILEWRIGHT_TUNING"] = "none"

GENERIC = "tw_mmt4d_tile_f32f32f32_4x8x1_generic"
NAME = "tw_mmt4d_tile_f32f32f32_8x8x1_"


def run(*arguments, **options):
    return subprocess.run([tool, *arguments], capture_output=True, text=True, timeout=120, check=False, **options)


def output(*arguments, **options):
    result = run(*arguments, **options)
    if result.returncode != 0:
        raise AssertionError(f"{arguments}: {result.returncode}\n{result.stderr}")
    return result.stdout


def bench(*arguments, **options):
    return json.loads(output("bench", "--json", "--rounds=3", *arguments, **options))


class BenchCommand(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.isas = bench(GENERIC)["isas"]
        cls.rows = [row for row in json.loads(output("list", "--json")) if row["isa"] in cls.isas]

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tilewright-bench-")
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def row(self):
        rows = [row for row in self.rows if row["types"] == "f32f32f32" and not row["N0_scalable"]]
        if not rows:
            self.skipTest("this CPU runs no hand-written tile")
        return rows[0]

    def refused(self, *arguments, because, **options):
        result = run("bench", *arguments, **options)
        self.assertEqual(result.returncode, 1, result.stderr)
        for text in because:
            self.assertIn(text, result.stderr)
        self.assertEqual(result.stdout, "")

    def test_both_bodies_of_a_row(self):
        row = self.row()
        by_hand = bench(row["name"])["tiles"][0]
        self.assertEqual((by_hand["name"], by_hand["origin"]), (row["name"], "hand-written"))
        self.assertIn(row["family"], by_hand["body"])
        self.assertIn("a hand-written tile has this name", by_hand["reason"])
        generated = bench("--prefer=generated", row["name"])["tiles"][0]
        self.assertEqual(generated["origin"], "generated")
        self.assertIn("--prefer=generated", generated["reason"])
        for tile in by_hand, generated:
            self.assertGreater(tile["made_ms"], 0)
            self.assertAlmostEqual(tile["gops"], tile["operations"] / tile["least_ns"], delta=1e-6 * tile["gops"])
            self.assertAlmostEqual(tile["times_plain"], tile["plain_ns"] / tile["least_ns"],
                                   delta=1e-6 * tile["times_plain"])
            operations = 2 * row["M0"] * row["N0"] * row["K0"] * tile["K"]
            self.assertEqual(tile["operations"], operations)

    def test_the_peak_is_the_cpus_and_the_fastest(self):
        if "x86_64_avx2_fma" not in self.isas:
            self.skipTest("needs AVX2")
        generic, wide = bench(GENERIC, NAME + "x86_64_avx2_fma")["tiles"]
        # Both against the same, whatever they are made of; and that is no less than the generic tile's own. On Zen 4
        # an FMA of 512 bits is as quick as two of 256, and which is the fastest is a matter of luck.
        if generic["peak"]["sequence"] != wide["peak"]["sequence"]:
            self.assertAlmostEqual(generic["peak"]["gops"], wide["peak"]["gops"], delta=0.05 * wide["peak"]["gops"])
        self.assertEqual(generic["isa_peak"]["sequence"], "mulps xmm")
        self.assertGreater(generic["peak"]["gops"], generic["isa_peak"]["gops"])
        for tile in generic, wide:
            self.assertAlmostEqual(tile["peak"]["share_percent"], 100 * tile["gops"] / tile["peak"]["gops"], delta=0.01)
        table = output("bench", "--rounds=3", GENERIC)
        self.assertRegex(table, r"peak: vfmadd231ps (ymm|zmm) of x86_64_avx")
        self.assertIn("of generic's own, mulps xmm", table)

    def test_what_this_cpu_cannot_run(self):
        foreign = NAME + ("arm_64_base" if any(isa.startswith("x86") for isa in self.isas) else "x86_64_avx2_fma")
        self.refused(foreign, GENERIC, because=[foreign + ": is for another architecture", "runs ", "explain"])
        family = "x86_64_" if foreign.endswith("arm_64_base") else "arm_64_"
        lacking = [isa["name"] for isa in json.loads(output("list", "isas", "--json"))
                   if isa["name"].startswith(family) and isa["name"] not in self.isas
                   and "amx" not in isa["name"]]  # which a tile that wants it asks for
        for isa in lacking[:1]:
            self.refused(NAME + isa, because=[f"{NAME}{isa}: this CPU lacks ", "; it runs "])

    def library(self, isa, name, body):
        """A folder with a bitcode library in which the tile `name` does what `body` says."""
        (self.dir / "tile.c").write_text(
            f"void {name}(float *out, const float *lhs, const float *rhs, const void *params) {{ {body} }}\n")
        triple = subprocess.run([clang, "-print-target-triple"], capture_output=True, text=True, check=True).stdout
        subprocess.run([clang, "-O1", "-c", "-emit-llvm", f"--target={triple.strip()}", "tile.c", "-o",
                        f"tilewright_ukernels_{isa}.bc"], cwd=self.dir, check=True)
        return f"--bitcode-dir={self.dir}"

    def test_a_wrong_tile_is_an_error_and_no_number(self):
        row = self.row()
        self.refused(row["name"], self.library(row["isa"], row["name"], "out[0] = 0.5f;"),
                     "--json=" + str(self.dir / "x.json"),
                     because=[row["name"] + ": wrong result: out[0][0] is 0.5"])
        self.assertFalse((self.dir / "x.json").exists())

    def test_a_tile_that_crashes_is_named(self):
        row = self.row()
        self.refused(row["name"], self.library(row["isa"], row["name"], "*(volatile float *)8 = 0;"),
                     because=[f"tilewright: error: '{row['name']}': running it ended with signal 11"])

    def tune(self, *arguments):
        """Too short to find any difference: what is found does not depend on how quick anything is."""
        return run("tune", "--budget=0.000001", "--candidates=2", *arguments)

    def test_tuning_of_a_row_holds_for_its_code(self):
        row = self.row()
        database = self.dir / "tuning.json"
        result = self.tune(f"--rows=^{row['name']}$", f"--output={database}")
        self.assertEqual(result.returncode, 0, result.stderr)
        [entry] = json.loads(database.read_text())["entries"]
        self.assertEqual((entry["name"], entry["body"], entry["ratio"]), (row["name"], "hand-written", 1))
        followed = bench(row["name"], f"--tuning={database}")["tiles"][0]
        self.assertIn(f"tuned on {entry['core']}: no other body is quicker for sure", followed["reason"])
        explained = json.loads(output("explain", "--json", f"--tuning={database}", row["name"]))[0]
        self.assertEqual(explained["reason"], followed["reason"])
        # Another body of that name.
        library = self.library(row["isa"], row["name"], "out[0] = 0.5f;")
        explained = json.loads(output("explain", "--json", f"--tuning={database}", library, row["name"]))[0]
        self.assertIn("tuning is not followed: the hand-written body has changed", explained["reason"])

    def test_rows_are_those_that_this_cpu_runs(self):
        row = self.row()
        result = self.tune(f"--rows={row['types']}_.*{row['M0']}x{row['N0']}x{row['K0']}_", "--candidates=1", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        tuned = json.loads(result.stdout)["tiles"]
        self.assertIn(row["name"], [tile["name"] for tile in tuned])
        for tile in tuned:
            self.assertIn(tile["name"], [known["name"] for known in self.rows])
            self.assertEqual((tile["default"]["body"], tile["chosen"]["body"]), ("hand-written", "hand-written"))

    def test_tuning_beside_a_wrong_tile_is_an_error(self):
        row = self.row()
        database = self.dir / "tuning.json"
        result = self.tune(row["name"], self.library(row["isa"], row["name"], "out[0] = 0.5f;"), f"--output={database}")
        self.assertEqual(result.returncode, 1)
        self.assertIn(row["name"] + ": wrong result: out[0][0] is 0.5", result.stderr)
        self.assertFalse(database.exists())

    def test_a_busy_machine_is_said(self):
        if not hasattr(os, "sched_setaffinity"):
            self.skipTest("needs Linux")
        core = {min(os.sched_getaffinity(0))}

        def one_core():
            os.sched_setaffinity(0, core)
        others = [subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=one_core) for _ in range(2)]
        try:
            result = run("bench", GENERIC, "--json", "--rounds=500", preexec_fn=one_core)
        finally:
            for other in others:
                other.kill()
                other.wait()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("tilewright: warning: the machine was busy: ", result.stderr)
        machine = json.loads(result.stdout)["machine"]
        self.assertGreater(machine["waiting_percent"], 10)
        self.assertTrue(any("waited for a core" in why for why in machine["busy"]), machine)


if __name__ == "__main__":
    tool, clang = (os.path.abspath(program) for program in sys.argv[1:3])
    del sys.argv[1:3]
    unittest.main()
