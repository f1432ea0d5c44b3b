// Cooperative groups: a block, tiles of it, coalesced threads, and a whole grid that waits for itself between two phases.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <stdio.h>

#include <vector>

namespace cg = cooperative_groups;

#define CHECK(call)                                                                                              \
  do {                                                                                                           \
    cudaError_t err__ = call;                                                                                    \
    if (err__ != cudaSuccess) {                                                                                  \
      printf("%s failed at line %d: %s (%s)\n", #call, __LINE__, cudaGetErrorName(err__), cudaGetErrorString(err__)); \
      exit(1);                                                                                                   \
    }                                                                                                            \
  } while (0)

// Any group that has a rank, a size and a barrier can sum.
template <typename Group>
__device__ int reduce_sum(Group g, int *temp, int val) {
  int lane = g.thread_rank();
  for (int i = g.size() / 2; i > 0; i /= 2) {
    temp[lane] = val;
    g.sync();
    if (lane < i) val += temp[lane + i];
    g.sync();
  }
  return val;
}

__global__ void sum_block(int *sum, const int *input, int n) {
  extern __shared__ int temp[];
  int mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += blockDim.x * gridDim.x) {
    int4 in = ((const int4 *)input)[i];
    mine += in.x + in.y + in.z + in.w;
  }
  auto g = cg::this_thread_block();
  int block_sum = reduce_sum(g, temp, mine);
  if (g.thread_rank() == 0) atomicAdd(sum, block_sum);
}

template <int tile_sz>
__global__ void sum_tiles(int *sum, const int *input, int n) {
  int mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) mine += input[i];
  auto tile = cg::tiled_partition<tile_sz>(cg::this_thread_block());
  for (int i = tile.size() / 2; i > 0; i /= 2) mine += tile.shfl_down(mine, i);
  if (tile.thread_rank() == 0) atomicAdd(sum, mine);
}

__global__ void sum_library(int *sum, int *largest, const int *input, int n) {
  int mine = 0;
  auto grid = cg::this_grid();
  for (unsigned i = grid.thread_rank(); i < n; i += grid.size()) mine += input[i];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int total = cg::reduce(warp, mine, cg::plus<int>());
  int most = cg::reduce(warp, mine, cg::greater<int>());
  if (warp.thread_rank() == 0) {
    atomicAdd(sum, total);
    atomicMax(largest, most);
  }
}

// Each even value gets a place of its own, one atomic for the threads that happen to be together.
__global__ void filter_even(int *kept, int *count, const int *input, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || input[i] % 2) return;
  auto active = cg::coalesced_threads();
  int base = 0;
  if (active.thread_rank() == 0) base = atomicAdd(count, active.size());
  kept[active.shfl(base, 0) + active.thread_rank()] = input[i];
}

__global__ void tile_scan(int *out, const int *input) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int i = cg::this_grid().thread_rank();
  out[i] = cg::inclusive_scan(tile, input[i]);
}

// Two phases in one kernel: partial sums, then the last step after all blocks have arrived.
__global__ void sum_grid(int *partial, int *sum, const int *input, int n) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  extern __shared__ int temp[];
  int mine = 0;
  for (unsigned i = grid.thread_rank(); i < n; i += grid.size()) mine += input[i];
  mine = reduce_sum(block, temp, mine);
  if (block.thread_rank() == 0) partial[blockIdx.x] = mine;
  grid.sync();
  if (grid.thread_rank() == 0) {
    int total = 0;
    for (int b = 0; b < gridDim.x; ++b) total += partial[b];
    *sum = total;
  }
}

int main() {
  int n = 1 << 15, blockSize = 256, nBlocks = 16, expected = 0, even = 0;
  std::vector<int> h(n);
  for (int i = 0; i < n; i++) {
    h[i] = (i * 37 + 11) % 101;
    expected += h[i];
    even += h[i] % 2 == 0;
  }
  int *data, *sum, *scratch;
  CHECK(cudaMalloc(&data, n * sizeof(int)));
  CHECK(cudaMalloc(&scratch, n * sizeof(int)));
  CHECK(cudaMalloc(&sum, 8 * sizeof(int)));
  CHECK(cudaMemset(sum, 0, 8 * sizeof(int)));
  CHECK(cudaMemcpy(data, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  sum_block<<<nBlocks, blockSize, blockSize * sizeof(int)>>>(sum + 0, data, n);
  sum_tiles<32><<<nBlocks, blockSize>>>(sum + 1, data, n);
  sum_tiles<8><<<nBlocks, blockSize>>>(sum + 2, data, n);
  sum_library<<<nBlocks, blockSize>>>(sum + 3, sum + 4, data, n);
  filter_even<<<n / blockSize, blockSize>>>(scratch, sum + 5, data, n);
  CHECK(cudaGetLastError());
  int cooperative = 0;
  CHECK(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0));
  printf("cooperative launches: %s\n", cooperative ? "yes" : "no");
  int *sum6 = sum + 6;
  void *args[] = {&scratch, &sum6, &data, &n};
  int sums[8];
  CHECK(cudaMemcpy(sums, sum, sizeof sums, cudaMemcpyDeviceToHost));
  CHECK(cudaLaunchCooperativeKernel((void *)sum_grid, dim3(nBlocks), dim3(blockSize), args, blockSize * sizeof(int), 0));
  CHECK(cudaMemcpy(&sums[6], sum6, sizeof(int), cudaMemcpyDeviceToHost));
  tile_scan<<<1, 64>>>(scratch, data);
  int scanned[64];
  CHECK(cudaMemcpy(scanned, scratch, sizeof scanned, cudaMemcpyDeviceToHost));
  bool ok = sums[5] == even;
  for (int i = 0, run = 0; i < 64; ++i) {
    run = (i % 16 ? run : 0) + h[i];
    ok = ok && scanned[i] == run;
  }
  const char *names[] = {"block", "tiles of 32", "tiles of 8", "library", "", "", "grid"};
  for (int k : {0, 1, 2, 3, 6}) {
    printf("%-12s %d\n", names[k], sums[k]);
    ok = ok && sums[k] == expected;
  }
  printf("most of one thread %d, even values %d of %d\n", sums[4], sums[5], n);
  printf("%s\n", ok ? "all sums agree" : "MISMATCH");
  cudaFree(data), cudaFree(sum), cudaFree(scratch);
  return !ok;
}
