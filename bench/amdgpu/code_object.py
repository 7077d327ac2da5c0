# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a code object says of its kernels: resources from its notes, instructions from its disassembly."""

import dataclasses
import re
import subprocess


def output_of(*command):
    """What `command` prints; an error names it."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


@dataclasses.dataclass
class Kernel:
    name: str
    # Keys of the notes' amdhsa.kernels without the dot: vgpr_count, agpr_count, sgpr_count, vgpr_spill_count, ...
    resources: dict
    # One text per instruction, without comments and padding.
    instructions: list
    # Index of the instruction that a branch label stands before.
    labels: dict
    # Bytes of code, padding excluded.
    code_bytes: int

    def blocks(self):
        """Basic blocks as (first, last, successors): indices of instructions, and of blocks."""
        starts = {0} | set(self.labels.values())
        starts |= {i + 1 for i, text in enumerate(self.instructions) if text.startswith(("s_cbranch", "s_branch"))}
        starts = sorted(s for s in starts if s < len(self.instructions))
        at = {first: number for number, first in enumerate(starts)}
        blocks = []
        for number, first in enumerate(starts):
            last = (starts[number + 1] if number + 1 < len(starts) else len(self.instructions)) - 1
            text = self.instructions[last]
            branch = re.match(r"s_c?branch\w*\s+<?(L\d+)>?", text)
            successors = [at[self.labels[branch[1]]]] if branch and branch[1] in self.labels else []
            if not text.startswith(("s_branch", "s_endpgm", "s_setpc")) and number + 1 < len(starts):
                successors.append(number + 1)
            blocks.append((first, last, successors))
        return blocks

    def loops(self):
        """The loops: for each, the indices of its instructions in the order of the code. Only those that no other
        contains; a jump backwards is none unless it can be come to again."""
        blocks = self.blocks()
        reaches = [_reachable(blocks, number) for number in range(len(blocks))]
        loops, seen = [], set()
        for number in range(len(blocks)):
            if number in seen or number not in reaches[number]:
                continue
            members = [m for m in sorted(reaches[number]) if number in reaches[m]]
            seen.update(members)
            loops.append([i for m in members for i in range(blocks[m][0], blocks[m][1] + 1)])
        return loops


def _reachable(blocks, start):
    """The blocks that can run after `start`."""
    found, todo = set(), list(blocks[start][2])
    while todo:
        number = todo.pop()
        if number not in found:
            found.add(number)
            todo.extend(blocks[number][2])
    return found


def gfx_of(path, readelf="llvm-readelf-22"):
    return re.search(r"amdhsa\.target:\s+\S*-(gfx\w+)", output_of(readelf, "--notes", path))[1]


def resources_of(path, readelf):
    """{kernel name: {note: number}}."""
    notes = output_of(readelf, "--notes", path)
    kernels = {}
    # A kernel begins with "  - ." at the list's indentation; its arguments are deeper.
    for block in re.split(r"\n  - (?=\.)", notes.split("amdhsa.kernels:", 1)[1]):
        name = re.search(r"^(?:    )?\.name:\s+(\S+)", block, re.M)
        if name:
            kernels[name[1]] = {k: int(v) for k, v in re.findall(r"^(?:    )?\.(\w+):\s+(\d+)$", block, re.M)}
    return kernels


def functions_of(path, objdump):
    """{symbol: [(address, text)], with labels as ("", "L3")}."""
    listing = output_of(objdump, "-d", "--no-show-raw-insn", "--symbolize-operands", path)
    functions, current = {}, None
    for line in listing.splitlines():
        symbol = re.match(r"[0-9a-f]+ <([^>]+)>:", line)
        label = re.match(r"\s*(?:[0-9a-f]+ )?<(L\d+)>:", line)
        if label:
            functions[current].append((None, label[1]))
        elif symbol:
            current = symbol[1]
            functions[current] = []
        elif current and line.startswith(("\t", " ")) and line.strip():
            text, _, comment = line.partition("//")
            address = re.match(r"\s*([0-9A-Fa-f]+)", comment)
            functions[current].append((int(address[1], 16) if address else None, " ".join(text.split())))
    return functions


def read_kernels(path, readelf="llvm-readelf-22", objdump="llvm-objdump-22"):
    """All kernels of the code object at `path`."""
    resources = resources_of(path, readelf)
    functions = functions_of(path, objdump)
    kernels = []
    for name, notes in sorted(resources.items()):
        instructions, labels, addresses = [], {}, []
        for address, text in functions[name]:
            if re.fullmatch(r"L\d+", text):
                labels[text] = len(instructions)
            else:
                instructions.append(text)
                addresses.append(address)
        # The rest is padding.
        end = len(instructions)
        while not instructions[end - 1].startswith(("s_endpgm", "s_branch")):
            end -= 1
        code_bytes = addresses[end - 1] - addresses[0] + 4
        kernels.append(Kernel(name, notes, instructions[:end], labels, code_bytes))
    return kernels
