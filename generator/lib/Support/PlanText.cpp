// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Support/PlanText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

namespace tilewright {

std::string numbersInPlans(int least, int most) {
  return llvm::formatv("{0}..{1}", least, most);
}

std::optional<int> readPlanNumber(llvm::StringRef text, int least, int most,
                                  std::string &why) {
  int value = 0;
  if (!text.getAsInteger(10, value) && value >= least && value <= most)
    return value;
  why = llvm::formatv("'{0}' is not a number in {1}", text,
                      numbersInPlans(least, most));
  return std::nullopt;
}

std::string listOfWords(llvm::ArrayRef<llvm::StringRef> words,
                        llvm::StringRef last) {
  if (words.size() <= 1)
    return llvm::join(words, "");
  return (llvm::join(words.drop_back(), ", ") + last + words.back()).str();
}

llvm::SmallVector<llvm::StringRef> splitPlan(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::SplitString(text, parts, " ,\t");
  return parts;
}

llvm::Error badPlanPart(llvm::StringRef part, const llvm::Twine &why) {
  return llvm::createStringError("plan part '" + part + "': " + why);
}

} // namespace tilewright
