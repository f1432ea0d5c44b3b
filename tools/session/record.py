#!/usr/bin/env python3
"""The recorded session of the docs: from a clone to a passed chapter 06, typed into a real terminal.

Enters: a built `lab` (--program), this clone. Leaves: docs/session/*.svg and session.txt; with --check, exit 1 and
the difference when what is recorded is no longer what happens, times left out. Needs tmux and git; exit 77 without them.

A student's edits come from the skeletons and the solutions, step by step, with the mistakes that one makes on the way. The
clone's `./lab` is the real one; its build is there already, because a build is nothing to look at."""
import argparse
import difflib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from terminal import COLUMNS, Terminal, plain, svg

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DOCS = SOURCE / "docs" / "session"


def skeleton(chapter):
    return (SOURCE / "solutions" / chapter / "skeleton.cu").read_text()


def solution(chapter):
    return (SOURCE / "solutions" / chapter / "transpose.cu").read_text()


def swap(text, *pairs):
    for old, new in pairs:
        if old not in text:
            sys.exit(f"record.py: the course has changed; this is not there any more: {old!r}")
        text = text.replace(old, new)
    return text


def without_todo(text):
    """A student deletes a TODO that is done."""
    return re.sub(r"\n *// TODO[^\n]*(\n *//[^\n]*)*", "", text)


def short(line):
    return line if len(line) < COLUMNS - 2 else line[:COLUMNS - 3] + "…"


def answers_of(text, source):
    for name, value in re.findall(r"\.(\w+_(?:request|sectors|wavefronts)) = (\d+)", source):
        text = re.sub(rf"\.{name} = \d+", f".{name} = {value}", text)
    return text


def kernel_compiler(program):
    """(kind, program or library): NVRTC where it is, as a newcomer has it."""
    done = subprocess.run([program, "doctor", "--json"], capture_output=True, text=True).stdout
    rows = {row["name"]: row for row in json.loads(done)["rows"] if row["state"] == "ok"}
    for kind, name in (("nvrtc", "libnvrtc.so"), ("nvcc", "nvcc"), ("clang", "clang++")):
        row = f"kernel compiler {kind}"
        if kind == os.environ.get("LAB_COMPILER", kind) and row in rows:
            where = rows[row]["where"]
            path = shutil.which(name) if where == "on PATH" else str(SOURCE / where)  # an absolute path stays what it is
            if path:
                return kind, path
    print("skipped: no kernel compiler here")
    sys.exit(77)


class Session:
    def __init__(self, program, folder):
        self.folder, self.clone, self.parts = folder, folder / "transpose-lab", []
        (folder / "transpose-lab.git").symlink_to(SOURCE)
        self.program = program
        self.changes = folder / ".changes"
        self.compiler = kernel_compiler(program)
        self.terminal = Terminal(folder, {"LAB_COMPILER": self.compiler[0]})
        self.terminal.type(f" edit() {{ cat {self.changes}; }}")
        self.terminal.wipe()

    def part(self, name, title):
        """Begins a part, and ends the one before."""
        self.end_part()
        self.parts.append([name, title, []])

    def end_part(self):
        if self.parts:
            self.parts[-1][2] = self.terminal.screen()
        self.terminal.wipe()

    def run(self, *commands):
        for command in commands:
            self.terminal.type(command)

    def start(self):
        """The clone, and the build that the first ./lab would make."""
        self.run("git clone -q transpose-lab.git && cd transpose-lab")
        # What is recorded is the tree as it is, committed or not.
        for name in subprocess.run(["git", "ls-files", "-m", "-o", "--exclude-standard"], cwd=SOURCE, capture_output=True, text=True,
                                   check=True).stdout.split("\n"):
            if name and (SOURCE / name).is_file() and not name.startswith("chapters/"):
                (self.clone / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(SOURCE / name, self.clone / name)
        for file in (self.clone / "solutions").glob("*/skeleton.cu"):  # as handed out, whatever was committed since
            shutil.copy(file, self.clone / "chapters" / file.parent.name / "transpose.cu")
        build = self.clone / "build"
        (build / "common" / "cli").mkdir(parents=True)
        (build / "common" / "cli" / "lab").symlink_to(self.program)
        (build / f".lab-ready-{self.compiler[0]}").write_text(self.compiler[1] + "\n")
        (build / ".lab-ready").write_text(str(self.clone) + "\n")

    def chapter(self, name, title):
        """A part that begins with a check of the skeleton."""
        self.part(name, title)
        self.run("./lab check")

    def edit(self, text, *then):
        """Another text of the chapter's kernel, a check, and what else is typed."""
        chapter = self.parts[-1][0]
        path = self.clone / "chapters" / chapter / "transpose.cu"
        changed = difflib.unified_diff(path.read_text().splitlines(), text.splitlines(), n=0, lineterm="")
        kept = [line for line in changed if line[:1] in "+-" and line[:3] not in ("+++", "---")]
        self.changes.write_text("".join(f"  {short(line[0] + ' ' + line[1:])}\n" for line in kept))
        path.write_text(text)
        self.run(f"edit chapters/{chapter}/transpose.cu", "./lab check", *then)


def play(session):
    session.part("0_start", "From the clone to the first look")
    session.run("# a clone; the first ./lab builds the lab, once, in a few minutes")
    session.start()
    session.run("./lab", "./lab tour")

    name = "01_naive"
    session.chapter(name, "Chapter 01: one thread per element")
    line = "    out[{}] = __ldg(&in[row * cols + col]);"
    body = re.sub(r"\n    // TODO \(1 line\)[^\n]*(\n *//[^\n]*)*", "\n" + line.format("row * cols + col"), skeleton(name))
    session.edit(body)
    right = swap(body, ("out[row * cols + col]", "out[col * rows + row]"))
    session.edit(right)
    session.terminal.type("./lab predict 1", "4", "4", "131072", "131072")
    session.edit(answers_of(without_todo(right), solution(name)))

    name = "02_coalescing"
    session.chapter(name, "Chapter 02: the block's shape decides the sectors")
    shape = swap(skeleton(name), (".block = {32, 8}, ", ".block = {8, 32}, "))
    session.edit(shape, "./lab hint")
    session.edit(answers_of(without_todo(swap(shape, (".tile = {8, 32}, ", ".tile = {32, 8}, "))), solution(name)))

    name = "03_float4"
    session.chapter(name, "Chapter 03: float4, and what it needs")
    unchecked = re.sub(r"\n  if \(rows % 4 == 0 && cols % 4 == 0\) \{[^\n]*", "", solution(name))
    unchecked = re.sub(r"  \} else \{  // element by element.*?\n  \}\n(?=\})", "", unchecked, flags=re.S)
    session.edit(unchecked, "./lab explain misaligned")
    session.edit(solution(name))

    name = "04_shared_tile"
    session.chapter(name, "Chapter 04: a tile in shared memory")
    session.edit(swap(solution(name), ("  __syncthreads();\n", ""), ("load_wavefronts_per_request = 32", "load_wavefronts_per_request = 1")))
    session.edit(swap(solution(name), ("load_wavefronts_per_request = 32", "load_wavefronts_per_request = 1")))
    session.edit(solution(name))

    name = "05_padding"
    session.chapter(name, "Chapter 05: one more column")
    session.run("./lab show 5 --line 37")
    one_more = ("tile[kTile][kTile];  // (32, 32) floats: 4 096", "tile[kTile][kTile + 1];  // (32, 33) floats: 4 224")
    session.edit(answers_of(without_todo(swap(skeleton(name), one_more)), solution(name)))

    name = "06_xor_swizzle"
    session.chapter(name, "Chapter 06: permute instead of pad")
    half = swap(answers_of(without_todo(skeleton(name)), solution(name)),
                ("tile[kTile][kTile + 1];  // (32, 33) floats: 4 224", "tile[kTile][kTile];  // (32, 32) floats: 4 096"),
                ("tile[y][threadIdx.x] = in", "tile[y][threadIdx.x ^ y] = in"))
    session.edit(half)
    session.edit(swap(half, ("= tile[threadIdx.x][x];", "= tile[threadIdx.x][x ^ threadIdx.x];")), "./lab show 6", "./lab progress")
    session.end_part()


def without_times(text):
    """What the machine decides: durations, and whether a compiler ran or its result was known."""
    text = re.sub(r"\b\d+(\.\d+)? (ms|s|µs)\b", "… s", text)
    return re.sub(r"compiled (before|… s)", "compiled", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(SOURCE / "build" / "common" / "cli" / "lab"))
    parser.add_argument("--check", action="store_true", help="compare with what is recorded; write nothing")
    options = parser.parse_args()
    for tool in ("tmux", "git"):
        if shutil.which(tool) is None:
            print(f"skipped: no {tool} (apt install {tool})")
            sys.exit(77)
    if subprocess.run(["git", "-C", SOURCE, "rev-parse", "HEAD"], capture_output=True).returncode != 0:
        print("skipped: this is no clone, so there is nothing to clone")
        sys.exit(77)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        session = Session(os.path.abspath(options.program), pathlib.Path(folder).resolve())
        try:
            play(session)
        finally:
            session.terminal.close()
    if options.check and session.compiler[0] != "nvrtc":  # it ran to the end; another compiler may blame another line
        print("skipped: the session was recorded with NVRTC")
        sys.exit(77)
    text = "\n\n".join(f"== {title} ==\n\n" + "\n".join(plain(line) for line in lines) for _, title, lines in session.parts) + "\n"
    if options.check:
        old = (DOCS / "session.txt").read_text()
        gone = list(difflib.unified_diff(without_times(old).splitlines(), without_times(text).splitlines(), "recorded", "now", n=1,
                                         lineterm=""))
        if gone:
            print("\n".join(gone[:80]))
            sys.exit("The session of the docs is not what happens now. Look at it, then: tools/session/record.py")
        return
    DOCS.mkdir(parents=True, exist_ok=True)
    (DOCS / "session.txt").write_text(text)
    for name, title, lines in session.parts:
        (DOCS / f"{name}.svg").write_text(svg(lines, title))


main()
