# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CPUs that are looked at: LLVM's names, whose scheduling model LLVM takes for each, and the
SVE vector length in bits (0: no SVE), which is a fact of the core and not of LLVM's tables."""

import functools
import re
import subprocess

# name: (the core that LLVM's model describes, SVE bits, note)
CPUS = {
    "cortex-a55": ("Cortex-A55", 0, ""),
    "cortex-a510": ("Cortex-A510", 128, "also LLVM's model of generic and cortex-a520"),
    "cortex-a76": ("Cortex-A57", 0, "another core's model; neoverse-n1 is nearer"),
    "cortex-a78": ("Cortex-A57", 0, "another core's model; neoverse-n1 is nearer"),
    "cortex-x1": ("Neoverse V1", 0, ""),
    "cortex-x2": ("Neoverse V2", 128, ""),
    "cortex-x3": ("Neoverse V2", 128, ""),
    "cortex-x4": ("Neoverse V3", 128, ""),
    "neoverse-n1": ("Neoverse N1", 0, ""),
    "neoverse-n2": ("Neoverse N2", 128, ""),
    "neoverse-n3": ("Neoverse N3", 128, ""),
    "neoverse-v1": ("Neoverse V1", 256, ""),
    "neoverse-v2": ("Neoverse V2", 128, ""),
    "neoverse-v3": ("Neoverse V3", 128, ""),
    "apple-m1": ("Cyclone", 0, "a much older core's model: three vector pipes instead of four"),
    "apple-m2": ("Cyclone", 0, "as apple-m1"),
    "apple-m3": ("Cyclone", 0, "as apple-m1"),
    "apple-m4": ("Cyclone", 0, "as apple-m1; LLVM has no timing of SME"),
    "a64fx": ("A64FX", 512, ""),
    "ampere1": ("Ampere1", 0, ""),
    "oryon-1": ("Oryon", 0, ""),
}

# The cores that an ISA level is meant for, of those with a model of their own: the first ones that
# have it and those it is mostly found on. The bounds are judged on these.
MEANT_FOR = {
    "generic": ["neoverse-n1"],
    "arm_64_base": ["neoverse-n1"],
    "arm_64_fullfp16": ["neoverse-n1"],
    "arm_64_dotprod": ["neoverse-n1"],
    "arm_64_fp16fml": ["neoverse-n2", "neoverse-v1"],
    "arm_64_bf16": ["neoverse-n2", "neoverse-v1"],
    "arm_64_i8mm": ["neoverse-n2", "neoverse-v1"],
    "arm_64_sve": ["neoverse-v1"],
    "arm_64_sve_bf16": ["neoverse-v1"],
    "arm_64_sve_i8mm": ["neoverse-v1"],
    "arm_64_sve2": ["neoverse-n2", "neoverse-v2"],
    "arm_64_sme": [],
    "arm_64_sme2": [],
}

# The names of cpu_features.def in what clang prints.
EXTENSIONS = {"neon": "AdvSIMD", "fullfp16": "FP16", "fp16fml": "FHM", "dotprod": "DotProd",
              "i8mm": "I8MM", "bf16": "BF16", "sve": "SVE", "sve2": "SVE2", "sme": "SME",
              "sme2": "SME2"}


@functools.lru_cache(maxsize=None)
def features(cpu, clang):
    """What `cpu` has, by the names of cpu_features.def, as clang knows it."""
    out = subprocess.run([clang, "--target=aarch64-linux-gnu", f"-mcpu={cpu}",
                          "--print-enabled-extensions"], capture_output=True, text=True, check=True)
    found = set(re.findall(r"\bFEAT_(\w+)", out.stdout))
    if not found:
        raise RuntimeError(f"{clang} prints no extension of {cpu}")
    return frozenset(name for name, feature in EXTENSIONS.items() if feature in found)


def model(cpu):
    return CPUS[cpu][0]


def vector_bits(cpu, isa):
    """Length of a vector that `vl` counts on `cpu`: SVE's for SVE levels, 128 elsewhere."""
    return CPUS[cpu][1] or 128 if "_sve" in isa else 128
