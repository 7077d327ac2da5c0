// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What devices make of an encoding.

#ifndef TILEWRIGHT_COMPILE_EXPLAINENCODING_H
#define TILEWRIGHT_COMPILE_EXPLAINENCODING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

struct TargetCpu;

struct EncodingFacts {
  struct Loop {
    std::string kind;            ///< "batch", "m", "n", "k"
    std::optional<int64_t> size; ///< if it is known
  };
  struct Operand {
    std::string name;             ///< "lhs"
    std::string layout;           ///< "#tw.layout<...>"
    std::optional<int64_t> bytes; ///< if all sizes are known
  };
  struct DeviceFacts {
    std::string name;
    std::string tile; ///< empty without data tiling
    std::string why;  ///< ChosenTile::why
    std::vector<Operand> operands;
    std::optional<Operand> related; ///< of an encoding with `dims`
  };
  std::string encoding;
  std::vector<Loop> loops;
  std::vector<DeviceFacts> devices;
};

/// Whether `text` begins as an encoding does.
bool looksLikeEncoding(llvm::StringRef text);

/// `text` is `#tw.encoding<...>`; `devices` are names by parseTargetCpu, or
/// "none"; `tune` as registerDevices has it.
llvm::Expected<EncodingFacts>
explainEncoding(llvm::StringRef text, llvm::ArrayRef<std::string> devices,
                llvm::StringRef prefix,
                const std::function<void(TargetCpu &)> &tune);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILE_EXPLAINENCODING_H
