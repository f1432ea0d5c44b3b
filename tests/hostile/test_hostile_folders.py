"""Submissions whose folders, archives and names are the trick: `lab grade` must say what it refused, keep its time and
memory, and print no character that a terminal, a spreadsheet or a browser would obey.

Enters: LAB_PROGRAM. Leaves: one unittest verdict; 77 when `lab grade` cannot wall compilers in on this machine."""
import csv
import io
import json
import os
import pathlib
import resource
import socket
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import unicodedata
import unittest
import zipfile

PROGRAM = os.environ["LAB_PROGRAM"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
GOOD = (ROOT / "solutions" / "01_naive" / "transpose.cu").read_bytes()
SANITIZED = bool(os.environ.get("LAB_SANITIZED"))
SECONDS = 240
MEMORY_KIB = (8 if SANITIZED else 1) << 20
TEN_GB = 10 * 10**9

# Folder names, each with a right kernel inside: all of them are students like others.
NAMES = ["new\nline", "esc\x1b[2J\x1b]0;x\x07", "right\u202egnp", "mark\u061cx", "isolate\u2066x", "tag\U000e0041x", "between\ufff9x",
         "zero\u200bwidth", "tab\tx", "-rf", "--out", " ", "%2e%2e", "a'b\"c`d$(touch HOSTILE_RAN)", "=1+1", "n" * 255, "\u00e9" * 120, "CON",
         b"\xff\xfe", b"c1\xc2\x9b2J", b"overlong\xc0\xaf"]


def zip_of(path, entries, **options):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            with archive.open(zipfile.ZipInfo(name), "w", **options) as file:
                file.write(content)


def flag_as_encrypted(path):
    """Sets bit 0 of the flags of both headers of the only entry; what follows is nonsense for any password."""
    data = bytearray(path.read_bytes())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = data.index(mark) + at
        data[place:place + 2] = struct.pack("<H", struct.unpack("<H", data[place:place + 2])[0] | 1)
    path.write_bytes(data)


def sparse(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as file:
        file.truncate(TEN_GB)


def nest(folder, levels):
    """Deeper than any path may be long; only relative names reach the bottom."""
    back = os.getcwd()
    folder.mkdir()
    os.chdir(folder)
    for _ in range(levels):
        os.mkdir("d")
        os.chdir("d")
    pathlib.Path("01_naive.cu").write_bytes(GOOD)
    os.chdir(back)


def hand_in(root):
    """One entry a trick. Returns what each must get: words of the reason, or None for every point."""
    expected = {}

    def student(name, words):
        expected[name] = words
        return root / name

    for name in NAMES:
        folder = os.path.join(os.fsencode(root), name if isinstance(name, bytes) else os.fsencode(name))
        os.mkdir(folder)
        pathlib.Path(os.fsdecode(folder), "01_naive.cu").write_bytes(GOOD)
    (student("honest", None)).mkdir()
    (root / "honest" / "01_naive.cu").write_bytes(GOOD)

    (root / "...").mkdir()

    crowd = student("crowd", "more than 20000 files")
    crowd.mkdir()
    for i in range(100_000):
        os.close(os.open(crowd / f"{i}.txt", os.O_CREAT | os.O_WRONLY))
    (crowd / "z01_naive.cu").write_bytes(GOOD)
    nest(student("deep", "nested too deep"), 40)
    nest(student("abyss", "nested too deep"), 3000)
    sparse(student("sparse_kernel", "larger than 4 MiB") / "01_naive.cu")
    sparse(student("sparse_zip", "no archive").with_suffix(".zip"))
    sparse(student("sparse_tar", "no archive").with_suffix(".tar"))

    special = student("special", "no ordinary file")
    special.mkdir()
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(special / "01_naive.cu"))
    (student("loop", "links are not followed")).mkdir()
    (root / "loop" / "01_naive.cu").symlink_to("01_naive.cu")
    (student("folder_link", "links are not followed")).mkdir()
    (root / "folder_link" / "chapters").symlink_to(ROOT / "solutions")
    (student("folder_called_kernel", "There is no kernel") / "01_naive.cu").mkdir(parents=True)

    zip_of(student("zip64", None).with_suffix(".zip"), [("01_naive.cu", GOOD)], force_zip64=True)
    zip_of(student("twice_same", None).with_suffix(".zip"), [("01_naive.cu", GOOD), ("01_naive.cu", GOOD)])
    zip_of(student("twice", "more than once").with_suffix(".zip"), [("01_naive.cu", GOOD), ("01_naive.cu", GOOD + b"// other\n")])
    zip_of(student("escapes", "control character").with_suffix(".zip"), [("01_\x1b[2Jnaive.cu", GOOD), ("a\nb01_naive.cu", GOOD)])
    locked = student("locked", "encrypted").with_suffix(".zip")
    zip_of(locked, [("01_naive.cu", GOOD)])
    flag_as_encrypted(locked)
    many = student("many_entries", "more than 20000 files").with_suffix(".zip")
    zip_of(many, [(f"{i}.txt", b"") for i in range(20_001)])
    deep = student("deep_zip", "nested too deep").with_suffix(".zip")
    zip_of(deep, [("d/" * 200 + "01_naive.cu", GOOD)])
    cut = student("cut", "damaged").with_suffix(".zip")
    zip_of(cut, [("01_naive.cu", GOOD * 50)])
    cut.write_bytes(cut.read_bytes()[:400])
    with tarfile.open(student("holes", "more than 64 MiB").with_suffix(".tar.gz"), "w:gz") as archive:
        info = tarfile.TarInfo("notes.txt")
        info.size = 1 << 30
        archive.addfile(info, Zeros(info.size))
    return expected


class Zeros(io.RawIOBase):
    def __init__(self, size):
        super().__init__()
        self.left = size

    def read(self, size=-1):
        got = min(self.left, size)
        self.left -= got
        return bytes(got)


class HostileFolders(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="lab-folders-")
        cls.root = pathlib.Path(cls.folder)
        submissions = cls.root / "class"
        submissions.mkdir()
        cls.expected = hand_in(submissions)
        start = time.monotonic()
        cls.done = grade(submissions, cls.root)
        cls.seconds = time.monotonic() - start
        cls.records = {}
        for path in (cls.root / "out" / "records").rglob("01_naive.json"):
            cls.records[path.parent.name] = json.loads(path.read_text("utf-8"))

    @classmethod
    def tearDownClass(cls):
        subprocess.run(["rm", "-rf", cls.folder], check=True)  # Python's own way gives up at the abyss

    def test_the_run_came_to_its_end(self):
        self.assertEqual(self.done.returncode, 0, self.done.stdout[-2000:] + self.done.stderr[-2000:])
        self.assertLess(self.seconds, SECONDS)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, MEMORY_KIB)
        self.assertEqual(len(self.records), len(self.expected) + len(NAMES))

    def test_each_gets_its_reason(self):
        for name, words in self.expected.items():
            with self.subTest(name):
                record = self.records[name]
                if words is None:
                    self.assertEqual(record["points"], record["points_possible"])
                else:
                    self.assertEqual(record["points"], 0)
                    self.assertIn(words, json.dumps(record))

    def test_a_name_costs_nothing(self):
        others = {name: record for name, record in self.records.items() if name not in self.expected}
        self.assertEqual(len(others), len(NAMES))
        for name, record in others.items():
            self.assertEqual(record["points"], record["points_possible"], name)

    def test_no_character_is_obeyed(self):
        pages = [p.read_bytes() for p in (self.root / "out").rglob("*") if p.is_file() and p.suffix in (".csv", ".html", ".xml", ".json")]
        self.assertGreater(len(pages), len(NAMES))
        for said in [self.done.stdout, self.done.stderr, *pages]:
            text = said.decode("utf-8-sig", "strict")
            bad = {c for c in text if (unicodedata.category(c) in ("Cc", "Cf")) and c not in "\n\r\t"}
            self.assertEqual(bad, set())
        for path in (self.root / "out").rglob("*"):
            self.assertTrue(path.name.isprintable(), path)
        rows = list(csv.DictReader(io.StringIO((self.root / "out" / "grades.csv").read_text("utf-8-sig"))))
        self.assertEqual(len(rows), len(self.records))
        self.assertFalse([row for row in rows if row["student"][:1] in "=+-@"])
        self.assertEqual(sorted(p.name for p in self.root.iterdir()), ["cache", "class", "out"])

    def test_what_was_passed_over_is_said(self):
        self.assertIn("passed over %2E..: its name begins with a dot", self.done.stdout.decode())


class Changing(unittest.TestCase):
    """A submission that changes while it is graded: what was read first is what was judged and what is kept."""

    def test_a_file_that_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            file = root / "class" / "quick" / "01_naive.cu"
            file.parent.mkdir(parents=True)
            file.write_bytes(GOOD)
            stop = threading.Event()

            def change():
                texts = [GOOD, b"#error changed\n", GOOD + b"// longer\n" * 1000, b""]
                k = 0
                while not stop.is_set():
                    new = file.with_suffix(".new")
                    new.write_bytes(texts[k % 4])
                    if k % 5 == 4:
                        file.unlink(missing_ok=True)
                        file.symlink_to("/etc/passwd")
                    os.replace(new, file)
                    k += 1

            changer = threading.Thread(target=change)
            changer.start()
            try:
                done = grade(root / "class", root)
            finally:
                stop.set()
                changer.join()
            self.assertEqual(done.returncode, 0, done.stderr)
            record = json.loads((root / "out/records/quick/01_naive.json").read_text())
            self.assertNotIn("root:", json.dumps(record))
            if record["state"] in ("judged", "does-not-compile"):
                kept = root / "out" / "sources" / (record["hashes"]["submission"] + ".cu")
                text = kept.read_bytes()
                self.assertEqual(record["passed"], text.startswith(GOOD))
            again = subprocess.run([PROGRAM, "grade", "--verify", root / "out/records/quick/01_naive.json", "--compiler", "clang"], capture_output=True,
                                   env=environment(root), timeout=200)
            if record["state"] == "judged":
                self.assertEqual(again.returncode, 0, again.stdout + again.stderr)


class ManyProcesses(unittest.TestCase):
    """The limit of processes is the sandbox's: who has a browser open can grade all the same."""

    def test_an_ordinary_user_with_many(self):
        who = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "class" / "one").mkdir(parents=True)
            (root / "class" / "one" / "01.cu").write_bytes(GOOD)
            if who:
                for path in (root, *root.rglob("*")):
                    os.chown(path, 65534, 65534)
            command = [PROGRAM, "grade", str(root / "class"), "--chapters", "1", "--compiler", "clang", "--out", str(root / "out")]
            env = dict(environment(root), HOME=folder, TMPDIR=folder)
            if subprocess.run(["cat", PROGRAM, ROOT / "common/kernel/lab.cuh"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **who).returncode:
                self.skipTest("an ordinary user cannot read this folder")
            others = [subprocess.Popen(["sleep", "100"], **who) for _ in range(100)]
            try:
                done = subprocess.run(command, capture_output=True, env=env, timeout=200, cwd=folder, **who)
            finally:
                for other in others:
                    other.kill()
                    other.wait()
            if done.returncode == 3:
                self.skipTest(done.stderr.decode())
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(json.loads((root / "out/records/one/01_naive.json").read_text())["passed"], done.stdout)


def environment(root):
    return dict(os.environ, LAB_ROOT=str(ROOT), LAB_CACHE_DIR=str(root / "cache"), TERM="xterm")


def grade(submissions, root):
    return subprocess.run(
        [PROGRAM, "grade", str(submissions), "--chapters", "1", "--compiler", "clang", "--out", str(root / "out"),
         "--format", "csv,json,html,junit,github"], capture_output=True, env=environment(root), timeout=600, cwd=root)


def why_skip():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "class" / "one").mkdir(parents=True)
        (root / "class" / "one" / "01.cu").write_text("\n")
        zip_of(root / "class" / "two.zip", [("01.cu", b"\n")])
        tried = grade(root / "class", root)
        return tried.stderr.decode() if tried.returncode == 3 else ""


if __name__ == "__main__":
    if why_skip():
        print("skipped: " + why_skip())
        sys.exit(77)
    unittest.main()
