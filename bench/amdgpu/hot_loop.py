# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures of a kernel's hot loop, from its instructions and the table of matrix instructions. All of them are
modelled: nothing here was timed.

A matrix instruction keeps its SIMD's matrix pipe busy for the cycles that the table gives. Every other instruction that
goes to a unit keeps the wave from its next one for the cycles of an issue; waits, s_nop and barriers go to no unit and
count nothing. Loads come back in order; how far ahead of its use one was issued is counted in matrix cycles."""

import re

NO_UNIT = re.compile(r"s_(wait|nop|barrier|delay_alu|setprio|clause|set_inst_prefetch|sleep)")
GLOBAL_LOAD = re.compile(r"(buffer|global|flat)_load")
# Rows of the table whose operands have a format: 2, 3 and 4 are those of fewer than 8 bits.
FORMATS = re.compile(r"\b(?:cbsz|blgp|matrix_[ab]_fmt):\s*(\w+)")
NARROW_FORMATS = {"2", "3", "4", "MATRIX_FMT_FP6", "MATRIX_FMT_BF6", "MATRIX_FMT_FP4"}
# Iterations that the loads in flight are followed through.
LAPS = 4


class MatrixCycles:
    def __init__(self, machine):
        """Of a GPU as gpus.machines has it."""
        self.table = {}
        for row in machine["matrix_instructions"]:
            self.table.setdefault(row["mnemonic"].replace("_scale", ""), []).append(row["cycles"])

    def __call__(self, text):
        """The cycles of a matrix instruction; 0 for any other."""
        mnemonic = text.split()[0].replace("_scale", "")
        mnemonic = re.sub(r"_(e64|dpp|vop3p\w*)$", "", mnemonic)
        if not re.match(r"v_(mfma|wmma|smfmac|swmmac)", mnemonic):
            return 0
        if mnemonic not in self.table:
            raise KeyError(f"{mnemonic} is no matrix instruction of this GPU")
        cycles = sorted(self.table[mnemonic])
        formats = FORMATS.findall(text)
        narrow = len(formats) == 2 and all(f in NARROW_FORMATS for f in formats)
        return cycles[0] if narrow or len(cycles) == 1 else cycles[-1]


def pending_loads(text):
    """How many loads `text` leaves on their way, if it waits for any."""
    found = re.search(r"vmcnt\((\d+)\)", text) if text.startswith("s_waitcnt") else None
    if found:
        return int(found[1])
    found = re.match(r"s_wait_loadcnt(?:_dscnt)?\s+(0x[0-9a-f]+|\d+)", text)
    if not found:
        return None
    count = int(found[1], 0)
    return count >> 8 if "dscnt" in text else count


def prefetch_distances(loop, cycles):
    """Matrix cycles between each load and the wait for it, when the loop has run for a while."""
    on_the_way, distances, time = [], [], 0
    for lap in range(LAPS):
        for text in loop:
            time += cycles(text)
            if GLOBAL_LOAD.match(text):
                on_the_way.append(time)
            pending = pending_loads(text)
            if pending is not None:
                while len(on_the_way) > pending:
                    distance = time - on_the_way.pop(0)
                    if lap > 1:
                        distances.append(distance)
    return distances


def figures(loop, machine):
    """Of the instructions of one loop, in order."""
    cycles = MatrixCycles(machine)
    matrix = [i for i, text in enumerate(loop) if cycles(text)]
    waits = [i for i, text in enumerate(loop) if pending_loads(text) is not None]
    matrix_cycles = sum(cycles(text) for text in loop)
    issued = sum(1 for text in loop if not cycles(text) and not NO_UNIT.match(text))
    count = lambda pattern: sum(1 for text in loop if re.match(pattern, text))
    distances = prefetch_distances(loop, cycles)
    inside = [i for i in waits if matrix and matrix[0] < i < matrix[-1]]
    return {
        "instructions": len(loop),
        "matrix": len(matrix),
        "matrix_cycles": matrix_cycles,
        "vector": count(r"v_") - len(matrix),
        "scalar": count(r"s_") - count(NO_UNIT),
        "global": count(r"(buffer|global|flat)_"),
        "lds": count(r"ds_"),
        "waits": count(r"s_wait"),
        "barriers": count(r"s_barrier"),
        "issue_cycles": matrix_cycles + issued * machine["issue"],
        "matrix_share": matrix_cycles / (matrix_cycles + issued * machine["issue"]) if loop else 0,
        "load_waits_between_matrix": len(inside),
        "matrix_before_first_load_wait": sum(1 for i in matrix if i < inside[0]) if inside else len(matrix),
        "prefetch_distance": min(distances) if distances else 0,
    }


def hot_loop(kernel, machine):
    """The figures of the loop of `kernel` (code_object.Kernel) that has most matrix cycles."""
    loops = [[kernel.instructions[i] for i in loop] for loop in kernel.loops()]
    loops = [figures(loop, machine) for loop in loops]
    if not loops:
        raise ValueError(f"{kernel.name} has no loop")
    return max(loops, key=lambda loop: loop["matrix_cycles"])
