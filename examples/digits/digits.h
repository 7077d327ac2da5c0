// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The held-out images, and the two networks written as plain loops: what the
// compiled models are compared with. The weights are read from the models
// themselves, so that there is one copy of them.

#ifndef TILEWRIGHT_EXAMPLES_DIGITS_DIGITS_H_
#define TILEWRIGHT_EXAMPLES_DIGITS_DIGITS_H_

#include <stddef.h>
#include <stdint.h>

enum { kPixels = 64, kClasses = 10, kLayers = 3 };

typedef struct images_t {
  size_t count;
  int8_t (*pixels)[kPixels];  // 0..16
  int* labels;                // 0..9
} images_t;

// One layer as it stands in a model: `%w1` [in][out], `%b1` [out], and in
// hidden int8 layers the multiplier `%m1` [out]. Elements are f32, or s8
// weights with s32 biases and multipliers.
typedef struct layer_t {
  size_t in, out;
  void *weights, *bias, *multiplier;
} layer_t;

typedef struct network_t {
  layer_t layers[kLayers];
} network_t;

// The held-out rows of digits.csv. On failure says why on standard error and
// returns 0.
int load_held_out(const char* path, images_t* images);
void free_images(images_t* images);

// The constants of model.mlir (int8 = 0) or model_int8.mlir (int8 = 1).
int load_network(const char* path, int int8, network_t* network);
void free_network(network_t* network);

// One image -> the probabilities of the digits.
void reference_f32(const network_t* network, const float* image,
                   float* probabilities);

// One image -> the logits of the digits.
void reference_int8(const network_t* network, const int8_t* image,
                    int32_t* logits);

#endif  // TILEWRIGHT_EXAMPLES_DIGITS_DIGITS_H_
