# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cycles per iteration of instruction sequences, by llvm-mca."""

import json
import re
import subprocess

from instructions import VECTOR_REGISTER

# Cycles per iteration are the slope between so many iterations and twice as many, so that filling
# the pipeline does not count: of a loop, whose loads run ahead until all buffers are full, and of
# instructions that wait for nothing, in which case one run through them is at least 24.
LOOP, ALONE = 100, 25
FIRST_ACCUMULATOR, ACCUMULATORS = 8, 24
# Instructions of SVE that write over their operand where the other one is a constant.
IN_PLACE = ("and", "orr", "eor", "add", "sub", "mul", "smax", "smin", "umax", "umin")


class McaError(RuntimeError):
    pass


class Timing:
    """Of one sequence: `cycles` per iteration; `resources`, the least that the units and the
    dispatch allow when nothing waits for anything; `uops` and how many the CPU dispatches per
    cycle; `units`, the names of those that are busiest."""

    def __init__(self, cycles, region):
        summary = region["SummaryView"]
        self.cycles, self.resources = cycles, summary["BlockRThroughput"]
        self.uops = summary["TotaluOps"] / summary["Iterations"]
        self.dispatch_width = summary["DispatchWidth"]
        self.units = busiest_units(region)


class Mca:
    """Runs llvm-mca for one CPU on many sequences at once, each a list of instruction lines."""

    def __init__(self, program, cpu, architecture="aarch64"):
        self.program, self.cpu, self.cache = program, cpu, {}
        # LLVM has names for all extensions of AArch64 alone; x86-64's cores name theirs.
        self.target = [f"-march={architecture}", f"-mcpu={cpu}"]
        if architecture == "aarch64":
            self.target.append("-mattr=+all")

    def time(self, sequences, iterations=ALONE):
        """The Timing of each sequence, None for one with an instruction that the model lacks."""
        keys = [(iterations, *sequence) for sequence in sequences]
        new = [key for key in dict.fromkeys(keys) if key not in self.cache]
        if new:
            lines = [key[1:] for key in new]
            self.cache.update(zip(new, self._run(lines, iterations)))
        return [self.cache[key] for key in keys]

    def _run(self, keys, iterations):
        try:
            return list(self._timings(keys, iterations))
        except McaError:
            if len(keys) == 1:
                return [None]
        # One sequence that the model cannot time stops the whole run: halve until it stands alone.
        middle = len(keys) // 2
        return self._run(keys[:middle], iterations) + self._run(keys[middle:], iterations)

    def _timings(self, keys, iterations):
        low, high = (self._regions(keys, count) for count in (iterations, 2 * iterations))
        for one, two in zip(low, high):
            cycles = two["SummaryView"]["TotalCycles"] - one["SummaryView"]["TotalCycles"]
            cycles /= iterations
            yield Timing(cycles, two)

    def _regions(self, keys, iterations):
        lines = []
        for index, key in enumerate(keys):
            lines += [f"# LLVM-MCA-BEGIN {index}", f".Ltop{index}:"]
            lines += [re.sub(r"@TOP@", f".Ltop{index}", line) for line in key]
            lines.append(f"# LLVM-MCA-END {index}")
        out = subprocess.run(
            [self.program, *self.target, "--json",
             f"-iterations={iterations}", "-instruction-info=false"],
            input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)
        if out.returncode != 0:
            raise McaError(out.stderr.strip().splitlines()[0] if out.stderr else "no message")
        data = json.loads(out.stdout)
        names = data["TargetInfo"]["Resources"]
        regions = sorted(data["CodeRegions"], key=lambda region: int(region["Name"]))
        if len(regions) != len(keys):
            raise McaError(f"{len(regions)} regions for {len(keys)} sequences")
        for region in regions:
            region["Resources"] = names
        return regions


def busiest_units(region):
    """Names of the units in use in at least 19 of 20 cycles of the busiest one."""
    pressure, count = {}, len(region["Instructions"])
    for entry in region["ResourcePressureView"]["ResourcePressureInfo"]:
        if entry["InstructionIndex"] == count:
            pressure[region["Resources"][entry["ResourceIndex"]]] = entry["ResourceUsage"]
    most = max(pressure.values(), default=0)
    return sorted(re.sub(r"\W", "", n) for n, p in pressure.items() if most and p >= 0.95 * most)


def loop_lines(loop):
    """The loop as llvm-mca reads it: the closing branch goes to the start."""
    lines = []
    for instruction in loop.body:
        operands = list(instruction.operands)
        if instruction.target is not None:
            operands[-1] = "@TOP@"
        lines.append(f"{instruction.mnemonic} {', '.join(operands)}")
    return lines


def independent(instructions):
    """Vector instructions alone, on registers only: each writes the next of 24 registers, and all
    read the same few. Returns the lines and how often they repeat the instructions: so often that
    none waits for an earlier one."""
    times = max(1, -(-ACCUMULATORS // len(instructions)))
    while (times * len(instructions)) % ACCUMULATORS and times * len(instructions) < 400:
        times += 1
    lines = [_on_registers(instruction, FIRST_ACCUMULATOR + turn % ACCUMULATORS)
             for turn, instruction in enumerate(list(instructions) * times)]
    return lines, times


def _on_registers(instruction, destination):
    operands = list(instruction.operands)
    first = VECTOR_REGISTER.search(operands[0])
    if not first:
        return f"{instruction.mnemonic} {', '.join(operands)}"
    if instruction.mnemonic == "movprfx":  # It must stand before the instruction that it serves.
        return f"mov z{destination}.d, z0.d"
    tied, source, result = first.group(0), 0, []
    # What is computed with a constant in place.
    in_place = (instruction.mnemonic in IN_PLACE and first.group(1) == "z" and
                operands[1:2] == operands[:1] and operands[-1].startswith("#"))
    for position, operand in enumerate(operands):
        def rename(match):
            nonlocal source
            if position == 0 or (match.group(0) == tied and (in_place or "/m" in operands[1])):
                return match.group(1) + str(destination)
            source += 1
            return match.group(1) + str((source - 1) % 4)
        if operand.startswith("{"):  # A list of registers names consecutive ones.
            source = 0
        result.append(VECTOR_REGISTER.sub(rename, operand))
    return f"{instruction.mnemonic} {', '.join(result)}"
