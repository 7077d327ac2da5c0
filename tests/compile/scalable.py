#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random models of contractions and convolutions for CPUs whose vectors have a length that nobody knows before they run, on emulated ones of
several lengths, against loops written here. Numbers are small integers: results are exact.

  scalable.py <tilewright> <scratch> --cc=... --run=<qemu-aarch64> --target=arm_64_sve --cpu=<model> --cpu=<model>...
      [--refuses=<model>] [--tiles=<text>] [--count=24 --seed=1 --only=<number>]

With --refuses the target says how long vectors are: all of it is packed by the compiler, and the models refuse the CPU <model>,
whose vectors have another length, or are shorter. --tiles: what names of a third of the tiles have; else they have scalable sizes.
"""

import argparse
import collections
import itertools
import pathlib
import random
import re
import shlex
import struct
import subprocess
import sys

import npy

# By element type: struct's letter, as the runner's files have it, bytes.
ELEMENTS = {"f64": ("d", "<f8", 8), "f32": ("f", "<f4", 4), "f16": ("e", "<f2", 2), "bf16": ("H", "<u2", 2),
            "i32": ("i", "<i4", 4), "i8": ("b", "|i1", 1)}
TRIPLES = [("f32", "f32", "f32")] * 3 + [("f64", "f64", "f64"), ("f16", "f16", "f32"), ("bf16", "bf16", "f32"),
                                         ("i8", "i8", "i32"), ("i8", "i8", "i32")]
WAYS = [[], ["--data-tiling=early"], ["--inline"], ["--threads=2"]]
# An instance is made then, and packs.
PARAMETERS = "--parameters-out"
SIZES = [0, 1, 1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17, 23, 31, 32, 37, 61]
FUNCTIONS_OF_MODULE = 6


def encode(element, values):
    if element == "bf16":
        return b"".join(struct.pack("<f", value)[2:] for value in values)
    return struct.pack(f"<{len(values)}{ELEMENTS[element][0]}", *values)


class Tensor:
    """Integers, row-major."""

    def __init__(self, shape, values):
        self.shape, self.values = shape, values

    def strides(self):
        strides, step = [], 1
        for size in reversed(self.shape):
            strides.append(step)
            step *= size
        return strides[::-1]


def count_of(shape):
    product = 1
    for size in shape:
        product *= size
    return product


def random_tensor(choose, shape):
    return Tensor(shape, [choose.randint(-3, 3) for _ in range(count_of(shape))])


def terms(index):
    """Of an index of a map: a loop, or a sum of loops times constants."""
    return index if isinstance(index, tuple) else ((index, 1),)


def text_of(index):
    return " + ".join(f"d{loop} * {step}" if step > 1 else f"d{loop}" for loop, step in terms(index))


def contract(lhs, rhs, out, maps, sizes):
    """out += lhs * rhs by definition: maps say what indexes each dimension."""
    steps = []
    for tensor, indices in zip((lhs, rhs, out), maps):
        strides = tensor.strides()
        steps.append([sum(stride * step for stride, index in zip(strides, indices) for loop, step in terms(index) if loop == at)
                      for at in range(len(sizes))])
    values, order = list(out.values), sorted(range(len(sizes)), key=lambda loop: loop in maps[2], reverse=True)
    last, outer = order[-1], order[:-1]
    for index in itertools.product(*(range(sizes[loop]) for loop in outer)):
        a, b, c = (sum(step[loop] * i for loop, i in zip(outer, index)) for step in steps)
        total, da, db = 0, steps[0][last], steps[1][last]
        for i in range(sizes[last]):
            total += lhs.values[a + i * da] * rhs.values[b + i * db]
        values[c] += total
    return Tensor(out.shape, values)


class Function:
    """A contraction of an argument and a constant, or another argument, that may be added to an argument, go through a maximum
    and be multiplied by another constant."""

    def __init__(self, name, choose, constants):
        self.name, self.choose, self.constants = name, choose, constants
        self.types = choose.choice(TRIPLES)
        self.arguments, self.lines = [], []
        while True:
            self.choose_loops()
            if count_of(self.sizes) <= 60000:
                break
        lhs = self.argument(self.types[0], self.maps[0])
        rhs = self.rhs(self.maps[1])
        out = self.argument(self.types[2], self.maps[2]) if choose.random() < 0.3 else None
        value = self.contraction(self.maps, lhs, rhs, out, self.sizes)
        if choose.random() < 0.5:
            value = self.maximum(value)
        if self.types[0] == self.types[2] and len(self.maps[2]) == 2 and choose.random() < 0.5:
            value = self.second(value)
        self.result = value

    def choose_loops(self):
        choose = self.choose
        kinds = ["m"] * choose.choice([1, 1, 1, 2]) + ["n"] * choose.choice([1, 1, 1, 1, 2]) + ["k"] * choose.choice([1, 1, 1, 2])
        kinds += ["b"] * choose.choice([0, 0, 0, 1])
        choose.shuffle(kinds)
        self.kinds, self.sizes = kinds, [choose.choice(SIZES) for _ in kinds]
        small = choose.random() < 0.8
        for loop in range(len(kinds)):
            if small and self.sizes[loop] == 0:
                self.sizes[loop] = choose.randint(1, 40)
        # In the order of the loops mostly: other orders are transposed operands.
        self.maps = []
        for of in ("bmk", "bnk", "bmn"):
            loops = [loop for kind in of for loop in range(len(kinds)) if kinds[loop] == kind]
            if choose.random() < 0.4:
                choose.shuffle(loops)
            self.maps.append(loops)
        self.dynamic = {loop for loop in range(len(kinds)) if choose.random() < 0.25 and kinds[loop] in "bm"}

    def shape(self, indices):
        return [1 + sum((self.sizes[loop] - 1) * step for loop, step in terms(index)) for index in indices]

    def type_of(self, element, indices):
        sizes = ["?" if index in self.dynamic else str(size) for index, size in zip(indices, self.shape(indices))]
        return f"tensor<{'x'.join(sizes + [element])}>"

    def argument(self, element, loops):
        name = f"%a{len(self.arguments)}"
        tensor = random_tensor(self.choose, self.shape(loops))
        self.arguments.append((name, self.type_of(element, loops), element, tensor))
        return name, tensor

    def rhs(self, loops):
        if any(loop in self.dynamic for loop in loops) or self.choose.random() < 0.25:
            return self.argument(self.types[1], loops)
        return self.constant(self.types[1], self.shape(loops), self.type_of(self.types[1], loops))

    def constant(self, element, shape, type):
        known = [name for name, (of, _) in self.constants.items() if of == type]
        name = self.choose.choice(known) if known and self.choose.random() < 0.7 else f"w{len(self.constants)}"
        if name not in self.constants:
            self.constants[name] = (type, random_tensor(self.choose, shape))
        line = f"%{name} = tensor.empty() : {type}" if count_of(shape) == 0 else (
            f"%{name} = arith.constant dense_resource<{name}> : {type}")
        if line not in self.lines:
            self.lines.append(line)
        return f"%{name}", self.constants[name][1]

    def add(self, operation):
        """What its result is called."""
        name = f"%v{len(self.lines)}"
        self.lines.append(f"{name} = {operation}")
        return name

    def zeros(self, type, loops, element):
        sizes = []
        for loop in loops:
            if loop in self.dynamic:
                # The lhs, the first argument, has all loops of b and m.
                name, lhs_type = self.arguments[0][:2]
                at = self.add(f"arith.constant {self.maps[0].index(loop)} : index")
                sizes.append(self.add(f"tensor.dim {name}, {at} : {lhs_type}"))
        empty = self.add(f"tensor.empty({', '.join(sizes)}) : {type}")
        zero = self.add(f"arith.constant {'0' if element[0] == 'i' else '0.0'} : {element}")
        return self.add(f"linalg.fill ins({zero} : {element}) outs({empty} : {type}) -> {type}")

    def contraction(self, maps, lhs, rhs, out, sizes):
        type = self.type_of(self.types[2], maps[2])
        start = out[1] if out else Tensor([sizes[loop] for loop in maps[2]], [0] * count_of(sizes[loop] for loop in maps[2]))
        name = out[0] if out else self.zeros(type, maps[2], self.types[2])
        return self.generic(maps, lhs, rhs, (name, type, start), sizes), type, contract(lhs[1], rhs[1], start, maps, sizes), maps[2]

    def generic(self, maps, lhs, rhs, out, sizes):
        loops = ", ".join(f"d{loop}" for loop in range(len(sizes)))
        texts = [f"affine_map<({loops}) -> ({', '.join(text_of(index) for index in of)})>" for of in maps]
        iterators = ", ".join('"parallel"' if loop in maps[2] else '"reduction"' for loop in range(len(sizes)))
        types = [next((type for name, type, _, _ in self.arguments if name == operand[0]), None)
                 or self.constants[operand[0][1:]][0] for operand in (lhs, rhs)]
        a, b, c = self.types
        body, x, y = [], "%x", "%y"
        if a != c:
            extend = "arith.extsi" if a[0] == "i" else "arith.extf"
            body += [f"%p = {extend} %x : {a} to {c}", f"%q = {extend} %y : {b} to {c}"]
            x, y = "%p", "%q"
        f = "i" if c[0] == "i" else "f"
        body += [f"%r = arith.mul{f} {x}, {y} : {c}", f"%s = arith.add{f} %z, %r : {c}", f"linalg.yield %s : {c}"]
        return self.add(f"linalg.generic {{indexing_maps = [{', '.join(texts)}], iterator_types = [{iterators}]}} "
                        f"ins({lhs[0]}, {rhs[0]} : {', '.join(types)}) outs({out[0]} : {out[1]}) {{ "
                        f"^bb0(%x: {a}, %y: {b}, %z: {c}): " + "\n      ".join([""] + body) + f" }} -> {out[1]}")

    def maximum(self, value):
        name, type, tensor, loops = value
        f = self.types[2]
        least = self.add(f"arith.constant {'-7' if f[0] == 'i' else '-7.0'} : {f}")
        rank = ", ".join(f"d{i}" for i in range(len(loops)))
        parallel = ", ".join(['"parallel"'] * len(loops))
        op = "arith.maxsi" if f[0] == "i" else "arith.maximumf"
        result = self.add(f"linalg.generic {{indexing_maps = [affine_map<({rank}) -> ({rank})>], iterator_types = "
                          f"[{parallel}]}} outs({name} : {type}) {{ ^bb0(%x: {f}): %y = {op} %x, {least} : {f}\n      "
                          f"linalg.yield %y : {f} }} -> {type}")
        return result, type, Tensor(tensor.shape, [max(x, -7) for x in tensor.values]), loops

    def second(self, value):
        name, type, tensor, loops = value
        if loops[1] in self.dynamic:
            return value
        # One more loop, for the columns.
        columns, n = self.choose.choice([size for size in SIZES if size]), len(self.sizes)
        self.sizes = self.sizes + [columns]
        constant = self.constant(self.types[1], [tensor.shape[1], columns], f"tensor<{tensor.shape[1]}x{columns}x{self.types[1]}>")
        out_loops = [loops[0], n]
        out_type = self.type_of(self.types[2], out_loops)
        filled = self.zeros(out_type, out_loops, self.types[2])
        result = self.add(f"linalg.matmul ins({name}, {constant[0]} : {type}, {self.constants[constant[0][1:]][0]}) "
                          f"outs({filled} : {out_type}) -> {out_type}")
        start = Tensor([tensor.shape[0], columns], [0] * (tensor.shape[0] * columns))
        return result, out_type, contract(tensor, constant[1], start, [[0, 2], [2, 1], [0, 1]],
                                          [tensor.shape[0], columns, tensor.shape[1]]), out_loops

    def text(self):
        arguments = ", ".join(f"{name}: {type}" for name, type, _, _ in self.arguments)
        result, type = self.result[:2]
        return (f"func.func @{self.name}({arguments}) -> {type} {{\n  " + "\n  ".join(self.lines)
                + f"\n  return {result} : {type}\n}}\n")


class Convolution(Function):
    """The same of windows, of one or two dimensions, in any layout, with strides, dilations and groups."""

    def choose_loops(self):
        choose, self.sizes = self.choose, []

        def loop(sizes):
            self.sizes.append(choose.choice(sizes))
            return len(self.sizes) - 1

        images, channels, filters = loop([1, 1, 2, 3]), loop([1, 2, 3, 5, 8, 13, 16]), loop([1, 4, 7, 8, 16, 17, 32, 37])
        groups = [loop([1, 2, 3])] if choose.random() < 0.2 else []
        places, elements, windows = [], [], []
        for _ in range(choose.choice([1, 2, 2])):
            place, element = loop([1, 2, 3, 5, 7, 9]), loop([1, 1, 2, 3, 3, 4])
            places.append(place)
            elements.append(element)
            windows.append(((place, choose.choice([1, 1, 2, 3])), (element, choose.choice([1, 1, 1, 2]))))
        self.dynamic = {images} if choose.random() < 0.3 else set()
        if choose.random() < 0.5:
            lhs, out = [images, *groups, *windows, channels], [images, *groups, *places, filters]
        else:
            lhs, out = [images, *groups, channels, *windows], [images, *groups, filters, *places]
        rhs = [*groups, *choose.sample([*elements, channels, filters], len(elements) + 2)]
        if choose.random() < 0.3:
            choose.shuffle(lhs)
        if choose.random() < 0.2:
            choose.shuffle(out)
        self.maps = [lhs, rhs, out]


FUNCTIONS = [Function, Function, Convolution]


def module_of(functions, constants):
    text = "".join(function.text() for function in functions)
    resources = []
    for name, (type, tensor) in constants.items():
        element = re.search(r"(\w+)>$", type)[1].split("x")[-1]
        if tensor.values:
            alignment = struct.pack("<I", ELEMENTS[element][2]).hex()
            resources.append(f'{name}: "0x{alignment}{encode(element, tensor.values).hex()}"')
    return text + (f"{{-# dialect_resources: {{ builtin: {{ {', '.join(resources)} }} }} #-}}\n" if resources else "")


class Checker:
    def __init__(self, options):
        self.options, self.work, self.tiles = options, options.scratch, collections.Counter()
        self.work.mkdir(parents=True, exist_ok=True)
        self.wrong = self.checked = 0

    def module(self, number):
        choose = random.Random(f"{self.options.seed}.{number}")
        constants = {}
        functions = [choose.choice(FUNCTIONS)(f"f{i}", choose, constants) for i in range(FUNCTIONS_OF_MODULE)]
        source, program = self.work / f"m{number}.mlir", self.work / f"m{number}"
        source.write_text(module_of(functions, constants))
        way = list(WAYS[number % len(WAYS)])
        if choose.random() < 0.5:
            way.append(f"{PARAMETERS}={self.work / 'parameters.twp'}")
        done = subprocess.run([self.options.tool, "compile", source, "-o", program, f"--target={self.options.target}",
                               f"--cc={self.options.cc}", "--report=json", *way], capture_output=True, text=True)
        if done.returncode:
            self.fail(number, way, f"refused: {done.stderr[:2000]}")
            return
        self.tiles.update(re.findall(r'"(tw_mmt4d_tile_\w+)"', done.stdout))
        has_instance = PARAMETERS in " ".join(way)
        for rule in ["vectors", "instance"]:
            if f'"{rule}"' in done.stdout and (self.options.refuses or has_instance != (rule == "instance")):
                self.fail(number, way, f"packs weights when it runs: {rule}")
        for function in functions:
            for cpu in self.options.cpu:
                self.check(number, way, program, function, cpu)
        if self.options.refuses:
            self.check_refused(number, way, program, functions[0])
        if self.wrong == 0:
            source.unlink()
        program.unlink()

    def call(self, way, program, function, cpu):
        # The second run finds what the first one kept.
        command = [*shlex.split(self.options.run), "-cpu", cpu, str(program), f"--function={function.name}", "--runs=2"]
        command += [flag.replace(PARAMETERS, "--parameters") for flag in way if PARAMETERS in flag]
        for i, (_, _, element, tensor) in enumerate(function.arguments):
            path = self.work / f"x{i}.npy"
            path.write_bytes(npy.encode(ELEMENTS[element][1], tensor.shape, encode(element, tensor.values)))
            command.append(f"--input={path}")
        return subprocess.run(command + [f"--output={self.work / 'y.npy'}"], capture_output=True, text=True)

    def check(self, number, way, program, function, cpu):
        done = self.call(way, program, function, cpu)
        self.checked += 1
        if done.returncode:
            self.fail(number, way, f"{function.name} on {cpu}: {done.returncode} {done.stderr[:500]}")
            return
        _, shape, data = npy.decode((self.work / "y.npy").read_bytes())
        tensor = function.result[2]
        if list(shape) != tensor.shape or data != encode(function.types[2], tensor.values):
            self.fail(number, way, f"{function.name} on {cpu}: wrong")

    def check_refused(self, number, way, program, function):
        done = self.call(way, program, function, self.options.refuses)
        if done.returncode != 1 or "compiled for CPUs with" not in done.stderr:
            self.fail(number, way, f"{function.name} on {self.options.refuses}: {done.returncode} {done.stderr[:500]}")

    def fail(self, number, way, what):
        self.wrong += 1
        print(f"--seed={self.options.seed} --only={number} {' '.join(way)}: {what}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--run", required=True)
    parser.add_argument("--target", required=True)
    parser.add_argument("--cpu", action="append", required=True)
    parser.add_argument("--refuses")
    parser.add_argument("--tiles", default="vlx")
    parser.add_argument("--count", type=int, default=24, help="modules")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    checker = Checker(options)
    for number in range(options.count) if options.only is None else [options.only]:
        checker.module(number)
    expected = sum(count for name, count in checker.tiles.items() if options.tiles in name)
    total = sum(checker.tiles.values())
    print(f"{checker.checked} calls, {checker.wrong} wrong, refused or crashed; {expected} of {total} tiles have '{options.tiles}'")
    if options.only is None and expected < total / 3:
        sys.exit(f"fewer than a third of the tiles have '{options.tiles}'")
    sys.exit(1 if checker.wrong else 0)


if __name__ == "__main__":
    main()
