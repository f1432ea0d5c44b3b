// Softmax of each row: a block a row in three passes, a warp a row with shuffles, and online with one pass over the input.
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define cudaCheck(err) (cuda_check((err), __FILE__, __LINE__))
void cuda_check(cudaError_t error, const char *file, int line) {
  if (error != cudaSuccess) {
    printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
  }
}
template <class T> T ceil_div(T dividend, T divisor) { return (dividend + divisor - 1) / divisor; }

__global__ void softmax_block(float *out, const float *inp, int C) {
  extern __shared__ float shared[];
  int row = blockIdx.x, tid = threadIdx.x;
  const float *x = inp + row * C;
  float maxval = -INFINITY;
  for (int i = tid; i < C; i += blockDim.x) maxval = fmaxf(maxval, x[i]);
  shared[tid] = maxval;
  for (int stride = blockDim.x / 2; stride >= 1; stride /= 2) {
    __syncthreads();
    if (tid < stride) shared[tid] = fmaxf(shared[tid], shared[tid + stride]);
  }
  __syncthreads();
  float offset = shared[0], sum = 0;
  __syncthreads();
  for (int i = tid; i < C; i += blockDim.x) sum += out[row * C + i] = expf(x[i] - offset);
  shared[tid] = sum;
  for (int stride = blockDim.x / 2; stride >= 1; stride /= 2) {
    __syncthreads();
    if (tid < stride) shared[tid] += shared[tid + stride];
  }
  __syncthreads();
  sum = shared[0];
  for (int i = tid; i < C; i += blockDim.x) out[row * C + i] /= sum;
}

__global__ void softmax_warp(float *out, const float *inp, int N, int C) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= N) return;
  const float *x = inp + row * C;
  float maxval = -INFINITY, sum = 0;
  for (int i = lane; i < C; i += 32) maxval = fmaxf(maxval, x[i]);
  for (int m = 16; m; m >>= 1) maxval = fmaxf(maxval, __shfl_xor_sync(0xFFFFFFFF, maxval, m));
  for (int i = lane; i < C; i += 32) sum += __expf(x[i] - maxval);
  for (int m = 16; m; m >>= 1) sum += __shfl_xor_sync(0xFFFFFFFF, sum, m);
  for (int i = lane; i < C; i += 32) out[row * C + i] = __expf(x[i] - maxval) / sum;
}

struct __align__(8) MD {
  float m, d;
};
__device__ MD combine(MD a, MD b) {
  bool bigger = a.m > b.m;
  MD hi = bigger ? a : b, lo = bigger ? b : a;
  return {hi.m, hi.d + lo.d * __expf(lo.m - hi.m)};
}

__global__ void softmax_online(float *out, const float *inp, int C) {
  const float *x = inp + blockIdx.x * C;
  MD part = {-FLT_MAX, 0};
  for (int i = threadIdx.x; i < C; i += 32) part = combine(part, MD{x[i], 1.f});
  for (int m = 16; m; m >>= 1) part = combine(part, MD{__shfl_xor_sync(~0u, part.m, m), __shfl_xor_sync(~0u, part.d, m)});
  for (int i = threadIdx.x; i < C; i += 32) out[blockIdx.x * C + i] = __expf(x[i] - part.m) / part.d;
}

int main() {
  const int N = 60, C = 333;
  std::vector<float> inp(N * C), out(N * C);
  std::vector<double> ref(N * C);
  srand(0);
  for (float &f : inp) f = (float)(rand() % 2000) / 100.f - 10.f;
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int j = 0; j < C; j++) sum += ref[i * C + j] = exp((double)inp[i * C + j] - 10.0);
    for (int j = 0; j < C; j++) ref[i * C + j] /= sum;
  }
  float *d_out, *d_inp;
  cudaCheck(cudaMalloc(&d_out, N * C * sizeof(float)));
  cudaCheck(cudaMalloc(&d_inp, N * C * sizeof(float)));
  cudaCheck(cudaMemcpy(d_inp, inp.data(), N * C * sizeof(float), cudaMemcpyHostToDevice));
  for (int kernel_num = 1; kernel_num <= 3; kernel_num++) {
    cudaCheck(cudaMemset(d_out, 0xff, N * C * sizeof(float)));
    switch (kernel_num) {
      case 1: softmax_block<<<N, 128, 128 * sizeof(float)>>>(d_out, d_inp, C); break;
      case 2: softmax_warp<<<ceil_div(N * 32, 256), 256>>>(d_out, d_inp, N, C); break;
      case 3: softmax_online<<<N, 32>>>(d_out, d_inp, C); break;
    }
    cudaCheck(cudaGetLastError());
    cudaCheck(cudaMemcpy(out.data(), d_out, N * C * sizeof(float), cudaMemcpyDeviceToHost));
    double worst = 0, sum = 0;
    for (int i = 0; i < N * C; i++) {
      if (!(fabs(out[i] - ref[i]) <= 1e-6)) {
        printf("Mismatch of kernel %d at %d: %g, not %g\n", kernel_num, i, out[i], ref[i]);
        return 1;
      }
      worst = fmax(worst, fabs(out[i] - ref[i]));
      sum += out[i];
    }
    printf("kernel %d: rows sum to %.3f, out[0] = %.4f, ok\n", kernel_num, sum / N, out[0] * 1000);
  }
  cudaFree(d_out);
  cudaFree(d_inp);
}
