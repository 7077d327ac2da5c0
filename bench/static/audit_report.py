# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The audit's figures as text and as tables of a document."""

import re
from statistics import geometric_mean, median

from report import replace_section

# Beyond this a body counts as quicker than another; within CHOSEN of the best it may be chosen.
MARGIN, CHOSEN = 1.05, 1.03
# Cores that issue instructions in their order, where this order counts most.
IN_ORDER = ("cortex-a55", "cortex-a510")


def families(tiles):
    """{(isa, family): [tile]}, in the order of the tiles."""
    result = {}
    for tile in tiles:
        result.setdefault((tile["isa"], tile["family"]), []).append(tile)
    return result


def ratios(tile):
    """{core: cycles of the generated twin / of the hand-written body}, where a model has both."""
    hand, twin = (tile["cycles"].get(origin, {}) for origin in ("hand", "generated"))
    return {core: twin[core] / hand[core] for core in hand if core in twin}


def short(tile):
    return tile["name"].removeprefix("tw_mmt4d_tile_").removesuffix("_" + tile["isa"])


def lines(tiles):
    """A line per tile: its bytes, and its ratios from the least to the most."""
    result = []
    for tile in tiles:
        found = sorted((ratio, core) for core, ratio in ratios(tile).items())
        text = "".join(f"  {ratio:.2f} {core}" for ratio, core in found) or "  no model"
        result.append(f"{tile['name']:60} {tile['bytes']['hand']} {tile['bytes']['generated']}{text}")
    return "\n".join(result)


def table(tiles):
    """A line per family and instruction set."""
    result = ["| family | tiles | bytes, hand-written | generated | pairs of tile and core | "
              "generated / hand-written cycles: least | median | most | hand-written quicker | "
              "generated quicker |", "|---" * 10 + "|"]
    for (_, family), members in families(tiles).items():
        found = [ratio for tile in members for ratio in ratios(tile).values()]
        cells = [f"`{family}`", len(members)]
        for origin in ("hand", "generated"):
            each = [tile["bytes"][origin] for tile in members]
            cells.append("–" if None in each else sum(each))
        cells.append(len(found) or "no model")
        if found:
            cells += [f"{min(found):.2f}", f"{median(found):.2f}", f"{max(found):.2f}",
                      sum(ratio > MARGIN for ratio in found),
                      sum(ratio < 1 / MARGIN for ratio in found)]
        else:
            cells += ["–"] * 5
        result.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(result)


def totals(tiles):
    """A line per architecture."""
    result = ["| architecture | tiles | bytes, hand-written | generated | pairs of tile and core | "
              "within 5 % | hand-written quicker | generated quicker |", "|---" * 8 + "|"]
    for arch in ("x86_64", "arm_64", "riscv_64"):
        members = [tile for tile in tiles if tile["isa"].startswith(arch + "_")]
        found = [ratio for tile in members for ratio in ratios(tile).values()]
        quicker = sum(ratio > MARGIN for ratio in found)
        slower = sum(ratio < 1 / MARGIN for ratio in found)
        code = [sum(tile["bytes"][origin] or 0 for tile in members) for origin in ("hand", "generated")]
        cells = [arch, len(members), *code, len(found) or "no model",
                 *([len(found) - quicker - slower, quicker, slower] if found else ["–"] * 3)]
        result.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(result)


def mean(found, without=()):
    """The geometric mean of {core: ratio}; 1 of none."""
    return geometric_mean([ratio for core, ratio in found.items() if core not in without] or [1.0])


def losers(tiles):
    """Families with tiles whose twin is quicker by more than MARGIN in the geometric mean of the cores
    that a model has both on and that issue out of order: on others the twin is made for the core."""
    result = ["| family | instruction set | tiles | generated / hand-written cycles, mean of all cores | "
              "of those out of order | least to most | quicker on |", "|---" * 7 + "|"]
    for (isa, family), members in families(tiles).items():
        lost = [(tile, found) for tile in members if (found := ratios(tile))
                and mean(found, IN_ORDER) < 1 / MARGIN]
        if lost:
            names = ", ".join(short(tile).split("_", 1)[1] for tile, _ in lost)
            every = [ratio for _, found in lost for ratio in found.values()]
            quicker = sorted({core for _, found in lost for core, ratio in found.items() if ratio < 1 / MARGIN})
            result.append(f"| `{family}` | {isa} | {names} | {span([mean(found) for _, found in lost])} | "
                          f"{span([mean(found, IN_ORDER) for _, found in lost])} | {span(every)} | "
                          f"{', '.join(quicker)} |")
    return "\n".join(result) if len(result) > 2 else "None."


def winners(tiles, cores=None, without=()):
    """Families with a body that is quicker than its twin by more than MARGIN on some core."""
    result = ["| family | instruction set | tiles | generated / hand-written cycles, of these | cores |",
              "|---|---|---|---|---|"]
    for (isa, family), members in families(tiles).items():
        found = {tile["name"]: {core: ratio for core, ratio in ratios(tile).items() if ratio > MARGIN
                               and core not in without and (not cores or core in cores)}
                 for tile in members}
        names = [short(tile).split("_", 1)[1] for tile in members if found[tile["name"]]]
        if names:
            every = [ratio for each in found.values() for ratio in each.values()]
            where = sorted({core for each in found.values() for core in each})
            result.append(f"| `{family}` | {isa} | {', '.join(names)} | {span(every)} | "
                          f"{', '.join(where)} |")
    return "\n".join(result) if len(result) > 2 else "None."


def span(values):
    least, most = f"{min(values):.2f}", f"{max(values):.2f}"
    return least if least == most else f"{least} to {most}"


def rate(tile, core, vector_bits):
    """Products per cycle of a hand-written tile on `core`; None if no model says it."""
    cycles = tile["cycles"].get("hand", {}).get(core)
    if not cycles:
        return None
    lanes = vector_bits(core, tile["isa"]) // (64 if tile["out"] == "f64" else 32)
    columns = tile["N0"] * (lanes if tile["N0_scalable"] else 1)
    return tile["M0"] * columns * tile["K0"] / cycles


def never_chosen(tiles, vector_bits, features):
    """The families that lose everywhere: on each core that a model has them on, and for each number
    of rows, a hand-written tile of another family makes more products per cycle, by more than CHOSEN.
    Rivals have the same types, variant and, where steps round, K0, and an instruction set that each
    core with the family's has: what cores without later instructions run is not superfluous.
    [(isa, family, the best share of the best, where)]."""
    best = {}
    for tile in tiles:
        rounds = tile["K0"] if tile["steprnd"] else 0
        for core in tile["cycles"].get("hand", {}):
            key = (tile["types"], rounds, tile["vnni"], tile["M0"], core)
            mine, found = (tile["isa"], tile["family"]), rate(tile, core, vector_bits)
            of_key = best.setdefault(key, {})
            of_key[mine] = max(found, of_key.get(mine, 0))
    shares = {}
    for (_, _, _, m0, core), found in best.items():
        for (isa, family), one in found.items():
            most = max(other for (its, _), other in found.items() if features[its] <= features[isa])
            shares.setdefault((isa, family), []).append((one / most, f"{m0} row{'s' if m0 > 1 else ''} on {core}"))
    return [(*key, *max(each)) for key, each in shares.items() if max(each)[0] * CHOSEN < 1]


def never_chosen_table(tiles, vector_bits, features):
    found = never_chosen(tiles, vector_bits, features)
    if not found:
        return "None."
    result = ["| family | instruction set | at best, of the best tile's products per cycle | where |",
              "|---|---|---|---|"]
    result += [f"| `{family}` | {isa} | {share:.2f} | {where} |" for isa, family, share, where in found]
    return "\n".join(result)


def by_isa(tiles):
    """The table of each instruction set below its name."""
    result = []
    for isa in dict.fromkeys(tile["isa"] for tile in tiles):
        result += [f"### `{isa}`", table([tile for tile in tiles if tile["isa"] == isa])]
    return "\n\n".join(result)


def write(document, tiles, vector_bits, features):
    replace_section(document, "totals", totals(tiles))
    replace_section(document, "winners", winners(tiles, without=IN_ORDER))
    replace_section(document, "winners in order", winners(tiles, IN_ORDER))
    replace_section(document, "losers", losers(tiles))
    replace_section(document, "never chosen", never_chosen_table(tiles, vector_bits, features))
    replace_section(document, "families", by_isa(tiles))


def stale(tiles, text):
    """What the tables of families in a document say otherwise than the tiles: one line each."""
    written, isa = {}, None
    for line in text.splitlines():
        heading, cell = re.match(r"### `(\w+)`$", line), re.match(r"\| `(\w+)` \| (\d+) \|", line)
        if heading:
            isa = heading.group(1)
        elif cell and isa:
            written[isa, cell.group(1)] = int(cell.group(2))
    today = {key: len(members) for key, members in families(tiles).items()}
    return [f"{isa} {family}: {today.get((isa, family), 0)} tiles, "
            f"{written.get((isa, family), 0)} in the document"
            for isa, family in sorted(today.keys() | written.keys())
            if today.get((isa, family)) != written.get((isa, family))]
