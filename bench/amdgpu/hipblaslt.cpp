// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "bench/amdgpu/hipblaslt.h"

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <memory>

#include "tilewright/key.h"

namespace tilewright::bench {
namespace {

// The values of hipBLASLt's and HIP's enumerations that are used.
enum : int {
  kSuccess = 0,
  kOperationNone = 111,
  kOperationTranspose = 112,
  kCompute32F = 2,
  kDescTransA = 0,
  kDescTransB = 1,
  kReal32F = 0,
  kReal16F = 2,
  kReal16BF = 14,
};

// The first members of hipblasLtMatmulHeuristicResult_t, and room for the rest.
struct HeuristicResult {
  alignas(16) std::array<std::byte, 256> algorithm;
};

struct Library {
  int (*create)(void**);
  int (*matmulDescCreate)(void**, int, int);
  int (*matmulDescSetAttribute)(void*, int, const void*, size_t);
  int (*layoutCreate)(void**, int, uint64_t, uint64_t, int64_t);
  int (*preferenceCreate)(void**);
  int (*heuristic)(void*, void*, void*, void*, void*, void*, void*, int, void*,
                   int*);
  int (*matmul)(void*, void*, const void*, const void*, void*, const void*,
                void*, const void*, const void*, void*, void*, void*,
                const void*, void*, size_t, void*);
};

// Null, with `why`, if it is not installed.
const Library* load(std::string& why) {
  static std::string reason;
  static const std::unique_ptr<Library> library = [] {
    auto result = std::make_unique<Library>();
    void* handle = nullptr;
    for (const char* name :
         {"libhipblaslt.so.1", "libhipblaslt.so.0", "libhipblaslt.so"})
      if (!handle) handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      reason = "hipBLASLt is not installed";
      return std::unique_ptr<Library>();
    }
    auto find = [&](auto& function, const char* name) {
      void* symbol = dlsym(handle, name);
      if (!symbol) reason = std::string("hipBLASLt has no ") + name;
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
    };
    find(result->create, "hipblasLtCreate");
    find(result->matmulDescCreate, "hipblasLtMatmulDescCreate");
    find(result->matmulDescSetAttribute, "hipblasLtMatmulDescSetAttribute");
    find(result->layoutCreate, "hipblasLtMatrixLayoutCreate");
    find(result->preferenceCreate, "hipblasLtMatmulPreferenceCreate");
    find(result->heuristic, "hipblasLtMatmulAlgoGetHeuristic");
    find(result->matmul, "hipblasLtMatmul");
    return reason.empty() ? std::move(result) : std::unique_ptr<Library>();
  }();
  why = reason;
  return library.get();
}

}  // namespace

std::function<bool()> hipblasltMatmul(tw_type_triple_t types, int64_t M,
                                      int64_t N, int64_t K, const void* lhs,
                                      const void* rhs, void* out,
                                      std::string& why) {
  int operand, result = kReal32F;
  switch (types) {
    case TW_TYPES_F16F16F32:
      operand = kReal16F;
      break;
    case TW_TYPES_BF16BF16F32:
      operand = kReal16BF;
      break;
    case TW_TYPES_F32F32F32:
      operand = kReal32F;
      break;
    default:
      why = "hipBLASLt is not asked for these types";
      return {};
  }
  const Library* library = load(why);
  if (!library) return {};
  // In its column-major terms out^T [N x M] = rhs^T^T * lhs^T.
  void *handle, *multiply, *a, *b, *d, *preference;
  const int none = kOperationNone, transpose = kOperationTranspose;
  HeuristicResult best = {};
  int found = 0;
  if (library->create(&handle) != kSuccess ||
      library->matmulDescCreate(&multiply, kCompute32F, kReal32F) != kSuccess ||
      library->matmulDescSetAttribute(multiply, kDescTransA, &transpose,
                                      sizeof transpose) != kSuccess ||
      library->matmulDescSetAttribute(multiply, kDescTransB, &none,
                                      sizeof none) != kSuccess ||
      library->layoutCreate(&a, operand, K, N, K) != kSuccess ||
      library->layoutCreate(&b, operand, K, M, K) != kSuccess ||
      library->layoutCreate(&d, result, N, M, N) != kSuccess ||
      library->preferenceCreate(&preference) != kSuccess ||
      library->heuristic(handle, multiply, a, b, d, d, preference, 1, &best,
                         &found) != kSuccess ||
      found == 0) {
    why = "hipBLASLt has no kernel for this size without a workspace";
    return {};
  }
  return [=] {
    const float one = 1, zero = 0;
    return library->matmul(handle, multiply, &one, rhs, a, lhs, b, &zero, out,
                           d, out, d, &best, nullptr, 0, nullptr) == kSuccess;
  };
}

}  // namespace tilewright::bench
