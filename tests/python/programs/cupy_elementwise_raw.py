import cupy
import numpy as np

reverse = cupy.ElementwiseKernel("raw float64 x, int32 n", "float64 y", "y = x[n - 1 - i]", "reverse")
x = np.arange(3000, dtype=np.float64)
out = cupy.empty(3000, np.float64)
reverse(cupy.asarray(x), 3000, out)
assert np.array_equal(out.get(), x[::-1])
