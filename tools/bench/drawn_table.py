#!/usr/bin/env python3
"""The tables of docs/fast_times.md about drawn layouts, from what tools/bench/drawn.cu printed.

Enters: pairs NAME=FILE. Leaves: a markdown table on standard output.
"""
import argparse
import re
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LINE = re.compile(r"\s*(\d+) B (\S+) \[(\d+)\] (\d+) MB copy (\d+) ours ([\d.]+)% cutensor ([\d.]+)% ratio ([\d.]+) wrong (\d+) (\d+)")


@dataclass
class Row:
    element: int
    sizes: list[int]
    order: list[int]
    share: float  # of a copy, in percent
    cutensor: float  # the same; 0: it has none, or its bits differ
    wrong: int

    @property
    def group(self) -> str:
        kind = "matrices" if len(self.sizes) == 2 else "permutations"
        return f"{kind} of {'1 byte' if self.element == 1 else '2 to 16 bytes'}"


def rows_of(file: str | Path) -> Iterator[Row]:
    for line in Path(file).read_text().splitlines():
        if found := LINE.match(line):
            same_bits = found[10] == "0"
            yield Row(int(found[1]), [int(n) for n in found[2].split("x")], [int(c) for c in found[3]], float(found[6]),
                      float(found[7]) if same_bits else 0.0, int(found[9]))


GROUPS = [f"{kind} of {size}" for kind in ("matrices", "permutations") for size in ("2 to 16 bytes", "1 byte")]


def table(name: str, rows: list[Row]) -> Iterator[str]:
    for group in GROUPS:
        shares = sorted(r.share for r in rows if r.group == group)
        if not shares:
            continue
        rivals = [r for r in rows if r.group == group and r.cutensor > 0]
        ahead = sum(r.cutensor > 1.03 * r.share for r in rivals)
        at_least = " | ".join(str(sum(s >= least for s in shares)) for least in (92, 80))
        yield (f"| {group} | {name} | {len(shares)} | {statistics.median(shares):.1f} % | {shares[len(shares) // 20]:.1f} % | {at_least} | "
               f"{sum(s < 60 for s in shares)} | {shares[0]:.1f} % | {f'{ahead} of {len(rivals)}' if rivals else '–'} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("series", nargs="+", metavar="NAME=FILE")
    options = parser.parse_args()
    series = {name: list(rows_of(file)) for name, _, file in (s.partition("=") for s in options.series)}
    print("| layouts | | drawn | median | 95 % reach | ≥ 92 % | ≥ 80 % | < 60 % | worst | cuTENSOR ahead |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for group in GROUPS:
        for name, rows in series.items():
            for line in table(name, [r for r in rows if r.group == group]):
                print(line)
    wrong = {name: sum(r.wrong > 0 for r in rows) for name, rows in series.items()}
    print(f"\nWrong results: {', '.join(f'{name} {count}' for name, count in wrong.items())}.")


if __name__ == "__main__":
    main()
