// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A way to multiply: a function of this library or of a peer, ready to be
// timed. Peers are shared libraries that are opened by name, so that the newest
// of each can stand beside without being built with.

#ifndef BENCH_PEERS_WAY_H_
#define BENCH_PEERS_WAY_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "measure/operands.h"
#include "tilewright/key.h"

namespace tilewright::bench {

// C [M][N] = A [M][K] * B [K][N], row-major. Elements are small integers, which
// every order of summing gives exactly; 8-bit ones of A are not negative, since
// oneMKL multiplies u8 by s8.
struct Matrices {
  Matrices(const TypeTripleInfo& types, int64_t M, int64_t N, int64_t K);

  const TypeTripleInfo& types;
  int64_t M, N, K;
  AlignedBytes a, b, c;
  int64_t outBytes() const { return M * N * info(types.out).bits / 8; }
  double operations() const { return 2.0 * double(M) * double(N) * double(K); }
};

// What was done with the operands before a call.
enum class Ahead {
  kNothing,  // both lie row-major
  kRhs,      // B is packed
  kBoth,     // A and B are packed, and C will be
};

struct Way {
  std::string library, name;
  Ahead ahead;
  std::function<void()> run;
  // Where the result is row-major, in Matrices::c or here.
  const uint8_t* result;
};

// Adds the ways of a library; returns what went wrong, or "". `matrices` and
// what is added live until the program ends.
std::string addOwnWays(Matrices& matrices, std::vector<Way>& ways);
std::string addMklWays(const std::string& path, Matrices& matrices,
                       std::vector<Way>& ways);
std::string addOneDnnWays(const std::string& path, Matrices& matrices,
                          std::vector<Way>& ways);
// OpenBLAS or BLIS: `name` with an interface of CBLAS, whose functions may
// begin with `prefix`.
std::string addBlasWays(const std::string& name, const std::string& path,
                        const std::string& prefix, Matrices& matrices,
                        std::vector<Way>& ways);

}  // namespace tilewright::bench

#endif  // BENCH_PEERS_WAY_H_
