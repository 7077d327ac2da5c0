// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of a shared library by name.

#ifndef BENCH_PEERS_LIBRARY_H_
#define BENCH_PEERS_LIBRARY_H_

#include <dlfcn.h>

#include <string>

namespace tilewright::bench {

// Opened once, never closed: its threads and caches stay until the program
// ends.
class Library {
 public:
  explicit Library(const std::string& path)
      : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_) error_ = dlerror();
  }
  // The first thing that went wrong, or "".
  const std::string& error() const { return error_; }
  template <typename Function>
  void find(const std::string& name, Function*& function) {
    function = handle_
                   ? reinterpret_cast<Function*>(dlsym(handle_, name.c_str()))
                   : nullptr;
    if (!function && error_.empty()) error_ = "it has no function " + name;
  }

 private:
  void* handle_;
  std::string error_;
};

}  // namespace tilewright::bench

#endif  // BENCH_PEERS_LIBRARY_H_
