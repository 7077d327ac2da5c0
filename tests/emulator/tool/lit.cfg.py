# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests of tw-emulate. Run by ctest; one file alone:
# lit -v <build folder>/tests/emulator/tool --filter <name>

import os

import lit.formats

config.name = "tw-emulate"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test"]
config.test_source_root = os.path.dirname(__file__)
config.environment["PATH"] = os.pathsep.join(
    [config.tilewright_bin, config.llvm_tools, config.environment["PATH"]]
)
config.substitutions.append(("%kernels", config.kernels))
for variable in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]
