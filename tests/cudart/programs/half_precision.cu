// 16-bit floats: half2 arithmetic, conversions, bfloat16, a dot product that sums in float.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define N 2048

__global__ void haxpy(int n, half a, const half *x, half *y) {
  int start = threadIdx.x + blockDim.x * blockIdx.x, stride = blockDim.x * gridDim.x;
  int n2 = n / 2;
  const half2 *x2 = (const half2 *)x;
  half2 *y2 = (half2 *)y;
  for (int i = start; i < n2; i += stride) y2[i] = __hfma2(__halves2half2(a, a), x2[i], y2[i]);
  if (start == 0 && (n % 2)) y[n - 1] = __hfma(a, x[n - 1], y[n - 1]);
}

__global__ void dot(const half *a, const half *b, float *result, int n) {
  __shared__ float partial[4];
  float sum = 0;
  for (int i = threadIdx.x; i < n / 2; i += blockDim.x) {
    float2 p = __half22float2(((const half2 *)a)[i]), q = __half22float2(((const half2 *)b)[i]);
    sum += p.x * q.x + p.y * q.y;
  }
  for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(0xffffffff, sum, o);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) *result = partial[0] + partial[1] + partial[2] + partial[3];
}

__global__ void odds_and_ends(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  half h = __float2half(in[i]);
  __nv_bfloat16 b = __float2bfloat16(in[i]);
  half m = __hmax(h, __float2half(0.5f));
  half q = h * h - h + half(1.0f);
  out[i] = (float)q + __half2float(m) + __bfloat162float(b + b) + (__hgt(h, half(1.0f)) ? 1000.0f : 0.0f) +
           (float)__half2int_rn(h) + __half2float(hsqrt(__habs(h)));
}

int main() {
  std::vector<half> x(N + 1), y(N + 1), got(N + 1);
  std::vector<float> xf(N + 1), yf(N + 1);
  for (int i = 0; i <= N; ++i) {
    xf[i] = (i % 33) * 0.25f;
    yf[i] = (i % 7) - 3.0f;
    x[i] = __float2half(xf[i]);
    y[i] = __float2half(yf[i]);
  }
  half *dx, *dy;
  float *df, *dg, sum;
  cudaMalloc(&dx, (N + 1) * sizeof(half));
  cudaMalloc(&dy, (N + 1) * sizeof(half));
  cudaMalloc(&df, (N + 1) * sizeof(float));
  cudaMalloc(&dg, (N + 1) * sizeof(float));
  cudaMemcpy(dx, x.data(), (N + 1) * sizeof(half), cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.data(), (N + 1) * sizeof(half), cudaMemcpyHostToDevice);
  haxpy<<<4, 128>>>(N + 1, __float2half(2.0f), dx, dy);
  cudaMemcpy(got.data(), dy, (N + 1) * sizeof(half), cudaMemcpyDeviceToHost);
  int bad = 0;
  float expected = 0;
  for (int i = 0; i <= N; ++i) bad += __half2float(got[i]) != 2.0f * xf[i] + yf[i];
  printf("haxpy: y[100] = %g, %d wrong\n", __half2float(got[100]), bad);
  dot<<<1, 128>>>(dx, dy, df, N);
  cudaMemcpy(&sum, df, sizeof sum, cudaMemcpyDeviceToHost);
  for (int i = 0; i < N; ++i) expected += xf[i] * (2.0f * xf[i] + yf[i]);
  printf("dot: %.4f, expected %.4f\n", sum, expected);
  bad += sum != expected;  // quarters: exact in float
  cudaMemcpy(df, xf.data(), (N + 1) * sizeof(float), cudaMemcpyHostToDevice);
  odds_and_ends<<<(N + 256) / 256, 256>>>(df, dg, N + 1);
  cudaMemcpy(xf.data(), dg, (N + 1) * sizeof(float), cudaMemcpyDeviceToHost);
  double all = 0;
  for (float f : xf) all += f;
  printf("odds and ends: %.4f %.4f %.4f, sum %.1f\n", xf[1], xf[4], xf[32], all);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  cudaFree(dx), cudaFree(dy), cudaFree(df), cudaFree(dg);
  return bad;
}
