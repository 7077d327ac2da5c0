// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/tiles/checked_call.h"

#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <limits>

#include "tests/tiles/abi_trampoline.h"

namespace tilewright::testing {
namespace {

// State of the call in progress; tiles run one at a time.
sigjmp_buf faultReturn;
volatile sig_atomic_t callInProgress = 0;
volatile int faultSignal = 0;
void* volatile faultAddress = nullptr;

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};

void onFault(int signal, siginfo_t* information, void*) {
  if (!callInProgress) {
    // Not a tile's fault: let it kill the process as if we were not here.
    std::signal(signal, SIG_DFL);
    return;
  }
  faultSignal = signal;
  faultAddress = information->si_addr;
  siglongjmp(faultReturn, 1);
}

// On a stack of its own: the tile may have ruined the stack pointer.
void installHandlers() {
  static bool installed = false;
  if (installed) return;
  installed = true;
  static unsigned char memory[1 << 16];
  stack_t stack = {};
  stack.ss_size = sizeof(memory);
  stack.ss_sp = memory;
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (int signal : kSignals) sigaction(signal, &action, nullptr);
}

std::string describeAddress(uintptr_t address,
                            const std::vector<NamedRange>& ranges) {
  const NamedRange* nearest = nullptr;
  uintptr_t least = std::numeric_limits<uintptr_t>::max();
  for (const NamedRange& range : ranges) {
    const uintptr_t begin = reinterpret_cast<uintptr_t>(range.begin);
    const uintptr_t end = begin + range.size;
    const uintptr_t distance = address < begin ? begin - address
                               : address < end ? 0
                                               : address - end;
    if (distance < least) {
      least = distance;
      nearest = &range;
    }
  }
  // Farther than a few pages it is a wild pointer, none of the buffers'.
  if (!nearest || least > 1 << 16)
    return "at a wild address, or by an access that must be aligned";
  const uintptr_t begin = reinterpret_cast<uintptr_t>(nearest->begin);
  if (address < begin)
    return std::to_string(begin - address) + " bytes before " + nearest->name;
  if (address < begin + nearest->size) return "inside " + nearest->name;
  return std::to_string(address - begin - nearest->size) +
         " bytes past the end of " + nearest->name;
}

std::string describeFault(const std::vector<NamedRange>& ranges) {
  switch (faultSignal) {
    case SIGILL:
      return "illegal instruction";
    case SIGFPE:
      return "arithmetic exception";
    case SIGTRAP:
      return "trap";
    default:
      return "fault: it touched memory " +
             describeAddress(reinterpret_cast<uintptr_t>(faultAddress), ranges);
  }
}

}  // namespace

std::string callTile(tw_mmt4d_tile_fn_t fn, void* out, const void* lhs,
                     const void* rhs, const tw_mmt4d_params_t* params,
                     const std::vector<NamedRange>& ranges) {
  installHandlers();
  if (sigsetjmp(faultReturn, 1) != 0) {
    callInProgress = 0;
    restoreControlState();
    return describeFault(ranges);
  }
  callInProgress = 1;
  callThroughTrampoline(fn, out, lhs, rhs, params);
  callInProgress = 0;
  return trampolineVerdict();
}

}  // namespace tilewright::testing
