// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_SUPPORT_NEAREST_H
#define TILEWRIGHT_SUPPORT_NEAREST_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace tilewright {

/// Finds what an unknown word was probably meant to be.
class Nearest {
public:
  /// Two slips make another spelling, three another word; in long words a third
  /// of the letters may be wrong.
  explicit Nearest(llvm::StringRef word);
  Nearest(llvm::StringRef word, unsigned slips) : word(word), slips(slips) {}

  /// Looks at one word that would have been right. Of equally near ones the
  /// first counts.
  void look(llvm::StringRef candidate);

  /// Empty if none was near. Refers to what was looked at.
  llvm::StringRef found() const;

  /// "; did you mean 'gen'?", or nothing.
  std::string question() const;

private:
  llvm::StringRef word;
  unsigned slips;
  llvm::StringRef nearest;
  /// The shortest that begins or ends with the word: a part of it was left out.
  llvm::StringRef longer;
};

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_NEAREST_H
