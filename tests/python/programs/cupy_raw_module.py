import cupy
import numpy as np

module = cupy.RawModule(code=r"""
template <class T, int N>
__global__ void tiled(T* out, const T* a, int rows, int cols) {
  __shared__ T tile[32][32 + N];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32, col = blockIdx.x * 32;
  for (int k = 0; k < 32; k += 8) tile[y + k][x] = a[(row + y + k) * cols + col + x];
  __syncthreads();
  for (int k = 0; k < 32; k += 8) out[(col + y + k) * rows + row + x] = tile[x][y + k];
}""", name_expressions=["tiled<float, 1>"])
a = np.arange(128 * 64, dtype=np.float32).reshape(128, 64)
out = cupy.empty((64, 128), np.float32)
module.get_function("tiled<float, 1>")((2, 4), (32, 8), (out, cupy.asarray(a), 128, 64))
assert np.array_equal(out.get(), a.T)
