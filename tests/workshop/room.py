"""A room of simulated students, for the tests of the board.

Enters: a number. Leaves: the server as a process of its own, and students with a folder each, whose `.lab/progress.json` changes as
checks would change it; join.py sends what they report."""
import contextlib
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools/workshop")]
import board  # noqa: E402
import join  # noqa: E402

CODES = ["bank-conflict", "uncoalesced", "never-written", "out-of-bounds", "shared-race"]


@contextlib.contextmanager
def server(*words):
    """The address of a running server."""
    process = subprocess.Popen([sys.executable, str(ROOT / "tools/workshop/serve.py"), "--port", "0", *words], stdout=subprocess.PIPE,
                               text=True, env=dict(os.environ, LAB_LANG="en"))
    try:
        port = re.search(r"localhost:(\d+)", process.stdout.readline())[1]
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=20)
        process.stdout.close()


def shown(address):
    with urllib.request.urlopen(f"http://{address}/board.json", timeout=20) as answer:
        return json.load(answer)


class Student:
    """What `.lab/progress.json` would hold, and what join.py makes of it."""

    def __init__(self, folder, number, name=""):
        self.root, self.who, self.name = pathlib.Path(folder), f"{number:032x}", name
        self.entries, self.before, self.chapter, self.report = {}, None, "", {}
        (self.root / ".lab").mkdir(parents=True)

    def checks(self, chapter, diagnosis):
        """"": a pass."""
        self.entries[chapter] = {"passed": not diagnosis, "points": 0 if diagnosis else 10, "hints": len(diagnosis) % 3, "diagnosis": diagnosis}
        (self.root / ".lab/progress.json").write_text(json.dumps({"chapters": self.entries}))

    def reports_to(self, address, **more):
        now = join.progress(self.root)
        self.report = join.state(board.chapter_names(), now, self.before, self.chapter)
        self.before, self.chapter = now, self.report["chapter"]
        return join.send(address, {"id": self.who, "name": self.name, **self.report, **more})


@contextlib.contextmanager
def students(number):
    with tempfile.TemporaryDirectory() as folder:
        yield [Student(pathlib.Path(folder, str(k)), k, f"Ada {k}") for k in range(number)]


def work(student, seed):
    """Some chapters passed, one in the middle."""
    chance = random.Random(seed)
    names = board.chapter_names()
    student.tells_at = chance.randrange(6)
    for name in names[:student.tells_at]:
        student.checks(name, "")
    student.checks(names[student.tells_at], chance.choice(CODES))
