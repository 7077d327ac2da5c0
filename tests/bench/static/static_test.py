# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""That bench/static finds hot loops, K steps and spills, and reports each kind of miss.

  static_test.py BENCH_STATIC_DIR LLVM_BIN_DIR TILEWRIGHT
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

source, llvm_bin, known = None, None, None

F32_8X8 = "tw_mmt4d_tile_f32f32f32_8x8x1_arm_64_base"


def fmla_8x8(lhs=0, rhs=2):
    return [f"fmla v{8 + 2 * row + half}.4s, v{rhs + half}.4s, v{lhs + row // 4}.s[{row % 4}]"
            for row in range(8) for half in range(2)]


def loop_8x8(steps=1, extra=()):
    """An unrolled K loop of f32 8x8x1 with offsets, one pointer update per panel."""
    lines = []
    for step in range(steps):
        lines += [f"ldp q0, q1, [x1, #{32 * step}]", f"ldp q2, q3, [x2, #{32 * step}]"]
        lines += fmla_8x8()
    return [".Ltop:"] + lines + list(extra) + [f"add x1, x1, #{32 * steps}",
                                             f"add x2, x2, #{32 * steps}",
                                             f"subs x8, x8, #{steps}", "b.ne .Ltop"]


POST_INDEXED = [".Ltop:", "ldp q0, q1, [x1], #0x20", "ldp q2, q3, [x2], #32", *fmla_8x8(),
                "subs x8, x8, #1", "b.ne .Ltop"]


def function(name, *parts):
    return "\n".join([f".globl {name}", f"{name}:", *(line for part in parts for line in part),
                      "ret", ""])


class Static(unittest.TestCase):

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.folder = pathlib.Path(self.directory.name)
        self.tools = sources.Tools(llvm_bin)

    def assemble(self, text):
        (self.folder / "t.s").write_text(text)
        subprocess.run([str(self.tools.llvm_mc), "-triple=aarch64-linux-gnu", "-mattr=+all",
                        "-filetype=obj", "-o", str(self.folder / "t.o"),
                        str(self.folder / "t.s")], check=True)
        return self.folder / "t.o"

    def functions(self, text):
        return sources.disassemble(self.tools, [self.assemble(text)])

    def body(self, name, *parts, bits=128):
        return analysis.Body(keys.Key(name, known), self.functions(function(name, *parts))[name], bits)

    def figures(self, name, *parts, cpu="neoverse-n2", bits=128):
        body = self.body(name, *parts, bits=bits)
        question = analysis.Question(body, known.isa_features[body.key.isa])
        return question.judge(mca.Mca(self.tools.llvm_mca, cpu))

    def data(self, cpu="neoverse-n2", **origins):
        """What the program collects, of {origin: parts of a function named F32_8X8}."""
        options = tile_static.parse(["--cpu", cpu, "--llvm-bin", str(llvm_bin)])
        functions = {o: self.functions(function(F32_8X8, *p)) for o, p in origins.items()}
        return {"tiles": tile_static.examine(options, functions, self.tools, known, {}), "cpus": {cpu: {}}}

    # Loops

    def test_the_unrolled_loop_is_hot_and_not_its_remainder(self):
        remainder = [line.replace(".Ltop", ".Lrest") for line in loop_8x8(1)]
        body = self.body(F32_8X8, loop_8x8(4), remainder)
        self.assertEqual((body.steps, body.part), (4, 1))
        self.assertEqual(body.counts()["multiply"], 16)
        self.assertEqual(body.counts()["load"], 2)
        self.assertEqual(body.counts()["total"], 19)

    def test_post_indexed_loads_tell_the_k_steps(self):
        self.assertEqual(self.body(F32_8X8, POST_INDEXED).steps, 1)

    def test_a_shared_index_tells_the_k_steps(self):
        lines = [".Ltop:", "ldr q0, [x1, x9]", "ldr q1, [x11, x9]", "ldr q2, [x2, x9]",
                 "ldr q3, [x12, x9]", *fmla_8x8(), "add x9, x9, #32", "cmp x9, x10", "b.ne .Ltop"]
        self.assertEqual(self.body(F32_8X8, lines).steps, 1)

    def test_a_scaled_index_tells_the_k_steps(self):
        lines = [".Ltop:", "ldr q0, [x1, x9, lsl #4]", "ldr q1, [x11, x9, lsl #4]",
                 "ldr q2, [x2, x9, lsl #4]", "ldr q3, [x12, x9, lsl #4]", *fmla_8x8(),
                 "add x9, x9, #2", "cmp x9, x10", "b.ne .Ltop"]
        found = strides.Strides(loops.hot_loop(self.functions(function(F32_8X8, lines))[F32_8X8]),
                                128)
        self.assertEqual(found.advances(), {32})

    def test_copied_and_scaled_addresses_tell_the_k_steps(self):
        lines = [".Ltop:", "mov x12, x1", "add x13, x2, x9, lsl #5", "add x9, x9, #1",
                 "ldr q0, [x1]", "add x1, x12, x11", "ldr q1, [x12, #16]", "ldp q2, q3, [x13]",
                 *fmla_8x8(), "cmp x9, x10", "b.ne .Ltop"]
        self.assertEqual(self.body(F32_8X8, ["mov x11, #32"], lines).steps, 1)

    def test_a_correction_does_not_count_as_products(self):
        # u8 by s8 with sdot: a second sdot per row pair corrects the offset; still one K step.
        name = "tw_mmt4d_tile_u8s8s32_4x4x4_arm_64_dotprod"
        dots = [f"sdot v{8 + row}.4s, v1.16b, v0.4b[{row}]" for row in range(4)]
        lines = [".Ltop:", "ldr q0, [x1], #16", "ldr q1, [x2], #16", *dots,
                 "sdot v16.4s, v1.16b, v2.16b", "subs x8, x8, #1", "b.ne .Ltop"]
        body = self.body(name, lines)
        self.assertEqual((body.steps, float(body.part)), (1, 1.25))
        self.assertEqual(body.counts()["multiply"], 5)

    def test_the_loop_may_stand_in_a_streaming_function_of_its_own(self):
        name = "tw_mmt4d_tile_f32f32f32_1vlx1vlx1_arm_64_sme"
        text = function(name, [f"bl {name}_streaming"]) + function(
            name + "_streaming", [".Ltop:", "ldr z0, [x1]", "ldr z1, [x2]",
                                  "fmopa za0.s, p0/m, p0/m, z0.s, z1.s", "addvl x1, x1, #1",
                                  "addvl x2, x2, #1", "subs x8, x8, #1", "b.ne .Ltop"])
        found = self.functions(text)
        self.assertEqual(list(found), [name])
        body = analysis.Body(keys.Key(name, known), found[name], 512)
        self.assertEqual((body.steps, body.counts()["multiply"]), (1, 1))

    def test_a_pass_over_half_the_rows_counts_for_half(self):
        name = "tw_mmt4d_tile_f32f32f32_16x8x1_arm_64_base"
        lines = [".Ltop:", "ldp q0, q1, [x1], #64", "ldp q2, q3, [x2], #32", *fmla_8x8(),
                 "subs x8, x8, #1", "b.ne .Ltop"]
        body = self.body(name, lines)
        self.assertEqual((body.steps, float(body.part)), (1, 0.5))
        self.assertEqual(body.counts()["multiply"], 32)

    def test_the_second_row_that_a_tile_has_not_counts_for_nothing(self):
        name = "tw_mmt4d_tile_s8s8s32_1x2vlx8_arm_64_sve_i8mm"
        lines = [".Ltop:", "ldr d0, [x1], #8",
                 *[f"ldr q{1 + i}, [x2, #{16 * i}]" for i in range(4)],
                 *[f"smmla v{8 + i}.4s, v0.16b, v{1 + i}.16b" for i in range(4)],
                 "{}", "subs x8, x8, #1", "b.ne .Ltop"]
        for bits, part in (128, 1), (256, 0.5):
            end = f"add x2, x2, #{bits // 2}"
            body = self.body(name, [line.format(end) for line in lines], bits=bits)
            self.assertEqual((body.steps, float(body.part)), (1, part), bits)

    def test_a_loop_that_does_not_tell_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "K steps"):
            self.body(F32_8X8, [".Ltop:", "ldp q0, q1, [x1], #48", *fmla_8x8()[:7], "b.ne .Ltop"])
        with self.assertRaisesRegex(ValueError, "no innermost loop"):
            self.body(F32_8X8, [".Ltop:", "ldr q0, [x1], #16", "b.ne .Ltop", *fmla_8x8()])

    def test_scalable_sizes_follow_the_vector_length(self):
        name = "tw_mmt4d_tile_f32f32f32_4x2vlx1_arm_64_sve"
        lines = [".Ltop:", "ld1rqw { z0.s }, p0/z, [x1]", "ld1w { z1.s }, p0/z, [x2]",
                 "ld1w { z2.s }, p0/z, [x2, #1, mul vl]",
                 *[f"fmla z{8 + 2 * row + half}.s, z{1 + half}.s, z0.s[{row}]"
                   for row in range(4) for half in range(2)],
                 "add x1, x1, #16", "addvl x2, x2, #2", "subs x8, x8, #1", "b.ne .Ltop"]
        for bits in (128, 256):
            body = self.body(name, lines, bits=bits)
            self.assertEqual((body.steps, body.part), (1, 1), bits)

    # Spills

    def test_fixed_places_of_the_frame_are_spills(self):
        for setup, access in (([], "ldr q31, [sp, #16]"), ([], "str q31, [sp]"),
                              (["mov x29, sp"], "ldr q31, [x29, #-32]"),
                              (["add x9, sp, #64"], "stp q30, q31, [x9]"),
                              (["addvl x9, sp, #1"], "ldr z31, [x9, #2, mul vl]")):
            body = self.body(F32_8X8, setup, loop_8x8(1, [access]))
            self.assertEqual(len(body.spilled), 1, access)

    def test_an_array_on_the_stack_is_no_spill(self):
        for setup, access in ((["add x9, sp, #64"], "ldr q31, [x9], #16"),
                              ([], "ldr q31, [sp, x8]"),
                              (["mov x29, x3"], "ldr q31, [x29, #32]")):
            self.assertEqual(self.body(F32_8X8, setup, loop_8x8(1, [access])).spilled, [], access)

    # Products

    def test_products(self):
        for text, bits, expected in (
                ("fmla v0.4s, v1.4s, v2.s[1]", 128, 4), ("fmla v0.2d, v1.2d, v2.d[1]", 128, 2),
                ("fmla v0.8h, v1.8h, v2.h[1]", 128, 8), ("fmlal2 v0.4s, v1.4h, v2.h[1]", 128, 4),
                ("smlal v0.4s, v1.4h, v2.h[1]", 128, 4), ("smull v0.8h, v1.8b, v2.8b", 128, 8),
                ("sdot v0.4s, v1.16b, v2.4b[1]", 128, 16), ("udot v0.2s, v1.8b, v2.8b", 128, 8),
                ("smmla v0.4s, v1.16b, v2.16b", 128, 32), ("bfdot v0.4s, v1.8h, v2.2h[1]", 128, 8),
                ("bfmmla v0.4s, v1.8h, v2.8h", 128, 16), ("bfmlalb v0.4s, v1.8h, v2.h[3]", 128, 4),
                ("fmadd s0, s1, s2, s0", 128, 1), ("fmla z0.s, z1.s, z2.s[1]", 256, 8),
                ("sdot z0.s, z1.b, z2.b[1]", 512, 64), ("smmla z0.s, z1.b, z2.b", 256, 64),
                ("sdot z0.d, z1.h, z2.h", 128, 8), ("bfmmla z0.s, z1.h, z2.h", 256, 32),
                ("fmopa za0.s, p0/m, p1/m, z0.s, z1.s", 512, 256),
                ("bfmopa za0.s, p0/m, p1/m, z0.h, z1.h", 128, 32),
                ("smopa za3.s, p0/m, p1/m, z0.b, z1.b", 128, 64),
                ("fmla za.s[w8, 0, vgx4], { z0.s - z3.s }, z4.s[1]", 128, 16)):
            mnemonic, operands = text.split(" ", 1)
            found = instructions.Instruction(0, mnemonic, operands)
            self.assertTrue(found.is_multiply, text)
            self.assertEqual(instructions.products(found, bits), expected, text)

    # Tables

    def test_lengths_of_vectors_are_those_of_the_tool(self):
        longer = {row["name"]: row["sve_bits"] for row in known.rows("cores") if row.get("sve_bits")}
        known_cores = {row["name"] for row in known.rows("cores")}
        self.assertEqual({cpu: bits for cpu, (_, bits, _) in cpus.CPUS.items()
                          if bits > 128 and cpu in known_cores},
                         {cpu: bits for cpu, bits in longer.items() if cpu in cpus.CPUS})

    def test_every_multiply_is_timed_or_has_no_model(self):
        # SME's: LLVM has no timing of it. AMX's: of no core of x86_ports.py.
        unknown = set(known.rated) - set(core_rates.timed(known)) - set(core_rates.x86_ports.INSTRUCTIONS)
        self.assertEqual({name for name in unknown if not name.endswith("_SME")}, {"TDPBSSD", "TDPBF16PS"})

    def test_riscv_cores_are_those_with_vectors_that_llvm_has_a_model_of(self):
        mca = [str(self.tools.llvm_mca), "-mtriple=riscv64"]
        listed = subprocess.run([*mca, "-mcpu=help"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        cpus_of_llvm = re.findall(r"^  (\S+) +- Select the", listed.stdout + listed.stderr, re.M)

        def has_model(cpu):
            text = "vsetivli zero, 4, e32, m1, ta, ma\nvfmacc.vf v8, fa0, v4\nvle32.v v4, (a0)\n"
            return subprocess.run([*mca, f"-mcpu={cpu}"], input=text, capture_output=True, text=True).returncode == 0
        self.assertEqual({cpu for cpu in cpus_of_llvm if has_model(cpu)}, set(riscv_static.CORES))

    # Timing

    def test_a_good_loop_reaches_the_bound(self):
        figures = self.figures(F32_8X8, loop_8x8(4))
        self.assertEqual(figures["bound_by"], "multiply")
        self.assertAlmostEqual(figures["multiply_bound"], 8, delta=0.05)
        self.assertGreaterEqual(figures["share"], 0.99)

    def test_a_chain_of_one_accumulator_does_not(self):
        name = "tw_mmt4d_tile_f32f32f32_1x4x1_arm_64_base"
        figures = self.figures(name, [".Ltop:", "ldr s0, [x1], #4", "ldr q1, [x2], #16",
                                      "fmla v8.4s, v1.4s, v0.s[0]", "subs x8, x8, #1", "b.ne .Ltop"])
        self.assertEqual(figures["bound_by"], "load")
        self.assertLess(figures["share"], 0.6)

    def test_what_bounds_a_tile(self):
        def loop(*lines):
            return [".Ltop:", *lines, "subs x8, x8, #1", "b.ne .Ltop"]
        # One rounding of the accumulator per step: as long as the instruction takes.
        rounding = "tw_mmt4d_tile_f16f16f16_1x8x1_steprnd_arm_64_fullfp16"
        figures = self.figures(rounding, loop("ldr h0, [x1], #2", "ldr q1, [x2], #16",
                                              "fmla v8.8h, v1.8h, v0.h[0]"))
        self.assertEqual((figures["bound_by"], figures["bound"]), ("chain", 4))
        # The same through f32: conversions belong to the chain, those of the operands do not.
        figures = self.figures("tw_mmt4d_tile_f16f16f16_1x4x1_steprnd_arm_64_base",
                               loop("ldr h0, [x1], #2", "ldr d1, [x2], #8",
                                    "fcvtl v0.4s, v0.4h", "fcvtl v1.4s, v1.4h",
                                    "fcvtl v9.4s, v8.4h", "fmla v9.4s, v1.4s, v0.s[0]",
                                    "fcvtn v8.4h, v9.4s"))
        self.assertEqual(figures["bound_by"], "chain")
        self.assertGreater(figures["bound"], 10)
        # No instruction of the level multiplies f16: conversions take the multiplies' units.
        convert = loop("ldr q0, [x1], #16", "ldr q2, [x2], #16", "fcvtl2 v1.4s, v0.8h",
                       "fcvtl v0.4s, v0.4h", "fcvtl2 v3.4s, v2.8h", "fcvtl v2.4s, v2.4h",
                       *fmla_8x8())
        figures = self.figures("tw_mmt4d_tile_f16f16f32_8x8x1_arm_64_base", convert)
        self.assertEqual(figures["bound_by"], "convert")
        self.assertGreater(figures["bound"], figures["multiply_bound"] + 3)
        # Each vector of the rhs serves once.
        dots = [f"sdot v{8 + i}.4s, v{1 + i}.16b, v0.4b[{i // 2}]" for i in range(8)]
        figures = self.figures("tw_mmt4d_tile_s8s8s32_1x8x4_arm_64_dotprod",
                               loop("ldr q0, [x1], #16", *[f"ldr q{1 + i}, [x2, #{16 * i}]"
                                                           for i in range(8)],
                                    "add x2, x2, #128", *dots), cpu="neoverse-n3")
        self.assertEqual(figures["bound_by"], "load")
        self.assertGreater(figures["multiply_bound"], figures["least"])

    def test_two_times_256_bits_on_neoverse_v1(self):
        name = "tw_mmt4d_tile_f32f32f32_8x2vlx1_arm_64_sve"
        lines = [".Ltop:", "ld1rqw { z0.s }, p0/z, [x1]", "ld1rqw { z3.s }, p0/z, [x1, #16]",
                 "ld1w { z1.s }, p0/z, [x2]", "ld1w { z2.s }, p0/z, [x2, #1, mul vl]",
                 *[f"fmla z{8 + 2 * row + half}.s, z{1 + half}.s, z{row // 4 * 3}.s[{row % 4}]"
                   for row in range(8) for half in range(2)],
                 "add x1, x1, #32", "addvl x2, x2, #2", "subs x8, x8, #1", "b.ne .Ltop"]
        figures = self.figures(name, lines, cpu="neoverse-v1", bits=256)
        self.assertAlmostEqual(figures["multiply_bound"], 8, delta=0.1)
        self.assertGreater(figures["products_per_cycle"], 15)

    def test_an_instruction_without_a_model_is_said(self):
        data = self.data(hand=[loop_8x8(1, ["fmopa za0.s, p0/m, p0/m, z0.s, z1.s"])])
        self.assertTrue(any("no model" in line for line in report.misses(data)))

    # The bounds

    def test_what_holds_is_no_miss(self):
        self.assertEqual(report.misses(self.data(hand=[loop_8x8(4)], generated=[loop_8x8(2)])), [])

    def test_each_miss_is_named(self):
        slow = loop_8x8(1, [f"and v{r}.16b, v{r}.16b, v{r}.16b" for r in range(4, 8)])
        for parts, expected in (({"hand": [loop_8x8(1, ["str q31, [sp]"])]}, "1 spills"),
                                ({"hand": [slow]}, "of the multiply bound"),
                                ({"hand": [loop_8x8(4)], "generated": [slow]},
                                 "of the hand-written cycles"),
                                ({"hand": [["mov x0, x0"]]}, "no innermost loop")):
            found = report.misses(self.data(**parts))
            self.assertTrue(any(expected in line and F32_8X8 in line for line in found),
                            (expected, found))

    def test_the_program(self):
        arguments = ["--build-dir", str(self.folder), "--llvm-bin", str(llvm_bin),
                     "--tilewright", str(known.tool), "--origin", "hand", "--hand", str(self.assemble(function(F32_8X8, POST_INDEXED))),
                     "--check", "--json", str(self.folder / "out.json")]
        document, (begin, end) = self.folder / "doc.md", report.markers("tables")
        document.write_text("\n".join(["before", begin, "old", end, "after", ""]))
        command = [sys.executable, str(source / "tile_static.py")]
        out = subprocess.run(command + arguments + ["--markdown", str(document)],
                             capture_output=True, text=True, check=False)
        self.assertEqual(out.returncode, 0, out.stdout + out.stderr)
        written = json.loads((self.folder / "out.json").read_text())
        self.assertIn("neoverse-n1", written["tiles"][F32_8X8]["hand"]["cpus"])
        text = document.read_text()
        self.assertIn("| f32f32f32 8x8x1 | multiply | 8 | 8 (100%) |", text)
        self.assertTrue(text.startswith("before\n") and text.endswith("\nafter\n"))
        self.assertNotIn("old", text)
        self.assemble(function(F32_8X8, loop_8x8(1, ["str q31, [sp]"])))
        out = subprocess.run(command + arguments, capture_output=True, text=True, check=False)
        self.assertEqual(out.returncode, 1, out.stdout)
        out = subprocess.run(command + arguments + ["--cpu", "cortex-a0"], capture_output=True,
                             text=True, check=False)
        self.assertEqual(out.returncode, 2)
        self.assertIn("unknown CPU 'cortex-a0'", out.stderr)


if __name__ == "__main__":
    source, llvm_bin, tool = (pathlib.Path(path) for path in sys.argv[1:4])
    sys.path.insert(0, str(source))
    import analysis
    import core_rates
    import cpus
    import instructions
    import keys
    import loops
    import mca
    import report
    import riscv_static
    import sources
    import strides
    import tables
    import tile_static
    known = tables.Tables(tool)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
