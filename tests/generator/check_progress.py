# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tool shows on a terminal while it works: check_progress.py <tilewright> <clang>

Inputs come through FIFOs, so that a command takes as long as it is to take without doing anything.
"""

import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

tool = clang = None
# More than any machine generates in a second; the run is ended as soon as it has said so.
NAMES = [f"tw_mmt4d_tile_f32f32f32_{m}x{n}x1_x86_64_avx512_base" for m in range(1, 101) for n in range(1, 41)]

NAMES_OF_ANY_CPU = [f"tw_mmt4d_tile_f32f32f32_{m}x4x1_generic" for m in (1, 2)]
MODEL = """func.func @product(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%fill : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}
"""
WIPE = "\r\x1b[K"


def screen(text):
    """The lines that stand on a terminal after `text`."""
    lines = [""]
    for part in re.split(r"(\r\n|\n|\r\x1b\[K)", text):
        if part in ("\n", "\r\n"):
            lines.append("")
        elif part == WIPE:
            lines[-1] = ""
        else:
            lines[-1] += re.sub(r"\x1b\[[0-9;]*m", "", part)
    return [line for line in lines if line]


class OnTerminal:
    """A process whose standard error is a terminal; all that it was sent."""

    def __init__(self, *arguments, cwd):
        master, slave = pty.openpty()
        self.process = subprocess.Popen([tool, *arguments], cwd=cwd, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=slave)
        os.close(slave)
        self.master, self.text = master, ""

    def read_until(self, wanted, seconds=30):
        """Whether `wanted`, a regular expression, was sent."""
        end = time.monotonic() + seconds
        while not re.search(wanted, self.text) and time.monotonic() < end:
            if not self.read(end - time.monotonic()):
                break
        return re.search(wanted, self.text) is not None

    def read(self, seconds):
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:  # all ends of it are closed
            return False
        self.text += data.decode()
        return bool(data)

    def end(self):
        """The exit status; all is read."""
        while self.read(60):
            pass
        os.close(self.master)
        return self.process.wait(60)


class Progress(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tilewright-progress-")
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        os.mkfifo(self.dir / "model.mlir")

    def feed(self):
        (self.dir / "model.mlir").write_text(MODEL)

    def test_a_command_that_takes_seconds_says_so_and_leaves_nothing(self):
        run = OnTerminal("compile", "model.mlir", "-o", "model.a", "--no-cache", cwd=self.dir)
        self.assertTrue(run.read_until("reading the model, 2 s"), run.text)
        self.feed()
        self.assertEqual(run.end(), 0, run.text)
        # Once a second, not before one has passed, each in the place of the one before.
        seconds = [int(found) for found in re.findall(r", (\d+) s", run.text)]
        self.assertEqual(seconds[0], 1, run.text)
        self.assertEqual(seconds, sorted(set(seconds)), run.text)
        self.assertEqual(screen(run.text), [], run.text)
        self.assertTrue(run.text.endswith(WIPE), run.text)

    def test_an_error_takes_the_place_of_the_line(self):
        run = OnTerminal("compile", "model.mlir", "-o", "model.a", cwd=self.dir)
        self.assertTrue(run.read_until("reading the model, 1 s"), run.text)
        (self.dir / "model.mlir").write_text("nonsense\n")
        self.assertEqual(run.end(), 1)
        shown = screen(run.text)
        self.assertEqual(len(shown), 1, run.text)
        self.assertTrue(shown[0].startswith("tilewright: error: "), run.text)

    def test_so_does_the_error_of_a_supervisor(self):
        run = OnTerminal("compile", "model.mlir", "-o", "model.a", cwd=self.dir)
        self.assertTrue(run.read_until("reading the model, 1 s"), run.text)
        children = pathlib.Path(f"/proc/{run.process.pid}/task/{run.process.pid}/children")
        for child in children.read_text().split():
            os.kill(int(child), signal.SIGSEGV)
        self.assertEqual(run.end(), 1)
        shown = screen(run.text)
        self.assertEqual(len(shown), 1, run.text)
        self.assertTrue(shown[0].startswith("tilewright: error: "), run.text)

    def test_nothing_is_shown_of_a_quick_command(self):
        threading.Timer(0.1, self.feed).start()
        run = OnTerminal("compile", "model.mlir", "-o", "model.a", "--no-cache", cwd=self.dir)
        started = time.monotonic()
        self.assertEqual(run.end(), 0, run.text)
        if time.monotonic() - started < 0.9:
            self.assertEqual(run.text, "")

    def test_nothing_is_shown_where_there_is_no_terminal(self):
        threading.Timer(1.5, self.feed).start()
        result = subprocess.run([tool, "compile", "model.mlir", "-o", "model.a", "--no-cache"], cwd=self.dir,
                                capture_output=True, timeout=60, check=True)
        self.assertEqual(result.stderr, b"")
        self.assertEqual(result.stdout, b"")

    def check_counted(self, pattern, *arguments):
        run = OnTerminal(*arguments, cwd=self.dir)
        self.assertTrue(run.read_until(pattern), run.text)
        run.process.send_signal(signal.SIGINT)
        self.assertEqual(run.end(), -signal.SIGINT)
        self.assertEqual(screen(run.text), [], run.text)

    def test_gen_counts_its_names(self):
        (self.dir / "names.txt").write_text("\n".join(NAMES))
        self.check_counted(rf"generating [0-9]+/{len(NAMES)}, 1 s",
                           "gen", "@names.txt", "-j1", "--no-cache", "-o", "out/")

    def test_bench_counts_its_tiles(self):
        # Rounds enough for minutes.
        self.check_counted(r"measuring 0/2, [123] s", "bench", *NAMES_OF_ANY_CPU, "--rounds=100000")

    def test_link_counts_its_tiles(self):
        declared = "".join(f"void {name}(void);\n" for name in NAMES)
        called = "".join(f"{name}();\n" for name in NAMES)
        (self.dir / "user.c").write_text(f"{declared}void user(void) {{ {called} }}\n")
        subprocess.run([clang, "-O0", "-c", "user.c"], cwd=self.dir, check=True)
        self.check_counted(rf"resolving tiles [0-9]+/{len(NAMES)}, [123] s",
                           "link", "user.o", "-o", "tiles.a", "-j1", "--no-cache", "--prefer=generated")


if __name__ == "__main__":
    tool, clang = (os.path.abspath(program) for program in sys.argv[1:3])
    del sys.argv[1:3]
    unittest.main()
