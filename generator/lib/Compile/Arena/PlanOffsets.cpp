// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Compile/PlanOffsets.h"

#include "llvm/ADT/STLExtras.h"
#include <limits>
#include <map>
#include <numeric>

using namespace llvm;

namespace tilewright {
namespace {

/// The numbers of all buffers, those with the lowest keys first.
template <class Key> std::vector<unsigned> inOrder(size_t count, Key key) {
  std::vector<unsigned> order(count);
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](unsigned x, unsigned y) {
    return std::pair(key(x), x) < std::pair(key(y), y);
  });
  return order;
}

struct Placed {
  int64_t offset, end;
  Lifetime lifetime;
};

/// Into the smallest gap with room for `size`, else behind all.
int64_t bestOffset(ArrayRef<Placed> placed, Lifetime lifetime, int64_t size) {
  int64_t end = 0; // of those before that are in use with it
  int64_t best = -1, bestGap = std::numeric_limits<int64_t>::max();
  for (const Placed &other : placed) {
    if (!other.lifetime.overlaps(lifetime))
      continue;
    int64_t gap = other.offset - end;
    if (gap >= size && gap < bestGap) {
      best = end;
      bestGap = gap;
    }
    end = std::max(end, other.end);
  }
  return best < 0 ? end : best;
}

OffsetPlan placeInOrder(ArrayRef<unsigned> order, ArrayRef<Lifetime> lifetimes,
                        ArrayRef<int64_t> sizes) {
  OffsetPlan plan;
  plan.offsets.resize(sizes.size());
  std::vector<Placed> placed; // by offset
  for (unsigned buffer : order) {
    int64_t offset = bestOffset(placed, lifetimes[buffer], sizes[buffer]);
    Placed here{offset, offset + sizes[buffer], lifetimes[buffer]};
    placed.insert(llvm::upper_bound(placed, here,
                                    [](const Placed &x, const Placed &y) {
                                      return x.offset < y.offset;
                                    }),
                  here);
    plan.offsets[buffer] = offset;
    plan.bytes = std::max(plan.bytes, here.end);
  }
  return plan;
}

} // namespace

OffsetPlan planOffsets(ArrayRef<Lifetime> lifetimes, ArrayRef<int64_t> sizes) {
  auto early = [&](unsigned buffer) { return lifetimes[buffer].first; };
  auto large = [&](unsigned buffer) { return -sizes[buffer]; };
  OffsetPlan byTime =
      placeInOrder(inOrder(sizes.size(), early), lifetimes, sizes);
  OffsetPlan bySize =
      placeInOrder(inOrder(sizes.size(), large), lifetimes, sizes);
  return bySize.bytes <= byTime.bytes ? bySize : byTime;
}

int64_t mostBytesInUse(ArrayRef<Lifetime> lifetimes, ArrayRef<int64_t> sizes) {
  std::map<int64_t, int64_t> changes;
  for (auto [lifetime, size] : llvm::zip_equal(lifetimes, sizes)) {
    changes[lifetime.first] += size;
    changes[lifetime.last + 1] -= size;
  }
  int64_t now = 0, most = 0;
  for (auto [when, change] : changes) {
    now += change;
    most = std::max(most, now);
  }
  return most;
}

std::vector<unsigned> planSlots(ArrayRef<Lifetime> lifetimes,
                                ArrayRef<int64_t> estimates) {
  /// Lifetimes of one slot, by their first moment.
  using Slot = std::map<int64_t, int64_t>;
  auto isFree = [](const Slot &slot, Lifetime lifetime) {
    auto next = slot.upper_bound(lifetime.last);
    return next == slot.begin() || std::prev(next)->second < lifetime.first;
  };
  std::vector<Slot> slots; // large ones first
  std::vector<unsigned> result(estimates.size());
  auto large = [&](unsigned buffer) { return -estimates[buffer]; };
  for (unsigned buffer : inOrder(estimates.size(), large)) {
    Lifetime lifetime = lifetimes[buffer];
    // The last that is free is the smallest.
    unsigned slot = slots.size();
    while (slot > 0 && !isFree(slots[slot - 1], lifetime))
      --slot;
    if (slot == 0) {
      slots.emplace_back();
      slot = slots.size();
    }
    slots[slot - 1][lifetime.first] = lifetime.last;
    result[buffer] = slot - 1;
  }
  return result;
}

} // namespace tilewright
