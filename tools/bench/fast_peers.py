"""Times Triton's and PyTorch's transposes as tools/bench/fast_bench.cu times lab::transpose: same cells, same columns, on standard output.

Triton: the textbook kernel over blocks in shared memory, the best of TILES for each cell. PyTorch: out.copy_(in.transpose(1, 2)).

    fast_peers.py                                     all cells of the table
    fast_peers.py --only triton 4:1:8192:8192 …       ELEMENT:COUNT:ROWS:COLS, one peer (`lab bench --against triton` calls it so)
"""
import argparse
import itertools

import torch
import triton
import triton.language as tl

SAMPLES, PAIRS_AT_MOST, TIMES_CACHE = 21, 512, 64
TILES = [(32, 32, 2), (64, 32, 4), (64, 64, 4), (64, 64, 8), (128, 64, 8), (64, 128, 8), (128, 128, 8), (256, 128, 8), (128, 256, 8)]
KINDS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64, 16: torch.complex128}
SHAPES = [(1, 4096, 4096), (1, 8192, 8192), (1, 16384, 16384), (1, 8191, 8193), (1, 8191, 8191), (1, 1000, 7777), (1, 7777, 1000),
          (10000, 64, 64), (1000, 128, 512), (1, 1, 10000001), (1, 7000000, 3), (1, 3, 7000000), (1, 1000000, 32), (1, 32, 1000000)]


@triton.jit
def turn(out, inp, rows, cols, down, BR: tl.constexpr, BC: tl.constexpr):
    matrix = tl.program_id(1).to(tl.int64) * rows * cols
    r = (tl.program_id(0) % down).to(tl.int64) * BR + tl.arange(0, BR)
    c = (tl.program_id(0) // down).to(tl.int64) * BC + tl.arange(0, BC)
    mask = (r[:, None] < rows) & (c[None, :] < cols)
    x = tl.load(inp + matrix + r[:, None] * cols + c[None, :], mask=mask)
    tl.store(out + matrix + c[:, None] * rows + r[None, :], tl.trans(x), mask=tl.trans(mask))


def times(call, pairs: int, samples: int = SAMPLES) -> tuple[float, float, float]:
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)

    def once(count: int) -> float:
        start.record()
        for i in range(count):
            call(i % pairs)
        end.record()
        end.synchronize()
        return start.elapsed_time(end) * 1e3 / count

    once(4)
    # A call from Python takes longer than a small kernel: what is timed is a graph of them.
    count = (max(2, min(100, int(1000 / once(4)))) + pairs - 1) // pairs * pairs
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(count):
            call(i % pairs)
    graph.replay()
    us = []
    for _ in range(samples):
        start.record()
        graph.replay()
        end.record()
        end.synchronize()
        us.append(start.elapsed_time(end) * 1e3 / count)
    us.sort()
    return us[samples // 2], us[samples // 10], us[samples * 9 // 10]


def measure(element: int, shape: tuple[int, int, int], only: str) -> None:
    count, rows, cols = shape
    kind, size = KINDS[element], count * rows * cols * element
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    pairs = max(1, min(PAIRS_AT_MOST, (TIMES_CACHE * cache + 2 * size - 1) // (2 * size)))
    ins = [torch.randint(0, 256, (size,), dtype=torch.uint8, device="cuda").view(kind).view(count, rows, cols) for _ in range(pairs)]
    outs = [torch.empty((count, cols, rows), dtype=kind, device="cuda") for _ in range(pairs)]
    want = torch.empty_like(outs[0]).copy_(ins[0].transpose(1, 2))

    def right(call) -> bool:
        outs[0].view(-1).view(torch.uint8).fill_(0xEE)
        call(0)
        return torch.equal(outs[0].view(-1).view(torch.uint8), want.view(-1).view(torch.uint8))

    def copy(p: int) -> None:
        outs[p].view(-1).copy_(ins[p].view(-1))

    def by_torch(p: int) -> None:
        outs[p].copy_(ins[p].transpose(1, 2))

    copied = times(copy, pairs)
    found = [] if only == "triton" else [("torch", right(by_torch), times(by_torch, pairs))]
    best = None
    if only != "torch" and element <= 8 and count < 65536:
        for br, bc, warps in TILES:
            def by_triton(p: int, br=br, bc=bc, warps=warps) -> None:
                down = triton.cdiv(rows, br)
                turn[(down * triton.cdiv(cols, bc), count)](outs[p], ins[p], rows, cols, down, BR=br, BC=bc, num_warps=warps)
            try:
                by_triton(0)
                quick = times(by_triton, pairs, 5)[0]
            except (RuntimeError, triton.runtime.errors.OutOfResources):
                continue
            if best is None or quick < best[0]:
                best = (quick, by_triton, f"Triton {br}x{bc} {warps} warps")
    if best:
        found.append((best[2], right(best[1]), times(best[1], pairs)))
    again = times(copy, pairs)
    copied = min(copied, again)
    for name, good, t in [("copy (torch)", True, copied), *found]:
        print(f"{element},{count},{rows},{cols},{name},{t[0]:.3f},{t[1]:.3f},{t[2]:.3f},{2 * size / t[0] / 1e3:.1f},"
              f"{copied[0] / t[0] * 100:.2f},{pairs},{'right' if good else 'WRONG'}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Times of Triton's and PyTorch's transposes, as CSV.")
    parser.add_argument("--only", choices=("triton", "torch"), default="")
    parser.add_argument("cells", nargs="*", metavar="ELEMENT:COUNT:ROWS:COLS", help="none: those of the table")
    asked = parser.parse_args()
    cells = [tuple(map(int, cell.split(":"))) for cell in asked.cells] or [(e, *shape) for e, shape in itertools.product(KINDS, SHAPES)]
    print("element_bytes,count,rows,cols,kernel,us,us_p10,us_p90,gb_per_s,percent_of_copy,pairs,result")
    for element, count, rows, cols in cells:
        measure(element, (count, rows, cols), asked.only)


if __name__ == "__main__":
    main()
