# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which execution ports the multiplies of x86-64 cores issue to, and how often that lets them.

LLVM 22's models are wrong just there: one 512-bit FMA per cycle on Ice Lake-SP and Sapphire Rapids,
which have two; `vpdpbusd` every other cycle on Zen 4, whose model Zen 5 has as well; Gracemont as
Alder Lake's large core. `core_rates.py --disagreements` lists where this table and llvm-mca differ.

Sources: uops.info and Agner Fog's instruction tables for ports; and measured by peak_bench, which
are the issue peaks: Zen 4 and Zen 5 (EPYC, virtual machines), Emerald Rapids (virtual machine).
"""

from itertools import combinations

# multiplies.def's instruction: what each micro-operation is. A product that another instruction
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

# The lines of assembly that these are, for llvm-mca: %d is the accumulator.
SPELLED = {
    "FMA_YMM": ["vfmadd231ps %ymm0, %ymm1, %ymm{d}"],
    "FMA_ZMM": ["vfmadd231ps %zmm0, %zmm1, %zmm{d}"],
    "FMA_F64_YMM": ["vfmadd231pd %ymm0, %ymm1, %ymm{d}"],
    "FMA_F64_ZMM": ["vfmadd231pd %zmm0, %zmm1, %zmm{d}"],
    "DPBF16_ZMM": ["vdpbf16ps %zmm0, %zmm1, %zmm{d}"],
    "MADDWD_YMM": ["vpmaddwd %ymm0, %ymm1, %ymm2", "vpaddd %ymm2, %ymm{d}, %ymm{d}"],
    "MADDWD_ZMM": ["vpmaddwd %zmm0, %zmm1, %zmm2", "vpaddd %zmm2, %zmm{d}, %zmm{d}"],
    "DPWSSD_YMM": ["{{vex}} vpdpwssd %ymm0, %ymm1, %ymm{d}"],
    "DPWSSD_ZMM": ["vpdpwssd %zmm0, %zmm1, %zmm{d}"],
    "DPBUSD_YMM": ["{{vex}} vpdpbusd %ymm0, %ymm1, %ymm{d}"],
    "DPBUSD_ZMM": ["vpdpbusd %zmm0, %zmm1, %zmm{d}"],
    "MULLD_YMM": ["vpmulld %ymm0, %ymm1, %ymm2", "vpaddd %ymm2, %ymm{d}, %ymm{d}"],
    "MULLD_ZMM": ["vpmulld %zmm0, %zmm1, %zmm2", "vpaddd %zmm2, %zmm{d}, %zmm{d}"],
}

# {register: {operation: (ports, slots)}}: so many slots on one of these ports. Port names are
# those of the vendors; AMD's are the pipes FP0 to FP3.
INTEL_YMM = {"fma": ("01", 1), "multiply 16": ("01", 1), "multiply 32": ("01", 2),
             "dot 16": ("01", 1), "dot 8": ("01", 1), "add": ("015", 1)}
# Port 1 is closed to vectors while 512-bit operations are in flight, which use it with port 0.
INTEL_ZMM = {operation: ("05", slots) for operation, (_, slots) in INTEL_YMM.items()}
# Two cycles on each of both ports: measured, 75 to 90 Gop/s of vdpbf16ps beside 173 to 179 of FMA.
GOLDEN_COVE_ZMM = {**INTEL_ZMM, "dot bf16": ("05", 4)}
# 256 bits are two operations of 128; two ports of floating point, three of integer additions.
GRACEMONT = {"fma": ("01", 2), "multiply 16": ("01", 2), "multiply 32": ("01", 4),
             "dot 16": ("01", 2), "dot 8": ("01", 2), "add": ("012", 2)}
ZEN2 = {"fma": ("01", 1), "multiply 16": ("0", 1), "multiply 32": ("0", 2), "add": ("013", 1)}
ZEN3 = {"fma": ("01", 1), "multiply 16": ("03", 1), "multiply 32": ("03", 1), "add": ("0123", 1)}
ZEN4 = {**ZEN3, "dot 16": ("01", 1), "dot 8": ("01", 1), "dot bf16": ("01", 1)}
# Twice through pipes of 256 bits.
ZEN4_ZMM = {operation: (ports, 2 * slots) for operation, (ports, slots) in ZEN4.items()}

CORES = {
    "skylake-avx512": {"ymm": INTEL_YMM, "zmm": INTEL_ZMM},
    "icelake-server": {"ymm": INTEL_YMM, "zmm": INTEL_ZMM},
    "sapphirerapids": {"ymm": INTEL_YMM, "zmm": GOLDEN_COVE_ZMM},
    "emeraldrapids": {"ymm": INTEL_YMM, "zmm": GOLDEN_COVE_ZMM},
    "graniterapids": {"ymm": INTEL_YMM, "zmm": GOLDEN_COVE_ZMM},
    "alderlake": {"ymm": INTEL_YMM},
    "gracemont": {"ymm": GRACEMONT},
    "znver2": {"ymm": ZEN2},
    "znver3": {"ymm": ZEN3},
    "znver4": {"ymm": ZEN4, "zmm": ZEN4_ZMM},
    "znver5": {"ymm": ZEN4, "zmm": ZEN4},
}

# Per cycle, where a measured peak is below what the ports allow: Zen 4 (EPYC, peak_bench: 202.6 and
# 214.3 Gop/s of vpmaddwd with vpaddd beside 118.2 of either FMA).
MEASURED = {"znver4": {"MADDWD_YMM": 1.71, "MADDWD_ZMM": 0.91}}


def cycles(operations):
    """Least cycles per turn of operations [(ports, slots)] that wait for nothing: of each set of
    ports the slots that may go nowhere else, shared out evenly."""
    names = sorted(set("".join(ports for ports, _ in operations)))
    sets = (set(chosen) for size in range(1, len(names) + 1) for chosen in combinations(names, size))
    return max(sum(slots for ports, slots in operations if set(ports) <= chosen) / len(chosen)
               for chosen in sets)


def rates(core):
    """{multiplies.def's instruction: per cycle} of what `core` has."""
    found = {}
    for name, (register, operations) in INSTRUCTIONS.items():
        table = CORES[core].get(register, {})
        if all(operation in table for operation in operations):
            found[name] = round(1 / cycles([table[operation] for operation in operations]), 2)
    return {**found, **MEASURED.get(core, {})}
