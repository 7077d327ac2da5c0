// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TESTS_GENERATOR_SCRATCH_DIR_H_
#define TESTS_GENERATOR_SCRATCH_DIR_H_

#include <string>

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

namespace tilewright::testing {

// A fresh directory, removed with everything in it at the end.
class ScratchDir {
 public:
  ScratchDir() {
    llvm::SmallString<128> path;
    if (llvm::sys::fs::createUniqueDirectory("tilewright-test", path))
      llvm::report_fatal_error("cannot make a temporary directory");
    path_ = std::string(path);
  }
  ~ScratchDir() { llvm::sys::fs::remove_directories(path_); }
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;

  const std::string& path() const { return path_; }
  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace tilewright::testing

#endif  // TESTS_GENERATOR_SCRATCH_DIR_H_
