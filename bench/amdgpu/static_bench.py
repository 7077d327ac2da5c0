#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures of AMDGPU kernels without a GPU: every hand-written tile in a kernel of one wave, and generated workgroup
kernels, from their code objects. docs/benchmarks-amdgpu.md says how to read them.

--check exits with 1 if a kernel spills, uses scratch memory, or is worse than the baseline in bench/amdgpu/baseline."""

import argparse
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import code_object  # noqa: E402
import gpus  # noqa: E402
import hot_loop  # noqa: E402
import kernel_bounds  # noqa: E402
import wave_kernels  # noqa: E402

BASELINE = pathlib.Path(__file__).resolve().parent / "baseline"
# What the baseline keeps of a kernel.
KEPT = ("matrix_share", "prefetch_distance", "registers", "code_bytes")
NARROW = ("f8e4m3fnuz", "f8e5m2fnuz", "f8e4m3fn", "f8e5m2", "f6e2m3fn", "f6e3m2fn", "f4e2m1fn", "s8", "u8", "s4", "u4")
# How much worse than the baseline is none: the share absolutely, the rest relatively.
SHARE_SLACK, SLACK = 0.01, 1.05


def occupancy(resources, machine):
    """Waves per SIMD that registers and LDS leave room for."""
    wanted = -(-max(resources["vgpr_count"], 1) // machine["granule"]) * machine["granule"]
    waves = min(machine["simd_waves"], machine["simd_registers"] // wanted)
    if resources["group_segment_fixed_size"]:
        per_group = -(-resources["max_flat_workgroup_size"] // resources["wavefront_size"])
        groups = machine["processor_lds"] // resources["group_segment_fixed_size"]
        waves = min(waves, max(1, groups * per_group // machine["simds"]))
    return waves


def figures(name, gfx, machine, resources, loop, code_bytes):
    return {
        "name": name, "gfx": gfx,
        # vgpr_count is of both kinds where a wave has one file for them.
        "registers": resources["vgpr_count"], "agpr": resources.get("agpr_count", 0), "sgpr": resources["sgpr_count"],
        "spills": resources["vgpr_spill_count"] + resources["sgpr_spill_count"],
        "scratch": resources["private_segment_fixed_size"], "lds": resources["group_segment_fixed_size"],
        "occupancy": occupancy(resources, machine), "code_bytes": code_bytes,
        **{k: v for k, v in loop.items() if k != "lds"}, "lds_accesses": loop["lds"],
        "matrix_share": round(loop["matrix_share"], 4),
    }


def hand_written(gfx, machine, options, work):
    path = wave_kernels.built(gfx, options.kernels) if options.kernels else wave_kernels.build(
        gfx, [r.name for r in wave_kernels.rows_of(options.tool, gfx)], options.bitcode_dir, options.clang, work)
    tools = wave_kernels.llvm_programs(options.clang)
    for kernel in code_object.read_kernels(path, str(tools / "llvm-readelf"), str(tools / "llvm-objdump")):
        yield figures(kernel.name.removesuffix("_wave"), gfx, machine, kernel.resources, hot_loop.hot_loop(kernel, machine),
                      kernel.code_bytes)


def generated(gfx, machine, options):
    for tile, plan in kernel_bounds.KERNELS + kernel_bounds.OTHER_WAYS:
        if tile.endswith(gfx):
            resources, loop = kernel_bounds.measure(options.tool, tile, plan)
            yield figures(f"tw_mmt4d_kernel_{tile}" + (f" {plan}" if plan else ""), gfx, machine, resources, loop, 0)


def problems(found, baseline):
    """What a kernel's figures are worse in than the gates and the baseline allow."""
    for gate in ("spills", "scratch"):
        if found[gate]:
            yield f"{gate}: {found[gate]}"
    if baseline is None:
        yield "it is not in the baseline: run with --update"
        return
    if found["matrix_share"] < baseline["matrix_share"] - SHARE_SLACK:
        yield f"matrix_share {found['matrix_share']:.3f}, was {baseline['matrix_share']:.3f}"
    if found["prefetch_distance"] * SLACK < baseline["prefetch_distance"]:
        yield f"prefetch_distance {found['prefetch_distance']}, was {baseline['prefetch_distance']}"
    for name in ("registers", "code_bytes"):
        if found[name] > baseline[name] * SLACK:
            yield f"{name} {found[name]}, was {baseline[name]}"


def read_baseline(gfx):
    path = BASELINE / f"{gfx}.json"
    if not path.exists():
        return {}
    return {name: dict(zip(KEPT, values)) for name, values in json.loads(path.read_text())["kernels"].items()}


def write_baseline(gfx, kernels):
    BASELINE.mkdir(exist_ok=True)
    lines = ",\n".join(f"    {json.dumps(k['name'])}: {json.dumps([k[f] for f in KEPT])}" for k in kernels)
    (BASELINE / f"{gfx}.json").write_text(f'{{\n  "figures": {json.dumps(KEPT)},\n  "kernels": {{\n{lines}\n  }}\n}}\n')


def table(kernels):
    """The best tile of each type and target, as Markdown."""
    best = {}
    for k in kernels:
        kind = k["name"] if "_kernel_" in k["name"] else "tile"
        types = k["name"].split("_")[3] + ("_mx" if "_mx_" in k["name"] else "") + (
            "_steprnd" if "_steprnd_" in k["name"] else "")
        key = (k["gfx"], kind, types)
        if key not in best or k["matrix_share"] > best[key]["matrix_share"]:
            best[key] = k
    lines = ["| target | best of its types | matrix share | prefetch distance | registers (of which AGPRs) | LDS | "
             "waves per SIMD | loop: matrix, vector, scalar, loads, LDS | code |", "|---|---|---|---|---|---|---|---|---|"]
    for (gfx, kind, _), k in best.items():
        name = k["name"].removeprefix("tw_mmt4d_").replace(f"_amdgpu_{gfx}", "").replace("tile_", "")
        lines.append(f"| {gfx} | {name} | {100 * k['matrix_share']:.0f} % | {k['prefetch_distance']} | {k['registers']} "
                     f"({k['agpr']}) | {k['lds']} | {k['occupancy']} | {k['matrix']}, {k['vector']}, {k['scalar']}, "
                     f"{k['global']}, {k['lds_accesses']} | {k['code_bytes'] or ''} |")
    return "\n".join(lines)


def rewrite(path, text):
    """Replaces what stands between the document's marks."""
    begin, end = "<!-- static figures -->", "<!-- end of static figures -->"
    document = pathlib.Path(path).read_text(encoding="utf-8")
    head, rest = document.split(begin, 1)
    pathlib.Path(path).write_text(f"{head}{begin}\n{text}\n{end}{rest.split(end, 1)[1]}", encoding="utf-8")


def plot(path, kernels):
    """Matrix share against the tile's out elements, a line per type, a panel per target."""
    try:
        import matplotlib
    except ImportError as error:
        raise SystemExit("static_bench.py: --plot needs matplotlib; ./dev bench --amdgpu --plot brings it") from error
    matplotlib.use("Agg")
    from matplotlib import pyplot
    targets = sorted({k["gfx"] for k in kernels}, key=gpus.by_age)
    figure, axes = pyplot.subplots(2, 3, figsize=(15, 9), sharey=True)
    for axis, gfx in zip(axes.flat, targets):
        series = {}
        for k in kernels:
            parts = k["name"].split("_")
            if k["gfx"] == gfx and "_tile_" in k["name"] and "steprnd" not in parts:
                m0, n0, _ = map(int, parts[4].split("x"))
                best = series.setdefault(parts[3] + (" mx" if "mx" in parts else ""), {})
                best[m0 * n0] = max(best.get(m0 * n0, 0), 100 * k["matrix_share"])
        for types, points in sorted(series.items()):
            # Of the many pairs of narrow operands, those of equal types.
            if types.startswith(NARROW) and not any(types.startswith(t + t) for t in NARROW):
                continue
            axis.plot(*zip(*sorted(points.items())), marker="o", markersize=3, linewidth=1, label=types)
        axis.set_xscale("log", base=2)
        axis.set_title(gfx)
        axis.set_xlabel("elements of the tile (M0 x N0)")
        axis.legend(fontsize=6, loc="lower right")
        axis.grid(alpha=0.3)
    axes[0][0].set_ylabel("matrix share of modelled issue cycles, %")
    axes[1][0].set_ylabel("matrix share of modelled issue cycles, %")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def parse(arguments):
    root = wave_kernels.ROOT
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gfx", action="append", help="only these targets, as gfx942")
    parser.add_argument("--build-dir", default=str(root / "build" / "release"))
    parser.add_argument("--tool", help="the generator (default: BUILD_DIR/bin/tilewright)")
    parser.add_argument("--clang", default="clang-22")
    parser.add_argument("--kernels", metavar="DIR", help="where wave_kernels.py built the hand-written tiles' kernels")
    parser.add_argument("--check", action="store_true", help="judge against the gates and the baseline")
    parser.add_argument("--update", action="store_true", help="write the baseline")
    parser.add_argument("--json", metavar="FILE", help="write all figures")
    parser.add_argument("--from", dest="read", metavar="FILE", help="take what --json wrote instead of building kernels")
    parser.add_argument("--plot", metavar="FILE", help="write a picture (matplotlib)")
    parser.add_argument("--markdown", metavar="FILE", help="rewrite the table of this document")
    options = parser.parse_args(arguments)
    options.bitcode_dir = f"{options.build_dir}/lib/tilewright/bitcode"
    options.tool = options.tool or f"{options.build_dir}/bin/tilewright"
    if options.gfx:
        gpus.check_targets(parser, options.tool, options.gfx)
    return options


def main(arguments):
    options = parse(arguments)
    if options.read:
        kernels = json.loads(pathlib.Path(options.read).read_text())
    else:
        kernels = []
        machines = gpus.machines(options.tool)
        with tempfile.TemporaryDirectory() as work:
            for gfx in options.gfx or machines:
                machine = machines[gfx]
                kernels += [*hand_written(gfx, machine, options, work), *generated(gfx, machine, options)]
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(kernels, indent=1) + "\n")
    wrong = 0
    for gfx in sorted({k["gfx"] for k in kernels}):
        of_target = [k for k in kernels if k["gfx"] == gfx]
        if options.update:
            write_baseline(gfx, of_target)
        baseline = read_baseline(gfx)
        if options.check:
            for k in of_target:
                for problem in problems(k, baseline.get(k["name"])):
                    print(f"{k['name']}: {problem}")
                    wrong += 1
            for name in sorted(baseline.keys() - {k["name"] for k in of_target}):
                print(f"{name}: in the baseline, but no longer there")
                wrong += 1
    if options.plot:
        plot(options.plot, kernels)
    if options.markdown:
        rewrite(options.markdown, table(kernels))
    elif not options.check:
        print(table(kernels))
    if options.check:
        print(f"{len(kernels)} kernels, {wrong} problems")
    return 1 if wrong or not kernels else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
