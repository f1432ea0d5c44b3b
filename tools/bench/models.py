#!/usr/bin/env python3
"""Layouts of real models: PyTorch, Inductor's Triton, cuTENSOR and transpose_lab.fast beside a copy, in one run, from CUDA graphs.

Enters: PyTorch, a GPU, LAB_PROGRAM (whose libtranspose-plan.so is built); CUTENSOR names libcutensor.so.2, if it is here. Leaves: CSV on standard
output, microseconds, medians of 11 samples over pairs of buffers that exceed the L2 cache; 0: has none. Every result is compared bit for bit, and
one of cuTENSOR's that has other bits counts as none.
"""
import ctypes
import os
import pathlib
import statistics
import sys
from collections.abc import Callable

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
from transpose_lab import fast  # noqa: E402

HALF, BF16, FLOAT, BYTE = torch.float16, torch.bfloat16, torch.float32, torch.int8
HEADS = (0, 2, 1, 3)
LAYOUTS = [
    ("BERT-base, heads", HALF, (32, 512, 12, 64), HEADS), ("Llama 3 8B, queries", BF16, (1, 8192, 32, 128), HEADS),
    ("Llama 3 8B, keys for products", BF16, (4, 2048, 8, 128), (0, 2, 3, 1)), ("GPT-2, heads joined", BF16, (8, 12, 1024, 64), HEADS),
    ("ViT-B/16, patches", HALF, (64, 3, 14, 16, 14, 16), (0, 2, 4, 3, 5, 1)), ("ViT-L, heads", HALF, (16, 197, 16, 64), HEADS),
    ("Swin-T, windows", HALF, (32, 8, 7, 8, 7, 96), (0, 1, 3, 2, 4, 5)), ("ResNet-50, to channels last", HALF, (64, 256, 56, 56), (0, 2, 3, 1)),
    ("ResNet-50, to channels first", HALF, (64, 56, 56, 256), (0, 3, 1, 2)), ("images of bytes, to planes", BYTE, (256, 224, 224, 3), (0, 3, 1, 2)),
    ("images of floats, to pixels", FLOAT, (128, 3, 224, 224), (0, 2, 3, 1)), ("EDSR, pixel shuffle", HALF, (8, 64, 2, 2, 128, 128), (0, 1, 4, 2, 5, 3)),
    ("Stable Diffusion, heads", HALF, (2, 4096, 8, 40), HEADS), ("Stable Diffusion, VAE", HALF, (1, 512, 128, 128), (0, 2, 3, 1)),
    ("Whisper, spectrograms", FLOAT, (16, 80, 3000), (0, 2, 1)), ("Whisper, heads", HALF, (16, 1500, 20, 64), HEADS),
    ("3-D U-Net, to channels last", FLOAT, (2, 32, 64, 128, 128), (0, 2, 3, 4, 1)), ("experts' tokens", BF16, (8, 1024, 4096), (1, 0, 2)),
    ("GPT-2, embedding turned", FLOAT, (50257, 768), (1, 0)), ("Llama 2, weights of 8 bits", BYTE, (11008, 4096), (1, 0)),
]
CUDA_TYPES = {HALF: 2, BF16: 14, FLOAT: 0, BYTE: 3}
POOL, MOST_PAIRS, SAMPLES = 4 << 30, 64, 11


def stream() -> int:
    return torch.cuda.current_stream().cuda_stream


class Cutensor:
    """Permutations by its plans."""

    def __init__(self, path: str) -> None:
        self.library, self.handle = ctypes.CDLL(path), ctypes.c_void_p()
        self.library.cutensorCreate(ctypes.byref(self.handle))

    def plan(self, dtype: torch.dtype, sizes: tuple[int, ...], order: tuple[int, ...]) -> "Callable[[torch.Tensor, torch.Tensor], None] | None":
        library, made = self.library, [ctypes.c_void_p() for _ in range(5)]
        a, b, operation, preference, plan = made
        compute = ctypes.c_void_p.in_dll(library, "CUTENSOR_COMPUTE_DESC_32F")
        count, modes, status = len(sizes), [], 0
        for descriptor, axes in ((a, range(len(sizes))), (b, order)):
            shape = [sizes[axis] for axis in axes]
            extents, strides = ((ctypes.c_int64 * count)(*values) for values in (shape, fast.dense(shape)))
            modes.append((ctypes.c_int32 * count)(*axes))
            status |= library.cutensorCreateTensorDescriptor(self.handle, ctypes.byref(descriptor), count, extents, strides, CUDA_TYPES[dtype], 128)
        status |= library.cutensorCreatePermutation(self.handle, ctypes.byref(operation), a, modes[0], 1, b, modes[1], compute)
        status = status or library.cutensorCreatePlanPreference(self.handle, ctypes.byref(preference), -1, 0)
        if status or library.cutensorCreatePlan(self.handle, ctypes.byref(plan), operation, preference, ctypes.c_uint64(0)):
            return None
        one = ctypes.c_float(1)

        def go(out: torch.Tensor, x: torch.Tensor) -> None:
            library.cutensorPermute(self.handle, plan, ctypes.byref(one), ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(out.data_ptr()),
                                    ctypes.c_void_p(stream()))
        return go


def microseconds(go: Callable[[int], object], pairs: int, size: int) -> float:
    times, graph = max(4, min(64, int(1e9 / size))), torch.cuda.CUDAGraph()
    go(0)
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        for i in range(times):
            go(i % pairs)
    begin, end, taken = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True), []
    for _ in range(SAMPLES + 2):
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        taken.append(begin.elapsed_time(end) / times * 1e3)
    return statistics.median(taken[2:])


def bits(x: torch.Tensor) -> torch.Tensor:
    return x.contiguous().view(torch.int8)


def times_of(dtype: torch.dtype, sizes: tuple[int, ...], order: tuple[int, ...], cutensor: "Cutensor | None") -> list[float]:
    """Times of a copy, PyTorch, Triton in two forms, cuTENSOR and ours; 0: none, or other bits."""
    size, shape = torch.Size(sizes).numel() * dtype.itemsize, [sizes[axis] for axis in order]
    pairs = max(1, min(MOST_PAIRS, POOL // size))
    source = [torch.randint(-4, 4, sizes, device="cuda", dtype=torch.int8).to(dtype) for _ in range(pairs)]
    target = [torch.empty(shape, dtype=dtype, device="cuda") for _ in range(pairs)]
    wanted = bits(source[0].permute(order))

    def same(go: Callable[[int], object]) -> bool:
        target[0].fill_(7)
        go(0)
        return torch.equal(bits(target[0]), wanted)

    torch._dynamo.reset()
    into = torch.compile(lambda out, x: out.copy_(x.permute(order)), dynamic=False)  # at times in two passes
    alone = torch.compile(lambda x: x.permute(order).contiguous(), dynamic=False)  # a graph gives it one output, which stays in the cache
    by_plan = cutensor.plan(dtype, sizes, order) if cutensor else None
    ways: list[Callable[[int], object]] = [lambda i: target[i].copy_(source[i].permute(order)), lambda i: into(target[i], source[i]),
                                           lambda i: by_plan(target[i], source[i]) if by_plan else None,
                                           lambda i: fast.permute(target[i], source[i], order, stream())]
    copy = microseconds(lambda i: target[i].view(-1).copy_(source[i].view(-1)), pairs, size)
    times = [microseconds(way, pairs, size) if same(way) else 0 for way in ways]
    return [copy, *times[:2], microseconds(lambda i: alone(source[i]), pairs, size), *times[2:]]


def main() -> None:
    cutensor = Cutensor(os.environ["CUTENSOR"]) if os.environ.get("CUTENSOR") else None
    print("layout,type,sizes,order,copy_us,torch_us,triton_us,triton_alone_us,cutensor_us,lab_us")
    for name, dtype, sizes, order in LAYOUTS:
        times = times_of(dtype, sizes, order, cutensor)
        if not times[-1]:
            sys.exit(f"{name}: a wrong result")
        print(f"{name.replace(',', ':')},{str(dtype)[6:]},{'x'.join(map(str, sizes))},{' '.join(map(str, order))},"
              + ",".join(f"{time:.2f}" for time in times), flush=True)


if __name__ == "__main__":
    main()
