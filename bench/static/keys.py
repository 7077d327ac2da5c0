# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tile names, and what they say of the operands."""

import re
from fractions import Fraction

NAME = re.compile(r"tw_mmt4d_tile_(?P<types>[a-z0-9]+?)_"
                  r"(?P<m0>\d+)(?P<m0vl>vl)?x(?P<n0>\d+)(?P<n0vl>vl)?x(?P<k0>\d+)"
                  r"(?:_(?P<variant>steprnd))?_(?P<isa>arm_64_\w+|generic)$")


class Name:
    """A tile name in parts. Sizes are in elements; a scalable one counts vectors of accumulators."""

    def __init__(self, name):
        parts = NAME.match(name)
        if not parts:
            raise ValueError(f"{name}: not the name of an arm_64 or generic tile function")
        self.name, self.types, self.isa = name, parts["types"], parts["isa"]
        self.variant = parts["variant"] or ""
        self.m0, self.n0, self.k0 = (int(parts[size]) for size in ("m0", "n0", "k0"))
        self.m0_scalable, self.n0_scalable = bool(parts["m0vl"]), bool(parts["n0vl"])

    @property
    def shape(self):
        return (f"{self.m0}{'vl' if self.m0_scalable else ''}x"
                f"{self.n0}{'vl' if self.n0_scalable else ''}x{self.k0}")

    @property
    def scalable(self):
        return self.m0_scalable or self.n0_scalable


class Key(Name):
    """A tile name whose parts are rows of the tables."""

    def __init__(self, name, tables):
        super().__init__(name)
        if self.types not in tables.triples:
            raise ValueError(f"{name}: unknown types '{self.types}'")
        self.lhs, self.rhs, self.out = tables.triples[self.types]
        self.lhs_bits, self.rhs_bits, self.out_bits = (
            tables.element_bits[each] for each in (self.lhs, self.rhs, self.out))

    @property
    def accumulator_bits(self):
        return 64 if self.out_bits == 64 else 32

    def sizes(self, vector_bits):
        """M0, N0, K0 in elements for vectors of `vector_bits`."""
        lanes = vector_bits // self.accumulator_bits
        return (self.m0 * (lanes if self.m0_scalable else 1),
                self.n0 * (lanes if self.n0_scalable else 1), self.k0)

    def step_bytes(self, vector_bits):
        """Bytes of the lhs and of the rhs panel per K step."""
        m0, n0, k0 = self.sizes(vector_bits)
        return (Fraction(m0 * k0 * self.lhs_bits, 8),
                Fraction(n0 * k0 * self.rhs_bits, 8))

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
