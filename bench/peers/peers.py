#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole matmuls beside oneMKL, oneDNN, OpenBLAS and BLIS, in the newest builds that registries have.

Installs the libraries into an environment of their own, runs peers_bench on sets of shapes, and
prints geometric means; --plot draws the share of the issue peak over the size. docs/benchmarks.md
says how to read it.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENT = ROOT / "build" / "peers"
# oneDNN's newest package runs through SYCL alone; the newest that is a library for CPUs is older.
PACKAGES = ["mkl", "onednn-cpu-gomp", "scipy-openblas32", "matplotlib>=3.6,<4"]
LIBRARIES = {  # option: a pattern below the environment
    "mkl": "lib/libmkl_rt.so*",
    "onednn": "lib/libdnnl.so.3",
    "openblas": "lib/python3*/site-packages/scipy_openblas32/lib/libscipy_openblas.so",
}
BLIS = "/usr/lib/*/blis-serial/libblis.so*"  # Debian's libblis4-serial, where it is installed

SETS = {
    "cubes": [f"{n}x{n}x{n}" for n in (64, 128, 256, 512, 1024, 2048, 4096)],
    "minilm": ["128x384x384", "128x1536x384", "128x384x1536"],
    "llama": [f"{m}x{n}x{k}" for m in (1, 4, 16, 128)
              for n, k in ((4096, 4096), (14336, 4096), (4096, 14336))],
    "resnet": ["3136x64x576", "784x128x1152", "196x256x2304", "49x512x4608"],
}


def install():
    """The environment with all packages; those that are there stay."""
    complete, wanted = ENVIRONMENT / "complete", "\n".join(PACKAGES)
    if complete.exists() and complete.read_text(encoding="utf-8") == wanted:
        return
    print(f"setup: {', '.join(PACKAGES)} into {ENVIRONMENT.relative_to(ROOT)}", flush=True)
    venv.create(ENVIRONMENT, clear=True, with_pip=True)
    subprocess.run([ENVIRONMENT / "bin" / "pip", "install", "--quiet", *PACKAGES], check=True)
    complete.write_text(wanted, encoding="utf-8")


def libraries():
    """peers_bench's options."""
    options = []
    for name, pattern in LIBRARIES.items():
        found = sorted(ENVIRONMENT.glob(pattern))
        if not found:
            raise RuntimeError(f"{ENVIRONMENT} holds no {pattern}")
        options.append(f"--{name}={found[0]}")
    blis = sorted(pathlib.Path("/").glob(BLIS.lstrip("/")))
    if blis:
        options.append(f"--blis={blis[0]}")
    else:
        print("BLIS (libblis4-serial) is not installed: not beside", file=sys.stderr)
    return options + ["--openblas-prefix=scipy_"]


def summary(rows):
    """Lines: of each type and way of ours the geometric mean over the fastest peer, and the worst."""
    groups = {}
    for row in rows:
        if "best_peer" in row:
            groups.setdefault((row["types"], row["way"]), []).append(row)
    lines = []
    for (types, way), group in groups.items():
        mean = math.exp(sum(math.log(row["speed_over_it"]) for row in group) / len(group))
        worst = min(group, key=lambda row: row["speed_over_it"])
        short = sum(row["high"] < 0.98 for row in group)
        lines.append(f"{types:12} {way:22} {mean:.3f} of the fastest peer over {len(group)} shapes; "
                     f"worst {worst['speed_over_it']:.3f} ({worst['M']}x{worst['N']}x{worst['K']}, "
                     f"{worst['best_peer']}); {short} below 0.98 with their whole interval")
    return lines


def plot(rows, path):
    """Shares of the issue peak over the size of cubes, a picture per type."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    cubes = [row for row in rows if row["M"] == row["N"] == row["K"]]
    types = list(dict.fromkeys(row["types"] for row in cubes))
    if not types:
        raise RuntimeError("no cubes to draw: --set cubes has them")
    figure, axes = pyplot.subplots(1, len(types), figsize=(5.5 * len(types), 4), squeeze=False)
    for axis, name in zip(axes[0], types):
        of_type = [row for row in cubes if row["types"] == name]
        for library, way in dict.fromkeys((row["library"], row["way"]) for row in of_type):
            line = sorted((row["M"], row["peak_percent"]) for row in of_type
                          if (row["library"], row["way"]) == (library, way))
            own = library == "tilewright"
            axis.plot(*zip(*line), marker="o", markersize=3, linewidth=2 if own else 1,
                      linestyle="-" if own else "--", label=way if own else f"{library} {way}")
        axis.set(xscale="log", xlabel="M = N = K", ylabel="% of the issue peak", title=name,
                 ylim=(0, 105))
        axis.set_xticks(sorted({row["M"] for row in of_type}))
        axis.get_xaxis().set_major_formatter(matplotlib.ticker.ScalarFormatter())
        axis.grid(alpha=0.3)
        axis.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter,
                                     epilog="Further options go to peers_bench (--help).")
    parser.add_argument("--build-dir", default=str(ROOT / "build" / "release"))
    parser.add_argument("--set", action="append", choices=list(SETS),
                        help="shapes (default: cubes and minilm)")
    parser.add_argument("--json", metavar="FILE", help="write everything")
    parser.add_argument("--from", dest="read", metavar="FILE", help="take what --json wrote earlier")
    parser.add_argument("--plot", metavar="FILE", help="draw cubes, as .svg or .png")
    options, rest = parser.parse_known_args(arguments)
    try:
        if not options.read:
            install()
        if options.plot and sys.prefix != str(ENVIRONMENT):
            # Where matplotlib is.
            python = ENVIRONMENT / "bin" / "python"
            if python.exists():
                return subprocess.run([python, __file__, *arguments], check=False).returncode
        if options.read:
            data = json.loads(pathlib.Path(options.read).read_text(encoding="utf-8"))
        else:
            shapes = [shape for name in options.set or ("cubes", "minilm") for shape in SETS[name]]
            out = pathlib.Path(options.json or ENVIRONMENT / "last.json").resolve()
            program = pathlib.Path(options.build_dir) / "bin" / "peers_bench"
            status = subprocess.run([program, *libraries(), f"--shapes={','.join(shapes)}",
                                     f"--json={out}", *rest], check=False).returncode
            if status != 0:
                return status
            data = json.loads(out.read_text(encoding="utf-8"))
        print("\n".join(summary(data["rows"])))
        if options.plot:
            plot(data["rows"], options.plot)
    except (RuntimeError, OSError, ValueError, subprocess.CalledProcessError) as error:
        print(f"peers: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
