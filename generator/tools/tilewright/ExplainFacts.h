// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `tilewright explain` says of any function: who can run it, whether it is
// in the cache.

#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_EXPLAINFACTS_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_EXPLAINFACTS_H

#include "tilewright/Resolve/Resolve.h"
#include "llvm/Support/JSON.h"

namespace tilewright {

struct CpuFacts {
  std::vector<std::string> missingFeatures;
  bool otherArchitecture = false;

  bool runsIt() const { return !otherArchitecture && missingFeatures.empty(); }
  std::string text() const;
};

/// Of this machine's CPU.
CpuFacts lookAtCpu(const IsaInfo &isa);

struct CacheFacts {
  bool bitcode = false, object = false;
  std::string where; ///< empty if not asked

  bool any() const { return bitcode || object; }
  std::string text() const;
};

CacheFacts lookAtCache(const FunctionKey &key, const ResolveOptions &options);

/// Prints what a pack function does, or adds it to `into`.
llvm::Error explainPack(const PackKey &key, const ResolveOptions &options,
                        llvm::json::Array *into);

/// Prints what `devices` make of the encoding `text`, or adds it to `into`.
llvm::Error explainEncoding(const std::string &text,
                            llvm::ArrayRef<std::string> devices,
                            llvm::StringRef prefix,
                            const ResolveOptions &options,
                            llvm::json::Array *into);

} // namespace tilewright

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_EXPLAINFACTS_H
