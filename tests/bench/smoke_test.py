# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs each benchmark on one tiny case and checks what it prints and refuses."""

import argparse
import json
import os
import stat
import subprocess
import sys
import tempfile
import unittest

SHORT = ["--slices=2", "--slice-us=20"]
options = None


def run(program, *arguments):
    return subprocess.run([os.path.join(options.bin, program), *arguments],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=200)


class Smoke(unittest.TestCase):

    def output(self, program, *arguments):
        result = run(program, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
        return result.stdout

    def json(self, program, *arguments):
        return json.loads(self.output(program, "--json", *arguments))

    def refused(self, program, *arguments, because):
        result = run(program, *arguments)
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        for part in because:
            self.assertIn(part, result.stderr)

    def first_runnable_row(self):
        """A hand-written tile that this CPU can run, or a skip that says why."""
        rows = self.output("tile_bench", "--list").split()
        if not rows:
            self.skipTest("there are no hand-written tiles for this architecture")
        context = self.json("peak_bench", "--benchmark_filter=xmm")["context"]
        isas = context["tilewright_isas"].split()
        for row in rows:
            if any(row.endswith("_" + isa) for isa in isas):
                return row
        self.skipTest("this CPU can run none of the hand-written tiles")

    def check_tile_case(self, case):
        self.assertNotIn("error_occurred", case)
        self.assertGreater(case["Gop/s"], 0)
        self.assertGreater(case["%peak"], 0)
        self.assertGreater(case["best_ns"], 0)

    def test_every_program_explains_itself(self):
        programs = ["peak_bench", "tile_bench", "pack_bench", "thin_bench", "matmul_bench", "mmt4d_bench", "compare_rows"]
        if options.generator:
            programs += ["compile_time_bench", "link_bench"]
        for program in programs:
            help_text = self.output(program, "--help")
            self.assertIn("usage: " + program, help_text)
            self.assertIn("--json", help_text)

    def test_unknown_options_are_refused(self):
        self.refused("tile_bench", "--tile=x", because=["--tile'", "--tiles"])
        self.refused("tile_bench", "--cache=warm", because=["hot, cold, both", "'warm'"])
        self.refused("tile_bench", "--k=0", because=["--k", "at least 1"])
        self.refused("pack_bench", "extra", because=["'extra'"])
        self.refused("mmt4d_bench", "--types=f32f32", because=["f32f32", "s8s8s32"])

    def test_absurd_sizes_are_refused(self):
        """By a sentence that says what would be accepted, before any memory is asked for."""
        name = "tw_mmt4d_tile_f32f32f32_8x8x1_generic"
        counts = ["-1", "", "x", "1e3", " 5", "0x10", "9223372036854775808", "99999999999999999999"]
        for program, option, least, more in (
                ("tile_bench", "--k", 1, [str(2**30 + 1)]), ("tile_bench", "--slices", 1, ["1000001"]),
                ("compare_rows", "--k", 1, []), ("compare_rows", "--slices", 1, []),
                ("compare_rows", "--retries", 0, []), ("pack_bench", "--sizes", 1, ["4,-4"]),
                ("pack_bench", "--slices", 1, []), ("mmt4d_bench", "--sizes", 1, ["64,0"]),
                ("mmt4d_bench", "--repetitions", 1, [])):
            for value in counts + (["0"] if least else []) + more:
                self.refused(program, f"{option}={value}", because=[f"{option} needs"])
        for program, option in (("tile_bench", "--slice-us"), ("compare_rows", "--slice-us"),
                                ("compare_rows", "--median"), ("compare_rows", "--worst")):
            for value in "0", "-1", "nan", "inf", "1e400", "1e7", "2x", "":
                self.refused(program, f"{option}={value}", because=[option, "positive number", "1e+06"])
        if options.generator:
            self.refused("tile_bench", f"--k={2**30}", name, because=[name, "--k=", "GiB", "at most"])
        self.refused("thin_bench", "--rows=5", because=["--rows", "4"])
        self.refused("thin_bench", "--sizes=1000000", because=["--sizes=1000000", "GiB", "at most"])
        self.refused("pack_bench", "--sizes=8,1000000", because=["--sizes=1000000", "GiB", "at most"])
        self.refused("matmul_bench", "--types=s8s4s32", because=["whole bytes", "s8s4s32"])
        self.refused("matmul_bench", "--sizes=1073741824", because=["--sizes=1073741824", "GiB", "at most"])
        self.refused("mmt4d_bench", "--sizes=1073741824", because=["--sizes=1073741824", "GiB", "at most"])

    def test_outputs_that_fail(self):
        """No result is lost without a word; what was there stays."""
        self.refused("peak_bench", "--benchmark_out=x.json", because=["--json=FILE"])
        quick = "--benchmark_filter=xmm"
        with open("/dev/full", "w", encoding="utf-8") as full:
            for arguments in ["--json"], []:
                result = subprocess.run([os.path.join(options.bin, "peak_bench"), quick, *arguments],
                                        stdout=full, stderr=subprocess.PIPE, text=True, timeout=200)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn("cannot write standard output", result.stderr)
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "result.json")
            if not options.generator:
                self.refused("peak_bench", quick, "--json=" + path, because=[path, "TW_BUILD_GENERATOR=OFF"])
                return
            self.refused("peak_bench", quick, "--json=" + directory, because=[directory, "Is a directory"])
            self.refused("peak_bench", quick, "--json=" + path + "/x", because=["No such file"])
            with open(path, "w", encoding="utf-8") as file:
                file.write("earlier")
            self.refused("peak_bench", "--benchmark_filter=none", "--json=" + path, because=["no benchmark"])
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), "earlier")
            self.output("peak_bench", quick, "--json=" + path)
            with open(path, encoding="utf-8") as file:
                self.assertIn("benchmarks", json.load(file))
            self.assertEqual(os.listdir(directory), ["result.json"])

    def test_a_full_device(self):
        self.needs_generator()
        with tempfile.TemporaryDirectory() as directory:
            full = "/dev/full"
            if os.geteuid() == 0:  # which a fault could delete
                full = os.path.join(directory, "full")
                try:
                    os.mknod(full, 0o666 | stat.S_IFCHR, os.makedev(1, 7))
                except PermissionError:
                    self.skipTest("root may make no devices here, and the system's are not risked")
            self.refused("peak_bench", "--benchmark_filter=xmm", "--json=" + full,
                         because=[full, "No space left on device"])
            self.assertTrue(stat.S_ISCHR(os.stat(full).st_mode))

    def test_bad_names_are_refused(self):
        self.refused("tile_bench", "tw_mmt4d_tile_f32f32f32_0x8x1_x86_64_avx2_fma",
                     because=["tw_mmt4d_tile_f32f32f32_0x8x1_x86_64_avx2_fma"])
        self.refused("tile_bench", "--tiles=something", because=["something"])
        self.refused("compare_rows", "something", because=["something"])

    def test_rows(self):
        row = self.first_runnable_row()
        cases = self.json("tile_bench", *SHORT, row)["benchmarks"]
        self.assertEqual([case["name"].split("/")[:3] for case in cases],
                         [[row, "hand", "hot"], [row, "hand", "cold"]])
        for case in cases:
            self.check_tile_case(case)

    def test_plot(self):
        self.needs_generator()
        row = self.first_runnable_row()
        plot = os.path.join(os.path.dirname(__file__), "..", "..", "bench", "plot_peaks.py")
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "tiles.json")
            for cache, status in (("hot", 0), ("cold", 2)):
                self.output("tile_bench", *SHORT, "--cache=" + cache, "--json=" + path, row)
                result = subprocess.run([sys.executable, plot, path], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
                self.assertEqual(result.returncode, status, result.stderr)
                self.assertEqual(result.stdout.startswith("<svg"), status == 0)

    def test_reference(self):
        context = self.json("peak_bench", "--benchmark_filter=xmm")["context"]
        if "x86_64_avx512_base" not in context["tilewright_isas"]:
            self.skipTest("the reference needs AVX-512")
        cases = self.json("tile_bench", *SHORT, "--reference", "--cache=hot",
                          "--benchmark_filter=single-accumulator")["benchmarks"]
        self.assertEqual(len(cases), 1)
        self.check_tile_case(cases[0])

    def test_no_hand_written_row_is_an_error(self):
        name = "tw_mmt4d_tile_f32f32f32_3x5x7_generic"
        self.refused("tile_bench", "--origin=hand", name, because=[name, "no hand-written tile"])
        if not options.generator:
            self.refused("tile_bench", name, because=[name, "TW_BUILD_GENERATOR=OFF"])
            self.refused("compare_rows", because=["TW_BUILD_GENERATOR=OFF"])

    def needs_generator(self):
        if not options.generator:
            self.skipTest("this build has no generator")

    def test_generated_beside_hand_written(self):
        self.needs_generator()
        row = self.first_runnable_row()
        cases = self.json("tile_bench", *SHORT, "--origin=both", "--cache=hot", row)["benchmarks"]
        self.assertEqual([case["name"].split("/")[1] for case in cases], ["hand", "generated"])
        for case in cases:
            self.check_tile_case(case)

    def test_a_name_without_a_row_is_generated(self):
        self.needs_generator()
        name = "tw_mmt4d_tile_f32f32f32_3x5x7_generic"
        cases = self.json("tile_bench", *SHORT, "--cache=cold", name)["benchmarks"]
        self.assertEqual(cases[0]["name"].split("/")[:3], [name, "generated", "cold"])
        self.check_tile_case(cases[0])

    def test_compare_rows(self):
        self.needs_generator()
        row = self.first_runnable_row()
        result = self.json("compare_rows", *SHORT, "--retries=0", row)
        self.assertEqual(len(result["rows"]), 1)
        self.assertEqual(result["rows"][0]["name"], row)
        self.assertGreater(result["rows"][0]["ratio"], 0)
        self.assertEqual(result["median_ratio"], result["worst_ratio"])
        # A bound no pair can hold: --check says so by the exit status.
        missed = run("compare_rows", *SHORT, "--retries=0", "--check", "--worst=0.001", row)
        self.assertEqual(missed.returncode, 1, missed.stderr)
        self.assertIn("MISSED", missed.stdout)

    def test_compile_time(self):
        self.needs_generator()
        for isa in [], ["--isa=arm_64"], ["--isa=arm_64_sve2"]:
            self.check_compile_time(self.json("compile_time_bench", "--counts=1,3", "--memory-keys=4", *isa))
        self.assertIn("called 'z80'", run("compile_time_bench", "--isa=z80").stderr)
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as names:
            names.write("\n".join(f"tw_mmt4d_tile_f32f32f32_{rows}x8x1_generic" for rows in (1, 2, 3)) + "\n")
            names.flush()
            listed = f"--names={names.name}"
            self.check_compile_time(self.json("compile_time_bench", "--counts=1,3", "--memory-keys=0", listed))
            names.write("tw_mmt4d_tile_f32f32f32_0x8x1_generic\n")
            names.flush()
            self.assertIn("line 4: 'tw_mmt4d_tile_f32f32f32_0x8x1_generic'",
                          run("compile_time_bench", listed).stderr)
        self.assertIn("/nowhere", run("compile_time_bench", "--names=/nowhere").stderr)
        self.assertIn("give one", run("compile_time_bench", "--names=/nowhere", "--isa=arm_64").stderr)

    def check_compile_time(self, result):
        self.assertEqual([each["keys"] for each in result["one_thread"]], [1, 3])
        self.assertGreater(result["one_thread"][1]["ms_by_step"]["codegen"], 0)
        self.assertEqual(result["failed"], 0)
        self.assertGreater(result["cached"]["ms_each"], 0)

    def test_link(self):
        self.needs_generator()
        few = "--modules=3", "--calls=9", "--names=2", "--seed=1", "--repetitions=1"
        for isa in "x86_64_avx512_vnni", "arm_64_dotprod":
            for link in self.json("link_bench", *few, f"--isa={isa}")["links"]:
                self.assertEqual(link["definitions"], 2, link)
                self.assertTrue(link["each_once"])
                self.assertGreater(link["cold_seconds"], 0)
        self.assertEqual(run("link_bench", *few, "--isa=z80").returncode, 2)

    def test_pack(self):
        for case in self.json("pack_bench", "--sizes=63", "--slices=1")["benchmarks"]:
            self.assertNotIn("error_occurred", case)
            self.assertGreater(case["%memcpy"], 0)

    def test_thin(self):
        cases = self.json("thin_bench", "--sizes=70", "--rotate-mib=1", "--slices=1")["benchmarks"]
        self.assertGreaterEqual(len(cases), 24)
        for case in cases:
            self.assertNotIn("error_occurred", case)
            self.assertGreater(case["%read"], 0)

    def test_matmul(self):
        cases = self.json("matmul_bench", "--sizes=65", "--types=s8s8s32", "--repetitions=1")["benchmarks"]
        self.assertEqual(len(cases), 2)
        for case in cases:
            self.assertNotIn("error_occurred", case)
            self.assertGreater(case["x_by_hand"], 0)
            self.assertGreater(case["x_mmt4d"], 0)

    def test_mmt4d(self):
        cases = self.json("mmt4d_bench", "--sizes=65", "--types=f32f32f32", "--packing",
                          "--repetitions=1")["benchmarks"]
        self.assertGreaterEqual(len(cases), 2)
        for case in cases:
            self.assertNotIn("error_occurred", case)
            self.assertGreater(case["Gop/s"], 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, help="where the benchmark programs are")
    parser.add_argument("--generator", action="store_true", help="this build has the generator")
    options, rest = parser.parse_known_args()
    unittest.main(argv=sys.argv[:1] + rest)
