// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Vector operations beside the idiom's own.

#include "Decoding.h"
#include <algorithm>

namespace tilewright {

bool isConverted(tw_element_type_t type, ComputeType compute) {
  const ElementTypeInfo &element = info(type);
  return element.bits != 8 * bytesOf(compute) ||
         (compute == ComputeType::F32 && type != TW_ELEMENT_F32);
}

int decodeOps(tw_element_type_t type, ComputeType compute, int offset,
              const Machine &machine) {
  const ElementTypeInfo &element = info(type);
  int unpack = element.bits == 4 ? 4 : element.bits == 6 ? 4 : 0;
  if (element.kind != TW_ELEMENT_KIND_FLOAT) {
    int extend = 8 * bytesOf(compute) > std::max(element.bits, 8) ? 1 : 0;
    int sign = type == TW_ELEMENT_S4 ? (offset ? 1 : 2) : offset ? 1 : 0;
    // Shifts of two vectors' elements at a time, and a zip of each.
    if (machine.zipsNibbles && element.bits == 4)
      return (type == TW_ELEMENT_S4 ? 3 : 2) + extend;
    return unpack + sign + extend;
  }
  if (type == TW_ELEMENT_F32 || type == TW_ELEMENT_F64)
    return 0;
  if (type == TW_ELEMENT_BF16)
    return compute == ComputeType::BF16 ? 0 : machine.bf16Ops;
  if (compute == ComputeType::F16)
    return 0;
  return type == TW_ELEMENT_F16 ? machine.halfOps
                                : unpack + machine.halfOps + 6;
}

int splitOps(const OperandShape &operand, const TileShape &shape) {
  bool extends = operand.type == TW_ELEMENT_S4 && !operand.staged;
  return extends && shape.scaleBits == 0 ? 2 : 1;
}

int nibbleOps(tw_element_type_t type, const TileShape &shape,
              const Machine &machine) {
  bool isSigned = type == TW_ELEMENT_S4;
  if (shape.compute == ComputeType::S16)
    return isSigned ? 7 : 6;
  // vpternlogd masks and adds at once.
  int sign = (machine.hasTernaryLogic ? 0 : 1) + (shape.roles.offset ? 0 : 1);
  return 3 + (isSigned ? 2 * sign : 0);
}

int orderOps(const TileShape &shape, const IsaInfo &isa) {
  int bytes = shape.chunkSize * bytesOf(shape.compute);
  return bytes <= 16 ? 1 : 8 * bytes <= isa.vectorBits ? 3 : 10;
}

int emulatedOps(const TileShape &shape, const Machine &machine) {
  if (shape.compute != ComputeType::S32 || machine.multipliesS32)
    return 0;
  auto isSeenNarrow = [](const OperandShape &operand) {
    return operand.bits <= 16 && !operand.staged;
  };
  return isSeenNarrow(shape.broadcast) && isSeenNarrow(shape.vector) ? 0 : 5;
}

} // namespace tilewright
