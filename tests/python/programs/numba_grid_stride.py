import numpy as np
from numba import cuda


@cuda.jit(lineinfo=True)
def scale(out, a, factor):
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        out[i] = factor * a[i]


a = np.arange(10000, dtype=np.float64)
out = cuda.device_array(10000, dtype=np.float64)
scale[8, 128](out, cuda.to_device(a), 3.0)
assert np.array_equal(out.copy_to_host(), 3 * a)
