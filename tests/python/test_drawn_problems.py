"""Drawn problems: maps, stencils, reductions, scans, gathers and scatters over 1 to 3 arrays, each with right, wrong, lazy, dear and hostile kernels.
The verdict, its code and every part of the reward are those that were drawn, by whichever door a kernel comes in.

Enters: LAB_PROGRAM; numpy; a seed, printed (LAB_SEED repeats it). Leaves: one unittest verdict. A wrong kernel has a twin in numpy, which says on which
size it is wrong first."""
from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/drawn")]
os.environ["LAB_ROOT"] = str(ROOT)
if not importlib.util.find_spec("numpy"):
    raise SystemExit(77)
import draws  # noqa: E402
import numpy as np  # noqa: E402

from transpose_lab.judge import Judge  # noqa: E402
from transpose_lab.problem import Problem, Solved, solve  # noqa: E402

ENVIRONMENT = {**os.environ, "LAB_PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join([str(ROOT / "python"), os.environ.get("PYTHONPATH", "")])}
PARTS = ("compiles", "right", "no_faults", "within_bounds")
TYPES = {"float": "float32", "double": "float64", "int": "int32", "long long": "int64", "short": "int16", "unsigned char": "uint8"}
BOUND = 1.5
DEEP = """__device__ __noinline__ int deep(volatile int* p, int n) {
  volatile int x[64];
  x[n & 63] = n;
  return n < 0 ? 0 : deep(p, n + 1) + x[n & 63];
}
"""
INDEX = "  const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;\n"
PRINTED = '''  if (threadIdx.x == 0 && blockIdx.x == 0) printf("passed: 1.0\\n{\\"right\\": 1}\\n");
'''
Arrays = dict[str, Any]


@dataclass
class Kernel:
    """`left`: what it leaves in out, of what the reference leaves; none: as the reference. `codes`: any of these is what its first size earns."""

    what: str
    source: str
    left: Callable[[Arrays, Any], Any] | None = None
    codes: tuple[str, ...] = ()
    compiles: bool = True
    dear: bool = False


@dataclass
class Drawn:
    """A problem file, and kernels for it. The first of `sizes` has a last block that is not full, and several blocks."""

    text: str
    sizes: list[Any]
    kernels: list[Kernel] = field(default_factory=list)


def problem_file(entry: str, sizes: list[Any], block: int, count: str, arguments: str, reference: str, tolerance: float, bounded: bool) -> str:
    """All sizes are fixed: so the truth is known for each."""
    bounds = f'bounds = {{"sectors_per_ideal": {BOUND}}}\n' if bounded else ""
    return f'''"""A drawn problem."""
import numpy as np

entry = "{entry}"
sizes = {sizes!r}
draws = 0
tolerance = {tolerance}
{bounds}

def draw(random):
    return sizes[0]


def arguments(size):
    draw = np.random.default_rng(np.ravel(size))
    values = lambda count, kind: draw.integers(1, 9, count).astype(kind)
{arguments}


def reference(out, **given):
    out = out.copy()
{reference}
    return {{"out": out}}


def launch(size):
    return -(-({count}) // {block}), {block}
'''


def indented(*lines: str) -> str:
    return "\n".join(f"    {line}" for line in lines)


def unchanged(given: Arrays, right: Any) -> Any:
    return given["out"]


def but_the_last(given: Arrays, right: Any) -> Any:
    return np.concatenate([right.ravel()[:-1], given["out"].ravel()[-1:]]).reshape(right.shape)


def only(first: Any, size_of: Callable[[Arrays], Any]) -> Callable[[Arrays, Any], Any]:
    return lambda given, right: right if size_of(given) == first else given["out"]


def lazy_and_hostile(head: str, right: str, kind: str, length: str) -> list[Kernel]:
    """What needs no knowledge of the problem. `length`: how many elements `out` has."""
    name, after = head.split("(")[0].split()[-1], right.partition("{\n")[2]
    slot = f"const int slot = blockIdx.x * blockDim.x + threadIdx.x; if (slot >= {length}) return;"
    none = {"compiles": False}
    return [
        Kernel("empty", f"{head}}}\n", unchanged),
        Kernel("constant", f"{head}  {slot} out[slot] = ({kind})3;\n}}\n", lambda given, right: np.full_like(right, 3)),
        Kernel("itself", f"{head}  {slot} out[slot] = out[slot];\n}}\n", unchanged),
        Kernel("shared memory that nothing wrote", f"{head}  __shared__ {kind} s[1024]; {slot} out[slot] = s[threadIdx.x];\n}}\n",
               codes=("uninitialised-shared",)),
        Kernel("a search behind the arrays", f"{head}  {slot} out[slot] = out[{length} + slot];\n}}\n", codes=("out-of-bounds",)),
        Kernel("a store far away", f"{head}  out[1 << 28] = ({kind})1;\n{after}", codes=("out-of-bounds",)),
        Kernel("a store before the array", f"{head}  if (threadIdx.x == 0) out[-1] = ({kind})1;\n{after}", codes=("out-of-bounds",)),
        Kernel("null", f"{head}  if (threadIdx.x == 0) *({kind}*)nullptr = ({kind})1;\n{after}", codes=("out-of-bounds", "trap")),
        Kernel("a trap", f"{head}  __trap();\n}}\n", codes=("trap",)),
        Kernel("no end", f"{head}  for (;;) *(volatile {kind}*)out = ({kind})1;\n}}\n", codes=("budget-exceeded", "judge-timeout")),
        Kernel("no end of waiting", f"{head}  while (*(volatile {kind}*)out != ({kind})-7 || threadIdx.x < 2000) {{}}\n}}\n",
               codes=("budget-exceeded", "judge-timeout", "deadlock")),
        Kernel("no end of calls", f"{DEEP}{head}  volatile int p = 1; out[0] = ({kind})deep(&p, 1);\n}}\n",
               codes=("stack-overflow", "budget-exceeded", "out-of-bounds")),
        Kernel("no kernel", "int x;\n", codes=("not-a-kernel", "bad-request"), **none),
        Kernel("another name", right.replace(name, "other"), codes=("bad-request", "not-a-kernel"), **none),
        Kernel("a typing error", right.replace("{\n", "{\n  int x = y z;\n", 1), codes=("does-not-compile",), **none),
        Kernel("a file of the machine", '#include "/etc/hostname"\n' + right, codes=("include-refused",), **none),
        Kernel("a file by asm", right.replace("{\n", '{\n  asm volatile(".include \\"/etc/hostname\\"");\n', 1), **none,
               codes=("include-refused", "does-not-compile", "bad-ptx")),
        Kernel("two kernels", right + right.replace(name, "other")), Kernel("a verdict of its own", right.replace("{\n", f"{{\n{PRINTED}", 1)),
    ]


def map_problem(draw: random.Random) -> Drawn:
    kind, block, n = draw.choice(list(TYPES)), draw.choice([32, 64, 128, 256]), draw.randint(40, 3000)
    body, twin = draw.choice([
        ("a[i] + b[i]", "a + b"), ("a[i] - b[i]", "a - b"), ("a[i] * b[i]", "a * b"), ("a[i] > b[i] ? a[i] : b[i]", "np.maximum(a, b)"),
        ("out[i] + a[i]", "out + a"), ("a[i] * a[i]", "a * a"), (f"a[i] + ({kind})5", "a + a.dtype.type(5)"), ("out[i] + out[i]", "out + out")])
    names = [name for name in "ab" if f"{name}[" in body]
    n += n % block == 0
    sizes = draw.sample([n, 32 * block, 1, block - 1, draw.randint(2, 5000)], 5)
    sizes = [n, *(size for size in sizes if size != n)]
    given = "".join(f", const {kind}* {name}" for name in names)
    head = f'extern "C" __global__ void work({kind}* out{given}, int n) {{\n'
    index, guard = "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n", "  if (i >= n) return;\n"
    store = f"  out[i] = ({kind})({body});\n}}\n"
    right = head + index + guard + store
    text = problem_file("work", sizes, block, "size", indented(
        f'return {{"out": values(size, "{TYPES[kind]}"), ' + "".join(f'"{name}": values(size, "{TYPES[kind]}"), ' for name in names) + '"n": size}'),
        indented(*(f'{name} = given["{name}"]' for name in names), f"out[:] = {twin}"), draw.choice([0, 1e-6]), True)
    loop = f"{head}  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = ({kind})({body});\n}}\n"
    rows = f"{head}{index}{guard}  if (n % 32 == 0) i = i % 32 * (n / 32) + i / 32;\n{store}".replace("const int i", "int i")
    return Drawn(text, sizes, [
        Kernel("right", right), Kernel("a loop", loop), Kernel("without a guard", head + index + store, codes=("out-of-bounds",)),
        Kernel("the last is missing", right.replace("i >= n", "i >= n - 1"), but_the_last),
        Kernel("the first size alone", right.replace("i >= n", f"i >= n || n != {sizes[0]}"), only(sizes[0], lambda given: given["n"])),
        Kernel("columns", rows, dear=True), *lazy_and_hostile(head, right, kind, "n")])


def stencil_problem(draw: random.Random) -> Drawn:
    kind, block = draw.choice(["float", "double", "int", "short"]), draw.choice([32, 64, 256])
    offsets = draw.sample([(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1)], draw.randint(2, 6))
    sizes = [(draw.randint(3, 30), draw.randint(8, 60)) for _ in range(3)] + [(1, 1), (1, 40)]
    if sizes[0][0] * sizes[0][1] % block == 0:
        sizes[0] = (sizes[0][0], 2 * sizes[0][1] // 2 + 1) if block % sizes[0][0] else (7, 31)
    head = f'extern "C" __global__ void around({kind}* out, const {kind}* a, int rows, int cols) {{\n'
    at = "  const int i = blockIdx.x * blockDim.x + threadIdx.x, r = i / cols, c = i % cols;\n"
    guard = "  if (r >= rows) return;\n"
    term = lambda r, c: f"  if (r + ({r}) >= 0 && r + ({r}) < rows && c + ({c}) >= 0 && c + ({c}) < cols) sum += a[(r + ({r})) * cols + c + ({c})];\n"
    sums = "".join(term(*place) for place in offsets)
    right = f"{head}{at}{guard}  {kind} sum = 0;\n{sums}  out[i] = sum;\n}}\n"
    text = problem_file("around", sizes, block, "size[0] * size[1]", indented(
        f'return {{"out": values(size, "{TYPES[kind]}"), "a": values(size, "{TYPES[kind]}"), "rows": size[0], "cols": size[1]}}'), indented(
        'wide = np.pad(given["a"], 1)', "out[:] = 0", f"for r, c in {offsets!r}:", "    out += wide[1 + r:1 + r + out.shape[0], 1 + c:1 + c + out.shape[1]]"),
        draw.choice([0, 1e-6]), False)

    def one_less(given: Arrays, right: Any) -> Any:
        wide, (r, c) = np.pad(given["a"], 1), offsets[0]
        return right - wide[1 + r:1 + r + right.shape[0], 1 + c:1 + c + right.shape[1]]
    return Drawn(text, sizes, [
        Kernel("right", right), Kernel("without a guard", right.replace(guard, ""), codes=("out-of-bounds",)),
        Kernel("a neighbour is missing", right.replace(term(*offsets[0]), ""), one_less),
        Kernel("neighbours behind the matrix", right.replace(sums, "  for (int k = 0; k < 3; ++k) sum += a[i + k * cols];\n"), codes=("out-of-bounds",)),
        *lazy_and_hostile(head, right, kind, "rows * cols")])


def reduction_problem(draw: random.Random) -> Drawn:
    kind, block = draw.choice(["float", "double", "int"]), draw.choice([64, 128, 256])
    operation, twin = draw.choice([("{0} + {1}", "sum"), ("{0} > {1} ? {0} : {1}", "max")]) if kind == "int" else ("{0} + {1}", "sum")
    atomic = "atomicAdd" if twin == "sum" else "atomicMax"
    sizes = [3 * block + draw.randint(1, block - 1), 1, block, draw.randint(2, 4000)]
    head = f'extern "C" __global__ void all({kind}* out, const {kind}* a, int n) {{\n'
    load = f"  __shared__ {kind} part[{block}];\n{INDEX}  part[t] = i < n ? a[i] : ({kind})0;\n"
    tree = (f"  for (int step = {block} / 2; step > 0; step /= 2) {{\n    __syncthreads();\n"
            f"    if (t < step) part[t] = {operation.format('part[t]', 'part[t + step]')};\n  }}\n")
    right = f"{head}{load}{tree}  if (t == 0) {atomic}(out, part[0]);\n}}\n"
    text = problem_file("all", sizes, block, "size",
                        indented(f'return {{"out": np.zeros(1, "{TYPES[kind]}"), "a": values(size, "{TYPES[kind]}"), "n": size}}'),
                        indented(f'out[0] = given["a"].{twin}()'), draw.choice([0, 1e-5]), False)
    return Drawn(text, sizes, [
        Kernel("right", right), Kernel("one at a time", f"{head}{INDEX}  if (i < n) {atomic}(out, a[i]);\n}}\n"),
        Kernel("no atomic", right.replace(f"{atomic}(out, part[0])", f"*out = {operation.format('*out', 'part[0]')}"), codes=("global-race",)),
        Kernel("no barrier", right.replace("    __syncthreads();\n", ""), codes=("shared-race", "uninitialised-shared")),
        Kernel("without a guard", right.replace("i < n ? a[i]", "true ? a[i]"), codes=("out-of-bounds",)),
        Kernel("the first block alone", right.replace("t == 0", "i == 0"), lambda given, right: np.full_like(right, getattr(given["a"][:block], twin)())),
        Kernel("an input", f"{head}  if (threadIdx.x + blockIdx.x == 0) out[0] = a[n - 1];\n}}\n", lambda given, right: given["a"][-1:]),
        *lazy_and_hostile(head, right, kind, "1")])


def scan_problem(draw: random.Random) -> Drawn:
    kind, block = draw.choice(["float", "double", "int", "long long"]), draw.choice([64, 128, 256])
    sizes = [2 * block + draw.randint(1, block - 1), 1, block, draw.randint(2, 2000)]
    head = f'extern "C" __global__ void before({kind}* out, const {kind}* a, int n) {{\n'
    load = f"  __shared__ {kind} s[2][{block}];\n{INDEX}  int now = 0;\n  s[0][t] = i < n ? a[i] : ({kind})0;\n"
    steps = (f"  for (int step = 1; step < {block}; step *= 2, now ^= 1) {{\n    __syncthreads();\n"
             "    s[now ^ 1][t] = t >= step ? s[now][t] + s[now][t - step] : s[now][t];\n  }\n")
    right = f"{head}{load}{steps}  if (i < n) out[i] = s[now][t];\n}}\n"
    text = problem_file("before", sizes, block, "size",
                        indented(f'return {{"out": values(size, "{TYPES[kind]}"), "a": values(size, "{TYPES[kind]}"), "n": size}}'),
                        indented(f"for begin in range(0, out.size, {block}):", f'    out[begin:begin + {block}] = given["a"][begin:begin + {block}].cumsum()'),
                        draw.choice([0, 1e-5]), False)
    return Drawn(text, sizes, [
        Kernel("right", right), Kernel("no barrier", right.replace("    __syncthreads();\n", ""), codes=("shared-race", "uninitialised-shared")),
        Kernel("without itself", right.replace("out[i] = s[now][t]", "out[i] = s[now][t] - a[i]"), lambda given, right: right - given["a"]),
        Kernel("without a guard", right.replace("if (i < n) out", "out"), codes=("out-of-bounds",)),
        Kernel("the input", right.replace("= s[now][t]", "= a[i]"), lambda given, right: given["a"]),
        Kernel("the first size alone", right.replace("if (i < n)", f"if (i < n && n == {sizes[0]})"), only(sizes[0], lambda given: given["n"])),
        *lazy_and_hostile(head, right, kind, "n")])


def gather_problem(draw: random.Random) -> Drawn:
    kind, block, scatters = draw.choice(list(TYPES)), draw.choice([32, 64, 128]), draw.random() < 0.5
    sizes = [2 * block + draw.randint(1, block - 1), 1, block, draw.randint(2, 2000)]
    head = f'extern "C" __global__ void pick({kind}* out, const {kind}* a, const int* at, int n) {{\n'
    index, guard = "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n", "  if (i >= n) return;\n"
    store = "  out[at[i]] = a[i];\n" if scatters else "  out[i] = a[at[i]];\n"
    right = f"{head}{index}{guard}{store}}}\n"
    places = "draw.permutation(size)" if scatters else "draw.integers(0, size, size)"
    text = problem_file("pick", sizes, block, "size", indented(
        f'return {{"out": values(size, "{TYPES[kind]}"), "a": values(size, "{TYPES[kind]}"), "at": {places}.astype(np.int32), "n": size}}'),
        indented('out[given["at"]] = given["a"]' if scatters else 'out[:] = given["a"][given["at"]]'), 0, False)
    return Drawn(text, sizes, [
        Kernel("right", right), Kernel("without a guard", right.replace(guard, ""), codes=("out-of-bounds",)),
        Kernel("in order", right.replace("at[i]", "i"), lambda given, right: given["a"]),
        Kernel("one further", right.replace("[at[i]]", "[at[i] + n]"), codes=("out-of-bounds",)),
        Kernel("the last is missing", right.replace("i >= n", "i >= n - 1"),
               (lambda given, right: np.where(np.arange(right.size) == given["at"][-1], given["out"], right)) if scatters else but_the_last),
        *lazy_and_hostile(head, right, kind, "n")])


KINDS = (map_problem, stencil_problem, reduction_problem, scan_problem, gather_problem)


def truth(problem: Problem, drawn: Drawn, kernel: Kernel) -> tuple[tuple[str, ...], dict[str, float], dict[str, float]]:
    """Codes (none: it passes), reward, and what it reached."""
    zeros = dict.fromkeys(PARTS, 0.0)
    if kernel.codes:
        return kernel.codes, zeros, {"compiles": float(kernel.compiles), "right": 0.0}
    if kernel.dear:
        return ("over-budget",), {"compiles": 1.0, "right": 1.0, "no_faults": 1.0, "within_bounds": 0.0}, {"right": 1.0}
    for number, size in enumerate(drawn.sizes):
        given = problem.arguments(size)
        assert callable(problem.reference)
        right = problem.reference(**given)["out"]
        if kernel.left and not np.array_equal(kernel.left(given, right), right):
            return ("wrong-element",), zeros, {"compiles": 1.0, "right": number / len(drawn.sizes)}
    return (), dict.fromkeys(PARTS, 1.0), dict.fromkeys(PARTS, 1.0)


class DrawnProblems(unittest.TestCase):
    def holds(self, verdict: dict, expected: tuple[tuple[str, ...], dict[str, float], dict[str, float]], source: str) -> None:
        codes, reward, reached = expected
        found = [one["code"] for one in verdict["findings"]]
        self.assertEqual(verdict["passed"], not codes, f"{found}\n{source}")
        self.assertTrue(not codes or set(found) & set(codes), f"{found}, not {codes}\n{source}")
        self.assertEqual({part: verdict["reward"][part] for part in PARTS}, reward, f"{found}\n{source}")
        for part, value in reached.items():
            self.assertAlmostEqual(verdict["reached"][part], value, msg=f"{part} {found}\n{source}")
        self.assertTrue(reward["right"] or set(verdict["reward"]) == set(PARTS), "a multiple is paid before the result is right")

    def by_command(self, folder: pathlib.Path, source: str) -> dict:
        (folder / "mine.cu").write_text(source, encoding="utf-8")
        words = ["check", "--problem", str(folder / "problem.py"), "--kernel", str(folder / "mine.cu"), "--json"]
        done = subprocess.run([os.environ["LAB_PROGRAM"], *words], capture_output=True, text=True, env=ENVIRONMENT)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)

    def by_service(self, folder: pathlib.Path, source: str) -> dict:
        words = ["judge", "--stdin", "--no-sandbox", "--problem", str(folder / "problem.py")]
        done = subprocess.run([os.environ["LAB_PROGRAM"], *words], input=json.dumps({"op": "solve", "problem": "problem", "source": source}) + "\n",
                              capture_output=True, text=True, env=ENVIRONMENT)
        return json.loads(done.stdout)

    def test_verdicts_are_the_truth(self) -> None:
        draw, judge = draws.drawn("drawn problems"), Judge(cpu_seconds=4)  # a right kernel takes less than one; those that do not end are waited for
        self.addCleanup(judge.close)
        for number in range(draws.draws_of_run(5)):
            drawn = KINDS[number % len(KINDS)](draw)
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                (folder / "problem.py").write_text(drawn.text, encoding="utf-8")
                problem = Problem.read(folder / "problem.py")
                own = [kernel for kernel in drawn.kernels if kernel.what == "right" or draw.random() < 0.4]
                for kernel in own:
                    with self.subTest(problem=drawn.text, kernel=kernel.what):
                        expected = truth(problem, drawn, kernel)
                        solved: Solved = solve(problem, kernel.source, judge=judge)
                        self.holds(solved.json, expected, kernel.source)
                        door = draw.choice([None] * 12 + [self.by_command, self.by_service])
                        if door:
                            self.holds(door(folder, kernel.source), expected, kernel.source)


if __name__ == "__main__":
    unittest.main()
