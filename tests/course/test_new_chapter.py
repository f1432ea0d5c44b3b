"""tools/new-chapter in a copy of the project: what it leaves is built, fails as intended, and passes the tests of lessons and messages.

Enters: MESON, NINJA, LAB_BUILD (the built folder). Leaves: one unittest verdict. The copy takes what is built already along, so that
only the new chapter is compiled."""

import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["LAB_BUILD"])
NAME = "77_trial"
OPTIONS = ("buildtype", "optimization", "debug", "unity", "unity_size", "b_sanitize", "b_lundef", "simd")
# What may change: one folder each side, a test file, a wrong kernel, a place in the list and in the rubric, the Chinese of its sentences.
TOUCHED = {f"chapters/{NAME}/README.md", f"chapters/{NAME}/README.zh.md", f"chapters/{NAME}/transpose.cu",
           f"solutions/{NAME}/transpose.cu", f"solutions/{NAME}/skeleton.cu", f"tests/chapters/test_{NAME}.cpp",
           "tests/mutants/course/77_odd_rows.cu", "chapters/chapters.toml", "common/class/grade/rubric.toml", "common/base/text/zh.po",
           "README.md", "README.zh.md", "docs/workshop.md", "docs/workshop.zh.md"}


def said(*command: object, folder: pathlib.Path, codes: tuple[int, ...] = (0,), **env: str) -> str:
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, timeout=600, check=False,
                          env=dict(os.environ, LAB_ROOT=str(folder), LAB_LANG="en", **env))
    if done.returncode not in codes:
        raise AssertionError(f"{command[0]} … {command[-1]}: exit code {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def copy_sources(target: pathlib.Path) -> dict[str, bytes]:
    """The project without what is built, times kept; name → bytes."""
    ignored = shutil.ignore_patterns("build*", ".git", ".venv", ".lab", ".cache", ".editor*", "__pycache__", "*.bak*")
    shutil.copytree(ROOT, target, ignore=lambda folder, names: ignored(folder, names) if pathlib.Path(folder) == ROOT else
                    {n for n in names if n == "__pycache__" or ".bak" in n}, symlinks=True)
    return contents(target)


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts}


def build(folder: pathlib.Path) -> pathlib.Path:
    """Sets up a build folder like BUILD, takes its objects along, and builds `lab`; the program."""
    new = folder / "build"
    for part in ("common", "chapters", "tests/chapters"):
        shutil.copytree(BUILD / part, new / part)
    for log in (".ninja_log", ".ninja_deps", "units.json"):
        if log != "units.json" or (BUILD / log).exists():  # only ./lab compiles in units
            shutil.copy2(BUILD / log, new / log)
    known = {o["name"]: o["value"] for o in json.loads(said(os.environ["MESON"], "introspect", BUILD, "--buildoptions", folder=ROOT))}
    options = [f"-D{name}={str(known[name]).lower()}" for name in OPTIONS if name in known]
    # `introspect --compilers` is younger than Meson 1.0: what stands before the first option is the compiler.
    compile_line = json.loads((BUILD / "compile_commands.json").read_text())[0]["command"].split()
    cxx = itertools.takewhile(lambda word: not word.startswith("-"), compile_line)
    said(os.environ["MESON"], "setup", new, *options, folder=folder, CXX=" ".join(cxx))
    said(sys.executable, folder / "tools/setup/units.py", new, folder=folder)  # as ./lab does
    said(os.environ["NINJA"], "-C", new, "-j2", "common/cli/lab", "tests/chapters/verify_lessons", folder=folder)
    return new / "common/cli/lab"


class Refusals(unittest.TestCase):
    def test_names(self) -> None:
        for name, words in (("trial", "no chapter's name"), ("77-trial", "no chapter's name"), ("01_naive", "does not come after"),
                            ("05_again", "does not come after")):
            done = subprocess.run([ROOT / "tools/new-chapter", name], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(words, done.stderr)

    def test_mistakes_in_the_list(self) -> None:
        sys.path.insert(0, str(ROOT / "tools"))
        import chapters
        good = 'idea = "x"\nskeleton = { case = "a-b", code = "c" }\n'
        for text, words in (("", "no chapter"), ("[05_a\n", "Expected"), (f"[5_a]\n{good}", "no chapter's name"),
                            (f"[05_a]\n{good}[04_b]\n{good}", "must rise"), (f"[05_a]\n{good}[05_b]\n{good}", "must rise"),
                            ('[05_a]\nskeleton = { case = "a", code = "b" }\n', "needs idea"), ('[05_a]\nidea = "x"\n', "needs skeleton"),
                            (f"[05_a]\n{good}points = 3\n", "means nothing here"),
                            ('[05_a]\nidea = "x"\nskeleton = { case = "Right here", code = "b" }\n', "is no id")):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "chapters.toml")
                path.write_text(text, encoding="utf-8")
                with self.assertRaises(chapters.ListError, msg=text) as caught:
                    chapters.read(path)
                self.assertIn(words, str(caught.exception))


class NewChapter(unittest.TestCase):
    folder: tempfile.TemporaryDirectory
    root: pathlib.Path
    lab: pathlib.Path
    touched: set[str]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = pathlib.Path(cls.folder.name).resolve() / "lab"
        before = copy_sources(cls.root)
        said("tools/new-chapter", NAME, folder=cls.root)
        after = contents(cls.root)
        cls.touched = {name for name in after if before.get(name) != after[name]}
        cls.lab = build(cls.root)

    def check(self, kernel: str) -> dict:
        return json.loads(said(self.lab, "check", "77", "--kernel", kernel, "--device", "sim", "--json", folder=self.root, codes=(0, 1)))

    def test_it_touches_what_the_guide_says(self) -> None:
        self.assertEqual(self.touched, TOUCHED)

    def test_pages_and_messages(self) -> None:
        for test in ("tests/base/test_twins.py", "tests/base/test_messages.py", "tests/course/test_manifest.py", "tests/setup/test_links.py",
                     "tools/messages.py"):
            said(sys.executable, self.root / test, folder=self.root)
        said(sys.executable, self.root / "tools/readme_ladder.py", "--check", folder=self.root)
        said("build/tests/chapters/verify_lessons", NAME, folder=self.root)

    def test_kernels_get_the_verdicts_that_the_list_promises(self) -> None:
        self.assertIn(f'["{NAME}"]', said(self.lab, "grade", "--print-rubric", folder=self.root))
        self.assertIn(NAME, [c["chapter"] for c in json.loads(said(self.lab, "list", "--json", folder=self.root))["chapters"]])
        solution = self.check(f"solutions/{NAME}/transpose.cu")
        self.assertTrue(solution["passed"], solution)
        listed = tomllib.loads((self.root / "chapters/chapters.toml").read_text(encoding="utf-8"))[NAME]["skeleton"]
        first = self.first_failure(f"chapters/{NAME}/transpose.cu")
        self.assertEqual(first, (listed["case"], listed["code"]))
        self.assertEqual(self.first_failure("tests/mutants/course/77_odd_rows.cu"), ("right", "never-written"))
        for earlier in ("01_naive", "08_vectorized_swizzle"):
            self.assertEqual(self.first_failure(f"solutions/{earlier}/transpose.cu"), (listed["case"], listed["code"]))

    def test_a_class_is_graded_in_it_end_to_end(self) -> None:
        """An instructor's own chapter: handed in, graded by its own rubric, late, verified, and back in a gradebook."""
        desk = self.root.parent / "desk"
        for student, kernel in (("ada", f"solutions/{NAME}/transpose.cu"), ("bob", f"chapters/{NAME}/transpose.cu"), ("cem",
            "tests/mutants/course/77_odd_rows.cu")):
            (desk / "class" / student).mkdir(parents=True)
            shutil.copy2(self.root / kernel, desk / "class" / student / "77_trial.cu")
        points = tomllib.loads((self.root / "common/class/grade/rubric.toml").read_text(encoding="utf-8"))[NAME]
        first = next(iter(points))
        rubric = f'[late]\ndeadline = 2027-03-01T23:59:00Z\npercent_per_day = 50\n["{NAME}"]\n{first} = {{ points = 9 }}\n'
        (desk / "rubric.toml").write_text(rubric, encoding="utf-8")
        times = "ada,,2027-03-02T10:00:00Z\nbob,,2027-03-01T10:00:00Z\ncem,,2027-03-01T10:00:00Z\n"
        (desk / "submitted.csv").write_text("student,file,time\n" + times, encoding="utf-8")
        (desk / "roster.csv").write_text("id,name\nada,Ada\nbob,Bob\ncem,Cem\nzoe,Zoe\n", encoding="utf-8")
        said(self.lab, "grade", "run", desk / "class", "--chapters", "77", "--rubric", desk / "rubric.toml", "--submitted", desk / "submitted.csv",
             "--roster", desk / "roster.csv", "--no-sandbox", "--out", desk / "out", "--format", "json,html,feedback", folder=self.root)
        students = {s["student"]: s["chapters"][0] for s in json.loads((desk / "out/results.json").read_text(encoding="utf-8"))["students"]}
        self.assertEqual(sorted(students), ["Ada", "Bob", "Cem", "Zoe"])  # as the roster names them
        self.assertEqual((students["Ada"]["passed"], students["Ada"]["late_percent"]), (True, 50))
        self.assertEqual(students["Ada"]["points"], students["Ada"]["points_possible"] / 2)
        self.assertEqual([students[name]["points"] for name in ("Bob", "Cem", "Zoe")], [0, 0, 0])
        for student in ("Ada", "Bob", "Cem"):
            self.assertIn("the same", said(self.lab, "grade", "verify", desk / "out/records" / student / f"{NAME}.json", folder=self.root))

    def first_failure(self, kernel: str) -> tuple[str, str]:
        case = next(c for c in self.check(kernel)["cases"] if not c["passed"])
        return case["id"], case["reasons"][0]["code"]


if __name__ == "__main__":
    unittest.main()
