#!/usr/bin/env python3
"""Right kernels of chapters 03, 08, 09 and 10 with an edge path, as people write them: none may lose a point, whatever an optimiser does.

Enters: LAB_PROGRAM, or the path of `lab` as an argument; a seed (LAB_SEED, else the clock's; printed). Leaves: exit
status 1 when a kernel lost a point, with the draw that repeats it. A few kernels in each run, more with LAB_DRAWS or
`--count 1000`; `--kernel SEED` for one. `--compilers nvrtc,nvcc,clang,builtin`: each that accepts a kernel has to give
the same points. `--advice`: kernels whose store or load was split get the form that the message names, and have to be
whole by the first compiler alone. Seeds that failed once stand in KEPT and are drawn in every run.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "drawn")]
import draws  # noqa: E402
from edge_kernels import kernel  # noqa: E402

# Guards of 15's solution written in other ways: NVRTC selects an address in place of the branch, and lanes outside load too.
GUARD = """  if (row >= rows || col >= cols) return make_float4(0, 0, 0, 0);
  return *reinterpret_cast<const float4*>(&in[row * cols + col]);
"""
GUARDS = [
    GUARD.replace("make_float4(0, 0, 0, 0)", "{}"),
    """  if (row < rows && col < cols) return *reinterpret_cast<const float4*>(&in[row * cols + col]);
  return {};
""",
]
KEPT: list[int] = [202128585, 399804946, 407811516, 1073254676]  # seeds that failed once


def advised(source: str, card: dict) -> str | None:
    """The line that was split, as the message says; null where none was, or where it has no cast to apply it to."""
    found = re.search(r"line (\d+): the PTX (stores|loads)", card.get("split", ""))
    if not found:
        return None
    lines = source.split("\n")
    before, cast = r"^(\s*(?:if \(lo\) )?\{?\s*)\*?", r"(?:\((?:float4|uint4)\*\)|reinterpret_cast<(?:float4|uint4)\*>)"
    stores = re.compile(before + r"(" + cast + r"\(?&?[^=]*?\)?)(\[0\])? = (.*?);(.*)$")
    line = lines[int(found[1]) - 1]
    match = stores.match(line)
    if found[2] != "stores" or not match or match[3]:
        return None
    lines[int(found[1]) - 1] = f"{match[1]}__stcs({match[2]}, {match[4]});{match[5]}"
    return "\n".join(lines)


def judged(lab: Path, chapter: int, file: Path, compiler: str) -> dict:
    command = [str(lab), "--compiler", compiler] if compiler else [str(lab)]
    command += ["check", str(chapter), "--kernel", str(file), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"error": done.stdout[-300:] + done.stderr[-300:]}


def lost(card: dict) -> list[str]:
    """What of it is not there, predictions apart: these kernels predict nothing."""
    if "cases" not in card:
        return [json.dumps(card)[:300]]
    if not card["compile"]["ok"]:
        return [card["compile"]["log"][:400]]
    return [
        f"{case['id']}: {case['reasons'][0]['code']} {case['reason'][:200]}"
        for case in card["cases"]
        if case["kind"] != "prediction" and not case["passed"]
    ]


def wrong_guards(lab: Path, folder: Path) -> int:
    """How many of GUARDS cost a point by the usual compiler."""
    solution = (Path(os.environ["LAB_ROOT"]) / "solutions/15_speed_of_light/transpose.cu").read_text(encoding="utf-8")
    if solution.count(GUARD) != 1:
        raise ValueError("GUARD does not stand once in the solution of 15")
    wrong = 0
    for k, guard in enumerate(GUARDS):
        file = folder / f"guard_{k}.cu"
        file.write_text(solution.replace(GUARD, guard), encoding="utf-8")
        for missing in lost(judged(lab, 15, file, "")):
            wrong += 1
            print(f"{guard}  {missing}")
    return wrong


def split_habits(lab: Path) -> int:
    """How many of the right kernels that NVRTC takes apart, of habits that no draw has, lose a point."""
    wrong = 0
    for file in sorted((Path(__file__).resolve().parent / "split").glob("*.cu")):
        for missing in lost(judged(lab, int(file.name[:2]), file, "")):
            wrong += 1
            print(f"{file.name}: {missing}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lab", type=Path, nargs="?", default=os.environ.get("LAB_PROGRAM"))
    parser.add_argument("--count", type=int, default=draws.draws_of_run(3))
    parser.add_argument("--kernel", type=int, help="this seed alone")
    parser.add_argument("--compilers", default=",builtin", help="names with commas; none: the usual one")
    parser.add_argument("--show", action="store_true", help="print the source")
    args = parser.parse_args()
    if args.lab is None:
        parser.error("which lab? Give its path, or set LAB_PROGRAM.")
    lab = args.lab.resolve()  # the build folder may be the current one
    first = draws.drawn("drawn edges")
    seeds = [args.kernel] if args.kernel is not None else KEPT + [first.randrange(1 << 30) for _ in range(args.count)]
    wrong = split = by_advice = refused = 0
    with tempfile.TemporaryDirectory() as name:
        wrong += wrong_guards(lab, Path(name)) + split_habits(lab)
        for seed in seeds:
            chapter, source = kernel(seed)
            file = Path(name) / f"edge_{seed}.cu"
            file.write_text(source)
            if args.show:
                print(source)
            for compiler in args.compilers.split(","):
                card = judged(lab, chapter, file, compiler)
                if compiler == "clang" and card.get("compile", {}).get("ok") is False:
                    refused += 1
                    print(f"--kernel {seed}: {compiler} refuses: {card['compile']['log'][:200]}")
                    continue
                missing = lost(card)
                if missing:
                    wrong += 1
                    print(f"--kernel {seed} {compiler}: chapter {chapter}\n  " + "\n  ".join(missing))
                if not card.get("split"):
                    continue
                split += 1
                if (better := advised(source, card)) is not None:
                    file.write_text(better)
                    again = judged(lab, chapter, file, compiler)
                    by_advice += 1
                    if lost(again) or again.get("split") == card["split"]:
                        wrong += 1
                        print(f"--kernel {seed}: the advice does not keep it whole: {again.get('split', lost(again))}")
                    file.write_text(source)
    print(f"{len(seeds)} kernels, {split} of them split, {by_advice} by the advice whole again, {refused} refused, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
