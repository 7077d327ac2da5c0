# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which execution ports the vector instructions of tiles issue to on x86-64 cores.

LLVM 22's models are wrong just there: one 512-bit FMA per cycle on Ice Lake-SP and Sapphire Rapids,
which have two; `vpdpbusd` every other cycle on Zen 4, whose model Zen 5 has as well; Gracemont as
Alder Lake's large core. `core_rates.py --disagreements` lists where this table and llvm-mca differ.

Sources: uops.info and Agner Fog's instruction tables for ports; and measured by peak_bench, which
are the issue peaks: Zen 3, Zen 4 and Zen 5 (EPYC, virtual machines), Emerald Rapids, Granite Rapids
and Skylake-SP (virtual machines).
"""

from collections import Counter
from itertools import combinations

# instructions.def's instruction: what each micro-operation is. A product that another instruction
# adds is two.
INSTRUCTIONS = {
    "FMA_YMM": ("ymm", ["fma"]),
    "FMA_ZMM": ("zmm", ["fma"]),
    "FMA_F64_YMM": ("ymm", ["fma"]),
    "FMA_F64_ZMM": ("zmm", ["fma"]),
    "DPBF16_ZMM": ("zmm", ["dot bf16"]),
    "MADDWD_YMM": ("ymm", ["multiply 16", "add"]),
    "MADDWD_ZMM": ("zmm", ["multiply 16", "add"]),
    "DPWSSD_YMM": ("ymm", ["dot 16"]),
    "DPWSSD_ZMM": ("zmm", ["dot 16"]),
    "DPBUSD_YMM": ("ymm", ["dot 8"]),
    "DPBUSD_ZMM": ("zmm", ["dot 8"]),
    "MULLD_YMM": ("ymm", ["multiply 32", "add"]),
    "MULLD_ZMM": ("zmm", ["multiply 32", "add"]),
}

# {register: {operation: [(ports, slots)]}}: so many slots on one of these ports. Port names are
# those of the vendors; AMD's are the pipes FP0 to FP3. `load` and `store` have ports of their own,
# L and M, S and T, as many as a cycle has. The load of an operand in memory comes on top: lanes in
# memory that are repeated are nothing else on Intel's large cores (measured on Granite Rapids: two
# vmovsldup a cycle, and ten such loads beside sixteen multiply-adds in eight).
INTEL_YMM = {"fma": [("01", 1)], "multiply 16": [("01", 1)], "multiply 32": [("01", 2)],
             "dot 16": [("01", 1)], "dot 8": [("01", 1)], "add": [("015", 1)],
             "float add": [("01", 1)], "logic": [("015", 1)], "shift": [("01", 1)],
             "shuffle": [("5", 1)], "permute": [("5", 1)], "permute two": [("5", 2)],
             "widen": [("5", 1)], "from half": [("01", 1), ("5", 1)],
             "narrow": [("01", 1), ("5", 1)], "repeat lanes": [], "load": [("LM", 1)],
             "broadcast": [("LM", 1)], "store": [("S", 1)]}


def on_ports(table, old, new):
    """`table` with other names of ports."""
    return {operation: [(new if ports == old else ports, slots) for ports, slots in slots_of]
            for operation, slots_of in table.items()}


# Port 1 is closed to vectors while 512-bit operations are in flight, which use it with port 0.
INTEL_ZMM = {**on_ports(on_ports(INTEL_YMM, "01", "05"), "015", "05"), "shift": [("0", 1)]}
GOLDEN_COVE_YMM = {**INTEL_YMM, "float add": [("15", 1)], "load": [("LMN", 1)],
                   "broadcast": [("LMN", 1)], "store": [("ST", 1)]}
# Two cycles on each of both ports: measured, 75 to 90 Gop/s of vdpbf16ps beside 173 to 179 of FMA.
GOLDEN_COVE_ZMM = {**INTEL_ZMM, "dot bf16": [("05", 4)]}
# AMX's registers of 16 rows of 64 bytes: a unit of its own (X) takes a row of the lhs a cycle, loads
# are as many as rows. Measured on Emerald Rapids: 16.8 cycles a multiply, 17.4 with a load beside; on
# Granite Rapids 16.4 and 16.5, of loads alone 8.3.
AMX = {"dot tile": [("X", 16)], "load": [("LM", 16)], "store": [("S", 16)]}
# 256 bits are two operations of 128; two ports of floating point, three of integers.
GRACEMONT = {"fma": [("01", 2)], "multiply 16": [("01", 2)], "multiply 32": [("01", 4)],
             "dot 16": [("01", 2)], "dot 8": [("01", 2)], "add": [("012", 2)],
             "float add": [("01", 2)], "logic": [("012", 2)], "shift": [("01", 2)],
             "shuffle": [("01", 2)], "permute": [("01", 2)], "widen": [("01", 2)],
             "from half": [("01", 4)], "narrow": [("01", 4)], "repeat lanes": [("01", 2)],
             "load": [("LM", 2)], "broadcast": [("LM", 1)], "store": [("ST", 2)]}
ZEN2 = {"fma": [("01", 1)], "multiply 16": [("0", 1)], "multiply 32": [("0", 2)],
        "add": [("013", 1)], "float add": [("23", 1)], "logic": [("0123", 1)],
        "shift": [("2", 1)], "shuffle": [("12", 1)], "permute": [("12", 2)],
        "widen": [("12", 1)], "from half": [("12", 1), ("23", 1)],
        "narrow": [("12", 1), ("23", 1)], "repeat lanes": [("12", 1)], "load": [("LM", 1)],
        "broadcast": [("LM", 1)], "store": [("S", 1)]}
ZEN3 = {**ZEN2, "multiply 16": [("03", 1)], "multiply 32": [("03", 1)], "add": [("0123", 1)],
        "shift": [("12", 1)]}
ZEN4 = {**ZEN3, "dot 16": [("01", 1)], "dot 8": [("01", 1)], "dot bf16": [("01", 1)],
        "permute two": [("12", 2)]}
# Twice through pipes of 256 bits; but for loads of what is broadcast, two of which are quick enough
# for one FMA: measured, 4x16x4 and 16x16x4 of u8 x s8 at 99.6 % of the peak and more.
ZEN4_ZMM = {operation: [(ports, slots if ports == "LM" and "broadcast" in operation else 2 * slots)
                        for ports, slots in slots_of] for operation, slots_of in ZEN4.items()}
# A broadcast of floats from memory takes a shuffle at 512 bits: measured on Zen 4, 1.33 cycles of
# one with an FMA. vpbroadcastd and operands that are broadcast in place take none, nor do 256 bits:
# eight of each are 4.6 cycles.
ZEN4_ZMM["float broadcast"] = [("12", 2), ("LM", 1)]
# Measured on Zen 5 (EPYC, 512-bit pipes): 24 of each beside 24 FMAs, in cycles by port where that
# tells. Broadcasts from memory are loads alone, of which there are two; shuffles within 128 bits go
# anywhere, those across to two pipes; a half loaded to 256 bits is converted without a shuffle.
ZEN5 = {**ZEN4, "multiply 16": [("01", 1)], "multiply 32": [("01", 1)], "shift": [("23", 1)],
        "shuffle": [("0123", 1)], "permute": [("12", 1)], "permute two": [("12", 1)],
        "repeat lanes": [("0123", 1)]}
ZEN5_YMM = {**ZEN5, "from half": [("23", 1)]}

CORES = {
    "skylake-avx512": {"ymm": INTEL_YMM, "zmm": INTEL_ZMM},
    "icelake-server": {"ymm": INTEL_YMM, "zmm": INTEL_ZMM},
    "sapphirerapids": {"ymm": GOLDEN_COVE_YMM, "zmm": GOLDEN_COVE_ZMM, "tmm": AMX},
    "emeraldrapids": {"ymm": GOLDEN_COVE_YMM, "zmm": GOLDEN_COVE_ZMM, "tmm": AMX},
    "graniterapids": {"ymm": GOLDEN_COVE_YMM, "zmm": GOLDEN_COVE_ZMM, "tmm": AMX},
    "alderlake": {"ymm": GOLDEN_COVE_YMM},
    "gracemont": {"ymm": GRACEMONT},
    "znver2": {"ymm": ZEN2},
    "znver3": {"ymm": ZEN3},
    "znver4": {"ymm": ZEN4, "zmm": ZEN4_ZMM},
    "znver5": {"ymm": ZEN5_YMM, "zmm": ZEN5},
}

# Operations that a core takes in per cycle, an operand in memory being part of its instruction, but
# on Intel's large cores one with an index: measured on Skylake-SP, where f32 8x16 takes 7 % longer.
WIDTH = {"skylake-avx512": 4, "icelake-server": 5, "sapphirerapids": 6, "emeraldrapids": 6,
         "graniterapids": 6, "alderlake": 6, "gracemont": 5, "znver2": 6, "znver3": 6, "znver4": 6,
         "znver5": 8}

INDICES_ARE_APART = {"skylake-avx512", "icelake-server", "sapphirerapids", "emeraldrapids",
                     "graniterapids", "alderlake"}

# Per cycle, where a measured peak is below what the ports allow: Zen 3 (EPYC, peak_bench: 177.7
# Gop/s of vpmaddwd with vpaddd beside 103.7 of the FMA, and 88.9 of vpmulld), Zen 4 (202.6 and 214.3
# beside 118.2 of either FMA), Zen 5 (234.0 and 463.2 beside 129.7 and 261.3, and 115.8 and 233.1 of
# vpmulld: the additions take some of the multiplies' slots).
MEASURED = {"znver3": {"MADDWD_YMM": 1.71, "MULLD_YMM": 1.71},
            "znver4": {"MADDWD_YMM": 1.71, "MADDWD_ZMM": 0.91},
            "znver5": {"MADDWD_YMM": 1.80, "MADDWD_ZMM": 1.77, "MULLD_YMM": 1.79, "MULLD_ZMM": 1.78}}


def cycles(slots):
    """Least cycles per turn of operations' slots [(ports, count)] that wait for nothing: of each
    set of ports those that may go nowhere else, shared out evenly."""
    wanted = Counter()
    for ports, count in slots:
        wanted["".join(sorted(ports))] += count
    names = sorted(set("".join(wanted)))
    sets = (set(chosen) for size in range(1, len(names) + 1) for chosen in combinations(names, size))
    return max(sum(count for ports, count in wanted.items() if set(ports) <= chosen) / len(chosen)
               for chosen in sets)


def rates(core):
    """{instructions.def's instruction: per cycle} of what `core` has."""
    found = {}
    for name, (register, operations) in INSTRUCTIONS.items():
        table = CORES[core].get(register, {})
        if all(operation in table for operation in operations):
            slots = [slot for operation in operations for slot in table[operation]]
            found[name] = round(1 / cycles(slots), 2)
    return {**found, **MEASURED.get(core, {})}
