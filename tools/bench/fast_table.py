"""The tables of docs/gpu.md about the fast transpose, from the measured rows in docs/bench.

python3 tools/bench/fast_table.py           prints them
python3 tools/bench/fast_table.py --write   puts them between the marks in docs/gpu.md
python3 tools/bench/fast_table.py --check   exit 1 when docs/gpu.md has other ones
"""
import csv
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/gpu.md"
BEGIN, END = "<!-- fast: begin -->\n", "<!-- fast: end -->"
ALIGNED_GOAL, RAGGED_GOAL, SECTOR, PIECE = 97.0, 92.0, 32, 16


def rows(name: str) -> list[dict[str, str]]:
    with open(ROOT / "docs/bench" / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def cell_of(row: dict[str, str]) -> tuple[int, ...]:
    return tuple(int(row[key]) for key in ("element_bytes", "count", "rows", "cols"))


def goal(cell: tuple[int, ...]) -> float:
    element, _, height, width = cell
    return ALIGNED_GOAL if height * element % SECTOR == 0 and width * element % PIECE == 0 else RAGGED_GOAL


def shown(row: dict[str, str] | None, share: bool) -> str:
    if not row:
        return "–"
    return f"{float(row['gb_per_s']):.0f}" + (f" ({float(row['percent_of_copy']):.1f} %)" if share else "")


def cells() -> list[str]:
    ours = rows("h200_fast.csv")
    found: dict[tuple[int, ...], dict[str, dict[str, str]]] = {}
    for row in ours + rows("h200_fast_peers.csv"):
        name = "Triton" if row["kernel"].startswith("Triton") else row["kernel"]
        found.setdefault(cell_of(row), {})[name] = row
    lines = ["| bytes | matrices | copy | `lab::transpose` | spread | cuBLAS geam | Triton | PyTorch | goal |",
             "|---:|---|---:|---:|---:|---:|---:|---:|---|"]
    for cell, by in found.items():
        mine = by["lab::transpose"]
        spread = (float(mine["us_p90"]) - float(mine["us_p10"])) / float(mine["us"]) * 100
        count = f"{cell[1]} × " if cell[1] > 1 else ""
        peers = [by.get(name) for name in ("cuBLAS geam", "Triton", "torch")]
        met = "met" if float(mine["percent_of_copy"]) >= goal(cell) else f"short of {goal(cell):.0f} %"
        if any(peer and float(peer["gb_per_s"]) > float(mine["gb_per_s"]) for peer in peers):
            met += ", a peer is ahead"
        lines.append(f"| {cell[0]} | {count}{cell[2]} × {cell[3]} | {float(by['copy']['gb_per_s']):.0f} | {shown(mine, True)} | {spread:.1f} % | "
                     f"{' | '.join(shown(peer, i == 0) for i, peer in enumerate(peers))} | {met} |")
    return lines


def torch_rows() -> list[str]:
    lines = ["| tensor | `permute` | type | PyTorch, µs | `torch.ops.lab.permute`, µs | a copy, µs |", "|---|---|---|---:|---:|---:|"]
    for row in rows("h200_fast_torch.csv"):
        lines.append(f"| {row['shape'].replace('x', ' × ')} | {row['order'].replace(' ', ', ')} | {row['dtype']} | {row['torch_us']} | "
                     f"{row['lab_us']} | {row['copy_us']} |")
    return lines


def main() -> int:
    text = "\n".join([*cells(), "", "Inside PyTorch, as a model calls it, the allocation of the result included:", "", *torch_rows(), ""])
    if sys.argv[1:] == []:
        print(text)
        return 0
    page = PAGE.read_text(encoding="utf-8")
    before, begin, rest = page.partition(BEGIN)
    old, end, after = rest.partition(END)
    if not begin or not end:
        print(f"{PAGE} has no marks {BEGIN.strip()} and {END}")
        return 1
    if sys.argv[1] == "--write":
        PAGE.write_text(before + begin + text + end + after, encoding="utf-8")
    elif old != text:
        print(f"{PAGE} differs from docs/bench. Run: python3 tools/bench/fast_table.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
