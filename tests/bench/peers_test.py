# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""That peers_bench compares what it should, and peers.py sums it up.

  peers_test.py PEERS_BENCH PLAIN_BLAS PEERS_PY
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

program, library, script = None, None, None
SHORT = ["--turns=3", "--most-turns=3"]


def run(*arguments):
    return subprocess.run([program, *SHORT, *arguments], capture_output=True, text=True, timeout=200)


def row(types, way, size, ratio, low=None, high=None):
    return {"types": types, "M": size, "N": size, "K": size, "library": "tilewright", "way": way,
            "packed_ahead": "nothing", "gops": 1.0, "peak_percent": 50.0, "turns": 20,
            "others_ran": 0.0, "best_peer": "b", "speed_over_it": ratio, "low": low or ratio,
            "high": high or ratio}


class Peers(unittest.TestCase):

    def test_ways_stand_beside_each_other(self):
        result = run("--shapes=17x33x65", "--types=f32f32f32", f"--openblas={library}",
                     "--openblas-prefix=plain_", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = json.loads(result.stdout)["rows"]
        self.assertEqual([(each["library"], each["packed_ahead"]) for each in rows],
                         [("tilewright", "nothing"), ("tilewright", "rhs"), ("tilewright", "both"),
                          ("openblas", "nothing")])
        # What packs nothing ahead is no peer of what does.
        self.assertEqual([each.get("best_peer") for each in rows], ["openblas", None, None, None])
        self.assertLessEqual(rows[0]["low"], rows[0]["speed_over_it"])
        self.assertLessEqual(rows[0]["speed_over_it"], rows[0]["high"])
        self.assertGreater(rows[0]["gops"], 0)

    def test_all_types_and_odd_shapes(self):
        result = run("--shapes=1x1x1,3x5x7", "--types=f32f32f32,bf16bf16f32,s8s8s32,f64f64f64")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.count("tw_mmt4d"), 8)

    def test_a_peer_with_a_wrong_result_is_left_out(self):
        result = run("--shapes=8x8x8", "--types=f32f32f32", f"--openblas={library}",
                     "--openblas-prefix=wrong_", "--json")
        self.assertEqual(result.returncode, 0)
        self.assertIn("openblas's cblas_sgemm gives another result, and is not compared", result.stderr)
        rows = json.loads(result.stdout)["rows"]
        self.assertEqual({each["library"] for each in rows}, {"tilewright"})
        self.assertFalse(any("best_peer" in each for each in rows))

    def test_what_cannot_be_opened_is_named(self):
        for option, said in ((f"--openblas={library}", "no function cblas_sgemm"),
                             ("--mkl=/nowhere/mkl.so", "/nowhere/mkl.so"),
                             (f"--onednn={library}", "no function dnnl_version")):
            result = run("--shapes=8x8x8", "--types=f32f32f32", option)
            self.assertEqual(result.returncode, 1)
            self.assertIn(said, result.stderr)

    def test_refuses_what_it_does_not_know(self):
        for option, said in (("--shapes=8x8", "needs MxNxK"), ("--shapes=0x8x8", "needs MxNxK"),
                             ("--shapes=8x8x8x8", "needs MxNxK"), ("--types=s4s4s32", "whole bytes"),
                             ("--shapes=1048576x1048576x1048576", "1048576"), ("--nope", "--nope")):
            result = run(option)
            self.assertEqual(result.returncode, 2, option)
            self.assertIn(said, result.stderr)

    def test_the_summary_is_of_geometric_means(self):
        rows = [row("f32f32f32", "tw_matmul", 64, 0.5, 0.4, 0.6),
                row("f32f32f32", "tw_matmul", 128, 2.0),
                row("s8s8s32", "tw_mmt4d", 64, 1.1)]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rows.json"
            path.write_text(json.dumps({"rows": rows}))
            result = subprocess.run([sys.executable, script, "--from", path], capture_output=True,
                                    text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 2)
        self.assertIn("1.000 of the fastest peer over 2 shapes; worst 0.500 (64x64x64, b); 1 below",
                      lines[0])
        self.assertIn("1.100", lines[1])


if __name__ == "__main__":
    program, library, script = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1])
