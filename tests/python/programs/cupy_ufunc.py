import cupy
import numpy as np

a, b = np.arange(6000, dtype=np.int32), np.full(6000, 3, dtype=np.int32)
assert np.array_equal((cupy.asarray(a) * cupy.asarray(b)).get(), a * b)
