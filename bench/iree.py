# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How iree-compile is called for the CPU at hand, by whoever measures beside it."""

# At O3 a layer norm wants more stack than it allows by default.
STACK = "--iree-llvmcpu-stack-allocation-limit=262144"
# What its documents call its best is not always the fastest.
IREE_SETTINGS = {"": [], "without data tiling": ["--iree-opt-data-tiling=false"], "O3": ["--iree-opt-level=O3", STACK],
                 "O3 without data tiling": ["--iree-opt-level=O3", "--iree-opt-data-tiling=false", STACK]}
IREE_HOST = ["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
             "--iree-llvmcpu-target-cpu=host"]
