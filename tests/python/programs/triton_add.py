import torch
import triton
import triton.language as tl


@triton.jit
def add(out, x, y, n, size: tl.constexpr):
    i = tl.program_id(0) * size + tl.arange(0, size)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


n = 4096
x, y = torch.arange(n, dtype=torch.float32), torch.ones(n)
out = torch.empty(n, device="cuda")
add[(4,)](out, x.cuda(), y.cuda(), n, size=1024)
assert torch.equal(out.cpu(), x + y)
