#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An encoder of MiniLM's shapes, compiled, in one thread and in several.

    compiled_threads.py build/release/bin/tilewright [--threads=2] [--layers=6] [--runs=40] [--turns=7] [--check]

Layers of 128 tokens and 384 channels: 12 heads, softmax, layer norm, a GELU over 1536 channels, with random weights. It is
compiled for one thread and for --threads; what is printed is the least time of a call of either in each turn, the median
ratio to the first's of the same turn, and the same for the second in one thread of its own, and that the results are the
same to the bit. The cores should be real ones, not two threads of a core, and do nothing else. --check exits with 1 if
two threads are below 1.7 times as fast.
"""

import argparse
import pathlib
import random
import re
import statistics
import struct
import subprocess
import sys
import tempfile

BOUND = 1.7
TOKENS, CHANNELS, HIDDEN, HEADS = 128, 384, 1536, 12
DEPTH = CHANNELS // HEADS


def blob(count):
    """`count` floats around 0 as MLIR's hexadecimal blob."""
    chooser = random.Random(1)
    pattern = struct.pack("<4093f", *(chooser.uniform(-0.08, 0.08) for _ in range(4093))).hex()
    return "0x40000000" + (pattern * (count // 4093 + 1))[: 8 * count]


class Text:
    def __init__(self):
        self.lines, self.resources, self.count = [], {}, 0

    def op(self, text):
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def weights(self, name, *sizes):
        """Of all layers the same: parameters of different names are different ones."""
        shape = "x".join(map(str, sizes))
        count = 1
        for size in sizes:
            count *= size
        self.resources[name] = blob(count)
        return self.op(f"arith.constant dense_resource<{name}> : tensor<{shape}xf32>")

    def empty(self, shape):
        return self.op(f"tensor.empty() : tensor<{shape}xf32>")

    def zeros(self, shape):
        return self.op(f"linalg.fill ins(%zero : f32) outs({self.empty(shape)} : tensor<{shape}xf32>) -> tensor<{shape}xf32>")

    def named(self, op, x, x_shape, y, y_shape, out_shape):
        return self.op(f"linalg.{op} ins({x}, {y} : tensor<{x_shape}xf32>, tensor<{y_shape}xf32>) "
                       f"outs({self.zeros(out_shape)} : tensor<{out_shape}xf32>) -> tensor<{out_shape}xf32>")

    def generic(self, operands, out_shape, body, reduces=False, init=None):
        """`operands`: values, shapes and maps over d0, d1, ...; `body` of a, b, ... and, where it reduces, acc."""
        rank = out_shape.count("x") + 1 + reduces
        dims = ", ".join(f"d{i}" for i in range(rank))
        out = ", ".join(f"d{i}" for i in range(rank - reduces))
        maps = ", ".join(f"affine_map<({dims}) -> ({of})>" for _, _, of in operands)
        kinds = ", ".join(['"parallel"'] * (rank - reduces) + ['"reduction"'] * reduces)
        names = ", ".join(f"%{'abcd'[i]}: f32" for i in range(len(operands)))
        values = ", ".join(value for value, _, _ in operands)
        types = ", ".join(f"tensor<{shape}xf32>" for _, shape, _ in operands)
        init = init or self.empty(out_shape)
        return self.op(f"linalg.generic {{indexing_maps = [{maps}, affine_map<({dims}) -> ({out})>], iterator_types = [{kinds}]}} "
                       f"ins({values} : {types}) outs({init} : tensor<{out_shape}xf32>) {{\n"
                       f"  ^bb0({names}, %acc: f32):\n{body}  }} -> tensor<{out_shape}xf32>")

    def dense(self, name, x, inputs, outputs):
        out = f"{TOKENS}x{outputs}"
        product = self.named("matmul", x, f"{TOKENS}x{inputs}", self.weights(name, inputs, outputs), f"{inputs}x{outputs}", out)
        return self.generic([(product, out, "d0, d1"), (self.weights(f"{name}_bias", outputs), f"{outputs}", "d1")], out,
                            "    %r = arith.addf %a, %b : f32\n    linalg.yield %r : f32\n")

    def heads(self, x, permutation):
        split = self.op(f"tensor.expand_shape {x} [[0], [1, 2]] output_shape [{TOKENS}, {HEADS}, {DEPTH}] : "
                        f"tensor<{TOKENS}x{CHANNELS}xf32> into tensor<{TOKENS}x{HEADS}x{DEPTH}xf32>")
        sizes = [TOKENS, HEADS, DEPTH]
        shape = "x".join(str(sizes[i]) for i in permutation)
        return self.op(f"linalg.transpose ins({split} : tensor<{TOKENS}x{HEADS}x{DEPTH}xf32>) "
                       f"outs({self.empty(shape)} : tensor<{shape}xf32>) permutation = {permutation}")

    def attention(self, x):
        q, k, v = (self.heads(self.dense(name, x, CHANNELS, CHANNELS), order)
                   for name, order in (("q", [1, 0, 2]), ("k", [1, 2, 0]), ("v", [1, 0, 2])))
        scores, keys = f"{HEADS}x{TOKENS}x{TOKENS}", f"{HEADS}x{DEPTH}x{TOKENS}"
        values = f"{HEADS}x{TOKENS}x{DEPTH}"
        s = self.named("batch_matmul", q, values, k, keys, scores)
        s = self.generic([(s, scores, "d0, d1, d2")], scores,
                         f"    %r = arith.mulf %a, %scale : f32\n    linalg.yield %r : f32\n")
        s = self.op(f"linalg.softmax dimension(2) ins({s} : tensor<{scores}xf32>) "
                    f"outs({self.empty(scores)} : tensor<{scores}xf32>) -> tensor<{scores}xf32>")
        o = self.named("batch_matmul", s, scores, v, values, values)
        back = f"{TOKENS}x{HEADS}x{DEPTH}"
        o = self.op(f"linalg.transpose ins({o} : tensor<{values}xf32>) outs({self.empty(back)} : tensor<{back}xf32>) "
                    "permutation = [1, 0, 2]")
        o = self.op(f"tensor.collapse_shape {o} [[0], [1, 2]] : tensor<{back}xf32> into tensor<{TOKENS}x{CHANNELS}xf32>")
        return self.dense("o", o, CHANNELS, CHANNELS)

    def gelu(self, x):
        shape = f"{TOKENS}x{HIDDEN}"
        return self.generic([(x, shape, "d0, d1")], shape, "    %r = arith.mulf %a, %root : f32\n    %e = math.erf %r : f32\n"
                            "    %p = arith.addf %e, %one : f32\n    %h = arith.mulf %a, %half : f32\n"
                            "    %g = arith.mulf %h, %p : f32\n    linalg.yield %g : f32\n")

    def add_norm(self, x, y):
        shape, row = f"{TOKENS}x{CHANNELS}", f"{TOKENS}"
        both, of_row = "d0, d1", "d0"
        s = self.generic([(x, shape, both), (y, shape, both)], shape,
                         "    %r = arith.addf %a, %b : f32\n    linalg.yield %r : f32\n")
        total = self.generic([(s, shape, both)], row, "    %r = arith.addf %acc, %a : f32\n    linalg.yield %r : f32\n", True,
                             self.zeros(row))
        mean = self.generic([(total, row, of_row)], row, "    %r = arith.divf %a, %channels : f32\n    linalg.yield %r : f32\n")
        squares = self.generic([(s, shape, both), (mean, row, of_row)], row,
                               "    %d = arith.subf %a, %b : f32\n    %q = arith.mulf %d, %d : f32\n"
                               "    %r = arith.addf %acc, %q : f32\n    linalg.yield %r : f32\n", True, self.zeros(row))
        return self.generic([(s, shape, both), (mean, row, of_row), (squares, row, of_row)], shape,
                            "    %d = arith.subf %a, %b : f32\n    %q = arith.divf %c, %channels : f32\n"
                            "    %t = arith.addf %q, %small : f32\n    %i = math.rsqrt %t : f32\n"
                            "    %r = arith.mulf %d, %i : f32\n    linalg.yield %r : f32\n")


def model(layers):
    text = Text()
    x = "%x"
    for _ in range(layers):
        x = text.add_norm(x, text.attention(x))
        x = text.add_norm(x, text.dense("down", text.gelu(text.dense("up", x, CHANNELS, HIDDEN)), HIDDEN, CHANNELS))
    shape = f"tensor<{TOKENS}x{CHANNELS}xf32>"
    constants = {"zero": 0.0, "one": 1.0, "half": 0.5, "root": 0.70710678, "scale": DEPTH ** -0.5,
                 "channels": float(CHANNELS), "small": 1e-12}
    scalars = "".join(f"  %{name} = arith.constant {value:.9e} : f32\n" for name, value in constants.items())
    resources = ",\n".join(f'{name}: "{data}"' for name, data in text.resources.items())
    return (f"func.func @encode(%x: {shape}) -> {shape} {{\n{scalars}" + "\n".join(text.lines) +
            f"\n  return {x} : {shape}\n}}\n{{-# dialect_resources: {{ builtin: {{ {resources} }} }} #-}}\n")


def least(program, directory, runs, *options):
    output = directory / "y.npy"
    done = subprocess.run([program, f"--input={directory / 'x.npy'}", f"--output={output}", f"--runs={runs}", *options],
                          check=True, capture_output=True, text=True)
    return float(re.search(r"least ([0-9.]+) ms", done.stdout)[1]), output.read_bytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tilewright", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--runs", type=int, default=40, help="calls of a turn")
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--check", action="store_true", help="exit with 1 if the bound is missed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        directory = pathlib.Path(folder)
        source = directory / "model.mlir"
        source.write_text(model(options.layers))
        chooser = random.Random(2)
        header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({TOKENS}, {CHANNELS}), }}".ljust(117) + "\n"
        (directory / "x.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                                          struct.pack(f"<{TOKENS * CHANNELS}f",
                                                      *(chooser.uniform(-1, 1) for _ in range(TOKENS * CHANNELS))))
        one, several = directory / "one", directory / "several"
        for program, flags in ((one, []), (several, [f"--threads={options.threads}"])):
            subprocess.run([options.tilewright.resolve(), "compile", source, "-o", program, *flags], check=True)
        ways = {"compiled for one": (one,), "in one of several": (several, "--threads=1"),
                f"in {options.threads}": (several, f"--threads={options.threads}")}
        times, results = {way: [] for way in ways}, set()
        for _ in range(options.turns):
            for way, (program, *arguments) in ways.items():
                time, result = least(program, directory, options.runs, *arguments)
                times[way].append(time)
                results.add(result)
    base = times["compiled for one"]
    ratios = {way: statistics.median(one / time for one, time in zip(base, measured)) for way, measured in times.items()}
    for way, measured in times.items():
        print(f"{way:20} {ratios[way]:6.2f}x   ms of the turns " + " ".join(f"{time:.3f}" for time in measured))
    if len(results) != 1:
        sys.exit("the results differ")
    print("the results are the same")
    ratio = ratios[f"in {options.threads}"]
    if options.check and options.threads == 2 and ratio < BOUND:
        sys.exit(f"{ratio:.2f} is below {BOUND}")


if __name__ == "__main__":
    main()
