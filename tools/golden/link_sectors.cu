// What a warp's access to a peer's memory sends over the link: one kernel a pattern, profiled by
// link_sectors.py.
//
// Enters: two GPUs with peer access. Leaves: nothing but launches, in the order of the table in
// link_sectors.py.
#include <cstdio>
#include <cstdlib>

constexpr int kBlocks = 256, kThreads = 256, kRounds = 16;

// Thread i of all touches kBytes at i × stride bytes, kRounds times further on.
template <class T, bool store>
__global__ void touch(char* peer, size_t stride, T* sink) {
  const size_t threads = size_t(gridDim.x) * blockDim.x,
               thread = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  T sum{};
  for (int round = 0; round < kRounds; ++round) {
    T* at = reinterpret_cast<T*>(peer + (round * threads + thread) * stride);
    if (store)
      *at = T{};
    else
      sum = *at, *reinterpret_cast<volatile char*>(&sum);
  }
  if (!store && sink != nullptr) *sink = sum;
}
template <class T>
__global__ void add(char* peer, size_t stride) {
  const size_t threads = size_t(gridDim.x) * blockDim.x,
               thread = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int round = 0; round < kRounds; ++round)
    atomicAdd(reinterpret_cast<T*>(peer + (round * threads + thread) * stride), T(1));
}

int main() {
  cudaSetDevice(1);
  char* peer = nullptr;
  const size_t bytes = size_t(kBlocks) * kThreads * kRounds * 128;
  if (cudaMalloc(&peer, bytes) != cudaSuccess || cudaMemset(peer, 0, bytes) != cudaSuccess ||
      cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  cudaSetDevice(0);
  if (cudaDeviceEnablePeerAccess(1, 0) != cudaSuccess) return 1;
  for (size_t stride : {1, 2, 4, 8, 32, 64, 128})
    touch<char, true><<<kBlocks, kThreads>>>(peer, stride, nullptr);
  for (size_t stride : {4, 8, 16, 32, 64, 128})
    touch<float, true><<<kBlocks, kThreads>>>(peer, stride, nullptr);
  for (size_t stride : {8, 16, 32}) touch<float2, true><<<kBlocks, kThreads>>>(peer, stride, nullptr);
  for (size_t stride : {16, 32, 64, 128}) touch<float4, true><<<kBlocks, kThreads>>>(peer, stride, nullptr);
  for (size_t stride : {4, 8, 32, 128})
    touch<float, false><<<kBlocks, kThreads>>>(peer, stride, reinterpret_cast<float*>(peer));
  for (size_t stride : {16, 32, 128})
    touch<float4, false><<<kBlocks, kThreads>>>(peer, stride, reinterpret_cast<float4*>(peer));
  for (size_t stride : {4, 32, 128}) add<float><<<kBlocks, kThreads>>>(peer, stride);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
}
