// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool that ends as it is told, for supervise_test.py:
//
//   supervised_child <how> <folder for temporary files>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Signals.h"
#include "tilewright/Support/Activity.h"
#include "tilewright/Support/FatalErrors.h"
#include "tilewright/Support/Supervise.h"

namespace tilewright {
namespace {

std::string dir;

int recurse(volatile int* depth) {
  volatile int own[256];
  own[0] = *depth + 1;
  return own[0] < 0 ? 0 : recurse(own) + own[0];
}

void overflow() {
  volatile int depth = 0;
  std::printf("%d\n", recurse(&depth));
}

void crash() {
  // Where it is does not matter: an address that is never mapped.
  *reinterpret_cast<volatile int*>(uintptr_t{16}) = 1;
}

void truncatedFile() {
  std::string path = dir + "/mapped";
  int fd = open(path.c_str(), O_RDWR | O_CREAT, 0600);
  OwnTemporary own(path);
  if (ftruncate(fd, 4096) != 0) return;
  auto* bytes = static_cast<volatile char*>(
      mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0));
  if (ftruncate(fd, 0) != 0) return;
  std::printf("%d\n", bytes[0]);
}

/// One for each output of a run that has many.
template <int Count>
void killWithFiles() {
  std::vector<OwnTemporary> own;
  for (int i = 0; i < Count; ++i) {
    std::string path = dir + "/" + std::to_string(i);
    own.emplace_back(path);
    std::fclose(std::fopen(path.c_str(), "w"));
  }
  raise(SIGKILL);
}

void spend() {
  rlimit limit = {1, RLIM_INFINITY};
  setrlimit(RLIMIT_CPU, &limit);
  for (volatile int i = 0;; i = i + 1) {
  }
}

void wait() {
  std::printf("%d\n", getpid());
  std::fflush(stdout);
  for (;;) pause();
}

void echo() {
  char bytes[4096];
  size_t size;
  while ((size = std::fread(bytes, 1, sizeof(bytes), stdin)) > 0)
    std::fwrite(bytes, 1, size, stdout);
  std::fflush(stdout);
  std::fputs("to standard error\n", stderr);
}

void write() {
  for (;;) {
    std::puts("more");
    std::fflush(stdout);
  }
}

void inThread(void (*body)()) {
  std::thread([&] {
    CurrentTile tile("the_tile");
    body();
  }).join();
}

using Body = void (*)();
const std::map<std::string, Body> bodies = {
    {"crash", crash},
    {"overflow", overflow},
    {"truncated-file", truncatedFile},
    {"abort", [] { std::abort(); }},
    {"kill", [] { raise(SIGKILL); }},
    {"kill-with-8-files", killWithFiles<8>},
    {"kill-with-60-files", killWithFiles<60>},
    {"kill-with-100-files", killWithFiles<100>},
    {"kill-with-1000-files", killWithFiles<1000>},
    {"spend", spend},
    {"fatal", [] { llvm::report_fatal_error("the\nreason"); }},
    {"no-memory",
     [] {
       // volatile: the compiler may leave out an allocation that nobody uses.
       volatile size_t size = size_t{1} << 60;
       static_cast<volatile char*>(::operator new(size))[0] = 1;
     }},
    {"impossible-size",
     [] {
       volatile size_t size = ~size_t{0};
       std::vector<int>().reserve(size);
     }},
    {"wait", wait},
    {"echo", echo},
    {"write", write},
    {"exit-0", [] { std::exit(0); }},
    {"exit-7", [] { std::exit(7); }},
    {"crash-in-thread", [] { inThread(crash); }},
    {"overflow-in-thread", [] { inThread(overflow); }},
};

void run(const std::string& how) {
  bool bare = how.rfind("bare-", 0) == 0;
  Body body = bodies.at(bare ? how.substr(5) : how);
  if (bare) return body();
  ReadingInput reading(dir + "/x\x1b.bc", "something else");
  body();
}

int main(int argc, char** argv) {
  supervise("child", argc, argv);
  llvm::InitLLVM init(argc, argv);
  installFatalErrorHandler("child");
  if (argc != 3) return 2;
  dir = argv[2];
  // Both ways of having a temporary file.
  std::string folder = dir + "/temporary", file = folder + "/file";
  if (mkdir(folder.c_str(), 0700) != 0) return 2;
  OwnTemporary ownFolder(folder), ownFile(file);
  std::fclose(std::fopen(file.c_str(), "w"));
  llvm::sys::RemoveFileOnSignal(file);
  run(argv[1]);
  llvm::sys::DontRemoveFileOnSignal(file);
  unlink(file.c_str());
  rmdir(folder.c_str());
  return 0;
}

}  // namespace
}  // namespace tilewright

int main(int argc, char** argv) { return tilewright::main(argc, argv); }
