# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a disassembly to the hot loop of each tile function: its instructions, K steps and spills."""

import re
from fractions import Fraction

from instructions import (PER_ELEMENT_OF_MATRIX, VECTOR_REGISTER, Instruction, kind, loaded_bytes,
                          products)
from strides import Strides

SYMBOL = re.compile(r"^(?:[0-9a-f]+ )?<([^>]+)>:$")
LINE = re.compile(r"^\s*([0-9a-f]+):\s+([a-z]\S*)(?:\s+(.*))?$")


def functions(disassembly):
    """{symbol: [Instruction]} from `llvm-objdump -d --no-show-raw-insn`."""
    result, current = {}, None
    for line in disassembly.splitlines():
        symbol = SYMBOL.match(line.strip())
        if symbol:
            current = result.setdefault(symbol.group(1), [])
            continue
        found = LINE.match(line)
        if found and current is not None:
            operands = re.sub(r"\s*<[^>]*>|\s*//.*$", "", found.group(3) or "").strip()
            current.append(Instruction(int(found.group(1), 16), found.group(2), operands))
    return result


class Loop:
    """A range of instructions that ends in a branch to its start, with no such range inside."""

    def __init__(self, body, function):
        self.body, self.function = body, function
        inside = range(body[0].address, body[-1].address + 1)
        # A forward branch that stays inside means that an iteration need not run every instruction.
        self.straight = not any(i.target in inside for i in body[:-1] if i.target is not None)

    @property
    def multiplies(self):
        vector = [i for i in self.body if i.is_multiply]
        return vector or [i for i in self.body if i.is_scalar_multiply]

    def products(self, vector_bits):
        return sum(products(i, vector_bits) for i in self.multiplies)


def innermost_loops(function):
    """The innermost loops of a function, in order of address."""
    at = {instruction.address: index for index, instruction in enumerate(function)}
    ranges = []
    for index, instruction in enumerate(function):
        target = instruction.target
        if target is not None and target in at and at[target] <= index:
            ranges.append((at[target], index))
    # Of several branches back to one start, the last closes the loop.
    last = {}
    for start, end in ranges:
        last[start] = max(end, last.get(start, end))
    ranges = list(last.items())
    for start, end in sorted(ranges):
        if not any((s, e) != (start, end) and start <= s and e <= end for s, e in ranges):
            yield Loop(function[start:end + 1], function)


def hot_loop(function, vector_bits=128):
    """The innermost loop with the most products per iteration: the unrolled K loop, not its
    remainder. Raises ValueError where no loop multiplies."""
    loops = [loop for loop in innermost_loops(function) if loop.multiplies]
    if not loops:
        raise ValueError("no innermost loop holds a multiply instruction")
    return max(loops, key=lambda loop: (loop.products(vector_bits), -loop.body[0].address))


def k_steps(loop, key, vector_bits):
    """K steps per iteration, as a pair (steps, part).

    `part` is the share of the tile that the loop computes: less than 1 where the tile is computed
    in several passes over K, more than 1 where it multiplies more than the products themselves (a
    correction, a decoding). Raises ValueError if the loop does not tell.
    """
    lhs, rhs = key.step_bytes(vector_bits)
    m0, n0, k0 = key.sizes(vector_bits)
    # Matrix instructions multiply two rows; what they make of a second one that is not there is none
    # of the tile's products.
    pairs = all(i.mnemonic in PER_ELEMENT_OF_MATRIX for i in loop.multiplies)
    rows = m0 + m0 % 2 if pairs else m0
    by_products = Fraction(loop.products(vector_bits), rows * n0 * k0)
    advances = Strides(loop, vector_bits).advances()
    candidates = {a / lhs for a in advances} & {a / rhs for a in advances}
    whole = {steps for steps in candidates if steps.denominator == 1 and steps > 0}
    if by_products in whole:
        return int(by_products), Fraction(1)
    if len(whole) == 1:
        steps = whole.pop()
        return int(steps), by_products / steps
    if by_products.denominator == 1:
        loads = [loaded_bytes(i, vector_bits) for i in loop.body if i.is_load]
        read = sum(loads) if None not in loads else None
        moved = {by_products * lhs, by_products * rhs} & advances
        if moved or not advances or read == by_products * (lhs + rhs):
            return int(by_products), Fraction(1)
    raise ValueError(f"cannot tell the K steps per iteration: products/{rows * n0 * k0} = "
                     f"{float(by_products):.3g}, the loads advance by {sorted(advances)} bytes, a "
                     f"step is {lhs} and {rhs} bytes")


def recurrence(loop):
    """The vector instructions that the first multiply depends on and that depend on it: what an
    accumulator goes through in one iteration."""
    body = [i for i in loop.body if kind(i) in ("multiply", "vector")]
    used, made = [], []
    for instruction in body:
        numbers = [[int(n) for _, n in VECTOR_REGISTER.findall(op)] for op in instruction.operands]
        made.append(set(numbers[0]))
        # Only multiplies, and what merges into its destination, read that.
        reads_first = instruction.is_multiply or instruction.mnemonic in ("ins", "mov") and \
            "[" in instruction.operands[0] or "/m" in instruction.text
        used.append({n for some in numbers[0 if reads_first else 1:] for n in some})
    first = next((i for i, instruction in enumerate(body) if instruction.is_multiply), None)
    if first is None:
        return []

    def closure(step):
        seen, todo = set(), [first]
        while todo:
            at = todo.pop()
            todo += [other for other in step(at) if other not in seen]
            seen.update(step(at))
        return seen

    writers = [[_writer(made, at, register) for register in used[at]] for at in range(len(body))]
    before = closure(lambda at: {w for w in writers[at] if w is not None})
    after = closure(lambda at: {o for o in range(len(body)) if at in writers[o]})
    return [body[at] for at in sorted(before & after)]


def _writer(made, at, register):
    """Index of the instruction whose value of `register` the one at `at` reads."""
    for other in list(range(at - 1, -1, -1)) + list(range(len(made) - 1, at - 1, -1)):
        if register in made[other]:
            return other
    return None


def spills(loop):
    """Loads and stores of the loop at fixed places of the stack frame."""
    frame, changed = {"sp"}, set()
    for instruction in loop.body:
        memory = instruction.memory if instruction.is_load or instruction.is_store else None
        if memory and memory[3] is not None:
            changed.add(memory[0])
        elif instruction.operands and not instruction.is_store and not instruction.is_branch:
            changed.add(instruction.operands[0])
    for instruction in loop.function:
        if instruction in loop.body or len(instruction.operands) < 2:
            continue
        if instruction.mnemonic in ("mov", "add", "sub", "addvl", "addpl") and \
                instruction.operands[1] in frame and instruction.operands[0] not in changed:
            frame.add(instruction.operands[0])
    frame = _only_frame(frame, loop.function)
    found = []
    for instruction in loop.body:
        memory = instruction.memory if instruction.is_load or instruction.is_store else None
        if memory and memory[0] in frame and memory[1] is None and memory[3] is None:
            found.append(instruction)
    return found


def _only_frame(frame, function):
    """Without the registers that somewhere hold anything but an address in the frame."""
    kept = set(frame)
    for instruction in function:
        ops = instruction.operands
        if len(ops) < 2 or ops[0] not in kept or ops[0] == "sp" or instruction.is_store:
            continue
        makes = instruction.mnemonic in ("mov", "add", "sub", "addvl", "addpl") and ops[1] in frame
        restores = instruction.is_load and "x30" in ops
        if not makes and not restores and not instruction.mnemonic.startswith("cmp"):
            kept.discard(ops[0])
    return kept
