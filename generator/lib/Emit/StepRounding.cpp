// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Emit/StepRounding.h"

using namespace mlir;

namespace tilewright {

void StepRounding::begins(int sum) {
  int turn = static_cast<int>(llvm::find(order, sum) - order.begin());
  widenUpTo(turn + 1 + wide);
  if (behind != 0)
    narrowUpTo(count - behind);
}

void StepRounding::hasEnded(int sum) {
  ended[sum] = true;
  ++count;
}

void StepRounding::finish() {
  narrowUpTo(size());
  widenUpTo(size() + wide);
}

void StepRounding::narrowUpTo(int last) {
  for (; narrowed < last && ended[order[narrowed]]; ++narrowed) {
    Value &sum = sums[order[narrowed]];
    sum = narrow(sum);
  }
}

/// Those of the next step as soon as they are narrow.
void StepRounding::widenUpTo(int last) {
  for (; widened < std::min(last, size() + narrowed); ++widened) {
    Value &sum = sums[order[widened % size()]];
    sum = widen(sum);
  }
}

} // namespace tilewright
