#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long it takes to compile a decoder of Llama 3's structure (tests/compile/llama_decoder.py), by Tilewright and by IREE.

    bench/compare_compile_times.py build/release/bin/tilewright --scratch=/tmp/compile_times
        [--iree=<folder of iree-compile>] [--phase=prefill,decode,both] [--layers=32] [--hidden=128 ...] [--turns=5] [--o3]

Each phase is compiled with data tiling and without, by both, for the CPU at hand, in turns. The least processor time counts, and the
least time by the clock: iree-compile has threads, and the tool has one. Matrices are narrow, so that it is compiling which is
timed and not what is read and written of weights. These are parameters in a file for Tilewright, which packs them when it
compiles, and named parameters for IREE, which packs them when the program starts. Tilewright's cache has the tiles from the second
turn on; without it they are generated anew.

iree-compile is looked for in the folder that --iree says, else in $PATH; `--iree=` is Tilewright alone.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tests/compile"))

import llama_decoder  # noqa: E402
from iree import IREE_HOST, IREE_SETTINGS  # noqa: E402

REQUIREMENTS = ROOT / "tests/models/requirements.txt"


def for_iree(lines):
    """The model with its parameters as IREE names them. Its dialect has no ml_program.extern."""
    for line in lines:
        line = re.sub(r'ml_program.global private @("[^"]*")\(#ml_program.extern : [^)]*\)',
                      r'util.global private @\1 = #flow.parameter.named<"model"::\1>', line)
        yield line.replace("ml_program.global_load_const", "util.global.load")


def find_iree(folder):
    """None where it is not wanted."""
    if folder == "":
        return None
    found = shutil.which("iree-compile", path=folder)
    if not found:
        package = next(re.sub(r"\[.*?\]", "", line) for line in REQUIREMENTS.read_text().splitlines()
                       if line.startswith("iree-base-compiler"))
        where = f"the folder {folder}" if folder else "$PATH"
        sys.exit(f"there is no iree-compile in {where}. It is in a package: `python3 -m venv iree && iree/bin/pip install "
                 f"{package}`, then --iree=iree/bin; or --iree= for Tilewright alone")
    return found


@dataclasses.dataclass
class Times:
    """The least of each."""
    processor: float = float("inf")
    clock: float = float("inf")
    megabytes: float = float("inf")

    def add(self, command):
        start = time.perf_counter()
        with open(os.devnull, "w") as nothing:
            process = subprocess.Popen(command, stdout=nothing, stderr=subprocess.PIPE, text=True)
            messages = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"{' '.join(map(str, command))} failed:\n{messages[-4000:]}")
        self.clock = min(self.clock, time.perf_counter() - start)
        self.processor = min(self.processor, usage.ru_utime + usage.ru_stime)
        self.megabytes = min(self.megabytes, usage.ru_maxrss / 1024)

    def __str__(self):
        return f"{self.processor:.2f} s of processor time, {self.clock:.2f} s, {self.megabytes:.0f} MiB"


def commands(options, config, iree):
    """By name."""
    source, weights = options.scratch / "decoder.mlir", options.scratch / "decoder.safetensors"
    lines = list(llama_decoder.model(config))
    source.write_text("\n".join(lines) + "\n")
    llama_decoder.write_sparse_parameters(config, weights)
    cache = f"--cache-dir={options.scratch / 'cache'}"
    result = {f"tilewright{name}": [options.tool, "compile", source, "-o", options.scratch / "decoder.a",
                                    f"--parameters={weights}", f"--parameters-out={options.scratch / 'decoder.twp'}", *flags]
              for name, flags in {"": [cache], " without its cache": ["--no-cache"],
                                  " without data tiling": [cache, "--data-tiling=none"]}.items()}
    if iree:
        text = options.scratch / "decoder.iree.mlir"
        text.write_text("\n".join(for_iree(lines)) + "\n")
        for name, flags in IREE_SETTINGS.items():
            if options.o3 or not name.startswith("O3"):
                result[f"IREE {name}".strip()] = [iree, text, "-o", options.scratch / "decoder.vmfb", *IREE_HOST, *flags]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("--scratch", type=pathlib.Path, required=True)
    parser.add_argument("--iree")
    parser.add_argument("--phase", default="prefill,decode,both")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--o3", action="store_true", help="IREE at its highest level, too")
    for name, value in {"layers": 32, "hidden": 128, "heads": 8, "kv_heads": 2, "ffn": 448, "vocabulary": 512, "tokens": 128,
                        "context": 512}.items():
        parser.add_argument("--" + name.replace("_", "-"), type=int, default=value)
    options = parser.parse_args()
    iree = find_iree(options.iree)
    options.scratch.mkdir(parents=True, exist_ok=True)
    sizes = {field.name: getattr(options, field.name) for field in dataclasses.fields(llama_decoder.Config)
             if hasattr(options, field.name) and field.name != "phase"}
    for phase in options.phase.split(","):
        all_commands = commands(options, llama_decoder.Config(phase=phase, **sizes), iree)
        times = {name: Times() for name in all_commands}
        for _ in range(options.turns):
            for name, command in all_commands.items():
                times[name].add(command)
        for name, least in times.items():
            ratio = least.processor / times["tilewright"].processor
            print(f"{phase}, {options.layers} layers, {name}: {least} ({ratio:.2f} of the processor time of tilewright)",
                  flush=True)


if __name__ == "__main__":
    main()
