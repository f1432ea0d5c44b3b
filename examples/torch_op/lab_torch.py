"""The fast transpose as a PyTorch operator: torch.ops.lab.permute(x, dims) is x.permute(dims).contiguous(), bit for bit.

Import it: the kernels are compiled once by nvcc, into the folder of LAB_TORCH_CACHE (default: .cache beside this file). Works with
autograd and torch.compile. Tensors on the CPU, of more than 5 dimensions, with elements of other than 1, 2, 4, 8 or 16 bytes, or with
negated or conjugated views take PyTorch's own way.
"""
import ctypes
import hashlib
import os
import subprocess
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MOST_DIMS = 5


def library() -> ctypes.CDLL:
    major, minor = torch.cuda.get_device_capability()
    sources = [HERE / "lab_transpose.cu", *sorted((ROOT / "common" / "fast").glob("*.cuh"))]
    key = hashlib.sha256(b"".join(s.read_bytes() for s in sources) + bytes((major, minor))).hexdigest()[:16]
    folder = Path(os.environ.get("LAB_TORCH_CACHE", HERE / ".cache"))
    built = folder / f"liblab_transpose_{key}.so"
    if not built.exists():
        folder.mkdir(parents=True, exist_ok=True)
        fresh = built.with_suffix(f".{os.getpid()}.tmp")
        subprocess.run(["nvcc", "-O3", "-std=c++17", "-shared", "-Xcompiler", "-fPIC", f"-arch=sm_{major}{minor}", f"-I{ROOT}",
                        "-o", str(fresh), str(sources[0])], check=True)
        fresh.replace(built)
    opened = ctypes.CDLL(str(built))
    opened.lab_error.restype = ctypes.c_char_p
    return opened


opened: list[ctypes.CDLL] = []


def positive(x: torch.Tensor, dims: list[int]) -> list[int]:
    order = [d % x.dim() if -x.dim() <= d < x.dim() else x.dim() for d in dims]
    if sorted(order) != list(range(x.dim())):
        raise ValueError(f"dims {dims} are no permutation of the {x.dim()} dimensions")
    return order


@torch.library.custom_op("lab::permute", mutates_args=())
def permute(x: torch.Tensor, dims: list[int]) -> torch.Tensor:
    order = positive(x, dims)
    if not x.is_cuda or x.dim() > MOST_DIMS or x.element_size() > 16 or x.is_neg() or x.is_conj():
        return x.permute(order).clone(memory_format=torch.contiguous_format)
    out = torch.empty([x.shape[d] for d in order], dtype=x.dtype, device=x.device)
    with torch.cuda.device(x.device):
        if not opened:
            opened.append(library())
        count = x.dim()
        error = opened[0].lab_permute(
            ctypes.c_void_p(out.data_ptr()), ctypes.c_void_p(x.data_ptr()), count, (ctypes.c_int64 * count)(*x.shape),
            (ctypes.c_int64 * count)(*x.stride()), (ctypes.c_int * count)(*order), x.element_size(),
            ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
    if error:
        raise RuntimeError(f"lab.permute: {opened[0].lab_error(error).decode()}")
    return out


@permute.register_fake
def _(x: torch.Tensor, dims: list[int]) -> torch.Tensor:
    return x.new_empty([x.shape[d] for d in positive(x, dims)])


def set_up(ctx, inputs, output) -> None:
    x, dims = inputs
    ctx.order = positive(x, dims)


def backward(ctx, grad: torch.Tensor):
    back = [ctx.order.index(d) for d in range(len(ctx.order))]
    return permute(grad, back), None


permute.register_autograd(backward, setup_context=set_up)
