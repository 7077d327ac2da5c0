// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preloaded into a program (LD_PRELOAD), counts what it reads of a file that it
// maps, as if memory held only a part of it: each chunk can be read once it was
// asked for, until so many later ones were.
//
//   TW_READS_OF      the file, without links
//   TW_READS_WINDOW  how many bytes memory holds
//   TW_READS_LOG     a file of 8 bytes, where those that were read are counted

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kChunk = 64 << 10, kMostRegions = 16, kMostHeld = 1 << 14 };
static struct {
  char* begin;
  size_t length;
} regions[kMostRegions];
static size_t region_count;
static char* held[kMostHeld];  // A ring; null: free.
static size_t next_held, window;
static _Atomic uint64_t* bytes_read;
static atomic_flag busy = ATOMIC_FLAG_INIT;

// Of the chunk that begins there.
static size_t lengthOf(const char* chunk) {
  for (size_t i = 0; i < region_count; ++i) {
    const char* end = regions[i].begin + regions[i].length;
    if (chunk >= regions[i].begin && chunk < end)
      return end - chunk < kChunk ? (size_t)(end - chunk) : kChunk;
  }
  return 0;
}

static char* chunkAt(char* address) {
  for (size_t i = 0; i < region_count; ++i)
    if (address >= regions[i].begin &&
        address < regions[i].begin + regions[i].length)
      return address - (address - regions[i].begin) % kChunk;
  return NULL;
}

static bool isHeld(const char* chunk) {
  for (size_t i = 0; i < window; ++i)
    if (held[i] == chunk) return true;
  return false;
}

static void onFault(int number, siginfo_t* info, void* context) {
  (void)context;
  while (atomic_flag_test_and_set(&busy)) {
  }
  char* chunk = chunkAt(info->si_addr);
  // Another thread may have asked for it at the same time.
  if (chunk && !isHeld(chunk)) {
    if (held[next_held])
      mprotect(held[next_held], lengthOf(held[next_held]), PROT_NONE);
    held[next_held] = chunk;
    next_held = (next_held + 1) % window;
    mprotect(chunk, lengthOf(chunk), PROT_READ);
    *bytes_read += lengthOf(chunk);
  }
  atomic_flag_clear(&busy);
  // Not ours: it fails as it would have.
  if (!chunk) signal(number, SIG_DFL);
}

typedef int sigaction_fn(int, const struct sigaction*, struct sigaction*);
typedef void* mmap_fn(void*, size_t, int, int, int, off_t);
typedef int munmap_fn(void*, size_t);

static sigaction_fn* realSigaction(void) {
  return (sigaction_fn*)dlsym(RTLD_NEXT, "sigaction");
}

// Whoever wants to know of faults is not told.
int sigaction(int number, const struct sigaction* action,
              struct sigaction* before) {
  if (number != SIGSEGV || !region_count)
    return realSigaction()(number, action, before);
  if (before) memset(before, 0, sizeof *before);
  return 0;
}

static bool isCounted(int file) {
  const char* name = getenv("TW_READS_OF");
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (!name || length < 0) return false;
  path[length] = 0;
  return strcmp(path, name) == 0;
}

static void watch(char* begin, size_t length) {
  if (region_count == kMostRegions) abort();
  if (!region_count) {
    window = strtoull(getenv("TW_READS_WINDOW"), NULL, 0) / kChunk;
    int log = open(getenv("TW_READS_LOG"), O_RDWR | O_CLOEXEC);
    bytes_read = mmap(NULL, sizeof *bytes_read, PROT_READ | PROT_WRITE,
                      MAP_SHARED, log, 0);
    if (window < 1 || window > kMostHeld || bytes_read == MAP_FAILED) abort();
    close(log);
    struct sigaction action = {0};
    action.sa_sigaction = onFault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    realSigaction()(SIGSEGV, &action, NULL);
  }
  regions[region_count].begin = begin;
  regions[region_count++].length = length;
  mprotect(begin, length, PROT_NONE);
}

void* mmap(void* address, size_t length, int protection, int flags, int file,
           off_t offset) {
  static mmap_fn* real;
  if (!real) real = (mmap_fn*)dlsym(RTLD_NEXT, "mmap");
  void* memory = real(address, length, protection, flags, file, offset);
  if (memory != MAP_FAILED && file >= 0 && isCounted(file))
    watch(memory, length);
  return memory;
}

void* mmap64(void* address, size_t length, int protection, int flags, int file,
             off_t offset) {
  return mmap(address, length, protection, flags, file, offset);
}

// Nobody is to be surprised by what lies there next.
int munmap(void* address, size_t length) {
  for (size_t i = 0; i < region_count; ++i)
    if (regions[i].begin == address) regions[i].length = 0;
  return ((munmap_fn*)dlsym(RTLD_NEXT, "munmap"))(address, length);
}
