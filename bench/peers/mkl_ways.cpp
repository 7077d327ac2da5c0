// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// oneMKL: products as matrices lie, and with B packed by its own functions.

#include <cstdio>

#include "bench/peers/library.h"
#include "bench/peers/way.h"

namespace tilewright::bench {
namespace {

// mkl_cblas.h
constexpr int kRowMajor = 101, kNoTrans = 111, kPacked = 151, kIdentB = 162,
              kFixOffset = 173;

using Sgemm = void(int, int, int, int m, int n, int k, float alpha,
                   const float* a, int lda, const float* b, int ldb, float beta,
                   float* c, int ldc);
using SgemmCompute = void(int, int, int, int m, int n, int k, const float* a,
                          int lda, const float* b, int ldb, float beta,
                          float* c, int ldc);
using SgemmPack = void(int, int identifier, int, int m, int n, int k,
                       float alpha, const float* source, int ld, float* packed);
using BgemmCompute = void(int, int, int, int m, int n, int k, float alpha,
                          const uint16_t* a, int lda, const uint16_t* b,
                          int ldb, float beta, float* c, int ldc);
using BgemmPack = void(int, int identifier, int, int m, int n, int k,
                       const uint16_t* source, int ld, uint16_t* packed);
using IgemmCompute = void(int, int, int, int offset, int m, int n, int k,
                          float alpha, const void* a, int lda, int8_t ao,
                          const void* b, int ldb, int8_t bo, float beta,
                          int32_t* c, int ldc, const int32_t* co);
using IgemmPack = void(int, int identifier, int, int m, int n, int k,
                       const void* source, int ld, void* packed);
using PackSize = size_t(int identifier, int m, int n, int k);

class Mkl {
 public:
  Mkl(const std::string& path, Matrices& matrices, std::vector<Way>& ways)
      : library_(path), m_(matrices), ways_(ways) {}

  std::string add() {
    void (*setThreads)(int);
    library_.find("MKL_Set_Num_Threads", setThreads);
    if (library_.error().empty()) setThreads(1);
    if (m_.types.name == "f32f32f32") addF32();
    if (m_.types.name == "bf16bf16f32") addBf16();
    if (m_.types.name == "s8s8s32") addS8();
    return library_.error();
  }

 private:
  void push(const std::string& name, Ahead ahead, std::function<void()> run) {
    if (library_.error().empty())
      ways_.push_back({"onemkl", name, ahead, std::move(run), m_.c.get()});
  }

  // Room for the packed B; kept by who runs it.
  std::shared_ptr<AlignedBytes> room(const std::string& name) {
    PackSize* size;
    library_.find(name, size);
    if (!library_.error().empty()) return nullptr;
    return std::make_shared<AlignedBytes>(
        allocateAligned(int64_t(size(kIdentB, M(), N(), K()))));
  }

  void addF32() {
    const auto* a = reinterpret_cast<const float*>(m_.a.get());
    const auto* b = reinterpret_cast<const float*>(m_.b.get());
    auto* c = reinterpret_cast<float*>(m_.c.get());
    const int m = M(), n = N(), k = K();
    Sgemm* gemm;
    SgemmCompute* compute;
    SgemmPack* pack;
    library_.find("cblas_sgemm", gemm);
    library_.find("cblas_sgemm_compute", compute);
    library_.find("cblas_sgemm_pack", pack);
    push("sgemm", Ahead::kNothing, [=] {
      gemm(kRowMajor, kNoTrans, kNoTrans, m, n, k, 1, a, k, b, n, 0, c, n);
    });
    auto packed = room("cblas_sgemm_pack_get_size");
    if (!packed) return;
    auto* to = reinterpret_cast<float*>(packed->get());
    pack(kRowMajor, kIdentB, kNoTrans, m, n, k, 1, b, n, to);
    push("sgemm_compute", Ahead::kRhs, [=, keep = packed] {
      compute(kRowMajor, kNoTrans, kPacked, m, n, k, a, k, to, n, 0, c, n);
    });
  }

  void addBf16() {
    const auto* a = reinterpret_cast<const uint16_t*>(m_.a.get());
    const auto* b = reinterpret_cast<const uint16_t*>(m_.b.get());
    auto* c = reinterpret_cast<float*>(m_.c.get());
    const int m = M(), n = N(), k = K();
    BgemmCompute *gemm, *compute;
    BgemmPack* pack;
    library_.find("cblas_gemm_bf16bf16f32", gemm);
    library_.find("cblas_gemm_bf16bf16f32_compute", compute);
    library_.find("cblas_gemm_bf16bf16f32_pack", pack);
    push("gemm_bf16bf16f32", Ahead::kNothing, [=] {
      gemm(kRowMajor, kNoTrans, kNoTrans, m, n, k, 1, a, k, b, n, 0, c, n);
    });
    auto packed = room("cblas_gemm_bf16bf16f32_pack_get_size");
    if (!packed) return;
    auto* to = reinterpret_cast<uint16_t*>(packed->get());
    pack(kRowMajor, kIdentB, kNoTrans, m, n, k, b, n, to);
    push("gemm_bf16bf16f32_compute", Ahead::kRhs, [=, keep = packed] {
      compute(kRowMajor, kNoTrans, kPacked, m, n, k, 1, a, k, to, n, 0, c, n);
    });
  }

  // Whether sums of two products do not fit: without VNNI vpmaddubsw adds them
  // in 16 bits. Elements of A here are too small to show it.
  static bool saturates(IgemmCompute* gemm) {
    constexpr int kSize = 64;
    const std::vector<uint8_t> a(kSize * kSize, 255);
    const std::vector<int8_t> b(kSize * kSize, 127);
    std::vector<int32_t> c(kSize * kSize);
    const int32_t noOffset = 0;
    gemm(kRowMajor, kNoTrans, kNoTrans, kFixOffset, kSize, kSize, kSize, 1,
         a.data(), kSize, 0, b.data(), kSize, 0, 0, c.data(), kSize, &noOffset);
    return c[0] != kSize * 255 * 127;
  }

  // Of row-major matrices A is u8 and B s8.
  void addS8() {
    const void *a = m_.a.get(), *b = m_.b.get();
    auto* c = reinterpret_cast<int32_t*>(m_.c.get());
    const int m = M(), n = N(), k = K();
    IgemmCompute *gemm, *compute;
    IgemmPack* pack;
    library_.find("cblas_gemm_s8u8s32", gemm);
    library_.find("cblas_gemm_s8u8s32_compute", compute);
    library_.find("cblas_gemm_s8u8s32_pack", pack);
    if (library_.error().empty() && saturates(gemm)) {
      std::fprintf(stderr,
                   "peers_bench: onemkl's gemm_s8u8s32 saturates on this CPU: "
                   "255 * 127 + 255 * 127 is less than that; it is not "
                   "compared\n");
      return;
    }
    static const int32_t kNoOffset = 0;
    push("gemm_s8u8s32", Ahead::kNothing, [=] {
      gemm(kRowMajor, kNoTrans, kNoTrans, kFixOffset, m, n, k, 1, a, k, 0, b, n,
           0, 0, c, n, &kNoOffset);
    });
    auto packed = room("cblas_gemm_s8u8s32_pack_get_size");
    if (!packed) return;
    void* to = packed->get();
    pack(kRowMajor, kIdentB, kNoTrans, m, n, k, b, n, to);
    push("gemm_s8u8s32_compute", Ahead::kRhs, [=, keep = packed] {
      compute(kRowMajor, kNoTrans, kPacked, kFixOffset, m, n, k, 1, a, k, 0, to,
              n, 0, 0, c, n, &kNoOffset);
    });
  }

  int M() const { return int(m_.M); }
  int N() const { return int(m_.N); }
  int K() const { return int(m_.K); }

  Library library_;
  Matrices& m_;
  std::vector<Way>& ways_;
};

}  // namespace

std::string addMklWays(const std::string& path, Matrices& matrices,
                       std::vector<Way>& ways) {
  return Mkl(path, matrices, ways).add();
}

}  // namespace tilewright::bench
