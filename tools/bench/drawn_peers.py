#!/usr/bin/env python3
"""Times PyTorch, and what its compiler Inductor makes in Triton, on the layouts that tools/bench/drawn.cu drew, in the same manner.

Enters: what drawn.cu printed, as a file; needs PyTorch and a GPU. Leaves: CSV on standard output: the layout, microseconds of a copy, of
PyTorch and of Inductor (0: not measured), each the median of 11 samples over pairs of buffers that exceed the L2 cache; results compared.
"""
import argparse
import statistics
import sys
from collections.abc import Callable

import torch
from drawn_table import Row, rows_of

TYPES = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64, 16: torch.complex128}
POOL, MOST_PAIRS, SAMPLES = 3 << 30, 32, 11


def microseconds(go: Callable[[int], object], pairs: int, size: int) -> float:
    times = max(1, min(100, int(2e9 / (2 * size)) + 1))
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    for i in range(3):
        go(i % pairs)
    taken = []
    for _ in range(SAMPLES):
        begin.record()
        for i in range(times):
            go(i % pairs)
        end.record()
        end.synchronize()
        taken.append(begin.elapsed_time(end) / times * 1e3)
    return statistics.median(taken)


def time_layout(row: Row, with_inductor: bool) -> tuple[float, float, float]:
    dtype, sizes = TYPES[row.element], row.sizes
    elements = 1
    for size in sizes:
        elements *= size
    bytes_each = elements * row.element
    pairs = max(1, min(MOST_PAIRS, POOL // bytes_each))
    source = [torch.randint(0, 256, (bytes_each,), dtype=torch.uint8, device="cuda").view(dtype).view(sizes) for _ in range(pairs)]
    shape = [sizes[d] for d in row.order]
    target = [torch.empty(shape, dtype=dtype, device="cuda") for _ in range(pairs)]
    copy = microseconds(lambda i: target[i].view(-1).copy_(source[i].view(-1)), pairs, bytes_each)
    eager = microseconds(lambda i: target[i].copy_(source[i].permute(row.order)), pairs, bytes_each)
    made = 0.0
    if with_inductor and row.element < 16:  # Triton has no type of 16 bytes
        torch._dynamo.reset()
        compiled = torch.compile(lambda x: x.permute(row.order).contiguous(), dynamic=False)
        if not torch.equal(compiled(source[0]), source[0].permute(row.order)):
            sys.exit(f"{row}: Inductor's result is wrong")
        made = microseconds(lambda i: compiled(source[i]), pairs, bytes_each)
    return copy, eager, made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("drawn", help="what drawn.cu printed")
    parser.add_argument("--inductor", type=int, default=20, metavar="N", help="Inductor too for the first N layouts: it compiles seconds for each")
    options = parser.parse_args()
    print("element_bytes,sizes,order,copy_us,torch_us,inductor_us")
    for number, row in enumerate(rows_of(options.drawn)):
        copy, eager, made = time_layout(row, number < options.inductor)
        print(f"{row.element},{'x'.join(map(str, row.sizes))},{''.join(map(str, row.order))},{copy:.2f},{eager:.2f},{made:.2f}", flush=True)


if __name__ == "__main__":
    main()
