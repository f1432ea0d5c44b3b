"""A student's clone to play with: chapters, solutions and kernel headers in a folder of their own.

Enters: LAB_PROGRAM, the built program. Leaves: a Clone whose `lab` method runs one command in it. Nothing of the real
chapters and of the real progress is touched."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import tomllib

PROGRAM = os.environ["LAB_PROGRAM"]
SOURCE = pathlib.Path(__file__).resolve().parents[2]
CHAPTERS = list(tomllib.loads((SOURCE / "chapters/chapters.toml").read_text(encoding="utf-8")))


class Clone:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.root = pathlib.Path(self.folder.name).resolve()
        for part in ("common/kernel", "chapters", "solutions"):
            shutil.copytree(SOURCE / part, self.root / part, ignore=shutil.ignore_patterns("*.bak*"))
        (self.root / "common/class/grade").mkdir(parents=True)
        shutil.copy(SOURCE / "common/class/grade/rubric.toml", self.root / "common/class/grade")
        for skeleton in self.root.glob("solutions/*/skeleton.cu"):  # as on the first day, whatever the student did
            shutil.copy(skeleton, self.root / "chapters" / skeleton.parent.name / "transpose.cu")
        self.env = dict(os.environ, LAB_ROOT=str(self.root), TERM="dumb")
        self.env.pop("LAB_CACHE_DIR", None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def lab(self, *args, stdin=subprocess.DEVNULL, **env):
        done = subprocess.run([PROGRAM, *args], capture_output=True, text=True, env=dict(self.env, **env), cwd=self.root,
                              stdin=stdin, timeout=240)
        return done.returncode, done.stdout, done.stderr

    def json(self, *args):
        code, out, err = self.lab(*args, "--json")
        if not out:
            raise AssertionError(f"{args} printed no object: {err}")
        return code, json.loads(out)

    def kernel(self, chapter="05_padding"):
        return self.root / "chapters" / chapter / "transpose.cu"

    def solution(self, chapter="05_padding"):
        return (self.root / "solutions" / chapter / "transpose.cu").read_text()

    def skeleton(self, chapter="05_padding"):
        return (self.root / "solutions" / chapter / "skeleton.cu").read_text()
