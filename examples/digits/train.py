#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the digits MLP and writes it as model.mlir (f32) and model_int8.mlir (int8).

    python3 train.py            # needs numpy only

Reads digits.csv beside this file. Every third image is held out: row i with i % 3 == 2 is never seen in training or
in choosing quantisation scales. Seeded: the same numpy on the same kind of CPU writes the same files.
"""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
SEED = 20240817
SIZES = [64, 96, 48, 10]
EPOCHS = 80
BATCH = 32
PIXEL_MAX = 16.0
REQUANT_SHIFT = 31  # requantisation multiplies by integer / 2**31


def load():
    rows = np.loadtxt(HERE / "digits.csv", delimiter=",", dtype=np.int64, comments="#")
    images, labels = rows[:, :64], rows[:, 64]
    held_out = np.arange(len(rows)) % 3 == 2
    return images[~held_out], labels[~held_out], images[held_out], labels[held_out]


def shifted(images):
    """The images and their four one-pixel shifts: cheap augmentation against overfitting."""
    grid = images.reshape(-1, 8, 8)
    result = [grid]
    for axis, step in ((1, 1), (1, -1), (2, 1), (2, -1)):
        moved = np.roll(grid, step, axis=axis)
        edge = [slice(None)] * 3
        edge[axis] = 0 if step == 1 else -1
        moved[tuple(edge)] = 0
        result.append(moved)
    return np.concatenate(result).reshape(-1, 64)


def forward(weights, biases, x):
    """All activations: the input, each hidden layer after ReLU, the logits."""
    activations = [x]
    for layer, (w, b) in enumerate(zip(weights, biases)):
        x = x @ w + b
        if layer + 1 < len(weights):
            x = np.maximum(x, 0.0)
        activations.append(x)
    return activations


def train(images, labels):
    """Adam on softmax cross-entropy with decoupled weight decay, in f64."""
    rng = np.random.default_rng(SEED)
    x = shifted(images) / PIXEL_MAX
    y = np.tile(labels, len(x) // len(labels))
    weights = [rng.normal(0.0, np.sqrt(2.0 / a), (a, b)) for a, b in zip(SIZES, SIZES[1:])]
    biases = [np.zeros(b) for b in SIZES[1:]]
    parameters = weights + biases
    first = [np.zeros_like(p) for p in parameters]
    second = [np.zeros_like(p) for p in parameters]
    steps_per_epoch = len(x) // BATCH
    total = EPOCHS * steps_per_epoch
    step = 0
    for _ in range(EPOCHS):
        order = rng.permutation(len(x))
        for start in range(steps_per_epoch):
            pick = order[start * BATCH:(start + 1) * BATCH]
            activations = forward(weights, biases, x[pick])
            logits = activations[-1]
            p = np.exp(logits - logits.max(axis=1, keepdims=True))
            p /= p.sum(axis=1, keepdims=True)
            p[np.arange(BATCH), y[pick]] -= 1.0
            delta = p / BATCH
            grad_w, grad_b = [None] * len(weights), [None] * len(biases)
            for layer in reversed(range(len(weights))):
                grad_w[layer] = activations[layer].T @ delta
                grad_b[layer] = delta.sum(axis=0)
                if layer:
                    delta = (delta @ weights[layer].T) * (activations[layer] > 0)
            step += 1
            rate = 2e-3 * 0.5 * (1.0 + np.cos(np.pi * step / total))
            for i, g in enumerate(grad_w + grad_b):
                first[i] = 0.9 * first[i] + 0.1 * g
                second[i] = 0.999 * second[i] + 0.001 * g * g
                update = (first[i] / (1 - 0.9**step)) / (np.sqrt(second[i] / (1 - 0.999**step)) + 1e-8)
                decay = 1e-2 * parameters[i] if i < len(weights) else 0.0
                parameters[i] -= rate * (update + decay)
    return weights, biases


def quantise(weights, biases, images):
    """Symmetric int8: per-column weight scales (one for the last layer, whose logits are compared with each other),
    activation scales from the training images. Returns per layer (w s8, b s32, multiplier s32 or None)."""
    activations = forward(weights, biases, images / PIXEL_MAX)
    in_scale = 1.0 / PIXEL_MAX  # pixels are used as they are
    layers = []
    for layer, (w, b) in enumerate(zip(weights, biases)):
        last = layer + 1 == len(weights)
        w_scale = np.abs(w).max(axis=0) / 127.0
        if last:
            w_scale = np.full_like(w_scale, w_scale.max())
        w8 = np.clip(np.rint(w / w_scale), -127, 127).astype(np.int8)
        b32 = np.rint(b / (in_scale * w_scale)).astype(np.int32)
        multiplier = None
        if not last:
            out_scale = np.percentile(activations[layer + 1], 99.95) / 127.0
            multiplier = np.rint(in_scale * w_scale / out_scale * 2.0**REQUANT_SHIFT).astype(np.int32)
            in_scale = out_scale
        layers.append((w8, b32, multiplier))
    return layers


def predict_int8(layers, images):
    x = images.astype(np.int64)
    for w8, b32, multiplier in layers:
        x = x @ w8.astype(np.int64) + b32
        if multiplier is not None:
            x = (x * multiplier + (1 << (REQUANT_SHIFT - 1))) >> REQUANT_SHIFT
            x = np.clip(x, 0, 127)
    return x


def constant(name, array, element):
    """`%name = arith.constant` with the array as little-endian bytes, in hexadecimal."""
    shape = "x".join(str(d) for d in array.shape)
    data = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes().hex().upper()
    return f'  %{name} = arith.constant dense<"0x{data}"> : tensor<{shape}x{element}>\n'


def fill(template, constants):
    text = (HERE / template).read_text()
    return text.replace("  // CONSTANTS\n", "".join(constants))


def main():
    train_images, train_labels, test_images, test_labels = load()
    weights, biases = train(train_images, train_labels)
    weights = [w.astype(np.float32) for w in weights]
    biases = [b.astype(np.float32) for b in biases]
    logits = forward(weights, biases, (test_images / PIXEL_MAX).astype(np.float32))[-1]
    layers = quantise(weights, biases, train_images)
    logits8 = predict_int8(layers, test_images)
    for name, result in (("f32", logits), ("int8", logits8)):
        right = int((result.argmax(axis=1) == test_labels).sum())
        print(f"{name}: {right} of {len(test_labels)} held-out images right, {100.0 * right / len(test_labels):.2f} %")

    f32 = []
    int8 = []
    for i, (w, b) in enumerate(zip(weights, biases), start=1):
        f32 += [constant(f"w{i}", w, "f32"), constant(f"b{i}", b, "f32")]
    for i, (w8, b32, multiplier) in enumerate(layers, start=1):
        int8 += [constant(f"w{i}", w8, "i8"), constant(f"b{i}", b32, "i32")]
        if multiplier is not None:
            int8 += [constant(f"m{i}", multiplier, "i32")]
    (HERE / "model.mlir").write_text(fill("model.mlir.in", f32))
    (HERE / "model_int8.mlir").write_text(fill("model_int8.mlir.in", int8))


if __name__ == "__main__":
    main()
