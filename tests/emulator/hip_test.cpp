// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulated HIP, loaded as programs load HIP: modules, memory, launches both
// ways, errors.

#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "llvm/Support/MemoryBuffer.h"

namespace {

enum {
  kSuccess = 0,
  kInvalidValue = 1,
  kInvalidDevice = 101,
  kNotFound = 500,
  kLaunchFailure = 719
};
enum { kToDevice = 1, kToHost = 2 };

void* Library() {
  static void* library = dlopen(TW_EMULATED_HIP, RTLD_NOW | RTLD_LOCAL);
  return library;
}

// Any of HIP's functions, which all take words and give an int.
template <typename... Arguments>
int Hip(const char* name, Arguments... arguments) {
  auto* function =
      reinterpret_cast<int (*)(Arguments...)>(dlsym(Library(), name));
  EXPECT_TRUE(function) << name;
  return function ? function(arguments...) : -1;
}

struct Loaded {
  void* module = nullptr;
  Loaded() {
    EXPECT_EQ(Hip("hipModuleLoad", &module, TW_TEST_KERNELS "/kernels.hsaco"),
              kSuccess);
  }
  ~Loaded() { Hip("hipModuleUnload", module); }
  void* Kernel(const char* name) {
    void* kernel = nullptr;
    EXPECT_EQ(Hip("hipModuleGetFunction", &kernel, module, name), kSuccess);
    return kernel;
  }
};

int Launch(void* kernel, unsigned threads, void** parameters, void** extra,
           unsigned lds = 0) {
  return Hip("hipModuleLaunchKernel", kernel, 1u, 1u, 1u, threads, 1u, 1u, lds,
             (void*)nullptr, parameters, extra);
}

TEST(EmulatedHip, LoadsAndKnowsItsDevice) {
  ASSERT_TRUE(Library()) << dlerror();
  Loaded loaded;
  int count = 0, device = -1, wave = 0;
  EXPECT_EQ(Hip("hipInit", 0u), kSuccess);
  EXPECT_EQ(Hip("hipGetDeviceCount", &count), kSuccess);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(Hip("hipSetDevice", 0), kSuccess);
  EXPECT_EQ(Hip("hipGetDevice", &device), kSuccess);
  EXPECT_EQ(device, 0);
  // That of the first code object.
  std::vector<char> properties(8192);
  EXPECT_EQ(Hip("hipGetDevicePropertiesR0600", properties.data(), 0), kSuccess);
  EXPECT_STREQ(properties.data(), "emulated gfx1100");
  EXPECT_STREQ(properties.data() + 1160, "gfx1100");
  EXPECT_EQ(Hip("hipDeviceGetAttribute", &wave, 87, 0), kSuccess);
  EXPECT_EQ(wave, 32);
  EXPECT_EQ(Hip("hipSetDevice", 1), kInvalidDevice);
  EXPECT_EQ(Hip("hipPeekAtLastError"), kInvalidDevice);
  EXPECT_EQ(Hip("hipGetLastError"), kInvalidDevice);
  EXPECT_EQ(Hip("hipGetLastError"), kSuccess);
  auto* name = reinterpret_cast<const char* (*)(int)>(
      dlsym(Library(), "hipGetErrorName"));
  EXPECT_STREQ(name(kLaunchFailure), "hipErrorLaunchFailure");
}

TEST(EmulatedHip, LaunchesWithArgumentsOneByOneAndInABuffer) {
  Loaded loaded;
  void *kernel = loaded.Kernel("dynamic_lds"), *out = nullptr;
  uint32_t words = 32;
  std::vector<uint32_t> result(32);
  ASSERT_EQ(Hip("hipMalloc", &out, size_t(128)), kSuccess);
  void* parameters[] = {&out, &words};
  EXPECT_EQ(Launch(kernel, 32, parameters, nullptr, 128), kSuccess);
  EXPECT_EQ(Hip("hipMemcpy", (void*)result.data(), (const void*)out,
                size_t(128), int(kToHost)),
            kSuccess);
  EXPECT_EQ(result[31], 62u);

  EXPECT_EQ(Hip("hipMemset", out, 0, size_t(128)), kSuccess);
  struct {
    void* out;
    uint32_t words;
  } arguments{out, 16};
  size_t bytes = 12;
  void* extra[] = {(void*)1, &arguments, (void*)2, &bytes, (void*)3};
  EXPECT_EQ(Launch(kernel, 32, nullptr, extra, 64), kSuccess);
  EXPECT_EQ(Hip("hipDeviceSynchronize"), kSuccess);
  EXPECT_EQ(Hip("hipMemcpyAsync", (void*)result.data(), (const void*)out,
                size_t(128), int(kToHost), (void*)nullptr),
            kSuccess);
  EXPECT_EQ(result[15], 30u);
  EXPECT_EQ(result[16], 0u);
  EXPECT_EQ(Launch(kernel, 32, parameters, extra), kInvalidValue);
  EXPECT_EQ(Hip("hipFree", out), kSuccess);
}

TEST(EmulatedHip, AFaultIsALaunchFailure) {
  Loaded loaded;
  void *kernel = loaded.Kernel("add_table"), *out = nullptr;
  ASSERT_EQ(Hip("hipMalloc", &out, size_t(15)), kSuccess);
  void* parameters[] = {&out};
  testing::internal::CaptureStderr();
  EXPECT_EQ(Launch(kernel, 32, parameters, nullptr), kLaunchFailure);
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("global-out-of-bounds"), std::string::npos) << text;
  EXPECT_NE(text.find("kernels.cpp"), std::string::npos) << text;
  EXPECT_EQ(Hip("hipFree", out), kSuccess);
  EXPECT_EQ(Hip("hipFree", out), kInvalidValue);
}

TEST(EmulatedHip, GlobalVariables) {
  Loaded loaded;
  void* table = nullptr;
  size_t bytes = 0;
  uint32_t values[4] = {};
  ASSERT_EQ(Hip("hipModuleGetGlobal", &table, &bytes, loaded.module, "table"),
            kSuccess);
  EXPECT_EQ(bytes, 16u);
  EXPECT_EQ(
      Hip("hipMemcpy", (void*)values, (const void*)table, bytes, int(kToHost)),
      kSuccess);
  EXPECT_EQ(values[3], 40u);
  EXPECT_EQ(Hip("hipModuleGetGlobal", &table, &bytes, loaded.module, "tables"),
            kNotFound);
}

TEST(EmulatedHip, CopiesStayWithinAllocations) {
  Loaded loaded;
  void* memory = nullptr;
  char host[64] = {};
  ASSERT_EQ(Hip("hipMalloc", &memory, size_t(63)), kSuccess);
  EXPECT_EQ(
      Hip("hipMemcpy", memory, (const void*)host, size_t(63), int(kToDevice)),
      kSuccess);
  EXPECT_EQ(
      Hip("hipMemcpy", memory, (const void*)host, size_t(64), int(kToDevice)),
      kInvalidValue);
  EXPECT_EQ(Hip("hipMemset", (void*)host, 0, size_t(1)), kInvalidValue);
  EXPECT_EQ(Hip("hipFree", memory), kSuccess);
}

TEST(EmulatedHip, StreamsAndEvents) {
  void *stream = nullptr, *begin = nullptr, *end = nullptr;
  float ms = -1;
  EXPECT_EQ(Hip("hipStreamCreateWithFlags", &stream, 1u), kSuccess);
  EXPECT_EQ(Hip("hipEventCreate", &begin), kSuccess);
  EXPECT_EQ(Hip("hipEventCreateWithFlags", &end, 0u), kSuccess);
  EXPECT_EQ(Hip("hipEventRecord", begin, stream), kSuccess);
  EXPECT_EQ(Hip("hipEventRecord", end, stream), kSuccess);
  EXPECT_EQ(Hip("hipStreamWaitEvent", stream, end, 0u), kSuccess);
  EXPECT_EQ(Hip("hipStreamSynchronize", stream), kSuccess);
  EXPECT_EQ(Hip("hipEventElapsedTime", &ms, begin, end), kSuccess);
  EXPECT_GE(ms, 0);
  EXPECT_EQ(Hip("hipEventDestroy", begin), kSuccess);
  EXPECT_EQ(Hip("hipEventDestroy", end), kSuccess);
  EXPECT_EQ(Hip("hipStreamDestroy", stream), kSuccess);
}

}  // namespace
