# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a file is damaged: mutate(random, kind, bytes, others) -> (bytes, what was done)"""

import re
import struct

NASTY = (0, 1, 2, 3, 4, 7, 8, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000,
         0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF)


def block(random, data):
    """A range, mostly short."""
    size = min(len(data), random.choice((1, 2, 4, 8, 16, 64, 256, 4096, max(1, len(data) // 3))))
    start = random.randrange(len(data) - size + 1)
    return start, start + size


def flip(random, data, _):
    for _ in range(random.choice((1, 1, 1, 2, 3, 8))):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def set_bytes(random, data, _):
    start, end = block(random, data)
    for i in range(start, min(end, start + 16)):
        data[i] = random.randrange(256)


def truncate(random, data, _):
    del data[random.randrange(len(data)):]


def delete(random, data, _):
    start, end = block(random, data)
    del data[start:end]


def duplicate(random, data, _):
    start, end = block(random, data)
    at = random.randrange(len(data) + 1)
    data[at:at] = data[start:end] * random.choice((1, 1, 2, 20))


def move(random, data, _):
    start, end = block(random, data)
    piece = data[start:end]
    at = random.randrange(len(data) - len(piece) + 1)
    data[at:at + len(piece)] = piece


def splice(random, data, others):
    other = random.choice(others)
    if random.random() < 0.5:
        at = random.randrange(len(data))
        data[at:] = other[random.randrange(len(other)):]
    else:
        start, end = block(random, other)
        at = random.randrange(len(data))
        data[at:at + end - start] = other[start:end]


def field(random, data, _):
    """An aligned integer becomes one that tends to be wrong: a length, an offset, a count."""
    width = random.choice((1, 2, 4, 4, 4, 8))
    if len(data) < width:
        return
    at = random.randrange(len(data) // width) * width
    old = int.from_bytes(data[at:at + width], "little")
    new = random.choice((random.choice(NASTY), old + 1, old - 1, old * 2, len(data), len(data) - 1, len(data) + 1))
    data[at:at + width] = (new % (1 << 8 * width)).to_bytes(width, "little")


ANY = (flip, flip, set_bytes, truncate, delete, duplicate, move, splice, field, field)


def elf_field(random, data, others):
    """A field of the ELF header or of a section header."""
    if len(data) < 64 or data[:4] != b"\x7fELF" or data[4] != 2:
        return field(random, data, others)
    offset, = struct.unpack_from("<Q", data, 40)
    count, = struct.unpack_from("<H", data, 60)
    header = ((16, 2), (18, 2), (32, 8), (40, 8), (52, 2), (54, 2), (56, 2), (58, 2), (60, 2), (62, 2))
    section = ((0, 4), (4, 4), (8, 8), (16, 8), (24, 8), (32, 8), (40, 4), (44, 4), (48, 8), (56, 8))
    if not count or offset + 64 * count > len(data) or random.random() < 0.2:
        base, (at, width) = 0, random.choice(header)
    else:
        base, (at, width) = offset + 64 * random.randrange(count), random.choice(section)
    old = int.from_bytes(data[base + at:base + at + width], "little")
    new = random.choice((random.choice(NASTY), old + 1, old - 1, len(data), random.randrange(64)))
    data[base + at:base + at + width] = (new % (1 << 8 * width)).to_bytes(width, "little")
    return None


def archive_field(random, data, others):
    """A member's size, name or magic."""
    ends = [match.start() for match in re.finditer(rb"`\n", bytes(data)) if match.start() >= 58]
    if not ends:
        return field(random, data, others)
    at = random.choice(ends) - 58
    start, width = random.choice(((0, 16), (0, 16), (48, 10), (48, 10), (48, 10), (58, 2), (16, 12)))
    text = random.choice((b"/", b"//", b"/0", b"/999999", b"#1/9999", b"0", b"1", b"4294967295", b"9999999999", b"-1",
                          b" ", b"x" * width, str(len(data)).encode()))
    data[at + start:at + start + width] = text[:width].ljust(width)
    return None


def bitcode_word(random, data, _):
    """A 32-bit word, of which bitcode is made: mostly a block's length, or a neighbour's value."""
    if len(data) < 8:
        return
    at = random.randrange(len(data) // 4) * 4
    word, = struct.unpack_from("<I", data, at)
    near = struct.unpack_from("<I", data, random.randrange(len(data) // 4) * 4)[0]
    new = random.choice((random.choice(NASTY), word + 1, word - 1, near, word << 1, word >> 1, word ^ near))
    struct.pack_into("<I", data, at, new & 0xFFFFFFFF)


# What a text is made of, as far as mutation goes.
TOKEN = re.compile(rb"\s+|[%#@^!]?[A-Za-z_][\w.$]*|\d+|.", re.DOTALL)


def tokens(random, data, others):
    """Tokens are dropped, doubled, exchanged, or come from another text."""
    mine = TOKEN.findall(bytes(data))
    foreign = TOKEN.findall(bytes(random.choice(others)))
    for _ in range(random.choice((1, 1, 2, 4))):
        if not mine:
            return
        at = random.randrange(len(mine))
        choice = random.randrange(6)
        if choice == 0:
            del mine[at]
        elif choice == 1:
            mine.insert(at, mine[at])
        elif choice == 2:
            mine[at] = random.choice(mine)
        elif choice == 3 and foreign:
            mine[at] = random.choice(foreign)
        elif choice == 4:
            numbers = [i for i, token in enumerate(mine) if token.isdigit()]
            if numbers:
                mine[random.choice(numbers)] = str(random.choice(NASTY + (5, 13, 1 << 40))).encode()
        else:
            end = min(len(mine), at + random.choice((2, 5, 20)))
            mine[at:at] = mine[at:end] * random.choice((1, 1, 3, 2000))
    data[:] = b"".join(mine)


def nest(random, data, _):
    """Brackets within brackets."""
    opening, closing = random.choice(((b"(", b")"), (b"[", b"]"), (b"{", b"}"), (b"<", b">"),
                                      (b"tensor<", b">"), (b"vector<", b">"), (b"module {", b"}")))
    depth = random.choice((10, 100, 3000, 100000))
    at = random.randrange(len(data) + 1)
    end = min(len(data), at + random.choice((0, 1, 5)))
    data[at:end] = opening * depth + data[at:end] + closing * random.choice((depth, 0))


BY_KIND = {"bitcode": ANY + (bitcode_word,) * 6, "object": ANY + (elf_field,) * 6, "archive": ANY + (archive_field,) * 6,
           "model": (tokens,) * 12 + (nest, nest, flip, truncate, delete, duplicate, splice)}


def mutate(random, kind, data, others):
    data = bytearray(data)
    done = []
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        mutator = random.choice(BY_KIND[kind])
        if not data:
            break
        mutator(random, data, others)
        done.append(mutator.__name__)
    return bytes(data), "+".join(done)
