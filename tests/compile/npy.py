# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numpy's files of one array, without numpy."""

import ast
import struct


def encode(descr, shape, data, version=1, order=False):
    text = f"{{'descr': {descr!r}, 'fortran_order': {order}, 'shape': {tuple(shape)!r}, }}"
    prefix = 10 if version == 1 else 12
    text += " " * (-(prefix + len(text) + 1) % 64) + "\n"
    return (b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text.encode()
            + data)


def decode(content):
    """Element type, shape and bytes, of what a program here has written."""
    length = struct.unpack("<H", content[8:10])[0]
    if content[:8] != b"\x93NUMPY\1\0" or (10 + length) % 64:
        raise ValueError(f"no file of numpy: {content[:10]}")
    header = ast.literal_eval(content[10:10 + length].decode())
    if header["fortran_order"]:
        raise ValueError("in Fortran's order")
    return header["descr"], header["shape"], content[10 + length:]
