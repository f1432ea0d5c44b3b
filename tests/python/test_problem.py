"""Problems that are no transposes: the examples are solved by right kernels and by no wrong one, as an environment and as tools of a model too.

Enters: LAB_PROGRAM; numpy, and `mcp` for the last part. Leaves: one unittest verdict; what is not here is skipped."""
import importlib.util
import json
import os
import pathlib
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

import transpose_lab as lab  # noqa: E402
from transpose_lab.environment import KernelEnvironment  # noqa: E402
from transpose_lab.judge import Judge  # noqa: E402
from transpose_lab.problem import Problem, solve  # noqa: E402

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
# What goes wrong, and the code that says so.
MUTANTS = [
    ("reduction", "if (i < n) total", "total", "out-of-bounds"), ("reduction", "k < 8; ++k", "k < 7; ++k", "wrong-element"),
    ("reduction", "  __syncthreads();\n", "", "uninitialised-shared"),
    ("reduction", "blockIdx.x * 1024 + k * 256 + threadIdx.x", "blockIdx.x * 1024 + threadIdx.x * 4 + k", "over-budget"),
    ("histogram", "  __syncthreads();\n  for", "  for", "uninitialised-shared"), ("histogram", "atomicAdd(&mine[in[i]], 1)", "mine[in[i]]++", "shared-race"),
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
                self.assertIn(code, [one.code for one in solved.findings], str(solved))

    def test_a_kernel_that_writes_nothing(self) -> None:
        for problem in PROBLEMS.values():
            more = ", int m" if problem.entry == "stencil" else ""
            self.assertFalse(solve(problem, f'extern "C" __global__ void {problem.entry}(void* a, void* b, int n{more}) {{}}\n'))

    def test_files_that_are_none(self) -> None:
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
                done = subprocess.run([sys.executable, "-m", "transpose_lab", *words], capture_output=True, text=True,
                                      env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
                self.assertEqual(done.returncode, code, done.stderr)
                if source:
                    self.assertEqual(json.loads(done.stdout)["passed"], code == 0)

    def test_environment(self) -> None:
        environment = KernelEnvironment(PROBLEMS["reduction"], most_steps=2, judge=Judge())
        self.addCleanup(environment.close)
        task, info = environment.reset(seed=1)
        self.assertIn("Sum n floats", task)
        self.assertEqual(info, {"entry": "sum"})
        wrong = SOLUTIONS["reduction"].replace("k < 8; ++k", "k < 7; ++k")
        said, reward, ended, cut, _ = environment.step(wrong)
        self.assertEqual((ended, cut, reward["compiles"]), (False, False, 1.0))
        self.assertIn("wrong-element", said)
        _, _, ended, cut, _ = environment.step("int x;\n")
        self.assertEqual((ended, cut), (False, True))
        environment.reset(seed=1)
        self.assertEqual(environment.step(wrong)[:2], (said, reward))
        self.assertTrue(environment.step(SOLUTIONS["reduction"])[2])


@unittest.skipUnless(importlib.util.find_spec("mcp"), "no mcp")
class Tools(unittest.IsolatedAsyncioTestCase):
    async def test_a_session_of_a_client(self) -> None:
        from mcp import ClientSession, StdioServerParameters
        from mcp.client.stdio import stdio_client
        server = StdioServerParameters(command=sys.executable, args=["-m", "transpose_lab", "mcp"], env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
        async with stdio_client(server) as streams, ClientSession(*streams) as session:
            await session.initialize()
            tools = [tool.name for tool in (await session.list_tools()).tools]
            self.assertEqual(sorted(tools), ["check", "explain", "profile"])
            skeleton = (ROOT / "solutions/05_padding/skeleton.cu").read_text(encoding="utf-8")
            said = (await session.call_tool("check", {"chapter": "5", "source": skeleton})).content[0].text
            self.assertIn("bank-conflict", said)
            self.assertIn("wavefront", (await session.call_tool("explain", {"code": "bank-conflict"})).content[0].text)
            self.assertIn("bad-request", (await session.call_tool("check", {"chapter": "99", "source": skeleton})).content[0].text)


if __name__ == "__main__":
    unittest.main()
