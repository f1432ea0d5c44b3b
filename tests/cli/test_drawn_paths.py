"""Drawn paths and texts: one kernel in folders, files and texts of every kind gets the same verdict.

Enters: LAB_PROGRAM, LAB_ROOT. Leaves: for each drawn world (checkout, kernel, submission, cache, temporary and output
folder, the editor that saved the kernel, the compiler) whether check, profile and grade say what they say in a plain
one, but for the path; and that nothing of a name is printed as if it came from the lab."""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from drawn.draws import draws_of_run, seed_of_run  # noqa: E402

ROOT = pathlib.Path(os.environ["LAB_ROOT"])
LAB = os.environ["LAB_PROGRAM"]
DRAWS = 5
# Seeds that failed once, and what they found.
FAILED: list[int] = [511497783]  # a quotation mark in TMPDIR, nvcc

FORGED = "passed · 13 of 13 points"  # what a name wants to be printed as
PIECES = ["a b", "it's", 'say "no"', "#1", "100%", "50%41", "a;b", "$(touch x)", "`id`", "$HOME", "&", "a|b", "*", "?", "[1]", "{a,b}", "(x)", "!",
          "~", "=cmd", "a,b", "a:b", "@x", "back\\slash", "\\", "转置", "é", "e\u0301", "🚀", "👩‍💻", "שלום", "\u202egnp.uc", "\u200b", "line\nend",
          f"a\n  {FORGED}\n", "a\r\nb", "tab\tbed", "\x1b[31mred", "\x07", "\x7f", "\udcff\udcfe", "x" * 180, "长" * 60, "-o", "--json", "-", "..."]
TEXTS = ["plain", "bom", "crlf", "cr", "utf16-le", "utf16-be", "utf16-le-bare", "tabs", "no-last-end", "mixed"]


def drawn_name(draw: random.Random) -> str:
    name = "".join(draw.choice(PIECES) for _ in range(draw.choice([1, 1, 2, 3]))).replace("/", "")
    while len(os.fsencode(name)) > 200:
        name = name[:-1]
    return name if name not in (".", "..") else "_"


def saved(text: str, how: str) -> bytes:
    """As an editor saves it."""
    lines = text.split("\n")
    if how == "mixed":
        return "".join(line + ("\r\n" if i % 3 else "\n") for i, line in enumerate(lines)).encode()
    return {"plain": text.encode(), "bom": b"\xef\xbb\xbf" + text.encode(), "crlf": text.replace("\n", "\r\n").encode(),
            "cr": text.replace("\n", "\r").encode(), "utf16-le": b"\xff\xfe" + text.encode("utf-16-le"),
            "utf16-be": b"\xfe\xff" + text.encode("utf-16-be"), "utf16-le-bare": text.encode("ascii", "replace").decode().encode("utf-16-le"),
            "tabs": text.replace("  ", "\t").encode(), "no-last-end": text.rstrip("\n").encode()}[how]


def compilers() -> list[str]:
    found = json.loads(subprocess.run([LAB, "doctor", "--json"], capture_output=True, text=True, env={**os.environ, "LAB_ROOT": str(ROOT)}).stdout)
    rows = {row["name"] for row in found["rows"] if row["state"] == "ok"}
    return [kind for kind in ("nvrtc", "nvcc", "clang") if f"kernel compiler {kind}" in rows]


class World:
    """Folders with drawn names, or plain ones."""

    def __init__(self, base: pathlib.Path, name, how: str, link: bool):
        self.base = base
        self.root = self.made(name() + "course")
        for part in ("common/kernel", "chapters/05_padding", "solutions/05_padding"):
            shutil.copytree(ROOT / part, self.root / part)
        for part in ("chapters/chapters.toml", "common/class/grade/rubric.toml"):
            (self.root / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / part, self.root / part)
        (self.root / "data").symlink_to(ROOT / "data")
        text = (ROOT / "solutions/05_padding/transpose.cu").read_text()
        self.kernel = self.made(name() + "k") / (name() + ".cu")
        self.kernel.write_bytes(saved(text, how))
        student = self.made(name() + "s")
        self.submission = student / (name() or "05")
        self.submission.mkdir()
        (self.submission / "05_padding.cu").write_bytes(saved(text, how))
        self.cache, self.temporary, self.out = (self.made(name() + part) for part in ("cache", "tmp", "out"))
        if link:
            behind = self.kernel.parent
            self.kernel = self.made(name() + "l") / "link"
            self.kernel.symlink_to(behind)
            self.kernel = next(self.kernel.iterdir())

    def made(self, name: str) -> pathlib.Path:
        folder = self.base / name
        folder.mkdir()
        return folder

    def run(self, compiler: str, *words) -> subprocess.CompletedProcess:
        environment = {**os.environ, "LAB_ROOT": self.root, "LAB_CACHE_DIR": self.cache, "TMPDIR": self.temporary, "LAB_COMPILER": compiler,
                       "LAB_LANG": "en"}
        return subprocess.run([LAB, *words], capture_output=True, env=environment, cwd=self.base, timeout=120)

    def verdict(self, compiler: str, *words):
        """Exit code and JSON without what may differ: paths and times."""
        ran = self.run(compiler, *words)
        text = ran.stdout.decode("utf-8", "surrogateescape")
        try:
            answer = json.loads(text)
        except ValueError:
            return ran.returncode, text[:2000] + ran.stderr.decode("utf-8", "surrogateescape")[:2000]
        return ran.returncode, without_paths(answer)


def without_paths(value):
    if isinstance(value, dict):
        return {key: without_paths(inner) for key, inner in value.items()
                if key not in ("kernel", "file", "out", "student", "source") and not key.endswith("seconds")}
    if isinstance(value, list):
        return [without_paths(inner) for inner in value]
    if isinstance(value, str) and ".cu" in value:
        return value[-20:]
    return value


COMMANDS = {
    "check": lambda w: ("check", "5", "--kernel", w.kernel, "--json"),
    "profile": lambda w: ("profile", w.kernel, "--json"),
    "show": lambda w: ("show", w.kernel, "--json"),
    "grade": lambda w: ("grade", "run", w.submission, "--one", "--chapters", "5", "--out", w.out, "--json"),
}


class DrawnPaths(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="lab-paths-")
        cls.compilers = compilers()
        cls.plain: dict = {}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def expected(self, command: str, compiler: str):
        key = command, compiler
        if key not in self.plain:
            base = pathlib.Path(self.folder.name, f"plain-{command}-{compiler}")
            base.mkdir()
            names = iter(f"n{i}" for i in range(100))
            world = World(base, lambda: next(names), "plain", False)
            self.plain[key] = world.verdict(compiler, *COMMANDS[command](world))
            self.assertEqual(self.plain[key][0], 0, self.plain[key])
        return self.plain[key]

    def try_world(self, seed: int):
        draw = random.Random(seed)
        base = pathlib.Path(self.folder.name, f"drawn-{seed}")
        base.mkdir()
        how, command = draw.choice(TEXTS), draw.choice(list(COMMANDS))
        compiler = draw.choice([*self.compilers, *(["builtin"] if command != "grade" else [])])
        world = World(base, lambda: drawn_name(draw), how, draw.random() < 0.2)
        what = f"LAB_SEED={seed} (one draw): {command}, {compiler}, {how}, {world.kernel!r}, {world.root.name!r}"
        self.assertEqual(world.verdict(compiler, *COMMANDS[command](world)), self.expected(command, compiler), what)
        self.look_at_words(world.run(compiler, *COMMANDS[command](world)[:-1]), what)
        if command == "check":  # a kernel that does not compile is named in the compiler's words
            text = (ROOT / "solutions/05_padding/transpose.cu").read_text()
            world.kernel.write_bytes(saved(text.replace("__syncthreads();", "__syncthread();"), how))
            self.look_at_words(world.run(compiler, *COMMANDS[command](world)[:-1]), what)
            self.look_at_words(world.run(compiler, "check", "5", "--kernel", world.kernel.parent / (drawn_name(draw) + "no.cu")), what)
        shutil.rmtree(base, ignore_errors=True)

    def look_at_words(self, ran: subprocess.CompletedProcess, what: str):
        for words in (ran.stdout, ran.stderr):
            text = words.decode("utf-8", "surrogateescape")
            forged = [line for line in text.splitlines() if line.strip() == FORGED and not line.startswith("  passed · 13 of 13 points  ")]
            self.assertEqual(forged if ran.returncode != 0 else forged[1:], [], what + text)
            for sign in ("\x1b[31m", "\x07", "\x7f", "\u202e", "\u200b", "\r"):
                self.assertNotIn(sign, text, what)

    def test_what_failed_once(self):
        for seed in FAILED:
            with self.subTest(seed=seed):
                self.try_world(seed)

    def test_drawn_worlds(self):
        if os.environ.get("LAB_SEED"):
            return self.try_world(seed_of_run("drawn paths"))
        first = seed_of_run("drawn paths")
        for i in range(draws_of_run(DRAWS)):
            with self.subTest(seed=first + i):
                self.try_world(first + i)


if __name__ == "__main__":
    unittest.main()
