#!/usr/bin/env python3
"""The table and the histogram of docs/fast_times.md about drawn layouts, from what tools/bench/drawn.cu printed.

Enters: pairs NAME=FILE. Leaves: a markdown table on standard output; with --picture FILE a histogram as SVG.
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


def picture(series: dict[str, list[Row]]) -> str:
    """Shares of a copy in steps of 5 %, a panel for each group, a colour for each series."""
    colours, width, height, steps = ["#9aa7b4", "#1f77b4", "#2ca02c", "#d62728"], 380, 150, 26
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * width + 40} {2 * (height + 60) + 30}" font-family="sans-serif" font-size="11">',
             '<rect width="100%" height="100%" fill="white"/>']
    for panel, group in enumerate(GROUPS):
        left, top = 30 + panel % 2 * (width + 10), 30 + panel // 2 * (height + 60)
        parts.append(f'<text x="{left}" y="{top - 8}" font-weight="bold">{group}</text>')
        counts = {}
        for name, rows in series.items():
            shares = [r.share for r in rows if r.group == group]
            counts[name] = [sum(min(int(s // 5), steps - 1) == k for s in shares) / max(1, len(shares)) for k in range(steps)]
        highest = max(max(c) for c in counts.values()) or 1
        bar = width / steps / (len(series) + 0.5)
        for number, parts_of in enumerate(counts.values()):
            for k, share in enumerate(parts_of):
                tall = share / highest * height
                parts.append(f'<rect x="{left + k * width / steps + number * bar:.1f}" y="{top + height - tall:.1f}" width="{bar:.1f}" '
                             f'height="{tall:.1f}" fill="{colours[number]}"/>')
        parts.append(f'<path d="M{left} {top + height}h{width}" stroke="black"/>')
        parts += [f'<text x="{left + k * width / steps:.0f}" y="{top + height + 14}" text-anchor="middle">{k * 5}</text>' for k in range(0, steps, 4)]
    at = 30
    for number, name in enumerate(series):
        parts.append(f'<rect x="{at}" y="{2 * (height + 60) + 8}" width="10" height="10" fill="{colours[number]}"/>'
                     f'<text x="{at + 14}" y="{2 * (height + 60) + 17}">{name}</text>')
        at += 170
    parts.append(f'<text x="{at + 20}" y="{2 * (height + 60) + 17}">% of a copy</text></svg>')
    return "\n".join(parts) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("series", nargs="+", metavar="NAME=FILE")
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    series = {name: list(rows_of(file)) for name, _, file in (s.partition("=") for s in options.series)}
    print("| layouts | | drawn | median | 95 % reach | ≥ 92 % | ≥ 80 % | < 60 % | worst | cuTENSOR ahead |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for group in GROUPS:
        for name, rows in series.items():
            for line in table(name, [r for r in rows if r.group == group]):
                print(line)
    wrong = {name: sum(r.wrong > 0 for r in rows) for name, rows in series.items()}
    print(f"\nWrong results: {', '.join(f'{name} {count}' for name, count in wrong.items())}.")
    if options.picture:
        options.picture.write_text(picture(series))


if __name__ == "__main__":
    main()
