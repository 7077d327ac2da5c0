// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the compiled digits models on the held-out images:
//
//   digits <folder of digits.csv and the models> [<output file>]
//
// draws some digits, prints accuracy, time and agreement with plain loops, and
// exits with 1 if accuracy or agreement is not as it should be. The output file
// gets the predictions of both models, a line for each image, to compare
// machines with.

#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "digits.h"
// Written by `tilewright compile --emit-header`.
#include "model.h"
#include "model_int8.h"

enum {
  kBatch = 64,      // of the f32 model, which takes any number of images
  kInt8Batch = 32,  // of the int8 model, which takes exactly that many
  kDrawn = 5,       // on a line of 100 columns
  kPasses = 20      // over all images, at most: the least time counts
};

// How long passes go on, unless one takes longer.
static const double kEnoughMs = 100;

// Both networks reach 97 % on the machine that trained them.
static const double kLeastAccuracy = 0.96;
// Sums of at most 97 products in another order, then a softmax.
static const float kLargestError = 1e-5f;

typedef struct result_t {
  int* predictions;
  size_t right;
  size_t different;  // predictions other than the reference's
  double error;      // largest absolute difference from the reference
  double ms;         // in the compiled model, all images
  double loops_ms;   // in plain loops
} result_t;

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int largest(const float* scores) {
  int best = 0;
  for (int i = 1; i < kClasses; ++i)
    if (scores[i] > scores[best]) best = i;
  return best;
}

static int largest_s32(const int32_t* scores) {
  int best = 0;
  for (int i = 1; i < kClasses; ++i)
    if (scores[i] > scores[best]) best = i;
  return best;
}

static void count(result_t* result, const images_t* images, size_t image,
                  int prediction, int reference) {
  result->predictions[image] = prediction;
  result->right += prediction == images->labels[image];
  result->different += prediction != reference;
}

// What one pass over all images took, if that is less than before.
static void keep_least(result_t* result, double ms, double loops_ms) {
  if (result->ms == 0 || ms < result->ms) result->ms = ms;
  if (result->loops_ms == 0 || loops_ms < result->loops_ms)
    result->loops_ms = loops_ms;
}

// One pass; results are looked at if it is the first. Returns 0 if the model
// refused its arguments.
static int pass_f32(const images_t* images, const network_t* network, int first,
                    result_t* result) {
  static float input[kBatch][kPixels], output[kBatch][kClasses];
  static float expected[kBatch][kClasses];
  double ms = 0, loops_ms = 0;
  for (size_t start = 0; start < images->count; start += kBatch) {
    size_t n = images->count - start;
    if (n > kBatch) n = kBatch;
    for (size_t i = 0; i < n; ++i)
      for (int p = 0; p < kPixels; ++p)
        input[i][p] = images->pixels[start + i][p];
    double begin = now_ms();
    if (predict(input[0], (int64_t)n, output[0]) != 0) return 0;
    double between = now_ms();
    for (size_t i = 0; i < n; ++i)
      reference_f32(network, input[i], expected[i]);
    ms += between - begin;
    loops_ms += now_ms() - between;
    for (size_t i = 0; first && i < n; ++i) {
      for (int c = 0; c < kClasses; ++c) {
        float error = fabsf(output[i][c] - expected[i][c]);
        // Written so that NaN counts as an error.
        if (!(error <= result->error)) result->error = error;
      }
      count(result, images, start + i, largest(output[i]),
            largest(expected[i]));
    }
  }
  keep_least(result, ms, loops_ms);
  return 1;
}

static int pass_int8(const images_t* images, const network_t* network,
                     int first, result_t* result) {
  static int8_t input[kInt8Batch][kPixels];
  static int32_t output[kInt8Batch][kClasses], expected[kInt8Batch][kClasses];
  double ms = 0, loops_ms = 0;
  for (size_t start = 0; start < images->count; start += kInt8Batch) {
    size_t n = images->count - start;
    if (n > kInt8Batch) n = kInt8Batch;
    memset(input, 0, sizeof input);
    memcpy(input, images->pixels[start], n * kPixels);
    double begin = now_ms();
    if (predict_int8(input[0], output[0]) != 0) return 0;
    double between = now_ms();
    for (size_t i = 0; i < n; ++i)
      reference_int8(network, input[i], expected[i]);
    ms += between - begin;
    loops_ms += now_ms() - between;
    for (size_t i = 0; first && i < n; ++i) {
      for (int c = 0; c < kClasses; ++c) {
        double error = fabs((double)output[i][c] - expected[i][c]);
        if (error > result->error) result->error = error;
      }
      count(result, images, start + i, largest_s32(output[i]),
            largest_s32(expected[i]));
    }
  }
  keep_least(result, ms, loops_ms);
  return 1;
}

// Returns 0 if a model refused its arguments.
static int run_models(const images_t* images, const network_t* f32,
                      const network_t* int8, result_t* f32_result,
                      result_t* int8_result) {
  const double begin = now_ms();
  for (int pass = 0; pass < kPasses; ++pass) {
    if (pass > 0 && now_ms() - begin > kEnoughMs) break;
    if (!pass_f32(images, f32, pass == 0, f32_result) ||
        !pass_int8(images, int8, pass == 0, int8_result))
      return 0;
  }
  return 1;
}

// Draws different digits, the last one read wrong if any is, as most are not.
static void draw(const images_t* images, const int* predictions) {
  static const char shades[] = " .:-=+*#%@";
  size_t drawn[kDrawn], n = 0, wrong = images->count;
  for (size_t i = 0; i < images->count && wrong == images->count; ++i)
    if (predictions[i] != images->labels[i]) wrong = i;
  const size_t right = wrong == images->count ? kDrawn : kDrawn - 1;
  int seen[kClasses] = {0};
  for (size_t i = 0; i < images->count && n < right; ++i) {
    if (predictions[i] != images->labels[i] || seen[images->labels[i]])
      continue;
    seen[images->labels[i]] = 1;
    drawn[n++] = i;
  }
  if (wrong != images->count) drawn[n++] = wrong;
  int colour = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
  printf("\n");
  for (int y = 0; y < 8; ++y) {
    for (size_t d = 0; d < n; ++d) {
      printf("  ");
      for (int x = 0; x < 8; ++x) {
        int pixel = images->pixels[drawn[d]][8 * y + x];
        char shade = shades[pixel * 9 / 16];
        if (colour)
          printf("\033[48;5;%dm  \033[0m", 232 + pixel * 23 / 16);
        else
          printf("%c%c", shade, shade);
      }
    }
    printf("\n");
  }
  for (size_t d = 0; d < n; ++d) {
    int right = predictions[drawn[d]] == images->labels[drawn[d]];
    char text[32];
    if (right)
      snprintf(text, sizeof text, "read as %d", predictions[drawn[d]]);
    else
      snprintf(text, sizeof text, "read as %d, is %d", predictions[drawn[d]],
               images->labels[drawn[d]]);
    if (colour)
      printf("  \033[%dm%-16s\033[0m", right ? 32 : 31, text);
    else
      printf("  %-16s", text);
  }
  printf("\n\n");
}

static void report(const char* name, const images_t* images,
                   const result_t* result) {
  printf("%-5s %zu of %zu right (%.1f %%), %.2f us an image, %.0fx plain loops",
         name, result->right, images->count,
         100.0 * (double)result->right / (double)images->count,
         1e3 * result->ms / (double)images->count,
         result->loops_ms / result->ms);
  printf("; differs by at most %.2g\n", result->error);
}

static int check(const char* name, const images_t* images,
                 const result_t* result, double largest_error) {
  int ok = 1;
  if ((double)result->right < kLeastAccuracy * (double)images->count) {
    fprintf(stderr, "%s: accuracy is below %.0f %%\n", name,
            100 * kLeastAccuracy);
    ok = 0;
  }
  if (!(result->error <= largest_error) || result->different != 0) {
    fprintf(stderr, "%s: differs from plain loops by more than %g\n", name,
            largest_error);
    ok = 0;
  }
  return ok;
}

// Returns 0 after an error, which it has printed.
static int write_predictions(const char* path, const images_t* images,
                             const result_t* f32, const result_t* int8) {
  FILE* file = fopen(path, "w");
  int ok = file != NULL;
  for (size_t i = 0; ok && i < images->count; ++i)
    ok =
        fprintf(file, "%d %d\n", f32->predictions[i], int8->predictions[i]) > 0;
  if (file && fclose(file) != 0) ok = 0;
  if (!ok) perror(path);
  return ok;
}

static int run(const char* folder, const char* output) {
  char csv[1024], f32_path[1024], int8_path[1024];
  snprintf(csv, sizeof csv, "%s/digits.csv", folder);
  snprintf(f32_path, sizeof f32_path, "%s/model.mlir", folder);
  snprintf(int8_path, sizeof int8_path, "%s/model_int8.mlir", folder);
  images_t images = {0};
  network_t f32 = {0}, int8 = {0};
  result_t f32_result = {0}, int8_result = {0};
  int ok = load_held_out(csv, &images) && load_network(f32_path, 0, &f32) &&
           load_network(int8_path, 1, &int8);
  if (ok) {
    f32_result.predictions = calloc(images.count, sizeof(int));
    int8_result.predictions = calloc(images.count, sizeof(int));
    ok = f32_result.predictions && int8_result.predictions;
  }
  if (ok && !run_models(&images, &f32, &int8, &f32_result, &int8_result)) {
    fprintf(stderr, "a model refused its arguments\n");
    ok = 0;
  }
  if (ok) {
    draw(&images, f32_result.predictions);
    report("f32", &images, &f32_result);
    report("int8", &images, &int8_result);
    ok = check("f32", &images, &f32_result, kLargestError);
    ok &= check("int8", &images, &int8_result, 0);
    if (output)
      ok &= write_predictions(output, &images, &f32_result, &int8_result);
  }
  free(f32_result.predictions);
  free(int8_result.predictions);
  free_network(&f32);
  free_network(&int8);
  free_images(&images);
  return ok;
}

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    fprintf(stderr,
            "usage: %s <folder of digits.csv and the models> [<output file>]\n",
            argv[0]);
    return 2;
  }
  return run(argv[1], argv[2]) ? 0 : 1;
}
