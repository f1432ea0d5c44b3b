"""The fast transpose as a PyTorch operator: torch.ops.lab.permute(x, dims) is x.permute(dims).contiguous(), bit for bit.

Import it: nvcc and the C++ compiler build the operator once (about a minute), where PyTorch keeps its extensions. Works with autograd
and torch.compile. Tensors of any rank; on the CPU, with more than 8 dimensions that no neighbours join, or with negated or conjugated
views, they take PyTorch's own way.
"""
from pathlib import Path

import torch
from torch.utils import cpp_extension

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

cpp_extension.load("lab_torch", [str(HERE / "lab_torch.cpp"), str(HERE / "lab_transpose.cu")], extra_include_paths=[str(ROOT)],
                   extra_cflags=["-O2"], extra_cuda_cflags=["-O3", "-std=c++17"], with_cuda=True, is_python_module=False)


def positive(dims: list[int], count: int) -> list[int]:
    return [d % count for d in dims]


@torch.library.register_fake("lab::permute")
def _(x: torch.Tensor, dims: list[int]) -> torch.Tensor:
    return x.new_empty([x.shape[d] for d in positive(dims, x.dim())])


def set_up(ctx, inputs, output) -> None:
    x, dims = inputs
    ctx.order = positive(dims, x.dim())


def backward(ctx, grad: torch.Tensor):
    return torch.ops.lab.permute(grad, [ctx.order.index(d) for d in range(len(ctx.order))]), None


torch.library.register_autograd("lab::permute", backward, setup_context=set_up)
