# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Tests of the passes (through tw-opt) and of the tool. Run by ctest; one file
# alone: lit -v <build folder>/tests/generator --filter <name>

import os

import lit.formats

config.name = "tilewright-generator"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["CMakeLists.txt", "Inputs"]
config.test_source_root = os.path.dirname(__file__)

config.environment["PATH"] = os.pathsep.join(
    [config.tilewright_bin, config.llvm_tools, config.environment["PATH"]]
)
config.substitutions.append(
    (
        "%{bitcode}",
        os.path.join(config.tilewright_bin, "../lib/tilewright/bitcode"),
    )
)
config.substitutions.append(("%{plugin}", config.tilewright_plugin))
# The loader's process would have to begin with the sanitizer's library.
if not config.sanitize:
    config.available_features.add("plugin")
# Tests neither read nor fill the user's cache.
config.environment["TILEWRIGHT_CACHE_DIR"] = os.path.join(
    config.test_exec_root, "cache"
)
# Nor depends what they expect on the CPU that they run on.
config.environment["TILEWRIGHT_TUNING"] = "none"
for variable in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]
