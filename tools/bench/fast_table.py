"""The tables of docs/gpu.md about the fast transpose, on one GPU and between two, from the measured rows in docs/bench.

python3 tools/bench/fast_table.py           prints them
python3 tools/bench/fast_table.py --write   puts them between the marks in docs/gpu.md
python3 tools/bench/fast_table.py --check   exit 1 when docs/gpu.md has other ones
"""
import csv
import itertools
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/gpu.md"
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


def by_cell(*names: str) -> dict[tuple[int, ...], dict[str, dict[str, str]]]:
    found: dict[tuple[int, ...], dict[str, dict[str, str]]] = {}
    for row in itertools.chain.from_iterable(map(rows, names)):
        found.setdefault(cell_of(row), {})[row["kernel"].split()[0]] = row
    return found


def cells() -> list[str]:
    in_graphs = by_cell("h200_fast_graph.csv", "h200_fast_peers.csv")
    lines = ["| bytes | matrices | copy | `lab::transpose` | spread | goal | in a graph: ours | cuBLAS geam | Triton | PyTorch | |",
             "|---:|---|---:|---:|---:|---|---:|---:|---:|---:|---|"]
    for cell, by in by_cell("h200_fast.csv").items():
        mine = by["lab::transpose"]
        spread = (float(mine["us_p90"]) - float(mine["us_p10"])) / float(mine["us"]) * 100
        count = f"{cell[1]} × " if cell[1] > 1 else ""
        met = "met" if float(mine["percent_of_copy"]) >= goal(cell) else f"short of {goal(cell):.0f} %"
        ours, *peers = (in_graphs[cell].get(name) for name in ("lab::transpose", "cuBLAS", "Triton", "torch"))
        assert ours
        behind = any(peer and float(peer["gb_per_s"]) > float(ours["gb_per_s"]) for peer in peers)
        lines.append(f"| {cell[0]} | {count}{cell[2]} × {cell[3]} | {float(by['copy']['gb_per_s']):.0f} | {shown(mine, True)} | {spread:.1f} % | {met} | "
                     f"{' | '.join(shown(row, False) for row in (ours, *peers))} | {'a peer is ahead' if behind else ''} |")
    return lines


def torch_rows() -> list[str]:
    lines = ["| tensor | `permute` | type | PyTorch, µs | `torch.ops.lab.permute`, µs | a copy, µs |", "|---|---|---|---:|---:|---:|"]
    for row in rows("h200_fast_torch.csv"):
        lines.append(f"| {row['shape'].replace('x', ' × ')} | {row['order'].replace(' ', ', ')} | {row['dtype']} | {row['torch_us']} | "
                     f"{row['lab_us']} | {row['copy_us']} |")
    return lines


def two_gpus() -> list[str]:
    """Share of the copy engine's rate, by way and by bytes that cross the link each way."""
    table: dict[str, dict[int, float]] = {}
    for row in rows("h200_two_gpus.csv"):
        table.setdefault(row["way"], {})[int(row["bytes_each_way"])] = float(row["median_us"])
        assert row["wrong"] in ("", "0")
    copy = table["copy engine"]
    lines = ["| | " + " | ".join(f"{size >> 20} MiB" for size in copy) + " |", "|---|" + "---:|" * len(copy),
             "| copy engine, GB/s each way | " + " | ".join(f"{size / us / 1000:.0f}" for size, us in copy.items()) + " |"]
    for way, times in table.items():
        if way != "copy engine":
            lines.append(f"| {way} | " + " | ".join(f"{100 * copy[size] / us:.1f} %" for size, us in times.items()) + " |")
    return lines


def split() -> list[str]:
    """The library over two GPUs: share of the copy engine's rate, ours and NCCL's, by element and by bytes that cross each way."""
    table: dict[tuple[int, bool], dict[int, dict[str, float]]] = {}
    for row in rows("h100_two_gpus_fast.csv"):
        assert row["wrong"] in ("", "0")
        even = 2 * int(row["first_rows"]) == int(row["rows"]) and 2 * int(row["first_cols"]) == int(row["cols"])
        size = round(int(row["bytes_each_way"]) / 2**20)
        table.setdefault((int(row["element_bytes"]), even), {}).setdefault(size, {})[row["way"]] = float(row["median_us"])
    sizes = next(iter(table.values()))
    lines = ["| bytes | shares | " + " | ".join(f"{size} MiB" for size in sizes) + " |", "|---:|---|" + "---:|" * len(sizes)]
    for (element, even), by_size in sorted(table.items(), key=lambda item: (not item[0][1], item[0][0])):
        cells = []
        for by in by_size.values():
            ours, nccl = (100 * by["copy engine"] / by[way] for way in ("lab::transpose", "turn, NCCL all-to-all, place"))
            assert ours > nccl
            cells.append(f"{ours:.1f} % ({nccl:.0f} %)")
        lines.append(f"| {element} | {'even' if even else 'ragged'} | " + " | ".join(cells) + " |")
    return lines


def small() -> list[str]:
    """Microseconds of small transfers, means over the elements of 1 to 16 bytes, by what began them."""
    table: dict[tuple[str, str], dict[tuple[int, str], list[float]]] = {}
    for row in rows("h200_two_gpus_small.csv"):
        assert row["wrong"] in ("", "0")
        size = round(int(row["bytes_each_way"]) / 2**20)
        by_way = table.setdefault((row["shares"], row["way"]), {})
        by_way.setdefault((size, row["released"]), []).append(float(row["median_us"]))
    columns = list(next(iter(table.values())))
    titles = [f"{size} MiB{', gated' if released == 'gated' else ''}" for size, released in columns]
    lines = ["| shares | | " + " | ".join(titles) + " |", "|---|---|" + "---:|" * len(columns)]
    for (shares, way), times in table.items():
        cells = (sum(times[column]) / len(times[column]) for column in columns)
        lines.append(f"| {shares} | {way} | " + " | ".join(f"{us:.1f}" for us in cells) + " |")
    return lines


def main() -> int:
    inside = "Inside PyTorch, as a model calls it, the allocation of the result included:"
    texts = {"fast": [*cells(), "", inside, "", *torch_rows(), ""], "two GPUs": [*two_gpus(), ""], "split": [*split(), ""], "small": [*small(), ""]}
    page = PAGE.read_text(encoding="utf-8")
    fresh = page
    for name, lines in texts.items():
        begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
        if begin not in page or end not in page:
            print(f"{PAGE} has no marks {begin.strip()} and {end}")
            return 1
        before, rest = fresh.split(begin)
        fresh = before + begin + "\n".join(lines) + end + rest.split(end)[1]
    if sys.argv[1:] == []:
        print("\n".join(line for lines in texts.values() for line in lines))
    elif sys.argv[1] == "--write":
        PAGE.write_text(fresh, encoding="utf-8")
    elif page != fresh:
        print(f"{PAGE} differs from docs/bench. Run: python3 tools/bench/fast_table.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
