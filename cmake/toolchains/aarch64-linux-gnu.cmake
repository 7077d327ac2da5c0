# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Cross builds for AArch64 Linux: clang 22, lld 22, Debian's cross packages (libc6-dev-arm64-cross,
# libstdc++-12-dev-arm64-cross, gcc-aarch64-linux-gnu), programs run by qemu-aarch64. TW_SYSROOT may name another
# sysroot of the same layout. TilewrightArm64Tests.cmake looks for the same programs.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

set(TW_SYSROOT "/usr/aarch64-linux-gnu" CACHE PATH "The cross packages' folder with the target's lib and include")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TW_SYSROOT)

set(CMAKE_C_COMPILER clang-22)
set(CMAKE_CXX_COMPILER clang++-22)
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
foreach(kind IN ITEMS EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-fuse-ld=lld-22")
endforeach()

# No CMAKE_SYSROOT: Debian's cross packages are no sysroot in the compiler's sense (their linker scripts name absolute
# paths); clang finds them by the target's name.
set(CMAKE_FIND_ROOT_PATH "${TW_SYSROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# Where `./dev setup` puts it (tests/arm_64/fetch_qemu.sh).
find_program(TW_QEMU_AARCH64 NAMES qemu-aarch64 qemu-aarch64-static HINTS "${CMAKE_CURRENT_LIST_DIR}/../../build/qemu")
mark_as_advanced(TW_QEMU_AARCH64)
if(TW_QEMU_AARCH64)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${TW_QEMU_AARCH64}" -L "${TW_SYSROOT}")
endif()
