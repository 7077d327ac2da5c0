# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tool says of tiles and of the AMD GPUs that it generates code for."""

import functools
import json
import subprocess


def listed(tool, *arguments):
    """What `tilewright list` says, as JSON."""
    done = subprocess.run([tool, "list", *arguments, "--json"], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{tool} list {' '.join(arguments)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def by_age(gfx):
    return len(gfx), gfx


@functools.lru_cache
def machines(tool):
    """{"gfx90a": what such a GPU has, ...}, oldest first."""
    found = {isa["name"].removeprefix("amdgpu_"): isa["amdgpu"] for isa in listed(tool, "isas") if "amdgpu" in isa}
    return {gfx: found[gfx] for gfx in sorted(found, key=by_age)}


def check_targets(parser, tool, targets):
    """Ends the program where one of `targets` is unknown to the tool."""
    known = machines(tool)
    for gfx in targets:
        if gfx not in known:
            parser.error(f"no code is generated for '{gfx}'; expected one of {', '.join(known)}")
