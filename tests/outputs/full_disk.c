// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preloaded into a program (LD_PRELOAD), lets one of its calls that write fail,
// as on a full disk, or kills it there:
//
//   TW_FAIL_BELOW  the folder whose files count, without links
//   TW_FAIL_AT     which call fails, from 1: opening for writing, write and its
//                  kin, ftruncate, fallocate, fchmod, close, rename, mkdir
//   TW_FAIL_MODE   ENOSPC: that call. EDQUOT: and all later ones that need
//                  space. SHORT: a write takes half, then as EDQUOT with
//                  ENOSPC. TERM, INT, HUP, SEGV: that signal.
//   TW_FAIL_LOG    where the name of the call that failed is written

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kMaxFiles = 1024 };
static bool watched[kMaxFiles];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long calls;
static bool full;

static const char* setting(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

// Not counted: the empty time stamp of llvm::pruneCache, which no full disk
// refuses to close, and whose loss LLVM takes for fatal.
static bool isTimeStamp(const char* path) {
  const char* name = strrchr(path, '/');
  return strcmp(name ? name + 1 : path, "llvmcache.timestamp") == 0;
}

static bool isBelow(const char* path) {
  const char* folder = setting("TW_FAIL_BELOW");
  size_t length = strlen(folder);
  return length && strncmp(path, folder, length) == 0 && path[length] == '/';
}

// By its folder: the file itself may not be there.
static bool pathIsBelow(const char* path) {
  char copy[PATH_MAX], real[PATH_MAX + 2];
  if (strlen(path) >= sizeof copy || isTimeStamp(path)) return false;
  strcpy(copy, path);
  char* slash = strrchr(copy, '/');
  if (slash) *slash = 0;
  if (!realpath(!slash ? "." : *copy ? copy : "/", real)) return false;
  strcat(real, "/");
  return isBelow(real);
}

static void watch(int fd) {
  char link[64], path[PATH_MAX];
  if (fd < 0 || fd >= kMaxFiles) return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = 0;
  watched[fd] = isBelow(path) && !isTimeStamp(path);
}

static bool isWatched(int fd) {
  return fd >= 0 && fd < kMaxFiles && watched[fd];
}

static void report(const char* call) {
  int fd = (int)syscall(SYS_openat, AT_FDCWD, setting("TW_FAIL_LOG"),
                        O_WRONLY | O_CREAT | O_APPEND, 0666);
  syscall(SYS_write, fd, call, strlen(call));
  syscall(SYS_write, fd, "\n", 1);
  syscall(SYS_close, fd);
}

// Counts a call; whether it shall fail, with errno set, and whether it does so
// only after half of its bytes.
static bool fails(const char* call, bool needsSpace, bool* half) {
  static const struct {
    const char* name;
    int error, signal;
    bool lasting;
  } modes[] = {{"ENOSPC", ENOSPC, 0, false}, {"EDQUOT", EDQUOT, 0, true},
               {"SHORT", ENOSPC, 0, true},   {"TERM", 0, SIGTERM, false},
               {"INT", 0, SIGINT, false},    {"HUP", 0, SIGHUP, false},
               {"SEGV", 0, SIGSEGV, false}};
  const char* name = setting("TW_FAIL_MODE");
  for (size_t i = 0; i < sizeof modes / sizeof *modes; ++i) {
    if (strcmp(name, modes[i].name) != 0) continue;
    pthread_mutex_lock(&mutex);
    bool now = ++calls == atol(setting("TW_FAIL_AT"));
    bool later = full && needsSpace;
    if (now && modes[i].lasting) full = true;
    pthread_mutex_unlock(&mutex);
    if (!now && !later) return false;
    if (now) report(call);
    if (modes[i].signal) raise(modes[i].signal);
    *half = now && strcmp(name, "SHORT") == 0 && strcmp(call, "write") == 0;
    errno = modes[i].error;
    return modes[i].error != 0;
  }
  return false;
}

static bool failsSimply(const char* call, bool needsSpace) {
  bool half = false;
  return fails(call, needsSpace, &half);
}

// The next definition of the function `name`.
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static mode_t modeOf(int flags, va_list arguments) {
  return flags & O_CREAT ? (mode_t)va_arg(arguments, int) : 0;
}

#define OPEN(name)                                                          \
  int name(const char* path, int flags, ...) {                              \
    va_list arguments;                                                      \
    va_start(arguments, flags);                                             \
    mode_t mode = modeOf(flags, arguments);                                 \
    va_end(arguments);                                                      \
    bool writes = (flags & O_ACCMODE) != O_RDONLY;                          \
    if (writes && pathIsBelow(path) && failsSimply(#name, flags & O_CREAT)) \
      return -1;                                                            \
    int fd = NEXT(name)(path, flags, mode);                                 \
    if (writes) watch(fd);                                                  \
    return fd;                                                              \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                        \
  int name(int folder, const char* path, int flags, ...) {                  \
    va_list arguments;                                                      \
    va_start(arguments, flags);                                             \
    mode_t mode = modeOf(flags, arguments);                                 \
    va_end(arguments);                                                      \
    bool writes = (flags & O_ACCMODE) != O_RDONLY;                          \
    if (writes && pathIsBelow(path) && failsSimply(#name, flags & O_CREAT)) \
      return -1;                                                            \
    int fd = NEXT(name)(folder, path, flags, mode);                         \
    if (writes) watch(fd);                                                  \
    return fd;                                                              \
  }
OPENAT(openat)
OPENAT(openat64)

#define FOPEN(name)                                                           \
  FILE* name(const char* path, const char* mode) {                            \
    bool writes = strpbrk(mode, "wa+") != NULL;                               \
    if (writes && pathIsBelow(path) && failsSimply(#name, true)) return NULL; \
    FILE* file = NEXT(name)(path, mode);                                      \
    if (writes && file) watch(fileno(file));                                  \
    return file;                                                              \
  }
FOPEN(fopen)
FOPEN(fopen64)

ssize_t write(int fd, const void* bytes, size_t count) {
  bool half = false;
  if (isWatched(fd) && fails("write", true, &half)) {
    if (!half || count < 2) return -1;
    count /= 2;
  }
  return NEXT(write)(fd, bytes, count);
}

ssize_t writev(int fd, const struct iovec* parts, int count) {
  if (isWatched(fd) && failsSimply("writev", true)) return -1;
  return NEXT(writev)(fd, parts, count);
}

ssize_t pwrite(int fd, const void* bytes, size_t count, off_t at) {
  if (isWatched(fd) && failsSimply("pwrite", true)) return -1;
  return NEXT(pwrite)(fd, bytes, count, at);
}

ssize_t pwrite64(int fd, const void* bytes, size_t count, off64_t at) {
  if (isWatched(fd) && failsSimply("pwrite64", true)) return -1;
  return NEXT(pwrite64)(fd, bytes, count, at);
}

int ftruncate(int fd, off_t size) {
  if (isWatched(fd) && failsSimply("ftruncate", true)) return -1;
  return NEXT(ftruncate)(fd, size);
}

int ftruncate64(int fd, off64_t size) {
  if (isWatched(fd) && failsSimply("ftruncate64", true)) return -1;
  return NEXT(ftruncate64)(fd, size);
}

int posix_fallocate(int fd, off_t at, off_t size) {
  if (isWatched(fd) && failsSimply("posix_fallocate", true)) return errno;
  return NEXT(posix_fallocate)(fd, at, size);
}

int posix_fallocate64(int fd, off64_t at, off64_t size) {
  if (isWatched(fd) && failsSimply("posix_fallocate64", true)) return errno;
  return NEXT(posix_fallocate64)(fd, at, size);
}

int fchmod(int fd, mode_t mode) {
  if (isWatched(fd) && failsSimply("fchmod", false)) return -1;
  return NEXT(fchmod)(fd, mode);
}

// A close that fails has closed.
int close(int fd) {
  bool counts = isWatched(fd);
  if (counts) watched[fd] = false;
  int result = NEXT(close)(fd);
  return counts && failsSimply("close", false) ? -1 : result;
}

int rename(const char* from, const char* to) {
  if (pathIsBelow(to) && failsSimply("rename", false)) return -1;
  return NEXT(rename)(from, to);
}

int renameat2(int fromFolder, const char* from, int toFolder, const char* to,
              unsigned flags) {
  if (pathIsBelow(to) && failsSimply("renameat2", false)) return -1;
  return NEXT(renameat2)(fromFolder, from, toFolder, to, flags);
}

int mkdir(const char* path, mode_t mode) {
  if (pathIsBelow(path) && failsSimply("mkdir", true)) return -1;
  return NEXT(mkdir)(path, mode);
}
