// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Support/Supervise.h"

#ifndef __linux__

void tilewright::supervise(llvm::StringRef, int, char **) {}

#else

#include "Board.h"
#include "tilewright/Support/Activity.h"
#include "tilewright/Support/Messages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace tilewright {
namespace {

/// What the code itself can bring upon the child.
constexpr int crashes[] = {SIGILL, SIGTRAP, SIGABRT, SIGFPE,
                           SIGBUS, SIGSEGV, SIGSYS};

/// By which others end it for what it costs; people end programs by the rest.
struct Limit {
  int signal;
  const char *why;
};
constexpr Limit limits[] = {
    {SIGKILL, ", perhaps for want of memory"}, {SIGXCPU, ""}, {SIGXFSZ, ""}};

/// Those that would have LLVM print its stack dump, or end the child before it
/// has removed its temporary files.
constexpr int silenced[] = {SIGQUIT, SIGXCPU, SIGXFSZ, SIGPIPE};

/// What the parent passes on, if it was not ignored from the beginning.
constexpr int forwarded[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
                             SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};

bool isIgnored(int signal) {
  struct sigaction action;
  return sigaction(signal, nullptr, &action) == 0 &&
         action.sa_handler == SIG_IGN;
}

//===----------------------------------------------------------------------===//
// In the child.
//===----------------------------------------------------------------------===//

/// Where the main thread's stack cannot grow any further; 0: nowhere.
uintptr_t stackEnd = 0;

void findStackEnd() {
  rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    stackEnd = reinterpret_cast<uintptr_t>(&limit) - limit.rlim_cur;
}

/// On the signal stack, in a process that may be in any state: notes, removes,
/// and lets the signal end the process.
void onCrash(int signal, siginfo_t *info, void *) {
  constexpr uintptr_t nearby = 1 << 20;
  Board *board = Board::get();
  if (is_contained(crashes, signal))
    board->crashedThread = get_threadid();
  uintptr_t end = reinterpret_cast<uintptr_t>(info->si_addr) - stackEnd;
  board->stackOverflow =
      signal == SIGSEGV && stackEnd && (end < nearby || end > -nearby);
  sys::RunInterruptHandlers(); // SA_RESETHAND: a second signal ends it at once
  ::raise(signal);
}

void prepareChild(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) // it died before that
    ::raise(SIGTERM);
  sys::Process::PreventCoreFiles();
  findStackEnd();
  // LLVM installs its handlers and this thread's signal stack once: now, so
  // that they do not replace ours. Its stack dump helps nobody whose file is
  // damaged.
  sys::AddSignalHandler([](void *) {}, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = onCrash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (int signal : crashes)
    sigaction(signal, &action, nullptr);
  for (int signal : silenced)
    if (!isIgnored(signal))
      sigaction(signal, &action, nullptr);
}

//===----------------------------------------------------------------------===//
// In the parent.
//===----------------------------------------------------------------------===//

/// What the dead child left on the board.
struct Note {
  unsigned kind;
  const Board::Slot *slot;
};

/// Of activities, oldest first.
SmallVector<Note> notes() {
  SmallVector<Note> result;
  const Board &board = *Board::get();
  for (int i = 0; i < Board::kSlots; ++i) {
    unsigned kind = board.kinds[i];
    if (kind != Board::kFree && kind != Board::kClaimed)
      result.push_back({kind, &board.slots[i]});
  }
  sort(result, [](const Note &a, const Note &b) {
    return a.slot->order < b.slot->order;
  });
  return result;
}

/// What the child was at: what the thread that crashed was; if nobody knows
/// which did, the file that was read last, else all tiles.
std::string sentence(StringRef command, Activity::End end, StringRef how) {
  using Kind = Activity::Kind;
  SmallVector<Note> all = notes();
  uint64_t crashed = Board::get()->crashedThread;
  if (crashed)
    erase_if(all, [&](Note &note) { return note.slot->thread != crashed; });
  if (all.empty())
    return Activity::failure(Kind::None, command, "", end, how);
  Note last = all.back();
  if (!crashed)
    for (const Note &note : all)
      if (note.kind == static_cast<unsigned>(Kind::Reading))
        last = note;
  if (last.kind != static_cast<unsigned>(Kind::Generating))
    return Activity::failure(static_cast<Kind>(last.kind), last.slot->name,
                             last.slot->detail, end, how);
  if (crashed)
    all = {last};
  std::string text = Activity::failure(
      Kind::Generating,
      join(map_range(all, [](Note &note) { return note.slot->name; }), ", "),
      "", end, how);
  return end == Activity::End::Outside
             ? text
             : ("internal error in '" + command + "': " + text).str();
}

/// What the child would have removed, or what its handler missed: while one
/// thread goes over LLVM's list, another may still make a file.
void removeTemporaries() {
  SmallVector<StringRef> paths = Board::temporaries();
  for (StringRef path : reverse(paths)) // which keeps no list of its own
    sys::fs::remove(path);
}

[[noreturn]] void dieOf(int signal, const sigset_t &original) {
  sys::Process::PreventCoreFiles();
  ::signal(signal, SIG_DFL);
  ::raise(signal); // pending until it is unblocked
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  sigprocmask(SIG_SETMASK, &original, nullptr);
  _exit(128 + signal);
}

[[noreturn]] void endAs(int status, StringRef tool, StringRef command,
                        const sigset_t &original) {
  removeTemporaries();
  if (WIFEXITED(status))
    _exit(WEXITSTATUS(status));
  // The child's line of progress (Progress.h), which it could not take away.
  if (errs().is_displayed())
    errs() << "\r\x1b[K";
  int signal = WTERMSIG(status);
  std::string how =
      ("with signal " + Twine(signal) + " (" + strsignal(signal) + ")").str();
  auto *limit = find_if(limits, [&](auto &l) { return l.signal == signal; });
  if (is_contained(crashes, signal)) {
    auto end = Board::get()->stackOverflow ? Activity::End::StackOverflow
                                           : Activity::End::Crash;
    printError(tool, sentence(command, end, how));
  } else if (limit != std::end(limits)) {
    printError(tool,
               sentence(command, Activity::End::Outside, how + limit->why));
  } else {
    dieOf(signal, original);
  }
  _exit(1);
}

/// Stops this process as if it were alone: not in a group that nobody would
/// continue, where the child goes on too (POSIX: an orphaned process group).
void stop() {
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, SIGTSTP);
  ::raise(SIGTSTP); // pending until it is unblocked
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  sigprocmask(SIG_BLOCK, &only, nullptr);
}

[[noreturn]] void watch(pid_t child, const sigset_t &signals,
                        const sigset_t &original, StringRef tool,
                        StringRef command) {
  for (;;) {
    siginfo_t info;
    int signal = sigwaitinfo(&signals, &info);
    int status = 0;
    if (signal == SIGCHLD && waitpid(child, &status, WNOHANG) == child)
      endAs(status, tool, command, original);
    if (signal <= 0 || signal == SIGCHLD)
      continue;
    // What a terminal sends, it sends to both.
    if (info.si_code != SI_KERNEL)
      kill(child, signal);
    if (signal == SIGTSTP)
      stop();
  }
}

/// "tilewright gen"; arguments that are no command are nobody's business.
std::string commandName(StringRef tool, int argc, char **argv) {
  if (argc < 2 || argv[1][0] == '-' || !all_of(StringRef(argv[1]), isAlpha))
    return tool.str();
  return (tool + " " + argv[1]).str();
}

} // namespace

void supervise(StringRef tool, int argc, char **argv) {
  const char *off = std::getenv("TILEWRIGHT_NO_SUPERVISION");
  if ((off && *off) || !Board::open())
    return;
  // All are blocked while there are two processes that could take them wrongly;
  // the parent never handles one, it asks for them.
  sigset_t signals, original;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  for (int signal : forwarded)
    if (!isIgnored(signal))
      sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, &original);
  // A parent that ignores it would never learn how its child ended.
  auto *onChild = ::signal(SIGCHLD, SIG_DFL);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child > 0)
    watch(child, signals, original, tool, commandName(tool, argc, argv));
  ::signal(SIGCHLD, onChild);
  if (child == 0)
    prepareChild(parent);
  sigprocmask(SIG_SETMASK, &original, nullptr);
}

} // namespace tilewright

#endif // __linux__
