#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a model for GPUs computes of its parameters alone is computed once, when an instance is made, and kept in the memory of
the GPU that reads it: with the bits that each call would compute, by no launch and no copy of a call, in threads, after a reset,
and given back; on one GPU and on two, of emulated HIP.

  run_once_devices.py <tilewright> <scratch> --cc=... --library=libtilewright_instance.a --hip=libtilewright_hip.a
      --emulator=libtilewright_emulated_hip.so
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

import run_once_instances
from run_once_instances import MODEL, ROWS

# The weight is read on one GPU, in a loop of the host, and, of a model for two, on the other one.
ONE = ("--target=amdgpu:gfx942",)
TWO = ("--device=cpu=host", "--device=g0=amdgpu:gfx942", "--device=g1=amdgpu:gfx950")
# Of each GPU.
MEMORY = 1 << 20

MAIN = """
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "net.h"
enum { kRows = ROWS, kColumns = 96 };
static int launches, copies, fails;
extern void __real_tw_hip_launch(void *, int64_t, int64_t, int64_t, int64_t, int64_t, const void *, int64_t);
void __wrap_tw_hip_launch(void *program, int64_t kernel, int64_t x, int64_t y, int64_t block, int64_t lds, const void *words,
                          int64_t bytes) {
  __atomic_add_fetch(&launches, 1, __ATOMIC_RELAXED);
  __real_tw_hip_launch(program, kernel, x, y, block, lds, words, bytes);
}
#define COPY(NAME)                                                              \\
  extern void __real_##NAME(void *, void *, const void *, int64_t);             \\
  void __wrap_##NAME(void *program, void *to, const void *from, int64_t bytes) { \\
    __atomic_add_fetch(&copies, 1, __ATOMIC_RELAXED);                           \\
    __real_##NAME(program, to, from, bytes);                                    \\
  }
COPY(tw_hip_upload)
COPY(tw_hip_download)
COPY(tw_hip_copy)
extern void __real_tw_hip_transfer(void *, void *, void *, const void *, int64_t);
void __wrap_tw_hip_transfer(void *to_program, void *to, void *from_program, const void *from, int64_t bytes) {
  __atomic_add_fetch(&copies, 1, __ATOMIC_RELAXED);
  __real_tw_hip_transfer(to_program, to, from_program, from, bytes);
}
// A GPU that fails where a call ends.
extern int32_t __real_tw_hip_end(void *);
int32_t __wrap_tw_hip_end(void *program) {
  int32_t status = __real_tw_hip_end(program);
  return fails ? 99 : status;
}
extern int32_t __real_tw_hip_end_all(void *, int64_t);
int32_t __wrap_tw_hip_end_all(void *programs, int64_t count) {
  int32_t status = __real_tw_hip_end_all(programs, count);
  return fails ? 99 : status;
}
static void *hip(const char *name) { return dlsym(dlopen(getenv("TW_HIP_LIBRARY"), RTLD_NOW), name); }
// What the emulated GPUs have left.
static size_t left(void) {
  char bytes[4096];
  size_t sum = 0, its;
  for (int device = 0; device < 2; ++device) {
    if (((int (*)(void *, int))hip("hipGetDevicePropertiesR0600"))(bytes, device) != 0) exit(20);
    memcpy(&its, bytes + 288, sizeof(its));
    sum += its;
  }
  return sum;
}
typedef struct { float prefill[2][kRows * kColumns], twin[2][kRows * kColumns], decode[kColumns]; } results_t;
static float x[kRows * 64];
static results_t expected, all[6];
static net_parameters *parameters;
static int call(net_instance *instance, results_t *results, int round) {
  if (prefill(instance, x, kRows, results->prefill[round]) != 0) return 2;
  return twin(instance, x, kRows, results->twin[round]) != 0 ? 3 : 0;
}
static int run(results_t *results) {
  net_instance *instance;
  int32_t status = net_create(parameters, &instance);
  if (status != 0) return instance ? 1 : status;
  for (int round = 0; round < 2; ++round) {
    int failed = call(instance, results, round);
    if (failed) return failed;
    if (decode(instance, x, 3, results->decode) != 0) return 4;
    if (net_reset(instance) != 0) return 5;
  }
  net_destroy(instance);
  return 0;
}
static void *work(void *number) { return run(&all[(long)number]) ? number : NULL; }
int main(int count, char **arguments) {
  (void)count;
  if (net_open_parameters(arguments[1], &parameters, NULL, 0) != 0) return 8;
  for (int i = 0; i < kRows * 64; ++i) x[i] = (float)(i % 13 - 6) / 7;
  int failed = run(&expected);
  if (failed) return failed;
  // From now on the programs have what they want for their calls.
  const size_t before = left();
  net_instance *instance, *other;
  int32_t status;
  if (net_create(parameters, &instance) != 0) return 10;
  const size_t kept = before - left();
  if (net_create(parameters, &other) != 0 || before - left() != 2 * kept) return 11;
  launches = copies = 0;
  if (call(instance, &all[0], 0) != 0) return 12;
  const int first_launches = launches, first_copies = copies;
  if (call(other, &all[0], 0) != 0 || launches != 2 * first_launches || copies != 2 * first_copies) return 13;
  net_destroy(instance);
  // It has its own.
  memset(all, 0, sizeof(all));
  if (call(other, &all[0], 0) != 0 || memcmp(all[0].prefill[0], expected.prefill[0], sizeof(all[0].prefill[0])) != 0 ||
      memcmp(all[0].twin[0], expected.twin[0], sizeof(all[0].twin[0])) != 0)
    return 14;
  net_destroy(other);
  net_destroy(NULL);
  if (left() != before) return 15;
  fails = 1;
  instance = (void *)1;
  if (net_create(parameters, &instance) != (kept ? 99 : 0)) return 16;
  if ((kept ? instance != NULL : instance == NULL) || left() != before) return 17;
  fails = 0;
  if (!kept) net_destroy(instance);
  // Instances until there is no memory; what calls had, and do not need now, goes to them.
  net_instance *many[MOST];
  int made = 0;
  while (kept && made < MOST && (status = net_create(parameters, &many[made])) == 0) ++made;
  if (kept && (made < 2 || made == MOST || status != 5 || many[made])) return 19;
  for (int i = 0; i < made; ++i) net_destroy(many[i]);
  if (left() < before) return 21;
  pthread_t threads[6];
  for (long i = 0; i < 6; ++i) pthread_create(&threads[i], NULL, work, (void *)i);
  for (long i = 0; i < 6; ++i) {
    void *result;
    pthread_join(threads[i], &result);
    if (result || memcmp(&all[i], &expected, sizeof(expected)) != 0) return 18;
  }
  net_close_parameters(parameters);
  fprintf(stderr, "%d launches, %d copies, %zu bytes\\n", first_launches, first_copies, kept);
  fwrite(&expected, sizeof(expected), 1, stdout);
  return 0;
}
"""

# Calls of no more on a GPU have kernels of their own.
FEW_ROWS = 8
WRAPPED = ["launch", "upload", "download", "copy", "transfer", "end", "end_all"]


class Devices(run_once_instances.Instances):
    def __init__(self, options):
        super().__init__(options)
        os.environ |= {"TW_HIP_LIBRARY": options.emulator, "TW_EMULATED_HIP_DEVICE": "gfx942,gfx950",
                       "TW_EMULATED_HIP_MEMORY": str(MEMORY)}

    def model_for(self, devices):
        """With a twin of its function prefill, on the last GPU."""
        prefill = re.search(r"func.func @prefill.*?\n}\n", MODEL, re.DOTALL).group()
        twin = prefill.replace("@prefill", "@twin")
        if devices == TWO:
            twin = twin.replace("-> tensor<?x96xf32> {", '-> tensor<?x96xf32> attributes {tw.device = "g1"} {', 1)
        self.model.write_text(MODEL + twin)
        # More than have room on a GPU.
        (self.work / "main.c").write_text(MAIN.replace("ROWS", str(ROWS)).replace("MOST", str(MEMORY // (64 * 96 * 4))))

    def results(self, *flags):
        """What the program computes; launches, copies and bytes on GPUs that it counts; the report."""
        report = self.compile("net.a", *flags)
        # The emulator finds functions of libm in the program.
        program = self.link("main.c", self.work / "net.a", self.options.hip, *(f"-Wl,--wrap=tw_hip_{name}" for name in WRAPPED),
                            "-ldl", "-Wl,--no-as-needed")
        done = subprocess.run([program, self.work / "net.twp"], capture_output=True)
        if done.returncode:
            sys.exit(f"{flags}: {done.returncode} {done.stderr}")
        if subprocess.run([program, self.work / "net.twp"], capture_output=True,
                          env=os.environ | {"TW_HIP_LIBRARY": "/none"}).returncode != 2:
            sys.exit(f"{flags}: without HIP the first call is expected to return 2, unsupported")
        return done.stdout, list(map(int, re.findall(rb"\d+", done.stderr.splitlines()[-1]))), report

    def values(self):
        for devices in (ONE, TWO):
            self.model_for(devices)
            for tiling in ((), ("--data-tiling=early",), ("--data-tiling=none",)):
                flags = (*devices, *tiling)
                plain, (plain_launches, _, none), report = self.results("--run-once=false", *flags)
                if none or report["run_once"]["work"]:
                    sys.exit(f"{flags}: --run-once=false keeps {none} bytes, {report['run_once']}")
                once, (launches, copies, kept), report = self.results(*flags)
                if once[:-96 * 4] != plain[:-96 * 4]:
                    sys.exit(f"{flags}: not the bits that each call computes")
                self.look(flags, launches, copies, kept, plain_launches, report)

    def look(self, flags, launches, copies, kept, plain_launches, report):
        """What two calls do, of prefill and its twin, and that the report says so."""
        names = ["g0", "g1"] if "--device=cpu=host" in flags else ["gpu"]
        on_devices = report["run_once"]["bytes_kept_on_devices"]
        if sorted(on_devices) != names or sum(on_devices.values()) != kept or report["each_call"]:
            sys.exit(f"{flags}: {kept} bytes are kept, but the report has {report['run_once']}, {report['each_call']}")
        # What is multiplied goes up, and the product down.
        if copies != 4:
            sys.exit(f"{flags}: {copies} copies are left for two calls")
        left = [d["function"] for d in report["dispatches"] for w in d["work"] for _ in range(w["calls"])
                if w["entry_point"] in ("prefill", "twin") and w.get("few_rows", False) == (ROWS <= FEW_ROWS)]
        if launches != len(left) or launches >= plain_launches or any(
                not name.startswith(("mmt4d", "pack", "unpack", "reduction")) for name in left):
            sys.exit(f"{flags}: {launches} launches of {left} are left for two calls, of {plain_launches}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--hip", required=True)
    parser.add_argument("--emulator", required=True)
    Devices(parser.parse_args()).values()


if __name__ == "__main__":
    main()
