"""Judges kernels twice, compiled by NVRTC and by the built-in compiler, and says where the verdicts differ.

    compare.py LAB [--chapters 1-18] [--only WORD] [--draw N] [--log FILE] [--minutes M] [--write]

Enters: the built program, the kernels of the course and of tests/mutants. Leaves: a line for each pair that differs and whether
data/builtin_compiler.csv says so; with --write that table, made from what FILE has. FILE keeps each judged pair as a line of JSON, so a run
that stopped goes on. Exit code 1 where a pair is not as the table says, or another verdict is without a reason there; 77 without
NVRTC.
"""
import argparse
import collections
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import compilers

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from tests.drawn.draws import drawn, draws_of_run  # noqa: E402

TABLE = ROOT / "data/builtin_compiler.csv"
FOLDERS = ("course", "cheats", "open", "right")
COLUMNS = ["kernel", "chapter", "outcome", "nvrtc", "builtin", "why"]
AGREE = ("same", "both refuse")
NO_OTHER_VERDICT = ("another first case", "another line", "refused")


def pairs():
    """(kernel, chapter): solutions, what chapters begin with, and every mutant by the chapters that judge it."""
    found = [(path, path.parent.name[:2]) for folder in ("solutions", "chapters") for path in sorted((ROOT / folder).glob("*/transpose.cu"))]
    for folder in FOLDERS:
        for path in sorted((ROOT / "tests/mutants" / folder).glob("*.cu")):
            judged = re.search(r"judged by: (.*)", path.read_text(encoding="utf-8"))
            found += [(path, chapter) for chapter in (re.findall(r"\b(\d\d)_", judged.group(1)) if judged else [])]
    return [(str(path.relative_to(ROOT)), chapter) for path, chapter in found]


def in_one_file(kernel, folder):
    """Mutants of 17 and 18 include the solution, which no kernel that is judged may: they are judged with its text."""
    path = ROOT / kernel
    text = path.read_text(encoding="utf-8")
    whole = re.sub(r'#include "(solutions/[^"]+)"', lambda found: (ROOT / found[1]).read_text(encoding="utf-8"), text)
    if whole == text or chapter_of(kernel) not in ("17", "18"):
        return kernel
    path = pathlib.Path(folder) / path.name
    path.write_text(whole, encoding="utf-8")
    return str(path)


def chapter_of(kernel):
    return pathlib.Path(kernel).name[:2]


def judge(lab, kernel, chapter, compiler):
    """What a verdict is here: passed, points, and of the first case that failed which, why and where. Shapes are drawn by the kernel's
    name: drawn by the PTX, as they are for students, two compilers would be judged on different ones."""
    words = [lab, "--compiler", compiler, "check", chapter, "--kernel", kernel, "--device", "sim", "--json", "--draw-by", pathlib.Path(kernel).name]
    run = subprocess.run(words, cwd=ROOT, env={**os.environ, "LAB_ROOT": str(ROOT), "LAB_LANG": "en"}, capture_output=True, text=True)
    try:
        found = json.loads(run.stdout)
    except ValueError:
        return {"refused": (run.stderr or run.stdout).strip()[-300:]}
    if not found["compile"]["ok"]:
        text = re.search(r"error: (.*)", found["compile"]["log"])
        return {"refused": text[1] if text else found["compile"]["log"][:200]}
    first = next((case for case in found["cases"] if not case["passed"]), None)
    reason = ((first or {}).get("reasons") or [{}])[0]
    line = reason.get("line")
    return {"passed": found["passed"], "points": found["points"], "first": first and first["id"], "code": reason.get("code"),
            "line": line.get("line") if isinstance(line, dict) else line}


def outcome(nvrtc, own):
    if "refused" in own:
        return "both refuse" if "refused" in nvrtc else "refused"
    if "refused" in nvrtc:
        return "accepted alone"
    if own["passed"] != nvrtc["passed"]:
        return "another verdict"
    if own["points"] != nvrtc["points"]:
        return "other points"
    if own == nvrtc:
        return "same"
    return "another line" if all(own[key] == nvrtc[key] for key in ("first", "code")) else "another first case"


def short(verdict):
    """A verdict in a cell: `12 points, first case: code, line`."""
    if "refused" in verdict:
        return "refused: " + verdict["refused"]
    where = f", {verdict['first']}: {verdict['code']}, line {verdict['line']}" if verdict["first"] else ""
    return f"{'passed' if verdict['passed'] else 'not yet'}, {verdict['points']} points{where}"


def known():
    if not TABLE.exists():
        return {}
    with TABLE.open(encoding="utf-8") as file:
        return {(row["kernel"], row["chapter"]): row for row in csv.DictReader(file)}


def judged_before(log):
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log and log.exists() else []
    return {(row["kernel"], row["chapter"]): row for row in rows}


def judge_all(lab, chosen, log, minutes):
    """What the log has is not judged again."""
    found, end = judged_before(log), time.monotonic() + 60 * minutes

    def one(pair):
        if pair in found:
            return found[pair]
        if time.monotonic() > end:
            return None
        with tempfile.TemporaryDirectory() as folder:
            kernel = in_one_file(pair[0], folder)
            nvrtc, own = (judge(lab, kernel, pair[1], compiler) for compiler in ("nvrtc", "builtin"))
        row = {"kernel": pair[0], "chapter": pair[1], "outcome": outcome(nvrtc, own), "nvrtc": nvrtc, "builtin": own}
        if log:
            with log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        return row

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [row for row in pool.map(one, chosen) if row]


def write(rows, table, total):
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            if row["outcome"] not in AGREE:
                why = table.get((row["kernel"], row["chapter"]), {}).get("why", "")
                writer.writerow({**row, "nvrtc": short(row["nvrtc"]), "builtin": short(row["builtin"]), "why": why})
        writer.writerow({"kernel": "all", "chapter": "1-18", "outcome": f"{len(rows)} of {total} pairs judged", "why": tally(rows)})


def tally(rows):
    return ", ".join(f"{many} {kind}" for kind, many in collections.Counter(row["outcome"] for row in rows).most_common())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lab", type=lambda name: str(pathlib.Path(name).resolve()))  # the build names it from its own folder
    parser.add_argument("--chapters", default="1-18")
    parser.add_argument("--only", default="")
    parser.add_argument("--draw", type=int)
    parser.add_argument("--log", type=pathlib.Path)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("LAB_PROGRAM", options.lab)
    if not compilers.nvrtc_library():
        print("there is no NVRTC here. Run: ./lab setup")
        return 77
    low, high = (int(part) for part in (options.chapters.split("-") * 2)[:2])
    every = pairs()
    chosen = [pair for pair in every if low <= int(pair[1]) <= high and options.only in pair[0]]
    if options.draw:
        chosen = drawn("pairs of compilers").sample(chosen, min(draws_of_run(options.draw), len(chosen)))
    rows, table, wrong = judge_all(options.lab, chosen, options.log, options.minutes), known(), 0
    for row in rows:
        said = table.get((row["kernel"], row["chapter"]), {"outcome": "same", "why": ""})
        as_said = row["outcome"] == said["outcome"] or row["outcome"] == "both refuse"
        # A pair that came after the table may be refused or name another line, but get no other verdict or points.
        unknown = options.draw and (row["kernel"], row["chapter"]) not in table and row["outcome"] in NO_OTHER_VERDICT
        if not unknown and (not as_said or row["outcome"] not in AGREE and not said["why"]):
            wrong += 1
            print(f"{row['outcome']}, the table says {said['outcome']} ({said['why'] or 'no reason'}): {row['chapter']} {row['kernel']}")
            print(f"    NVRTC: {short(row['nvrtc'])}\n    ours:  {short(row['builtin'])}", flush=True)
    print(f"{len(rows)} of {len(chosen)} judged: {tally(rows)}; {wrong} not as the table says")
    if options.write:
        write(rows, table, len(every))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
