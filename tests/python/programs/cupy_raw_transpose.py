import cupy
import numpy as np

kernel = cupy.RawKernel(r"""
extern "C" __global__ void transpose(float* out, const float* a, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) out[c * rows + r] = a[r * cols + c];
}""", "transpose")
a = np.arange(96 * 160, dtype=np.float32).reshape(96, 160)
out = cupy.empty((160, 96), np.float32)
kernel((5, 12), (32, 8), (out, cupy.asarray(a), 96, 160))
assert np.array_equal(out.get(), a.T)
