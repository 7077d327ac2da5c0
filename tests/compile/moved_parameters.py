#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models that multiply by parameters which are transposed, cut, reshaped and cast before, one after the other, against
loops written here. Numbers are small integers: results are exact. Nothing but multiplications may be left when models run. And casts
of any numbers, against those that programs do themselves, bit by bit.

  moved_parameters.py <tilewright> <scratch> --cc=... [--count=12 --seed=1 --only=<number>]
"""

import argparse
import itertools
import pathlib
import random
import struct
import subprocess
import sys

import npy
import parameters

# Of a parameter: its dtype, the element in MLIR, bytes, struct's letter.
ELEMENTS = [("F32", "f32", 4, "f"), ("F16", "f16", 2, "e"), ("BF16", "bf16", 2, None), ("I8", "i8", 1, "b"),
            ("U8", "i8", 1, "B"), ("I32", "i32", 4, "i")]
FUNCTIONS_OF_MODULE = 6
# Casts of a parameter's elements: its dtype, the element in MLIR, and each operation with what it makes.
CASTS = [("F32", "f32", ["truncf bf16"]), ("F32", "f32", ["truncf f16"]), ("F32", "f32", ["extf f64"]),
         ("F32", "f32", ["truncf bf16", "extf f32"]), ("F32", "f32", ["truncf f16", "extf f32"]),
         ("F32", "f32", ["truncf f16", "extf f64"]), ("F64", "f64", ["truncf f32"]), ("F64", "f64", ["truncf f32", "truncf bf16"]),
         ("F64", "f64", ["truncf bf16"]), ("F64", "f64", ["truncf f16"]),
         ("I32", "i32", ["trunci i8"]), ("I32", "i32", ["trunci i16"]), ("I32", "i32", ["sitofp f32"]), ("I32", "i32", ["uitofp f32"]),
         ("I32", "i32", ["sitofp f64"]), ("I32", "i32", ["sitofp bf16"]), ("I32", "i32", ["uitofp f16"]),
         ("I32", "i32", ["extsi i64"]), ("I32", "i32", ["extui i64"]), ("I64", "i64", ["trunci i32"]), ("I64", "i64", ["sitofp f32"]),
         ("I64", "i64", ["uitofp f64"]),
         ("I64", "i64", ["sitofp bf16"]), ("I64", "i64", ["uitofp f16"]), ("F16", "f16", ["extf f32"]), ("BF16", "bf16", ["extf f32"]), ("BF16", "bf16", ["extf f64"])]
# In bits, of f32: around the least of bf16 and f16, the greatest, ties, infinities, NaNs that signal and are quiet.
SINGLES = [0, 1, 0x7FFF, 0x8000, 0x8001, 0x18000, 0x7FFFFF, 0x800000, 0x33000000, 0x33000001, 0x33800000, 0x387FC000, 0x387FE000,
           0x387FF000, 0x387FFFFF, 0x38800000, 0x38801000, 0x38803000, 0x3F800000, 0x3F801000, 0x3F803000, 0x3F808000, 0x3F818000,
           0x3F808001, 0x477FDFFF, 0x477FE000, 0x477FEFFF, 0x477FF000, 0x47800000, 0x7F7F7FFF, 0x7F7F8000, 0x7F7FFFFF, 0x7F800000,
           0x7F800001, 0x7F812345, 0x7FC00000, 0x7FC12345, 0x7FFFFFFF]


def count_of(shape):
    product = 1
    for size in shape:
        product *= size
    return product


def encode(dtype, letter, values):
    if dtype == "BF16":
        return b"".join(struct.pack("<f", value)[2:] for value in values)
    return struct.pack(f"<{len(values)}{letter}", *values)


class Tensor:
    """Row-major, in MLIR of the elements `element`."""

    def __init__(self, name, element, shape, values):
        self.name, self.element, self.shape, self.values = name, element, shape, values

    def type(self):
        return f"tensor<{'x'.join(map(str, self.shape))}x{self.element}>"

    def at(self, index):
        offset = 0
        for size, i in zip(self.shape, index):
            offset = offset * size + i
        return self.values[offset]


class Function:
    def __init__(self, name, choose, weights):
        self.name, self.choose, self.lines = name, choose, []
        dtype, weight = choose.choice(weights)
        value = Tensor("%w", weight.element, weight.shape, weight.values)
        self.lines.append(f"%w = ml_program.global_load_const @{weight.name} : {value.type()}")
        steps = [self.transpose, self.cut, self.expand, self.collapse]
        for _ in range(choose.randint(1, 4)):
            value = choose.choice(steps)(value)
        if value.element in ("i8", "f16", "bf16") or choose.random() < 0.3:
            value = self.cast(value, dtype)
        if choose.random() < 0.5:
            value = choose.choice(steps[:2])(value)
        while len(value.shape) > 2:
            value = self.collapse(value)
        while len(value.shape) < 2:
            value = self.expand(value)
        self.multiply(value)

    def add(self, operation, element, shape, values):
        result = Tensor(f"%v{len(self.lines)}", element, shape, values)
        self.lines.append(f"{result.name} = {operation} {result.type()}")
        return result

    def transpose(self, value):
        order = self.choose.sample(range(len(value.shape)), len(value.shape))
        shape = [value.shape[dim] for dim in order]
        empty = self.add("tensor.empty() :", value.element, shape, None)
        values = []
        for index in itertools.product(*map(range, shape)):
            source = [0] * len(order)
            for dim, i in zip(order, index):
                source[dim] = i
            values.append(value.at(source))
        # Its type stands in the middle.
        result = Tensor(f"%v{len(self.lines)}", value.element, shape, values)
        self.lines.append(f"{result.name} = linalg.transpose ins({value.name} : {value.type()}) outs({empty.name} : "
                          f"{empty.type()}) permutation = {order}")
        return result

    def cut(self, value):
        starts, sizes, steps, kept = [], [], [], []
        for dim, size in enumerate(value.shape):
            step = self.choose.choice([1, 1, 1, 2, 3])
            count = self.choose.randint(1, (size + step - 1) // step)
            if self.choose.random() < 0.5:
                count, step = size, 1
            sizes.append(count)
            steps.append(step)
            starts.append(self.choose.randint(0, size - ((count - 1) * step + 1)))
            if count > 1 or len(value.shape) - dim + len(kept) <= 1 or self.choose.random() < 0.5:
                kept.append(dim)
        values = [value.at([start + i * step for start, i, step in zip(starts, index, steps)])
                  for index in itertools.product(*map(range, sizes))]
        return self.add(f"tensor.extract_slice {value.name}{starts} {sizes} {steps} : {value.type()} to", value.element,
                        [sizes[dim] for dim in kept], values)

    def expand(self, value):
        dim = self.choose.randrange(len(value.shape))
        size = value.shape[dim]
        factor = self.choose.choice([i for i in range(1, size + 1) if size % i == 0])
        shape = value.shape[:dim] + [factor, size // factor] + value.shape[dim + 1:]
        groups = [[i + (i > dim)] for i in range(len(value.shape))]
        groups[dim] = [dim, dim + 1]
        return self.add(f"tensor.expand_shape {value.name} {groups} output_shape {shape} : {value.type()} into", value.element,
                        shape, value.values)

    def collapse(self, value):
        if len(value.shape) < 2:
            return value
        dim = self.choose.randrange(len(value.shape) - 1)
        shape = value.shape[:dim] + [value.shape[dim] * value.shape[dim + 1]] + value.shape[dim + 2:]
        groups = [[i + (i > dim)] for i in range(len(shape))]
        groups[dim] = [dim, dim + 1]
        return self.add(f"tensor.collapse_shape {value.name} {groups} : {value.type()} into", value.element, shape, value.values)

    def cast(self, value, dtype):
        if value.element in ("f16", "bf16"):
            return self.add(f"arith.extf {value.name} : {value.type()} to", "f32", value.shape, value.values)
        if value.element == "f32":
            narrow = self.choose.choice(["bf16", "f16"])
            value = self.add(f"arith.truncf {value.name} : {value.type()} to", narrow, value.shape, value.values)
            return self.add(f"arith.extf {value.name} : {value.type()} to", "f32", value.shape, value.values)
        if value.element == "i32":
            if self.choose.random() < 0.5:
                return self.add(f"arith.sitofp {value.name} : {value.type()} to", "f32", value.shape, value.values)
            value = self.add(f"arith.trunci {value.name} : {value.type()} to", self.choose.choice(["i8", "i16"]), value.shape, value.values)
            return self.add(f"arith.extsi {value.name} : {value.type()} to", "i32", value.shape, value.values)
        sign = "ui" if dtype == "U8" else "si"
        if self.choose.random() < 0.5:
            return self.add(f"arith.ext{sign} {value.name} : {value.type()} to", "i32", value.shape, value.values)
        return self.add(f"arith.{sign}tofp {value.name} : {value.type()} to", "f32", value.shape, value.values)

    def multiply(self, weight):
        rows, (depth, columns) = self.choose.choice([1, 3, 17]), weight.shape
        letter = "i" if weight.element == "i32" else "f"
        self.x = Tensor("%x", weight.element, [rows, depth], [self.choose.randint(-3, 3) for _ in range(rows * depth)])
        self.letter = letter
        values = [sum(self.x.at((i, k)) * weight.at((k, j)) for k in range(depth)) for i in range(rows) for j in range(columns)]
        self.y = Tensor("%y", weight.element, [rows, columns], values)
        self.lines += [f"%zero = arith.constant {'0' if letter == 'i' else '0.0'} : {weight.element}",
                       f"%e = tensor.empty() : {self.y.type()}",
                       f"%z = linalg.fill ins(%zero : {weight.element}) outs(%e : {self.y.type()}) -> {self.y.type()}",
                       f"%y = linalg.matmul ins(%x, {weight.name} : {self.x.type()}, {weight.type()}) "
                       f"outs(%z : {self.y.type()}) -> {self.y.type()}"]

    def text(self):
        return (f"func.func @{self.name}(%x: {self.x.type()}) -> {self.y.type()} {{\n  " + "\n  ".join(self.lines)
                + f"\n  return %y : {self.y.type()}\n}}\n")


class Checker:
    """Compiles modules and compares their functions. `emulator` is the start of the command that runs a program."""

    def __init__(self, options, emulator=()):
        self.options, self.work, self.emulator = options, options.scratch, emulator
        self.work.mkdir(parents=True, exist_ok=True)
        self.wrong = self.checked = 0

    def module(self, number):
        choose = random.Random(f"{self.options.seed}.{number}")
        weights, tensors = [], {}
        for i in range(3):
            dtype, element, _, letter = choose.choice(ELEMENTS)
            shape = [choose.choice([1, 2, 3, 12, 24, 30]) for _ in range(choose.randint(1, 3))] + [choose.choice([16, 36, 60])]
            least = 0 if dtype == "U8" else -100 if dtype == "I8" else -9
            values = [choose.randint(least, 200 if dtype == "U8" else 9) for _ in range(count_of(shape))]
            weights.append((dtype, Tensor(f"w{i}", element, shape, values)))
            tensors[f"w{i}"] = (dtype, shape, encode(dtype, letter, values))
        functions = [Function(f"f{i}", choose, weights) for i in range(FUNCTIONS_OF_MODULE)]
        # In the program, and in a file of their own, where what is made on the way to panels is in another one.
        self.build(number, weights, tensors, "".join(function.text() for function in functions), functions,
                   ["--report=text"], number % 2 == 1)

    def look(self, number, functions, report):
        for kind in ("extract_slice", "transpose", "elementwise", "pack_"):
            if f" x {kind}" in report:
                self.fail(number, f"{kind} is left for each call")

    def build(self, number, weights, tensors, text, functions, flags, is_apart):
        """A program, and what its functions compute; its parameters are in a file of their own if `is_apart`."""
        source, file = self.work / f"m{number}.mlir", self.work / f"m{number}.safetensors"
        source.write_text("".join(
            f"ml_program.global private @{weight.name}(#ml_program.extern : {weight.type()}) : {weight.type()}\n"
            for _, weight in weights) + text)
        file.write_bytes(parameters.safetensors(tensors))
        program, apart = self.work / f"m{number}", self.work / f"m{number}.twp"
        done = subprocess.run([self.options.tool, "compile", source, "-o", program, f"--cc={self.options.cc}",
                               f"--parameters={file}", *([f"--parameters-out={apart}"] if is_apart else []), *flags],
                              capture_output=True, text=True)
        if done.returncode:
            self.fail(number, f"refused: {done.stderr[:2000]}")
            return
        self.look(number, functions, done.stdout)
        for function in functions:
            self.check(number, program, function, [f"--parameters={apart}"] if is_apart else [])
        if self.wrong == 0:
            for path in (source, file, program, apart):
                path.unlink(missing_ok=True)

    def check(self, number, program, function, flags):
        dtype = "<i4" if function.letter == "i" else "<f4"
        path = self.work / "x.npy"
        path.write_bytes(npy.encode(dtype, function.x.shape,
                                    struct.pack(f"<{len(function.x.values)}{function.letter}", *function.x.values)))
        done = subprocess.run([*self.emulator, program, f"--function={function.name}", f"--input={path}", f"--output={self.work / 'y.npy'}",
                               *flags], capture_output=True, text=True)
        self.checked += 1
        if done.returncode:
            self.fail(number, f"{function.name}: {done.returncode} {done.stderr[:500]}")
            return
        _, shape, data = npy.decode((self.work / "y.npy").read_bytes())
        values = function.y.values
        if list(shape) != function.y.shape or data != struct.pack(f"<{len(values)}{function.letter}", *values):
            self.fail(number, f"{function.name}: wrong")

    def casts(self, target):
        """Casts that are made while compiling, bit by bit those that the program itself makes, on `target`."""
        choose = random.Random(f"{self.options.seed}.casts")
        rows, columns = 64, 32
        text, tensors = "#ij = affine_map<(i, j) -> (i, j)>\n", {}
        for number, (dtype, element, casts) in enumerate(CASTS):
            size = int(dtype.lstrip("BFI")) // 8
            words = [choose.getrandbits(8 * size) for _ in range(rows * columns)]
            if dtype == "F64":
                # What f32 has, and what lies right beside it: where rounding by way of f32 would go another way, too.
                words = [struct.unpack("<Q", struct.pack("<d", struct.unpack("<f", struct.pack("<I", word))[0]))[0]
                         + choose.choice([0, 0, 1, -1, 1 << 28, (1 << 28) + 1, (1 << 28) - 1])
                         for word in (choose.choice([word & 0x7F7FFFFF, word & 0x7F7F0000 | 0x8000,
                                                     0x38800000 + (word & 0x7FFE000) | 0x1000]) for word in words)]
            elif dtype == "F32":
                special = SINGLES + [word | 1 << 31 for word in SINGLES]
                words[:len(special)] = special
            elif dtype.startswith("I"):
                words = [word >> choose.randrange(8 * size) for word in words]
            tensors[f"w{number}"] = (dtype, [rows, columns], b"".join(word.to_bytes(size, "little") for word in words))
            whole = f"tensor<{rows}x{columns}x{element}>"
            result = casts[-1].split()[1]
            made = f"tensor<{rows}x{columns}x{result}>"
            text += (f"ml_program.global private @w{number}(#ml_program.extern : {whole}) : {whole}\n"
                     f"func.func @f{number}() -> {made} {{\n  %w = ml_program.global_load_const @w{number} : {whole}\n"
                     f"  %e = tensor.empty() : {made}\n  %r = linalg.generic {{indexing_maps = [#ij, #ij], "
                     f"iterator_types = [\"parallel\", \"parallel\"]}} ins(%w : {whole}) outs(%e : {made}) {{\n"
                     f"  ^bb0(%v0: {element}, %o: {result}):\n")
            for i, cast in enumerate(casts):
                operation, to = cast.split()
                text += f"    %v{i + 1} = arith.{operation} %v{i} : {element} to {to}\n"
                element = to
            text += f"    linalg.yield %v{len(casts)} : {result}\n  }} -> {made}\n  return %r : {made}\n}}\n"
        source, file = self.work / "casts.mlir", self.work / "casts.safetensors"
        source.write_text(text)
        file.write_bytes(parameters.safetensors(tensors))
        results = []
        for name, flags in (("made", []), ("itself", ["--reference"])):
            program = self.work / name
            subprocess.run([self.options.tool, "compile", source, "-o", program, f"--cc={self.options.cc}", f"--parameters={file}",
                            f"--target={target}", *flags], check=True)
            files = [self.work / f"{name}{number}.npy" for number in range(len(CASTS))]
            for number, path in enumerate(files):
                subprocess.run([*self.emulator, program, f"--function=f{number}", f"--output={path}"], check=True)
            results.append([path.read_bytes() for path in files])
        for (dtype, _, casts), made, itself in zip(CASTS, *results):
            self.checked += 1
            if made != itself:
                at = next(i for i, (x, y) in enumerate(zip(made, itself)) if x != y)
                self.fail("casts", f"{target}: {dtype} {casts}: byte {at} of the result is another one than the program's own")
        calls = subprocess.run([self.options.tool, "compile", source, "-o", self.work / "made", f"--cc={self.options.cc}",
                                f"--parameters={file}", f"--target={target}", "--report=text"], check=True, capture_output=True, text=True)
        if " x elementwise" in calls.stdout:
            self.fail("casts", f"{target}: a cast is left for each call")

    def fail(self, number, what):
        self.wrong += 1
        print(f"--seed={self.options.seed} --only={number}: {what}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--count", type=int, default=12, help="modules")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    checker = Checker(options)
    for number in range(options.count) if options.only is None else [options.only]:
        checker.module(number)
    if options.only is None:
        # The first converts f16 by integer arithmetic.
        checker.casts("generic")
        checker.casts("host")
    print(f"{checker.checked} calls, {checker.wrong} wrong, refused, crashed or with moves that are left")
    sys.exit(1 if checker.wrong else 0)


if __name__ == "__main__":
    main()
