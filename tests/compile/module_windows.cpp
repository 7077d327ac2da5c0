// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of random modules that look through windows.

#include <algorithm>

#include "tests/compile/module_program.h"

namespace tilewright::testing {

std::optional<ModuleMaker::Windows> ModuleMaker::windows(
    const ModuleTensor& value, size_t dim, int64_t size, int64_t stride,
    int64_t dilation) {
  int64_t reach = (size - 1) * dilation + 1;
  const ModuleDim& whole = value.shape[dim];
  if (whole.least() < reach) return std::nullopt;
  Windows result;
  result.count.isDynamic = whole.isDynamic;
  for (size_t call = 0; call < kModuleCalls; ++call)
    result.count.sizes[call] = (whole.sizes[call] - reach) / stride + 1;
  if (!whole.isDynamic) return result;
  result.text = arithmetic("subi", dimText(value, dim), indexConstant(reach));
  result.text = arithmetic("floordivsi", result.text, indexConstant(stride));
  result.text = arithmetic("addi", result.text, indexConstant(1));
  return result;
}

bool ModuleMaker::convolution() {
  const ModuleTensor* found = anyValue([](const ModuleTensor& value) {
    return value.rank() == 1 || value.rank() == 2 || value.rank() == 4;
  });
  if (!found) return false;
  ModuleTensor x = *found;
  // Of images, height and width lie between the batch and the channels.
  bool isImage = x.rank() == 4;
  if (isImage && x.shape[3].isDynamic) return false;
  size_t first = isImage ? 1 : 0, count = isImage ? 2 : x.rank();
  int64_t stride = isImage ? random_.between(1, 2) : 1;
  int64_t dilation = isImage ? random_.between(1, 2) : 1;
  Indices filter;
  ModuleTensor result;
  result.type = sumType(x);
  std::vector<std::string> sizes;
  for (size_t i = 0; i < count; ++i) {
    filter.push_back(random_.between(1, 3));
    std::optional<Windows> along =
        windows(x, first + i, filter.back(), stride, dilation);
    if (!along) return false;
    result.shape.push_back(along->count);
    sizes.push_back(along->text);
  }
  Indices window = filter;
  int64_t products = elementCount(window);
  std::string operation = count == 1 ? "linalg.conv_1d" : "linalg.conv_2d";
  if (isImage) {
    int64_t channels = x.shape[3].sizes[0];
    products *= std::max<int64_t>(1, channels);
    filter.insert(filter.end(), {channels, 2});
    operation = "linalg.conv_2d_nhwc_hwcf {dilations = dense<" +
                std::to_string(dilation) +
                "> : tensor<2xi64>, strides = dense<" + std::to_string(stride) +
                "> : tensor<2xi64>}";
    result.shape.insert(result.shape.begin(), x.shape[0]);
    result.shape.push_back(staticDim(2));
    sizes.insert(sizes.begin(), dimText(x, 0));
    sizes.push_back("");
  }
  int64_t bound = x.bound * kPatternBound * products;
  if (!isExact(x, bound) || !mayHave(result.shape)) return false;
  std::string weights = filterText(*x.type, filter);
  std::string dest = filledText(*result.type, result.shape, sizes, 0),
              name = fresh();
  ModuleTensor typed;
  typed.type = x.type;
  for (int64_t size : filter) typed.shape.push_back(staticDim(size));
  line(name + " = " + operation + " ins(" + x.name + ", " + weights + " : " +
       x.typeText() + ", " + typed.typeText() + ") outs(" + dest + " : " +
       result.typeText() + ") -> " + result.typeText());
  return add(isImage ? "conv_nhwc" : "conv", name, *result.type, result.shape,
             bound, [&](size_t call, const Indices& i) {
               int64_t sum = 0;
               forEachIndex(filter, [&](const Indices& tap) {
                 if (isImage && tap[3] != i[3]) return;
                 Indices from = i;
                 for (size_t dim = 0; dim < count; ++dim)
                   from[first + dim] =
                       i[first + dim] * stride + tap[dim] * dilation;
                 if (isImage) from[3] = tap[2];
                 sum = sumOf(sum, productOf(at(x, call, from), patternAt(tap)));
               });
               return sum;
             });
}

bool ModuleMaker::pooling() {
  const ModuleTensor* found =
      anyValue([](const ModuleTensor& value) { return value.rank() == 4; });
  if (!found) return false;
  ModuleTensor x = *found, result = x;
  bool isMax = random_.chance(0.5);
  int64_t stride = random_.between(1, 2);
  Indices window = {random_.between(1, 3), random_.between(1, 3)};
  std::vector<std::string> sizes = {dimText(x, 0), "", "", dimText(x, 3)};
  for (size_t i : {1, 2}) {
    std::optional<Windows> along = windows(x, i, window[i - 1], stride, 1);
    if (!along) return false;
    result.shape[i] = along->count;
    sizes[i] = along->text;
  }
  int64_t init = isMax ? -100 : 0;
  int64_t bound =
      isMax ? std::max<int64_t>(x.bound, 100) : x.bound * elementCount(window);
  if (!isExact(x, bound)) return false;
  std::string shape = emptyText(
      *x.type, {staticDim(window[0]), staticDim(window[1])}, {"", ""});
  std::string dest = filledText(*x.type, result.shape, sizes, init),
              name = fresh();
  line(name + " = linalg.pooling_nhwc_" + (isMax ? "max" : "sum") +
       " {dilations = dense<1> : tensor<2xi64>, strides = dense<" +
       std::to_string(stride) + "> : tensor<2xi64>} ins(" + x.name + ", " +
       shape + " : " + x.typeText() + ", tensor<" + std::to_string(window[0]) +
       "x" + std::to_string(window[1]) + "x" + x.type->mlir + ">) outs(" +
       dest + " : " + result.typeText() + ") -> " + result.typeText());
  return add(isMax ? "pooling_max" : "pooling_sum", name, *x.type, result.shape,
             bound, [&](size_t call, const Indices& i) {
               int64_t value = init;
               forEachIndex(window, [&](const Indices& tap) {
                 int64_t here = at(x, call,
                                   {i[0], i[1] * stride + tap[0],
                                    i[2] * stride + tap[1], i[3]});
                 value = isMax ? std::max(value, here) : value + here;
               });
               return value;
             });
}

}  // namespace tilewright::testing
