// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From sums of groups, beside each other in vectors, to those of rows.

#include "BroadcastSums.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright {

Value BroadcastSums::zeros() {
  int64_t bytes = Emitter::bytesOf(accumulatorType);
  Value buffer = stackBuffer(shape.correctionVectors * bytes);
  Value zero = e.zero(accumulatorType);
  e.loop(e.i64(0), e.i64(shape.correctionVectors * bytes), bytes, {},
         [&](Value at, Values) -> Values {
           e.store(zero, e.offset(buffer, at), 4);
           return {};
         });
  return buffer;
}

void BroadcastSums::pass(Value sums) {
  int64_t width = plan.lanes * shape.group;
  Values all(1 + shape.correctionVectors, e.zero(accumulatorType));
  all[0] = position.broadcast;
  auto steps = [&](int64_t count, Values in) {
    int64_t total = count * rows * shape.rowPitch;
    Values next = {offset(in[0], times(position.broadcastStride, count))};
    for (int v = 0; v < shape.correctionVectors; ++v) {
      Value sum = in[1 + v];
      int64_t first = v * width, valid = std::min(width, total - first);
      if (valid > 0) {
        Value at = e.offset(in[0], first * broadcastFormat.bits() / 8);
        addToSums(decode(e, broadcastFormat,
                         loadRaw(e, broadcastFormat, at, width, valid)),
                  sum);
      }
      next.push_back(sum);
    }
    return next;
  };
  all = loopTogether(params.k, shape.correctionSteps, all, steps);
  Value vectors =
      stackBuffer(shape.correctionVectors * Emitter::bytesOf(accumulatorType));
  sumUp(Values(llvm::drop_begin(all)), vectors, sums);
}

Value BroadcastSums::ofRows(llvm::ArrayRef<Value> carried) {
  if (plan.sums == SumsIn::Pass)
    return position.sums;
  if (plan.sums == SumsIn::Stage) {
    Values vectors;
    int64_t bytes = Emitter::bytesOf(accumulatorType);
    for (int i = 0; i < shape.correctionVectors; ++i)
      vectors.push_back(
          e.load(accumulatorType, e.offset(position.sums, i * bytes), 4));
    sumUp(vectors, position.sums, position.sums);
    return position.sums;
  }
  if (carried.empty())
    return nullptr;
  Value sums = stackBuffer(carried.size() * Emitter::bytesOf(accumulatorType));
  sumUp(Values(carried), sums, sums);
  return sums;
}

void BroadcastSums::store(llvm::ArrayRef<Value> vectors, Value buffer) {
  int64_t bytes = Emitter::bytesOf(accumulatorType);
  for (auto [i, vector] : llvm::enumerate(vectors))
    e.store(vector, e.offset(buffer, i * bytes), 4);
}

/// Sums of `steps` K steps [K step][row][group] -> of fewer, as many as the
/// least of whole vectors holds, or a part of one that is no less than 16
/// bytes.
Emitter::Values BroadcastSums::addSteps(Values vectors, int &steps) const {
  int lanes = static_cast<int>(Emitter::bytesOf(accumulatorType) / 4);
  int each = rows * (shape.rowPitch / shape.group);
  bool fills = each % lanes == 0 || lanes % each == 0;
  if (!fills || steps * each != static_cast<int>(vectors.size()) * lanes)
    return vectors;
  int period = std::max(each / lanes, 1);
  for (size_t i = period; i < vectors.size(); ++i)
    vectors[i % period] = e.add(vectors[i % period], vectors[i]);
  vectors.resize(period);
  steps = period * lanes / each;
  for (; steps % 2 == 0 && lanes > 4; steps /= 2) {
    lanes /= 2;
    vectors[0] =
        e.add(e.slice(vectors[0], 0, lanes), e.slice(vectors[0], lanes, lanes));
  }
  return vectors;
}

/// `vectors` [K step][row][group] -> `sums` of rows, by way of `buffer`, which
/// may be the same place: row r's goes where group r was, never ahead of what
/// is yet to read.
void BroadcastSums::sumUp(const Values &vectors, Value buffer, Value sums) {
  int groups = shape.rowPitch / shape.group, steps = shape.correctionSteps;
  Values added = plan.stageRuns ? addSteps(vectors, steps) : vectors;
  // Into whole vectors, for which `sums` has no room elsewhere.
  if (llvm::isPowerOf2_32(groups) && steps == 1 && buffer == sums)
    return store(reduceLanes(added, groups), sums);
  store(added, buffer);
  Type i32 = e.integer(32);
  e.loop(e.i64(0), e.i64(rows), 1, {}, [&](Value row, Values) -> Values {
    Value at = e.offset(buffer, e.mul(row, e.i64(4 * groups)));
    Value sum;
    for (int t = 0; t < steps; ++t)
      for (int g = 0; g < groups; ++g) {
        int64_t group = t * rows * groups + g;
        Value part = e.load(i32, e.offset(at, 4 * group), 4);
        sum = sum ? e.add(sum, part) : part;
      }
    e.store(sum, e.offset(sums, e.mul(row, e.i64(4))), 4);
    return {};
  });
}

} // namespace tilewright
