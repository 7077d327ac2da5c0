# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""That check_bounds.py passes what holds, and reports each kind of miss."""

import copy
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

script = None


def row(name, ratio=1.0, hand=99.0, generated=99.0):
    return {"name": "tw_mmt4d_tile_" + name, "hand_ns": 100.0, "generated_ns": 100.0 * ratio,
            "ratio": ratio, "peak": "p", "hand_peak_percent": hand,
            "generated_peak_percent": generated}


def good_results():
    rows = [row("f32f32f32_12x32x1_x86_64_avx512_base"),
            dict(row("f32f32f32_1x16x1_x86_64_avx512_base", hand=50.0, generated=50.0),
                 hand_bound_percent=91.0, generated_bound_percent=92.0),
            row("f32f32f32_6x16x1_x86_64_avx2_fma"),
            row("f64f64f64_12x16x1_x86_64_avx512_base"),
            row("bf16bf16f32_12x32x2_x86_64_avx512_bf16"),
            row("bf16bf16bf16_12x32x2_steprnd_x86_64_avx512_bf16", hand=20.0, generated=20.0),
            row("s16s16s32_12x32x2_x86_64_avx512_vnni"),
            row("s8s8s32_12x32x4_x86_64_avx512_vnni"),
            row("s8s8s32_16x16x4_x86_64_avx512_vnni", hand=86.0, generated=86.0),
            row("f16f16f32_12x32x1_x86_64_avx512_base"),
            {"name": "tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx512_fp16", "wrong": False,
             "note": "this CPU lacks x86_64_avx512_fp16"}]
    return {
        "compare": {"rows": rows, "median_ratio": 1.0, "worst_ratio": 1.05},
        "reference": {"benchmarks": [
            {"name": "t/hand/hot/iterations:60", "best_ns": 25.0},
            {"name": "t/generated/hot/iterations:60", "best_ns": 25.0},
            {"name": "t/single-accumulator/hot/iterations:60", "best_ns": 100.0}]},
        "compile_time": {
            "one_thread": [{"keys": 500, "ms_median": 3.0, "ms_p99": 15.0}],
            "memory": {"keys_before": 500, "peak_rss_mib_before": 200.0, "keys_after": 2000,
                       "peak_rss_mib_after": 202.0},
            "failed": 0,
            "cached": {"keys": 500, "ms_each": 0.1}},
        "link": {"modules": 100, "calls": 1000, "names": 50, "links": [
            {"emit": "archive", "cold_seconds": 0.4, "cached_seconds": 0.1, "definitions": 50,
             "each_once": True}]},
    }


class CheckBounds(unittest.TestCase):

    def setUp(self):
        spec = importlib.util.spec_from_file_location("check_bounds", script)
        self.module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)

    def missed(self, results):
        return [line.what for line in self.module.all_lines(results) if line.ok is False]

    def assert_one_miss(self, change, containing):
        results = copy.deepcopy(good_results())
        change(results)
        missed = self.missed(results)
        self.assertEqual(len(missed), 1, missed)
        self.assertIn(containing, missed[0])

    def test_what_holds_passes(self):
        self.assertEqual(self.missed(good_results()), [])

    def test_every_kind_of_miss_is_one_line(self):
        def compare(index, **fields):
            return lambda r: r["compare"]["rows"][index].update(fields)
        self.assert_one_miss(compare(0, hand_peak_percent=96.9), "f32f32f32 x86_64_avx512_base")
        self.assert_one_miss(compare(0, generated_peak_percent=96.9), "generated")
        self.assert_one_miss(compare(1, hand_bound_percent=89.0), "M0 = 1, of issue and loads, hand-written")
        self.assert_one_miss(compare(1, generated_bound_percent=89.0), "M0 = 1, of issue and loads, generated")
        self.assert_one_miss(compare(2, hand_peak_percent=90), "x86_64_avx2_fma")
        self.assert_one_miss(compare(4, hand_peak_percent=90), "bf16bf16f32")
        self.assert_one_miss(compare(7, hand_peak_percent=90), "12x32x4")
        self.assert_one_miss(compare(8, hand_peak_percent=84), "16x16x4")
        self.assert_one_miss(compare(9, hand_peak_percent=90), "f16f16f32")
        self.assert_one_miss(compare(10, wrong=True), "wrong result")
        self.assert_one_miss(lambda r: r["compare"].update(median_ratio=1.04), "median")
        self.assert_one_miss(lambda r: r["compare"].update(worst_ratio=1.2), "worst")
        self.assert_one_miss(lambda r: r["reference"]["benchmarks"][0].update(best_ns=30.0),
                             "hand-written")
        one = "one_thread"
        self.assert_one_miss(lambda r: r["compile_time"][one][0].update(ms_median=5.1), "median")
        self.assert_one_miss(lambda r: r["compile_time"][one][0].update(ms_p99=20.1), "p99")
        self.assert_one_miss(lambda r: r["compile_time"]["cached"].update(ms_each=0.3), "cached")
        self.assert_one_miss(lambda r: r["compile_time"]["memory"].update(peak_rss_mib_after=300.0),
                             "memory")
        self.assert_one_miss(lambda r: r["compile_time"].update(failed=1), "could not")
        self.assert_one_miss(lambda r: r["link"]["links"][0].update(cold_seconds=1.1), "link")
        self.assert_one_miss(lambda r: r["link"]["links"][0].update(each_once=False), "definitions")

    def test_a_benchmark_that_fails_is_a_miss(self):
        results = good_results()
        results["link"], results["failed"] = None, ["link"]
        self.assertEqual(self.missed(results), ["benchmarks that failed"])

    def test_what_this_cpu_cannot_run_is_said_and_is_no_miss(self):
        results = good_results()
        results["compare"]["rows"] = [row("f32f32f32_6x16x1_x86_64_avx2_fma")]
        results["reference"] = {"benchmarks": []}
        self.assertEqual(self.missed(results), [])
        unmeasured = [line for line in self.module.all_lines(results) if line.ok is None]
        self.assertGreater(len(unmeasured), 5)
        for line in unmeasured:
            self.assertTrue(line.note, line.what)

    def test_exit_status(self):
        results = good_results()
        for slow, status in ((False, 0), (True, 1)):
            results["compare"]["worst_ratio"] = 2.0 if slow else 1.0
            with tempfile.TemporaryDirectory() as directory:
                path = os.path.join(directory, "results.json")
                with open(path, "w", encoding="utf-8") as file:
                    json.dump({"results": results}, file)
                done = subprocess.run([sys.executable, script, "--from", path], text=True,
                                      stdout=subprocess.PIPE)
                self.assertEqual(done.returncode, status, done.stdout)
                self.assertEqual("MISSED" in done.stdout, slow)


if __name__ == "__main__":
    script = sys.argv.pop(1)
    unittest.main()
