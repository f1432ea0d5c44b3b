import numpy as np
from numba import cuda, float32


@cuda.jit(lineinfo=True)
def stencil(out, a):
    tile = cuda.shared.array(130, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1) + 1
    tile[t + 1] = a[i]
    if t == 0:
        tile[0] = a[i - 1]
    if t == 127:
        tile[129] = a[i + 1]
    cuda.syncthreads()
    out[i] = tile[t] + tile[t + 1] + tile[t + 2]


a = np.arange(1026, dtype=np.float32)
out = cuda.to_device(np.zeros(1026, dtype=np.float32))
stencil[8, 128](out, cuda.to_device(a))
assert np.array_equal(out.copy_to_host()[1:-1], a[:-2] + a[1:-1] + a[2:])
