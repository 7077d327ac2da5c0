// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries with the interface of CBLAS.

#include "bench/peers/library.h"
#include "bench/peers/way.h"

namespace tilewright::bench {
namespace {

constexpr int kRowMajor = 101, kNoTrans = 111;

using Sgemm = void(int order, int transA, int transB, int m, int n, int k,
                   float alpha, const float* a, int lda, const float* b,
                   int ldb, float beta, float* c, int ldc);

}  // namespace

std::string addBlasWays(const std::string& name, const std::string& path,
                        const std::string& prefix, Matrices& matrices,
                        std::vector<Way>& ways) {
  if (matrices.types.name != "f32f32f32") return "";
  Library library(path);
  Sgemm* sgemm;
  library.find(prefix + "cblas_sgemm", sgemm);
  if (!library.error().empty()) return library.error();
  const Matrices& m = matrices;
  const int M = int(m.M), N = int(m.N), K = int(m.K);
  const auto* a = reinterpret_cast<const float*>(m.a.get());
  const auto* b = reinterpret_cast<const float*>(m.b.get());
  auto* c = reinterpret_cast<float*>(m.c.get());
  ways.push_back({name, "cblas_sgemm", Ahead::kNothing,
                  [=] {
                    sgemm(kRowMajor, kNoTrans, kNoTrans, M, N, K, 1, a, K, b, N,
                          0, c, N);
                  },
                  m.c.get()});
  return "";
}

}  // namespace tilewright::bench
