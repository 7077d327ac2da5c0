// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program that `tilewright compile -o model` makes of a model: reads the
// arguments of one of its functions from files of numpy, calls it, and prints
// or writes the results.

// For clock_gettime and syscall, which are not of C11.
#define _GNU_SOURCE  // NOLINT(bugprone-reserved-identifier)

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ukernels/runner/cpu.h"
#include "ukernels/runner/pool.h"
#include "ukernels/runner/values.h"

static const char* tw_program = "model";

void tw_fail(const char* format, ...) {
  fflush(stdout);
  fprintf(stderr, "%s: error: ", tw_program);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(1);
}

typedef struct tw_options_t {
  const char* function;
  const char* parameters;
  const char* runs;
  const char* threads;
  // As given, in order.
  const char** inputs;
  int64_t input_count;
  const char** outputs;
  int64_t output_count;
} tw_options_t;

static void tw_print_values(const char* what, const tw_runner_value_t* values,
                            int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    printf("    %s %s: %s%s\n", what, values[i].name, values[i].element,
           values[i].shape);
}

static void tw_print_help(void) {
  printf(
      "usage: %s [options]\n\n"
      "Calls a function of a model that `tilewright compile` made a program "
      "of.\n\n"
      "  --function=f           which one, if there are several\n"
      "  --input=[name=]x.npy   an argument, by name or in order; of a scalar "
      "also a\n"
      "                         number; once for each\n"
      "  --output=[name=]y.npy  where to write a result, by name or in order; "
      "others are\n"
      "                         printed\n"
      "%s%s"
      "  --runs=n               call n times and print the times\n"
      "  --help                 print this\n\n",
      tw_program,
      tw_runner_model.open_parameters
          ? "  --parameters=m.twp     the model's file of parameters\n"
          : "",
      tw_runner_model.threads > 1
          ? "  --threads=n            compute in n threads, not in as many as "
            "the model\n"
            "                         was compiled for\n"
          : "");
  for (int64_t i = 0; i < tw_runner_model.function_count; ++i) {
    const tw_runner_function_t* function = &tw_runner_model.functions[i];
    printf("  %s\n", function->name);
    tw_print_values("argument", function->arguments, function->argument_count);
    tw_print_values("result", function->results, function->result_count);
  }
}

// The value of "--name=value" or "--name value", or null if `words[*at]` is
// another option.
static const char* tw_option(const char* name, char** words, int* at) {
  const char* word = words[*at];
  const size_t length = strlen(name);
  if (strncmp(word, name, length) != 0) return NULL;
  if (word[length] == '=') return word + length + 1;
  if (word[length] != 0) return NULL;
  if (!words[*at + 1]) tw_fail("%s needs a value; see --help", name);
  return words[++*at];
}

static tw_options_t tw_read_options(int count, char** words) {
  tw_options_t options = {0};
  options.inputs = (const char**)calloc((size_t)count, sizeof(char*));
  options.outputs = (const char**)calloc((size_t)count, sizeof(char*));
  if (!options.inputs || !options.outputs) tw_fail("there is no memory left");
  const struct {
    const char* name;
    const char** value;
  } single[] = {{"--function", &options.function},
                {"--parameters", &options.parameters},
                {"--runs", &options.runs},
                {"--threads", &options.threads}};
  for (int i = 1; i < count; ++i) {
    if (strcmp(words[i], "--help") == 0) {
      tw_print_help();
      exit(0);
    }
    const char* input = tw_option("--input", words, &i);
    const char* output = input ? NULL : tw_option("--output", words, &i);
    if (input) options.inputs[options.input_count++] = input;
    if (output) options.outputs[options.output_count++] = output;
    int is_known = input || output;
    for (size_t at = 0; at < sizeof(single) / sizeof(*single) && !is_known;
         ++at) {
      const char* value = tw_option(single[at].name, words, &i);
      if (!value) continue;
      if (*single[at].value) tw_fail("%s is given twice", single[at].name);
      *single[at].value = value;
      is_known = 1;
    }
    if (!is_known) tw_fail("'%s' is no option; --help lists them", words[i]);
  }
  return options;
}

static const tw_runner_function_t* tw_find_function(const char* name) {
  char names[400] = "";
  for (int64_t i = 0; i < tw_runner_model.function_count; ++i) {
    const tw_runner_function_t* function = &tw_runner_model.functions[i];
    if (name ? strcmp(name, function->name) == 0
             : tw_runner_model.function_count == 1)
      return function;
    const size_t at = strlen(names);
    snprintf(names + at, sizeof(names) - at, at ? ", '%s'" : "'%s'",
             function->name);
  }
  if (name) tw_fail("the model has no function '%s', but %s", name, names);
  tw_fail("the model has several functions, %s; name one by --function", names);
}

// Whether `word` begins with a name and "=", and is no path with it.
static size_t tw_name_length(const char* word) {
  const size_t length = strcspn(word, "=./");
  return word[length] == '=' ? length : 0;
}

// Gives each value the path that is its by name, or by order.
static void tw_assign(const tw_runner_function_t* function, const char* option,
                      const char** words, int64_t word_count,
                      tw_value_t* values, int64_t count) {
  const char* what = strcmp(option, "--input") == 0 ? "argument" : "result";
  for (int64_t i = 0; i < word_count; ++i) {
    const size_t length = tw_name_length(words[i]);
    if (!length) continue;
    int64_t found = 0;
    while (found < count &&
           (strncmp(values[found].description->name, words[i], length) != 0 ||
            values[found].description->name[length] != 0))
      ++found;
    if (found == count)
      tw_fail("'%s' has no %s '%.*s'; --help lists them", function->name, what,
              (int)length, words[i]);
    if (values[found].path)
      tw_fail("%s is given twice for '%s'", option,
              values[found].description->name);
    values[found].path = words[i] + length + 1;
    words[i] = NULL;
  }
  int64_t next = 0;
  for (int64_t i = 0; i < word_count; ++i) {
    if (!words[i]) continue;
    while (next < count && values[next].path) ++next;
    if (next == count)
      tw_fail("'%s' has %" PRId64 " %s%s, but more are given by %s",
              function->name, count, what, count == 1 ? "" : "s", option);
    values[next].path = words[i];
  }
}

// `text` as a number from 1 to `most`; 0 if it is none.
static int64_t tw_read_count(const char* text, int64_t most) {
  char* end;
  const long long count = strtoll(text, &end, 10);
  return end == text || *end || count < 1 || count > most ? 0 : count;
}

static int64_t tw_read_runs(const char* text) {
  if (!text) return 0;
  const int64_t runs = tw_read_count(text, 1000000);
  if (!runs) tw_fail("--runs=%s is no number of runs, 1 to 1000000", text);
  return runs;
}

static int64_t tw_read_threads(const char* text) {
  const int64_t most = tw_runner_model.threads;
  if (!text) return most;
  if (most == 1)
    tw_fail(
        "the model computes in one thread; compile it with --threads=<n> for "
        "more");
  const int64_t threads = tw_read_count(text, most);
  if (!threads)
    tw_fail("--threads=%s is no number of threads from 1 to %" PRId64
            ", for which the model was compiled",
            text, most);
  return threads;
}

static void tw_require_amx(void) {
  if (tw_ask_for_amx()) return;
  tw_fail(
      "the model multiplies by AMX, which this CPU lacks or the operating "
      "system does not permit; compile it for a target without AMX");
}

// Null if the model has no instances.
static void* tw_make_instance(const char* path, void** parameters) {
  *parameters = NULL;
  if (path && !tw_runner_model.open_parameters)
    tw_fail("the model has its parameters in itself and takes no --parameters");
  if (!path && tw_runner_model.open_parameters)
    tw_fail(
        "the model's parameters are in a file of their own; name it by "
        "--parameters=<file.twp>");
  if (!tw_runner_model.create) return NULL;
  char message[400] = "";
  if (path && tw_runner_model.open_parameters(path, parameters, message,
                                              sizeof(message)) != 0)
    tw_fail("%s", message);
  void* instance;
  if (tw_runner_model.create(*parameters, &instance) != 0)
    tw_fail("no instance can be made; is there memory left?");
  return instance;
}

static double tw_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int tw_compare(const void* x, const void* y) {
  const double a = *(const double*)x, b = *(const double*)y;
  return (a > b) - (a < b);
}

static void tw_print_times(double* times, int64_t runs, int64_t threads) {
  for (int64_t i = 0; i < runs; ++i)
    printf("run %" PRId64 ": %.4f ms\n", i + 1, times[i]);
  qsort(times, (size_t)runs, sizeof(double), tw_compare);
  const double median = (times[(runs - 1) / 2] + times[runs / 2]) / 2;
  printf("%" PRId64 " runs", runs);
  if (tw_runner_model.threads > 1)
    printf(" in %" PRId64 " thread%s", threads, threads == 1 ? "" : "s");
  printf(": least %.4f ms, median %.4f ms\n", times[0], median);
}

static void tw_compute(const tw_call_t* call, void* instance, int64_t runs,
                       int64_t threads) {
  double* times = calloc(runs ? (size_t)runs : 1, sizeof(double));
  if (!times) tw_fail("there is no memory left");
  for (int64_t i = 0; i < (runs ? runs : 1); ++i) {
    const double start = tw_milliseconds();
    const int32_t status = call->function->call(instance, call->slots);
    times[i] = tw_milliseconds() - start;
    if (status != 0)
      tw_fail("'%s' returns %" PRId32 ": %s", call->function->name, status,
              tw_status_text(call, status));
  }
  if (runs) tw_print_times(times, runs, threads);
  free(times);
}

int main(int count, char** words) {
  if (count > 0) {
    const char* slash = strrchr(words[0], '/');
    tw_program = slash ? slash + 1 : words[0];
  }
  const tw_options_t options = tw_read_options(count, words);
  const int64_t runs = tw_read_runs(options.runs);
  const int64_t threads = tw_read_threads(options.threads);
  const tw_runner_function_t* function = tw_find_function(options.function);
  tw_call_t call = tw_new_call(function);
  tw_assign(function, "--input", options.inputs, options.input_count,
            call.arguments, function->argument_count);
  tw_assign(function, "--output", options.outputs, options.output_count,
            call.results, function->result_count);
  free((void*)options.inputs);
  free((void*)options.outputs);
  if (tw_runner_model.needs_amx) tw_require_amx();
  void* parameters;
  void* instance = tw_make_instance(options.parameters, &parameters);
  for (int64_t i = 0; i < function->argument_count; ++i) {
    const tw_runner_value_t* argument = &function->arguments[i];
    if (!call.arguments[i].path)
      tw_fail("'%s' needs its argument '%s', %s%s; give it as --input=%s=%s",
              function->name, argument->name, argument->element,
              argument->shape, argument->name,
              argument->rank < 0 ? "<number>" : "<file.npy>");
    tw_read_argument(&call, &call.arguments[i]);
  }
  tw_pool_t* pool = threads > 1 ? tw_pool_create(threads) : NULL;
  if (threads > 1 && !pool)
    tw_fail("%" PRId64 " threads cannot be started", threads);
  const tw_parallel_for_t parallel_for = tw_pool_parallel_for(pool);
  call.parallel_for = pool ? &parallel_for : NULL;
  tw_prepare(&call);
  tw_compute(&call, instance, runs, threads);
  tw_pool_destroy(pool);
  for (int64_t i = 0; i < function->result_count; ++i)
    if (!call.results[i].path) tw_print_value(&call.results[i]);
  tw_write_results(&call);
  if (fflush(stdout) != 0) tw_fail("standard output cannot be written");
  if (instance) {
    tw_runner_model.destroy(instance);
    if (parameters) tw_runner_model.close_parameters(parameters);
  }
  return 0;
}
