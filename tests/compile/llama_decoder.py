#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A decoder of Llama 3's structure, as MLIR text on tensors.

    llama_decoder.py [--phase=prefill|decode|both] [--layers=32] [--hidden=4096] [--heads=32] [--kv-heads=8] [--ffn=14336]
                     [--vocabulary=128256] [--tokens=128] [--context=512] [--type=f32|bf16] [--same-layers]
                     [--parameters=model.safetensors] > model.mlir

It is what a front end writes of the PyTorch model: each operation of its own, weights as rows of outputs, which are
transposed, keys and values repeated for the heads that share them, the parts of a softmax. Weights are parameters,
`#ml_program.extern`, so the text has none.

@prefill takes the tokens of a prompt, and gives the logits of the last one and each layer's keys and values. @decode takes
one token, its position, and each layer's keys and values in a cache of --context rows, of which those before the position
count; it gives the token's logits, keys and values, which the caller writes into its cache. With --phase=both they share the
parameters. With --type=bf16 weights of products are bf16, and so are the products' other operands; sums and all else are f32. With
--same-layers all layers have the weights of the first.
"""

import argparse
import dataclasses
import json
import math
import struct
import sys


@dataclasses.dataclass
class Config:
    layers: int = 32
    hidden: int = 4096
    heads: int = 32
    kv_heads: int = 8
    ffn: int = 14336
    vocabulary: int = 128256
    tokens: int = 128
    context: int = 512
    type: str = "f32"
    phase: str = "prefill"
    same_layers: bool = False  # whether all layers have the weights of one
    theta: float = 500000.0
    epsilon: float = 1e-5

    @property
    def depth(self):
        return self.hidden // self.heads

    def layer_name(self, layer):
        return f"layers.{0 if self.same_layers else layer}."

    def layer_parameters(self, layer):
        """Names, shapes and element types of a layer's weights."""
        kv = self.kv_heads * self.depth
        prefix = self.layer_name(layer)
        products = {"attention.q": (self.hidden, self.hidden), "attention.k": (kv, self.hidden),
                    "attention.v": (kv, self.hidden), "attention.o": (self.hidden, self.hidden),
                    "mlp.gate": (self.ffn, self.hidden), "mlp.up": (self.ffn, self.hidden),
                    "mlp.down": (self.hidden, self.ffn)}
        norms = {"attention.norm": (self.hidden,), "mlp.norm": (self.hidden,)}
        return ({prefix + name: (shape, self.type) for name, shape in products.items()} |
                {prefix + name: (shape, "f32") for name, shape in norms.items()})

    def parameters(self):
        result = {"embedding": ((self.vocabulary, self.hidden), "f32")}
        for layer in range(self.layers):
            result |= self.layer_parameters(layer)
        return result | {"norm": ((self.hidden,), "f32"), "head": ((self.vocabulary, self.hidden), self.type)}


@dataclasses.dataclass
class Value:
    name: str
    shape: tuple
    type: str = "f32"

    def __str__(self):
        return self.name

    @property
    def text(self):
        return tensor(self.shape, self.type)


def tensor(shape, type="f32"):
    return f"tensor<{'x'.join(map(str, [*shape, type]))}>"


class Function:
    """The operations of one function; each method adds some and returns their result."""

    def __init__(self, config):
        self.config, self.lines, self.count, self.constants = config, [], 0, {}
        self.parameters = config.parameters()

    def op(self, text, shape, type="f32"):
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return Value(f"%v{self.count}", tuple(shape), type)

    def constant(self, value):
        return self.constants.setdefault(value, f"%c{len(self.constants)}")

    def parameter(self, name):
        shape, type = self.parameters[name]
        return self.op(f'ml_program.global_load_const @"{name}" : {tensor(shape, type)}', shape, type)

    def empty(self, shape, type="f32"):
        return self.op(f"tensor.empty() : {tensor(shape, type)}", shape, type)

    def filled(self, value, shape):
        empty = self.empty(shape)
        return self.op(f"linalg.fill ins({self.constant(value)} : f32) outs({empty} : {empty.text}) -> {empty.text}", shape)

    def generic(self, operands, shape, body, type="f32", init=None, reduces=False):
        """`operands`: values, each with the dimensions d0, d1, ... that it is indexed by; `body` of %a, %b, ... and %acc."""
        rank = len(shape) + reduces
        dims = ", ".join(f"d{i}" for i in range(rank))
        out = ", ".join(f"d{i}" for i in range(len(shape)))
        maps = ", ".join(f"affine_map<({dims}) -> ({', '.join(f'd{i}' for i in of)})>" for _, of in operands)
        kinds = ", ".join(['"parallel"'] * len(shape) + ['"reduction"'] * reduces)
        names = "".join(f"%{'abcd'[i]}: {value.type}, " for i, (value, _) in enumerate(operands))
        ins = (f"ins({', '.join(map(str, (value for value, _ in operands)))} : "
               f"{', '.join(value.text for value, _ in operands)}) " if operands else "")
        init = init or self.empty(shape, type)
        return self.op(f"linalg.generic {{indexing_maps = [{maps}{', ' if maps else ''}affine_map<({dims}) -> ({out})>], "
                       f"iterator_types = [{kinds}]}} {ins}outs({init} : {init.text}) {{\n^bb0({names}%acc: {type}):\n"
                       f"  {body}\n  linalg.yield %r : {type}\n}} -> {init.text}", shape, type)

    def map(self, body, *values, type="f32"):
        """Of each element; values of fewer dimensions are those of the last."""
        shape = values[0].shape
        every = range(len(shape))
        return self.generic([(value, every[len(shape) - len(value.shape):]) for value in values], shape, body, type)

    def binary(self, name, *values):
        return self.map(f"%r = arith.{name} %a, %b : f32", *values)

    def with_scalar(self, name, value, scalar):
        return self.map(f"%r = arith.{name} %a, {self.constant(scalar)} : f32", value)

    def unary(self, name, value):
        return self.map(f"%r = {name} %a : f32", value)

    def of_rows(self, name, values, rows):
        """Each row of `values` with its element of `rows`."""
        every = range(len(values.shape))
        return self.generic([(values, every), (rows, every[:-1])], values.shape, f"%r = arith.{name} %a, %b : f32")

    def reduce(self, name, start, value):
        rows = value.shape[:-1]
        return self.generic([(value, range(len(value.shape)))], rows, f"%r = arith.{name} %a, %acc : f32",
                            init=self.filled(start, rows), reduces=True)

    def transpose(self, value, order):
        shape = [value.shape[i] for i in order]
        empty = self.empty(shape, value.type)
        return self.op(f"linalg.transpose ins({value} : {value.text}) outs({empty} : {empty.text}) "
                       f"permutation = {list(order)}", shape, value.type)

    def expand(self, value, groups, shape):
        return self.op(f"tensor.expand_shape {value} {groups} output_shape {list(shape)} : {value.text} into "
                       f"{tensor(shape, value.type)}", shape, value.type)

    def collapse(self, value, groups, shape):
        return self.op(f"tensor.collapse_shape {value} {groups} : {value.text} into {tensor(shape, value.type)}", shape,
                       value.type)

    def product(self, name, lhs, rhs, shape):
        """In the operands' type, with sums of f32."""
        init = self.filled(0.0, shape)
        return self.op(f"linalg.{name} ins({lhs}, {rhs} : {lhs.text}, {rhs.text}) outs({init} : {init.text}) -> {init.text}",
                       shape)

    def narrow(self, value):
        if self.config.type == "f32":
            return value
        return self.map(f"%r = arith.truncf %a : f32 to {self.config.type}", value, type=self.config.type)

    def linear(self, x, name):
        weight = self.transpose(self.parameter(name), (1, 0))
        return self.product("matmul", self.narrow(x), weight, (x.shape[0], weight.shape[1]))

    def norm(self, x, name):
        """RMSNorm."""
        squares = self.reduce("addf", 0.0, self.binary("mulf", x, x))
        mean = self.with_scalar("divf", squares, float(x.shape[-1]))
        factor = self.unary("math.rsqrt", self.with_scalar("addf", mean, self.config.epsilon))
        return self.binary("mulf", self.of_rows("mulf", x, factor), self.parameter(name))

    def heads(self, x, count):
        """tokens x (count depth) -> count x tokens x depth."""
        depth = self.config.depth
        return self.transpose(self.expand(x, [[0], [1, 2]], (x.shape[0], count, depth)), (1, 0, 2))

    def rotated(self, x, cosines, sines):
        """Rotary embedding: of pairs of elements, each in one half of the row."""
        heads, tokens, depth = x.shape
        half = (heads, tokens, depth // 2)

        def slice_at(offset):
            return self.op(f"tensor.extract_slice {x}[0, 0, {offset}] [{heads}, {tokens}, {depth // 2}] [1, 1, 1] : "
                           f"{x.text} to {tensor(half)}", half)

        first, second = slice_at(0), self.unary("arith.negf", slice_at(depth // 2))
        turned = self.op(f"tensor.concat dim(2) {second}, {first} : ({second.text}, {first.text}) -> {x.text}", x.shape)
        return self.binary("addf", self.binary("mulf", x, cosines), self.binary("mulf", turned, sines))

    def angles(self, tokens, position):
        """Cosines and sines of each position's angles."""
        depth = self.config.depth
        theta = self.constant(-2 * math.log(self.config.theta) / depth)
        body = ("%i = linalg.index 0 : index\n  %j = linalg.index 1 : index\n"
                f"  %p = arith.addi %i, {position} : index\n  %q = arith.index_cast %p : index to i64\n"
                "  %at = arith.sitofp %q : i64 to f32\n"
                f"  %k = arith.remui %j, %half : index\n  %l = arith.index_cast %k : index to i64\n"
                "  %of = arith.sitofp %l : i64 to f32\n"
                f"  %e = arith.mulf %of, {theta} : f32\n  %s = math.exp %e : f32\n  %r = arith.mulf %at, %s : f32")
        angles = self.generic([], (tokens, depth), body)
        return self.unary("math.cos", angles), self.unary("math.sin", angles)

    def repeated(self, x):
        """The heads of keys or values, for each head of queries."""
        heads, rows, depth = x.shape
        group = self.config.heads // heads
        shape = (heads, group, rows, depth)
        empty = self.empty(shape, x.type)
        x = self.op(f"linalg.broadcast ins({x} : {x.text}) outs({empty} : {empty.text}) dimensions = [1]", shape, x.type)
        return self.collapse(x, [[0, 1], [2], [3]], (heads * group, rows, depth))

    def softmax(self, x):
        x = self.unary("math.exp", self.of_rows("subf", x, self.reduce("maximumf", -math.inf, x)))
        return self.of_rows("divf", x, self.reduce("addf", 0.0, x))

    def attention(self, q, k, v, position):
        """Of `q`, heads x tokens x depth, from `position` on."""
        heads, tokens, depth = q.shape
        keys = k.shape[1]
        k, v = (self.repeated(self.narrow(x)) for x in (k, v))
        scores = self.product("batch_matmul", self.narrow(q), self.transpose(k, (0, 2, 1)), (heads, tokens, keys))
        scores = self.with_scalar("mulf", scores, depth ** -0.5)
        mask = self.generic([], (tokens, keys),
                            "%i = linalg.index 0 : index\n  %j = linalg.index 1 : index\n"
                            f"  %p = arith.addi %i, {position} : index\n  %later = arith.cmpi ugt, %j, %p : index\n"
                            f"  %r = arith.select %later, {self.constant(-math.inf)}, {self.constant(0.0)} : f32")
        weights = self.softmax(self.binary("addf", scores, mask))
        out = self.transpose(self.product("batch_matmul", self.narrow(weights), v, q.shape), (1, 0, 2))
        return self.collapse(out, [[0], [1, 2]], (tokens, heads * depth))

    def cached(self, rows, cache):
        """The cache with the rows of this call."""
        if cache is None:
            return rows
        heads, tokens, depth = rows.shape
        return self.op(f"tensor.insert_slice {rows} into {cache}[0, %position, 0] [{heads}, {tokens}, {depth}] [1, 1, 1] : "
                       f"{rows.text} into {cache.text}", cache.shape)

    def layer(self, x, layer, position, angles, caches):
        """What leaves the layer, and its keys and values."""
        config = self.config
        name = config.layer_name(layer)
        h = self.norm(x, name + "attention.norm")
        q = self.rotated(self.heads(self.linear(h, name + "attention.q"), config.heads), *angles)
        k = self.rotated(self.heads(self.linear(h, name + "attention.k"), config.kv_heads), *angles)
        v = self.heads(self.linear(h, name + "attention.v"), config.kv_heads)
        out = self.attention(q, self.cached(k, caches[0]), self.cached(v, caches[1]), position)
        x = self.binary("addf", x, self.linear(out, name + "attention.o"))
        h = self.norm(x, name + "mlp.norm")
        gate, up = self.linear(h, name + "mlp.gate"), self.linear(h, name + "mlp.up")
        sigmoid = self.map(f"%n = arith.negf %a : f32\n  %e = math.exp %n : f32\n"
                           f"  %d = arith.addf %e, {self.constant(1.0)} : f32\n"
                           f"  %r = arith.divf {self.constant(1.0)}, %d : f32", gate)
        gated = self.binary("mulf", self.binary("mulf", gate, sigmoid), up)
        return self.binary("addf", x, self.linear(gated, name + "mlp.down")), k, v

    def embedded(self, tokens):
        table = self.parameter("embedding")
        body = ("%j = linalg.index 1 : index\n  %i = arith.index_cast %a : i64 to index\n"
                f"  %r = tensor.extract {table}[%i, %j] : {table.text}")
        return self.generic([(tokens, [0])], (tokens.shape[0], self.config.hidden), body)


def function(config, phase):
    f = Function(config)
    tokens = config.tokens if phase == "prefill" else 1
    arguments = [("%tokens", tensor((tokens,), "i64"))]
    position = "%zero"
    caches = [(None, None)] * config.layers
    if phase == "decode":
        position = "%position"
        arguments.append((position, "index"))
        cache = (config.kv_heads, config.context, config.depth)
        caches = [(Value(f"%keys{i}", cache), Value(f"%values{i}", cache)) for i in range(config.layers)]
        arguments += [(str(value), value.text) for pair in caches for value in pair]
    x = f.embedded(Value("%tokens", (tokens,), "i64"))
    angles = f.angles(tokens, position)
    results = []
    for layer in range(config.layers):
        x, k, v = f.layer(x, layer, position, angles, caches[layer])
        results += [k, v]
    if tokens > 1:
        x = f.op(f"tensor.extract_slice {x}[{tokens - 1}, 0] [1, {config.hidden}] [1, 1] : {x.text} to "
                 f"{tensor((1, config.hidden))}", (1, config.hidden))
    results.insert(0, f.linear(f.norm(x, "norm"), "head"))
    types = ", ".join(value.text for value in results)
    yield f"func.func @{phase}({', '.join(f'{name}: {type}' for name, type in arguments)}) -> ({types}) {{"
    yield "%zero = arith.constant 0 : index"
    yield f"%half = arith.constant {config.depth // 2} : index"
    for value, name in f.constants.items():
        yield f"{name} = arith.constant {'0xFF800000' if value == -math.inf else f'{value:.9e}'} : f32"
    yield from f.lines
    yield f"return {', '.join(map(str, results))} : {types}"
    yield "}"


def model(config):
    for name, (shape, type) in config.parameters().items():
        type = tensor(shape, type)
        yield f'ml_program.global private @"{name}"(#ml_program.extern : {type}) : {type}'
    for phase in ("prefill", "decode") if config.phase == "both" else (config.phase,):
        yield from function(config, phase)


def write_sparse_parameters(config, path):
    """A safetensors file of zeros and, so that no two are the same, a few elements that are none. What is zero has no place on disk."""
    tensors, size = {}, 0
    for name, (shape, type) in config.parameters().items():
        count = math.prod(shape) * {"f32": 4, "bf16": 2}[type]
        tensors[name] = {"dtype": type.upper(), "shape": shape, "data_offsets": [size, size + count]}
        size += count
    header = json.dumps(tensors).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        for number, tensor in enumerate(tensors.values()):
            file.seek(8 + len(header) + tensor["data_offsets"][0])
            file.write(struct.pack("<I", number + 1))
        file.truncate(8 + len(header) + size)


def add_options(parser):
    parser.add_argument("--phase", choices=["prefill", "decode", "both"], default="prefill")
    parser.add_argument("--type", choices=["f32", "bf16"], default="f32")
    parser.add_argument("--same-layers", action="store_true")
    for name in "layers", "hidden", "heads", "kv_heads", "ffn", "vocabulary", "tokens", "context":
        parser.add_argument("--" + name.replace("_", "-"), type=int, default=getattr(Config, name))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(parser)
    parser.add_argument("--parameters", help="where to write a sparse safetensors file that has them")
    options = vars(parser.parse_args())
    parameters = options.pop("parameters")
    config = Config(**options)
    if parameters:
        write_sparse_parameters(config, parameters)
    for line in model(config):
        sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main()
