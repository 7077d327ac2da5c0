// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The K loop of a register block.

#include "WaveBlock.h"

#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright {

Values WaveBlock::kLoop(Values sums) {
  if (shape.stepsPerSpan > 1) {
    int steps = shape.stepsPerSpan;
    Value *perSpan = b.getInt64(steps);
    Value *whole = b.CreateLShr(tile.k, Log2_32(steps));
    auto at = [&](Value *index) { return SpanAt{b.CreateMul(index, perSpan)}; };
    sums = plan.ahead ? spansAhead(whole, sums, at)
                      : b.loop(whole, sums, [&](Value *index, Values carried) {
                          return span(carried, at(index));
                        });
    Value *rest =
        b.CreateAnd(b.CreateTrunc(tile.k, b.getInt32Ty()), b.word(steps - 1));
    return b.ifThen(b.CreateICmpNE(rest, b.word(0)), sums, [&] {
      SpanAt last = at(whole);
      last.steps = rest;
      return span(sums, last);
    });
  }
  if (plan.ahead) {
    int parts = shape.spansPerStep;
    return spansAhead(
        b.CreateMul(tile.k, b.getInt64(parts)), sums, [&](Value *index) {
          SpanAt at{b.CreateLShr(index, Log2_32(parts))};
          if (parts > 1)
            at.part = b.CreateAnd(b.CreateTrunc(index, b.getInt32Ty()),
                                  b.word(parts - 1));
          return at;
        });
  }
  bool cut = shape.paddedStep != key.k0;
  int whole = shape.spansPerStep - (cut ? 1 : 0);
  return b.loop(tile.k, sums, [&](Value *step, Values carried) {
    if (shape.spansPerStep == 1)
      return round(span(carried, {step}));
    auto part = [&](Values values, Value *index, bool last) {
      SpanAt at{step};
      at.part = index;
      at.last = last;
      return span(values, at);
    };
    if (whole > 0)
      carried =
          b.loop(b.word(whole), carried, [&](Value *index, Values values) {
            return part(values, index, false);
          });
    if (cut)
      carried = part(carried, b.word(whole), true);
    return round(carried);
  });
}

Values WaveBlock::spansAhead(Value *count, Values sums,
                             function_ref<SpanAt(Value *)> at) {
  // LLVM's scheduler would move loads behind the multiplications, to save
  // registers, and their waits in between.
  auto stageBoundary = [&] {
    b.CreateIntrinsic(Intrinsic::amdgcn_sched_barrier, {}, {b.word(0)});
  };
  Value *zero = b.getInt64(0), *one = b.getInt64(1);
  // Without K steps there is nothing to load, not even a first span.
  return b.ifThen(b.CreateICmpSGT(count, zero), sums, [&] {
    Loaded first = load(at(zero));
    Values carried = first.flat();
    size_t fragments = carried.size();
    carried.append(sums);
    Value *last = b.CreateSub(count, one);
    // Two spans at a time, so that no register has to be copied.
    Values all = b.loop(
        b.CreateLShr(count, 1), carried, [&](Value *index, Values values) {
          ArrayRef<Value *> present = values;
          Value *odd = b.CreateOr(b.CreateShl(index, 1), one);
          Loaded second = load(at(odd));
          stageBoundary();
          Values next =
              round(multiplySpan(Values(present.drop_front(fragments)),
                                 first.with(present.take_front(fragments))));
          stageBoundary();
          // The last span is loaded once more, for want of a next one.
          Values result =
              load(at(b.CreateBinaryIntrinsic(Intrinsic::smin,
                                              b.CreateAdd(odd, one), last)))
                  .flat();
          stageBoundary();
          result.append(round(multiplySpan(next, second)));
          stageBoundary();
          return result;
        });
    ArrayRef<Value *> rest = all;
    Values results(rest.drop_front(fragments));
    Value *isOdd = b.CreateTrunc(count, b.getInt1Ty());
    return b.ifThen(isOdd, results, [&] {
      return round(
          multiplySpan(results, first.with(rest.take_front(fragments))));
    });
  });
}

Values WaveBlock::Loaded::flat() const {
  Values all;
  for (const std::vector<RawElements> *side : {&lhs, &rhs})
    for (const RawElements &raw : *side)
      all.append(raw.units);
  for (const Values &scales : lhsScales)
    all.append(scales);
  all.append(rhsScales);
  return all;
}

WaveBlock::Loaded WaveBlock::Loaded::with(ArrayRef<Value *> values) const {
  Loaded result = *this;
  auto take = [&](Values &into) {
    into.assign(values.begin(), values.begin() + into.size());
    values = values.drop_front(into.size());
  };
  for (std::vector<RawElements> *side : {&result.lhs, &result.rhs})
    for (RawElements &raw : *side)
      take(raw.units);
  for (Values &scales : result.lhsScales)
    take(scales);
  take(result.rhsScales);
  return result;
}

WaveBlock::Loaded WaveBlock::load(const SpanAt &at) {
  Loaded loaded;
  for (int i = 0; i < plan.blockRows; ++i) {
    loaded.lhs.push_back(lhs.load(lhsOffsets[i], at));
    Values scales;
    if (shape.scaledMatrix)
      scales.push_back(lhs.scale(lhsRows[i], at));
    if (shape.scaledSums)
      for (Value *row : scaleRows[i])
        scales.push_back(lhs.scale(row, at));
    loaded.lhsScales.push_back(scales);
  }
  for (int j = 0; j < plan.blockColumns; ++j) {
    loaded.rhs.push_back(rhs.load(rhsOffsets[j], at));
    if (key.blockScaled)
      loaded.rhsScales.push_back(rhs.scale(rhsRows[j], at));
  }
  return loaded;
}

Values WaveBlock::multiplySpan(Values sums, const Loaded &loaded) {
  std::vector<Values> a, c;
  for (const RawElements &raw : loaded.lhs)
    a.push_back(lhs.convert(raw));
  for (const RawElements &raw : loaded.rhs)
    c.push_back(rhs.convert(raw));
  for (int i = 0; i < plan.blockRows; ++i)
    for (int j = 0; j < plan.blockColumns; ++j) {
      Value *&sum = sums[i * plan.blockColumns + j];
      Value *part =
          multiply(a[i], c[j],
                   shape.scaledSums ? Constant::getNullValue(sumType()) : sum,
                   shape.scaledMatrix ? loaded.lhsScales[i][0] : nullptr,
                   shape.scaledMatrix ? loaded.rhsScales[j] : nullptr);
      sum = shape.scaledSums
                ? addScaled(sum, part, loaded.lhsScales[i], loaded.rhsScales[j])
                : part;
    }
  // -128 in every byte.
  int next = plan.blockRows * plan.blockColumns;
  Values constant(shape.lhs.registers(plan.fragment), b.word(0x80808080));
  if (shape.lhs.biased)
    for (int j = 0; j < plan.blockColumns; ++j, ++next)
      sums[next] = multiply(constant, c[j], sums[next], nullptr, nullptr);
  if (shape.rhs.biased)
    for (int i = 0; i < plan.blockRows; ++i, ++next)
      sums[next] = multiply(a[i], constant, sums[next], nullptr, nullptr);
  return sums;
}

} // namespace tilewright
