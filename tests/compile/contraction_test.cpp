// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions of every order of dimensions through tiles, against loops:
// those that people write, and what packing has to keep apart.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/compile/contraction_check.h"

namespace tilewright::testing {
namespace {

constexpr Element kF32{"f32", "f32", 32, Element::kFloat, TW_ELEMENT_F32};
constexpr Element kS32{"s32", "i32", 32, Element::kSigned, {}};
constexpr Element kS8{"s8", "i8", 8, Element::kSigned, {}};

const ContractionTypes kTypes[] = {{&kF32, &kF32, &kF32, 8},
                                   {&kS8, &kS8, &kS32, 0}};

const struct {
  const char *lhs, *rhs, *out;
} kEinsums[] = {
    // Scores and values of attention, heads in the middle; and a result in an
    // order of its own.
    {"mhd", "nhd", "hmn"},
    {"hmn", "nhd", "mhd"},
    {"bad", "cda", "bca"},
    // Transposed, with and without a batch.
    {"akm", "ank", "amn"},
    {"akm", "akn", "anm"},
    {"km", "nk", "nm"},
    // One matrix for all of a batch, on either side.
    {"amk", "kn", "amn"},
    {"mk", "akn", "amn"},
    // Two of each kind, in several orders.
    {"mlik", "kjln", "jmni"},
    {"kbmaol", "plnkab", "obnmpa"},
    {"abmokl", "abnpkl", "abmonp"},
    // What lacks m, n or both.
    {"mk", "k", "m"},
    {"k", "nk", "n"},
    {"akl", "lka", "a"},
    {"bka", "kmab", "mba"},
    {"k", "k", ""},
    // What lacks k.
    {"m", "n", "nm"},
    {"ma", "an", "nam"},
};

// More than a tile of every target, and no multiple of it.
Extents sizesOf(const std::string& letters, bool isSmall) {
  const std::map<char, int64_t> sizes = {
      {'m', 37}, {'n', 67}, {'k', 5}, {'l', 3}, {'o', 2}, {'p', 3}, {'a', 2},
      {'b', 3},  {'c', 5},  {'d', 7}, {'h', 4}, {'i', 3}, {'j', 2}};
  Extents extents;
  for (char letter : letters)
    extents[letter] =
        isSmall ? std::min<int64_t>(sizes.at(letter), 19) : sizes.at(letter);
  return extents;
}

class ContractionTest : public ::testing::TestWithParam<std::string> {
 protected:
  bool isForDevice() const { return GetParam().find("amdgpu") == 0; }

  // The calls: all sizes, of one, and without each of the loops in turn.
  void addCalls(ContractionProgram& program, bool isDynamic) const {
    program.calls = {sizesOf(program.letters, isForDevice())};
    if (!isDynamic) return;
    Extents ones;
    for (char letter : program.letters) ones[letter] = 1;
    program.calls.push_back(ones);
    for (char letter : program.letters) {
      program.calls.push_back(sizesOf(program.letters, /*isSmall=*/true));
      program.calls.back()[letter] = 0;
    }
  }

  std::vector<ContractionProgram> programs() const {
    std::vector<ContractionProgram> result;
    // Each of static and of dynamic shapes, in the two types by turns.
    for (const auto& einsum : kEinsums)
      for (bool isDynamic : {false, true}) {
        ContractionProgram program;
        program.name = "f" + std::to_string(result.size());
        program.operation = "linalg.generic";
        program.types = kTypes[(result.size() + result.size() / 2) % 2];
        std::set<char> seen;
        for (const auto& [operand, indices] :
             {std::pair{&program.out, einsum.out},
              std::pair{&program.lhs, einsum.lhs},
              std::pair{&program.rhs, einsum.rhs}}) {
          operand->indices = indices;
          operand->isDynamic.assign(operand->indices.size(), isDynamic);
          for (char letter : operand->indices)
            if (seen.insert(letter).second) program.letters += letter;
        }
        program.init = isDynamic ? Init::kArgument : Init::kZeroFill;
        program.dataSeed = seedOf(program.describe());
        addCalls(program, isDynamic);
        result.push_back(program);
      }
    return result;
  }
};

TEST_P(ContractionTest, EveryOrderOfDimensions) {
  if (GetParam().find("_amx_") != std::string::npos && !isEmulated(GetParam()))
    GTEST_SKIP() << "AMX is emulated on CPUs with AVX-512 and without it";
  std::vector<ContractionProgram> programs = this->programs();
  std::string text, error;
  for (const ContractionProgram& program : programs) text += program.text();
  JitOptions options;
  options.isa = GetParam();
  std::unique_ptr<JitModel> model = JitModel::compile(text, options, &error);
  ASSERT_TRUE(model) << error;
  if (isEmulated(GetParam()))
    EXPECT_TRUE(std::any_of(model->tiles().begin(), model->tiles().end(),
                            [](const std::string& tile) {
                              return tile.find("_amx_") != std::string::npos;
                            }));
  // Packs of some orders are loops; products are not.
  for (const std::string& remark : model->remarks())
    EXPECT_NE(remark.find("no pack function does this"), std::string::npos)
        << remark;
  for (const ContractionProgram& program : programs) {
    EXPECT_EQ(checkContraction(program, *model), "")
        << program.describe() << "\n"
        << program.text() << seedText(program.dataSeed);
    if (!isForDevice())
      EXPECT_GT(model->tileCalls(program.name), 0) << program.describe();
  }
}

// Its tiles, and what they are packed for; the instructions are emulated.
INSTANTIATE_TEST_SUITE_P(Amx, ContractionTest,
                         ::testing::Values("x86_64_amx_int8"),
                         [](const auto& info) { return info.param; });

INSTANTIATE_TEST_SUITE_P(Targets, ContractionTest,
                         ::testing::Values(runnableIsas().front(), "generic",
                                           "amdgpu_gfx942", "amdgpu_gfx1100"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tilewright::testing
