import numpy as np
from numba import cuda, float32


@cuda.jit(lineinfo=True)
def matmul(c, a, b):
    left = cuda.shared.array((16, 16), float32)
    right = cuda.shared.array((16, 16), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    col, row = cuda.grid(2)
    total = float32(0)
    for k in range(0, a.shape[1], 16):
        left[y, x] = a[row, k + x]
        right[y, x] = b[k + y, col]
        cuda.syncthreads()
        for j in range(16):
            total += left[y, j] * right[j, x]
        cuda.syncthreads()
    c[row, col] = total


a = np.arange(32 * 48, dtype=np.float32).reshape(32, 48) % 7
b = np.arange(48 * 64, dtype=np.float32).reshape(48, 64) % 5
c = cuda.device_array((32, 64), dtype=np.float32)
matmul[(4, 2), (16, 16)](c, cuda.to_device(a), cuda.to_device(b))
assert np.array_equal(c.copy_to_host(), a @ b)
