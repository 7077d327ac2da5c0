// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs for the linker's tests, made in process from textual LLVM IR: bitcode,
// ELF objects, archives, damaged files.

#ifndef TILEWRIGHT_TESTS_LINK_LINK_TEST_SUPPORT_H_
#define TILEWRIGHT_TESTS_LINK_LINK_TEST_SUPPORT_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "llvm/Support/Error.h"
#include "tilewright/Resolve/Resolve.h"

namespace tilewright {

// Each test has a folder of its own, removed afterwards.
class LinkTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  std::string path(const std::string& name) const;
  bool exists(const std::string& name) const;
  // All of these write `name` into the folder and return its full path.
  std::string writeFile(const std::string& name, const std::string& bytes);
  std::string bitcode(const std::string& name, const std::string& ir);
  std::string object(const std::string& name, const std::string& ir);
  std::string archive(const std::string& name,
                      const std::vector<std::string>& members,
                      bool thin = false);
  static std::string readFile(const std::string& path);
  // Number of files in the folder: that no temporary is left behind.
  int fileCount() const;
  // Without a cache, and with the build tree's hand-written tiles.
  static ResolveOptions resolveOptions();

 private:
  std::string dir_;
};

// IR of an x86-64 Linux module in which function `caller` calls each tile in
// turn; `attributes` are those of the caller, such as
// "\"target-features\"=\"+avx2\"".
std::string callerIr(const std::vector<std::string>& tiles,
                     const std::string& caller = "caller",
                     const std::string& attributes = "");

// The bytes of `ir` as bitcode, and compiled to an ELF object.
std::string bitcodeBytes(const std::string& ir);
std::string objectBytes(const std::string& ir);

// "" for success.
std::string errorText(llvm::Error error);

template <typename T>
std::string errorText(llvm::Expected<T> value) {
  return errorText(value.takeError());
}

}  // namespace tilewright

#endif  // TILEWRIGHT_TESTS_LINK_LINK_TEST_SUPPORT_H_
