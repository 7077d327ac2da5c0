# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""AArch64 instructions as llvm-objdump prints them: what each is, and how much it multiplies."""

import re

# Multiplies: mnemonic -> products that go into one element of the destination.
ONE_PRODUCT = set("""fmla fmls fmul fmulx fmad fmsb fmadd fmsub fnmadd fnmsub fnmul mla mls mul mad msb madd msub
    fmlal fmlal2 fmlsl fmlsl2 fmlalb fmlalt fmlslb fmlslt bfmlalb bfmlalt bfmla bfmul
    smlal smlal2 umlal umlal2 smlsl smlsl2 umlsl umlsl2 smull smull2 umull umull2
    smlalb smlalt umlalb umlalt smullb smullt umullb umullt smaddl umaddl smsubl umsubl""".split())
DOT = {"sdot", "udot", "usdot", "sudot", "fdot", "bfdot"}
PER_ELEMENT_OF_MATRIX = {"smmla": 8, "ummla": 8, "usmmla": 8, "bfmmla": 4, "fmmla": 2}
OUTER = {"fmopa", "fmops", "bfmopa", "bfmops", "smopa", "smops", "umopa", "umops", "usmopa",
         "usmops", "sumopa", "sumops"}
LONG_ZA = {"smlall", "umlall", "usmlall", "sumlall"}
MULTIPLIES = ONE_PRODUCT | DOT | set(PER_ELEMENT_OF_MATRIX) | OUTER | LONG_ZA

ELEMENT_BITS = {"b": 8, "h": 16, "s": 32, "d": 64, "q": 128}
NEON = re.compile(r"^v\d+\.(\d+)([bhsd])(?:\[\d+\])?$")
NEON_LANE = re.compile(r"^v\d+\.(?:\d*)([bhsd])\[\d+\]$")
SVE = re.compile(r"z\d+\.([bhsdq])")
SCALAR_FLOAT = re.compile(r"^[bhsdq]\d+$")
VECTOR_REGISTER = re.compile(r"\b([vzbhsdq])(\d+)\b")
ZA_TILE = re.compile(r"^za\d+\.([bhsd])$")
ZA_VECTORS = re.compile(r"^za\.([bhsd])\[.*?\]")
BRANCHES = re.compile(r"^(b|b\.\w+|bc\.\w+|cbn?z|tbn?z|br|ret|retaa|retab)$")


def split_operands(text):
    """Splits at commas outside of brackets and braces."""
    parts, depth, start = [], 0, 0
    for index, char in enumerate(text):
        depth += char in "[{"
        depth -= char in "]}"
        if char == "," and depth == 0:
            parts.append(text[start:index].strip())
            start = index + 1
    last = text[start:].strip()
    return parts + [last] if last else parts


class Instruction:
    """One instruction: `address`, `mnemonic`, `operands` (a list of strings)."""

    def __init__(self, address, mnemonic, operands):
        self.address, self.mnemonic = address, mnemonic
        self.operands = split_operands(operands)

    @property
    def text(self):
        return f"{self.mnemonic} {', '.join(self.operands)}".strip()

    @property
    def is_branch(self):
        return bool(BRANCHES.match(self.mnemonic))

    @property
    def is_load(self):
        return self.mnemonic.startswith("ld")

    @property
    def is_store(self):
        return self.mnemonic.startswith("st")

    @property
    def is_multiply(self):
        if self.mnemonic not in MULTIPLIES:
            return False
        first = self.operands[0]
        return not re.match(r"^[wx]([0-9]|zr)", first)

    @property
    def is_scalar_multiply(self):
        return self.mnemonic in MULTIPLIES and not self.is_multiply

    @property
    def target(self):
        """Address that a direct branch goes to; None for anything else."""
        if not self.is_branch or not self.operands:
            return None
        match = re.match(r"^(?:#)?0x([0-9a-f]+)", self.operands[-1])
        return int(match.group(1), 16) if match else None

    @property
    def memory(self):
        """(base, index, shift, written-back immediate) of a load's or store's address, or None.

        The offset of an address without write-back is not part of the answer: it does not change.
        """
        for position, operand in enumerate(self.operands):
            if operand.startswith("["):
                break
        else:
            return None
        inner = [part.strip() for part in operand.strip("!")[1:-1].split(",")]
        index, shift, immediate = None, 0, None
        if len(inner) > 1 and re.match(r"^[xw]\d", inner[1]):
            index = "x" + inner[1][1:]
            if len(inner) > 2:
                amount = re.search(r"#(?:0x)?([0-9a-f]+)", inner[2])
                shift = int(amount.group(1), 16) if amount else 0
        elif len(inner) > 1 and operand.endswith("!"):
            immediate = number(inner[1])
        after = self.operands[position + 1:]
        if after and after[0].startswith("#"):
            immediate = number(after[0])
        elif after and re.match(r"^x\d", after[0]):
            immediate = after[0]
        return inner[0], index, shift, immediate


def number(text):
    """The value of an immediate (`#0x10`, `#-16`)."""
    return int(text.lstrip("#"), 0)


def products(instruction, vector_bits):
    """Multiply-accumulates that one multiply instruction does with vectors of `vector_bits`."""
    first, mnemonic = instruction.operands[0], instruction.mnemonic
    tile, vectors = ZA_TILE.match(first), ZA_VECTORS.match(first)
    if tile or vectors:
        source = SVE.search(", ".join(instruction.operands[1:])).group(1)
        if tile:
            side = vector_bits // ELEMENT_BITS[tile.group(1)]
            return side * side * ELEMENT_BITS[tile.group(1)] // ELEMENT_BITS[source]
        group = re.search(r"vgx(\d)", first)
        count = int(group.group(1)) if group else 1
        return count * vector_bits // ELEMENT_BITS[source]
    neon = NEON.match(first)
    if neon:
        lanes, bits = int(neon.group(1)), ELEMENT_BITS[neon.group(2)]
    elif SVE.match(first):
        bits = ELEMENT_BITS[SVE.match(first).group(1)]
        lanes = vector_bits // bits
    elif SCALAR_FLOAT.match(first):
        lanes, bits = 1, ELEMENT_BITS[first[0]]
    else:
        return 1
    if mnemonic in DOT:
        source = instruction.operands[1]
        found = NEON.match(source)
        source_bits = ELEMENT_BITS[found.group(2) if found else SVE.match(source).group(1)]
        return lanes * (bits // source_bits)
    return lanes * PER_ELEMENT_OF_MATRIX.get(mnemonic, 1)


def signature(instruction):
    """The instruction without register numbers: `fmla v.4s, v.4s, v.s[]`."""
    text = re.sub(r"\b([vzpwx])\d+", r"\1", instruction.text)
    text = re.sub(r"\b([bhsdq])\d+\b", r"\1", text)
    return re.sub(r"\[\d+\]", "[]", text)


def loaded_bytes(instruction, vector_bits):
    """Bytes that a load of vectors reads, as far as its spelling says; None if it does not."""
    mnemonic, first = instruction.mnemonic, instruction.operands[0]
    if mnemonic in ("ldr", "ldur", "ldp", "ldnp"):
        count = 2 if mnemonic in ("ldp", "ldnp") else 1
        if first[0] == "z":
            return vector_bits // 8
        sizes = {"b": 1, "h": 2, "s": 4, "d": 8, "q": 16, "w": 4, "x": 8}
        return count * sizes[first[0]] if first[0] in sizes else None
    if mnemonic in ("ldrb", "ldurb", "ldrsb", "ldursb"):
        return 1
    if mnemonic in ("ldrh", "ldurh", "ldrsh", "ldursh"):
        return 2
    if mnemonic == "ldrsw":
        return 4
    replicated = re.match(r"^ld1r(?:(q|o)?([bhwd]))$", mnemonic)
    if replicated:
        element = {"b": 1, "h": 2, "w": 4, "d": 8}[replicated.group(2)]
        return {"q": 16, "o": 32}.get(replicated.group(1), element)
    registers = first.strip("{} ")
    span = re.match(r"^[vz](\d+)\.\w+ - [vz](\d+)\.", registers)
    count = (int(span.group(2)) - int(span.group(1))) % 32 + 1 if span else registers.count(",") + 1
    neon = re.search(r"v\d+\.(\d*)([bhsd])", registers)
    if neon:
        element = ELEMENT_BITS[neon.group(2)] // 8
        if mnemonic == "ld1r" or first.endswith("]"):
            return count * element
        return count * int(neon.group(1)) * element
    sve = re.match(r"^ld(?:nt|nf|ff)?([1-4])(s?)([bhwd])$", mnemonic)
    if sve and SVE.search(registers):
        memory = {"b": 8, "h": 16, "w": 32, "d": 64}[sve.group(3)]
        register = ELEMENT_BITS[SVE.search(registers).group(1)]
        return count * vector_bits // register * memory // 8
    return None


def kind(instruction):
    """multiply, load, store, vector (every other one that names a vector) or scalar."""
    if instruction.is_multiply:
        return "multiply"
    if instruction.is_load:
        return "load"
    if instruction.is_store:
        return "store"
    if any(VECTOR_REGISTER.search(op) and not op.startswith("[") for op in instruction.operands):
        return "vector"
    return "scalar"
