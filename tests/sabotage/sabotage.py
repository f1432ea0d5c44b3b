#!/usr/bin/env python3
"""Takes one promise at a time out of a copy of the project; a quick test must fail.

Enters: the built folder; hooks.toml and sabotages.toml beside this file. Leaves: exit code 1 and the rows that no quick test noticed.

Two kinds of rows. A row of a *registry* (a kind of fault, a counter, a case of a chapter, an option) is dropped by a hook that is written into
the copy alone: `lab` itself has no switch. A row of sabotages.toml changes a line of the source: one object is compiled again, and what the tests
of that row need is linked. `--list` prints the rows; `--draw N` takes N of each kind by LAB_SEED; words take the rows whose names have them."""
import argparse
import dataclasses
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE.parent)]
from drawn.draws import seed_of_run  # noqa: E402

SKIPPED = 77  # what a test answers that lacks a tool
VARIABLE = "LAB_SABOTAGE"  # read by the hooks of the copy


@dataclasses.dataclass
class Row:
    name: str
    tests: list[str]  # quick tests, the likeliest first
    change: tuple[str, str, str] | None = None  # file, text that is there once, what takes its place


def read(path: str, root: pathlib.Path = ROOT) -> str:
    return (root / path).read_text(encoding="utf-8")


def hooks() -> dict[str, dict]:
    return tomllib.loads((HERE / "hooks.toml").read_text(encoding="utf-8"))


def registry_rows(family: str, hook: dict) -> list[Row]:
    """The rows of one registry: what `rows` finds in its files, each as the hook is told it."""
    found = []
    for path in sorted(ROOT.glob(hook["registry"])):
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(hook["rows"], text, re.M):
            groups = [path.stem.removeprefix("test_"), *match.groups()] if hook.get("by_file") else list(match.groups())
            found.append(":".join([family, *groups]))
    return [Row(name, hook["tests"]) for name in dict.fromkeys(found)]


def source_rows() -> list[Row]:
    table = tomllib.loads((HERE / "sabotages.toml").read_text(encoding="utf-8"))
    return [Row(name, row["tests"], (row["file"], row["from"], row["to"])) for name, row in table.items()]


def all_rows() -> list[Row]:
    return [row for family, hook in hooks().items() for row in registry_rows(family, hook)] + source_rows()


def changed(text: str, old: str, new: str, who: str) -> str:
    if text.count(old) != 1:
        raise ValueError(f"{who}: its text stands {text.count(old)} times in the file, and must stand once: {old!r}")
    return text.replace(old, new)


class Copy:
    """The project and its build, elsewhere, with the hooks in it."""

    def __init__(self, build: pathlib.Path, folder: pathlib.Path) -> None:
        self.root = folder / "project"
        ignored = shutil.ignore_patterns("build*", ".venv", ".lab", ".cache", "__pycache__")
        shutil.copytree(ROOT, self.root, ignore=lambda at, names: ignored(at, names) if pathlib.Path(at) == ROOT else [], symlinks=True)
        self.build = self.root / "build"
        shutil.copytree(build, self.build, symlinks=True)
        self.env = {**os.environ, "LAB_ROOT": str(self.root), "LAB_LANG": "en"}
        subprocess.run(["meson", "setup", "--reconfigure", self.build, self.root], check=True, stdout=subprocess.DEVNULL, cwd=self.root)
        self.tests = {test["name"]: test for test in json.loads(self.said("meson", "introspect", "--tests", str(self.build)))}

    def said(self, *words: str) -> str:
        return subprocess.run(words, check=True, capture_output=True, text=True, cwd=self.root, env=self.env).stdout

    def write_hooks(self) -> None:
        for family, hook in hooks().items():
            for at in hook["at"]:
                path = self.root / at["file"]
                text = changed(path.read_text(encoding="utf-8"), at["before"], at["insert"] + at["before"], family)
                for header in ("cstdlib", "string"):
                    if f"#include <{header}>" not in text:
                        text = text.replace("\n#include ", f"\n#include <{header}>\n#include ", 1)
                path.write_text(text, encoding="utf-8")

    def compiled(self, tests: list[str]) -> str:
        """What those tests run, built; the compiler's words where it cannot be."""
        targets = sorted({dependency for name in tests for dependency in self.targets_of(name)})
        done = subprocess.run(["ninja", "-C", self.build, *targets], capture_output=True, text=True, check=False, env=self.env)
        return "" if done.returncode == 0 else (done.stdout + done.stderr)[-2000:]

    def targets_of(self, name: str) -> list[str]:
        test = self.tests[name]
        files = [word for word in [*test["cmd"], *test["env"].values()] if word.startswith(f"{self.build}/") and pathlib.Path(word).is_file()]
        made = [name for name in (os.path.relpath(file, self.build) for file in files) if not name.startswith("..")]
        return [*made, *(["lab-run"] if any(word.endswith("cli/lab") for word in files) else [])]

    def fails(self, name: str, sabotage: str = "") -> bool:
        test = self.tests[name]
        done = subprocess.run(near(test["cmd"], sabotage), cwd=test["workdir"] or self.build, capture_output=True, check=False, timeout=900,
                              env={**self.env, **test["env"], VARIABLE: sabotage})
        if done.returncode == SKIPPED:
            raise SystemExit(f"sabotage: the test {name} was skipped: a tool is missing")
        return done.returncode != 0


def near(words: list[str], sabotage: str) -> list[str]:
    """A program of doctest stops at its first failure; a case of a chapter needs the kernels of that chapter alone."""
    if pathlib.Path(words[0]).name.startswith("test_") and not words[0].endswith((".py", ".sh")):
        return [*words, "--abort-after=1"]
    if sabotage.startswith("case:") and words[0].endswith("verify_course"):
        chapter = sabotage.split(":")[1]
        return [words[0], f"solutions/{chapter}"] if "solutions/" in words else [*words, f"/{chapter[:3]}"]
    return words


def noticed(copy: Copy, row: Row) -> str:
    """The first of its tests that fails; "" when none does. A change that does not compile is noticed by the compiler."""
    if row.change is None:
        return next((name for name in row.tests if copy.fails(name, row.name)), "")
    file, old, new = row.change
    path = copy.root / file
    before = path.read_text(encoding="utf-8")
    path.write_text(changed(before, old, new, row.name), encoding="utf-8")
    try:
        if copy.compiled(row.tests):
            return "the compiler"
        return next((name for name in row.tests if copy.fails(name)), "")
    finally:
        path.write_text(before, encoding="utf-8")


def wrong_rows() -> list[str]:
    """Rows that could not be taken out: a text that is not there once, a test that is not quick."""
    wrong = []
    listed = "".join(path.read_text(encoding="utf-8") for path in [*ROOT.glob("tests/*/meson.build"), *ROOT.glob("tests/*/*/meson.build")])
    quick = set(re.findall(r"^\s*test\('([^']+)'(?:(?!^\s*test\()[\s\S])*?'quick'", listed, re.M))
    for family, hook in hooks().items():
        for at in hook["at"]:
            if read(at["file"]).count(at["before"]) != 1:
                wrong.append(f"hook {family}: not once in {at['file']}: {at['before']!r}")
        if not registry_rows(family, hook):
            wrong.append(f"hook {family}: finds no row")
    for row in all_rows():
        wrong += [f"{row.name}: {name} is no quick test" for name in row.tests if name not in quick]
        if row.change and read(row.change[0]).count(row.change[1]) != 1:
            wrong.append(f"{row.name}: not once in {row.change[0]}: {row.change[1]!r}")
    return sorted(set(wrong))


def drawn(rows: list[Row], count: int) -> list[Row]:
    draw = random.Random(seed_of_run("sabotage"))
    kinds = itertools.groupby(sorted(rows, key=lambda row: row.change is not None), key=lambda row: row.change is not None)
    return [row for _, kind in kinds for row in (lambda list_: draw.sample(list_, min(count, len(list_))))(list(kind))]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="only rows whose name has one of these")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--draw", type=int, default=0)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--table", action="store_true", help="only look whether each row could be taken out")
    given = parser.parse_args()
    if given.table:
        wrong = wrong_rows()
        print("\n".join([*wrong, f"{len(all_rows())} rows, {len(wrong)} wrong"]))
        return 1 if wrong else 0
    rows = [row for row in all_rows() if not given.names or any(word in row.name for word in given.names)]
    if given.list:
        print("\n".join(row.name for row in rows))
        return 0
    rows = drawn(rows, given.draw) if given.draw else rows
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(given.build.resolve(), pathlib.Path(folder).resolve())
        copy.write_hooks()
        used = sorted({name for row in rows for name in row.tests})
        if words := copy.compiled(used):
            raise SystemExit(f"sabotage: the copy does not build:\n{words}")
        if red := [name for name in used if copy.fails(name)]:
            raise SystemExit(f"sabotage: red before anything was taken out: {', '.join(red)}")
        missed = []
        for row in rows:
            by = noticed(copy, row)
            print(f"{row.name}: {by or 'NOT NOTICED'}", flush=True)
            missed += [] if by else [row.name]
    print(f"{len(rows)} sabotages, {len(rows) - len(missed)} noticed by quick tests")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
