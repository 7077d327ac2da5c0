# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damaged bitcode, objects, archives and models, one at a time, to the tools that read them.

However a file is damaged, a tool ends by itself and in time; it refuses the file, in lines of which each says so, names
it and holds no control character, and leaves nothing behind; or it finds nothing wrong and does its work.

Case i of a seed is the same wherever it runs: --only i repeats it and keeps the file.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import threading

import mutators

TILE = "tw_mmt4d_tile_f32f32f32_5x7x1_generic"
HAND_WRITTEN = "tw_mmt4d_tile_f32f32f32_8x8x1_x86_64_avx2_fma"
DEVICE = "tw_mmt4d_tile_f16f16f32_16x16x16_amdgpu_gfx942"

USER = f"""
typedef struct {{ long a, b; double c[4]; }} thing;
void {TILE}(void *, const void *, const void *, const void *);
static thing table[3] = {{{{1, 2, {{3}}}}}};
__attribute__((weak)) int helper(thing *t, int n) {{ return n < 2 ? t->a : helper(t + 1, n - 1) + t->b; }}
long user(void *o, void *l, void *r, void *p, int n) {{
  for (int i = 0; i < n; ++i) {TILE}(o, l, r, p);
  switch (n) {{ case 1: return table[0].a; case 5: return 7; case 9: return helper(table, n); default: return n * 3.5; }}
}}
"""
ASSEMBLY = '__asm__(".globl anything\\nanything:\\n.quad tw_mmt4d_tile_f32f32f32_5x7x1_generic\\n");'

MODELS = {
    "matmul": """
func.func @f(%a: tensor<7x5xf32>, %b: tensor<5x9xf32>) -> tensor<7x9xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x9xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<7x9xf32>) -> tensor<7x9xf32>
  %r = linalg.matmul ins(%a, %b : tensor<7x5xf32>, tensor<5x9xf32>) outs(%i : tensor<7x9xf32>) -> tensor<7x9xf32>
  return %r : tensor<7x9xf32>
}
""",
    "constants": """
#row = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>
module {
  func.func @layer(%x: tensor<?x4xf32>) -> tensor<?x3xf32> {
    %w = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [0.5, 0.25, 0.125]]> : tensor<4x3xf32>
    %bias = arith.constant dense<"0x0000803F0000004000004040"> : tensor<3xf32>
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x4xf32>
    %e = tensor.empty(%n) : tensor<?x3xf32>
    %b = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
        ins(%bias : tensor<3xf32>) outs(%e : tensor<?x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<?x3xf32>
    %y = linalg.matmul ins(%x, %w : tensor<?x4xf32>, tensor<4x3xf32>) outs(%b : tensor<?x3xf32>) -> tensor<?x3xf32>
    return %y : tensor<?x3xf32>
  }
}
""",
    "batch": """
func.func private @g(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %e = math.exp %x : tensor<2x3x4xf32>
  return %e : tensor<2x3x4xf32>
}
func.func @f(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %n: index) -> tensor<2x3x5xf32> {
  %c = func.call @g(%a) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %z = arith.constant dense<0.0> : tensor<2x3x5xf32>
  %r = linalg.batch_matmul ins(%c, %b : tensor<2x3x4xf32>, tensor<2x4x5xf32>)
      outs(%z : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %r : tensor<2x3x5xf32>
}
""",
}

# By kind of file: the arguments, how often, and what is written. F is the file, O a folder for outputs, U an object.
COMMANDS = {
    "bitcode": [(4, "tilewright link F -o O/out.a"), (3, "tilewright link F -o O/out.o --emit=obj"),
                (3, "tilewright link F -o O/out.bc --emit=bitcode --inline"),
                (2, "tilewright link U F -o O/out.a --with-inputs"),
                (1, "tilewright link U --provided-by=F -o O/out.a")],
    "object": [(5, "tilewright link F -o O/out.a"), (1, "tilewright link F -o O/out.o --emit=obj"),
               (3, "tilewright link U F -o O/out.a --with-inputs"),
               (1, "tilewright link U --provided-by=F -o O/out.a")],
    "model": [(5, "tilewright compile F -o O/out.a --emit-header=O/out.h"),
              (3, "tilewright compile F --emit=calls -o O/out.mlir"),
              (1, "tilewright compile F -o O/out.o --inline --target=x86_64_avx2_fma"),
              (2, "tw-opt F -canonicalize -cse -o O/out.mlir")],
    "library": [(1, f"tilewright gen {HAND_WRITTEN} --prefer=hand-written --no-cache --bitcode-dir=D -o O/out.o")],
    "device": [(1, "tw-emulate F --list"), (1, "tilewright link F -o O/out.a")],
}
COMMANDS["archive"] = COMMANDS["bitcode"]
MUTATED_AS = {"library": "bitcode"}


class Seeds:
    """The undamaged files, made by the tool and the compiler from what stands above."""

    def __init__(self, options, folder):
        self.options, self.folder, self.files = options, folder, collections.defaultdict(list)
        folder.mkdir(parents=True, exist_ok=True)
        tool, clang, ar = options.bin / "tilewright", options.clang, options.ar
        self.write("user.c", USER)
        self.write("asm.c", ASSEMBLY + USER)
        for name, flags in (("user", "-O1"), ("debug", "-O1 -g"), ("plain", "-O0"), ("asm", "-O2"),
                            ("arm", "-O1 --target=aarch64-linux-gnu")):
            source = "asm.c" if name == "asm" else "user.c"
            self.make(f"{name}.bc", clang, *flags.split(), "-emit-llvm", "-c", source, "-o", f"{name}.bc")
            self.make(f"{name}.o", clang, *flags.split(), "-c", source, "-o", f"{name}.o")
            self.add("bitcode", f"{name}.bc")
            self.add("object", f"{name}.o")
        self.make("tile.bc", tool, "gen", TILE, "--emit=bitcode", "-o", "tile.bc")
        self.make("linked.bc", tool, "link", "debug.bc", "--emit=bitcode", "-o", "linked.bc")
        bitcode = (folder / "user.bc").read_bytes()
        (folder / "wrapped.bc").write_bytes(b"".join(
            word.to_bytes(4, "little") for word in (0x0B17C0DE, 0, 20, len(bitcode), 0x01000007)) + bitcode)
        (folder / "two.bc").write_bytes(bitcode + (folder / "tile.bc").read_bytes())
        for name, text in MODELS.items():
            self.write(f"{name}.mlir", text)
            self.add("model", f"{name}.mlir")
        self.make("model.o", tool, "compile", "constants.mlir", "-o", "model.o", "--target=x86_64_avx2_fma")
        self.make("model.bc", tool, "compile", "constants.mlir", "-o", "model.bc", "--target=x86_64_avx2_fma")
        self.make("model.a", tool, "compile", "matmul.mlir", "-o", "model.a", "--target=x86_64_avx2_fma")
        self.make("a_name_of_more_than_sixteen_letters.o", "cp", "debug.o", "a_name_of_more_than_sixteen_letters.o")
        self.make("objects.a", ar, "qc", "objects.a", "user.o", "asm.o", "a_name_of_more_than_sixteen_letters.o")
        self.make("bitcode.a", ar, "qc", "bitcode.a", "user.bc", "tile.bc", "debug.bc")
        self.make("bsd.a", ar, "--format=bsd", "-qc", "bsd.a", "user.o", "a_name_of_more_than_sixteen_letters.o")
        self.make("thin.a", ar, "--thin", "-qc", "thin.a", "user.o", "plain.o")
        self.make("device.hsaco", tool, "gen", DEVICE, "--emit=hsaco", "-o", "device.hsaco")
        for kind, names in (("bitcode", "tile linked model wrapped two"), ("object", "model"),
                            ("archive", "model objects bitcode bsd thin")):
            suffix = {"bitcode": ".bc", "object": ".o", "archive": ".a"}[kind]
            for name in names.split():
                self.add(kind, name + suffix)
        self.add("device", "device.hsaco")
        isa = re.sub(r".*_(x86_64_\w+)$", r"\1", HAND_WRITTEN)
        library = options.bin.parent / "lib/tilewright/bitcode" / f"tilewright_ukernels_{isa}.bc"
        self.files["library"].append((library.name, library.read_bytes()))

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def make(self, name, *command):
        (self.folder / name).unlink(missing_ok=True)
        subprocess.run([str(word) for word in command], cwd=self.folder, check=True, env=environment(self.options))

    def add(self, kind, name):
        self.files[kind].append((name, (self.folder / name).read_bytes()))


def environment(options):
    sanitizers = {"ASAN_OPTIONS": "detect_leaks=0:handle_segv=0:handle_abort=0:handle_sigbus=0:handle_sigfpe=0:"
                                  "handle_sigill=0:allow_user_poisoning=0:allocator_may_return_null=1:"
                                  "max_allocation_size_mb=4096:exitcode=66",
                  "UBSAN_OPTIONS": "print_stacktrace=1"}
    return dict(os.environ, TILEWRIGHT_CACHE_DIR=str(options.work / "cache"), LC_ALL="C",
                **(sanitizers if options.sanitized else {}))


class Failure(Exception):
    pass


class Runner:
    KINDS = ("bitcode",) * 8 + ("object",) * 4 + ("archive",) * 4 + ("model",) * 6 + ("library", "device")

    def __init__(self, options):
        self.options = options
        self.seeds = Seeds(options, options.work / "seeds")
        self.local = threading.local()
        self.counts = collections.Counter()
        self.lock = threading.Lock()

    def count(self, what):
        with self.lock:
            self.counts[what] += 1

    def case(self, index):
        """Runs a case; the sentence of what is wrong, or None."""
        rng = random.Random(f"damaged_inputs/{self.options.seed}/{index}")
        kind = rng.choice(self.KINDS)
        name, data = rng.choice(self.seeds.files[kind])
        others = [other for _, other in self.seeds.files[kind]]
        damaged, how = mutators.mutate(rng, MUTATED_AS.get(kind, "object" if kind == "device" else kind), data, others)
        weights = [weight for weight, _ in COMMANDS[kind]]
        command = rng.choices([text for _, text in COMMANDS[kind]], weights)[0]
        folder = self.options.work / f"run{threading.get_ident()}"
        for part in ("in", "out", "tmp"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        # A thin archive's members lie beside it.
        for member in ("user.o", "plain.o"):
            if not (folder / "in" / member).exists():
                (folder / "in" / member).write_bytes((self.seeds.folder / member).read_bytes())
        file = folder / "in" / (name if kind == "library" else "damaged-" + name)
        file.write_bytes(damaged)
        try:
            self.run(kind, command, file, folder)
            return None
        except Failure as failure:
            kept = self.options.work / f"case{index}-{file.name}"
            kept.write_bytes(damaged)
            return f"case {index} ({name}: {how}), {command}, kept as {kept}: {failure}"
        finally:
            file.unlink()
            for part in ("out", "tmp"):
                for left in (folder / part).iterdir():
                    if not left.is_dir():
                        left.unlink()

    def run(self, kind, command, file, folder):
        places = {"F": str(file), "U": str(self.seeds.folder / "user.o"), "D": str(file.parent)}
        words = command.split()
        words = [str(self.options.bin / words[0])] + [
            re.sub(r"^(-.*=)?([FUD])$", lambda m: (m[1] or "") + places[m[2]], word).replace("O/", f"{folder}/out/")
            for word in words[1:]]
        limit = self.options.timeout
        try:
            result = subprocess.run(words, capture_output=True, timeout=limit, check=False, cwd=folder,
                                    env=dict(environment(self.options), TMPDIR=str(folder / "tmp")),
                                    stdin=subprocess.DEVNULL, preexec_fn=self.limits)
        except subprocess.TimeoutExpired:
            self.count("hangs")
            raise Failure(f"not done after {limit} s") from None
        errors = result.stderr.decode(errors="surrogateescape")
        self.judge(kind, words, result.returncode, errors, file, folder)

    def limits(self):
        # What a damaged size asks for shall not be this machine's memory.
        if not self.options.sanitized:
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))

    def judge(self, kind, words, status, errors, file, folder):
        tool = pathlib.Path(words[0]).name
        # What malloc says when it is refused more than max_allocation_size_mb: the tool has to bear that.
        errors = re.sub(r"==\d+==WARNING: AddressSanitizer failed to allocate 0x[0-9a-f]+ bytes\n", "", errors)
        if "Sanitizer" in errors or "runtime error:" in errors:
            self.count("sanitizer reports")
            raise Failure(f"a sanitizer reports:\n{errors}")
        if status < 0 or status > 2:
            self.count("signals" if status < 0 else "odd statuses")
            raise Failure(f"status {status}:\n{errors}")
        if "PLEASE submit" in errors or "Stack dump" in errors:
            raise Failure(f"LLVM's stack dump:\n{errors}")
        left = sorted(path.name for part in ("out", "tmp") for path in (folder / part).iterdir())
        if status == 0:
            self.count(f"{kind}: accepted")
            wanted = sorted(re.sub(r".*/", "", word) for word in words if "/out/" in word)
            if left != wanted:
                raise Failure(f"accepted, but it wrote {left} instead of {wanted}")
            return
        if left:
            raise Failure(f"status {status}, but left {left}:\n{errors}")
        lines = errors.splitlines()
        if not any(file.name in line for line in lines):
            raise Failure(f"the message does not name {file.name}:\n{errors}")
        # LLVM's own words may stand before ours where it gives up: glibc's of a broken heap, the verifier's.
        ended = re.search(r"ended with signal (\d+)|for want of memory|sizes in it are impossible|Broken module", errors)
        self.count(f"{kind}: refused" + (f", {ended[0]}" if ended else ""))
        if tool == "tw-opt":
            return  # MLIR shows the text itself
        for character in re.sub(r"\n", "", errors):
            if ord(character) < 32 or 0x7F <= ord(character) < 0xA0 or 0xDC80 <= ord(character) <= 0xDCFF:
                raise Failure(f"a control character: {errors!r}")
        for line in lines:
            if tool == "tilewright" and not re.match(r"tilewright: (error|warning): ", line):
                self.count("lines that are not ours")
                if not ended:
                    raise Failure(f"a line of another kind:\n{errors}")
            elif tool == "tilewright" and ": error: " in line and file.name not in line:
                raise Failure(f"an error that does not name {file.name}:\n{errors}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="the folder of tilewright, tw-opt, tw-emulate")
    parser.add_argument("--clang", required=True)
    parser.add_argument("--ar", required=True, help="llvm-ar")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", default="damaged_inputs")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", type=int, help="one case, kept")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=int, default=120)
    parser.add_argument("--sanitized", action="store_true", help="the tools are built with sanitizers")
    options = parser.parse_args()
    options.bin, options.work = options.bin.resolve(), options.work.resolve()
    runner = Runner(options)
    cases = range(options.first, options.first + options.count) if options.only is None else [options.only]
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for failure in pool.map(runner.case, cases):
            if failure:
                failures += 1
                print(failure, flush=True)
    for what, count in sorted(runner.counts.items()):
        print(f"{count:7} {what}")
    print(f"{len(cases)} cases of seed '{options.seed}': {failures} wrong")
    # Tests that no longer reach anything have failed.
    refused = sum(count for what, count in runner.counts.items() if ": refused" in what)
    if len(cases) >= 100 and refused < len(cases) / 4:
        print(f"only {refused} were refused: the seeds are damaged no more, or not read")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
