// Bitonic sort: one launch per stage for large strides, one launch in shared memory for the small ones.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

typedef unsigned int uint;
#define SHARED_SIZE 512

__device__ inline void Comparator(uint &keyA, uint &valA, uint &keyB, uint &valB, uint dir) {
  if ((keyA > keyB) == dir) {
    uint t = keyA; keyA = keyB; keyB = t;
    t = valA; valA = valB; valB = t;
  }
}

__global__ void sortShared(uint *key, uint *val) {
  __shared__ uint s_key[SHARED_SIZE], s_val[SHARED_SIZE];
  uint base = blockIdx.x * SHARED_SIZE, t = threadIdx.x;
  for (uint k = t; k < SHARED_SIZE; k += SHARED_SIZE / 2) { s_key[k] = key[base + k]; s_val[k] = val[base + k]; }
  for (uint size = 2; size <= SHARED_SIZE; size <<= 1) {
    // Neighbouring blocks sort in opposite directions, so that pairs of them are bitonic.
    uint ddd = size < SHARED_SIZE ? (t & (size / 2)) == 0 : (blockIdx.x & 1) == 0;
    for (uint stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      uint pos = 2 * t - (t & (stride - 1));
      Comparator(s_key[pos], s_val[pos], s_key[pos + stride], s_val[pos + stride], ddd);
    }
  }
  __syncthreads();
  for (uint k = t; k < SHARED_SIZE; k += SHARED_SIZE / 2) { key[base + k] = s_key[k]; val[base + k] = s_val[k]; }
}

__global__ void mergeGlobal(uint *key, uint *val, uint n, uint size, uint stride) {
  uint t = blockIdx.x * blockDim.x + threadIdx.x;
  uint comparatorI = t & (n / 2 - 1);
  uint ddd = (comparatorI & (size / 2)) == 0;
  uint pos = 2 * t - (t & (stride - 1));
  Comparator(key[pos], val[pos], key[pos + stride], val[pos + stride], ddd);
}

__global__ void mergeShared(uint *key, uint *val, uint n, uint size) {
  __shared__ uint s_key[SHARED_SIZE], s_val[SHARED_SIZE];
  uint base = blockIdx.x * SHARED_SIZE, t = threadIdx.x;
  for (uint k = t; k < SHARED_SIZE; k += SHARED_SIZE / 2) { s_key[k] = key[base + k]; s_val[k] = val[base + k]; }
  uint comparatorI = (blockIdx.x * blockDim.x + t) & (n / 2 - 1);
  uint ddd = (comparatorI & (size / 2)) == 0;
  for (uint stride = SHARED_SIZE / 2; stride > 0; stride >>= 1) {
    __syncthreads();
    uint pos = 2 * t - (t & (stride - 1));
    Comparator(s_key[pos], s_val[pos], s_key[pos + stride], s_val[pos + stride], ddd);
  }
  __syncthreads();
  for (uint k = t; k < SHARED_SIZE; k += SHARED_SIZE / 2) { key[base + k] = s_key[k]; val[base + k] = s_val[k]; }
}

int main() {
  const uint n = 1 << 14;
  std::vector<uint> key(n), val(n), k2(n), v2(n);
  uint lcg = 1;
  for (uint i = 0; i < n; i++) {
    lcg = lcg * 69069u + 1u;
    key[i] = lcg >> 8;
    val[i] = i;
  }
  uint *d_key, *d_val;
  cudaMalloc((void **)&d_key, n * sizeof(uint));
  cudaMalloc((void **)&d_val, n * sizeof(uint));
  cudaMemcpy(d_key, key.data(), n * sizeof(uint), cudaMemcpyHostToDevice);
  cudaMemcpy(d_val, val.data(), n * sizeof(uint), cudaMemcpyHostToDevice);
  int launches = 1;
  sortShared<<<n / SHARED_SIZE, SHARED_SIZE / 2>>>(d_key, d_val);
  for (uint size = 2 * SHARED_SIZE; size <= n; size <<= 1)
    for (uint stride = size / 2; stride > 0; stride >>= 1) {
      launches++;
      if (stride >= SHARED_SIZE)
        mergeGlobal<<<n / 512, 256>>>(d_key, d_val, n, size, stride);
      else {
        mergeShared<<<n / SHARED_SIZE, SHARED_SIZE / 2>>>(d_key, d_val, n, size);
        break;
      }
    }
  cudaError_t err = cudaDeviceSynchronize();
  cudaMemcpy(k2.data(), d_key, n * sizeof(uint), cudaMemcpyDeviceToHost);
  cudaMemcpy(v2.data(), d_val, n * sizeof(uint), cudaMemcpyDeviceToHost);
  cudaFree(d_key);
  cudaFree(d_val);
  printf("%d launches, %s\n", launches, cudaGetErrorString(err));
  std::vector<bool> seen(n);
  for (uint i = 0; i < n; i++) {
    if (i && k2[i - 1] > k2[i]) { printf("not sorted at %u\n", i); return 1; }
    if (key[v2[i]] != k2[i] || seen[v2[i]]) { printf("value %u lost its key\n", v2[i]); return 1; }
    seen[v2[i]] = true;
  }
  printf("smallest %u, median %u, largest %u\n", k2[0], k2[n / 2], k2[n - 1]);
  return 0;
}
