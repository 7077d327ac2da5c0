// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One mapping for all stacks; pages come into being when they are touched.

#include "Fiber.h"
#include "Sanitizer.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"
#include <sys/mman.h>

using namespace llvm;

namespace tilewright::emulator {

StackPool::StackPool(size_t stackBytes)
    : usable(alignTo(stackBytes, sys::Process::getPageSizeEstimate())),
      stride(usable + sys::Process::getPageSizeEstimate()) {}

void StackPool::release() {
  if (!base)
    return;
  sanitizer::forgetStack(base, count * stride);
  munmap(base, count * stride);
}

Error StackPool::reserve(size_t wanted) {
  if (wanted <= count)
    return Error::success();
  void *memory =
      mmap(nullptr, wanted * stride, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, 0);
  if (memory == MAP_FAILED)
    return createStringError("emulator: no memory for " + Twine(wanted) +
                             " stacks of " + Twine(usable) + " bytes");
  release();
  base = static_cast<char *>(memory);
  count = wanted;
  for (size_t i = 0; i < count; ++i)
    mprotect(base + i * stride, stride - usable, PROT_NONE);
  return Error::success();
}

} // namespace tilewright::emulator
