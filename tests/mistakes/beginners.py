"""A beginner: drawn edits of the solutions of 01 to 16, and whether the check's first message names the place of the edit.

Enters: LAB_PROGRAM, LAB_ROOT, LAB_SEED. Leaves: shares by chapter and kind of edit, and what was missed with its message.
`python3 beginners.py [--chapters 4,5] [--each 40] [--missed FILE] [--csv FILE]`. A message names a place by the rule at `places`."""

import argparse
import collections
import concurrent.futures
import csv
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent
ROOT = pathlib.Path(os.environ.get("LAB_ROOT", HERE.parents[1]))
sys.path.insert(0, str(HERE.parent))
from drawn import draws  # noqa: E402

LAB = os.environ.get("LAB_PROGRAM", str(ROOT / "build/common/cli/lab"))
SUBSCRIPTS = r"\[((?:[^\[\]]|\[[^\[\]]*\])+)\]"


@dataclass
class Edit:
    kind: str
    text: str
    begin: int  # of what was changed, in the old text
    end: int
    words: tuple[str, ...] = ()  # a message that has one of these names the edit without a line


@dataclass
class Outcome:
    chapter: int
    edit: Edit
    verdict: str  # statement, effect, words, missed, silent (passes or fails nowhere), error
    message: str = ""
    false: str = ""  # why a sentence of the message is untrue
    lines: list[int] = field(default_factory=list)


def code_spans(text: str) -> str:
    """The text with comments blanked, so that no edit falls into one; as long as before."""
    return re.sub(r"//[^\n]*", lambda m: " " * len(m[0]), text)


def replaced(kind: str, pattern: str, new: Callable[[re.Match[str]], str], *words: str) -> Callable[[str], Iterator[Edit]]:
    def edits(text: str) -> Iterator[Edit]:
        for m in re.finditer(pattern, code_spans(text)):
            made = new(m)
            if made != m[0]:
                yield Edit(kind, text[: m.start()] + made + text[m.end() :], m.start(), m.end(), words)

    return edits


def swap(a: str, b: str) -> Callable[[re.Match[str]], str]:
    return lambda m: re.sub(rf"{a}|{b}", lambda w: b if w[0] == a else a, m[0])


def other_number(m: re.Match[str]) -> str:
    return f"{m[1]}{int(m[2]) * 2}"


AXES = (r"`?blockIdx", r"`?threadIdx", "block_x_walks", "changed places")
TURNED = ("changed places",)
ARRAYS = ("the last element is", "__shared__ arrays")  # of a declaration or a constant
WAITS = ("__syncthreads", "wait for it", "sync_cluster", "fence_for_tma")
KINDS = [
    replaced("swapped indices", r"\b(?:row|y|r) \* \w+ \+ (?:col|x|c)\b", lambda m: re.sub(r"(\w+) \* (\w+) \+ (\w+)", r"\3 * \2 + \1", m[0]), *TURNED),
    replaced("swapped indices", r"\b(?:col|x) \* rows \+ row\b", lambda m: "row * rows + col", *TURNED),
    replaced("swapped indices", rf"\b(?:tile|turned|stage)(?:\[[^\[\]]*\])?{SUBSCRIPTS}{SUBSCRIPTS}(?= =|;|,)",
             lambda m: m[0][: m.start(1) - m.start() - 1] + f"[{m[2]}][{m[1]}]", *TURNED, *ARRAYS),
    replaced("swapped indices", r"\bplace\((\w[^,()]*), ([^,()]*)\)", lambda m: f"place({m[2]}, {m[1]})", *TURNED),
    replaced("wrong pitch", r"(?<=\* )(?:cols|rows)(?= \+)", swap("rows", "cols"), *TURNED),
    replaced("missing guard", r"if \((?:[^()]|\([^()]*\))*(?:rows|cols|end_row|end_col)\) (?!return|continue|\{)", lambda m: " " * len(m[0])),
    replaced("half a guard", r"(?<=\()(\w+) (<|>=) (\w+) (?:&&|\|\|) (\w+) (?:<|>=) (\w+)(?=\))", lambda m: f"{m[1]} {m[2]} {m[3]}"),
    replaced("half a guard", r"(?<=\()(\w+) (<|>=) (\w+) (?:&&|\|\|) (\w+) (?:<|>=) (\w+)(?=\))", lambda m: f"{m[4]} {m[2]} {m[5]}"),
    replaced("swapped guard", r"(?<=\()\w+ (?:<|>=) (?:rows|cols) (?:&&|\|\|) \w+ (?:<|>=) (?:rows|cols)(?=\))", swap("rows", "cols")),
    replaced("guard one too far", r"(?<=\b(?:row|col)) <(?= (?:rows|cols))", lambda m: " <="),
    replaced("wrong constant", r"(constexpr int k\w+ = )(\d+)", other_number, *ARRAYS),
    replaced("wrong block or tile", r"(?<=\.block = )\{(\d+), (\d+)\}", lambda m: f"{{{m[2]}, {m[1]}}}", r"\.block", "blockDim"),
    replaced("wrong block or tile", r"(?<=\.tile = )\{(\d+), (\d+)\}", lambda m: f"{{{int(m[1]) * 2}, {m[2]}}}", r"\.tile"),
    replaced("wrong block or tile", r"kRows|kCols", swap("kRows", "kCols"), "block_x_walks", *AXES),
    replaced("matrix index in the tile", r"(?<=tile\[)y\]\[threadIdx\.x(?=\] = )", lambda m: "row][col"),
    replaced("early return", r"if \((\w+) < (\w+) && (\w+) < (\w+)\) ", lambda m: f"if ({m[1]} >= {m[2]} || {m[3]} >= {m[4]}) return; "),
    replaced("missing barrier", r"__syncthreads\(\);|lab::sync_cluster\(\);|lab::fence_for_tma\(\);|lab::wait\([^;]*\);|lab::wait_copies<[^;]*;",
             lambda m: " " * len(m[0]), *WAITS),
    replaced("loop step", r"\b(\w+) \+= (?!1\b)[\w/ .*]+(?=\))", lambda m: f"++{m[1]}"),
    replaced("loop step", r"\b(\w+) \+= (?:kBlockRows|kPacks)(?=\))", lambda m: f"{m[1]} += kTile"),
    replaced("loop end", r"(?<=; )(\w+) < (k\w+)(?=;)", lambda m: f"{m[1]} <= {m[2]}"),
    replaced("missing ;", r";(?=\n)", lambda m: " "),
    replaced("missing &", r"(?<=[(,] )&(?=\w)|(?<=\()&(?=\w)", lambda m: " "),
    replaced("float4 without a cast", r"\*reinterpret_cast<(?:const )?float4\*>\((&[^;=]*?\])\)(?= =|;)", lambda m: f"{m[1][1:]}"),
    replaced("wrong phase or group", r"(?<=lab::wait\(&barrier, )0(?=\))", lambda m: "1"),
    replaced("wrong phase or group", r"(?<=wait_copies<)kStages - 2", lambda m: "kStages - 1"),
    replaced("wrong byte count", r"(?<=, )kTileBytes(?=\))", lambda m: "kTileBytes / 2"),
    replaced("wrong byte count", r"4 \* left", lambda m: "left"),
    replaced("wrong axis", r"\bblockIdx\.[xy]", swap("x", "y"), *AXES),
    replaced("wrong axis", r"\bthreadIdx\.[xy]", swap("x", "y"), *AXES),
    replaced("wrong lane of a vector", r"(?<=\(a\.x, b\.)x|(?<=\(a\.y, b\.)y", lambda m: "w"),
    replaced("wrong offset", r"(?<=\+ )[1-3](?=[,)\]])", lambda m: str((int(m[0]) + 1) % 4)),
    replaced("factor of four lost", r"\b4 \* (?=\w|\()", lambda m: ""),
]


def line_of(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def statement(text: str, begin: int, end: int) -> range:
    """Lines of the statement that holds what was changed."""
    code = code_spans(text)
    first = max((code.rfind(mark, 0, begin) for mark in ";{}"), default=-1) + 1
    first += len(code[first:begin]) - len(code[first:begin].lstrip())
    ends = [at for mark in ";{" if (at := code.find(mark, max(begin, end - 1))) >= 0]
    return range(line_of(text, first), line_of(text, min(ends, default=end)) + 1)


def defined(code: str) -> set[str]:
    """Names that a line gives a value."""
    names = set(re.findall(r"(\w+)(?:\[[^=;]*\])? (?:[-+*/|&^])?= ", code)) | set(re.findall(r"\b__device__ [\w:&]+ (\w+)\(", code))
    return names - {"int", "size_t"}


def effects(text: str, at: range) -> set[int]:
    """Lines that use what the statement gives a value, step by step; behind a removed guard or barrier that is the next statement."""
    lines = code_spans(text).split("\n")
    names = set().union(*(defined(lines[n - 1]) for n in at)) - {"tile", "out"}
    names |= set().union(*(re.findall(r"__shared__ [\w:]+ (\w+)", lines[n - 1]) for n in at))
    found: set[int] = set()
    while True:
        more = {n for n, code in enumerate(lines, 1) if n not in at and any(re.search(rf"\b{name}\b", code) for name in names)}
        if more <= found:
            break
        found |= more
        names |= set().union(*(defined(lines[n - 1]) for n in more)) - {"tile", "out", "stage", "turned"}
    after = next((n for n in range(at[-1] + 1, len(lines) + 1) if lines[n - 1].strip(" }")), at[-1])
    return found | {after}


def places(edit: Edit, text: str) -> tuple[set[int], set[int]]:
    """Lines that name the edit, and lines where its effect shows: uses of what its statement defines, the statement after it; for a guard all
    that comes behind it; for a barrier, fence or wait the accesses of shared memory."""
    at = statement(text, edit.begin, edit.end)
    shown = effects(text, at)
    if edit.kind in ("missing barrier", "wrong phase or group", "wrong byte count"):
        shared = "|".join(re.findall(r"__shared__ [\w:]+ (\w+)", code_spans(text))) or "tile"
        shown |= {n for n, code in enumerate(code_spans(text).split("\n"), 1) if re.search(rf"\b(?:{shared}|theirs|store_tile)\b", code)}
    if edit.kind in ("half a guard", "swapped guard", "guard one too far", "early return"):  # who passes it does what comes behind
        shown |= set(range(at[-1], text.count("\n") + 1))
    if edit.kind == "missing ;":
        shown |= {at[0] - 1, at[-1] + 1}
    return set(at), shown


def untrue(edit: Edit, message: str) -> str:
    """What the message says and the edit contradicts."""
    asks = "put __syncthreads() between" in message and "Give each its own" not in message
    if asks and edit.kind not in ("missing barrier", "early return", "wrong phase or group"):
        return "a barrier is asked for, and none was taken"
    if "does not end" in message and not edit.kind.startswith("loop"):
        return "every loop ends"
    return ""


def judged(chapter: int, edit: Edit, text: str, folder: pathlib.Path, number: int) -> Outcome:
    file = folder / f"{number}.cu"
    file.write_text(edit.text, encoding="utf-8")
    done = subprocess.run([LAB, "check", str(chapter), "--kernel", str(file), "--json", "--device", "sim"], capture_output=True, text=True, timeout=300)
    try:
        cases = json.loads(done.stdout)["cases"]
    except (ValueError, KeyError):
        return Outcome(chapter, edit, "error", (done.stdout + done.stderr)[-600:])
    failed = next((case for case in cases if not case["passed"]), None)
    if failed is None:
        return Outcome(chapter, edit, "silent")
    message = failed["reason"]
    lines = [int(n) for some in re.findall(r"\blines? (\d+(?:, \d+)*)", message) for n in some.split(", ")]
    lines += [int(n) for n in re.findall(rf"{number}\.cu[:(](\d+)", message)]
    lines += [reason["line"] for reason in failed["reasons"] if reason.get("line")]
    at, shown = places(edit, text)
    verdict = "statement" if at & set(lines) else "effect" if shown & set(lines) else "words" if any(re.search(w, message) for w in edit.words) else "missed"
    return Outcome(chapter, edit, verdict, message, untrue(edit, message), lines)


def drawn_edits(chapter: int, text: str, each: int, draw: random.Random) -> list[Edit]:
    """So many edits of a chapter, each kind as likely as the others."""
    by_kind: dict[str, list[Edit]] = collections.defaultdict(list)
    start = text.rfind("#include")
    for edits in KINDS:
        for edit in edits(text):
            if edit.begin > start and edit.text.count("\n") == text.count("\n"):
                by_kind[edit.kind].append(edit)
    for edits_of_kind in by_kind.values():
        draw.shuffle(edits_of_kind)
    taken: list[Edit] = []
    while len(taken) < each and by_kind:
        for kind in list(by_kind):
            taken.append(by_kind[kind].pop())
            if not by_kind[kind]:
                del by_kind[kind]
    return taken[:each]


def figures(outcomes: list[Outcome]) -> tuple[int, int, int, int]:
    """Edits that a check fails for, of these those named, named at their own statement, and those with an untrue sentence."""
    counted = [o for o in outcomes if o.verdict not in ("silent", "error")]
    return (len(counted), sum(o.verdict != "missed" for o in counted), sum(o.verdict in ("statement", "words") for o in counted),
            sum(bool(o.false) for o in counted))


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--chapters", default=",".join(map(str, range(1, 17))))
    options.add_argument("--each", type=int, default=40)
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--missed", type=pathlib.Path)
    options.add_argument("--csv", type=pathlib.Path)
    wanted = options.parse_args()
    draw = draws.drawn("beginners")
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(wanted.jobs) as pool:
        jobs = []
        for chapter in map(int, wanted.chapters.split(",")):
            text = next(ROOT.glob(f"solutions/{chapter:02}_*/transpose.cu")).read_text(encoding="utf-8")
            for edit in drawn_edits(chapter, text, wanted.each, draw):
                jobs.append(pool.submit(judged, chapter, edit, text, pathlib.Path(folder), len(jobs)))
        outcomes = [job.result() for job in jobs]
    groups = {f"{chapter:02}": [o for o in outcomes if o.chapter == chapter] for chapter in sorted({o.chapter for o in outcomes})}
    groups |= {kind: [o for o in outcomes if o.edit.kind == kind] for kind in sorted({o.edit.kind for o in outcomes})}
    rows = [(name, *figures(some)) for name, some in (groups | {"all": outcomes}).items()]
    print(f"{'':28}edits  named  own statement  untrue")
    for name, edits, named, own, untrue_ones in rows:
        print(f"{name:28}{edits:5} {100 * named / max(1, edits):5.0f} % {100 * own / max(1, edits):12.0f} % {untrue_ones:7}")
    print(f"no check fails: {sum(o.verdict == 'silent' for o in outcomes)}, no verdict: {sum(o.verdict == 'error' for o in outcomes)}")
    if wanted.csv:
        with wanted.csv.open("w", encoding="utf-8", newline="") as out:
            csv.writer(out, lineterminator="\n").writerows([("group", "edits", "named", "own", "untrue"), *rows])
    if wanted.missed:
        with wanted.missed.open("w", encoding="utf-8") as out:
            for o in outcomes:
                if o.verdict in ("missed", "error") or o.false:
                    old = next(ROOT.glob(f"solutions/{o.chapter:02}_*/transpose.cu")).read_text(encoding="utf-8").split("\n")
                    changed = [(n, a, b) for n, (a, b) in enumerate(zip(old, o.edit.text.split("\n")), 1) if a != b]
                    print(json.dumps({"chapter": o.chapter, "kind": o.edit.kind, "verdict": o.verdict, "false": o.false, "lines": o.lines,
                                      "message": o.message, "changed": changed}, ensure_ascii=False), file=out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
