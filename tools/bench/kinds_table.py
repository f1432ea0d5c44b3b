#!/usr/bin/env python3
"""The table of docs/fast_times.md about layouts as programs use them, and what gaps leave to reach.

Enters: what tools/bench/plans.cu printed, as a file; `--write CSV` leaves what the page links to. Leaves: markdown on standard output: shares of a
copy, then, for parts of matrices, how many cannot reach 85 % of a copy, since the sectors of 32 bytes that they touch are more than its bytes.
"""
import argparse
import csv
import re
from collections.abc import Iterable

KINDS = {"network": "networks", "small": "16 KB to 4 MB", "large": "8 to 600 MB", "parts": "parts of matrices", "huge": "more than 2³¹ elements"}
SECTOR, SEEN = 32, 2000  # bytes; runs that are looked at
PART = re.compile(r"(\d+)x(\d+)x(\d+) pitches \+(\d+) \+(\d+) from (\d+) (\d+)")


def at(values: Iterable[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[int((len(ordered) - 1) * share)]


def touched(runs: int, length: int, pitch: int, begin: int) -> float:
    """Bytes of the sectors that runs touch."""
    sectors, last = 0, -1
    for run in range(seen := min(runs, SEEN)):
        first, end = (begin + run * pitch) // SECTOR, (begin + run * pitch + length - 1) // SECTOR
        sectors, last = sectors + max(0, end - max(first, last + 1) + 1), max(last, end)
    return sectors * SECTOR * runs / seen


def bound(row: dict[str, str]) -> float:
    """The share of a copy at its rate for the sectors of both sides."""
    found, element = PART.fullmatch(row["layout"]), int(row["element"])
    assert found
    count, rows, cols, more_out, more_in, out, begin = map(int, found.groups())
    both = (touched(count * rows, cols * element, (cols + more_in) * element, begin)
            + touched(count * cols, rows * element, (rows + more_out) * element, out))
    return 200 * int(row["bytes"]) / both


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("printed")
    parser.add_argument("--write", metavar="CSV")
    given = parser.parse_args()
    with open(given.printed, encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    share = {id(row): 100 * float(row["copy us"]) / float(row["quick us"]) for row in rows}
    for kind, name in KINDS.items():
        for bytes_alone in (False, True):
            group = [row for row in rows if row["kind"] == kind and (row["element"] == "1") == bytes_alone]
            sizes = sorted({int(row["element"]) for row in group})
            shares = [share[id(row)] for row in group]
            element = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else sizes[0]
            counts = " | ".join(str(sum(one >= least for one in shares)) for least in (92, 80))
            print(f"| {name} | {element} | {len(group)} | {at(shares, 0.5):.1f} % | {at(shares, 0.05):.1f} % | {counts} | {min(shares):.1f} % |")
    parts = [row for row in rows if row["kind"] == "parts" and row["element"] != "1"]
    of_bound = [100 * share[id(row)] / bound(row) for row in parts]
    print(f"{len(parts)} parts of 2 bytes and more: {sum(bound(row) < 85 for row in parts)} bound below 85 %, "
          f"{sum(share[id(row)] < 85 for row in parts)} below it; of the bound median {at(of_bound, 0.5):.0f} %, "
          f"95 % reach {at(of_bound, 0.05):.0f} %, worst {min(of_bound):.0f} %")
    if given.write:
        with open(given.write, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["kind", "element_bytes", "bytes", "copy_us", "us", "rows_copied_us", "layout", "plan", "before_us"])
            for r in rows:
                of_rows = r["rows us"] if r["kind"] == "parts" else ""
                writer.writerow([r["kind"], r["element"], r["bytes"], r["copy us"], r["quick us"], of_rows, r["layout"], r["quick"], r.get("old us", "")])


if __name__ == "__main__":
    main()
