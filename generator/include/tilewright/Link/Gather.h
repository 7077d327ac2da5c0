// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tile and pack functions the inputs want: their undefined symbols.

#ifndef TILEWRIGHT_LINK_GATHER_H
#define TILEWRIGHT_LINK_GATHER_H

#include "tilewright/Link/InputFiles.h"
#include "tilewright/pack_key.h"
#include "llvm/TargetParser/Triple.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tilewright {

/// One name that the inputs use and do not define. The same key under two
/// prefixes is two names.
struct WantedTile {
  std::string name;
  FunctionKey key;
  std::string prefix;
  unsigned references = 0; ///< modules with this undefined symbol
  std::string firstUser;   ///< InputModule::id of the first of them
  /// An ELF object refers to it: its callers cannot be seen.
  bool fromObject = false;
};

struct Wanted {
  std::vector<WantedTile> tiles; ///< in order of first appearance
  /// The support functions (Registry.h) that models want, by name, and whether
  /// an ELF object does.
  std::map<std::string, bool> support;
  unsigned references = 0; ///< undefined tile symbols over all modules
  unsigned modules = 0;    ///< bitcode modules and objects looked at
  unsigned duplicates = 0; ///< inputs that were given more than once
  unsigned provided = 0;   ///< names left to GatherOptions::providers
  /// Prefixes that names of the modules have, wanted or not, and those that
  /// undefined names have and were not asked for.
  std::set<std::string> foundPrefixes, otherPrefixes;
  /// What the modules are for; UnknownArch without modules.
  llvm::Triple::ArchType arch = llvm::Triple::UnknownArch;
};

struct GatherOptions {
  /// Name prefixes that are accepted: "tw", "iree_uk".
  std::vector<std::string> prefixes = {std::string(kDefaultPrefix)};
  /// Of these names the keys are not read off them. May be null.
  const std::map<std::string, FunctionKey> *known = nullptr;
  /// Names that these define are not wanted; their undefined symbols are not
  /// looked at. Typically libtilewright.a. May be null.
  const InputFiles *providers = nullptr;
};

/// Reads the undefined symbols of all modules, no function body. As for any
/// linker, a weak undefined symbol asks for nothing, and a name that any module
/// defines is not wanted. Errors are joined, each naming the file (and member):
/// a tile name that does not parse, a module for another architecture than the
/// name's or the other modules', malformed contents, an object that holds only
/// GCC's intermediate code.
llvm::Expected<Wanted> gatherWanted(const InputFiles &inputs,
                                    const GatherOptions &options = {});

} // namespace tilewright

#endif // TILEWRIGHT_LINK_GATHER_H
