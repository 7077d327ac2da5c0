#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floats of 4 to 8 bits, truth values, integers of 2 and 4 bits and scalar results of models, by a program with a runner: every float of
8 bits is widened, every f16 and what lies around the middle of neighbours is rounded, all pairs are added.

  narrow_types.py <tilewright> <scratch> --cc=... [--target=... --run=... --hip=<libtilewright_emulated_hip.so>]
"""

import argparse
import bisect
import math
import os
import pathlib
import random
import shlex
import struct
import subprocess
import sys

import npy

# Bits of exponent and mantissa; how much the bias is more than IEEE's; whether there are infinities.
FORMATS = {"f8E4M3FN": (4, 3, 0, False), "f8E5M2": (5, 2, 0, True), "f8E4M3FNUZ": (4, 3, 1, False),
           "f8E5M2FNUZ": (5, 2, 1, False)}
FUNCTIONS = """
func.func @round_{0}(%x: tensor<?xf32>) -> tensor<?x{0}> {{
  %y = arith.truncf %x : tensor<?xf32> to tensor<?x{0}>
  return %y : tensor<?x{0}>
}}
func.func @widen_{0}(%x: tensor<?x{0}>) -> (tensor<?xf32>, tensor<?xf64>, tensor<?xf16>) {{
  %y = arith.extf %x : tensor<?x{0}> to tensor<?xf32>
  %z = arith.extf %x : tensor<?x{0}> to tensor<?xf64>
  %w = arith.extf %x : tensor<?x{0}> to tensor<?xf16>
  return %y, %z, %w : tensor<?xf32>, tensor<?xf64>, tensor<?xf16>
}}
func.func @half_{0}(%x: tensor<?xf16>) -> tensor<?x{0}> {{
  %y = arith.truncf %x : tensor<?xf16> to tensor<?x{0}>
  return %y : tensor<?x{0}>
}}
func.func @add_{0}(%x: tensor<?x{0}>, %y: tensor<?x{0}>) -> tensor<?x{0}> {{
  %z = arith.addf %x, %y : tensor<?x{0}>
  return %z : tensor<?x{0}>
}}
func.func @moved_{0}(%x: tensor<4x?x{0}>) -> tensor<?x4x{0}> {{
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<4x?x{0}>
  %e = tensor.empty(%n) : tensor<?x4x{0}>
  %z = linalg.transpose ins(%x : tensor<4x?x{0}>) outs(%e : tensor<?x4x{0}>) permutation = [1, 0]
  return %z : tensor<?x4x{0}>
}}
"""
# Neither infinities nor NaN, and no arithmetic: bits of exponent and mantissa.
FEW_BITS = {"f6E2M3FN": (2, 3), "f6E3M2FN": (3, 2), "f4E2M1FN": (2, 1)}
FEW = """
func.func @widen_{0}(%x: tensor<?x{0}>) -> (tensor<?xf32>, tensor<?xf64>, tensor<?xf16>) {{
  %y = arith.extf %x : tensor<?x{0}> to tensor<?xf32>
  %z = arith.extf %x : tensor<?x{0}> to tensor<?xf64>
  %w = arith.extf %x : tensor<?x{0}> to tensor<?xf16>
  return %y, %z, %w : tensor<?xf32>, tensor<?xf64>, tensor<?xf16>
}}
func.func @moved_{0}(%x: tensor<4x?x{0}>) -> tensor<?x4x{0}> {{
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<4x?x{0}>
  %e = tensor.empty(%n) : tensor<?x4x{0}>
  %z = linalg.transpose ins(%x : tensor<4x?x{0}>) outs(%e : tensor<?x4x{0}>) permutation = [1, 0]
  return %z : tensor<?x4x{0}>
}}
func.func @chosen_{0}(%c: tensor<?xi1>, %x: tensor<?x{0}>, %i: tensor<?xi32>, %k: index) -> (tensor<?x{0}>, {0}, tensor<6x{0}>, tensor<?xf32>) {{
  %small = arith.constant dense<"0x{1}"> : tensor<6x{0}>
  %large = arith.constant dense_resource<large_{0}> : tensor<5000x{0}>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %i, %c0 : tensor<?xi32>
  %one = arith.constant dense<1.0> : tensor<{0}>
  %ones = tensor.extract %one[] : tensor<{0}>
  %e = tensor.splat %ones[%n] : tensor<?x{0}>
  %a = arith.select %c, %x, %e : tensor<?xi1>, tensor<?x{0}>
  %b = tensor.extract %large[%k] : tensor<5000x{0}>
  %g = tensor.generate %n {{
  ^bb0(%j: index):
    %at = tensor.extract %i[%j] : tensor<?xi32>
    %p = arith.index_cast %at : i32 to index
    %r = tensor.extract %large[%p] : tensor<5000x{0}>
    %w = arith.extf %r : {0} to f32
    tensor.yield %w : f32
  }} : tensor<?xf32>
  return %a, %b, %small, %g : tensor<?x{0}>, {0}, tensor<6x{0}>, tensor<?xf32>
}}
"""
SCALES = """
func.func @widen_f8E8M0FNU(%x: tensor<?xf8E8M0FNU>) -> tensor<?xf32> {
  %y = arith.extf %x : tensor<?xf8E8M0FNU> to tensor<?xf32>
  return %y : tensor<?xf32>
}
"""
BOOLEANS = """
func.func @logic(%x: tensor<?x3xi1>, %y: tensor<?x3xi1>) -> (tensor<?x3xi1>, tensor<3x?xi1>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x3xi1>
  %a = arith.andi %x, %y : tensor<?x3xi1>
  %b = arith.xori %x, %y : tensor<?x3xi1>
  %e = tensor.empty(%n) : tensor<3x?xi1>
  %t = linalg.transpose ins(%b : tensor<?x3xi1>) outs(%e : tensor<3x?xi1>) permutation = [1, 0]
  return %a, %t : tensor<?x3xi1>, tensor<3x?xi1>
}
func.func @choose(%c: tensor<?xi1>, %x: tensor<?xf32>, %negated: i1) -> (tensor<?xf32>, i1) {
  %y = arith.negf %x : tensor<?xf32>
  %a = arith.select %c, %x, %y : tensor<?xi1>, tensor<?xf32>
  %b = arith.select %c, %y, %x : tensor<?xi1>, tensor<?xf32>
  %r = scf.if %negated -> tensor<?xf32> {
    scf.yield %b : tensor<?xf32>
  } else {
    scf.yield %a : tensor<?xf32>
  }
  return %r, %negated : tensor<?xf32>, i1
}
func.func @sum(%x: tensor<?xi32>) -> i32 {
  %z = arith.constant dense<0> : tensor<i32>
  %s = linalg.reduce ins(%x : tensor<?xi32>) outs(%z : tensor<i32>) dimensions = [0] (%a: i32, %b: i32) {
    %r = arith.addi %a, %b : i32
    linalg.yield %r : i32
  }
  %e = tensor.extract %s[] : tensor<i32>
  return %e : i32
}
func.func @scalars(%x: tensor<?xi32>, %f: f64) -> (index, i64, f64, i8, i1, tensor<1xi32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %i = arith.index_cast %n : index to i64
  %b = arith.trunci %i : i64 to i8
  %c3 = arith.constant 3 : index
  %few = arith.cmpi ult, %n, %c3 : index
  %g = arith.addf %f, %f : f64
  %s = func.call @sum(%x) : (tensor<?xi32>) -> i32
  %t = tensor.from_elements %s : tensor<1xi32>
  return %n, %i, %g, %b, %few, %t : index, i64, f64, i8, i1, tensor<1xi32>
}
"""


# Elements of part of a byte, and constants whose other bits say something else.
INTEGERS = """
func.func @arithmetic_{0}(%x: tensor<?x{0}>, %y: tensor<?x{0}>) -> (tensor<?x{0}>, tensor<?x{0}>, tensor<?xi32>, tensor<?xf32>, tensor<?xi1>) {{
  %a = arith.addi %x, %y : tensor<?x{0}>
  %b = arith.muli %x, %y : tensor<?x{0}>
  %c = arith.extsi %x : tensor<?x{0}> to tensor<?xi32>
  %d = arith.uitofp %y : tensor<?x{0}> to tensor<?xf32>
  %e = arith.cmpi slt, %x, %y : tensor<?x{0}>
  return %a, %b, %c, %d, %e : tensor<?x{0}>, tensor<?x{0}>, tensor<?xi32>, tensor<?xf32>, tensor<?xi1>
}}
func.func @narrow_{0}(%x: tensor<?xi32>, %s: {0}) -> (tensor<?x{0}>, {0}, tensor<4x?x{0}>) {{
  %c4 = arith.constant 4 : index
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %m = arith.divui %n, %c4 : index
  %y = arith.trunci %x : tensor<?xi32> to tensor<?x{0}>
  %z = tensor.expand_shape %y [[0, 1]] output_shape [%m, 4] : tensor<?x{0}> into tensor<?x4x{0}>
  %e = tensor.empty(%m) : tensor<4x?x{0}>
  %t = linalg.transpose ins(%z : tensor<?x4x{0}>) outs(%e : tensor<4x?x{0}>) permutation = [1, 0]
  %u = arith.addi %s, %s : {0}
  return %y, %u, %t : tensor<?x{0}>, {0}, tensor<4x?x{0}>
}}
func.func @constants_{0}(%i: tensor<?xi32>, %k: index) -> (tensor<6x{0}>, tensor<?x{0}>, i32, i32) {{
  %small = arith.constant dense<"0x{1}"> : tensor<6x{0}>
  %large = arith.constant dense_resource<large_{0}> : tensor<5000x{0}>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %i, %c0 : tensor<?xi32>
  %g = tensor.generate %n {{
  ^bb0(%j: index):
    %at = tensor.extract %i[%j] : tensor<?xi32>
    %p = arith.index_cast %at : i32 to index
    %r = tensor.extract %large[%p] : tensor<5000x{0}>
    tensor.yield %r : {0}
  }} : tensor<?x{0}>
  %a = tensor.extract %small[%k] : tensor<6x{0}>
  %b = tensor.extract %large[%k] : tensor<5000x{0}>
  %aw = arith.extui %a : {0} to i32
  %bw = arith.extui %b : {0} to i32
  return %small, %g, %aw, %bw : tensor<6x{0}>, tensor<?x{0}>, i32, i32
}}
"""
SMALL, LARGE = bytes([0xFF, 0x01, 0xF2, 0x73, 0x08, 0xA9]), bytes(i * 7 % 256 for i in range(5000))
RESOURCES = "{{-# dialect_resources: {{ builtin: {{ {} }} }} #-}}\n"


def decode(name, bits):
    exponent_bits, mantissa_bits, more, infinities = FORMATS[name]
    sign, magnitude = -1.0 if bits & 0x80 else 1.0, bits & 0x7F
    exponent, mantissa = magnitude >> mantissa_bits, magnitude & ((1 << mantissa_bits) - 1)
    last = (1 << exponent_bits) - 1
    if more and bits == 0x80 or not more and not infinities and magnitude == 0x7F:
        return math.nan
    if infinities and exponent == last:
        return math.nan if mantissa else sign * math.inf
    bias = (last >> 1) + more
    if exponent == 0:
        return sign * math.ldexp(mantissa, 1 - bias - mantissa_bits)
    return sign * math.ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits)


class Rounding:
    """To nearest, ties to even, by a list of all values: knows nothing of how it is compiled."""

    def __init__(self, name):
        self.infinities, self.no_negative_zero = FORMATS[name][3], FORMATS[name][2] == 1
        self.nan = next(bits for bits in range(255, -1, -1) if math.isnan(decode(name, bits)))
        self.values = []
        for bits in range(128):
            value = decode(name, bits)
            if not math.isfinite(value):
                break
            self.values.append(value)
        # The next value, if there were one.
        self.limit = 2 * self.values[-1] - self.values[-2]

    def __call__(self, x):
        if math.isnan(x):
            return math.nan
        magnitude = abs(x)
        sign = 0x80 if math.copysign(1, x) < 0 else 0
        at = bisect.bisect_right(self.values, magnitude) - 1
        below = self.values[at]
        above = self.values[at + 1] if at + 1 < len(self.values) else self.limit
        if magnitude > below:
            middle = (below + above) / 2 if above != math.inf else math.inf
            at += magnitude > middle or magnitude == middle and at % 2 == 1
        if at == len(self.values):
            return sign | at if self.infinities else math.nan
        return at if at == 0 and self.no_negative_zero else sign | at


class Program:
    def __init__(self, options):
        self.options, self.work = options, options.scratch
        self.work.mkdir(parents=True, exist_ok=True)
        model = BOOLEANS + "".join(FUNCTIONS.format(name) for name in FORMATS)
        model += "".join(INTEGERS.format(name, SMALL.hex()) for name in ("i2", "i4"))
        model += "".join(FEW.format(name, SMALL.hex()) for name in FEW_BITS) + SCALES
        model += RESOURCES.format(", ".join(f'large_{name}: "0x40000000{LARGE.hex()}"' for name in ("i2", "i4", *FEW_BITS)))
        (self.work / "model.mlir").write_text(model)
        done = subprocess.run([options.tool, "compile", self.work / "model.mlir", "-o", self.work / "model",
                               f"--target={options.target}", f"--cc={options.cc}"], capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)

    def call(self, function, inputs, results):
        """Bytes of results; inputs are scalars as text, or element types, shapes and bytes."""
        command = [*shlex.split(self.options.run), str(self.work / "model"), f"--function={function}"]
        for number, value in enumerate(inputs):
            if isinstance(value, str):
                command.append(f"--input={value}")
                continue
            path = self.work / f"x{number}.npy"
            path.write_bytes(npy.encode(*value))
            command.append(f"--input={path}")
        paths = [self.work / f"y{number}.npy" for number in range(results)]
        done = subprocess.run(command + [f"--output={path}" for path in paths], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{function}: {done.stderr}")
        return [npy.decode(path.read_bytes()) for path in paths]


def same(name, found, expected):
    """A NaN is any that the format has."""
    return math.isnan(decode(name, found)) if isinstance(expected, float) else found == expected


def check_rounded(name, what, found, expected, inputs):
    for bits, wanted, x in zip(found, expected, inputs):
        if not same(name, bits, wanted):
            sys.exit(f"{what} to {name}: {x!r} becomes {bits:#x}, expected {wanted}")
    if len(found) != len(expected):
        sys.exit(f"{what} to {name}: {len(found)} results")


def to_f32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def check_format(program, name):
    rounding, generator = Rounding(name), random.Random(name)
    all_bits = bytes(range(256))
    inputs = [to_f32(value) for value in rounding.values]
    for below, above in zip(inputs, inputs[1:] + [rounding.limit]):
        middle = struct.unpack("<I", struct.pack("<f", (below + above) / 2))[0]
        inputs += struct.unpack("<5f", struct.pack("<5I", *(max(middle + step, 0) for step in (-2, -1, 0, 1, 2))))
    inputs += [math.inf, math.nan, 3e38, 1e-45, 1e-38] + [to_f32(math.ldexp(generator.random(), generator.randrange(-40, 30)))
                                                         for _ in range(2000)]
    inputs += [-x for x in inputs]
    found = program.call(f"round_{name}", [("<f4", (len(inputs),), struct.pack(f"<{len(inputs)}f", *inputs))], 1)[0]
    check_rounded(name, "f32", found[2], [rounding(x) for x in inputs], inputs)

    halves = struct.unpack("<65536e", struct.pack("<65536H", *range(65536)))
    found = program.call(f"half_{name}", [("<f2", (65536,), struct.pack("<65536H", *range(65536)))], 1)[0]
    check_rounded(name, "f16", found[2], [rounding(x) for x in halves], halves)

    widened = program.call(f"widen_{name}", [("|u1", (256,), all_bits)], 3)
    for (descr, _, data), letter in zip(widened, "fde"):
        for bits, value in zip(all_bits, struct.unpack(f"<256{letter}", data)):
            wanted = decode(name, bits)
            if not (math.isnan(value) and math.isnan(wanted) or (value, math.copysign(1, value)) == (wanted, math.copysign(1, wanted))):
                sys.exit(f"{name} to {descr}: {bits:#x} becomes {value}, expected {wanted}")

    x, y = bytes(i for i in range(256) for _ in range(256)), all_bits * 256
    values = [decode(name, bits) for bits in all_bits]
    found = program.call(f"add_{name}", [("|u1", (65536,), x), ("|u1", (65536,), y)], 1)[0]
    expected = [rounding(to_f32(values[a] + values[b])) for a, b in zip(x, y)]
    check_rounded(name, "sums", found[2], expected, list(zip(x, y)))

    found = program.call(f"moved_{name}", [("|u1", (4, 64), all_bits)], 1)[0]
    if found != ("|u1", (64, 4), bytes(i + 64 * j for i in range(64) for j in range(4))):
        sys.exit(f"transposed {name}: {found}")


def expect(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found}, expected {expected}")


def check_booleans(program):
    # Any byte but zero is true.
    x, y = bytes([0, 1, 2, 255, 0, 128] * 50), bytes([1, 0, 4, 1, 0, 1] * 50)
    both = bytes(bool(a) and bool(b) for a, b in zip(x, y))
    one = bytes(bool(a) != bool(b) for a, b in zip(x, y))
    found = program.call("logic", [("|b1", (100, 3), x), ("|u1", (100, 3), y)], 2)
    expect("logic", found, [("|b1", (100, 3), both), ("|b1", (3, 100), b"".join(one[i::3] for i in range(3)))])
    data = struct.pack("<4f", 1, 2, 3, 4)
    for flag, wanted in ("0", (1, -2, 3, -4)), ("1", (-1, 2, -3, 4)):
        found = program.call("choose", [("|b1", (4,), b"\1\0\1\0"), ("<f4", (4,), data), flag], 2)
        expect("choose", found, [("<f4", (4,), struct.pack("<4f", *wanted)), ("|b1", (), bytes([int(flag)]))])
    found = program.call("scalars", [("<i4", (2,), struct.pack("<2i", 30, -9)), "1.25"], 6)
    expect("scalars", found, [("<i8", (), struct.pack("<q", 2)), ("<i8", (), struct.pack("<q", 2)),
                              ("<f8", (), struct.pack("<d", 2.5)), ("|i1", (), b"\2"), ("|b1", (), b"\1"),
                              ("<i4", (1,), struct.pack("<i", 21))])
    expect("sum", program.call("sum", [("<i4", (3,), struct.pack("<3i", 1, 2, 3))], 1), [("<i4", (), struct.pack("<i", 6))])


def check_integers(program, bits):
    name, unused = f"i{bits}", 8 - bits

    def signed(values):
        return bytes(((value << unused & 255 ^ 128) - 128 >> unused) & 255 for value in values)

    def number(byte):
        return byte - 256 if byte > 127 else byte

    # Of what is passed the lowest bits count.
    x, y = bytes(i for i in range(256) for _ in range(4)), bytes(range(256)) * 4
    pairs = list(zip(x, y))
    found = program.call(f"arithmetic_{name}", [("|i1", (1024,), x), ("|i1", (1024,), y)], 5)
    expect(f"arithmetic of {name}", found, [
        ("|i1", (1024,), signed(a + b for a, b in pairs)), ("|i1", (1024,), signed(a * b for a, b in pairs)),
        ("<i4", (1024,), struct.pack("<1024i", *map(number, signed(x)))),
        ("<f4", (1024,), struct.pack("<1024f", *(b & (1 << bits) - 1 for b in y))),
        ("|b1", (1024,), bytes(number(a) < number(b) for a, b in zip(signed(x), signed(y))))])
    wide = [random.Random(bits).randrange(-2**31, 2**31) for _ in range(400)]
    narrow = signed(value & 255 for value in wide)
    found = program.call(f"narrow_{name}", [("<i4", (400,), struct.pack("<400i", *wide)), "1"], 3)
    expect(f"narrowed to {name}", found, [
        ("|i1", (400,), narrow), ("|i1", (), signed([2])),
        ("|i1", (4, 100), b"".join(narrow[i::4] for i in range(4)))])
    at = [i * 31 % 5000 for i in range(700)]
    found = program.call(f"constants_{name}", [("<i4", (700,), struct.pack("<700i", *at)), "5"], 4)
    expect(f"constants of {name}", found, [
        ("|i1", (6,), signed(SMALL)), ("|i1", (700,), signed(LARGE[i] for i in at)),
        *(("<i4", (), struct.pack("<i", values[5] & (1 << bits) - 1)) for values in (SMALL, LARGE))])


def check_few_bits(program, name):
    exponent_bits, mantissa_bits = FEW_BITS[name]
    bits = 1 + exponent_bits + mantissa_bits
    mask = (1 << bits) - 1

    def value(byte):
        sign, mantissa = -1.0 if byte >> bits - 1 & 1 else 1.0, byte & (1 << mantissa_bits) - 1
        exponent, bias = byte >> mantissa_bits & (1 << exponent_bits) - 1, (1 << exponent_bits - 1) - 1
        if exponent:
            mantissa += 1 << mantissa_bits
        return sign * math.ldexp(mantissa, max(exponent, 1) - bias - mantissa_bits)

    # Of what is passed the lowest bits count.
    all_bytes = bytes(range(256))
    found = program.call(f"widen_{name}", [("|u1", (256,), all_bytes)], 3)
    expect(f"{name} widened", found, [(descr, (256,), struct.pack(f"<256{letter}", *map(value, all_bytes)))
                                      for descr, letter in (("<f4", "f"), ("<f8", "d"), ("<f2", "e"))])
    found = program.call(f"moved_{name}", [("|u1", (4, 64), all_bytes)], 1)
    expect(f"{name} transposed", found, [("|u1", (64, 4), bytes(i + 64 * j & mask for i in range(64) for j in range(4)))])
    at = [i * 31 % 5000 for i in range(256)]
    found = program.call(f"chosen_{name}", [("|b1", (256,), b"\1\0\0\1" * 64), ("|u1", (256,), all_bytes),
                                            ("<i4", (256,), struct.pack("<256i", *at)), "5"], 4)
    one = next(byte for byte in range(mask) if value(byte) == 1)
    expect(f"{name} chosen", found, [
        ("|u1", (256,), bytes(byte & mask if byte % 4 in (0, 3) else one for byte in all_bytes)),
        ("|u1", (), bytes([LARGE[5] & mask])), ("|u1", (6,), bytes(byte & mask for byte in SMALL)),
        ("<f4", (256,), struct.pack("<256f", *(value(LARGE[i]) for i in at)))])


def check_scales(program):
    found = program.call("widen_f8E8M0FNU", [("|u1", (256,), bytes(range(256)))], 1)[0]
    values = struct.unpack("<256f", found[2])
    expect("scales widened", (values[:255], math.isnan(values[255])),
           (tuple(math.ldexp(1, exponent - 127) for exponent in range(255)), True))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--target", default="host")
    parser.add_argument("--run", default="")
    parser.add_argument("--hip")
    options = parser.parse_args()
    options.scratch = options.scratch.resolve()
    if options.hip:
        os.environ |= {"TW_HIP_LIBRARY": options.hip, "TW_EMULATED_HIP_DEVICE": "gfx942"}
    program = Program(options)
    check_booleans(program)
    for bits in 2, 4:
        check_integers(program, bits)
    for name in FEW_BITS:
        check_few_bits(program, name)
    check_scales(program)
    for name in FORMATS:
        check_format(program, name)


if __name__ == "__main__":
    main()
