import numpy as np
from numba import cuda, int32


@cuda.jit(lineinfo=True)
def scan(out, a):
    part = cuda.shared.array(128, int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = a[i]
    step = 1
    while step < 128:
        cuda.syncthreads()
        other = int32(0)
        if t >= step:
            other = part[t - step]
        cuda.syncthreads()
        part[t] += other
        step *= 2
    out[i] = part[t]


a = np.arange(512, dtype=np.int32)
out = cuda.device_array(512, dtype=np.int32)
scan[4, 128](out, cuda.to_device(a))
assert np.array_equal(out.copy_to_host(), a.reshape(4, 128).cumsum(axis=1).ravel())
