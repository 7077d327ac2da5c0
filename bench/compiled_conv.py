#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of compiled models, with constant weights, against what bounds them, measured in the same run.

    compiled_conv.py build/release [--types=f32,bf16,s8] [--only=TEXT] [--check]

Those with filters against the issue peak of their types; depthwise ones against memcpy of as many bytes. A line is the
bound in ms, the time of a call in ms, both the least of many slices, in turns, and the share. Windows lie inside of the
input, which has its padding. One thread; the machine should do nothing else. --check exits with 1 if one of f32 is below
its share in the table, where that has one.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

from compiled_matmul import weights

SOURCE = pathlib.Path(__file__).resolve().parent.parent

# How MLIR spells elements of the input and of the result, their triple, bytes; as C has them.
TYPES = {
    "f32": ("f32", "f32", "TW_TYPES_F32F32F32", 4, "float", "float"),
    "bf16": ("bf16", "f32", "TW_TYPES_BF16BF16F32", 2, "uint16_t", "float"),
    "s8": ("i8", "i32", "TW_TYPES_S8S8S32", 1, "int8_t", "int32_t"),
}

# Out's height and width, channels, filters (0: depthwise), window, stride; the share that is asked for in f32.
CONVOLUTIONS = {
    "56x56x64x64 3x3": (56, 64, 64, 3, 1, 0.6),
    "14x14x256x256 3x3": (14, 256, 256, 3, 1, None),
    "28x28x128x128 3x3 /2": (28, 128, 128, 3, 2, None),
    "112x112x3x64 7x7 /2": (112, 3, 64, 7, 2, None),
    "56x56x64 3x3": (56, 64, 0, 3, 1, 0.4),
    "112x112x32 3x3": (112, 32, 0, 3, 1, 0.4),
}


def model(kind, layout, out, channels, filters, window, stride):
    """The text, and how many elements the input and the result have."""
    lhs, result = TYPES[kind][:2]
    size = (out - 1) * stride + window
    if layout == "nhwc":
        shapes = [f"1x{size}x{size}x{channels}", f"{window}x{window}x{channels}", f"1x{out}x{out}x{filters or channels}"]
        op = "conv_2d_nhwc_hwcf" if filters else "depthwise_conv_2d_nhwc_hwc"
        shapes[1] += f"x{filters}" if filters else ""
    else:
        shapes = [f"1x{channels}x{size}x{size}", f"{channels}x{window}x{window}", f"1x{filters or channels}x{out}x{out}"]
        op = "conv_2d_nchw_fchw" if filters else "depthwise_conv_2d_nchw_chw"
        shapes[1] = (f"{filters}x" if filters else "") + shapes[1]
    x, w, y = (f"tensor<{shape}x{element}>" for shape, element in zip(shapes, (lhs, lhs, result)))
    zero = "0" if result == "i32" else "0.0"
    text = f"""
func.func @conv(%x: {x}) -> {y} {{
  %w = arith.constant dense_resource<w> : {w}
  %zero = arith.constant {zero} : {result}
  %e = tensor.empty() : {y}
  %f = linalg.fill ins(%zero : {result}) outs(%e : {y}) -> {y}
  %r = linalg.{op} {{strides = dense<{stride}> : tensor<2xi64>}} ins(%x, %w : {x}, {w}) outs(%f : {y}) -> {y}
  return %r : {y}
}}
"""
    count = window * window * channels * (filters or 1)
    text += '{-# dialect_resources: { builtin: { w: "' + weights(kind, count) + '" } } #-}\n'
    return text, size * size * channels, out * out * (filters or channels)


def measure(build, directory, kind, layout, shape):
    out, channels, filters, window, stride, _ = shape
    _, _, triple, size, in_element, out_element = TYPES[kind]
    text, inputs, outputs = model(kind, layout, out, channels, filters, window, stride)
    source = directory / "model.mlir"
    source.write_text(text)
    subprocess.run([build / "bin/tilewright", "compile", source, "-o", directory / "model.a", "--emit-header",
                    directory / "model.h"], check=True)
    program = directory / "program"
    operations = 2 * outputs * window * window * channels if filters else 0
    subprocess.run(
        ["c++", "-std=c++17", "-O2", f"-DTYPES={triple}", f"-DELEMENT_BYTES={size}", f"-DIN_ELEMENT={in_element}",
         f"-DOUT_ELEMENT={out_element}", f"-DIN_BYTES={inputs * size}", f"-DOUT_BYTES={outputs * 4}",
         f"-DOPERATIONS={operations}.0", "-DWITH_WORKSPACE=conv_with_workspace", "-DWORKSPACE_BYTES=conv_workspace_bytes",
         f"-I{directory}", f"-I{SOURCE}", f"-I{SOURCE / 'abi/include'}", SOURCE / "bench/compiled_conv.cpp",
         directory / "model.a", build / "measure/libtilewright_measure.a", build / "ukernels/libtilewright.a",
         build / "abi/libtilewright_key.a", "-lm", "-o", program], check=True)
    return map(float, subprocess.run([program], check=True, capture_output=True, text=True).stdout.split())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="the build tree")
    parser.add_argument("--types", default=",".join(TYPES))
    parser.add_argument("--only", default="", help="those whose line has this text")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a bound is missed")
    options = parser.parse_args()
    unknown = [kind for kind in options.types.split(",") if kind not in TYPES]
    if unknown:
        parser.error(f"--types: '{unknown[0]}' is none of {', '.join(TYPES)}")
    missed = 0
    for kind in options.types.split(","):
        for name, shape in CONVOLUTIONS.items():
            for layout in ("nhwc", "nchw"):
                line = f"{kind:5} {layout} {name}"
                if options.only not in line:
                    continue
                with tempfile.TemporaryDirectory() as directory:
                    bound, time, share = measure(options.build.resolve(), pathlib.Path(directory), kind, layout, shape)
                what = "of the issue peak" if shape[2] else "of memcpy"
                print(f"{line:32} {bound:8.4f} {time:8.4f} ms {share:5.2f} {what}", flush=True)
                missed += kind == "f32" and shape[5] is not None and share < shape[5]
    if options.check and missed:
        print(f"{missed} below their bounds", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
