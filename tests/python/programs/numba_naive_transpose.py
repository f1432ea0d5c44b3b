import numpy as np
from numba import cuda


@cuda.jit(lineinfo=True)
def transpose(out, a):
    c, r = cuda.grid(2)
    if r < a.shape[0] and c < a.shape[1]:
        out[c, r] = a[r, c]


a = np.arange(96 * 160, dtype=np.float32).reshape(96, 160)
out = cuda.device_array((160, 96), dtype=np.float32)
transpose[(5, 12), (32, 8)](out, cuda.to_device(a))
assert np.array_equal(out.copy_to_host(), a.T)
