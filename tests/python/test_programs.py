"""numba, CuPy and Triton on the simulated GPU: each program's results are right, and its counters are those of a CUDA C++ twin.

Enters: LAB_PROGRAM; tests/python/programs, pairs of NAME.py and NAME.cu; nvcc. Leaves: one unittest verdict; programs whose package is not
here are skipped and say so. Shared memory is compared but for Triton, which lays it out as it likes. Run by hand with a Python that has the
packages: LAB_PROGRAM=build/common/cli/lab PYTHON=venv/bin/python tests/python/test_programs.py"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = os.environ["LAB_PROGRAM"]
PYTHON = os.environ.get("PYTHON", sys.executable)
NEEDS = {"numba": "numba_cuda", "cupy": "cupy", "triton": "triton, torch"}
ALL = sorted(HERE.glob("programs/*.py"))


def has(modules: str) -> bool:
    names = [name.strip() for name in modules.split(",")]
    asked = f"import importlib.util, sys; sys.exit(not all(importlib.util.find_spec(name) for name in {names}))"
    return subprocess.run([PYTHON, "-c", asked]).returncode == 0


def launches(*words: str) -> tuple[list[dict], str]:
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "launches.json")
        done = subprocess.run([PROGRAM, "run", "--quiet", "--lines", "--json", str(report), *words], capture_output=True, text=True, timeout=600)
        if done.returncode or not report.exists():
            raise AssertionError(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return json.loads(report.read_text(encoding="utf-8")), done.stderr


def counted(launch: dict, kind: str) -> dict[str, tuple[int, int]]:
    """By path: requests, and sectors or wavefronts. Paths without a request, and those that weigh nothing, are left out."""
    spaces = ("global",) if kind == "triton" else ("global", "shared")
    return {path: (c["requests"], c.get("sectors", c.get("wavefronts"))) for path, c in launch["counters"].items()
            if path.startswith(spaces) and c["requests"]}


class Programs(unittest.TestCase):
    def of(self, kind: str) -> None:
        if not has(NEEDS[kind]):
            self.skipTest(f"no {NEEDS[kind]}")
        if not shutil.which("nvcc"):
            self.skipTest("no nvcc")
        programs = [file for file in ALL if file.name.startswith(kind)]
        self.assertTrue(programs)
        for file in programs:
            with self.subTest(file.name):
                python, _ = launches(PYTHON, str(file))
                twin, _ = launches(str(file.with_suffix(".cu")))
                self.assertEqual(len(python), len(twin))
                for one, other in zip(python, twin):
                    self.assertEqual(one["faults"], [])
                    self.assertEqual(counted(one, kind), counted(other, kind))
                    here = [line for line in one["lines"] if line["file"].endswith(file.name)]
                    self.assertTrue(here or kind == "cupy", "no line of the Python file is named")

    def test_numba(self) -> None:
        self.of("numba")

    def test_cupy(self) -> None:
        self.of("cupy")

    def test_triton(self) -> None:
        self.of("triton")


if __name__ == "__main__":
    if not shutil.which("nvcc") or not any(map(has, NEEDS.values())):
        print("skipped: no nvcc, or none of the packages")
        sys.exit(77)
    unittest.main()
