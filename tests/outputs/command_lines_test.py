#!/usr/bin/env python3
# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Command lines whose outputs are special files, links, or inputs and outputs at once, and what is there afterwards.

Each row of ROWS runs in a new folder with the inputs of commands.py and out.o, an older output. What a row does not
speak of must be as before; a command that fails says so in one line on standard error.
"""

import dataclasses
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys

import commands
from commands import KERNEL, OTHER_TILE, TILE

OLD = b"what was here before\n"
FULL = "No space left on device"
CLOSED = 107  # far from what the programs open
LOST = "cannot write standard output: "


@dataclasses.dataclass
class Row:
    """`line` is for bash; tw, emulate and bench are the programs, $dev is a folder like /dev, $closed a
    descriptor: the end of a pipe that nobody reads.

    `after` says what must be there: "path=new" (a file with other bytes, or one that was not there), "path=link:text",
    "path=device", "path=fifo", "path=folder", "path=0640" (these mode bits too). `status` is that of the line.
    """
    line: str
    after: str = ""
    status: int = 0
    message: str = ""
    before: str = ""  # what bash does first
    root: bool = False  # only root can set it up


EMULATE = "emulate scale.bc --kernel scale --grid 2 --schedules 1 --args in:f32x100:iota"
ROWS = [
    # Special files are written to, and stay.
    Row(f"tw gen {TILE} -o $dev/full", status=1, message=f"/full': {FULL}"),
    Row(f"tw gen {TILE} -o link", status=1, message=f"'link': {FULL}", before="ln -s $dev/full link"),
    Row(f"tw gen {TILE} -o $dev/null"),
    Row(f"tw gen {TILE} -o null", "null=device", before="mknod null c 1 3", root=True),
    Row(f"tw gen {TILE} -o full", "full=device", 1, f"'full': {FULL}", "mknod full c 1 7", root=True),
    Row(f"cat fifo > got & tw gen {TILE} -o fifo; s=$?; wait; exit $s", "fifo=fifo got=new", before="mkfifo fifo"),
    Row(f"cat fifo > got & tw gen {TILE} -o link; s=$?; wait; exit $s", "fifo=fifo link=link:fifo got=new",
        before="mkfifo fifo; ln -s fifo link"),
    Row(f"tw gen --emit=asm {TILE} -o $dev/stdout | cat > got", "got=new"),
    Row(f"tw gen {TILE} -o $dev/stdout > got", "got=new"),
    Row(f"{{ echo first; tw gen --emit=plan {TILE} -o $dev/stdout; }} > got; head -1 got", "got=new", message="first"),
    Row(f"tw gen {TILE} -o $dev/fd/5 5> got", "got=new"),
    Row(f"tw gen {TILE} -o /proc/self/fd/5 5> got", "got=new"),
    Row(f"echo first > got; tw gen --emit=plan {TILE} -o $dev/fd/5 5>> got; head -1 got", "got=new", message="first"),
    Row(f"tw gen {TILE} -o $dev/fd/9", status=1, message="/fd/9': Bad file descriptor"),
    Row(f"tw gen {TILE} -o $dev/fd/5 5< user.o", status=1, message="/fd/5': Bad file descriptor"),
    Row(f"tw gen {TILE} -o >(cat > got); sleep 0.2", "got=new"),
    Row("tw link user.o -o $dev/null --report=text --report-file=$dev/null"),
    Row("tw link user.o -o tiles.a --report=text --report-file=$dev/stderr 2> got", "tiles.a=new got=new"),
    Row("tw link user.o -o out.o --report=text --report-file=$dev/full", status=1, message=f"/full': {FULL}"),
    Row("tw compile e.mlir -o e.a --emit-header=$dev/full", status=1, message=f"/full': {FULL}"),
    Row("tw compile e.mlir -o e.a --emit-header=$dev/null", "e.a=new"),
    Row("tw compile e.mlir -o out.o --report=text > $dev/full", status=1, message=LOST + FULL),
    Row(EMULATE + " out:f32x100:to=$dev/full f32:2 i32:100", status=2, message=f"/full': {FULL}"),
    Row(EMULATE + " out:f32x100:to=$dev/stdout f32:2 i32:100 > got", "got=new"),

    # Standard output.
    Row(f"tw gen {TILE} -o - > got", "got=new"),
    Row(f"tw gen --emit=plan {TILE} > $dev/full", status=1, message=LOST + FULL),
    Row(f"tw gen {TILE} -o out.o --json > $dev/full", status=1, message=LOST + FULL),
    Row("tw link user.o -o out.o --report=json > $dev/full", status=1, message=LOST + FULL),
    Row("tw list > $dev/full", status=1, message=LOST + FULL),
    Row("tw list types --json > $dev/full", status=1, message=LOST + FULL),
    Row(f"tw explain {TILE} > $dev/full", status=1, message=LOST + FULL),
    Row("tw cache stats > $dev/full", status=1, message=LOST + FULL),
    Row("tw gen --help > $dev/full", status=1, message=FULL),
    Row("tw --version > $dev/full", status=1, message=FULL),
    Row("emulate scale.bc --list > $dev/full", status=2, message=LOST + FULL),
    Row(EMULATE + " out:f32x100:to=out.o f32:2 i32:100 > $dev/full", status=2, message=LOST + FULL),
    Row("tw list >&$closed", status=1, message=LOST + "Broken pipe"),
    Row(f"tw gen {OTHER_TILE} --emit=asm -o $dev/fd/$closed", status=1, message="': Broken pipe"),
    Row("trap '' PIPE; tw list >&$closed", status=1, message=LOST + "Broken pipe"),
    Row("tw link user.o -o out.o --report=text >&$closed", status=1,
        message=LOST + "Broken pipe"),
    Row("tw list >&-", status=1, message=LOST + "Bad file descriptor"),
    Row(f"tw gen {TILE} -o out.o >&-", "out.o=new"),
    Row(f"tw gen {TILE} -o out.o <&- >&- 2>&-", "out.o=new"),

    # Links are written through, and stay.
    Row(f"tw gen {TILE} -o link.o", "link.o=link:out.o out.o=new", before="ln -s out.o link.o"),
    Row(f"tw gen {TILE} -o a/link.o", "a/link.o=link:../out.o out.o=new", before="mkdir a; ln -s ../out.o a/link.o"),
    Row(f"tw gen {TILE} -o one", "one=link:two two=link:out.o out.o=new", before="ln -s two one; ln -s out.o two"),
    Row(f"tw gen {TILE} -o link.o", "link.o=link:new.o new.o=new", before="ln -s new.o link.o"),
    Row(f"tw gen {TILE} -o link.o", status=1, message="'link.o': No such file", before="ln -s no/new.o link.o"),
    Row(f"tw gen {TILE} -o loop", status=1, message="'loop': Too many levels of symbolic links",
        before="ln -s pool loop; ln -s loop pool"),
    Row(f"tw gen {TILE} {OTHER_TILE} -o dir", f"dir=link:real real/{TILE}.o=new real/{OTHER_TILE}.o=new",
        before="mkdir real; ln -s real dir"),
    Row("tw link user.o -o tiles.a --report=text --report-file=link", "link=link:out.o out.o=new tiles.a=new",
        before="ln -s out.o link"),
    Row(f"tw gen {TILE} -o out.o", "out.o=new", before="ln out.o other.o"),  # other.o keeps the old bytes

    # Mode bits and owner are kept; a new file's are the umask's.
    Row(f"tw gen {TILE} -o out.o", "out.o=new out.o=0640", before="chmod 640 out.o"),
    Row(f"tw gen {TILE} -o out.o", "out.o=new out.o=4755", before="chmod 4755 out.o"),
    Row(f"umask 027; tw gen {TILE} -o new.o", "new.o=new new.o=0640"),
    Row(f"tw gen {TILE} -o out.o; stat -c owner:%u:%g out.o", "out.o=new", message="owner:1234:4321",
        before="chown 1234:4321 out.o", root=True),

    # What cannot be an output.
    Row(f"tw gen {TILE} -o e.mlir/x.o", status=1, message="'e.mlir/x.o': Not a directory"),
    Row(f"tw gen {TILE} -o no/x.o", status=1, message="'no/x.o': No such file or directory"),
    Row(f"tw gen {TILE} {OTHER_TILE} -o out.o", status=1, message="'out.o' is a file"),
    Row(f"tw gen {TILE} --plan=zzz -o new/dir/", status=1, message="plan part 'zzz'"),
    Row("tw link user.o -o inputs", status=1, message="'inputs': Is a directory", before="mkdir inputs"),

    # An output that is an input or another output.
    Row("tw compile e.mlir -o e.a --emit-header=e.mlir", status=1, message="'e.mlir' is an input"),
    Row("tw compile e.mlir -o ./e.mlir --emit=linalg", status=1, message="'./e.mlir' is an input"),
    Row("tw compile e.a -o e.a", status=1, message="'e.a' is an input", before="cp e.mlir e.a"),
    Row("tw compile - -o e.a < e.a", status=1, message="'e.a' is an input", before="cp e.mlir e.a"),
    Row("tw compile e.mlir -o e.a --emit-header=./e.a", status=1, message="'e.a' and './e.a' are the same file"),
    Row("tw compile e.mlir -o e.a --emit-header=link", status=1, message="are the same file",
        before="ln -s e.a link"),
    Row("tw compile e.mlir -o out.o --emit-header=hard", status=1, message="are the same file", before="ln out.o hard"),
    Row("tw link user.o -o user.o", status=1, message="'user.o' is an input"),
    Row("tw link user.o -o $PWD/user.o", status=1, message="is an input"),
    Row("tw link user.o -o a/../user.o", status=1, message="is an input", before="mkdir a"),
    Row("tw link user.o -o hard.o", status=1, message="'hard.o' is an input", before="ln user.o hard.o"),
    Row("tw link user.o -o link.o", status=1, message="'link.o' is an input", before="ln -s user.o link.o"),
    Row("tw link link.o -o user.o", status=1, message="'user.o' is an input", before="ln -s user.o link.o"),
    Row("tw link user.o -o tiles.a --report=text --report-file=user.o", status=1, message="'user.o' is an input"),
    Row("tw link user.o -o a.a --report=text --report-file=a.a", status=1, message="are the same file"),
    Row("tw link user.o -o a.a --report=text --report-file=./a.a", status=1, message="are the same file"),
    Row("tw link user.o -o a.a --report=text > a.a", "a.a=new", 1, "are the same file"),
    Row("tw link user.o --provided-by=lib.a -o lib.a", status=1, message="'lib.a' is an input"),
    Row("tw link thin.a -o user.o", status=1, message="'user.o' is an input"),
    Row("tw link @list -o list", status=1, message="'list' is an input", before="echo user.o > list"),
    Row("tw gen @names.txt -o names.txt", status=1, message="'names.txt' is an input"),
    Row("tw gen - -o names.txt < names.txt", status=1, message="'names.txt' is an input"),
    Row("tw link --with-inputs lib.a -o lib.a", "lib.a=new"),
    Row("tw link --with-inputs lib.a -o link.a", "lib.a=new link.a=link:lib.a", before="ln -s lib.a link.a"),
    Row("tw link --with-inputs lib.a -o lib.a --report=text --report-file=lib.a", status=1, message="is an input"),
    Row(EMULATE + " out:f32x100:to=scale.bc f32:2 i32:100", status=2, message="'scale.bc' is an input"),
    Row(EMULATE + " out:f32x100:to=a out:f32x100:to=./a f32:2 i32:100", status=2, message="are the same file"),
    Row("tw link user.o -o - --report=text", status=1, message="cannot both go to standard output"),

    # The benchmarks.
    Row("bench --benchmark_filter=xmm --json=$dev/full", status=2, message=f"/full': {FULL}"),
    Row("bench --benchmark_filter=xmm --json=link", "link=link:out.o out.o=new", before="ln -s out.o link"),
    Row("bench --benchmark_filter=xmm --json=$dev/stdout > got", "got=new"),
    Row("bench --benchmark_filter=xmm --json > $dev/full", status=2, message=LOST + FULL),
    Row("bench --benchmark_filter=xmm --json >&$closed", status=2, message=LOST + "Broken pipe"),
]


def found_at(path):
    if not os.path.lexists(path):
        return "absent"
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode):
        return "link:" + os.readlink(path)
    return {stat.S_IFIFO: "fifo", stat.S_IFCHR: "device", stat.S_IFDIR: "folder"}.get(stat.S_IFMT(mode), "file")


class Test:

    def __init__(self, options):
        self.options = options
        self.inputs = commands.make_inputs(options)
        self.said = ""
        self.dev = self.make_devices()
        read, write = os.pipe()
        os.dup2(write, CLOSED)
        os.close(read)
        os.close(write)

    def make_devices(self):
        """For root a folder of its own: what a fault deletes must not be the system's."""
        self.is_root = os.geteuid() == 0
        dev = self.options.work / "dev"
        shutil.rmtree(dev, ignore_errors=True)
        dev.mkdir()
        try:
            for name, minor in ("null", 3), ("full", 7):
                os.mknod(dev / name, 0o666 | stat.S_IFCHR, os.makedev(1, minor))
        except PermissionError:
            if self.is_root:
                print("SKIPPED: root may make no devices here, and the system's are not risked")
                sys.exit(commands.SKIPPED)
            return pathlib.Path("/dev")
        for name, to in ("fd", ""), ("stdout", "1"), ("stderr", "2"):
            (dev / name).symlink_to(f"/proc/self/fd/{to}")
        return dev

    def bash(self, line, folder):
        programs = "".join(f"{name}() {{ {program} \"$@\"; }}\n" for name, program in (
            ("tw", self.options.tilewright), ("emulate", self.options.emulate), ("bench", self.options.bench)))
        environment = commands.environment(self.options, dev=str(self.dev), closed=str(CLOSED))
        with subprocess.Popen(["bash", "-c", programs + line], cwd=folder, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, pass_fds=[CLOSED],
                              start_new_session=True) as shell:
            try:
                output, errors = shell.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                os.killpg(shell.pid, signal.SIGKILL)  # what it started in the background, too
                output, errors = shell.communicate()
            return shell.returncode, output.decode(errors="replace"), errors.decode(errors="replace")

    def problems(self, row):
        self.dev = self.make_devices()
        folder = self.options.work / "here"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.inputs, folder)
        (folder / "out.o").write_bytes(OLD)
        status, output, errors = self.bash(row.before, folder)
        if status:
            yield f"could not be set up: {errors}"
            return
        before = commands.snapshot(folder)
        status, output, errors = self.bash(row.line, folder)
        self.said = output + errors
        if status != row.status:
            yield f"exit status {status}"
        if row.message not in errors + output:
            yield f"does not say {row.message!r}"
        if row.status and len(errors.splitlines()) != 1 and not row.line.startswith(("bench", "emulate")):
            yield "more than one line"
        if "Stack dump" in errors:
            yield "crashed"
        after = commands.snapshot(folder)
        spoken_of = set()
        for part in row.after.split():
            path, expected = part.split("=", 1)
            spoken_of.add(path)
            found = found_at(folder / path)
            if expected == "new":
                if found != "file" or after[path] == before.get(path):
                    yield f"{path} is not new but {found}"
            elif re.fullmatch("[0-7]{4}", expected):
                mode = stat.S_IMODE(os.lstat(folder / path).st_mode)
                if mode != int(expected, 8):
                    yield f"{path} has mode {mode:o}"
            elif found != expected:
                yield f"{path} is not {expected} but {found}"
        for path in sorted({*before, *after} - spoken_of):
            if before.get(path) != after.get(path):
                yield f"{path} " + ("is left behind" if path not in before else
                                    "is gone" if path not in after else "has changed")
        if any(found_at(self.dev / name) != "device" for name in ("null", "full")):
            yield "a device is gone"


def main():
    options = commands.arguments(__doc__).parse_args()
    test = Test(options)
    ran = failed = 0
    skipped = []
    for row in ROWS:
        if row.root and not test.is_root or row.line.startswith("bench") and not options.bench:
            skipped.append(row.line)
            continue
        ran += 1
        problems = list(test.problems(row))
        if problems:
            failed += 1
            print(f"FAILED: {row.line}\n  " + "\n  ".join(problems) + f"\n  it said: {test.said}")
    for line in skipped:
        print(f"SKIPPED: {line}")
    print(f"{ran} command lines, {failed} failed, {len(skipped)} skipped")
    return 1 if failed or ran < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
