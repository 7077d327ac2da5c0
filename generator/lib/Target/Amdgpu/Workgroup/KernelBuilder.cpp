// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace tilewright {
namespace {

int wordCount(Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? vector.getNumElements() : 1;
}

/// The fourth word of a raw buffer's descriptor: 32-bit data, and from gfx11
/// on bounds that count bytes, as LLVM's own buffers have it.
int64_t bufferFlags(tw_isa_t isa) {
  constexpr int64_t kWord = (7 << 12) | (4 << 15);
  constexpr int64_t kByteBounds = (1 << 24) | (3 << 28);
  return info(isa).vectorBits == 64 * 32 ? kWord : kWord | kByteBounds;
}

} // namespace

Value KernelBuilder::extractWords(Value value, int first, int count) {
  if (wordCount(value) == count)
    return value;
  if (count == 1)
    return LLVM::ExtractElementOp::create(b, loc, value, c32(first));
  auto mask = llvm::to_vector(llvm::seq<int32_t>(first, first + count));
  return LLVM::ShuffleVectorOp::create(b, loc, value, value, mask);
}

Value KernelBuilder::concatWords(ArrayRef<Value> values) {
  if (values.size() == 1)
    return values.front();
  int each = wordCount(values.front());
  Type type = words(each * values.size());
  Value result = LLVM::PoisonOp::create(b, loc, type);
  for (auto [i, value] : llvm::enumerate(values))
    for (int word = 0; word != each; ++word)
      result = LLVM::InsertElementOp::create(
          b, loc, result, extractWords(value, word, 1), c32(i * each + word));
  return result;
}

ArrayAttr KernelBuilder::directReads() {
  if (!scopes) {
    auto domain = LLVM::AliasScopeDomainAttr::get(b.getContext());
    Attribute scope = LLVM::AliasScopeAttr::get(domain);
    scopes = b.getArrayAttr(scope);
  }
  return scopes;
}

Value KernelBuilder::buffer(Value base) {
  return ROCDL::MakeBufferRsrcOp::create(b, loc, pointer(8), base,
                                         constant(b.getI16Type(), 0),
                                         c64(kNoOffset), c32(bufferFlags(isa)));
}

Value KernelBuilder::bufferLoad(Type type, Value buffer, Value offset,
                                Value uniformOffset) {
  return ROCDL::RawPtrBufferLoadOp::create(b, loc, type, buffer, offset,
                                           uniformOffset, c32(0), ArrayAttr(),
                                           ArrayAttr(), ArrayAttr());
}

} // namespace tilewright
