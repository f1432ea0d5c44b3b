import numpy as np
from numba import cuda


@cuda.jit(lineinfo=True)
def warp_sum(out, a):
    value = a[cuda.grid(1)]
    for step in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
    if cuda.laneid == 0:
        cuda.atomic.add(out, 0, value)


a = np.arange(1024, dtype=np.int32)
out = cuda.to_device(np.zeros(1, dtype=np.int32))
warp_sum[4, 256](out, cuda.to_device(a))
assert out.copy_to_host()[0] == a.sum()
