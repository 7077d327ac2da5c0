# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tile names and the tables that give their parts a meaning (abi/include/tilewright/*.def)."""

import pathlib
import re
from fractions import Fraction

TABLES = pathlib.Path(__file__).resolve().parents[2] / "abi" / "include" / "tilewright"
NAME = re.compile(r"tw_mmt4d_tile_(?P<types>[a-z0-9]+?)_"
                  r"(?P<m0>\d+)(?P<m0vl>vl)?x(?P<n0>\d+)(?P<n0vl>vl)?x(?P<k0>\d+)"
                  r"(?:_(?P<variant>steprnd))?_(?P<isa>arm_64_\w+|generic)$")


def rows(table, macro):
    """The arguments of each row of a table."""
    text = re.sub(r"/\*.*?\*/", "", (TABLES / table).read_text(encoding="utf-8"), flags=re.S)
    for match in re.finditer(rf"^\s*{macro}\((.*)\)\s*$", text, flags=re.M):
        yield [part.strip() for part in match.group(1).split(",")]


ELEMENT_BITS = {row[0]: int(row[2]) for row in rows("element_types.def", "TW_ELEMENT_TYPE")}
TRIPLES = {"".join(row[1:4]): tuple(row[1:4]) for row in rows("type_triples.def", "TW_TYPE_TRIPLE")}


def isa_features():
    """{"arm_64_i8mm": {"i8mm", "dotprod", "neon"}, …}, by the names of cpu_features.def."""
    names = {(row[0], row[3]): row[4] for row in rows("cpu_features.def", "TW_CPU_FEATURE")}
    levels = {}
    for level, parts in re.findall(r"^#define TW_FEATURES_(\w+) (.*)$",
                                   (TABLES / "isas.def").read_text(encoding="utf-8"), flags=re.M):
        own = {names[pair] for pair in re.findall(r"TW_ISA_FEATURE\((\w+),\s*(\w+)\)", parts)}
        levels[level] = own.union(*(levels[base] for base in re.findall(r"TW_FEATURES_(\w+)", parts)))
    return {row[1]: levels.get(row[2], set()) for row in rows("isas.def", "TW_ISA")}


class Key:
    """A parsed tile name. Sizes are in elements; a scalable one counts vectors of accumulators."""

    def __init__(self, name):
        parts = NAME.match(name)
        if not parts:
            raise ValueError(f"{name}: not the name of an arm_64 or generic tile function")
        if parts["types"] not in TRIPLES:
            raise ValueError(f"{name}: unknown types '{parts['types']}'")
        self.name, self.types, self.isa = name, parts["types"], parts["isa"]
        self.variant = parts["variant"] or ""
        self.lhs, self.rhs, self.out = TRIPLES[self.types]
        self.m0, self.n0, self.k0 = (int(parts[size]) for size in ("m0", "n0", "k0"))
        self.m0_scalable, self.n0_scalable = bool(parts["m0vl"]), bool(parts["n0vl"])

    @property
    def shape(self):
        return (f"{self.m0}{'vl' if self.m0_scalable else ''}x"
                f"{self.n0}{'vl' if self.n0_scalable else ''}x{self.k0}")

    @property
    def scalable(self):
        return self.m0_scalable or self.n0_scalable

    @property
    def accumulator_bits(self):
        return 64 if self.out == "f64" else 32

    def sizes(self, vector_bits):
        """M0, N0, K0 in elements for vectors of `vector_bits`."""
        lanes = vector_bits // self.accumulator_bits
        return (self.m0 * (lanes if self.m0_scalable else 1),
                self.n0 * (lanes if self.n0_scalable else 1), self.k0)

    def step_bytes(self, vector_bits):
        """Bytes of the lhs and of the rhs panel per K step."""
        m0, n0, k0 = self.sizes(vector_bits)
        return (Fraction(m0 * k0 * ELEMENT_BITS[self.lhs], 8),
                Fraction(n0 * k0 * ELEMENT_BITS[self.rhs], 8))

    def multiplies_directly(self, features):
        """Whether an instruction of the ISA level multiplies the operands as they are stored; else
        they are converted first, by vector instructions beside the multiplies."""
        pair = {self.lhs, self.rhs}
        vectors = "sve" if self.scalable else "neon"
        if pair <= {"f64"} or pair <= {"f32"} or pair <= {"s32"} or pair == {"s16"}:
            return True
        if pair == {"f16"}:
            if self.variant and self.out == "f16":
                return "fullfp16" in features
            return ("sve2" if vectors == "sve" else "fp16fml") in features
        if pair == {"bf16"}:
            return "bf16" in features and not self.variant
        if pair == {"s8"} or pair == {"u8"}:
            return self.k0 % 4 == 0 and (vectors == "sve" or "dotprod" in features)
        return pair == {"u8", "s8"} and self.k0 % 4 == 0 and "i8mm" in features
