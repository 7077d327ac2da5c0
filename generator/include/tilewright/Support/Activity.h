// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread is at, announced before the work that may not come back: for
// messages when LLVM ends the process (FatalErrors.h, Supervise.h).

#ifndef TILEWRIGHT_SUPPORT_ACTIVITY_H
#define TILEWRIGHT_SUPPORT_ACTIVITY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/PrettyStackTrace.h"
#include <string>

namespace tilewright {

/// Says, while it lives, what the calling thread is at. They nest; the
/// innermost one counts.
class Activity {
public:
  enum class Kind : unsigned { None, Reading, Working, Generating };
  /// What ended it: the activity itself, its depth, somebody else (or a want of
  /// memory or time), or LLVM's own refusal.
  enum class End { Crash, StackOverflow, Outside, Fatal };

  Activity(const Activity &) = delete;
  Activity &operator=(const Activity &) = delete;

  /// Why it did not end well. `how` follows "ended": "with signal 11", "for
  /// want of memory"; or says LLVM's reason.
  std::string failure(End end, llvm::StringRef how) const;
  static std::string failure(Kind kind, llvm::StringRef name,
                             llvm::StringRef detail, End end,
                             llvm::StringRef how);

  /// That of the calling thread; null if there is none.
  static const Activity *current();

  const std::string name;

protected:
  Activity(Kind kind, llvm::StringRef name, llvm::StringRef detail);
  ~Activity();

private:
  const Kind kind;
  const std::string detail;
  const llvm::PrettyStackTraceString entry; ///< in LLVM's stack dumps
  const Activity *const outer;
  const int slot; ///< on the supervisor's board
};

/// Parses the file, or member of an archive, `name`; `expected` says what would
/// be accepted.
struct ReadingInput : Activity {
  ReadingInput(llvm::StringRef name, llvm::StringRef expected)
      : Activity(Kind::Reading, name, expected) {}
};

/// Works on what was read from the file `name`: `doing` is "compiling it".
struct WorkingOnInput : Activity {
  WorkingOnInput(llvm::StringRef name, llvm::StringRef doing)
      : Activity(Kind::Working, name, doing) {}
};

/// Generates, or takes from a library, the tile or kernel `name`.
struct CurrentTile : Activity {
  explicit CurrentTile(llvm::StringRef name)
      : Activity(Kind::Generating, name, "") {}
};

/// Says, while it lives, that the file or empty directory `path` belongs to
/// this process alone: under supervision it goes if the process dies.
class OwnTemporary {
public:
  explicit OwnTemporary(llvm::StringRef path);
  OwnTemporary(OwnTemporary &&other) : note(other.note) { other.note = -1; }
  ~OwnTemporary();

private:
  int64_t note; ///< on the supervisor's board
};

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_ACTIVITY_H
