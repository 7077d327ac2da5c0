# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model in MLIR, compiled by `tilewright compile` and called by what its header says."""

import ctypes
import re
import subprocess

import numpy as np

TYPES = {"float": np.float32, "double": np.float64, "int8_t": np.int8, "int16_t": np.int16, "int32_t": np.int32,
         "int64_t": np.int64}


class CompiledModel:
    def __init__(self, tool, cc, mlir, tiling="late"):
        archive, header, library = (mlir.with_suffix(f".{tiling}{suffix}") for suffix in (".a", ".h", ".so"))
        run(tool, "compile", mlir, "-o", archive, f"--emit-header={header}", "--target=host", f"--data-tiling={tiling}")
        self.tiling = tiling
        run(cc, "-shared", "-o", library, "-Wl,--whole-archive", archive, "-Wl,--no-whole-archive", "-lm")
        self.library = ctypes.CDLL(str(library))
        entries = re.findall(r"^int32_t (\w+)\((.*?)\);", header.read_text(), re.S | re.M)
        entries = [entry for entry in entries if not entry[0].endswith("_with_workspace")]
        if len(entries) != 1:
            raise SystemExit(f"{header} declares {len(entries)} functions; expected one")
        self.name, parameters = entries[0][0], entries[0][1].split(",")
        self.parameters = [re.fullmatch(r"\s*(const )?(\w+) (\*?)(\w+)\s*", text).groups() for text in parameters]

    def call(self, inputs, shapes):
        """The status, and arrays of these shapes: inputs in order, sizes after the array that they belong to."""
        inputs, shapes = iter(inputs), iter(shapes)
        words, kept, results = [], [], []
        for const, name, pointer, parameter in self.parameters:
            size = re.search(r"_d(\d+)$", parameter)
            if pointer:
                array = (np.ascontiguousarray(next(inputs), TYPES[name]) if const else
                         np.full(next(shapes), -77, TYPES[name]))
                (kept if const else results).append(array)
                words.append(array.ctypes.data_as(ctypes.c_void_p))
            elif size:
                words.append(ctypes.c_int64(kept[-1].shape[int(size.group(1))]))
            else:
                words.append(ctypes.c_int64(next(inputs)))
        return getattr(self.library, self.name)(*words), results

    def check(self, inputs, expected, tolerance=1e-4):
        expected = [np.asarray(array) for array in expected]
        status, results = self.call(inputs, [array.shape for array in expected])
        if status:
            raise SystemExit(f"{self.name}, {self.tiling}: returned {status}")
        for number, (result, right) in enumerate(zip(results, expected)):
            error = float(np.max(np.abs(result.astype(np.float64) - right), initial=0))
            print(f"  {self.name}, {self.tiling}: result {number} {list(right.shape)}, largest error {error:.3g}, "
                  f"largest value {float(np.max(np.abs(right), initial=0)):.3g}")
            # Not the other way round: of a NaN nothing holds.
            if not error <= tolerance:
                raise SystemExit(f"{self.name}, {self.tiling}: result {number} is wrong by {error:.3g}; "
                                 f"accepted is {tolerance:g}")
        return results


class TiledModels:
    """A model by each way of --data-tiling: all compute what is expected, and late what early does, bit by bit."""

    def __init__(self, tool, cc, mlir, tilings):
        self.models = [CompiledModel(tool, cc, mlir, tiling) for tiling in tilings]

    def check(self, inputs, expected, tolerance=1e-4):
        results = {model.tiling: model.check(inputs, expected, tolerance) for model in self.models}
        if not {"late", "early"} <= results.keys():
            return
        for number, (late, early) in enumerate(zip(results["late"], results["early"])):
            if late.tobytes() != early.tobytes():
                raise SystemExit(f"{self.models[0].name}: result {number} of --data-tiling=late and of early differ")


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"failed: {' '.join(map(str, command))}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout
