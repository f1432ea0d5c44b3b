"""A beginner: drawn edits of the solutions of 01 to 16, whether the check's first message names the place of an edit, and whether it helps.

Enters: LAB_PROGRAM, LAB_APPLY_EDITS (tests/faults/apply_edits), LAB_ROOT, LAB_SEED. Leaves: shares by chapter and kind of edit, and what was missed.
`python3 beginners.py [--chapters 4,5] [--each 40] [--words-alone] [--missed FILE] [--csv FILE]`. A message names a place by the rule at `places`."""

import argparse
import collections
import concurrent.futures
import csv
import itertools
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
APPLY = os.environ.get("LAB_APPLY_EDITS", str(ROOT / "build/tests/faults/apply_edits"))
ASKED = {"fixes": True}  # without them a sample takes a sixth of the time
SUBSCRIPTS = r"\[((?:[^\[\]]|\[[^\[\]]*\])+)\]"


@dataclass(frozen=True)
class Edit:
    kind: str
    begin: int  # of what is changed, in the old text
    end: int
    new: str
    words: tuple[str, ...] = ()  # a message that has one of these names the edit without a line


@dataclass(frozen=True)
class Draft:
    """What one beginner hands in: the solution with one to three edits."""

    chapter: int
    edits: tuple[Edit, ...]
    text: str


@dataclass
class Outcome:
    draft: Draft
    verdict: str  # statement, effect, words, missed, silent (no check fails), error
    message: str = ""
    false: str = ""  # why a sentence of the message is untrue
    advice: str = ""  # better, same: what the finding's `fix` makes of the draft; "": it has none, or none that fits
    act: str = ""  # of that fix
    lines: list[int] = field(default_factory=list)


def solution(chapter: int) -> str:
    return next(ROOT.glob(f"solutions/{chapter:02}_*/transpose.cu")).read_text(encoding="utf-8")


def code_spans(text: str) -> str:
    """The text with comments blanked, so that no edit falls into one; as long as before."""
    return re.sub(r"//[^\n]*", lambda m: " " * len(m[0]), text)


def replaced(kind: str, pattern: str, new: Callable[[re.Match[str]], str], *words: str) -> Callable[[str], Iterator[Edit]]:
    def edits(text: str) -> Iterator[Edit]:
        for m in re.finditer(pattern, code_spans(text)):
            made = new(m)
            if made != m[0]:
                yield Edit(kind, m.start(), m.end(), made, words)

    return edits


def swap(a: str, b: str) -> Callable[[re.Match[str]], str]:
    return lambda m: re.sub(rf"{a}|{b}", lambda w: b if w[0] == a else a, m[0])


def other_number(m: re.Match[str]) -> str:
    return f"{m[1]}{int(m[2]) * 2}"


AXES = (r"`?blockIdx", r"`?threadIdx", "block_x_walks", "changed places")
TURNED = ("changed places",)
ARRAYS = ("the last element is", "__shared__ arrays")  # of a declaration or a constant
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
             lambda m: " " * len(m[0])),
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
    replaced("wrong axis", r"(?<=\bblockIdx\.)[xy]", swap("x", "y"), *AXES),
    replaced("wrong axis", r"(?<=\bthreadIdx\.)[xy]", swap("x", "y"), *AXES),
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
    """Lines that name the edit (a call that was taken out is named by a message that asks for it, too), and lines where its effect shows.

    These are uses of what its statement defines, and the statement after it; for a guard all that comes behind it; for a barrier, fence or
    wait the accesses of shared memory."""
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


# Sentences that are true of some edits alone: a pattern, the kinds of these, what it says.
GUARDS = {"missing guard", "half a guard", "swapped guard", "guard one too far", "early return"}
ONLY_OF = [
    (r"^(?!(?s:.)*Give each its own)(?s:.)*put __syncthreads\(\) between", {"missing barrier", "early return", "wrong phase or group"},
     "a barrier is asked for, and none was taken"),
    (r"does not end", {"loop step", "loop end"}, "every loop ends"),
    (r"The `return` of line", {"early return"}, "no `return` was added"),
    (r"misses a `;`|`;` is missing", {"missing ;"}, "no `;` was taken"),
]


def untrue(edits: tuple[Edit, ...], message: str) -> str:
    """What the message says and the edits contradict."""
    kinds = {edit.kind for edit in edits}
    if kinds <= GUARDS and "the guard is right and the index is not" in message:
        return "the guard is wrong"
    return next((why for pattern, true_of, why in ONLY_OF if re.search(pattern, message) and not kinds & true_of), "")


def checked(chapter: int, file: pathlib.Path) -> dict | None:
    """What the check says in JSON; none: it had no verdict."""
    words = [LAB, "check", str(chapter), "--kernel", str(file), "--json", "--device", "sim", *["--try-fixes"] * ASKED["fixes"]]
    try:
        verdict = json.loads(subprocess.run(words, capture_output=True, text=True, timeout=300).stdout)
        return verdict if verdict["cases"] else None
    except (ValueError, KeyError, subprocess.TimeoutExpired):
        return None


def first_failed(verdict: dict) -> dict | None:
    return next((case for case in verdict["cases"] if not case["passed"]), None)


def text_of_line(file: pathlib.Path, number: int) -> str:
    """Without its comment, which an edit need not keep."""
    lines = code_spans(file.read_text(encoding="utf-8")).splitlines()
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def with_edits(file: pathlib.Path, edits: list[dict]) -> str | None:
    """The draft with the edits of a `fix`; none where they do not fit the way it is written."""
    if edits[0]["what"] == "replace":
        lines = file.read_text(encoding="utf-8").split("\n")
        lines[edits[0]["before_line"] - 1] = edits[0]["code"]
        return "\n".join(lines)
    made = subprocess.run([APPLY, str(file)], input=json.dumps(edits), capture_output=True, text=True)
    return made.stdout if made.returncode == 0 else None


def followed(chapter: int, file: pathlib.Path, verdict: dict) -> str:
    """Does the finding's `fix`, applied by a program, bring the draft further: does what was said first no longer hold?"""
    failed = first_failed(verdict)["reasons"][0]
    edits = failed.get("fix", {}).get("edits")
    if not edits or not ASKED["fixes"]:
        return ""
    made = with_edits(file, edits)
    if made is None:
        return ""
    fixed = file.with_suffix(".fixed.cu")
    fixed.write_text(made, encoding="utf-8")
    after = checked(chapter, fixed)
    if after is None or not after["compile"]["ok"]:
        again = first_failed(after) if after else None
        was, is_now = (re.search(r": error: .*\n.*", message) for message in (failed["message"], again["reasons"][0]["message"] if again else ""))
        return "better" if was and is_now and was[0] != is_now[0] else "same"
    now = first_failed(after)
    # By the text of the line: what was put in has moved its number.
    reasons = ((file, failed), (fixed, now["reasons"][0] if now else {"code": ""}))
    before, behind = ((reason["code"], text_of_line(path, reason.get("line") or 0)) for path, reason in reasons)
    return "same" if before == behind else "better"


def judged(draft: Draft, folder: pathlib.Path, number: int) -> Outcome:
    file = folder / f"{number}.cu"
    file.write_text(draft.text, encoding="utf-8")
    verdict = checked(draft.chapter, file)
    if verdict is None:
        return Outcome(draft, "error")
    failed = first_failed(verdict)
    if failed is None:
        return Outcome(draft, "silent")
    message = failed["reason"]
    lines = [int(n) for some in re.findall(r"\blines? (\d+(?:, \d+)*)", message) for n in some.split(", ")]
    lines += [int(n) for n in re.findall(rf"{number}\.cu[:(](\d+)", message)]
    lines += [reason["line"] for reason in failed["reasons"] if reason.get("line")]
    named = [verdict_of(edit, solution(draft.chapter), message, set(lines)) for edit in draft.edits]
    best = next(one for one in ("statement", "effect", "words", "missed") if one in named)
    act = failed["reasons"][0].get("fix", {}).get("act", "")
    return Outcome(draft, best, message, untrue(draft.edits, message), followed(draft.chapter, file, verdict), act, lines)


def verdict_of(edit: Edit, text: str, message: str, lines: set[int]) -> str:
    at, shown = places(edit, text)
    taken = re.match(r"(?:lab::)?(\w+)", text[edit.begin : edit.end]) if edit.kind == "missing barrier" else None
    if at & lines or (taken and re.search(rf"\b{taken[1]}\b", message)):
        return "statement"
    return "words" if any(re.search(w, message) for w in edit.words) else "effect" if shown & lines else "missed"


def edits_of(text: str) -> dict[str, list[Edit]]:
    """Every edit that one can make, by kind. Lines keep their numbers."""
    by_kind: dict[str, list[Edit]] = collections.defaultdict(list)
    start = text.rfind("#include")
    for edits in KINDS:
        for edit in edits(text):
            if edit.begin > start and edit.new.count("\n") == text.count("\n", edit.begin, edit.end):
                by_kind[edit.kind].append(edit)
    return by_kind


def made(chapter: int, text: str, edits: tuple[Edit, ...]) -> Draft | None:
    """None where two edits touch one place."""
    ordered = tuple(sorted(edits, key=lambda edit: edit.begin))
    if any(a.end > b.begin for a, b in itertools.pairwise(ordered)):
        return None
    for edit in reversed(ordered):
        text = text[: edit.begin] + edit.new + text[edit.end :]
    return Draft(chapter, ordered, text)


def drafts(chapter: int, each: int, draw: random.Random) -> list[Draft]:
    """So many drafts of a chapter: half of them with one edit, each kind as likely as the others; then with two or three."""
    text = solution(chapter)
    by_kind = edits_of(text)
    pools = [draw.sample(edits, len(edits)) for _, edits in sorted(by_kind.items())]
    ones = [edit for turn in itertools.zip_longest(*pools) for edit in turn if edit]
    found = {text: Draft(chapter, (), text)}
    for edit in ones:
        draft = made(chapter, text, (edit,))
        if draft and len(found) <= (each + 1) // 2:
            found.setdefault(draft.text, draft)
    for _ in range(50 * each):
        if len(found) > each:
            break
        kinds = draw.sample(sorted(by_kind), min(len(by_kind), draw.choice((2, 3))))
        draft = made(chapter, text, tuple(draw.choice(by_kind[kind]) for kind in kinds))
        if draft:
            found.setdefault(draft.text, draft)
    del found[text]
    return list(found.values())


def figures(outcomes: list[Outcome]) -> tuple[int, ...]:
    """Drafts that a check fails for, of these those named, named at their own statement, with an untrue sentence; with a `fix`, and a good one."""
    counted = [o for o in outcomes if o.verdict not in ("silent", "error")]
    return (len(counted), sum(o.verdict != "missed" for o in counted), sum(o.verdict in ("statement", "words") for o in counted),
            sum(bool(o.false) for o in counted), sum(bool(o.advice) for o in counted), sum(o.advice == "better" for o in counted))


def grouped(outcomes: list[Outcome]) -> dict[str, list[Outcome]]:
    """By chapter, by how many edits a draft has, and those of one edit by its kind."""
    groups: dict[str, list[Outcome]] = collections.defaultdict(list)
    ones = [o for o in outcomes if len(o.draft.edits) == 1]
    for o in sorted(outcomes, key=lambda o: o.draft.chapter):
        groups[f"{o.draft.chapter:02}"].append(o)
    for o in sorted(ones, key=lambda o: o.draft.edits[0].kind):
        groups[o.draft.edits[0].kind].append(o)
    for count, words in ((1, "one edit"), (2, "two edits"), (3, "three edits")):
        groups[words] = [o for o in outcomes if len(o.draft.edits) == count]
    return groups | {"all": outcomes}


COLUMNS = ("edits", "named", "own", "untrue", "advised", "better")


def measured(drawn: list[Draft], jobs: int) -> list[Outcome]:
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda job: judged(job[1], pathlib.Path(folder), job[0]), enumerate(drawn)))


def missed_row(o: Outcome) -> str:
    old = solution(o.draft.chapter).split("\n")
    changed = [(n, a, b) for n, (a, b) in enumerate(zip(old, o.draft.text.split("\n")), 1) if a != b]
    return json.dumps({"chapter": o.draft.chapter, "kinds": [edit.kind for edit in o.draft.edits], "verdict": o.verdict,
                       "false": o.false, "advice": o.advice, "act": o.act,
                       "lines": o.lines, "message": o.message, "changed": changed}, ensure_ascii=False)


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--chapters", default=",".join(map(str, range(1, 17))))
    options.add_argument("--each", type=int, default=40)
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--words-alone", action="store_true", help="no line is tried and no `fix` followed")
    options.add_argument("--missed", type=pathlib.Path)
    options.add_argument("--csv", type=pathlib.Path)
    wanted = options.parse_args()
    ASKED["fixes"] = not wanted.words_alone
    draw = draws.drawn("beginners")
    drawn = [draft for chapter in map(int, wanted.chapters.split(",")) for draft in drafts(chapter, wanted.each, draw)]
    outcomes = measured(drawn, wanted.jobs)
    columns = COLUMNS if ASKED["fixes"] else COLUMNS[:4]
    rows = [(name, *figures(some)[:len(columns)]) for name, some in grouped(outcomes).items()]
    print(f"{'':28}" + "".join(f"{name:>9}" for name in columns))
    for name, *numbers in rows:
        print(f"{name:28}" + "".join(f"{number:9}" for number in numbers))
    print(f"drafts: {len(drawn)}, no check fails: {sum(o.verdict == 'silent' for o in outcomes)}, no verdict: {sum(o.verdict == 'error' for o in outcomes)}")
    if wanted.csv:
        with wanted.csv.open("w", encoding="utf-8", newline="") as out:
            csv.writer(out, lineterminator="\n").writerows([("group", *columns), *rows])
    if wanted.missed:
        wanted.missed.write_text("".join(missed_row(o) + "\n" for o in outcomes if o.verdict in ("missed", "error") or o.false or o.advice == "same"),
                                 encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
