// Tiles that are fetched while others are used: cuda::pipeline, cuda::memcpy_async, groups that wait.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init

constexpr int kThreads = 128, kTiles = 6;

// Each tile is turned round.
template <int kStages>
__global__ void pipelined(int* out, const int* in) {
  __shared__ int tile[kStages][kThreads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  const cg::thread_block block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  const int first = blockIdx.x * kTiles * kThreads;
  for (int used = 0, fetched = 0; used < kTiles; ++used) {
    for (; fetched < kTiles && fetched < used + kStages; ++fetched) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, tile[fetched % kStages], in + first + fetched * kThreads,
                         sizeof(int) * kThreads, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    out[first + used * kThreads + threadIdx.x] = tile[used % kStages][kThreads - 1 - threadIdx.x];
    pipe.consumer_release();
  }
}

__global__ void withBarrier(int* out, const int* in) {
  __shared__ alignas(16) int tile[kThreads];
  __shared__ Barrier there;
  const cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&there, block.size());
  block.sync();
  for (int t = 0; t < kTiles; ++t) {
    const int first = (blockIdx.x * kTiles + t) * kThreads;
    cuda::memcpy_async(block, tile, in + first, sizeof tile, there);
    there.arrive_and_wait();
    out[first + threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
    block.sync();
  }
}

// No barrier object: the group waits for its own copies.
__global__ void groupWaits(int* out, const int* in) {
  __shared__ int tile[2][kThreads];
  const cg::thread_block block = cg::this_thread_block();
  const int first = blockIdx.x * kTiles * kThreads;
  cg::memcpy_async(block, tile[0], in + first, sizeof(int) * kThreads);
  for (int t = 0; t < kTiles; ++t) {
    if (t + 1 < kTiles) {
      cg::memcpy_async(block, tile[(t + 1) % 2], in + first + (t + 1) * kThreads, sizeof(int) * kThreads);
      cg::wait_prior<1>(block);
    } else {
      cg::wait(block);
    }
    out[first + t * kThreads + threadIdx.x] = tile[t % 2][kThreads - 1 - threadIdx.x];
    block.sync();
  }
}

int check(const char* name, int* out, const int* in, int count) {
  const cudaError_t error = cudaDeviceSynchronize();
  int wrong = 0;
  for (int k = 0; k < count; ++k) {
    wrong += out[k] != in[k / kThreads * kThreads + kThreads - 1 - k % kThreads];
    out[k] = -1;
  }
  std::printf("%s: %d wrong, %s\n", name, wrong, cudaGetErrorString(error));
  return wrong + (error != cudaSuccess);
}

int main() {
  const int blocks = 3, count = blocks * kTiles * kThreads;
  int *in, *out, wrong = 0;
  cudaMallocManaged(&in, count * sizeof(int));
  cudaMallocManaged(&out, count * sizeof(int));
  for (int k = 0; k < count; ++k) in[k] = 3 * k + 1;
  pipelined<1><<<blocks, kThreads>>>(out, in);
  wrong += check("one stage", out, in, count);
  pipelined<2><<<blocks, kThreads>>>(out, in);
  wrong += check("two stages", out, in, count);
  pipelined<4><<<blocks, kThreads>>>(out, in);
  wrong += check("four stages", out, in, count);
  withBarrier<<<blocks, kThreads>>>(out, in);
  wrong += check("with a barrier", out, in, count);
  groupWaits<<<blocks, kThreads>>>(out, in);
  wrong += check("the group waits", out, in, count);
  return wrong != 0;
}
