"""The door for programs: drawn kernels through C, Python and `lab judge` leave and find the same; the programs of docs/embed.md run.

Enters: LAB_PROGRAM, LAB_BUILD (the build folder), LAB_EMBED (the library). Leaves: one unittest verdict; parts without numpy are skipped."""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["LAB_BUILD"])
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests/drawn")]
os.environ["LAB_ROOT"] = str(ROOT)
import draws  # noqa: E402

import transpose_lab as lab  # noqa: E402
from transpose_lab import judge, ptx_flags  # noqa: E402

ADD = (ROOT / "examples/embed/scale.py").read_text(encoding="utf-8").split('"""')[3]
HAS_NUMPY = importlib.util.find_spec("numpy") is not None


def drawn_kernel(draw) -> str:
    """Right or not: a guard may lack, a barrier, an atomic, and indices may go too far."""
    n = draw.choice([32, 64, 96])
    index = draw.choice(["i", "n - 1 - i", f"i * {draw.randint(1, 5)} % n", "i ^ 1", f"i + {draw.randint(0, 3)}"])
    value = f"x[{index}] {draw.choice('+-*^|&')} {draw.randint(1, 99)}"
    tile = draw.random() < 0.5
    store = draw.choice(["y[i] = v;", "y[i] = v;", "atomicAdd(&y[i / 2], v);", "y[i / 2] = v;", "y[n - 1 - i] += v;"])
    guard = "if (i < n) " if draw.random() < 0.8 else ""
    lines = ["const int i = blockIdx.x * blockDim.x + threadIdx.x;"]
    if tile:
        barrier = "__syncthreads();" if draw.random() < 0.7 else ""
        lines += [f"__shared__ int t[{n}];", f"t[threadIdx.x] = i < n ? {value} : 0;", barrier,
                  "const int v = t[blockDim.x - 1 - threadIdx.x] + a;", guard + store]
    else:
        lines += [guard + f"{{ const int v = {value} + a; {store} }}"]
    body = "\n  ".join(lines)
    return f'extern "C" __global__ void drawn(int* y, const int* x, int a, int n) {{\n  {body}\n}}\n', n


def compiled(folder: pathlib.Path, source: str) -> str:
    """By the built-in compiler, as `lab judge` asks it."""
    (folder / "kernel.cu").write_text(source, encoding="utf-8")
    subprocess.run([BUILD / "common/compile/builtin/lab-cucc", f"-I{ROOT}", f"-I{ROOT}/common/kernel/nvrtc_stubs", "-o", "kernel.ptx", "kernel.cu"],
                   cwd=folder, check=True)
    return (folder / "kernel.ptx").read_text(encoding="utf-8")


def aligned(values):
    """On the boundary of 512 bytes, as a GPU's buffers are: sectors are counted by addresses."""
    import numpy as np
    room = np.zeros(values.nbytes + 512, np.uint8)
    start = -room.ctypes.data % 512
    made = room[start:start + values.nbytes].view(values.dtype)
    made[:] = values
    return made


def reported(answer, *, with_code: bool = True):
    """What does not depend on the way."""
    findings = [(one.get("code") or one["kind"], one["message"], one["line"], one["block"], one["thread"]) for one in answer["findings"]]
    lines = [{key: value for key, value in line.items() if key != "file"} for line in answer["lines"]]
    return {"findings": findings, "counters": answer["counters"], "lines": lines, "totals": answer["totals"], "output": answer["output"],
            "lanes": answer["simulated"]["lane_instructions"]}


class Ways(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.program = pathlib.Path(cls.folder.name, "through_c")
        cls.cc = shutil.which("cc")
        if cls.cc:
            subprocess.run([cls.cc, "-std=c11", "-Wall", "-Wextra", "-Werror", ROOT / "tests/embed/through_c.c", *ptx_flags.flags(), "-o", cls.program],
                           check=True)
        cls.judge = judge.Judge(words=["--compiler", "builtin", "judge", "--stdin", "--no-sandbox"])

    @classmethod
    def tearDownClass(cls) -> None:
        cls.judge.close()
        cls.folder.cleanup()

    def through_c(self, folder: pathlib.Path, grid: int, block: int, flags: int, y, x, a: int, n: int):
        import numpy as np
        for name, values in (("y", y), ("x", x)):
            (folder / name).write_bytes(values.tobytes())
        done = subprocess.run([self.program, "kernel.ptx", "drawn", str(grid), str(block), str(flags), "b:y", "b:x", f"i:{a}", f"i:{n}"], cwd=folder,
                              capture_output=True, text=True, check=True)
        return json.loads(done.stdout), np.frombuffer((folder / "y").read_bytes(), y.dtype)

    @unittest.skipUnless(HAS_NUMPY, "no numpy")
    def test_the_same_by_each_way(self) -> None:
        import numpy as np
        draw = draws.drawn("kernels through the door")
        seen = set()
        for _ in range(draws.draws_of_run(16)):
            source, n = drawn_kernel(draw)
            block = draw.choice([n, n, 32])
            n -= draw.choice([0, 0, 5])
            grid, a = -(-n // block), draw.randint(-9, 9)
            x, y = (aligned(np.array([draw.randint(-99, 99) for _ in range(n)], np.int32)) for _ in range(2))
            before = y.copy()
            with tempfile.TemporaryDirectory() as name, self.subTest(source):
                folder = pathlib.Path(name)
                text = compiled(folder, source)
                by_judge_y = y.copy()
                answer = self.judge.ask(op="launch", source=source, grid=grid, block=block, arguments=lab.lab.arguments_of(
                    {"argument 1": by_judge_y, "argument 2": x, "argument 3": a, "argument 4": n}))
                by_judge = np.frombuffer(__import__("base64").b64decode(answer["buffers"]["argument 1"]), y.dtype)
                ran = lab.run_ptx(text, grid, block, [y, x, a, n], stop=True)
                self.assertEqual(reported(ran.json), reported(answer))
                if not answer["findings"]:
                    np.testing.assert_array_equal(y, by_judge)
                seen.update(one.code for one in ran.findings)
                if self.cc is None:
                    continue
                for flags in (0, 1):  # as a GPU goes on; and unchecked
                    y[:] = before
                    ran = lab.run_ptx(text, grid, block, [y, x, a, n], check=flags == 0, host_threads=1)
                    by_c, left = self.through_c(folder, grid, block, flags, before, x, a, n)
                    self.assertEqual(reported(by_c), reported(ran.json))
                    np.testing.assert_array_equal(left, y)
        print("found:", *sorted(seen))

    @unittest.skipUnless(HAS_NUMPY, "no numpy")
    def test_threads(self) -> None:
        import numpy as np
        shared, wrong = lab.PtxModule(ADD), []

        def work(module: lab.PtxModule, factor: float) -> None:
            for _ in range(20):
                x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
                ran = module.launch(4, 32, [y, x, factor, 100])
                if ran.findings or not (y == factor * x).all():
                    wrong.append(str(ran))

        threads = [threading.Thread(target=work, args=(shared if i % 2 else lab.PtxModule(ADD), float(i))) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


@unittest.skipUnless(HAS_NUMPY, "no numpy")
class Python(unittest.TestCase):
    def test_arguments(self) -> None:
        import numpy as np
        x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
        for refused in ([y, x, 2.0], [y, x[::2], 2.0, 64], [y, x, 2.0, 1 << 40], [y, x, 2.0, 1.5], [y, "x", 2.0, 64], [y, x, b"123", 64],
                        [y, np.array([None]), 2.0, 64], [y, x, 1e300, 64], [y, x.astype(">f4"), 2.0, 64]):
            with self.assertRaises(lab.PtxError) as raised:
                lab.run_ptx(ADD, 2, 32, refused)
            self.assertEqual(raised.exception.code, "bad-request")
        for grid in ((), (1, 1, 1, 1), "2", -1, 1.5, 1 << 32):
            with self.assertRaises(lab.PtxError):
                lab.run_ptx(ADD, grid, 32, [y, x, 2.0, 64])
        for how in ({"shared_bytes": -1}, {"shared_bytes": 1 << 32}, {"schedule": 1 << 64}, {"host_threads": -1}, {"entry": "scale\0"}):
            with self.assertRaises(lab.PtxError):
                lab.run_ptx(ADD, 2, 32, [y, x, 2.0, 64], **how)
        self.assertFalse(y.any())
        for rows in (x.astype(np.float32), bytearray(x.tobytes())):
            self.assertEqual(lab.run_ptx(ADD, (2, 1), 32, {"y": y, "x": rows, "a": np.float32(3), "n": np.uint32(64)}).findings, [])
            self.assertTrue((y == 3 * x).all())
        own = {one: value for one, value in zip(re.findall(r"\.param \.\w+ (\w+)", ADD), [y, x, 2.0, 64])}
        lab.run_ptx(ADD, 2, 32, dict(sorted(own.items(), reverse=True)))  # by name
        self.assertTrue((y == 2 * x).all())
        found = lab.run_ptx(ADD, 2, 32, {"\udcff": y[:1], "x": x, "a": 2.0, "n": 64}).findings  # a name that is no text
        self.assertEqual([one.code for one in found], ["out-of-bounds"])
        self.assertEqual(lab.run_ptx(ADD, 2, 32, [x, x, 2.0, 64]).findings, [])  # one array twice, and a part of it
        self.assertEqual(lab.run_ptx(ADD, 1, 16, [x, x[16:], 2.0, 16]).findings, [])
        self.assertEqual(x[0], 64)

    def test_findings(self) -> None:
        import numpy as np
        x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
        line = 1 + ADD[:ADD.index("st.global")].count("\n")
        fixed = x.copy()
        fixed.flags.writeable = False
        for where, code in ((x.ctypes.data, "write-to-const"), (None, "out-of-bounds"), (0x123456789000, "out-of-bounds"), (y[63:], "out-of-bounds")):
            found = lab.run_ptx(ADD, 2, 32, [fixed if code == "write-to-const" else where, fixed, 2.0, 64]).findings
            self.assertEqual([(one.code, one.ptx_line) for one in found], [(code, line)])
            self.assertIn(f"PTX line {line}", str(found[0]))
        self.assertEqual(lab.run_ptx(ADD, 0, 32, [y, x, 2.0, 64]).findings[0].code, "invalid-launch")
        self.assertEqual(lab.run_ptx(ADD, 2, 32, [x.ctypes.data, y, 2.0, 64], raw=True).findings, [])

    def test_errors_of_texts(self) -> None:
        for text, code, line in (("", "bad-ptx", 1), ("hello", "bad-ptx", 1), (ADD.replace("mul.f32", "mul.f33"), "unsupported", 21),
                                 (ADD.replace("mul.f32 %f1, %f1", "mul.f32 %f1 %f1"), "bad-ptx", 21), (ADD[:-3], "bad-ptx", 5)):
            with self.assertRaises(lab.PtxError) as raised:
                lab.run_ptx(text, 1, 1, [None, None, 1.0, 0])
            self.assertEqual((raised.exception.code, raised.exception.line), (code, line), str(raised.exception))
            self.assertGreaterEqual(raised.exception.column, 1)
        self.assertEqual(lab.PtxModule(ADD).entries, ["scale"])
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "scale.ptx")
            with self.assertRaisesRegex(lab.PtxError, "cannot be read"):
                lab.PtxModule(str(file))
            file.write_text(ADD, encoding="utf-8")
            for named in (file, str(file), file.read_bytes()):
                self.assertEqual(lab.PtxModule(named).entries, ["scale"])
        with self.assertRaises(lab.PtxError):
            lab.PtxModule(ADD).launch(1, 1, [None, None, 1.0, 0], entry="none")


class Page(unittest.TestCase):
    """What docs/embed.md says."""

    @unittest.skipUnless(shutil.which("nm"), "no nm")
    def test_the_library_stands_alone(self) -> None:
        """No process, no end of the caller, and no name but its own."""
        library = os.environ["LAB_EMBED"]
        symbols = subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True).stdout.split("\n")
        used = {line.split()[-1].partition("@")[0] for line in symbols if " U " in line}
        given = {line.split()[-1].partition("@")[0] for line in symbols if " T " in line}
        header = (ROOT / "common/run/embed/transpose_ptx.h").read_text(encoding="utf-8")
        self.assertEqual(given, set(re.findall(r"\b(lab_ptx_\w+)\(", header)))
        self.assertFalse(used & {"fork", "vfork", "execve", "execvp", "posix_spawn", "exit", "_exit", "abort", "system", "popen"})

    def test_the_page_shows_the_examples(self) -> None:
        for page in ("docs/embed.md", "docs/embed.zh.md"):
            text = (ROOT / page).read_text(encoding="utf-8")
            for name in ("scale.c", "scale.py", "ptx_run.c"):
                self.assertIn(f"../examples/embed/{name}", text, page)

    @unittest.skipUnless(shutil.which("cc"), "no C compiler")
    def test_the_programs_run(self) -> None:
        paths = [str(ROOT / "python"), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        page = (ROOT / "docs/embed.md").read_text(encoding="utf-8")
        shown = re.findall(r"```\n(.*?)```", page, re.S)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("scale.c", "scale.py", "ptx_run.c"):
                shutil.copy(ROOT / "examples/embed" / name, folder)
            commands = [line[2:] for block in shown for line in block.split("\n") if line.startswith("$ ") and ("scale" in line or "ptx_run.c" in line)]
            self.assertEqual(len(commands), 4)
            for command in commands:
                if "scale.py" in command and not HAS_NUMPY:
                    continue
                command = command.replace("python3", sys.executable)
                done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""), command)
                if done.stdout:
                    self.assertIn(done.stdout, page.replace("\u00a0", " "))
            if HAS_NUMPY:
                self.ptx_run(folder)

    def ptx_run(self, folder: str) -> None:
        """As tinygrad calls it: a text, values of eight bytes each, blocks before grids."""
        import ctypes

        import numpy as np
        library = ctypes.CDLL(f"{folder}/libptxrun.so")
        x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
        a = int.from_bytes(np.float32(3).tobytes(), "little")
        values = (ctypes.c_void_p * 4)(y.ctypes.data, x.ctypes.data, a, 100)
        for _ in range(2):
            library.ptx_run(ADD.encode(), 4, values, 32, 1, 1, 4, 1, 1, 0)
        self.assertTrue((y == 3 * x).all())
        library.ptx_run(b"no PTX", 4, values, 32, 1, 1, 4, 1, 1, 0)


if __name__ == "__main__":
    if re.search(rb"__[at]san_init", pathlib.Path(os.environ["LAB_EMBED"]).read_bytes()):
        print("skipped: a sanitized library is for programs that were built with it")
        sys.exit(77)
    unittest.main()
