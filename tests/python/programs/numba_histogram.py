import numpy as np
from numba import cuda


@cuda.jit(lineinfo=True)
def histogram(bins, a):
    i = cuda.grid(1)
    if i < a.size:
        cuda.atomic.add(bins, a[i], 1)


a = (np.arange(4000) * 7 % 64).astype(np.int32)
bins = cuda.to_device(np.zeros(64, dtype=np.int32))
histogram[16, 256](bins, cuda.to_device(a))
assert np.array_equal(bins.copy_to_host(), np.bincount(a, minlength=64))
