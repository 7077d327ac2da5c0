// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/tiles/check_pack.h"

#include <algorithm>
#include <vector>

#include "tests/common/guarded_buffer.h"
#include "tests/common/seed.h"
#include "tests/tiles/element_codec.h"

namespace tilewright::testing {
namespace {

constexpr uint64_t kPadding = 0xF1E2D3C4B5A69788u;

uint64_t lowBits(uint64_t value, int bits) {
  return bits == 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

// What a GuardedBuffer that nobody wrote has as element i.
uint64_t untouched(int64_t i, int bits) {
  const uint64_t fill = uint64_t{GuardedBuffer::kFill} * 0x0101010101010101u;
  return lowBits(bits == 4 ? fill >> (i % 2 * 4) : fill, bits);
}

void fillRandomly(GuardedBuffer& buffer, size_t bytes, Random& random) {
  for (size_t i = 0; i < bytes; ++i)
    buffer.as<uint8_t>()[i] = static_cast<uint8_t>(random.next());
}

// A matrix and its packed form.
class Case {
 public:
  Case(const PackKey& key, const tw_pack_tile_params_t& params,
       Placement placement, Random& random)
      : key_(key),
        p_(params),
        lines_(key.lines == MatrixLines::kRows ? p_.rows : p_.cols),
        line_(key.lines == MatrixLines::kRows ? p_.cols : p_.rows),
        matrixBytes_(bytesOfMatrix()),
        packedBytes_(static_cast<size_t>(p_.outer_rows * p_.outer_cols *
                                         key.tileBytes())),
        matrix_(matrixBytes_, 0, placement),
        packed_(packedBytes_, 0, placement) {
    if (key.unpack)
      fillRandomly(packed_, packedBytes_, random);
    else
      fillRandomly(matrix_, matrixBytes_, random);
  }

  std::string run(const void* function) {
    if (key_.unpack)
      reinterpret_cast<tw_unpack_tile_fn_t>(reinterpret_cast<uintptr_t>(
          function))(matrix_.data(), packed_.data(), &p_);
    else
      reinterpret_cast<tw_pack_tile_fn_t>(reinterpret_cast<uintptr_t>(
          function))(packed_.data(), matrix_.data(), &p_);
    std::string wrong = comparePacked();
    if (wrong.empty() && key_.unpack) wrong = compareGaps();
    if (wrong.empty() && !(matrix_.slackIntact() && packed_.slackIntact()))
      wrong = "wrote outside of its buffers";
    return wrong.empty() ? wrong : describe() + ": " + wrong;
  }

 private:
  // The last line ends with its last element, not with its stride.
  size_t bytesOfMatrix() const {
    if (lines_ == 0 || line_ == 0) return 0;
    const int64_t elements = (lines_ - 1) * p_.matrix_stride + line_;
    return static_cast<size_t>((elements * key_.bits + 7) / 8);
  }

  int64_t placeOf(int64_t row, int64_t col) const {
    return key_.lines == MatrixLines::kRows ? row * p_.matrix_stride + col
                                            : col * p_.matrix_stride + row;
  }

  std::string comparePacked() {
    int64_t i = 0;
    for (int64_t ro = 0; ro < p_.outer_rows; ++ro)
      for (int64_t co = 0; co < p_.outer_cols; ++co)
        for (int64_t r = 0; r < key_.r0; ++r)
          for (int64_t c = 0; c < key_.c0; ++c, ++i) {
            const int64_t row = ro * key_.r0 + r, col = co * key_.c0 + c;
            const bool inside = row < p_.rows && col < p_.cols;
            if (!inside && key_.unpack) continue;
            const uint64_t packed =
                loadElement(packed_.as<uint8_t>(), i, key_.bits);
            const uint64_t expected =
                inside ? loadElement(matrix_.as<uint8_t>(), placeOf(row, col),
                                     key_.bits)
                       : lowBits(kPadding, key_.bits);
            if (packed != expected)
              return "element (" + std::to_string(row) + ", " +
                     std::to_string(col) + ") is " + std::to_string(packed) +
                     " in its tile, and " + std::to_string(expected) +
                     (inside ? " in the matrix" : " is the padding");
          }
    return "";
  }

  // What lies between lines is not the matrix's.
  std::string compareGaps() {
    for (int64_t l = 0; line_ > 0 && l + 1 < lines_; ++l)
      for (int64_t x = line_; x < p_.matrix_stride; ++x) {
        const int64_t i = l * p_.matrix_stride + x;
        if (loadElement(matrix_.as<uint8_t>(), i, key_.bits) !=
            untouched(i, key_.bits))
          return "wrote behind line " + std::to_string(l);
      }
    return "";
  }

  std::string describe() const {
    return std::to_string(p_.rows) + "x" + std::to_string(p_.cols) +
           ", stride " + std::to_string(p_.matrix_stride) + ", tiles " +
           std::to_string(p_.outer_rows) + "x" + std::to_string(p_.outer_cols);
  }

  const PackKey key_;
  const tw_pack_tile_params_t p_;
  const int64_t lines_, line_;
  const size_t matrixBytes_, packedBytes_;
  GuardedBuffer matrix_, packed_;
};

int64_t tilesOf(int64_t extent, int64_t tile) {
  return (extent + tile - 1) / tile;
}

}  // namespace

std::string checkPack(const PackKey& key, const void* function, uint64_t seed) {
  Random random(seed);
  const int64_t far = 67;
  int number = 0;
  for (int64_t rows :
       {int64_t{0}, int64_t{1}, int64_t{key.r0}, int64_t{2} * key.r0 + 1, far})
    for (int64_t cols : {int64_t{0}, int64_t{1}, int64_t{key.c0},
                         int64_t{3} * key.c0 - 1, far}) {
      ++number;
      const int64_t slack = number % 3 == 0 ? 3 : 0;
      const int64_t behind = number % 4 == 0 ? 1 : 0;
      tw_pack_tile_params_t params = {};
      params.rows = rows;
      params.cols = cols;
      params.matrix_stride =
          (key.lines == MatrixLines::kRows ? cols : rows) + slack;
      if (key.bits == 4) params.matrix_stride += params.matrix_stride % 2;
      params.outer_rows = tilesOf(rows, key.r0) + behind;
      params.outer_cols = tilesOf(cols, key.c0) + behind;
      params.padding = kPadding;
      for (Placement placement : {Placement::kTrailing, Placement::kLeading}) {
        std::string wrong = Case(key, params, placement, random).run(function);
        if (!wrong.empty()) return printPackKey(key) + ", " + wrong;
      }
    }
  return "";
}

}  // namespace tilewright::testing
