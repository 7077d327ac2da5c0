#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runner finds what it should, and leaves everything as it was."""

import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

import draw
import lists
import run
import scratch
import suites


def mutant(**fields):
    return lists.Mutant(**{"name": "m", "file": "a.c", "old": "1", "new": "2", "tests": ["gtest t"]} | fields)


class Lists(unittest.TestCase):
    def faults(self, text, **fields):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a.c").write_text(text, encoding="utf-8")
            return lists.faults([mutant(**fields)], pathlib.Path(folder))

    def test_applies_once(self):
        self.assertEqual(self.faults("x = 1;"), [])
        self.assertIn("stands 0 times", self.faults("x = 3;")[0])
        self.assertIn("stands 2 times", self.faults("x = 1 + 1;")[0])

    def test_what_is_no_mutant(self):
        self.assertIn("are the same", self.faults("x = 1;", new="1")[0])
        self.assertIn("there is no b.c", self.faults("x = 1;", file="b.c")[0])
        self.assertIn("no suite", self.faults("x = 1;", tests=[])[0])
        self.assertIn("no product code", self.faults("x = 1;", file="tests/a.c")[0])

    def test_the_first_suite_that_names_the_file(self):
        table = [{"files": ["a/*.c"], "tests": ["x"]}, {"files": ["a/*"], "tests": ["y"]}]
        self.assertEqual(lists.tests_of("a/b.c", table), ["x"])
        self.assertEqual(lists.tests_of("a/b.h", table), ["y"])
        self.assertEqual(lists.tests_of("b/b.h", table), [])


class Drawing(unittest.TestCase):
    def places(self, text, kind):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.cpp"
            path.write_text(text, encoding="utf-8")
            return [match.group().strip() for _, match in draw.sites(path, kind)]

    def test_places(self):
        text = """#define A 1 < 2
// b < 3
int f(std::vector<int> &v, const char *s = "4 < 5") {
  assert(a < 6);
  v.push_back(7);
  int x = g(8,
            h(9));
  return !x && v[1'000] <= 0x1F;
}
"""
        self.assertEqual(self.places(text, "relation"), ["<="])
        self.assertEqual(self.places(text, "logic"), ["!", "&&"])
        self.assertEqual(self.places(text, "number"), ["7", "8", "9", "0x1F"])
        self.assertEqual(self.places(text, "statement"), ["v.push_back(7);"])
        self.assertEqual(self.places(text, "arithmetic"), [])

    def test_a_seed_is_a_sequence(self):
        few, many = (list(draw.draw("abi", count, 1)) for count in (2, 5))
        self.assertEqual(many[:2], few)
        for m in many:
            self.assertEqual(lists.faults([mutant(file=m.file, old=m.old, new=m.new)], draw.ROOT), [])


class Suites(unittest.TestCase):
    def test_filters(self):
        self.assertTrue(suites.gtest_matches("A*:B.x", "B.x"))
        self.assertTrue(suites.gtest_matches("-A*", "B.x"))
        self.assertFalse(suites.gtest_matches("A*:B.*-B.x", "B.x"))

    def test_a_process_ends_in_time(self):
        status, _ = suites.call(["sleep", "60"], 0.2)
        self.assertIsNone(status)
        self.assertEqual(suites.call(["sh", "-c", "echo a; exit 3"], 60), (3, "a\n"))


    def test_executables_are_of_this_build(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for build in (folder / "arm_64", folder / "tests/install/c-only", folder):
                (build / "tests").mkdir(parents=True, exist_ok=True)
                (build / "CMakeCache.txt").touch()
                (build / "tests/some_test").touch(mode=0o755)
            tests = suites.Tests(folder, 1)
            self.assertEqual(tests.executable("some_test"), folder / "tests/some_test")


class Scratch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "root"
        self.copy = pathlib.Path(folder.name) / "copy"
        self.root.mkdir()
        subprocess.run(["git", "init", "-q", str(self.root)], check=True)
        self.write("a.c", "x = 1;")
        (self.copy / "build/none").mkdir(parents=True)
        (self.copy / "build/none/build.ninja").touch()

    def write(self, name, text):
        (self.root / name).write_text(text, encoding="utf-8")

    def tree(self):
        return scratch.Tree(self.root, self.copy, "none")

    def text(self, folder):
        return (folder / "a.c").read_text(encoding="utf-8")

    def test_only_the_copy_is_mutated(self):
        tree = self.tree()
        with tree.mutated(mutant()):
            self.assertEqual((self.text(self.copy), self.text(self.root)), ("x = 2;", "x = 1;"))
        self.assertEqual(self.text(self.copy), "x = 1;")

    def test_nothing_stays_mutated(self):
        with self.assertRaises(KeyboardInterrupt):
            with self.tree().mutated(mutant()):
                raise KeyboardInterrupt()
        self.assertEqual(self.text(self.copy), "x = 1;")
        (self.copy / "a.c").write_text("x = 2;", encoding="utf-8")  # as SIGKILL leaves it
        self.write("b.c", "")
        (self.copy / "c.c").touch()
        self.tree()
        self.assertEqual(self.text(self.copy), "x = 1;")
        self.assertEqual(sorted(p.name for p in self.copy.glob("*.c")), ["a.c", "b.c"])


class Score(unittest.TestCase):
    def test_equivalent_ones_do_not_count(self):
        results = [{"name": "m", "file": "a.c", "verdict": v, "detail": ""}
                   for v in ["caught"] * 19 + ["survived"] + ["equivalent"] * 5]
        score, count = run.report(results, 0)
        self.assertEqual((score, count["equivalent"]), (0.95, 5))

    def test_samples_follow_the_seed(self):
        mutants = [mutant(name=str(i)) for i in range(50)]
        args = [types.SimpleNamespace(regex="", sample=5, seed=seed) for seed in (1, 1, 2)]
        names = [[m.name for m in run.select(mutants, a)] for a in args]
        self.assertEqual(len(names[0]), 5)
        self.assertEqual(names[0], names[1])
        self.assertNotEqual(names[0], names[2])


if __name__ == "__main__":
    unittest.main()
