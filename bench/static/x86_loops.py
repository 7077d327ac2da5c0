# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a disassembly to the hot loop of each x86-64 tile function: what it asks of the ports."""

import re
from fractions import Fraction

SYMBOL = re.compile(r"^(?:[0-9a-f]+ )?<([^>]+)>:$")
LINE = re.compile(r"^\s*([0-9a-f]+):\s+(?:\{\w+\}\s+)?([a-z]\S*)(?:\s+(.*))?$")
TILE_BITS = 16 * 512  # of a register of AMX
REGISTERS = {"tmm": TILE_BITS, "zmm": 512, "ymm": 256, "xmm": 128}

# Mnemonics of vectors, by the operation of x86_ports.py; the first that matches.
OPERATIONS = [
    (r"vf(n?m)(add|sub)\w*(ps|pd|ph)$", "fma"),
    (r"tdp\w+$", "dot tile"),
    (r"vdpbf16ps$", "dot bf16"),
    (r"vpdpwssd$", "dot 16"),
    (r"vpdpb(us|ss|su|uu)d$", "dot 8"),
    (r"vpmaddwd$", "multiply 16"),
    (r"vpmulld$", "multiply 32"),
    (r"vp(add|sub)[bwdq]$", "add"),
    (r"v(add|sub|mul)p[sd]$", "float add"),
    (r"vp?(and|andn|or|xor|ternlog|blend)(ps|pd|[dq])?$|vpblend\w+$|vblend\w+$", "logic"),
    (r"vps[lr][la][wdq]$", "shift"),
    (r"vperm[ti]2\w+$", "permute two"),
    (r"v(perm|perm2)\w+$|vshuf[if]\w+$|v(insert|extract)\w+$|valign[dq]$", "permute"),
    (r"vpmov[sz]x\w+$", "widen"),
    (r"vcvtph2ps$", "from half"),
    (r"vcvt(ps2ph|neps2bf16)$|vpmov[dw][bw]$", "narrow"),
    (r"vmovddup$|vmovs[lh]dup$", "repeat lanes"),
    (r"v?p?shuf\w+$|v?p?unpck\w+$|vpalignr$", "shuffle"),
    (r"v?p?insr\w+$|vpermil\w+$", "shuffle"),
]
# Products that go into one element of 32 bits; of 64 for pd, of 16 for ph.
PRODUCTS = {"fma": 1, "dot bf16": 2, "dot 16": 2, "dot 8": 4, "multiply 16": 2, "multiply 32": 1}


class Instruction:
    """`mnemonic`, `operands` as text, and what of it matters: `bits` of its vectors (0: scalar),
    `operation` or None, whether it reads or writes memory, `target` of a branch."""

    def __init__(self, address, mnemonic, operands):
        self.address, self.mnemonic, self.operands = address, mnemonic, operands
        self.bits = max((bits for name, bits in REGISTERS.items() if name in operands), default=0)
        self.operation = None
        if self.bits:
            self.operation = next((operation for pattern, operation in OPERATIONS
                                   if re.match(pattern, mnemonic)), None)
        in_memory = "(" in operands and not mnemonic.startswith(("lea", "nop", "j"))
        self.stores = in_memory and operands.rstrip().endswith(")") and not (
            self.bits == 0 and mnemonic.startswith(("cmp", "test", "prefetch")))
        self.loads = in_memory and not self.stores
        if self.operation == "repeat lanes" and not self.loads:
            self.operation = "shuffle"
        branch = re.match(r"^(?:0x)?([0-9a-f]+)", operands) if mnemonic.startswith("j") else None
        self.target = int(branch.group(1), 16) if branch else None

    @property
    def computes_with_index(self):
        """Whether a vector operation has a memory operand with an index."""
        return self.loads and self.operation is not None and \
            re.search(r"\(%\w+,\s*%", self.operands) is not None

    @property
    def broadcasts(self):
        return "broadcast" in self.mnemonic or "{1to" in self.operands

    @property
    def products(self):
        if self.operation == "dot tile":
            return 16 * 16 * (32 if "bf16" in self.mnemonic else 64)
        each = PRODUCTS.get(self.operation, 0)
        return each * self.bits // {"pd": 64, "ph": 16}.get(self.mnemonic[-2:], 32)


def functions(disassembly):
    """{symbol: [Instruction]} from `llvm-objdump -d --no-show-raw-insn`."""
    result, current = {}, None
    for line in disassembly.splitlines():
        symbol, found = SYMBOL.match(line.strip()), LINE.match(line)
        if symbol:
            current = result.setdefault(symbol.group(1), [])
        elif found and current is not None:
            operands = re.sub(r"\s*(<|#).*$", "", found.group(3) or "").strip()
            current.append(Instruction(int(found.group(1), 16), found.group(2), operands))
    return result


def usual_path(loop):
    """A loop without what its iterations skip: requests for a rhs that the caller says is far
    (TW_MMT4D_FLAG_RHS_FAR), or for what a later call reads (TW_MMT4D_FLAG_NEXT), whose pointer moves
    on, which stand behind a branch over them or behind one to the start; nor padding."""
    start, end = loop[0].address, loop[-1].address
    skipped = set()
    for index, branch in enumerate(loop[:-1]):
        if branch.target is None or not start <= branch.target <= end:
            continue
        to_start = branch.target == start
        behind = [i for i in loop[index + 1:] if to_start or i.address < branch.target]
        if any(i.mnemonic.startswith("prefetch") for i in behind) and not any(i.bits for i in behind):
            skipped.update(i.address for i in behind)
    return [i for i in loop if i.address not in skipped and not i.mnemonic.startswith("nop")]


def hot_loop(function):
    """The innermost loop with the most products per iteration, as it usually goes. ValueError where
    none multiplies."""
    at = {instruction.address: index for index, instruction in enumerate(function)}
    back = {}
    for index, instruction in enumerate(function):
        start = at.get(instruction.target)
        if start is not None and start <= index:
            back[start] = index
    # A branch from within a loop to what stands before it leaves it.
    back = {start: end for start, end in back.items()
            if not any(start < s <= end < e for s, e in back.items())}
    loops = [function[start:end + 1] for start, end in back.items()
             if not any(start <= s and e <= end for s, e in back.items() if (s, e) != (start, end))]
    best = max(loops, key=lambda loop: sum(i.products for i in loop), default=[])
    if not any(i.products for i in best):
        raise ValueError("no innermost loop holds a multiply instruction")
    return usual_path(best)


def corrections(loop):
    """Products that are sums of a tile's operand, to correct for signs: one of the two factors is a
    register that the loop does not write."""
    def number(register):
        return re.sub(r"%[xyz]mm", "%", register)
    written = {number(i.operands.split(", ")[-1].split(" ")[0]) for i in loop if not i.stores}

    def constants(i):
        return sum(factor.startswith("%") and number(factor) not in written
                   for factor in i.operands.split(", ")[:-1])
    return sum(i.products for i in loop if i.operation == "dot 8" and constants(i) == 1)


def useful_products(loop, tile_products):
    """Products of an iteration that are the tile's: whole steps, or half or a quarter of one, as
    loops over a part of the rows or of K0 make them. What is beyond, at most a seventh of them, is
    a correction whose constant is in memory."""
    products = sum(i.products for i in loop) - corrections(loop)
    # Tile registers have all their rows, whatever the tile has of them.
    if any(i.operation == "dot tile" for i in loop) and products >= tile_products:
        return tile_products
    steps = Fraction(products, tile_products)
    unit = next((unit for unit in (Fraction(1), Fraction(1, 2), Fraction(1, 4)) if unit <= steps), 0)
    useful = unit and steps // unit * unit
    # Three steps of half of the tile.
    if steps % Fraction(1, 2) == 0:
        useful = steps
    if useful < steps * Fraction(7, 8) or useful == 0:
        raise ValueError(f"an iteration has {products} products, which are no steps of "
                         f"{tile_products}, nor half or a quarter of one")
    return int(useful * tile_products)
