#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A decoder of Llama 3's structure (llama_decoder.py), compiled.

  decoder.py values <tilewright> <scratch> --cc=...
      A small one, prefill and then decode, against what the formulas give, and decode against a prefill of one token
      more.
  decoder.py dispatches <tilewright> <scratch> [--eight-b]
      Dispatches of a layer, for CPUs and a GPU, with data tiling and without; that without it nothing is left of encodings;
      and that prefill and decode in one model have each weight once, packed when the model is compiled: none is laid out
      anew when the program starts. Of matrices an eighth as wide as Llama 3 8B's, or, with --eight-b, as wide.
  decoder.py time <tilewright> <scratch> [--seconds=3] [--megabytes=250] [--turns=1] [--times=1.10]
      Processor time and memory that 32 layers take to compile, each phase and both; and how much more time data tiling
      takes than none, by the least of so many times and by the median.
"""

import argparse
import dataclasses
import json
import math
import pathlib
import random
import resource
import shlex
import statistics
import struct
import subprocess
import sys

import llama_decoder
import npy
import parameters
import tiling_counts

SMALL = llama_decoder.Config(layers=2, hidden=64, heads=4, kv_heads=2, ffn=96, vocabulary=50, tokens=20, context=40,
                             phase="both")
TILINGS = ("late", "early", "none")


class Oracle:
    """What the model computes, token by token, in floats of Python. It is independent of the model's text."""

    def __init__(self, config, weights):
        self.config, self.weights = config, weights
        self.keys = [[] for _ in range(config.layers)]  # by layer, position and head
        self.values = [[] for _ in range(config.layers)]

    def linear(self, x, name):
        weight = self.weights[name]
        return [sum(a * b for a, b in zip(x, weight[row:row + len(x)])) for row in range(0, len(weight), len(x))]

    def norm(self, x, name):
        factor = 1 / math.sqrt(sum(a * a for a in x) / len(x) + self.config.epsilon)
        return [a * factor * b for a, b in zip(x, self.weights[name])]

    def heads(self, x, position=None):
        """Rotated, where there is a position: elements i and i + half are a number of the complex plane."""
        depth, result = self.config.depth, []
        for start in range(0, len(x), depth):
            head = x[start:start + depth]
            if position is not None:
                half = depth // 2
                turned = [complex(head[i], head[i + half]) * complex(math.cos(angle), math.sin(angle))
                          for i in range(half) for angle in [position * self.config.theta ** (-2 * i / depth)]]
                head = [number.real for number in turned] + [number.imag for number in turned]
            result.append(head)
        return result

    def attention(self, layer, queries):
        result, group = [], self.config.heads // self.config.kv_heads
        for number, query in enumerate(queries):
            keys = [heads[number // group] for heads in self.keys[layer]]
            values = [heads[number // group] for heads in self.values[layer]]
            scores = [math.exp(sum(a * b for a, b in zip(query, key)) / math.sqrt(len(query))) for key in keys]
            total = sum(scores)
            result += [sum(score * value[i] for score, value in zip(scores, values)) / total for i in range(len(query))]
        return result

    def next(self, token):
        """The logits behind `token`."""
        hidden, position = self.config.hidden, len(self.keys[0])
        x = self.weights["embedding"][token * hidden:(token + 1) * hidden]
        for layer in range(self.config.layers):
            name = f"layers.{layer}."
            h = self.norm(x, name + "attention.norm")
            self.keys[layer].append(self.heads(self.linear(h, name + "attention.k"), position))
            self.values[layer].append(self.heads(self.linear(h, name + "attention.v")))
            h = self.attention(layer, self.heads(self.linear(h, name + "attention.q"), position))
            x = [a + b for a, b in zip(x, self.linear(h, name + "attention.o"))]
            h = self.norm(x, name + "mlp.norm")
            gate, up = self.linear(h, name + "mlp.gate"), self.linear(h, name + "mlp.up")
            gated = [a / (1 + math.exp(-a)) * b for a, b in zip(gate, up)]
            x = [a + b for a, b in zip(x, self.linear(gated, name + "mlp.down"))]
        return self.linear(self.norm(x, "norm"), "head")


def random_weights(config):
    """By name, elements in order: products that neither vanish nor grow."""
    generator = random.Random(7)
    weights = {}
    for name, (shape, _) in config.parameters().items():
        bound = 1.0 if name == "embedding" else 3 * shape[-1] ** -0.5
        low, high = (0.5, 1.5) if len(shape) == 1 else (-bound, bound)
        values = [generator.uniform(low, high) for _ in range(math.prod(shape))]
        weights[name] = list(struct.unpack(f"<{len(values)}f", struct.pack(f"<{len(values)}f", *values)))
    return weights


def floats(values):
    return struct.pack(f"<{len(values)}f", *values)


class Program:
    """The model as a program with a runner."""

    def __init__(self, options, config, weights, *flags):
        self.config, self.work = config, options.scratch
        source = self.work / "decoder.mlir"
        source.write_text("\n".join(llama_decoder.model(config)) + "\n")
        file = self.work / "decoder.safetensors"
        file.write_bytes(parameters.safetensors({
            name: ("F32", list(shape), floats(weights[name])) for name, (shape, _) in config.parameters().items()}))
        self.program = self.work / "decoder"
        subprocess.run([options.tool, "compile", source, "-o", self.program, f"--parameters={file}", f"--cc={options.cc}",
                        *flags], check=True)
        self.run_command = shlex.split(options.run)

    def call(self, function, tokens, *inputs):
        """Logits, and keys and values of each layer: lists by head, token and depth."""
        arguments = [("<i8", (len(tokens),), struct.pack(f"<{len(tokens)}q", *tokens)), *inputs]
        command = [*self.run_command, self.program, f"--function={function}"]
        for number, argument in enumerate(arguments):
            if isinstance(argument, int):
                command.append(f"--input={argument}")
                continue
            path = self.work / f"input{number}.npy"
            path.write_bytes(npy.encode(*argument))
            command.append(f"--input={path}")
        results = [self.work / f"result{number}.npy" for number in range(1 + 2 * self.config.layers)]
        subprocess.run([*command, *(f"--output={path}" for path in results)], check=True, capture_output=True)
        decoded = [npy.decode(path.read_bytes())[2] for path in results]
        return [list(struct.unpack(f"<{len(data) // 4}f", data)) for data in decoded]


class Cache:
    """Keys or values of a layer, in heads x context x depth."""

    def __init__(self, config):
        self.config = config
        # What no token has written yet is read, too, and must not matter.
        self.data = [1e3] * (config.kv_heads * config.context * config.depth)

    def write(self, rows, position):
        depth, count = self.config.depth, len(rows) // self.config.kv_heads
        for head in range(self.config.kv_heads):
            start = (head * self.config.context + position) * depth
            self.data[start:start + count] = rows[head * count:(head + 1) * count]

    @property
    def input(self):
        config = self.config
        return "<f4", (config.kv_heads, config.context, config.depth), floats(self.data)


def compare(what, actual, expected):
    error = max(abs(a - b) for a, b in zip(actual, expected, strict=True))
    largest = max(map(abs, expected))
    print(f"{what}: largest error {error:.1e}, largest value {largest:.2f}")
    # Sums of up to 96 products, a few dozen behind each other, in another order.
    if not error <= 1e-5 * largest:
        sys.exit(f"{what}: got {actual[:8]}..., expected {expected[:8]}...")


def check_values(options):
    generator = random.Random(5)
    tokens = [generator.randrange(SMALL.vocabulary) for _ in range(SMALL.tokens + 2)]
    weights = random_weights(SMALL)
    oracle = Oracle(SMALL, weights)
    expected = [oracle.next(token) for token in tokens]
    for tiling in TILINGS:
        flags = [f"--data-tiling={tiling}", *options.flags]
        # First, for the other overwrites its program.
        longer = Program(options, dataclasses.replace(SMALL, tokens=SMALL.tokens + 1), weights, *flags)
        more = longer.call("prefill", tokens[:SMALL.tokens + 1])[0]
        program = Program(options, SMALL, weights, *flags)
        logits, *rows = program.call("prefill", tokens[:SMALL.tokens])
        compare(f"{tiling}, prefill", logits, expected[SMALL.tokens - 1])
        caches = [Cache(SMALL) for _ in rows]
        position = 0
        for step in range(2):
            for cache, new in zip(caches, rows):
                cache.write(new, position)
            position = SMALL.tokens + step
            logits, *rows = program.call("decode", tokens[position:position + 1], position,
                                         *(cache.input for cache in caches))
            compare(f"{tiling}, decode of token {position}", logits, expected[position])
            if step == 0:
                compare(f"{tiling}, prefill of one token more", more, logits)


# Prefill 128, decode at context 512, a vocabulary that is no work: the head is of no layer.
NARROW = llama_decoder.Config(hidden=512, heads=8, kv_heads=2, ffn=1792, vocabulary=1024)
EIGHT_B = llama_decoder.Config(vocabulary=1024, same_layers=True)
# The most of a layer, with data tiling: IREE 3.13 has 22.
MOST_DISPATCHES = {
    ("x86_64_avx512_base", "prefill"): 15, ("x86_64_avx512_base", "decode"): 16,
    ("arm_64:neoverse-n1", "prefill"): 15, ("arm_64:neoverse-n1", "decode"): 16,
    ("amdgpu:gfx942", "prefill"): 21, ("amdgpu:gfx942", "decode"): 22,
}

# No matrix has as many rows or columns, so that types tell weights from what is multiplied by them.
DISTINCT_TOKENS = 120
# Where prefill and decode have each weight once, as it was packed when the model was compiled. Vectors have a known length.
ONE_LAYOUT = ("x86_64_avx512_base", "arm_64:neoverse-n1", "arm_64:neoverse-v1+vl256", "amdgpu:gfx942")


def write_decoder(options, config):
    """The model and its parameters, as files."""
    source, file = options.scratch / "decoder.mlir", options.scratch / "decoder.safetensors"
    source.write_text("\n".join(llama_decoder.model(config)) + "\n")
    llama_decoder.write_sparse_parameters(config, file)
    return source, file


def compile_decoder(options, config, *flags):
    """The report."""
    source, file = write_decoder(options, config)
    done = subprocess.run([options.tool, "compile", source, "-o", options.scratch / "decoder.a", f"--parameters={file}",
                           "--report=json", *flags], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def dispatches_of_layer(options, config, *flags):
    """What one layer more adds."""
    counts = [sum(dispatch["calls"] for dispatch in compile_decoder(
        options, dataclasses.replace(config, layers=layers), *flags)["dispatches"]) for layers in (2, 3)]
    return counts[1] - counts[0]


def wrong_weights(target, report, config):
    """Lines about weights that are stored more than once, or that a program would lay out anew when it starts or later."""
    shapes = [shape for shape, _ in config.parameters().values() if len(shape) > 1]
    constants = report["large_constants"]
    packed = sum(constant["packed"] for constant in constants)
    print(f"{target}, prefill and decode: {len(constants)} large constants of {len(shapes)} matrices, {packed} of them packed")
    if len(constants) != len(shapes):
        yield f"{len(constants)} large constants of {len(shapes)} matrices: each has to be there once"
    # Rows are taken of the embedding.
    if packed != len(shapes) - 1:
        yield f"{packed} matrices are packed, expected all but the embedding"
    types = {f"tensor<{rows}x{columns}xf32>" for shape in shapes for rows, columns in (shape, shape[::-1])}
    for relayout in report["relayouts"]:
        if relayout["from"] in types or relayout["rule"] == "vectors":
            yield f"a weight is laid out anew: {relayout}"
    for work in report["run_once"]["work"]:
        yield f"is computed when the program starts: {work}"


def check_dispatches(options):
    config, failed = EIGHT_B if options.eight_b else NARROW, False
    for (target, phase), most in MOST_DISPATCHES.items():
        of_phase = dataclasses.replace(config, phase=phase)
        counts = {tiling: dispatches_of_layer(options, of_phase, f"--target={target}", f"--data-tiling={tiling}")
                  for tiling in TILINGS}
        print(f"{target}, {phase}: dispatches of a layer {counts}")
        if counts["late"] > min(most, counts["none"]):
            failed = True
            print(f"wrong: at most {most} with data tiling, and no more than without, are allowed")
    both = dataclasses.replace(config, phase="both", layers=2, tokens=DISTINCT_TOKENS)
    for target in ONE_LAYOUT:
        for wrong in wrong_weights(target, compile_decoder(options, both, f"--target={target}"), both):
            failed = True
            print(f"wrong: {target}, prefill and decode: {wrong}")
    source, file = write_decoder(options, both)
    for wrong in tiling_counts.check(options.tool, source, True, [f"--parameters={file}"]):
        failed = True
        print(f"wrong: {wrong}")
    sys.exit(1 if failed else 0)


def processor_time(compile_it):
    """Seconds that children of this process took in the call, and what it returns."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = compile_it()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, result


def check_time(options):
    failed = False
    for phase in "prefill", "decode", "both":
        # Of narrow layers: what 32 GB of weights take is read and written (docs/parameters.md).
        config = llama_decoder.Config(hidden=128, heads=8, kv_heads=2, ffn=448, vocabulary=512, phase=phase)
        seconds = {tiling: [] for tiling in TILINGS}
        # In turns, so that what the machine does beside is beside all of them.
        for tiling in options.turns * TILINGS:
            time, report = processor_time(lambda: compile_decoder(
                options, config, "--target=x86_64_avx512_base", f"--data-tiling={tiling}"))
            seconds[tiling].append(time)
            megabytes = report["peak_memory_bytes"] / 1e6
            calls = sum(dispatch["calls"] for dispatch in report["dispatches"])
            print(f"{phase}, {tiling}: {time:.2f} s of processor time, {megabytes:.0f} MB, {calls} dispatches of "
                  f"{len(report['dispatches'])} functions")
            if megabytes > options.megabytes or time > options.seconds * (2 if phase == "both" else 1):
                failed = True
                print(f"wrong: at most {options.seconds} s a phase and {options.megabytes} MB are allowed")
        least, medians = (function(seconds["late"]) / function(seconds["none"]) for function in (min, statistics.median))
        print(f"{phase}: late takes {least:.2f} of the time of none by the least times, {medians:.2f} by the medians of "
              f"{options.turns}")
        if options.times and least > options.times:
            failed = True
            print(f"wrong: late may take at most {options.times} of the time of none")
    sys.exit(1 if failed else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["values", "dispatches", "time"])
    parser.add_argument("tool")
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--run", default="", help="what runs the programs")
    parser.add_argument("--flag", action="append", dest="flags", default=[], help="of tilewright compile")
    parser.add_argument("--eight-b", action="store_true", help="matrices as wide as those of Llama 3 8B")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--megabytes", type=float, default=250)
    parser.add_argument("--turns", type=int, default=1, help="how often each is compiled for its time")
    parser.add_argument("--times", type=float, help="the most that data tiling may take of the time without, of least times")
    options = parser.parse_args()
    options.scratch.mkdir(parents=True, exist_ok=True)
    {"values": check_values, "dispatches": check_dispatches, "time": check_time}[options.what](options)


if __name__ == "__main__":
    main()
