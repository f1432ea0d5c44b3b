// cuda::barrier: arrive early and wait late; one half of a block feeds the other; who leaves, drops.
#include <cstdio>
#include <cuda/barrier>
#include <utility>

using Barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init

// Each step sums a thread's own value and its right neighbour's of the step before.
__global__ void neighbours(int* out, int steps) {
  __shared__ int now[128], next[128];
  __shared__ Barrier ready;
  const int me = threadIdx.x;
  if (me == 0) init(&ready, blockDim.x);
  now[me] = me;
  __syncthreads();
  for (int step = 0; step < steps; ++step) {
    next[me] = now[me] + now[(me + 1) % 128];
    Barrier::arrival_token mine = ready.arrive();
    const int spare = me * step;  // work that needs no other thread
    ready.wait(std::move(mine));
    now[me] = next[me] + 0 * spare;
    ready.arrive_and_wait();
  }
  out[me] = now[me];
}

// Threads 0–63 fill two buffers in turn, threads 64–127 add them up.
__global__ void halves(long long* sum, int rounds) {
  __shared__ int buffer[2][64];
  __shared__ Barrier full[2], empty[2];
  if (threadIdx.x < 2) {
    init(&full[threadIdx.x], blockDim.x);
    init(&empty[threadIdx.x], blockDim.x);
  }
  __syncthreads();
  const int lane = threadIdx.x % 64;
  if (threadIdx.x < 64) {
    for (int r = 0; r < rounds; ++r) {
      empty[r % 2].arrive_and_wait();
      buffer[r % 2][lane] = r * 64 + lane;
      (void)full[r % 2].arrive();
    }
  } else {
    (void)empty[0].arrive();
    (void)empty[1].arrive();
    long long mine = 0;
    for (int r = 0; r < rounds; ++r) {
      full[r % 2].arrive_and_wait();
      mine += buffer[r % 2][(lane + 1) % 64];
      if (r + 2 < rounds) (void)empty[r % 2].arrive();
    }
    sum[lane] = mine;
  }
}

// Thread k takes part in k + 1 rounds and then drops out.
__global__ void leaving(int* rounds) {
  __shared__ Barrier meet;
  if (threadIdx.x == 0) init(&meet, blockDim.x);
  __syncthreads();
  for (unsigned r = 0; r < threadIdx.x; ++r) meet.arrive_and_wait();
  meet.arrive_and_drop();
  rounds[threadIdx.x] = threadIdx.x + 1;
}

int main() {
  int* out;
  long long* sum;
  cudaMallocManaged(&out, 128 * sizeof(int));
  cudaMallocManaged(&sum, 64 * sizeof(long long));
  neighbours<<<1, 128>>>(out, 5);
  cudaError_t error = cudaDeviceSynchronize();
  int now[128], next[128], wrong = 0;
  for (int k = 0; k < 128; ++k) now[k] = k;
  for (int step = 0; step < 5; ++step) {
    for (int k = 0; k < 128; ++k) next[k] = now[k] + now[(k + 1) % 128];
    for (int k = 0; k < 128; ++k) now[k] = next[k];
  }
  for (int k = 0; k < 128; ++k) wrong += out[k] != now[k];
  std::printf("neighbours: %d wrong, %s\n", wrong, cudaGetErrorString(error));

  halves<<<1, 128>>>(sum, 7);
  error = cudaDeviceSynchronize();
  long long total = 0;
  for (int k = 0; k < 64; ++k) total += sum[k];
  wrong += total != 448LL * 447 / 2;
  std::printf("halves: %lld, %s\n", total, cudaGetErrorString(error));

  leaving<<<1, 64>>>(out);
  error = cudaDeviceSynchronize();
  for (int k = 0; k < 64; ++k) wrong += out[k] != k + 1;
  std::printf("leaving: %s\n", cudaGetErrorString(error));
  return wrong != 0 || error != cudaSuccess;
}
