# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bounds, and the results as text and as tables of a document."""

import pathlib
from statistics import median

from cpus import MEANT_FOR
from keys import Name

SHARE, RATIO = 0.95, 1.03
JUDGED = ("multiply", "convert", "chain")


def misses(data):
    """One line per bound that is missed."""
    lines = []
    for name, origins in sorted(data["tiles"].items()):
        for origin, body in sorted(origins.items()):
            what = f"{name} {origin}"
            if "error" in body:
                lines.append(f"{what}: {body['error']}")
            if body.get("spills"):
                lines.append(f"{what}: {len(body['spills'])} spills in the hot loop "
                             f"({', '.join(body['spills'][:2])})")
            for cpu, figures in sorted(body["cpus"].items()):
                if "error" in figures:
                    lines.append(f"{what} {cpu}: {figures['error']}")
                elif figures["bound_by"] in JUDGED and figures["share"] < SHARE:
                    lines.append(f"{what} {cpu}: {figures['share']:.1%} of the "
                                 f"{figures['bound_by']} bound ({figures['cycles']:.2f} cycles, "
                                 f"bound {figures['bound']:.2f}, of all units "
                                 f"{figures['unit_bound']:.2f}; busiest: "
                                 f"{' '.join(figures['busiest'])})")
        lines += _slower(name, origins)
    return lines


def _slower(name, origins):
    hand, generated = (origins.get(o, {}).get("cpus", {}) for o in ("hand", "generated"))
    for cpu in sorted(set(hand) & set(generated)):
        if "error" in hand[cpu] or "error" in generated[cpu]:
            continue
        ratio = generated[cpu]["cycles"] / hand[cpu]["cycles"]
        if ratio > RATIO:
            yield f"{name} {cpu}: generated takes {ratio:.3f} of the hand-written cycles"


def _cells(data):
    """One tuple per tile and CPU: (name, cpu, hand figures or None, generated or None, bodies)."""
    for name, origins in sorted(data["tiles"].items()):
        for cpu in sorted({c for body in origins.values() for c in body["cpus"]}) or [""]:
            yield name, cpu, {o: b["cpus"].get(cpu, {}) for o, b in origins.items()}, origins


def summary(data):
    """A line per tile, CPU and origin."""
    lines = [f"{'tile':58} {'cpu':11} {'origin':9} {'cycles':>7} {'bound':>7} {'by':8} {'share':>6}"
             f" {'mult':>6} {'vector':>6} {'units':>6} {'least':>6} {'load':>5}"
             "  total mul ld st vec sc /K step"]
    for name, cpu, figures, bodies in _cells(data):
        for origin, f in sorted(figures.items()):
            head = f"{name.removeprefix('tw_mmt4d_tile_'):58} {cpu:11} {origin:9} "
            body = bodies[origin]
            counts, tail = body.get("instructions_per_k_step"), ""
            if counts:
                tail = "  " + " ".join(f"{counts[k]:g}" for k in
                                      ("total", "multiply", "load", "store", "vector", "scalar"))
                tail += f"  {len(body['spills'])} SPILLS" if body["spills"] else ""
            if "cycles" in f:
                lines.append(head + f"{f['cycles']:7.2f} {f['bound']:7.2f} {f['bound_by']:8} "
                             f"{f['share']:6.1%} {f['multiply_bound']:6.2f} "
                             f"{f['vector_bound']:6.2f} {f['unit_bound']:6.2f} {f['least']:6.2f} "
                             f"{f['load_bound']:5.2f}{tail}")
            elif "error" in body or "error" in f:
                lines.append(head + (body.get("error") or f["error"]))
            else:
                lines.append(head + "no model" + tail)
    return "\n".join(lines)


def markers(what):
    return f"<!-- {what}: begin -->", f"<!-- {what}: end -->"




def _number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _counts(body):
    counts = body.get("instructions_per_k_step")
    if not counts:
        return "–"
    other = counts["vector"] + counts["scalar"] + counts["store"]
    text = "/".join(_number(n) for n in (counts["multiply"], counts["load"], other))
    return text + (f" **{len(body['spills'])} spills**" if body["spills"] else "")


def _line(key, bodies, machines):
    hand, generated = bodies.get("hand", {}), bodies.get("generated", {})
    cells = [f"{key.types} {key.shape}{' ' + key.variant if key.variant else ''}"]
    figures = {cpu: [each.get("cpus", {}).get(cpu, {}) for each in (hand, generated)]
               for cpu in machines}
    first = next((f for f in figures[machines[0]] if "cycles" in f), None) if machines else None
    if first:
        cells += [first["bound_by"], _number(first["bound"])]
    elif machines:
        cells += ["–", "–"]
    for cpu in machines:
        one, two = figures[cpu]
        for figure in (one, two):
            cells.append(f"{_number(figure['cycles'])} ({figure['share']:.0%})"
                         if "cycles" in figure else "–")
        if len(machines) and cpu == machines[0]:
            both = "cycles" in one and "cycles" in two
            cells.append(f"{two['cycles'] / one['cycles']:.2f}" if both else "–")
    for body in (hand, generated):
        cells.append("not examined" if "error" in body else _counts(body))
    return "| " + " | ".join(cells) + " |"


def overview(data):
    """A table of how many tiles of each kind hold their bounds, over all CPUs."""
    shares, ratios = {}, {}
    for _, _, figures, _ in _cells(data):
        for origin, figure in figures.items():
            if "bound_by" in figure:
                shares.setdefault((figure["bound_by"], origin), []).append(figure["share"])
        hand, generated = (figures.get(origin, {}) for origin in ("hand", "generated"))
        if "cycles" in hand and "cycles" in generated:
            ratios.setdefault(hand["bound_by"], []).append(generated["cycles"] / hand["cycles"])
    lines = ["| bound by | hand-written tiles × CPUs | of them ≥ 95 % | least | generated | ≥ 95 % "
             "| least | pairs | generated ≤ 1.03 | median ratio | worst |", "|---" * 11 + "|"]
    for kind in ("multiply", "convert", "chain", "load"):
        cells = [kind]
        for origin in ("hand", "generated"):
            found = shares.get((kind, origin), [])
            cells += [str(len(found)), str(sum(share >= SHARE for share in found)),
                      f"{min(found):.0%}" if found else "–"]
        pairs = ratios.get(kind, [])
        cells += [str(len(pairs)), str(sum(ratio <= RATIO for ratio in pairs)),
                  f"{median(pairs):.2f}" if pairs else "–", f"{max(pairs):.2f}" if pairs else "–"]
        lines.append("| " + " | ".join(cells) + " |")
    spilling = [f"{name} ({origin})" for name, origins in sorted(data["tiles"].items())
                for origin, body in sorted(origins.items()) if body.get("spills")]
    lines.append(f"\nHot loops with spills: {', '.join(spilling) if spilling else 'none'}.")
    return "\n".join(lines)


def tables(data):
    """The tables of the document: an overview, then one per ISA level with a line per tile."""
    by_isa = {}
    for name, bodies in data["tiles"].items():
        by_isa.setdefault(Name(name).isa, []).append((name, bodies))
    parts = [overview(data)]
    for isa in MEANT_FOR:
        if isa not in by_isa:
            continue
        machines = [cpu for cpu in MEANT_FOR[isa] if cpu in data["cpus"]]
        heads = ["tile"] + (["bound by", "bound"] if machines else [])
        for cpu in machines:
            heads += [f"{cpu}, hand-written", "generated"] + \
                (["ratio"] if cpu == machines[0] else [])
        heads += ["instructions, hand-written", "generated"]
        lines = [f"### `{isa}`", "", "| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
        order = sorted(by_isa[isa], key=lambda item: _order(Name(item[0])))
        lines += [_line(Name(name), bodies, machines) for name, bodies in order]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _order(key):
    return (key.types, key.variant, key.k0, key.n0_scalable, key.n0, key.m0_scalable, key.m0)


def replace_section(path, what, content):
    """Rewrites what stands between two markers of the document at `path`."""
    path, (begin, end) = pathlib.Path(path), markers(what)
    text = path.read_text(encoding="utf-8")
    if text.count(begin) != 1 or text.count(end) != 1:
        raise ValueError(f"{path} must hold the lines {begin} and {end} once each")
    head, rest = text.split(begin)
    path.write_text(f"{head}{begin}\n\n{content}\n\n{end}{rest.split(end)[1]}", encoding="utf-8")
