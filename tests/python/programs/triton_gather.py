import torch
import triton
import triton.language as tl


@triton.jit
def gather(out, table, index, size: tl.constexpr):
    i = tl.program_id(0) * size + tl.arange(0, size)
    tl.store(out + i, tl.load(table + tl.load(index + i)))


n = 1024
table = torch.arange(n, dtype=torch.float32)
index = (torch.arange(n) * 33 % n).to(torch.int32)
out = torch.empty(n, device="cuda")
gather[(8,)](out, table.cuda(), index.cuda(), size=128)
assert torch.equal(out.cpu(), table[index.long()])
