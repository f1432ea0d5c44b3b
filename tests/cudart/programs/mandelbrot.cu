// The Mandelbrot set in letters; threads of one warp leave the loop at different times.
#include <complex>
#include <cstdio>
#include <cuda_runtime.h>

constexpr int kWidth = 78, kHeight = 30, kMax = 200;

struct Complex {
  double r, i;
  __host__ __device__ Complex(double a, double b) : r(a), i(b) {}
  __host__ __device__ double magnitude2() const { return r * r + i * i; }
  __host__ __device__ Complex operator*(const Complex &o) const { return Complex(r * o.r - i * o.i, i * o.r + r * o.i); }
  __host__ __device__ Complex operator+(const Complex &o) const { return Complex(r + o.r, i + o.i); }
};

__host__ __device__ int escape(int x, int y) {
  Complex c(-2.2 + 3.2 * x / kWidth, -1.2 + 2.4 * y / kHeight), z(0, 0);
  for (int n = 0; n < kMax; ++n) {
    if (z.magnitude2() > 4.0) return n;
    z = z * z + c;
  }
  return kMax;
}

__global__ void render(int *counts) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= kWidth || y >= kHeight) return;
  counts[y * kWidth + x] = escape(x, y);
}

int main() {
  static int counts[kWidth * kHeight];
  int *dev;
  if (cudaMalloc(&dev, sizeof counts) != cudaSuccess) return 2;
  dim3 block(8, 4);
  render<<<dim3((kWidth + 7) / 8, (kHeight + 3) / 4), block>>>(dev);
  cudaMemcpy(counts, dev, sizeof counts, cudaMemcpyDeviceToHost);
  cudaFree(dev);
  int differ = 0;
  const char *shades = " .:-=+*#%@";
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      int n = counts[y * kWidth + x];
      // A fused multiply-add on the device may move a point of the border by a step.
      differ += n != escape(x, y);
      std::putchar(n == kMax ? '@' : shades[n < 9 ? n : 9 - (n % 2)]);
    }
    std::putchar('\n');
  }
  std::printf("%s\n", differ < kWidth * kHeight / 50 ? "as on the host" : "DIFFERS from the host");
  return differ < kWidth * kHeight / 50 ? 0 : 1;
}
