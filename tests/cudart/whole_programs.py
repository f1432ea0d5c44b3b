"""The whole CUDA programs of this folder, and what each asks for.

Place in the flow: read by the tests here and by tools/golden/programs.py. Enters: programs/*.cu, programs/*/main.cu and
faulty/*.cu. Leaves: a Program each, with the directives that stand in comments at the start of the file:

    // nvcc: FLAGS      flags of the compiler
    // args: WORDS      arguments of the program
    // mask: REGEX      text that differs from run to run (times, names); compared without it
    // golden: none     what it prints on a GPU is not compared
    // exit: N          its exit status, 0 unless said
    // reports: TEXT    words that the table of `lab run` or its warnings must hold
    // refused: N       launches that the runtime refuses, as the program wants; a profiler does not list them
    // FAULT CODES      at the end of a line: a fault of one of these kinds (with | between) is reported there
"""
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
GOLDEN = HERE.parent / "golden" / "programs.json"
COUNTERS = HERE.parent / "golden" / "programs_counters.csv"
MOVES = HERE.parent / "golden" / "programs_moves.csv.gz"


@dataclass
class Program:
    name: str
    files: list
    flags: list = field(default_factory=list)
    args: list = field(default_factory=list)
    masks: list = field(default_factory=list)
    golden: bool = True
    exit: int = 0
    refused: int = 0
    reports: list = field(default_factory=list)
    fault: tuple = None  # (line, [codes])

    def masked(self, text):
        """What the program printed, without what may differ from run to run."""
        for mask in self.masks:
            text = re.sub(mask, "~", text, flags=re.MULTILINE)
        return text


def read(name, files):
    program = Program(name, files)
    main = next((f for f in files if f.name == "main.cu"), files[0])
    for number, line in enumerate(main.read_text().splitlines(), 1):
        directive = re.match(r"// (nvcc|args|mask|golden|exit|reports|refused): (.*)$", line)
        fault = re.search(r"// FAULT ([a-z|-]+)$", line)
        if fault:
            program.fault = (number, fault[1].split("|"))
        if not directive:
            continue
        key, value = directive.groups()
        if key in ("nvcc", "args"):
            setattr(program, "flags" if key == "nvcc" else "args", shlex.split(value))
        elif key in ("mask", "reports"):
            (program.masks if key == "mask" else program.reports).append(value)
        elif key == "golden":
            program.golden = value != "none"
        else:
            setattr(program, key, int(value))
    return program


def collect(folder):
    """All programs of a folder, by name: a file each, or a folder with main.cu for those of several files."""
    root = HERE / folder
    single = [read(path.stem, [path]) for path in root.glob("*.cu")]
    several = [read(path.parent.name, sorted(path.parent.glob("*.cu"))) for path in root.glob("*/main.cu")]
    return sorted(single + several, key=lambda program: program.name)
