"""Judges kernels twice, compiled by NVRTC and by the built-in compiler, and says where the verdicts differ.

    compare.py LAB [--chapters 1-18] [--only WORD] [--draw N --seed S] [--write]

Enters: the built program, the kernels of the course and of tests/mutants. Leaves: one line for each pair that differs; with --write the
table data/builtin_compiler.csv, which docs/compiler.md prints. Exit code 1 where a verdict or the points differ.
"""
import argparse
import collections
import csv
import json
import os
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "data/builtin_compiler.csv"
FOLDERS = ("course", "cheats", "open", "right")


def pairs():
    """(kernel, chapter): solutions, what chapters begin with, and every mutant by the chapters that judge it."""
    found = [(path, path.parent.name[:2]) for folder in ("solutions", "chapters") for path in sorted((ROOT / folder).glob("*/transpose.cu"))]
    for folder in FOLDERS:
        for path in sorted((ROOT / "tests/mutants" / folder).glob("*.cu")):
            judged = re.search(r"judged by: (.*)", path.read_text(encoding="utf-8"))
            found += [(path, chapter) for chapter in (re.findall(r"\b(\d\d)_", judged.group(1)) if judged else [])]
    return [(str(path.relative_to(ROOT)), chapter) for path, chapter in found]


def judge(lab, kernel, chapter, compiler):
    """What a verdict is here: passed, points, and of the first case that failed which, why and where."""
    words = [lab, "--compiler", compiler, "check", chapter, "--kernel", kernel, "--json"]
    run = subprocess.run(words, cwd=ROOT, env={**os.environ, "LAB_ROOT": str(ROOT), "LAB_LANG": "en"}, capture_output=True, text=True)
    try:
        found = json.loads(run.stdout)
    except ValueError:
        return {"refused": (run.stderr or run.stdout).strip().splitlines()[-1:]}
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
    if any(own[key] != nvrtc[key] for key in ("passed", "points")):
        return "another verdict"
    if own == nvrtc:
        return "same"
    return "another line" if all(own[key] == nvrtc[key] for key in ("first", "code")) else "another first case"


def known():
    if not TABLE.exists():
        return {}
    with TABLE.open(encoding="utf-8") as file:
        return {(row["kernel"], row["chapter"]): row for row in csv.DictReader(file)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lab")
    parser.add_argument("--chapters", default="1-18")
    parser.add_argument("--only", default="")
    parser.add_argument("--draw", type=int)
    parser.add_argument("--seed")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    low, high = (int(part) for part in (options.chapters.split("-") * 2)[:2])
    chosen = [pair for pair in pairs() if low <= int(pair[1]) <= high and options.only in pair[0]]
    if options.draw:
        seed = options.seed or os.environ.get("LAB_SEED") or str(random.randrange(1 << 32))
        print(f"seed {seed}")
        chosen = random.Random(seed).sample(chosen, min(options.draw, len(chosen)))
    table, rows, count = known(), [], collections.Counter()
    wrong = 0
    for kernel, chapter in chosen:
        nvrtc, own = (judge(options.lab, kernel, chapter, compiler) for compiler in ("nvrtc", "builtin"))
        kind = outcome(nvrtc, own)
        count[kind] += 1
        told = own.get("refused") if kind == "refused" else "" if kind in ("same", "both refuse") else f"{nvrtc} / {own}"
        if kind not in ("same", "both refuse"):
            why = table.get((kernel, chapter), {}).get("why") or (told if kind == "refused" else "")
            rows.append({"kernel": kernel, "chapter": chapter, "outcome": kind, "why": why})
            print(f"{kind:20} {chapter} {kernel}\n    {told}", flush=True)
        if options.draw and kind != (table.get((kernel, chapter)) or {"outcome": kind if kind == "both refuse" else "same"})["outcome"]:
            print(f"not as the table says: {chapter} {kernel}: {kind}")
            wrong = 1
    print(dict(count))
    if options.write:
        with TABLE.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, ["kernel", "chapter", "outcome", "why"], lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
            writer.writerow({"kernel": "all", "chapter": options.chapters, "outcome": "judged", "why": json.dumps(dict(count))})
    return 1 if wrong or count["another verdict"] else 0


if __name__ == "__main__":
    sys.exit(main())
