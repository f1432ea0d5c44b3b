"""Problems that are no transposes: the examples are solved by right kernels and by no wrong one, as an environment and as tools of a model too.

Enters: LAB_PROGRAM; numpy, and `mcp` for the last part. Leaves: one unittest verdict; what is not here is skipped."""
import dataclasses
import importlib.util
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/drawn")]
os.environ["LAB_ROOT"] = str(ROOT)
if not importlib.util.find_spec("numpy"):
    raise SystemExit(77)
import draws  # noqa: E402
import numpy as np  # noqa: E402

import transpose_lab as lab  # noqa: E402
from transpose_lab.environment import KernelEnvironment  # noqa: E402
from transpose_lab.judge import Judge  # noqa: E402
from transpose_lab.problem import Problem, solve  # noqa: E402

ENVIRONMENT = {**os.environ, "LAB_PYTHON": sys.executable, "PYTHONPATH": os.pathsep.join([str(ROOT / "python"), os.environ.get("PYTHONPATH", "")])}
PROBLEMS = {file.stem: Problem.read(file) for file in sorted((ROOT / "examples/problems").glob("*.py"))}
SOLUTIONS = {
    "reduction": """extern "C" __global__ void sum(float* out, const float* in, int n) {
  __shared__ float part[8];
  float total = 0;
  for (int k = 0; k < 4; ++k) {
    const int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    if (i < n) total += in[i];
  }
  for (int step = 16; step > 0; step /= 2) total += __shfl_down_sync(0xffffffff, total, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = total;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int k = 1; k < 8; ++k) total += part[k];
    atomicAdd(out, total);
  }
}
""",
    "histogram": """extern "C" __global__ void histogram(int* bins, const unsigned char* in, int n) {
  __shared__ int mine[64];
  if (threadIdx.x < 64) mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[in[i]], 1);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
""",
    "stencil": """extern "C" __global__ void stencil(float* out, const float* in, int rows, int cols) {
  const int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < 1 || r >= rows - 1 || c < 1 || c >= cols - 1) return;
  const float* at = in + r * cols + c;
  out[r * cols + c] = at[0] + at[-1] + at[1] + at[-cols] + at[cols];
}
""",
}
# What goes wrong, and the codes that say so: which words the drawn arrays count decides whether another warp's or a lane's was not waited for.
MUTANTS = [
    ("reduction", "if (i < n) total", "total", "out-of-bounds"), ("reduction", "k < 8; ++k", "k < 7; ++k", "wrong-element"),
    ("reduction", "  __syncthreads();\n", "", "uninitialised-shared"),
    ("reduction", "blockIdx.x * 1024 + k * 256 + threadIdx.x", "blockIdx.x * 1024 + threadIdx.x * 4 + k", "over-budget"),
    ("histogram", "  __syncthreads();\n  for", "  for", "uninitialised-shared|missing-syncwarp|shared-race"),
    ("histogram", "atomicAdd(&mine[in[i]], 1)", "mine[in[i]]++", "shared-race"),
    ("stencil", "r >= rows - 1", "r >= rows", "out-of-bounds"), ("stencil", "at[-cols]", "at[cols]", "wrong-element"),
    ("stencil", "at[0] +", "at[0", "does-not-compile"),
]


class Problems(unittest.TestCase):
    def test_right_kernels(self) -> None:
        seed = draws.seed_of_run("sizes of problems")
        self.assertEqual(sorted(PROBLEMS), sorted(SOLUTIONS))
        for name, source in SOLUTIONS.items():
            solved = solve(PROBLEMS[name], source, seed=seed)
            self.assertTrue(solved, f"{name}: {solved}")
            self.assertEqual({solved.reward[key] for key in ("compiles", "right", "no_faults", "within_bounds")}, {1.0})

    def test_mutants(self) -> None:
        seed = draws.seed_of_run("sizes of wrong kernels")
        for name, old, new, code in MUTANTS:
            with self.subTest(f"{name}: {new}"):
                self.assertIn(old, SOLUTIONS[name])
                solved = solve(PROBLEMS[name], SOLUTIONS[name].replace(old, new), seed=seed)
                self.assertFalse(solved)
                self.assertTrue(set(code.split("|")) & {one.code for one in solved.findings}, str(solved))

    def test_a_kernel_that_writes_nothing(self) -> None:
        for problem in PROBLEMS.values():
            more = ", int m" if problem.entry == "stencil" else ""
            self.assertFalse(solve(problem, f'extern "C" __global__ void {problem.entry}(void* a, void* b, int n{more}) {{}}\n'))

    def test_drawn_problem_files(self) -> None:
        """Files with one thing wrong: named by its name, never a traceback, a verdict, or a kernel that is blamed."""
        draw = draws.drawn("problem files")
        whole = {name: PROBLEMS["reduction"].__dict__[name] for name in Problem.__dataclass_fields__}
        raising = lambda *_, **__: 1 // 0
        zeros = lambda n: np.zeros(n, np.float32)
        broken: list[tuple[str, list]] = [
            ("entry", ["", None, 5]), ("draw", [None, 5, raising]), ("launch", [None, raising, lambda n: 5, lambda n: (1, 2, 3)]),
            ("arguments", [None, raising, lambda n: [1], lambda n: {"out": zeros(0), "in": zeros(1), "n": 1},
                           lambda n: {"out": np.array([object()]), "in": zeros(1), "n": 1}]),
            ("reference", [None, 7, raising, lambda **_: {}, lambda **_: [], lambda **_: {"no": 1}, lambda **_: {"n": 1}, lambda **_: {"out": [1, 2]},
                           lambda **_: {"out": "text"}, "int x\n", SOLUTIONS["stencil"], SOLUTIONS["reduction"].replace("k < 8", "k < 9")]),
            ("tolerance", [-1, "x", None, True]), ("bounds", [5, {"sectors": "x"}, {"sectors": -1}, {"sector": 1}, {1: 1}]),
            ("sizes", ["12", 5, None]), ("draws", [-1, 1.5, True, "4"])]
        for name, value in draw.sample([(name, value) for name, values in broken for value in values], draws.draws_of_run(12)):
            with self.subTest(f"{name} = {value!r}"), self.assertRaises(lab.LabError) as raised:
                solve(Problem(**{**whole, name: value}), SOLUTIONS["reduction"], seed=1)
            self.assertEqual(raised.exception.code, "bad-problem")
            self.assertIn(name, raised.exception.message)
        with self.assertRaises(lab.LabError):
            Problem(**{**whole, "sizes": [], "draws": 0})

    def test_a_reference_that_works_in_place(self) -> None:
        """What it does to its arguments reaches no kernel; nor does an array of another order, or one that is given twice, confuse it."""
        def reference(out, **given):
            out[:] = given["in"].sum()
            return {"out": out}
        problem = dataclasses.replace(PROBLEMS["reduction"], reference=reference)
        self.assertFalse(solve(problem, 'extern "C" __global__ void sum(float* out, const float* in, int n) {}\n', seed=2))
        self.assertTrue(solve(problem, SOLUTIONS["reduction"], seed=2))

    def test_ptx_as_reference(self) -> None:
        """It runs in this process, by the library that others embed, and leaves the arguments as they are."""
        ptx = """// from a compiler
.version 8.0
.target sm_80
.address_size 64
.visible .entry _Z5twicePfPKfi(.param .u64 y, .param .u64 x, .param .u32 n) {
  .reg .pred %p; .reg .b32 %r<5>; .reg .b64 %d<4>; .reg .f32 %f;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.s32 %r1, %r1, %r2, %r3;
  ld.param.u32 %r4, [n]; setp.ge.u32 %p, %r1, %r4; @%p ret;
  ld.param.u64 %d1, [y]; ld.param.u64 %d2, [x];
  mul.wide.u32 %d3, %r1, 4; add.s64 %d1, %d1, %d3; add.s64 %d2, %d2, %d3;
  ld.global.f32 %f, [%d2]; add.f32 %f, %f, %f; st.global.f32 [%d1], %f;
  ret;
}
"""
        problem = Problem(task="twice", entry="twice", draw=lambda draw: draw.randrange(1, 300), reference=ptx, launch=lambda n: ((n + 31) // 32, 32),
                          arguments=lambda n: {"y": np.zeros(n, np.float32), "x": np.arange(n, dtype=np.float32), "n": n})
        kernel = """extern "C" __global__ void twice(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
"""
        self.assertTrue(solve(problem, kernel, seed=3))
        wrong = solve(problem, kernel.replace("2 *", "3 *"), seed=3)
        self.assertEqual([one.code for one in wrong.findings], ["wrong-element"])
        for old, new, said in (("setp.ge", "setp.gt", "PTX line"), ("mul.wide", "mul.wild", "PTX line"), (", .param .u32 n", "", "size")):
            with self.assertRaises(lab.LabError) as raised:
                solve(dataclasses.replace(problem, reference=ptx.replace(old, new)), kernel, seed=3)
            self.assertEqual(raised.exception.code, "bad-problem")
            self.assertIn("reference, in PTX, fails for size", raised.exception.message)
            self.assertIn(said, raised.exception.message)

    def test_a_kernel_as_reference(self) -> None:
        problem = dataclasses.replace(PROBLEMS["histogram"], reference=SOLUTIONS["histogram"])
        self.assertTrue(solve(problem, SOLUTIONS["histogram"], seed=3))
        self.assertFalse(solve(problem, SOLUTIONS["histogram"].replace("threadIdx.x < 64", "threadIdx.x < 63"), seed=3))

    def test_the_same_bits(self) -> None:
        store = 'extern "C" __global__ void k(float* out) {{ out[0] = {}; }}\n'
        for value, right, wrong in ((0.0, "0.0f", "-0.0f"), (float("nan"), "__int_as_float(0x7fc00001)", "0.0f"), (1.0, "1.0f", "1.0000001f")):
            problem = Problem("", "k", lambda draw: 1, lambda n: {"out": np.full(1, 5, np.float32)},
                              lambda out, value=value: {"out": [value]}, lambda n: (1, 1))
            self.assertTrue(solve(problem, store.format(right), seed=1))
            self.assertFalse(solve(problem, store.format(wrong), seed=1))

    def test_files_that_are_none(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for text, word in (("import sys; sys.exit(3)", "SystemExit"), ("x = (", "line 1"), ("\n1 / 0", "line 2"), ("\0", "does not run")):
                file = pathlib.Path(folder, "problem.py")
                file.write_text(text, encoding="utf-8")
                with self.assertRaises(lab.LabError) as raised:
                    Problem.read(file)
                self.assertIn(word, str(raised.exception))
        for file, word in (("no such file.py", "read"), (str(ROOT / "examples/kernel_ci/budget.json"), "lacks")):
            with self.assertRaises(lab.LabError) as raised:
                Problem.read(file)
            self.assertIn(word, str(raised.exception))

    def test_command_line(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            kernel = pathlib.Path(folder, "mine.cu")
            for source, code in ((SOLUTIONS["stencil"], 0), (SOLUTIONS["stencil"].replace("at[-cols]", "at[cols]"), 1), (None, 2)):
                kernel.unlink() if source is None else kernel.write_text(source, encoding="utf-8")
                words = ["check", "--problem", str(ROOT / "examples/problems/stencil.py"), "--kernel", str(kernel), "--seed", "5", "--json"]
                done = subprocess.run([os.environ["LAB_PROGRAM"], *words], capture_output=True, text=True, env=ENVIRONMENT)
                self.assertEqual(done.returncode, code, done.stderr)
                if source:
                    self.assertEqual(json.loads(done.stdout)["passed"], code == 0)
            kernel.write_text(SOLUTIONS["stencil"].replace("r >= rows - 1", "r >= rows"), encoding="utf-8")
            done = subprocess.run([os.environ["LAB_PROGRAM"], *words], capture_output=True, text=True, env=ENVIRONMENT)
            self.assertEqual(json.loads(done.stdout)["findings"][0]["file"], "mine.cu")

    def test_service(self) -> None:
        """`lab judge --problem`: solve and all else, in order; a request names a problem of the command line alone."""
        draw = draws.drawn("requests for problems")
        right, wrong = SOLUTIONS["stencil"], SOLUTIONS["stencil"].replace("at[-cols]", "at[cols]")
        start = {"op": "solve", "problem": "stencil", "source": right}
        kinds = [(start, "passed"), ({**start, "source": wrong, "seed": 7}, "wrong-element"), ({**start, "source": "int x"}, "does-not-compile"),
                 ({"op": "explain", "code": "bank-conflict"}, "meaning"), ({**start, "problem": "reduction.py"}, "bad-request"),
                 ({**start, "problem": "../examples/problems/histogram"}, "bad-request"), ({**start, "source": 5}, "bad-request"),
                 ({**start, "seed": -1}, "bad-request"), ({**start, "key": "x"}, "bad-request"), ({"op": "solve"}, "bad-request"), ("nonsense", "bad-request"),
                 ({"op": "check", "chapter": 99, "source": "x"}, "bad-request")]
        asked = [(dict(request, id=number) if isinstance(request, dict) else request, found)
                 for number, (request, found) in enumerate(draw.choices(kinds, k=draws.draws_of_run(8)))]
        words = [word for name in ("stencil", "reduction") for word in ("--problem", str(ROOT / f"examples/problems/{name}.py"))]
        done = subprocess.run([os.environ["LAB_PROGRAM"], "judge", "--stdin", "--no-sandbox", "-j", str(draw.choice([1, 2])), *words],
                              input="".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one, _ in asked), capture_output=True, text=True,
                              env=ENVIRONMENT)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual((done.returncode, len(answers)), (0, len(asked)), done.stderr)
        for (request, found), answer in zip(asked, answers):
            with self.subTest(request):
                self.assertEqual(answer["id"], request["id"] if isinstance(request, dict) else None)
                self.assertIn("cost", answer)
                codes = [answer.get("error", {}).get("code"), *(one["code"] for one in answer.get("findings", ()))]
                self.assertTrue(found in codes or answer.get(found), answer)

    def test_no_part_is_paid_before_the_result_is_right(self) -> None:
        """What public lists of reward hacks try: nothing, a copy of the input, a race that comes out right, no kernel at all."""
        head = SOLUTIONS["reduction"].partition("{")[0]
        drawn = draws.drawn("kernels without the work")
        lazy = [(f"{head}{{}}\n", "wrong-element"), (f"{head}{{ out[0] = in[0]; }}\n", "wrong-element"),
                (SOLUTIONS["reduction"].replace("atomicAdd(out, total)", "*out += total"), "global-race"), ("", "not-a-kernel"),
                ('#include "/etc/hostname"\n' + SOLUTIONS["reduction"], "include-refused"), (SOLUTIONS["histogram"], "bad-request"),
                (f"{head}{{ if (n != 7) __trap(); }}\n", "trap"), (f"{head}{{ for (;;) out[0] += 1; }}\n", "budget-exceeded")]
        for source, code in drawn.sample(lazy, min(len(lazy), draws.draws_of_run(len(lazy)))):
            with self.subTest(source):
                solved = solve(PROBLEMS["reduction"], source, seed=drawn.randrange(1 << 20))
                self.assertIn(code, [one.code for one in solved.findings], str(solved))
                self.assertEqual(solved.reward, dict.fromkeys(("compiles", "right", "no_faults", "within_bounds"), 0.0))
                self.assertEqual(solved.reached["compiles"], float(code not in ("not-a-kernel", "include-refused", "bad-request")))

    def test_the_examples_are_not_learnt_by_heart(self) -> None:
        """Sizes alone say nothing of what the arrays hold, and the same seed gives the same arrays."""
        for name, problem in PROBLEMS.items():
            size = problem.sizes[-1]
            first, same, other = (problem.arguments(size, random.Random(seed))["in"] for seed in (1, 1, 2))
            self.assertTrue((first == same).all(), name)
            self.assertFalse((first == other).all(), name)
        by_heart = """extern "C" __global__ void stencil(float* out, const float* in, int rows, int cols) {
  const int r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x, i = r * cols + c;
  if (r < 1 || r >= rows - 1 || c < 1 || c >= cols - 1) return;
  out[i] = i % 11 + (i - 1) % 11 + (i + 1) % 11 + (i - cols) % 11 + (i + cols) % 11;
}
"""
        solved = solve(PROBLEMS["stencil"], by_heart, seed=6)
        self.assertEqual(([one.code for one in solved.findings], solved.reward["right"]), (["wrong-element"], 0.0))

    def test_right_but_dear(self) -> None:
        dear = SOLUTIONS["reduction"].replace("blockIdx.x * 1024 + k * 256 + threadIdx.x", "blockIdx.x * 1024 + threadIdx.x * 4 + k")
        reward = solve(PROBLEMS["reduction"], dear, seed=4).reward
        self.assertEqual([reward[part] for part in ("compiles", "right", "no_faults", "within_bounds")], [1.0, 1.0, 1.0, 0.0])
        self.assertGreater(reward["least_sectors_per_ideal"], PROBLEMS["reduction"].bounds["sectors_per_ideal"])

    def test_no_file_of_the_machine_is_shown(self) -> None:
        """By whichever door a text comes in, and however it is spelled."""
        draw = draws.drawn("includes")
        with tempfile.TemporaryDirectory() as folder:
            secret = pathlib.Path(folder, "secret")
            secret.write_text("a word that nobody may read\n", encoding="utf-8")
            for start in ('#include "{}"', "#include <{}>", '#include_next "{}"', "#define F <{}>\n#include F", '#import "{}"', '%:include "{}"',
                          '#inc\\\nlude "{}"', "#if __has_include(<{}>)\n#error yes\n#endif", 'asm volatile(".include \\"{}\\"");'):
                line, right = start.format(secret) + "\n", draw.choice(list(SOLUTIONS.values()))
                # A compiler drops an asm that stands outside of functions, and then the kernel is as right as before.
                source = right.replace("{", "{\n" + line, 1) if start.startswith("asm") else line + right
                for words in (["check", "--problem", str(ROOT / "examples/problems/stencil.py"), "--kernel"], ["check", "5", "--kernel"]):
                    kernel = pathlib.Path(folder, "mine.cu")
                    kernel.write_text(source, encoding="utf-8")
                    done = subprocess.run([os.environ["LAB_PROGRAM"], *words, str(kernel)], capture_output=True, text=True, env=ENVIRONMENT)
                    self.assertNotIn("nobody may", done.stdout + done.stderr, start)
                    self.assertNotEqual(done.returncode, 0, start)
                for request in ({"op": "launch", "grid": 1, "block": 1, "arguments": []}, {"op": "profile"}, {"op": "check", "chapter": 5}):
                    with self.assertRaises(lab.LabError) as raised:
                        answer = Judge().ask(source=source, **request)
                        raise lab.LabError("answered", json.dumps(answer))
                    self.assertNotIn("nobody may", str(raised.exception))
                    self.assertTrue(raised.exception.code != "answered" or '"passed": true' not in raised.exception.message, start)

    def test_mistakes_of_the_author_are_his(self) -> None:
        whole = {name: PROBLEMS["reduction"].__dict__[name] for name in Problem.__dataclass_fields__}
        for name, value in (("launch", lambda n: (1, 4096)), ("launch", lambda n: (1, (64, 32))), ("launch", lambda n: ((1, 70000), 32)),
                            ("launch", lambda n: (0, 32)), ("launch", lambda n: (1.5, 32)), ("launch", lambda n: ((1, 1, 1, 1), 32)),
                            ("arguments", lambda n: {"out": np.zeros(1, np.float32), "in": np.zeros(n, np.float32), "n": [n]}),
                            ("arguments", lambda n: {"out": [0.0], "in": np.zeros(n, np.float32), "n": n})):
            with self.assertRaises(lab.LabError) as raised:
                solve(Problem(**{**whole, name: value}), SOLUTIONS["reduction"], seed=1)
            self.assertEqual(raised.exception.code, "bad-problem")
            self.assertIn(name, raised.exception.message)

    def test_remedies_are_not_those_of_a_transpose(self) -> None:
        wrong = SOLUTIONS["reduction"].replace("if (i < n) total", "total")
        found = solve(PROBLEMS["reduction"], wrong, seed=2).findings[0]
        self.assertEqual(found.code, "out-of-bounds")
        self.assertNotIn("rows", found.remedy)

    def test_packages_that_are_missing(self) -> None:
        """A sentence with the line to run, whichever Python LAB_PYTHON names, and a clone brings the lab's own package to each."""
        with tempfile.TemporaryDirectory() as folder:
            for module in ("numpy", "mcp"):
                pathlib.Path(folder, f"{module}.py").write_text(f"raise ModuleNotFoundError('no', name='{module}')\n", encoding="utf-8")
            kernel = pathlib.Path(folder, "mine.cu")
            kernel.write_text(SOLUTIONS["stencil"], encoding="utf-8")
            check = ["check", "--problem", str(ROOT / "examples/problems/stencil.py"), "--kernel", str(kernel)]
            for words, module in ((check, "numpy"), (["mcp"], "mcp")):
                done = subprocess.run([os.environ["LAB_PROGRAM"], *words], capture_output=True, text=True, env={**ENVIRONMENT, "PYTHONPATH": folder})
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn(f"-m pip install {module}", done.stderr)
                self.assertNotIn("Traceback", done.stderr)
        done = subprocess.run([os.environ["LAB_PROGRAM"], "mcp"], capture_output=True, text=True, env={**ENVIRONMENT, "LAB_PYTHON": "/no/python3"})
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("set LAB_PYTHON to a Python", done.stderr)

    def test_environment(self) -> None:
        environment = KernelEnvironment(PROBLEMS["reduction"], most_steps=2, judge=Judge())
        self.addCleanup(environment.close)
        task, info = environment.reset(seed=1)
        self.assertIn("Sum n floats", task)
        self.assertEqual(info, {"entry": "sum"})
        wrong = SOLUTIONS["reduction"].replace("k < 8; ++k", "k < 7; ++k")
        said, reward, ended, cut, _ = environment.step(wrong)
        self.assertEqual((ended, cut, reward["compiles"]), (False, False, 0.0))
        self.assertIn("wrong-element", said)
        _, _, ended, cut, _ = environment.step("int x;\n")
        self.assertEqual((ended, cut), (False, True))
        with self.assertRaises(lab.LabError):
            environment.step(wrong)
        environment.reset(seed=1)
        self.assertEqual(environment.step(wrong)[:2], (said, reward))
        self.assertTrue(environment.step(SOLUTIONS["reduction"])[2])
        with self.assertRaises(lab.LabError):
            environment.step(SOLUTIONS["reduction"])


@unittest.skipUnless(importlib.util.find_spec("mcp"), "no mcp")
class Tools(unittest.IsolatedAsyncioTestCase):
    async def test_a_session_of_a_client(self) -> None:
        from mcp import ClientSession, StdioServerParameters
        from mcp.client.stdio import stdio_client
        words = ["mcp", "--problem", str(ROOT / "examples/problems/stencil.py")]
        server = StdioServerParameters(command=os.environ["LAB_PROGRAM"], args=words, env=ENVIRONMENT)
        async with stdio_client(server) as streams, ClientSession(*streams) as session:
            await session.initialize()
            tools = [tool.name for tool in (await session.list_tools()).tools]
            self.assertEqual(sorted(tools), ["check", "explain", "profile", "solve"])
            skeleton = (ROOT / "solutions/05_padding/skeleton.cu").read_text(encoding="utf-8")
            said = (await session.call_tool("check", {"chapter": "5", "source": skeleton})).content[0].text
            self.assertIn("bank-conflict", said)
            self.assertIn("wavefront", (await session.call_tool("explain", {"code": "bank-conflict"})).content[0].text)
            solved = (await session.call_tool("solve", {"problem": "stencil", "source": SOLUTIONS["stencil"]})).content[0].text
            self.assertTrue(json.loads(solved)["passed"])
            self.assertIn("bad-request", (await session.call_tool("check", {"chapter": "99", "source": skeleton})).content[0].text)
            # Short by default: a model pays for every character.
            broken = "int x = y;\n" * 400 + skeleton
            for tool, request in (("check", {"chapter": 5, "source": broken}), ("profile", {"source": broken}),
                                  ("solve", {"problem": "stencil", "source": broken}), ("check", {"chapter": 5, "source": skeleton})):
                said = (await session.call_tool(tool, request)).content[0].text
                self.assertLess(len(said), 6000, tool)
                self.assertNotIn("bad-request", said)
            flood = SOLUTIONS["stencil"].replace("  const int", '  printf("%d of a flood of words\\n", threadIdx.x);\n  const int', 1)
            self.assertLess(len((await session.call_tool("solve", {"problem": "stencil", "source": flood})).content[0].text), 6000)


if __name__ == "__main__":
    unittest.main()
