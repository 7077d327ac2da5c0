#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a model computes of its parameters alone is computed once, when an instance is made: random arithmetic and moves of
parameters, in several functions, against loops written here. Numbers are small integers: results are exact. With instances
nothing but multiplications may be left in a call.

  run_once.py <tilewright> <scratch> --cc=... [--target=<target> --run=<emulator>] [--count=12 --seed=1 --only=<number>]

Of several targets, "cpu=host g0=amdgpu:gfx942 g1=amdgpu:gfx950", functions are for the GPUs in turn.
"""

import argparse
import itertools
import json
import pathlib
import random
import shlex
import sys

import moved_parameters
from moved_parameters import Tensor, count_of, encode

ELEMENTS = [("F32", "f32", "f"), ("I8", "i8", "b"), ("U8", "i8", "B"), ("I32", "i32", "i")]
FUNCTIONS_OF_MODULE = 5
# The least that is kept.
PAGE = 4096
STATE = """ml_program.global private mutable @calls(0 : i64) : i64
func.func @count() -> i64 {
  %one = arith.constant 1 : i64
  %n = ml_program.global_load @calls : i64
  %next = arith.addi %n, %one : i64
  ml_program.global_store @calls = %next : i64
  return %next : i64
}
"""


class Function(moved_parameters.Function):
    """x times what is made of one parameter."""

    def __init__(self, name, choose, weights):
        self.name, self.choose, self.lines = name, choose, []
        dtype, weight = choose.choice(weights)
        value = Tensor("%w", weight.element, weight.shape, weight.values)
        self.lines.append(f"%w = ml_program.global_load_const @{weight.name} : {value.type()}")
        if value.element == "i8":
            value = self.cast(value, dtype)
        moves = [self.transpose, self.cut, self.expand, self.collapse]
        arithmetic = [self.scale, self.shift, self.clamp, self.turn, self.number]
        for _ in range(choose.randint(0, 2)):
            value = choose.choice(moves + arithmetic)(value)
        value = choose.choice(arithmetic[:3])(value)
        while len(value.shape) > 2:
            value = self.collapse(value)
        while len(value.shape) < 2:
            value = self.expand(value)
        if choose.random() < 0.3:
            value = self.transpose(value)
        self.is_kept = count_of(value.shape) * 4 >= PAGE
        self.multiply(value)

    def generic(self, value, body, values, operands=(), maps=(), shape=None):
        shape = shape or value.shape
        rank = len(shape)
        dims = ", ".join(f"d{i}" for i in range(rank))
        identity = f"affine_map<({dims}) -> ({dims})>"
        empty = self.add("tensor.empty() :", value.element, shape, None)
        result = Tensor(f"%v{len(self.lines)}", value.element, shape, values)
        inputs = list(operands)
        ins = (f"ins({', '.join(o.name for o in inputs)} : {', '.join(o.type() for o in inputs)}) " if inputs else "")
        all_maps = [m.replace("IDENTITY", identity) for m in maps] + [identity]
        arguments = ", ".join(f"%a{i}: {value.element}" for i in range(len(inputs))) + (", " if inputs else "")
        loops = ", ".join(['"parallel"'] * rank)
        self.lines.append(
            f"{result.name} = linalg.generic {{indexing_maps = [{', '.join(all_maps)}], iterator_types = [{loops}]}} "
            f"{ins}outs({empty.name} : {empty.type()}) {{\n  "
            f"^bb0({arguments}%out: {value.element}):\n    {body}\n  }} -> {result.type()}")
        return result

    def letter_of(self, value):
        return "i" if value.element == "i32" else "f"

    def constant(self, value, number):
        return f"{number}" if value.element == "i32" else f"{float(number)}"

    def scale(self, value):
        """By a vector along the last dimension, a constant of the model."""
        size, letter = value.shape[-1], self.letter_of(value)
        numbers = [self.choose.choice([-2, -1, 1, 2]) for _ in range(size)]
        vector = Tensor(f"%v{len(self.lines)}", value.element, [size], numbers)
        self.lines.append(f"{vector.name} = arith.constant dense<[{', '.join(self.constant(value, n) for n in numbers)}]> : "
                          f"{vector.type()}")
        dims = ", ".join(f"d{i}" for i in range(len(value.shape)))
        last = f"affine_map<({dims}) -> (d{len(value.shape) - 1})>"
        values = [v * numbers[i % size] for i, v in enumerate(value.values)]
        return self.generic(value, f"%r = arith.mul{letter} %a0, %a1 : {value.element}\n    linalg.yield %r : {value.element}",
                            values, (value, vector), ("IDENTITY", last))

    def shift(self, value):
        by, letter = self.choose.choice([-9, -2, 1, 7]), self.letter_of(value)
        body = (f"%c = arith.constant {self.constant(value, by)} : {value.element}\n    "
                f"%r = arith.sub{letter} %a0, %c : {value.element}\n    linalg.yield %r : {value.element}")
        return self.generic(value, body, [v - by for v in value.values], (value,), ("IDENTITY",))

    def clamp(self, value):
        most = self.choose.randint(0, 3)
        operation = "arith.minsi" if value.element == "i32" else "arith.minimumf"
        body = (f"%c = arith.constant {self.constant(value, most)} : {value.element}\n    "
                f"%r = {operation} %a0, %c : {value.element}\n    linalg.yield %r : {value.element}")
        return self.generic(value, body, [min(v, most) for v in value.values], (value,), ("IDENTITY",))

    def turn(self, value):
        """Turned around along one dimension, at computed indices."""
        dim, rank = self.choose.randrange(len(value.shape)), len(value.shape)
        body = "".join(f"%i{i} = linalg.index {i} : index\n    " for i in range(rank))
        body += (f"%last = arith.constant {value.shape[dim] - 1} : index\n    %t = arith.subi %last, %i{dim} : index\n    "
                 f"%r = tensor.extract {value.name}[{', '.join('%t' if i == dim else f'%i{i}' for i in range(rank))}] : "
                 f"{value.type()}\n    linalg.yield %r : {value.element}")
        values = []
        for index in itertools.product(*map(range, value.shape)):
            source = list(index)
            source[dim] = value.shape[dim] - 1 - source[dim]
            values.append(value.at(source))
        return self.generic(value, body, values)

    def number(self, value):
        """Plus where it is, modulo 5."""
        dim = self.choose.randrange(len(value.shape))
        cast = "arith.index_cast %m : index to i32"
        more = "" if value.element == "i32" else "%f = arith.sitofp %n : i32 to f32\n    "
        body = (f"%i = linalg.index {dim} : index\n    %five = arith.constant 5 : index\n    "
                f"%m = arith.remui %i, %five : index\n    %n = {cast}\n    {more}"
                f"%r = arith.add{self.letter_of(value)} %a0, {'%n' if value.element == 'i32' else '%f'} : {value.element}\n    "
                f"linalg.yield %r : {value.element}")
        values = [value.at(index) + index[dim] % 5 for index in itertools.product(*map(range, value.shape))]
        return self.generic(value, body, values, (value,), ("IDENTITY",))


class Checker(moved_parameters.Checker):
    def __init__(self, options):
        super().__init__(options, shlex.split(options.run))
        self.kept = 0
        self.targets = options.target.split()
        self.gpus = [target.split("=")[0] for target in self.targets if "=amdgpu" in target]

    def placed(self, text, number):
        """The function, for one of several GPUs."""
        if not self.gpus:
            return text
        return text.replace(" {\n", f' attributes {{tw.device = "{self.gpus[number % len(self.gpus)]}"}} {{\n', 1)

    def module(self, number):
        choose = random.Random(f"{self.options.seed}.{number}")
        weights, tensors = [], {}
        for i in range(2):
            dtype, element, letter = choose.choice(ELEMENTS)
            shape = [choose.choice([3, 12, 24, 30]) for _ in range(choose.randint(1, 2))] + [choose.choice([36, 60, 96])]
            least = 0 if dtype == "U8" else -9
            values = [choose.randint(least, 9) for _ in range(count_of(shape))]
            weights.append((dtype, Tensor(f"w{i}", element, shape, values)))
            tensors[f"w{i}"] = (dtype, shape, encode(dtype, letter, values))
        functions = [Function(f"f{i}", choose, weights) for i in range(FUNCTIONS_OF_MODULE)]
        # The same again: what two functions compute alike is kept once.
        text = functions[0].text()
        flags = ["--report=json"] + (["--data-tiling=early"] if number % 4 == 3 else [])
        if number % 5 == 4 and "amdgpu" not in self.options.target:
            flags += ["--threads=3"]
        flags += [f"--{'device' if '=' in target else 'target'}={target}" for target in self.targets]
        self.build(number, weights, tensors, (STATE if number % 3 == 1 else "")
                   + "".join(self.placed(f.text(), i) for i, f in enumerate(functions))
                   + self.placed(text, 0).replace("@f0(", "@again("), functions, flags, number % 3 == 0)

    def look(self, number, functions, report):
        """What is left for each call, and that it says so."""
        report = json.loads(report)
        kept = {name for work in report["run_once"]["work"] for name in work["entry_points"]}
        each_call = {name for work in report["each_call"] for name in work["entry_points"]}
        self.kept += len(report["run_once"]["work"])
        if number % 3 == 2:
            if report["run_once"]["work"] or report["run_once"]["bytes_kept"]:
                self.fail(number, "keeps something without an instance")
            missing = {function.name for function in functions if function.is_kept} - each_call
            if missing:
                self.fail(number, f"says nothing of {missing}, which have no instance")
            return
        if ("f0" in kept) != ("again" in kept) or any(("f0" in work["entry_points"]) != ("again" in work["entry_points"])
                                                     for work in report["run_once"]["work"]):
            self.fail(number, "two equal functions do not share what is kept")
        for function in functions:
            if not function.is_kept:
                continue
            if function.name not in kept:
                self.fail(number, f"{function.name} keeps nothing")
            left = {dispatch["function"] for dispatch in report["dispatches"]
                    for work in dispatch["work"] if work["entry_point"] == function.name}
            if any(not name.startswith(("matmul", *(["mmt4d", "pack", "unpack"] if "amdgpu" in self.options.target else [])))
                   for name in left):
                self.fail(number, f"{function.name}: {left} are left for each call")
            # Tiles of vectors of any length are packed where that is known.
            packs = [relayout for relayout in report["relayouts"] if relayout["entry_point"] == function.name
                     and relayout["what"] in ("rhs", "pack") and relayout["rule"] != "argument" and "vlx" not in relayout["to"]]
            if packs:
                self.fail(number, f"{function.name}: its weight is packed by each call: {packs}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--target", default="")
    parser.add_argument("--run", default="", help="what runs programs, as an emulator")
    parser.add_argument("--count", type=int, default=12, help="modules")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    checker = Checker(options)
    for number in range(options.count) if options.only is None else [options.only]:
        checker.module(number)
    print(f"{checker.checked} calls, {checker.kept} tensors kept, {checker.wrong} wrong, refused, crashed or not as reported")
    if options.only is None and checker.kept < options.count:
        sys.exit("hardly anything was kept")
    sys.exit(1 if checker.wrong else 0)


if __name__ == "__main__":
    main()
