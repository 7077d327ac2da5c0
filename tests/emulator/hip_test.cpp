// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulated HIP, loaded as programs load HIP: modules, memory, launches both
// ways, errors.

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
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
  kInvalidHandle = 400,
  kNotFound = 500,
  kLaunchFailure = 719
};
enum { kToDevice = 1, kToHost = 2, kBetween = 3 };

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

// In a process of its own, with two devices. Exits with 0 if all is as it has
// to be.
[[noreturn]] void UseTwoDevices() {
  setenv("TW_EMULATED_HIP_DEVICE", "gfx1100,gfx1100", 1);
  int count = 0;
  EXPECT_EQ(Hip("hipGetDeviceCount", &count), kSuccess);
  EXPECT_EQ(count, 2);
  // A module, a stream and memory of each.
  Loaded first;
  void *streams[2] = {}, *memory[2] = {};
  for (int device : {1, 0}) {
    EXPECT_EQ(Hip("hipSetDevice", device), kSuccess);
    EXPECT_EQ(Hip("hipStreamCreate", &streams[device]), kSuccess);
    EXPECT_EQ(Hip("hipMalloc", &memory[device], size_t(128)), kSuccess);
  }
  uint32_t words = 32;
  std::vector<uint32_t> host(32);
  void *kernel = first.Kernel("dynamic_lds"), *parameters[] = {nullptr, &words};
  auto launch = [&](int device, int stream) {
    parameters[0] = &memory[device];
    return Hip("hipModuleLaunchKernel", kernel, 1u, 1u, 1u, 32u, 1u, 1u, 128u,
               streams[stream], (void**)parameters, (void**)nullptr);
  };
  auto copy = [&](void* to, const void* from, int kind, int stream) {
    return Hip("hipMemcpyAsync", to, from, size_t(128), kind, streams[stream]);
  };
  testing::internal::CaptureStderr();
  EXPECT_EQ(launch(0, 0), kSuccess);
  EXPECT_EQ(launch(0, 1), kInvalidHandle);
  // Memory of the other device is none of the kernel's.
  EXPECT_EQ(launch(1, 0), kLaunchFailure);
  EXPECT_EQ(Hip("hipSetDevice", 1), kSuccess);
  EXPECT_EQ(launch(1, 1), kInvalidHandle);
  std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("global-out-of-bounds"), std::string::npos) << text;
  EXPECT_NE(text.find("the kernel 'dynamic_lds' or its stream is not of the "
                      "current device, 1"),
            std::string::npos)
      << text;
  // The stream's device has what is read, or written from the host.
  EXPECT_EQ(copy(memory[1], memory[0], kBetween, 1), kInvalidValue);
  EXPECT_EQ(copy(memory[1], memory[0], kBetween, 0), kSuccess);
  EXPECT_EQ(copy(memory[1], host.data(), kBetween, 1), kInvalidValue);
  EXPECT_EQ(copy(host.data(), memory[1], kBetween, 1), kInvalidValue);
  EXPECT_EQ(copy(host.data(), memory[1], kToHost, 0), kInvalidValue);
  EXPECT_EQ(copy(host.data(), memory[1], kToHost, 1), kSuccess);
  EXPECT_EQ(host[31], 62u);
  EXPECT_EQ(copy(memory[1], host.data(), kToDevice, 0), kInvalidValue);
  EXPECT_EQ(copy(memory[1], host.data(), kToDevice, 1), kSuccess);
  EXPECT_EQ(Hip("hipFree", memory[0]), kInvalidValue);
  EXPECT_EQ(Hip("hipFree", memory[1]), kSuccess);
  EXPECT_EQ(Hip("hipSetDevice", 0), kSuccess);
  EXPECT_EQ(Hip("hipFree", memory[0]), kSuccess);
  std::exit(testing::Test::HasFailure() ? 1 : 0);
}

TEST(EmulatedHipDeathTest, EachDeviceHasItsOwn) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(UseTwoDevices(), testing::ExitedWithCode(0), "");
}

}  // namespace
