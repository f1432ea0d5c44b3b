import numpy as np
from numba import cuda


@cuda.jit(lineinfo=True)
def saxpy(y, x, a):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


n = 5000
x, y = np.arange(n, dtype=np.float32), np.ones(n, dtype=np.float32)
out = cuda.to_device(y)
saxpy[(n + 255) // 256, 256](out, cuda.to_device(x), np.float32(2))
assert np.array_equal(out.copy_to_host(), 1 + 2 * x)
