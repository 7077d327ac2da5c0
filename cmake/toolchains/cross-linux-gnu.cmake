# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What toolchain files of cross builds for Linux include: clang 22, lld 22, Debian's cross packages (libc6-dev-...-cross,
# libstdc++-12-dev-...-cross, gcc-...-linux-gnu), programs run by qemu-... of TW_CROSS_PROCESSOR. TW_SYSROOT may name
# another sysroot of the same layout. TilewrightCrossTests.cmake looks for the same programs.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${TW_CROSS_PROCESSOR})

set(TW_SYSROOT "/usr/${TW_CROSS_PROCESSOR}-linux-gnu" CACHE PATH "The cross packages' folder with the target's lib and include")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TW_SYSROOT)

set(CMAKE_C_COMPILER clang-22)
set(CMAKE_CXX_COMPILER clang++-22)
set(CMAKE_C_COMPILER_TARGET ${TW_CROSS_PROCESSOR}-linux-gnu)
set(CMAKE_CXX_COMPILER_TARGET ${TW_CROSS_PROCESSOR}-linux-gnu)
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

# Where `./dev setup` puts it (tests/cross/fetch_qemu.sh).
find_program(TW_QEMU NAMES qemu-${TW_CROSS_PROCESSOR} qemu-${TW_CROSS_PROCESSOR}-static HINTS "${CMAKE_CURRENT_LIST_DIR}/../../build/qemu")
mark_as_advanced(TW_QEMU)
if(TW_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${TW_QEMU}" -L "${TW_SYSROOT}")
endif()
