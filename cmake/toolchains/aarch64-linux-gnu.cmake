# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Cross builds for aarch64 Linux.

set(TW_CROSS_PROCESSOR aarch64)
include("${CMAKE_CURRENT_LIST_DIR}/cross-linux-gnu.cmake")
