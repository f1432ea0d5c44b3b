import numpy as np
from numba import cuda, int32


@cuda.jit(lineinfo=True)
def block_sum(out, a):
    part = cuda.shared.array(256, int32)
    t = cuda.threadIdx.x
    part[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    step = 128
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


a = np.arange(2048, dtype=np.int32)
out = cuda.device_array(8, dtype=np.int32)
block_sum[8, 256](out, cuda.to_device(a))
assert np.array_equal(out.copy_to_host(), a.reshape(8, 256).sum(axis=1))
