// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of constants that are packed or transposed, at random shapes,
// against the definition: each element of the result by its indices.

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "generator/lib/Compile/ConstantElements.h"

namespace tilewright {
namespace {

using Shape = llvm::SmallVector<int64_t>;

// A source of random shape, and a way to pack it: outer dimensions in any
// order, then tiles of some dimensions, each at most once.
struct Case {
  Shape source, result;
  llvm::SmallVector<ElementStep> steps;
  int64_t elementBytes;
  bool isSplat;
};

Case randomCase(std::mt19937& random) {
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  Case c;
  c.elementBytes = int64_t{1} << pick(0, 3);
  c.isSplat = pick(0, 7) == 0;
  int64_t rank = pick(0, 4);
  for (int64_t dim = 0; dim < rank; ++dim) c.source.push_back(pick(0, 9));
  Shape order(rank), tiled(rank);
  std::iota(order.begin(), order.end(), 0);
  tiled = order;
  std::shuffle(order.begin(), order.end(), random);
  std::shuffle(tiled.begin(), tiled.end(), random);
  tiled.truncate(pick(0, rank));
  Shape tiles(rank, 1);
  for (int64_t dim : tiled) tiles[dim] = pick(1, 5);
  for (int64_t dim : order) {
    c.steps.push_back({dim, tiles[dim]});
    c.result.push_back((c.source[dim] + tiles[dim] - 1) / tiles[dim]);
  }
  for (int64_t dim : tiled) {
    c.steps.push_back({dim, 1});
    c.result.push_back(tiles[dim]);
  }
  return c;
}

int64_t count(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1},
                         std::multiplies<>());
}

// The bytes of element `number` of the result.
std::vector<char> expected(const Case& c, const std::vector<char>& source,
                           const std::vector<char>& padding, int64_t number) {
  Shape position(c.source.size(), 0);
  for (size_t dim = c.result.size(); dim-- > 0;) {
    position[c.steps[dim].dim] +=
        number % c.result[dim] * c.steps[dim].elements;
    number /= c.result[dim];
  }
  int64_t offset = 0;
  for (size_t dim = 0; dim < c.source.size(); ++dim) {
    if (position[dim] >= c.source[dim]) return padding;
    offset = offset * c.source[dim] + position[dim];
  }
  if (c.isSplat) offset = 0;
  const char* begin = source.data() + offset * c.elementBytes;
  return {begin, begin + c.elementBytes};
}

TEST(ConstantElements, MoveToWhereTheyBelong) {
  std::mt19937 random(20);
  int64_t padded = 0, elements = 0;
  for (int i = 0; i < 5000; ++i) {
    Case c = randomCase(random);
    int64_t held = c.isSplat ? 1 : count(c.source);
    std::vector<char> source(held * c.elementBytes), padding(c.elementBytes);
    for (char& byte : source) byte = static_cast<char>(random());
    for (char& byte : padding) byte = static_cast<char>(random());
    std::vector<char> result(count(c.result) * c.elementBytes);
    moveElements({source, c.elementBytes, c.isSplat}, c.source, c.result,
                 c.steps, padding, result);
    for (int64_t number = 0; number < count(c.result); ++number) {
      std::vector<char> want = expected(c, source, padding, number);
      const char* begin = result.data() + number * c.elementBytes;
      std::vector<char> got(begin, begin + c.elementBytes);
      ASSERT_EQ(got, want) << "case " << i << ", element " << number;
      padded += want == padding;
      ++elements;
    }
  }
  // Of both there are some.
  EXPECT_GT(padded, elements / 100);
  EXPECT_LT(padded, elements / 2);
}

}  // namespace
}  // namespace tilewright
