# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""By how many bytes the loads of a loop move on from one iteration to the next."""

import re

from instructions import number

COMPARES = re.compile(r"^(cmp|cmn|tst|ccmp|ccmn)$")
UNITS = {"b": 8, "h": 16, "w": 32, "d": 64}


def scalable(mnemonic, operands, vector_bits):
    """Value of rdvl/cntb/inc… by the spelling of its operands; None if they hold a pattern."""
    unit = 8 if mnemonic in ("rdvl", "rdsvl") else UNITS[mnemonic[-1]]
    value = vector_bits // unit
    for operand in operands[1:]:
        factor = re.match(r"^(?:mul )?#(.+)$", operand)
        if factor:
            value *= int(factor.group(1), 0)
        elif operand != "all":
            return None
    return value


class Constants:
    """What registers hold when a loop begins, as far as the instructions before it say, taken in
    the order of their addresses. A guess where paths join: k_steps() accepts only what agrees."""

    def __init__(self, loop, vector_bits):
        self.vector_bits, self.values = vector_bits, {"xzr": 0}
        start = loop.body[0].address
        for instruction in loop.function:
            if instruction.address < start:
                self._run(instruction)
        for instruction in loop.body:  # What the loop changes is no constant.
            if instruction.operands and not instruction.is_store and not instruction.is_branch:
                self.values.pop(self._name(instruction.operands[0]), None)

    @staticmethod
    def _name(operand):
        return re.sub(r"^w(?=\d|zr)", "x", operand)

    def value(self, operand):
        if operand.startswith("#"):
            return number(operand)
        return self.values.get(self._name(operand))

    def _run(self, instruction):
        ops, mnemonic = instruction.operands, instruction.mnemonic
        if not ops or instruction.is_store or instruction.is_branch or COMPARES.match(mnemonic):
            return
        values = [self.value(operand) for operand in ops[1:]]
        result = None
        if re.match(r"^(rdvl|rdsvl|cnt[bhwd])$", mnemonic):
            result = scalable(mnemonic, ops, self.vector_bits)
        elif values and None not in values:
            result = self._calculate(mnemonic, values)
        elif mnemonic in ("add", "sub") and len(ops) == 4 and None not in values[:2]:
            shift = re.match(r"^lsl #(.+)$", ops[3])
            if shift:
                result = self._calculate(mnemonic, [values[0],
                                                    values[1] << int(shift.group(1), 0)])
        if re.match(r"^[xw]\d", ops[0]):
            if result is None:
                self.values.pop(self._name(ops[0]), None)
            else:
                self.values[self._name(ops[0])] = result

    @staticmethod
    def _calculate(mnemonic, values):
        operation = {"mov": lambda a: a, "add": lambda a, b: a + b, "sub": lambda a, b: a - b,
                     "lsl": lambda a, b: a << b, "lsr": lambda a, b: a >> b,
                     "asr": lambda a, b: a >> b, "mul": lambda a, b: a * b,
                     "orr": lambda a, b: a | b, "and": lambda a, b: a & b, "neg": lambda a: -a,
                     "madd": lambda a, b, c: a * b + c, "msub": lambda a, b, c: c - a * b,
                     "mneg": lambda a, b: -a * b}.get(mnemonic)
        try:
            return operation(*values) if operation else None
        except (TypeError, ValueError):  # Another number of operands: a form that is not known here.
            return None


class Strides:
    """Runs one iteration with every register as a sum of the registers' values at its start:
    {register: factor, "": constant}, None where it is something else."""

    def __init__(self, loop, vector_bits):
        self.vector_bits, self.constants = vector_bits, Constants(loop, vector_bits)
        self.forms, self.addresses = {}, []
        for instruction in loop.body:
            self._run(instruction)

    def _form(self, operand):
        if operand.startswith("#"):
            return {"": number(operand)}
        register = re.sub(r"^w(?=\d|zr)", "x", operand)
        if register == "xzr":
            return {"": 0}
        return self.forms.get(register, {register: 1}) if re.match(r"^(x\d|sp)", register) else None

    @staticmethod
    def _sum(one, two, factor=1):
        if one is None or two is None:
            return None
        result = dict(one)
        for register, value in two.items():
            result[register] = result.get(register, 0) + factor * value
        return {register: value for register, value in result.items() if value or not register}

    def _run(self, instruction):
        ops, mnemonic = instruction.operands, instruction.mnemonic
        memory = instruction.memory if instruction.is_load or instruction.is_store else None
        if memory:
            base, index, shift, change = memory
            if instruction.is_load:
                address = self._form(base)
                if index:
                    address = self._sum(address, self._form(index), 1 << shift)
                self.addresses.append(address)
            if change is not None:
                moved = {"": change} if isinstance(change, int) else self._form(change)
                self.forms[base] = self._sum(self._form(base), moved)
        if instruction.is_store or instruction.is_branch or not ops or \
                not re.match(r"^[xw]\d", ops[0]) or COMPARES.match(mnemonic):
            return
        target = re.sub(r"^w", "x", ops[0])
        self.forms[target] = None if memory else self._value(mnemonic, ops)

    def _value(self, mnemonic, ops):
        if mnemonic == "mov":
            return self._form(ops[1])
        if mnemonic in ("add", "sub", "adds", "subs") and len(ops) in (3, 4):
            shift = re.match(r"^lsl #(.+)$", ops[3]) if len(ops) == 4 else None
            if len(ops) == 4 and not shift:
                return None
            factor = 1 << (int(shift.group(1), 0) if shift else 0)
            return self._sum(self._form(ops[1]), self._form(ops[2]),
                             -factor if mnemonic.startswith("sub") else factor)
        if mnemonic in ("addvl", "addsvl", "addpl", "addspl"):
            unit = 64 if "p" in mnemonic else 8
            return self._sum(self._form(ops[1]),
                             {"": number(ops[2]) * self.vector_bits // unit})
        if re.match(r"^(inc|dec)[bhwd]$", mnemonic):
            amount = scalable(mnemonic, ops, self.vector_bits)
            sign = 1 if mnemonic.startswith("inc") else -1
            return None if amount is None else self._sum(self._form(ops[0]), {"": sign * amount})
        if mnemonic == "madd":
            factors = self.constants.value(ops[1]), self.constants.value(ops[2])
            return None if None in factors else \
                self._sum(self._form(ops[3]), {"": factors[0] * factors[1]})
        if mnemonic == "lsl" and ops[2].startswith("#"):
            return self._sum({}, self._form(ops[1]), 1 << number(ops[2]))
        return None

    def _step(self, register):
        """By how much a register changes in one iteration; None if that is not known."""
        if register not in self.forms:
            return 0
        form = self.forms[register]
        if form is None or form.get(register) != 1:
            return None
        total = form.get("", 0)
        for other, factor in form.items():
            if other not in ("", register):
                value = self.constants.value(other) if other not in self.forms else None
                if value is None:
                    return None
                total += factor * value
        return total

    def advances(self):
        """The set of byte distances by which the loop's loads move on per iteration."""
        result = set()
        for address in self.addresses:
            if address is None:
                continue
            steps = [(self._step(register), factor) for register, factor in address.items()
                     if register]
            if all(step is not None for step, _ in steps):
                result.add(sum(step * factor for step, factor in steps))
        return result - {0}
