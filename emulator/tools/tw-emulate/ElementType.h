// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of kernel arguments: their types, as text and as bytes.

#ifndef TILEWRIGHT_TW_EMULATE_ELEMENTTYPE_H
#define TILEWRIGHT_TW_EMULATE_ELEMENTTYPE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace tilewright::emulator {

struct ElementType {
  enum Kind { Signed, Unsigned, Half, Bfloat, Float } kind;
  const char *name;
  unsigned bytes;
};

/// i8 to i64, u8 to u64, f16, bf16, f32, f64; null if it is none of them.
const ElementType *findElementType(llvm::StringRef name);
std::string elementTypeNames();

/// The bits of a number that is written in decimal (or in hexadecimal, for
/// integers); an error if the type cannot hold it.
llvm::Expected<uint64_t> parseElement(const ElementType &type,
                                      llvm::StringRef text);
uint64_t encodeElement(const ElementType &type, double value);
double decodeElement(const ElementType &type, const uint8_t *bytes);
/// As short as it can be without losing bits.
std::string printElement(const ElementType &type, const uint8_t *bytes);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_TW_EMULATE_ELEMENTTYPE_H
