# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Cross builds for riscv64 Linux.

set(TW_CROSS_PROCESSOR riscv64)
include("${CMAKE_CURRENT_LIST_DIR}/cross-linux-gnu.cmake")
