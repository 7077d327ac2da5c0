# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What supervision costs: pairs of runs with and without it, in either order. supervision_cost.py <tilewright> [pairs]

Prints medians in ms. No test: it says something on a quiet machine only; CPU time still does on a busy one.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

NAME = "tw_mmt4d_tile_f32f32f32_5x7x1_x86_64_avx2_fma"


def run(command, environment):
    """Wall-clock and CPU time, of parent and child together."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return 1e3 * wall, 1e3 * cpu


def main():
    tool, pairs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 200
    with tempfile.TemporaryDirectory() as folder:
        on = dict(os.environ, TILEWRIGHT_CACHE_DIR=os.path.join(folder, "cache"), TILEWRIGHT_NO_SUPERVISION="")
        off = dict(on, TILEWRIGHT_NO_SUPERVISION="1")
        output = os.path.join(folder, "tile.o")
        for label, arguments in (("list", ["list"]), ("gen", ["gen", NAME, "--no-cache", "-o", output]),
                                 ("gen, cached", ["gen", NAME, "-o", output])):
            command = [tool] + arguments
            run(command, on)  # warm
            rows = []
            for i in range(pairs):
                first = run(command, off if i % 2 else on)
                second = run(command, on if i % 2 else off)
                rows.append((first, second) if i % 2 else (second, first))
            for what, column in (("wall", 0), ("cpu", 1)):
                without = statistics.median(pair[0][column] for pair in rows)
                more = statistics.median(pair[1][column] - pair[0][column] for pair in rows)
                print(f"{label:12} {what:4}  without {without:7.2f} ms, supervision {more:+6.2f} ms "
                      f"(bound {2 + without / 10:.2f})")


if __name__ == "__main__":
    main()
