"""The command `lab` of the pip package: what `lab init` lays into drawn folders, and what any other command gets.

Enters: python/transpose_lab, whose program is a stub here that prints its environment. Leaves: one unittest verdict."""
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/drawn"), str(ROOT / "python")]
import draws  # noqa: E402

from transpose_lab import practice  # noqa: E402

LETTERS = ["a", "é", "课", " ", "'", '"', "#", "%", ";", "-", "😀", "ا", "$"]


class Package(unittest.TestCase):
    def setUp(self) -> None:
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.work = pathlib.Path(work.name).resolve()
        self.site = self.work / "site-packages"
        package = self.site / "transpose_lab"
        package.mkdir(parents=True)
        for file in (ROOT / "python/transpose_lab").glob("*.py"):
            (package / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
        for place in ("common/kernel/lab.cuh", "chapters/01_naive/transpose.cu"):
            (package / "course" / place).parent.mkdir(parents=True, exist_ok=True)
            (package / "course" / place).write_text(place, encoding="utf-8")
        (self.site / "nvidia/cu13/lib").mkdir(parents=True)
        program = package / "common/cli/lab"
        program.parent.mkdir(parents=True)
        program.write_text('#!/bin/sh\nprintf "%s\\n" "$LAB_ROOT" "$LAB_CUDA_SEARCH" "$@"\nexit 7\n', encoding="utf-8")
        program.chmod(0o755)

    def lab(self, *words: str, folder: pathlib.Path | None = None, **environment: str) -> subprocess.CompletedProcess:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("LAB_")}
        return subprocess.run([sys.executable, "-m", "transpose_lab", *words], cwd=folder or self.work, capture_output=True, text=True,
                              env={**clean, "PYTHONPATH": str(self.site), **environment})

    def test_a_library_of_its_own_needs_no_newer_c_library(self):
        """What links no part of the lab brings arc4random itself: static libstdc++ asks for it, and C libraries have it since 2.36 alone."""
        for file in sorted((ROOT / "common").rglob("meson.build")):
            for target in re.findall(r"(?:shared_library|executable)\((?:[^()]|\([^()]*\))*\)", file.read_text(encoding="utf-8")):
                if "install: in_wheel" in target and "dependencies:" not in target and "-fno-exceptions" not in target:
                    self.assertIn("older_c_library", target, file)

    def test_drawn_folders(self) -> None:
        draw = draws.drawn("folders of lab init")
        for number in range(draws.draws_of_run(6)):
            name = f"{number}" + "".join(draw.choice(LETTERS) for _ in range(draw.randint(1, 12)))  # no name is drawn twice
            with self.subTest(name):
                made = self.lab("init", name)
                self.assertEqual((made.returncode, made.stderr), (0, ""))
                course = self.work / name
                self.assertEqual((course / "chapters/01_naive/transpose.cu").read_text(encoding="utf-8"), "chapters/01_naive/transpose.cu")
                self.assertTrue((course / "lab").stat().st_mode & stat.S_IXUSR)
                (course / "chapters/01_naive/transpose.cu").write_text("mine", encoding="utf-8")
                again = self.lab("init", name)
                self.assertEqual(again.returncode, 2, "a course that is there is never written over")
                self.assertEqual((course / "chapters/01_naive/transpose.cu").read_text(encoding="utf-8"), "mine")
                run = self.lab("check", "1", "two words", folder=course / "chapters/01_naive")
                self.assertEqual(run.returncode, 7)
                root, search, *words = run.stdout.splitlines()
                self.assertEqual(root, str(course))
                self.assertEqual(search.split(":"), ["/usr/local/cuda", "/opt/cuda", str(self.site / "nvidia/cu13")])
                self.assertEqual(words, ["check", "1", "two words"])

    def test_outside_of_a_course_the_package_serves(self) -> None:
        root = self.lab("list").stdout.splitlines()[0]
        self.assertEqual(root, str(self.site / "transpose_lab/course"))
        self.assertEqual(self.lab("list", LAB_ROOT="/elsewhere").stdout.splitlines()[0], "/elsewhere")

    def test_every_module_is_installed(self) -> None:
        listed = re.search(r"foreach module : \[(.*)\]", (ROOT / "python/meson.build").read_text(encoding="utf-8"))
        assert listed
        self.assertEqual(set(re.findall(r"'(\w+)'", listed[1])), {file.stem for file in (ROOT / "python/transpose_lab").glob("*.py")})

    def test_what_init_refuses(self) -> None:
        self.assertEqual(self.lab("init", "a", "b").returncode, 2)
        self.assertEqual(self.lab("init", "--fast").returncode, 2)
        self.assertEqual(self.lab("init", "--help").returncode, 0)
        file = self.work / "file"
        file.write_text("", encoding="utf-8")
        self.assertEqual(self.lab("init", "file").returncode, 2)
        wrong = self.lab("init", "file/below")
        self.assertEqual((wrong.returncode, wrong.stdout), (3, ""))
        self.assertIn("cannot be written", wrong.stderr)


class ForAnySystem(unittest.TestCase):
    """The package for Windows and macOS, whose program is WebAssembly; tests/browser/test_practice.py runs it."""

    def test_paths(self) -> None:
        for windows, program in ((r"C:\Users\ada\my course", "/c/Users/ada/my course"), (r"chapters\05\t.cu", "chapters/05/t.cu"), ("D:\\", "/d/")):
            self.assertEqual(practice.inside(windows, "nt"), program)
            self.assertEqual(practice.outside(program, "nt"), windows.replace("\\", "/"))
        for path in ("/c/course", "/lab/a\\b.cu"):
            self.assertEqual((practice.inside(path, "posix"), practice.outside(path, "posix")), (path, path))

    def test_what_is_left_out(self) -> None:
        """All commands of the program, but for those that the module has."""
        page = (ROOT / "tools/setup/help.en.txt").read_text(encoding="utf-8").split("==>|lab|\n")[1].split("==>")[0]
        has = set(re.findall(r"(\w+)_command\(s\)", (ROOT / "common/cli/commands_browser.cpp").read_text(encoding="utf-8"))) | {"inspect"}
        self.assertEqual(set(re.findall(r"^  ([a-z]+) ", page, re.MULTILINE)) - has, set(practice.LEFT_OUT))

    def test_it_starts_without_what_only_posix_has(self) -> None:
        without = """import os, signal, sys
for name in ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"): sys.modules[name] = None
for name in ("fork", "geteuid", "getuid", "killpg", "setsid"): delattr(os, name)
for name in ("SIGHUP", "SIGKILL"): delattr(signal, name)
import transpose_lab.launcher, transpose_lab.practice"""
        done = subprocess.run([sys.executable, "-c", without], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_what_it_says(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            module = pathlib.Path(folder, "lab.wasm")
            module.write_bytes(b"")
            lab = lambda *words: subprocess.run([sys.executable, "-S", *words], capture_output=True, text=True, cwd=folder,
                                                env={"PYTHONPATH": str(ROOT / "python"), "LAB_PROGRAM": str(module), "PATH": os.environ["PATH"]})
            done = lab("-m", "transpose_lab", "run", "program.cu")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("run is left out", done.stderr)
            done = lab("-m", "transpose_lab", "check", "1")  # -S: no package is found
            self.assertEqual(done.returncode, 3)
            self.assertIn("-m pip install wasmtime", done.stderr)
            self.assertIn("the commands of the course alone", lab("-c", "import transpose_lab; transpose_lab.explain('bank-conflict')").stderr)


class OnPyPI(unittest.TestCase):
    """What a package index shows: it has no folder around the page, so that a relative link leads nowhere."""

    @staticmethod
    def relative(page: str) -> list[str]:
        named = re.findall(r"\]\(([^)\s]+)|<[^>]+ (?:src|srcset|href)=\"([^\"]+)", page)
        return [link for found in named for link in found if link and not link.startswith(("https://", "mailto:"))]

    def test_the_page_links_absolutely(self) -> None:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        page = (ROOT / project["readme"]).read_text(encoding="utf-8")
        self.assertIn("](https://", page)
        self.assertEqual(self.relative(page), [])
        self.assertEqual(self.relative('[a](docs/a.md) <img alt="b" src="b.svg"> [c](https://c.org)'), ["docs/a.md", "b.svg"])

    def test_metadata_is_complete(self) -> None:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        for key in ("description", "readme", "license", "license-files", "authors", "keywords", "requires-python", "classifiers"):
            self.assertTrue(project.get(key), key)
        self.assertRegex(project["license"], r"^[A-Z][\w.-]+$")  # SPDX: then no classifier says it again
        self.assertEqual([row for row in project["classifiers"] if row.startswith("License")], [])
        self.assertLessEqual({"Homepage", "Documentation", "Repository", "Issues", "Changelog"}, set(project["urls"]))


if __name__ == "__main__":
    unittest.main()
