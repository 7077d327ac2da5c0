// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans of keys by name, and those that are refused, with the reason that is
// given.

#ifndef TESTS_GENERATOR_PLAN_REFUSAL_H_
#define TESTS_GENERATOR_PLAN_REFUSAL_H_

#include <gtest/gtest.h>

#include <string>

#include "llvm/Support/Error.h"
#include "tests/generator/key_of.h"
#include "tilewright/Planning/TilePlan.h"

namespace tilewright::testing {

// The plan of `key`, as keyOf takes it.
inline TilePlan planOf(const char* key, const std::string& overrides = "") {
  return llvm::cantFail(planTile(keyOf(key), overrides));
}

// `key` as keyOf takes it; `reason` is a part of the message.
struct PlanRefusal {
  const char *key, *overrides, *reason;
};

inline void expectRefused(const PlanRefusal& refusal) {
  llvm::Expected<TilePlan> plan =
      planTile(keyOf(refusal.key), refusal.overrides);
  ASSERT_FALSE(bool(plan)) << refusal.key << " " << refusal.overrides;
  const std::string text = llvm::toString(plan.takeError());
  EXPECT_NE(text.find(refusal.reason), std::string::npos) << text;
}

}  // namespace tilewright::testing

#endif  // TESTS_GENERATOR_PLAN_REFUSAL_H_
