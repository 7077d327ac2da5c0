// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a contraction computes with.

#include <cstring>

#include "tests/compile/contraction_program.h"
#include "tests/tiles/element_codec.h"

namespace tilewright::testing {

int64_t elementsOf(const ContractionOperand& operand, const Extents& extents) {
  int64_t count = 1;
  for (char letter : operand.indices) count *= extents.at(letter);
  return count;
}

std::vector<int64_t> operandValues(const ContractionProgram& program,
                                   const ContractionOperand& operand,
                                   size_t call) {
  bool isLhs = &operand == &program.passedLhs(),
       isRhs = &operand == &program.passedRhs();
  const Element& element = isLhs   ? *program.types.lhs
                           : isRhs ? *program.types.rhs
                                   : *program.types.out;
  if (operand.isConstant) call = 0;
  bool isAddend = program.addend && &operand == &*program.addend;
  Random random(program.dataSeed + 3 * call +
                (isLhs   ? 0
                 : isRhs ? 1
                         : 2) +
                (isAddend ? 1 << 20 : 0));
  std::vector<int64_t> values(
      static_cast<size_t>(elementsOf(operand, program.calls[call])));
  for (int64_t& value : values) {
    uint64_t bits = random.next();
    int range = program.types.range;
    if (element.kind == Element::kFloat) {
      value =
          static_cast<int64_t>(bits % static_cast<uint64_t>(2 * range + 1)) -
          range;
      continue;
    }
    // The extremes overflow first.
    if (bits % 16 < 2)
      bits = (element.kind == Element::kUnsigned ? ~uint64_t{0}
                                                 : uint64_t{1} << 63) >>
             (bits % 2);
    value = element.kind == Element::kUnsigned
                ? static_cast<int64_t>(bits >> (64 - element.bits))
                : static_cast<int64_t>(bits) >> (64 - element.bits);
  }
  return values;
}

std::vector<uint8_t> encodeValues(const Element& element,
                                  const std::vector<int64_t>& values) {
  size_t size = element.bytes();
  std::vector<uint8_t> bytes(values.size() * size);
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t bits =
        element.kind == Element::kFloat
            ? encodeFloat(element.type, static_cast<double>(values[i]))
            : static_cast<uint64_t>(values[i]);
    std::memcpy(bytes.data() + i * size, &bits, size);
  }
  return bytes;
}

}  // namespace tilewright::testing
