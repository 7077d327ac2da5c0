// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "digits.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxWidth = 256 };  // of a layer

// The whole file, zero-terminated; null after an error.
static char* read_file(const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file) {
    fprintf(stderr, "cannot read %s: %s\n", path, strerror(errno));
    return NULL;
  }
  size_t size = 0, capacity = 1 << 16;
  char* text = malloc(capacity);
  while (text) {
    size += fread(text + size, 1, capacity - size, file);
    if (size < capacity) break;
    char* larger = realloc(text, capacity *= 2);
    if (!larger) free(text);
    text = larger;
  }
  if (text && ferror(file)) {
    fprintf(stderr, "cannot read %s\n", path);
    free(text);
    text = NULL;
  }
  fclose(file);
  if (text) text[size] = '\0';
  return text;
}

int load_held_out(const char* path, images_t* images) {
  *images = (images_t){0};
  char* text = read_file(path);
  if (!text) return 0;
  size_t rows = 0;
  for (const char* c = text; *c; ++c) rows += *c == '\n';
  images->pixels = malloc((rows + 1) * sizeof *images->pixels);
  images->labels = malloc((rows + 1) * sizeof *images->labels);
  int ok = images->pixels && images->labels;
  size_t row = 0;
  for (char* line = text; ok && *line;) {
    char* end = strchr(line, '\n');
    char* next = end ? end + 1 : line + strlen(line);
    if (*line != '#' && *line != '\n') {
      long values[kPixels + 1];
      for (int i = 0; i <= kPixels && ok; ++i) {
        char* after;
        values[i] = strtol(line, &after, 10);
        ok = after != line && values[i] >= 0 && values[i] <= 16;
        line = after + (*after == ',');
      }
      if (!ok)
        fprintf(stderr, "%s: image %zu is not 64 pixels and a digit\n", path,
                row);
      // The rule of train.py: every third image is held out.
      if (ok && row++ % 3 == 2) {
        for (int i = 0; i < kPixels; ++i)
          images->pixels[images->count][i] = (int8_t)values[i];
        images->labels[images->count++] = (int)values[kPixels];
      }
    }
    line = next;
  }
  free(text);
  if (ok && images->count > 0) return 1;
  if (ok) fprintf(stderr, "%s holds no images\n", path);
  free_images(images);
  return 0;
}

void free_images(images_t* images) {
  free(images->pixels);
  free(images->labels);
  *images = (images_t){0};
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Finds `%<kind><index> = arith.constant dense<"0x...">` in a model's text and
// decodes its little-endian bytes. Null if it is not there.
static void* read_constant(const char* text, char kind, int index,
                           size_t* bytes) {
  char start[64];
  snprintf(start, sizeof start, "%%%c%d = arith.constant dense<\"0x", kind,
           index);
  const char* hex = strstr(text, start);
  if (!hex) return NULL;
  hex += strlen(start);
  size_t digits = strspn(hex, "0123456789ABCDEF");
  unsigned char* data = malloc(digits / 2 + 1);
  for (size_t i = 0; data && i < digits / 2; ++i)
    data[i] =
        (unsigned char)(hex_digit(hex[2 * i]) * 16 + hex_digit(hex[2 * i + 1]));
  *bytes = digits / 2;
  return data;
}

int load_network(const char* path, int int8, network_t* network) {
  *network = (network_t){0};
  char* text = read_file(path);
  if (!text) return 0;
  size_t in = kPixels;
  int ok = 1;
  for (int i = 0; i < kLayers && ok; ++i) {
    layer_t* layer = &network->layers[i];
    size_t weight_bytes = 0, bias_bytes = 0, multiplier_bytes = 0;
    layer->weights = read_constant(text, 'w', i + 1, &weight_bytes);
    layer->bias = read_constant(text, 'b', i + 1, &bias_bytes);
    layer->multiplier = read_constant(text, 'm', i + 1, &multiplier_bytes);
    layer->in = in;
    layer->out = bias_bytes / 4;  // f32 or s32
    ok = layer->weights && layer->bias && layer->out <= kMaxWidth &&
         weight_bytes == in * layer->out * (int8 ? 1 : 4) &&
         multiplier_bytes == (int8 && i + 1 < kLayers ? bias_bytes : 0);
    in = layer->out;
  }
  free(text);
  if (ok && in == kClasses) return 1;
  fprintf(stderr, "%s does not hold the constants of the digits network\n",
          path);
  free_network(network);
  return 0;
}

void free_network(network_t* network) {
  for (int i = 0; i < kLayers; ++i) {
    free(network->layers[i].weights);
    free(network->layers[i].bias);
    free(network->layers[i].multiplier);
  }
  *network = (network_t){0};
}

void reference_f32(const network_t* network, const float* image,
                   float* probabilities) {
  float x[kMaxWidth], y[kMaxWidth];
  for (int i = 0; i < kPixels; ++i) x[i] = image[i] * 0.0625f;
  for (int l = 0; l < kLayers; ++l) {
    const layer_t* layer = &network->layers[l];
    const float *weights = layer->weights, *bias = layer->bias;
    for (size_t j = 0; j < layer->out; ++j) {
      float sum = bias[j];
      for (size_t i = 0; i < layer->in; ++i)
        sum += x[i] * weights[i * layer->out + j];
      y[j] = l + 1 < kLayers && sum < 0 ? 0 : sum;
    }
    memcpy(x, y, sizeof x);
  }
  float max = x[0], total = 0;
  for (int i = 1; i < kClasses; ++i) max = x[i] > max ? x[i] : max;
  for (int i = 0; i < kClasses; ++i) total += x[i] = expf(x[i] - max);
  for (int i = 0; i < kClasses; ++i) probabilities[i] = x[i] / total;
}

void reference_int8(const network_t* network, const int8_t* image,
                    int32_t* logits) {
  int8_t x[kMaxWidth];
  int8_t y[kMaxWidth];
  memcpy(x, image, kPixels);
  for (int l = 0; l < kLayers; ++l) {
    const layer_t* layer = &network->layers[l];
    const int8_t* weights = layer->weights;
    const int32_t *bias = layer->bias, *multiplier = layer->multiplier;
    for (size_t j = 0; j < layer->out; ++j) {
      int32_t sum = bias[j];
      for (size_t i = 0; i < layer->in; ++i)
        sum += (int32_t)x[i] * weights[i * layer->out + j];
      if (!multiplier) {
        logits[j] = sum;
        continue;
      }
      // Floor division is what an arithmetic shift does.
      int64_t product = (int64_t)sum * multiplier[j] + (INT64_C(1) << 30);
      int64_t scaled =
          product / (INT64_C(1) << 31) - (product % (INT64_C(1) << 31) < 0);
      y[j] = (int8_t)(scaled < 0 ? 0 : scaled > 127 ? 127 : scaled);
    }
    memcpy(x, y, sizeof x);
  }
}
