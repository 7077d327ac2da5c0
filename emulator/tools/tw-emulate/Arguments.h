// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel arguments, as they are written on the command line.

#ifndef TILEWRIGHT_TW_EMULATE_ARGUMENTS_H
#define TILEWRIGHT_TW_EMULATE_ARGUMENTS_H

#include "ElementType.h"
#include "tilewright/Emulator/Emulator.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace tilewright::emulator {

struct BufferArgument {
  std::string name;
  const ElementType *type = nullptr;
  Access access = Access::ReadOnly;
  std::vector<uint8_t> initial, data;
  bool print = false;
  std::string from, to, expect; ///< files
  double tolerance = 0;

  size_t count() const { return data.size() / type->bytes; }
};

struct Argument {
  /// A scalar's bytes, or a struct's; empty for a buffer.
  std::vector<uint8_t> bytes;
  std::string from; ///< the file that they were read from
  unsigned alignment = 1;
  int buffer = -1; ///< which one of Arguments::buffers
};

struct Arguments {
  std::vector<Argument> list;
  std::vector<BufferArgument> buffers;

  /// The kernarg segment: each at its alignment.
  std::vector<uint8_t> segment() const;
  /// One word for each, for a function that is called on a wave; an error if
  /// one is wider.
  llvm::Expected<std::vector<uint64_t>> words() const;
  void restore();
};

/// See --help for what can stand there. Errors quote the text.
llvm::Expected<Arguments> parseArguments(llvm::ArrayRef<const char *> texts);

/// "3 of 256 differ; first [17]: 2.5, expected 3", or nothing.
llvm::Expected<std::string> compareWithExpected(const BufferArgument &buffer);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_TW_EMULATE_ARGUMENTS_H
