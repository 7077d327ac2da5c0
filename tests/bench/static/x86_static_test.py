# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""That bench/static reads x86-64 loops, counts their ports, and reports what misses.

  x86_static_test.py BENCH_STATIC_DIR LLVM_BIN_DIR TILEWRIGHT [LIBRARY]
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

source, llvm_bin, tool, library = None, None, None, None

F32 = "tw_mmt4d_tile_f32f32f32_8x32x1_x86_64_avx512_base"
S8 = "tw_mmt4d_tile_s8s8s32_12x32x4_x86_64_avx512_vnni"


def f32_loop(extra=()):
    lines = ["vmovups (%rsi), %zmm30", "vmovups 64(%rsi), %zmm31"]
    for row in range(8):
        lines.append(f"vpbroadcastd {4 * row}(%rdi), %zmm29")
        for n in range(2):
            lines.append(f"vfmadd231ps %zmm29, %zmm{30 + n}, %zmm{2 * row + n}")
    return [".Ltop:", *lines, *extra, "addq $32, %rdi", "addq $128, %rsi", "decq %rcx", "jne .Ltop"]


class X86Static(unittest.TestCase):

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.folder = pathlib.Path(self.directory.name)

    def assemble(self, name, lines):
        text = "\n".join([f".globl {name}", f"{name}:", *lines, "ret", ""])
        (self.folder / "t.s").write_text(text)
        subprocess.run([str(pathlib.Path(llvm_bin) / "llvm-mc"), "-triple=x86_64-linux-gnu",
                        "-filetype=obj", "-o", str(self.folder / "t.o"), str(self.folder / "t.s")],
                       check=True)
        return self.folder / "t.o"

    def shares(self, name, lines):
        made = self.assemble(name, lines)
        options = x86_static.argparse.Namespace(objects=[made], llvm_bin=llvm_bin, match="",
                                                core=None, build_dir=None,
                                                tilewright=tool)
        return x86_static.collect(options)[name]

    def test_a_loop_of_multiplies_is_at_the_bound(self):
        found = self.shares(F32, f32_loop())["cores"]
        self.assertEqual({core: each["share"] for core, each in found.items()},
                         dict.fromkeys(found, 1))
        self.assertEqual((found["znver4"]["cycles"], found["znver5"]["cycles"]), (16, 8))

    def test_loads_count(self):
        loop = f32_loop(["vmovups 64(%rdi), %zmm28"] * 8)
        self.assertEqual(self.shares(F32, loop)["cores"]["icelake-server"]["cycles"], 9)

    def test_prefetches_are_loads(self):
        loop = f32_loop(["prefetcht0 2048(%rsi)"] * 8)
        self.assertEqual(self.shares(F32, loop)["cores"]["icelake-server"]["cycles"], 9)

    def test_a_multiply_with_an_index_is_two_to_take_in(self):
        def loop(address):
            return [".Ltop:", "vmovups (%rsi), %zmm31", *[
                f"vfmadd231ps {4 * m}{address}{{1to16}}, %zmm31, %zmm{m}" for m in range(16)],
                "addq $64, %rax", "decq %rcx", "jne .Ltop"]
        name = "tw_mmt4d_tile_f32f32f32_16x16x1_x86_64_avx512_base"
        plain, indexed = (self.shares(name, loop(address))["cores"]
                          for address in ("(%rdi)", "(%rdi,%rax)"))
        self.assertEqual([each["skylake-avx512"]["cycles"] for each in (plain, indexed)], [8.5, 8.75])
        self.assertEqual(plain["znver5"], indexed["znver5"])

    def test_what_takes_the_ports_of_multiplies_counts(self):
        # Four of 20 operations on two ports; Zen 5 has two further ones for these.
        found = self.shares(F32, f32_loop(["vpandd %zmm0, %zmm1, %zmm2"] * 4))["cores"]
        self.assertEqual(found["sapphirerapids"]["cycles"], 10)
        self.assertEqual(found["sapphirerapids"]["share"], 0.8)
        self.assertEqual(found["znver5"]["share"], 1)

    def test_a_shuffle_is_on_one_port(self):
        found = self.shares(F32, f32_loop(["vshufps $0, %zmm0, %zmm1, %zmm2"] * 12))["cores"]
        self.assertEqual(found["icelake-server"]["cycles"], 14)

    def test_corrections_are_not_the_tiles_products(self):
        lines = [".Ltop:"] + [f"vpdpbusd %zmm30, %zmm31, %zmm{i}" for i in range(24)] + \
            ["vpdpbusd (%rdi), %zmm31, %zmm25", "decq %rcx", "jne .Ltop"]
        found = self.shares(S8, lines)["cores"]["emeraldrapids"]
        self.assertEqual((found["bound"], found["cycles"]), (12, 12.5))

    def test_corrections_of_a_row_are_no_steps(self):
        # As many products as a step has: eight steps of 1x16x4, not ten.
        lines = [".Ltop:", *[f"vmovdqu64 {64 * i}(%rsi), %zmm{20 + i}" for i in range(9)],
                 "vmovdqu64 (%rdi), %ymm29",
                 *[f"vpdpbusd %zmm28, %zmm{20 + i}, %zmm{i}" for i in range(8)],
                 *[f"vpdpbusd %zmm{20 + i}, %zmm31, %zmm{8 + i}" for i in range(2)],
                 "decq %rcx", "jne .Ltop"]
        name = "tw_mmt4d_tile_s8s8s32_1x16x4_x86_64_avx512_vnni"
        self.assertEqual(self.shares(name, lines)["cores"]["emeraldrapids"]["per_step"], 0.625)

    def test_half_a_correction_is_an_error(self):
        lines = [".Ltop:"] + [f"vpdpbusd %zmm30, %zmm31, %zmm{i % 24}" for i in range(20)] + \
            ["decq %rcx", "jne .Ltop"]
        self.assertIn("no steps of", self.shares(S8, lines)["error"])

    def test_a_quarter_of_a_step_is_a_part_of_k0(self):
        lines = [".Ltop:"] + [f"vpdpbusd %zmm30, %zmm31, %zmm{i}" for i in range(6)] + \
            ["decq %rcx", "jne .Ltop"]
        self.assertEqual(self.shares(S8, lines)["cores"]["emeraldrapids"]["bound"], 3)

    def test_what_a_loop_skips_or_leaves_for_does_not_count(self):
        """Requests for a rhs that is far stand behind the loop, the rest of K before it."""
        loop = f32_loop()
        requests = ["prefetcht1 8192(%rsi)"] * 40
        found = self.shares(F32, [".Lrest:", *loop[1:-1], *["vmovups (%rdx), %zmm28"] * 40,
                                  "jmp .Lend", *loop[:-1], "jle .Lrest", "testl $0x100000, %r8d",
                                  "je .Ltop", *requests, "jmp .Ltop", ".Lend:"])
        self.assertEqual(found["cores"]["graniterapids"]["share"],
                         self.shares(F32, loop)["cores"]["graniterapids"]["share"])

    def test_no_loop_is_an_error(self):
        self.assertIn("no innermost loop", self.shares(F32, ["nop"])["error"])

    def test_an_instruction_without_a_row_is_an_error(self):
        found = self.shares("tw_mmt4d_tile_bf16bf16f32_12x32x2_x86_64_avx512_bf16", [
            ".Ltop:", *[f"vdpbf16ps %ymm30, %ymm31, %ymm{i % 24}" for i in range(48)], "decq %rcx",
            "jne .Ltop"])["cores"]
        self.assertIn("error", found["emeraldrapids"])
        self.assertEqual(found["znver4"]["share"], 1)

    def test_ports_are_shared_out_evenly(self):
        self.assertEqual(x86_ports.cycles([("01", 1), ("01", 1), ("015", 1)]), 1)
        self.assertEqual(x86_ports.cycles([("01", 1), ("5", 3)]), 3)
        self.assertEqual(x86_ports.cycles([("05", 2), ("0", 2)]), 2)

    def test_multiplies_of_tile_registers_have_all_rows(self):
        def loop(multiplies, loads):
            lines = ["tileloadd (%rdi,%rax), %tmm4"] * loads
            return [".Ltop:", *lines, *[f"{multiplies[1]} %tmm6, %tmm4, %tmm{i}"
                                        for i in range(multiplies[0])], "decq %rcx", "jne .Ltop"]
        figures = [("32x32x64", "amx_int8", (4, "tdpbssd"), 4, 64, 1),
                   ("16x32x64", "amx_int8", (2, "tdpbusd"), 3, 32, 1),
                   ("16x32x64", "amx_int8", (2, "tdpbuud"), 5, 40, 0.8),
                   ("8x32x32", "amx_bf16", (2, "tdpbf16ps"), 3, 32, 0.5)]
        for sizes, isa, multiplies, loads, cycles, share in figures:
            name = f"tw_mmt4d_tile_x_{sizes}_vnni_x86_64_{isa}"
            found = self.shares(name, loop(multiplies, loads))["cores"]
            self.assertEqual(sorted(found), ["emeraldrapids", "graniterapids", "sapphirerapids"])
            self.assertEqual((found["emeraldrapids"]["cycles"], found["emeraldrapids"]["share"]),
                             (cycles, share), name)
        self.assertTrue(x86_static.is_miss(name, found["emeraldrapids"]))

    def test_misses_name_tile_core_and_limit(self):
        tiles = {F32: self.shares(F32, f32_loop(["vpandd %zmm0, %zmm1, %zmm2"] * 4))}
        lines = x86_static.misses(tiles)
        self.assertTrue(any(F32 in line and "sapphirerapids" in line and "80.0%" in line
                            for line in lines), lines)
        self.assertFalse(any("znver5" in line for line in lines), lines)

    def test_every_row_of_the_library_is_read(self):
        if not library:
            self.skipTest("the library is of another architecture")
        options = x86_static.argparse.Namespace(objects=[library], llvm_bin=llvm_bin, match="",
                                                core=None, build_dir=None,
                                                tilewright=tool)
        tiles = x86_static.collect(options)
        self.assertGreater(len(tiles), 100)
        for name, entry in tiles.items():
            self.assertNotIn("error", entry, name)
            # No core of the table has AVX-VNNI-INT8.
            self.assertEqual(bool(entry["cores"]), not name.endswith("avx_vnni_int8"), name)


if __name__ == "__main__":
    source, llvm_bin, tool, *rest = sys.argv[1:5]
    library = rest[0] if rest else None
    sys.path.insert(0, source)
    import x86_ports
    import x86_static
    unittest.main(argv=sys.argv[:1])
