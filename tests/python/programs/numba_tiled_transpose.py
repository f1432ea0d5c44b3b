import numpy as np
from numba import cuda, float32


@cuda.jit(lineinfo=True)
def transpose(out, a):
    tile = cuda.shared.array((32, 33), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    row, col = cuda.blockIdx.y * 32, cuda.blockIdx.x * 32
    for k in range(0, 32, 8):
        tile[y + k, x] = a[row + y + k, col + x]
    cuda.syncthreads()
    for k in range(0, 32, 8):
        out[col + y + k, row + x] = tile[x, y + k]


a = np.arange(128 * 64, dtype=np.float32).reshape(128, 64)
out = cuda.device_array((64, 128), dtype=np.float32)
transpose[(2, 4), (32, 8)](out, cuda.to_device(a))
assert np.array_equal(out.copy_to_host(), a.T)
