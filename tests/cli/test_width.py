"""Lines end where the terminal does, in both languages.

Enters: LAB_PROGRAM, the built program. Leaves: one unittest verdict. Each run draws some of the commands, widths and languages; LAB_SEED repeats a run,
LAB_DRAWS=20 takes all. Each command runs in a terminal of its own, of 60 to 120 columns;
what it prints is measured as a terminal shows it. A line of source shows the access that its row is about, a number stands beside its unit. The rows of a
picture keep their columns."""
import fcntl
import itertools
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import unicodedata
import unittest

from tests.drawn.draws import sample_of_run

from sandbox import PROGRAM, SOURCE

# Command, and the narrowest terminal that it fits.
COMMANDS = (("check 4", 60), ("check 17", 60), ("predict 1", 60), ("predict 9", 60), ("hint 5 --all", 60), ("progress", 60), ("list", 60),
            ("explain bank-conflict", 60),
            ("diff 4 5", 60), ("show 5", 60), ("tour", 60), ("diff 9", 60), ("profile 4", 60), ("doctor", 80), ("inspect limits 8", 60),
            ("limits 1 --solution", 60),
            ("tables 17", 80), ("check --help", 60))


def printed(args, columns, language):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    env = dict(os.environ, TERM="xterm", PAGER="cat", LAB_LANG=language, LAB_ROOT=str(SOURCE))
    process = subprocess.Popen([PROGRAM, *args], stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.DEVNULL, env=env)
    os.close(theirs)
    text = b""
    try:
        while chunk := os.read(ours, 65536):
            text += chunk
    except OSError:  # how a terminal says that the other end is closed
        pass
    process.wait()
    os.close(ours)
    return re.sub("\x1b\\[[0-9;]*[A-Za-z]|\r", "", text.decode()).split("\n")


def width(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


# A row in the pictures: line, path.
ROW = re.compile(r"^>? +(?:[\w.]+:)?(\d+) +(global|shared) (load|store) ")
LONG_PATH = re.compile(r" *(?:/[^/ ]+)+")  # on a line of its own, whole, so that it can be copied
PICTURE = re.compile(r" *(?:byte|bank|wavefront|packet) ")
UNIT = re.compile(r"(?:\d|%|×|(?:bytes?|sectors?|wavefronts?|requests?|lanes?|threads?|rows?|columns?|elements?|banks?|µs|ms|s|GB/s|points?)\b|[一-鿿])")
CHAPTERS = sorted(int(folder.name[:2]) for folder in SOURCE.glob("solutions/*") if folder.is_dir())
ONCE_TORN = (("hint 5 --all", 80, "en"), ("limits 1 --solution", 60, "en"))
LEAST_SHOWN = 20  # characters of an access, or all of it


def access_of(source, reads):
    """The text of a line's access: behind its guards what is assigned, or what it is assigned to."""
    text = re.sub(r"^(?:(?:if|for) \((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\) )*", "", source.strip())
    parts = re.split(r" [-+*/|&^]?= ", text, maxsplit=1)
    if not reads:
        return parts[0]
    if len(parts) == 1:
        indexed = re.search(r"\w+\[", text)
        return text.removeprefix("return ") if text.startswith("return ") or not indexed else text[indexed.start():]
    return parts[1].split(" ? ", 1)[-1]


class Width(unittest.TestCase):
    def test_other_layouts_keep_the_access_that_costs_most(self):
        """At 60 columns the table has room for one: not for the store, which has no conflict."""
        heads = [line for line in printed(["show", "5"], 60, "en") if line.startswith("layout ")]
        self.assertEqual([re.sub(" :[0-9]+", "", " ".join(head.split())) for head in heads], ["layout shared load bytes"])

    def test_a_row_shows_the_access_that_it_is_about(self):
        rows = 0
        every = [("show", chapter, columns) for chapter in CHAPTERS for columns in (60, 80, 100, 120)] + [("profile", chapter, 80) for chapter in CHAPTERS]
        for command, chapter, columns in [("show", 5, 80), *sample_of_run("rows of accesses", every, 8)]:
            lines = printed([command, str(chapter), "--solution"], columns, "en")
            self.assertEqual([line for line in lines if width(line) > columns and not PICTURE.match(line)], [], (command, chapter, columns))
            source = next(SOURCE.glob(f"solutions/{chapter:02}_*/transpose.cu")).read_text(encoding="utf-8").split("\n")
            for at, line in enumerate(lines):
                if not (row := ROW.match(line)):
                    continue
                rows += 1
                wanted = access_of(source[int(row[1]) - 1], row[3] == "load")[:LEAST_SHOWN]
                with self.subTest(command=command, chapter=chapter, columns=columns, line=row[1]):
                    self.assertIn(wanted.rstrip(), line + "\n" + (lines[at + 1] if "…" not in line and wanted not in line else ""))
        self.assertGreater(rows, 10)

    def test_the_tour_shows_what_a_chapter_changes(self):
        counted = {}
        for chapter in json.loads(subprocess.run([PROGRAM, "tour", "--json"], capture_output=True, text=True, check=True,
                                                 env=dict(os.environ, LAB_ROOT=str(SOURCE))).stdout)["chapters"]:
            counted[chapter["chapter"]] = chapter["bank_conflicts"], chapter["shared_bytes"]
        self.assertGreater(len(counted), 14)
        for columns in (60, 80, 100, 120):
            lines = printed(["tour"], columns, "en")
            rows = {name: at for at, line in enumerate(lines) for name in counted if line.strip().startswith(name + " ")}
            self.assertEqual(list(rows), list(counted), columns)
            said = {name: " ".join(" ".join(lines[begin:end]).split()) for (name, begin), end in
                    zip(rows.items(), [*list(rows.values())[1:], len(lines)], strict=True)}
            self.assertEqual(len({text.split(" ", 1)[1] for text in said.values()}), len(said), "two rows that look alike")
            for (one, was), (other, now) in itertools.pairwise(counted.items()):
                for before, after, name in zip(was, now, ("bank conflicts", "shared bytes"), strict=True):
                    if before != after and after != 0:
                        self.assertIn(f"{name} {after:,}".replace(",", " "), said[other], (one, columns))

    def test_a_number_stands_beside_its_unit(self):
        every = itertools.product(("check 4", "hint 5 --all", "limits 1 --solution", "limits 9 --solution", "tour", "show 5", "explain bank-conflict",
                                   "check 17", "hint 17 --all", "predict 5"), (60, 72, 80, 100), ("en", "zh"))
        for command, columns, language in [*ONCE_TORN, *sample_of_run("numbers and units", list(every), 6)]:
            lines = printed(command.split(), columns, language)
            torn = [(one, other) for one, other in itertools.pairwise(lines)
                    if columns - width(one) < 20 and re.search(r"[a-z一-鿿]{2} [\d ]*\d$", one) and UNIT.match(other.strip())
                    and "  " not in one.strip() + other.strip()]
            with self.subTest(command=command, columns=columns, language=language):
                self.assertEqual(torn, [])

    def test_lines_fit(self):
        every = [(command, columns, language) for command, least in COMMANDS for columns in (60, 80, 100, 120) for language in ("en", "zh")
                 if columns >= least]
        for command, columns, language in sample_of_run("lines and columns", every, 10):
            with self.subTest(command=command, columns=columns, language=language):
                lines = printed(command.split(), columns, language)
                self.assertGreater(len(lines), 2)
                self.assertEqual([line for line in lines if width(line) > columns and not LONG_PATH.fullmatch(line)], [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
