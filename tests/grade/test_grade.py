"""`lab grade` over a small class, as an instructor runs it.

Enters: LAB_PROGRAM, the built program, and LAB_ROOT, the project. Leaves: one unittest verdict. The class holds what real ones
hold: solutions, skeletons, mistakes, nothing at all, two files for one chapter, broken and hostile archives, links, names
that are no text."""
import csv
import filecmp
import html.parser
import io
import json
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree
import zipfile

PROGRAM = os.environ["LAB_PROGRAM"]
ROOT = pathlib.Path(os.environ["LAB_ROOT"])
FORMATS = "csv,json,html,junit,gradescope,classroom50,github"
HOSTILE = '=HYPERLINK("x")<script>alert(1)<|script>'


def kernel(place):
    return (ROOT / place).read_bytes()


def solution(chapter):
    return kernel(f"solutions/{chapter}/transpose.cu")


def lab(*args, env=None, cwd=None):
    full = dict(os.environ, TERM="dumb", **(env or {}))
    done = subprocess.run([PROGRAM, *map(os.fsdecode, args)], capture_output=True, env=full, cwd=cwd, timeout=500)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def grade(*args, **more):
    return lab("grade", *args, **more)


def put(folder, name, content):
    path = os.path.join(os.fsencode(folder), os.fsencode(name))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def put_zip(path, entries, links=()):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            archive.writestr(name, content)
        for name, target in links:
            info = zipfile.ZipInfo(name)
            info.create_system = 3
            info.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(info, target)


def make_class(folder):
    """Chapters 05 and 06. Ten different kernel texts; one of them differs from a solution in a comment alone."""
    padding, swizzle = solution("05_padding"), solution("06_xor_swizzle")
    put(folder, "clone/chapters/05_padding/transpose.cu", padding)
    put(folder, "clone/chapters/06_xor_swizzle/transpose.cu", swizzle)
    put(folder, "clone/chapters/01_naive/columns.cu", b"not asked for")
    put(folder, "clone/solutions/05_padding/transpose.cu", b"never looked at")
    put(folder, "clone/.git/HEAD", b"ref: refs/heads/main\n")
    put(folder, "skeletons/05_padding.cu", kernel("chapters/05_padding/transpose.cu"))
    put(folder, "skeletons/XOR Swizzle.CU", kernel("chapters/06_xor_swizzle/transpose.cu"))
    put(folder, "numbers/transpose05.cu", kernel("tests/mutants/course/05_two_columns.cu"))
    put(folder, "numbers/Chapter-6/my.cu", padding)  # a right kernel that is none of chapter 06
    put(folder, "comment/ch5/transpose.cu", padding.replace(b"\n", b"  // mine\n", 1))
    put(folder, "two/transpose5.cu", padding)
    put(folder, "two/chapter5.cu", swizzle)
    put(folder, "nothing/README.txt", b"sorry")
    put(folder, "empty/05_padding.cu", b"")
    put(folder, "empty/06_xor_swizzle.cu", b"\0\0\0")
    put(folder, "broken/05_padding.cu", b"this is no CUDA\n")
    put(folder, b"n\xffme/05_padding.cu", padding)
    put(folder, HOSTILE.replace("/", "") + "/05_padding.cu", padding)
    os.makedirs(os.path.join(folder, "links"))
    os.symlink("/etc/passwd", os.path.join(folder, "links/05_padding.cu"))
    os.mkfifo(os.path.join(folder, "links/06_xor_swizzle.cu"))
    put_zip(os.path.join(folder, "zipped.zip"), [("work/05 padding.cu", padding), ("work/notes.pdf", b"%PDF")])
    put_zip(os.path.join(folder, "escapes.zip"),
            [("../../05_padding.cu", padding), ("/tmp/06_xor_swizzle.cu", swizzle), ("a\\..\\..\\06.cu", swizzle),
             ("x" * 2000 + ".cu", swizzle)], links=[("chapters/05_padding/transpose.cu", "/etc/passwd")])
    put_zip(os.path.join(folder, "bomb.zip"), [("05_padding.cu", b"/" * (80 << 20))])
    put(folder, "garbage.zip", b"PK\3\4 and then nothing that makes sense")
    put(folder, "upload_123/homework.zip", b"")
    put_zip(os.path.join(folder, "upload_123/homework.zip"), [("06.cu", swizzle)])
    with tarfile.open(os.path.join(folder, "tarred.tar.gz"), "w:gz") as archive:
        info = tarfile.TarInfo("06_xor_swizzle.cu")
        info.size = len(swizzle)
        archive.addfile(info, io.BytesIO(swizzle))
        device = tarfile.TarInfo("05_padding.cu")
        device.type = tarfile.CHRTYPE
        archive.addfile(device)
    put(folder, "list.txt", b"who is in the class")


# student: points of 05 and 06. A skeleton is right and meets some goals, and earns nothing: none of them is what its chapter
# asks for. Two columns more take two wavefronts, 1/5 of the way back to the 32 that the chapter starts with: 4/5 of 4 points for
# that part of the goal, and nothing for the rest as long as the goal is missed. So does a right kernel of another chapter.
EXPECTED = {
    "clone": ("13", "13"), "skeletons": ("0", "0"), "numbers": ("3.2", "0"), "comment": ("13", "0"), "two": ("0", "0"),
    "nothing": ("0", "0"), "empty": ("0", "0"), "broken": ("0", "0"), "n%FFme": ("13", "0"), HOSTILE: ("13", "0"),
    "links": ("0", "0"), "zipped": ("13", "0"), "escapes": ("0", "0"), "bomb": ("0", "0"), "garbage": ("0", "0"),
    "upload_123": ("0", "13"), "tarred": ("0", "13"),
}


def same_files(one, other):
    """Relative paths that differ, times and the store of judgements left out."""
    wrong = []
    names = {p.relative_to(root).as_posix() for root in (one, other) for p in pathlib.Path(root).rglob("*") if p.is_file()}
    for name in sorted(names):
        if name == "times.json" or name.startswith("judgements/"):
            continue
        a, b = pathlib.Path(one, name), pathlib.Path(other, name)
        if not a.is_file() or not b.is_file() or not filecmp.cmp(a, b, shallow=False):
            wrong.append(name)
    return wrong, len(names)


class Graded(unittest.TestCase):
    """One run over the class, seen from all sides."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="lab-grade-")
        cls.students, cls.out = os.path.join(cls.folder, "class"), os.path.join(cls.folder, "out")
        make_class(cls.students)
        cls.code, cls.text, cls.errors = grade(cls.students, "--chapters", "5,6", "--out", cls.out, "--format", FORMATS, "-j", "4")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def read(self, name):
        return pathlib.Path(self.out, name).read_text(encoding="utf-8")

    def record(self, student, chapter="05_padding"):
        return json.loads(self.read(f"records/{student}/{chapter}.json"))

    def test_the_run_ends_well(self):
        self.assertEqual((self.code, self.errors), (0, ""))
        self.assertIn("passed over list.txt", self.text)
        self.assertIn("17 submissions, 15 kernels, 10 different", self.text)

    def test_scores_are_exact(self):
        rows = list(csv.DictReader(io.StringIO(self.read("grades.csv").lstrip("\ufeff"))))
        got = {row["student"].removeprefix("'"): (row["05_padding"], row["06_xor_swizzle"]) for row in rows}
        self.assertEqual(got, EXPECTED)

    def test_reasons_are_named(self):
        for student, chapter, state, code, words in (
            ("nothing", "05_padding", "missing", "no-kernel", "chapters/05_padding/transpose.cu"),
            ("two", "05_padding", "ambiguous", "ambiguous-kernel", "chapter5.cu, transpose5.cu"),
            ("empty", "05_padding", "refused", "not-a-kernel", "transpose.cu is empty"),
            ("empty", "06_xor_swizzle", "refused", "not-a-kernel", "binary"),
            ("broken", "05_padding", "does-not-compile", "does-not-compile", "error"),
            ("links", "05_padding", "missing", "no-kernel", "links are not followed"),
            ("links", "06_xor_swizzle", "missing", "no-kernel", "no ordinary file"),
            ("escapes", "05_padding", "missing", "no-kernel", "leads out of the archive"),
            ("bomb", "05_padding", "missing", "no-kernel", "more than 64 MiB"),
            ("garbage", "05_padding", "missing", "no-kernel", "damaged or no archive"),
            ("tarred", "05_padding", "missing", "no-kernel", "no ordinary file"),
            ("numbers", "05_padding", "judged", "bank-conflict", "2 wavefronts per request"),
            ("numbers", "06_xor_swizzle", "judged", "too-much-shared", "shared memory"),
        ):
            with self.subTest(student=student, chapter=chapter):
                record = self.record(student, chapter)
                self.assertEqual((record["state"], record["diagnosis"]), (state, code))
                self.assertIn(words, json.dumps(record, ensure_ascii=False))
                self.assertFalse(record["passed"])

    def test_records_name_no_place_and_no_time(self):
        for path in pathlib.Path(self.out, "records").rglob("*.json"):
            text = path.read_text()
            for word in (self.folder, str(ROOT), "/usr/", "seconds", ".cache"):
                self.assertNotIn(word, text, path)

    def test_same_kernels_are_judged_once(self):
        # Ten texts. Three never compile; `comment` has the PTX of `clone`, so that seven make six different ones.
        times = json.loads(self.read("times.json"))
        self.assertEqual(times["judged"], 10)
        verdicts = [p for p in pathlib.Path(self.out, "judgements").rglob("*") if p.is_file()]
        self.assertEqual(len(verdicts), 10 + 6)  # by text, and by PTX

    def test_csv(self):
        raw = pathlib.Path(self.out, "chapters.csv").read_bytes().decode("utf-8-sig")
        self.assertEqual(raw.count("\r\n"), raw.count("\n"))
        rows = list(csv.DictReader(io.StringIO(raw, newline="")))
        self.assertEqual(len(rows), 2 * len(EXPECTED))
        for row in rows:
            self.assertEqual(len(row), 10)
            for value in row.values():
                self.assertFalse(value[:1] in ("=", "+", "-", "@"), value)

    def test_json(self):
        whole = json.loads(self.read("results.json"))
        self.assertEqual(whole["format"], "transpose-lab class 1")
        self.assertEqual({s["student"] for s in whole["students"]}, set(EXPECTED))
        for student in whole["students"]:
            self.assertAlmostEqual(student["points"], sum(map(float, EXPECTED[student["student"]])))
            for chapter in student["chapters"]:
                self.assertEqual(set(chapter), {"chapter", "state", "passed", "points", "points_possible", "diagnosis", "message",
                                                "bonus", "dropped", "by_hand", "earlier",
                                                "file", "submission", "verdict", "submitted", "late_percent"})

    def test_untouched(self):
        """A file that compiles to the skeleton's PTX is called so; no other is."""
        for student in EXPECTED:
            for chapter in ("05_padding", "06_xor_swizzle"):
                record = json.loads(self.read(f"records/{student}/{chapter}.json")) if student != HOSTILE else {"untouched": False}
                self.assertEqual(record["untouched"], student == "skeletons", (student, chapter))
        self.assertEqual(self.read("index.html").count("untouched"), 2)

    def test_junit(self):
        path = os.path.join(self.out, "junit.xml")
        root = ElementTree.parse(path).getroot()
        self.assertEqual(len(root), 2 * len(EXPECTED))
        counted = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
        for suite in root:
            cases = suite.findall("testcase")
            counted["tests"] += len(cases)
            for word, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
                found = sum(case.find(element) is not None for case in cases)
                self.assertEqual(int(suite.get(word)), found)
                counted[word] += found
            points = {p.get("name"): p.get("value") for p in suite.iter("property")}
            full = points["points"] == points["points_possible"]
            self.assertEqual(full, int(suite.get("failures")) == 0, suite.get("name"))
        self.assertEqual({word: int(root.get(word)) for word in counted}, counted)
        if shutil.which("xmllint"):
            xsd = ROOT / "tests/grade/junit.xsd"
            done = subprocess.run(["xmllint", "--noout", "--schema", xsd, path], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        try:
            import junitparser
        except ImportError:
            return
        parsed = junitparser.JUnitXml.fromfile(path)
        self.assertEqual((parsed.tests, parsed.failures), (counted["tests"], counted["failures"]))

    def check_gradescope(self, result, points):
        """The rules of Gradescope's autograder documentation."""
        self.assertLessEqual(set(result), {"score", "execution_time", "output", "output_format", "test_output_format",
                                           "test_name_format", "visibility", "stdout_visibility", "extra_data", "tests", "leaderboard"})
        self.assertAlmostEqual(result["score"], points)
        self.assertIn(result["visibility"], ("visible", "hidden", "after_due_date", "after_published"))
        self.assertEqual(result["stdout_visibility"], "hidden")
        self.assertAlmostEqual(sum(test["score"] for test in result["tests"]), points)
        for test in result["tests"]:
            self.assertLessEqual(set(test), {"score", "max_score", "status", "name", "name_format", "number", "output",
                                             "output_format", "tags", "visibility", "extra_data"})
            self.assertIn(test["status"], ("passed", "failed"))
            self.assertEqual(test["output_format"], "text")
            self.assertTrue(0 <= test["score"] <= test["max_score"])
            self.assertRegex(test["number"], r"^\d+\.\d+$")
            self.assertTrue(all(isinstance(tag, str) for tag in test["tags"]))

    def test_gradescope(self):
        for student, points in EXPECTED.items():
            self.check_gradescope(json.loads(self.read(f"gradescope/{student}.json")), sum(map(float, points)))

    def test_classroom50(self):
        """classroom50/result/v1: whole numbers, sums that agree, all that is required."""
        for student, points in EXPECTED.items():
            result = json.loads(self.read(f"classroom50/{student}.json"))
            self.assertEqual(set(result), {"schema", "classroom", "assignment", "assignment_type", "owner", "submission", "commit",
                                           "release", "review", "datetime", "score", "max-score", "tests"})
            self.assertEqual(result["schema"], "classroom50/result/v1")
            self.assertIn(result["assignment_type"], ("individual", "group"))
            self.assertRegex(result["submission"], "^submit/")
            self.assertRegex(result["datetime"], r"^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$")
            self.assertEqual(result["score"], round(100 * sum(map(float, points))))
            self.assertEqual(result["max-score"], 2600)
            for word in ("score", "max-score"):
                self.assertIsInstance(result[word], int)
                self.assertEqual(result[word], sum(test[word] for test in result["tests"]))
            for test in result["tests"]:
                self.assertTrue(test["test-name"] and isinstance(test["passed"], bool) and isinstance(test["score"], int))

    def test_github(self):
        command = re.compile(r"^::(error|warning) (file=[^,:]+,)?(line=\d+,)?title=[^,:]+::.+$")
        lines = self.read("github-annotations.txt").splitlines()
        self.assertTrue(any("numbers 05_padding%3A conflict-free" in line and "line=41" in line for line in lines))
        for line in lines:
            self.assertRegex(line, command)
        summary = self.read("github-summary.md")
        self.assertIn("| numbers | 3.2 | 26 |", summary)
        self.assertNotIn("<script>", summary)

    def test_pages(self):
        class Reader(html.parser.HTMLParser):
            def __init__(self):
                super().__init__()
                self.links, self.tags, self.open = [], [], []

            def handle_starttag(self, tag, attributes):
                self.tags.append(tag)
                self.links += [value for name, value in attributes if name in ("href", "src")]
                if tag not in ("meta", "br"):
                    self.open.append(tag)

            def handle_endtag(self, tag):
                assert self.open.pop() == tag, tag

        index = Reader()
        index.feed(self.read("index.html"))
        self.assertEqual(index.open, [])
        self.assertEqual(index.tags.count("script"), 1)
        pages = set()
        for link in index.links:
            self.assertTrue(link.startswith("students/"), link)
            page = re.sub(r"%([0-9A-F]{2})", lambda m: chr(int(m[1], 16)), link.split("#")[0])
            pages.add(page)
            self.assertTrue(os.path.isfile(os.path.join(self.out, page)), page)
        self.assertEqual(len(pages), len(EXPECTED))
        for page in pages:
            text = self.read(page)
            reader = Reader()
            reader.feed(text)
            self.assertEqual((reader.open, reader.tags.count("script")), ([], 0), page)
            self.assertNotIn("<script>alert", text)
            self.assertEqual([link for link in reader.links if "://" in link], [])

    def test_verify(self):
        path = os.path.join(self.out, "records/numbers/05_padding.json")
        code, text, _ = grade("--verify", path)
        self.assertEqual((code, text), (0, "numbers 05_padding: the same, byte for byte\n"))
        honest = pathlib.Path(path).read_text()
        try:
            pathlib.Path(path).write_text(honest.replace('"points": 3.2', '"points": 13', 1))
            code, text, _ = grade("--verify", path, "--json")
            self.assertEqual(code, 1)
            found = json.loads(text)
            self.assertEqual([d["what"] for d in found["verdicts"]], ["points", "record"])
            self.assertEqual(found["tools"], [])
            name = json.loads(honest)["hashes"]["compiler"]
            pathlib.Path(path).write_text(honest.replace(name, "0" * 64).replace("nvrtc", "otherc").replace("nvcc", "otherc").replace("clang", "otherc"))
            code, text, _ = grade("--verify", path)
            self.assertEqual(code, 1)
            self.assertIn("compiler_name", text)
            self.assertIn("The verdict is the same", text)
            older = json.loads(honest)  # of before cases had ids: no difference is reported but the bytes
            for case in older["cases"]:
                del case["id"]
            pathlib.Path(path).write_text(json.dumps(older))
            code, text, _ = grade("--verify", path, "--json")
            self.assertEqual((code, [d["what"] for d in json.loads(text)["verdicts"]]), (1, ["record", "bytes"]))
            other = json.loads(honest)
            other["diagnosis"] = "\x1b[2Jgone"
            pathlib.Path(path).write_text(json.dumps(other))
            code, text, _ = grade("--verify", path)
            self.assertEqual((code, "\x1b" in text), (1, False))
            self.assertIn("\\x1b[2Jgone", text)
            for broken in ("", "{", "[]", '{"format": "transpose-lab record 1"}', '{"format": 7}',
                           honest.replace('"file": "', '"file": 7, "was": "'), honest.replace('"compiler_name": "', '"compiler_name": [], "x": "'),
                           "[" * 1_000_000 + "]" * 1_000_000, honest.replace('"diagnosis": ', '"diagnosis": ' + "[" * 100_000 + "]" * 100_000 + ', "x": ')):
                pathlib.Path(path).write_text(broken)
                code, text, errors = grade("--verify", path)
                self.assertEqual((code, text), (2, ""), broken[:300])
                self.assertIn("record", errors)
        finally:
            pathlib.Path(path).write_text(honest)

    def test_a_script_in_front_of_the_compiler_changes_nothing(self):
        compiler = shutil.which(os.environ.get("LAB_NVCC") or "nvcc")
        if not compiler:
            self.skipTest("no nvcc on PATH")
        script = os.path.join(self.folder, "tools/bin/nvcc")
        put(self.folder, "tools/bin/nvcc", f'#!/bin/sh\nexec "{compiler}" "$@"\n'.encode())
        os.chmod(script, 0o755)
        plain, other = os.path.join(self.folder, "plain"), os.path.join(self.folder, "script")
        for out, env in ((plain, {}), (other, {"LAB_NVCC": script})):
            code, _, errors = grade(self.students + "/numbers", "--chapters", "5", "--out", out, "--format", "json", "--compiler",
                                    "nvcc", env=env)
            self.assertEqual((code, errors), (0, ""))
        self.assertEqual(filecmp.cmp(f"{other}/records/numbers/05_padding.json",
                                     f"{plain}/records/numbers/05_padding.json", shallow=False), True)

    def test_verify_needs_a_kernel(self):
        path = os.path.join(self.out, "records/two/05_padding.json")
        code, _, errors = grade("--verify", path)
        self.assertEqual(code, 2)
        self.assertIn("Name the submission", errors)
        self.assertEqual(grade("--verify", path, self.students)[0], 0)
        other = os.path.join(self.out, "records/numbers/05_padding.json")
        code, text, _ = grade("--verify", other, os.path.join(self.students, "clone"))
        self.assertEqual(code, 1)
        self.assertIn("hashes.submission", text)

    def test_same_bytes_with_one_job_after_a_kill(self):
        """Killed in the middle, then finished with -j 1: the same bytes as the whole run with -j 4."""
        other = os.path.join(self.folder, "killed")
        arguments = [PROGRAM, "grade", self.students, "--chapters", "5,6", "--out", other, "--format", FORMATS, "-j", "1"]
        run = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 200
        # The worker keeps a verdict by PTX, then the grader by text: with three files one kernel is done.
        while sum(re.fullmatch("[0-9a-f]{64}", p.name) is not None for p in pathlib.Path(other, "judgements").rglob("*")) < 3:
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(run.poll(), "it ended before it could be killed")
            time.sleep(0.01)
        run.send_signal(signal.SIGKILL)
        run.wait()
        self.assertFalse(json.loads(pathlib.Path(other, "results.json").read_text())["complete"])
        code, text, _ = lab(*arguments[1:], "--json")
        self.assertEqual(code, 0)
        self.assertGreaterEqual(json.loads(text)["run"]["known"], 1)
        wrong, count = same_files(self.out, other)
        self.assertEqual(wrong, [])
        self.assertGreater(count, 100)

    def test_interrupt(self):
        other = os.path.join(self.folder, "interrupted")
        run = subprocess.Popen([PROGRAM, "grade", self.students, "--out", other, "--chapters", "5,6"], stderr=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 200
        while not os.path.isdir(os.path.join(other, "records/clone")) and time.monotonic() < deadline and run.poll() is None:
            time.sleep(0.01)
            if os.path.isdir(os.path.join(other, "sources")):
                break
        run.send_signal(signal.SIGINT)
        out, errors = run.communicate(timeout=60)
        self.assertEqual((run.returncode, out), (1, ""))
        self.assertIn("goes on from there", errors)


class Rubric(unittest.TestCase):
    def with_rubric(self, text, *places):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.toml")
            pathlib.Path(path).write_text(text)
            return grade("--print-rubric", "--rubric", path)

    def test_default_names_every_case(self):
        code, text, _ = grade("--print-rubric")
        self.assertEqual(code, 0)
        for chapter in json.loads(lab("list", "--json")[1])["chapters"]:
            self.assertIn(f'["{chapter["chapter"]}"]', text)
        self.assertEqual(self.with_rubric(text)[0], 0)

    def test_key_of_a_class(self):
        """It stands in the record, and the record is repeated with it; another key is another store of judgements."""
        text = 'key = "a class\'s own"\n' + grade("--print-rubric")[1]
        code, _, errors = self.with_rubric(text)
        self.assertEqual((code, errors), (0, ""))
        self.assertEqual(self.with_rubric("key = 5\n")[0], 2)
        self.assertEqual(self.with_rubric('key = ""\n')[0], 2)

    def test_mistakes_have_lines(self):
        code, out, errors = self.with_rubric(
            '["05_padding"]\n"conflict-free" = { points = -1 }\n"conflict" = { points = 1 }\n"whole sectors" = { points = 1, start = 1 }\n'
            '"one more column, no more" = { point = 2 }\n"right on every shape" = 4\n["10_none"]\n')
        self.assertEqual((code, out), (2, ""))
        for line, words in ((2, "points must be a number"), (3, 'no case "conflict"'), (4, "start must be"), (5, "points are missing"),
                            (5, '"point" means nothing'), (6, "write { points = 4 }"), (7, "no chapter")):
            self.assertRegex(errors, rf"mine\.toml:{line}: .*{re.escape(words)}")

    def test_bad_toml_has_a_line(self):
        code, _, errors = self.with_rubric('["05_padding"]\n"x" = {\n')
        self.assertEqual(code, 2)
        self.assertRegex(errors, r"mine\.toml:[23]: ")

    def test_starts_are_what_the_skeletons_count(self):
        """Start is the worst ratio that the skeleton has in that case: so it earns nothing, and what is halfway earns half."""
        try:
            import tomllib
        except ImportError:
            self.skipTest("Python 3.11 has tomllib")
        rubric = tomllib.loads(grade("--print-rubric")[1])
        starts = 0
        for chapter, rules in rubric.items():
            verdict = json.loads(lab("check", chapter, "--kernel", ROOT / "chapters" / chapter / "transpose.cu", "--json")[1])
            cases = {c["id"]: c for c in verdict["cases"]}
            self.assertEqual(set(rules), set(cases), chapter)
            for name, rule in rules.items():
                self.assertEqual(rule["points"], cases[name]["points_possible"])
                if "start" not in rule:
                    continue
                starts += 1
                ratios = [f["value"] / f["goal"] for r in cases[name]["reasons"] for f in r["figures"] if f["goal"]]
                self.assertEqual(max(ratios), rule["start"], (chapter, name))
        self.assertGreater(starts, 8)


class Usage(unittest.TestCase):
    def test_bad_commands(self):
        with tempfile.TemporaryDirectory() as folder:
            put(folder, "notes.txt", b"x")
            for arguments, code, words in (
                ([], 2, "Name what is to be graded"),
                ([os.path.join(folder, "none")], 2, "no file or folder"),
                ([os.path.join(folder, "notes.txt")], 2, "no submission"),
                ([folder], 2, "no submission"),
                ([folder, "--chapters", "99"], 2, "no chapter"),
                ([folder, "--format", "pdf"], 2, "--format"),
                (["--verify", os.path.join(folder, "none.json")], 2, "record"),
            ):
                with self.subTest(arguments=arguments):
                    got, out, errors = grade(*arguments, "--out", os.path.join(folder, "out"))
                    self.assertEqual((got, out), (code, ""))
                    self.assertIn(words, errors)


    def test_one_loose_kernel_makes_a_class_one_submission_and_that_is_said(self):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as out:
            for student in range(10):
                put(folder, f"student{student}/05_padding.cu", solution("05_padding"))
            put(folder, "mine_05.cu", solution("05_padding"))
            _, text, errors = grade(folder, "--chapters", "5", "--out", out)
            self.assertIn("since mine_05.cu lies in it. Is it a class of 10?", text + errors)


    def test_a_class_is_never_read_as_one_submission(self):
        for names, code, words in (
                (["lovelaceada_123_456_05_padding.cu", "babbagecharles_LATE_124_457_05_padding.cu"], 2, "holds files of 2 people: babbagecharles, lovelaceada"),
                ([".git/HEAD"], 0, "since .git lies in it. Is it a class of 10?")):
            with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as out:
                for student in range(10):
                    put(folder, f"student{student}/05_padding.cu", solution("05_padding"))
                for name in names:
                    put(folder, name, solution("05_padding"))
                found, text, errors = grade(folder, "--chapters", "5", "--out", out)
                self.assertEqual(found, code)
                self.assertIn(words, text + errors)


class Gradescope(unittest.TestCase):
    """The zip, unpacked as Gradescope does it, with the built program in the place of the one that it would build."""

    def test_autograder(self):
        with tempfile.TemporaryDirectory() as folder:
            packed = os.path.join(folder, "autograder.zip")
            self.assertEqual(grade("--make-gradescope", packed, "--chapters", "5")[0], 0)
            root = os.path.join(folder, "autograder")
            subprocess.run([sys.executable, "-m", "zipfile", "-e", packed, os.path.join(root, "source")], check=True)
            names = zipfile.ZipFile(packed).namelist()
            self.assertIn("common/sim/launch.cpp", names)
            self.assertEqual([n for n in names if n.startswith((".git", "build", ".cache")) or re.match("(solutions|chapters)/[^/]*/transpose", n)], [])
            for program in ("setup.sh", "run_autograder", "lab"):
                self.assertTrue((zipfile.ZipFile(packed).getinfo(program).external_attr >> 16) & 0o100, program)
            if shutil.which("meson"):  # nothing that the build asks for was left at home
                done = subprocess.run(["meson", "setup", os.path.join(folder, "build"), os.path.join(root, "source")],
                                      capture_output=True, text=True, timeout=300)
                self.assertEqual(done.returncode, 0, done.stdout[-2000:])
            put(root, "submission/padding.cu", kernel("tests/mutants/course/05_two_columns.cu"))
            put(root, "source/lab", f'#!/bin/sh\nexec "{PROGRAM}" "$@"\n'.encode())
            os.chmod(os.path.join(root, "source/lab"), 0o755)
            environment = dict(os.environ, AUTOGRADER_ROOT=root)
            runner = os.path.join(root, "source/run_autograder")
            done = subprocess.run(["bash", runner], env=environment, cwd=root, capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(pathlib.Path(root, "results/results.json").read_text())
            Graded.check_gradescope(self, result, 3.2)
            self.assertEqual({test["tags"][0] for test in result["tests"]}, {"05_padding"})
            put(root, "source/lab", b"#!/bin/sh\nexit 3\n")
            done = subprocess.run(["bash", runner], env=environment, cwd=root, capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 1)
            self.assertIn("grader itself failed", json.loads(pathlib.Path(root, "results/results.json").read_text())["output"])


def what_lacks():
    """What `lab grade` says when this machine cannot grade: no archives, no walls around compilers; empty when it can."""
    with tempfile.TemporaryDirectory() as folder:
        put_zip(os.path.join(folder, "x.zip"), [("01.cu", b"x")])
        code, _, err = grade(os.path.join(folder, "x.zip"), "--out", os.path.join(folder, "out"), "--format", "csv")
        return err if code == 3 else ""


if __name__ == "__main__":
    if what_lacks():
        print("skipped: " + what_lacks())
        sys.exit(77)
    unittest.main(verbosity=1)
