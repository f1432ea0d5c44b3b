"""The tables of docs/fast_times.md and docs/gpu.md about the fast transpose, on one GPU and between two, from the rows in docs/bench.

python3 tools/bench/fast_table.py           prints them
python3 tools/bench/fast_table.py --write   puts them between the marks in the pages
python3 tools/bench/fast_table.py --check   exit 1 when a page has other ones
"""
import csv
import itertools
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = {"fast": ROOT / "docs/fast_times.md", "two GPUs": ROOT / "docs/gpu.md", "split": ROOT / "docs/gpu.md"}
ALIGNED_GOAL, RAGGED_GOAL, SECTOR, PIECE = 97.0, 92.0, 32, 16


def rows(name: str) -> list[dict[str, str]]:
    with open(ROOT / "docs/bench" / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def cell_of(row: dict[str, str]) -> tuple[int, ...]:
    return tuple(int(row[key]) for key in ("element_bytes", "count", "rows", "cols"))


def goal(cell: tuple[int, ...]) -> float:
    element, _, height, width = cell
    return ALIGNED_GOAL if height * element % SECTOR == 0 and width * element % PIECE == 0 else RAGGED_GOAL


def by_cell(*names: str) -> dict[tuple[int, ...], dict[str, dict[str, str]]]:
    found: dict[tuple[int, ...], dict[str, dict[str, str]]] = {}
    for row in itertools.chain.from_iterable(map(rows, names)):
        found.setdefault(cell_of(row), {})[row["kernel"].split()[0]] = row
    return found


def times_as_fast(ours: dict[str, str], peer: dict[str, str] | None) -> float | None:
    return float(ours["gb_per_s"]) / float(peer["gb_per_s"]) if peer else None


def median_of(values: list[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{statistics.median(known):.2f}" if known else "–"


def cells() -> list[str]:
    """A row for each size of element: all its matrices together."""
    in_graphs = by_cell("h200_fast_graph.csv", "h200_fast_peers.csv")
    lines = ["| bytes | matrices | % of a copy: median | least | goal met | times as fast as Triton | PyTorch |",
             "|---:|---:|---:|---:|---:|---:|---:|"]
    by_size: dict[int, list[tuple[tuple[int, ...], dict[str, dict[str, str]]]]] = {}
    for cell, by in by_cell("h200_fast.csv").items():
        by_size.setdefault(cell[0], []).append((cell, by))
    for size, found in by_size.items():
        shares = [float(by["lab::transpose"]["percent_of_copy"]) for _, by in found]
        met = sum(share >= goal(cell) for share, (cell, _) in zip(shares, found))
        worst, _ = found[shares.index(min(shares))]
        ahead = [median_of([times_as_fast(in_graphs[cell]["lab::transpose"], in_graphs[cell].get(peer)) for cell, _ in found])
                 for peer in ("Triton", "torch")]
        lines.append(f"| {size} | {len(found)} | {statistics.median(shares):.1f} % | {min(shares):.1f} % ({worst[2]} × {worst[3]}) | {met} | "
                     f"{' | '.join(ahead)} |")
    return lines


def torch_rows() -> list[str]:
    lines = ["| tensor | `permute` | PyTorch, µs | `torch.ops.lab.permute`, µs | a copy, µs |", "|---|---|---:|---:|---:|"]
    for row in rows("h200_fast_torch.csv"):
        if row["dtype"] != "bfloat16":
            continue
        lines.append(f"| {row['shape'].replace('x', ' × ')} | {row['order'].replace(' ', ', ')} | {row['torch_us']} | "
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


def main() -> int:
    inside = "Inside PyTorch, as a model calls it, the allocation of the result included, bfloat16 (other types: `bench/h200_fast_torch.csv`):"
    texts = {"fast": [*cells(), "", inside, "", *torch_rows(), ""], "two GPUs": [*two_gpus(), ""], "split": [*split(), ""]}
    before = {page: page.read_text(encoding="utf-8") for page in PAGES.values()}
    fresh = dict(before)
    for name, lines in texts.items():
        page, begin, end = PAGES[name], f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->"
        if begin not in fresh[page] or end not in fresh[page]:
            print(f"{page} has no marks {begin.strip()} and {end}")
            return 1
        head, rest = fresh[page].split(begin)
        fresh[page] = head + begin + "\n".join(lines) + end + rest.split(end)[1]
    if sys.argv[1:] == []:
        print("\n".join(line for lines in texts.values() for line in lines))
    for page in fresh:
        if sys.argv[1:] == ["--write"]:
            page.write_text(fresh[page], encoding="utf-8")
        elif sys.argv[1:] and before[page] != fresh[page]:
            print(f"{page} differs from docs/bench. Run: python3 tools/bench/fast_table.py --write")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
