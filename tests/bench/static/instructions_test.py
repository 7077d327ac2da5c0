# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of instructions.def against LLVM's assembler, and the peak loops that are made of them:
instructions_test.py BENCH_STATIC LLVM_BIN TOOL [LIBRARY]

LIBRARY is the one with the loops, on x86-64.
"""

import collections
import pathlib
import re
import subprocess
import sys
import unittest

TRIPLES = {"arm_64": "aarch64", "riscv_64": "riscv64"}
# Accumulators of a peak loop by form and whether another instruction adds the products.
ACCUMULATORS = {("ZMM", False): range(8, 32), ("ZMM", True): range(8, 32), ("YMM", False): range(4, 16),
                ("YMM", True): range(8, 16), ("XMM", True): range(8, 16), ("TMM", False): range(6)}


def spelled(row, accumulator=4):
    """The lines of a step as an assembler that knows all instructions takes them."""
    if not row["assembly"][-1].startswith(".byte"):
        lines = row["assembly"]
    else:
        word, register = row["mnemonic"].split()
        lines = [f"{word} %{register}0, %{register}1, %{register}\\r"]
    return [line.replace("\\t", "2").replace("\\r", str(accumulator)) for line in lines]


def assembled(triple, features, lines):
    out = subprocess.run([LLVM_BIN / "llvm-mc", f"-triple={triple}", f"-mattr={features}", "-filetype=null"],
                         input="\n".join(lines), capture_output=True, text=True, check=False)
    return out.returncode == 0


class InstructionsTest(unittest.TestCase):

    def test_every_step_is_of_its_instruction_set(self):
        isas = {row["name"]: row for row in known.rows("isas")}
        for row in known.rows("instructions"):
            isa = isas[row["isa"]]
            triple = TRIPLES.get(isa["arch"], "x86_64")
            with self.subTest(row["name"]):
                self.assertTrue(assembled(triple, isa["features"], spelled(row)), spelled(row))
                # LLVM checks that of arm_64 only.
                for level in isas.values() if isa["arch"] == "arm_64" else ():
                    if level["arch"] == "arm_64" and known.isa_features[level["name"]] < known.isa_features[row["isa"]]:
                        self.assertFalse(assembled(triple, level["features"], spelled(row)), level["name"])

    def test_steps_begin_with_what_people_are_told(self):
        for row in known.rows("instructions"):
            words = re.findall(r"\w[\w.]*", " ".join(spelled(row)))
            self.assertIn(row["mnemonic"].split()[0], words, row["name"])

    def test_products_are_those_of_the_instruction(self):
        """`k` by what bench/static/instructions.py, which reads disassembly, knows of it."""
        for row in known.rows("instructions"):
            if row["form"] not in ("NEON", "SVE", "SME") or len(row["assembly"]) > 1:
                continue
            found = instructions.Instruction(0, *row["assembly"][0].split(" ", 1))
            element = re.match(r"(?:v|z|za)\d+\.\d*([hsd])", found.operands[0]).group(1)
            lanes = 128 // instructions.ELEMENT_BITS[element]
            accumulators = lanes * lanes if row["shape"] == "OUTER" else lanes
            self.assertEqual(instructions.products(found, 128), row["k"] * accumulators, row["name"])

    def test_peak_loops_hold_their_instruction(self):
        if not LIBRARY:
            self.skipTest("peaks exist for x86-64 only")
        text = sources.run([LLVM_BIN / "llvm-objdump", "-d", "--no-show-raw-insn", LIBRARY])
        loops = dict(re.findall(r"<tw_bench_peak_(\w+)>:\n(.*?)(?:\n\n|\Z)", text, re.S))
        rows = {row["name"]: row for row in known.rows("instructions") if row["form"] in ("XMM", "YMM", "ZMM", "TMM")}
        self.assertEqual(set(loops), set(rows))
        for name, row in rows.items():
            adds = len(row["assembly"]) > 1
            body = re.sub(r"mm[2-7]\b", "mm2", loops[name]) if adds else loops[name]  # any temporary register
            lines = collections.Counter(re.sub(r"\s+", " ", re.split("[:#]", line)[1].replace("{vex}", "")).strip()
                                        for line in body.splitlines())
            accumulators = ACCUMULATORS[row["form"], adds]
            with self.subTest(name):
                for accumulator in accumulators:
                    last = spelled(row, accumulator)[-1].removeprefix("{vex} ")
                    self.assertEqual(lines[last], 48 // len(accumulators), last)
                product = [line for line in lines.elements()
                           if line.split()[0] == row["mnemonic"].split()[0]]
                self.assertEqual(len(product), 48)


if __name__ == "__main__":
    BENCH_STATIC, LLVM_BIN, TOOL = (pathlib.Path(path) for path in sys.argv[1:4])
    LIBRARY = sys.argv[4] if len(sys.argv) > 4 else None
    sys.path.insert(0, str(BENCH_STATIC))
    import instructions
    import sources
    import tables
    known = tables.Tables(TOOL)
    unittest.main(argv=sys.argv[:1])
