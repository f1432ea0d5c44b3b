// CUB inside kernels and over the whole device.
#include <cub/cub.cuh>

#include <cstdio>
#include <numeric>
#include <vector>

template <int THREADS, int ITEMS>
__global__ void scanAndSum(const int *in, int *scanned, int *sums) {
  using Load = cub::BlockLoad<int, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
  using Store = cub::BlockStore<int, THREADS, ITEMS, cub::BLOCK_STORE_TRANSPOSE>;
  using Scan = cub::BlockScan<int, THREADS>;
  using Reduce = cub::BlockReduce<int, THREADS>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
    typename Reduce::TempStorage reduce;
  } temp;
  int base = blockIdx.x * THREADS * ITEMS, items[ITEMS];
  Load(temp.load).Load(in + base, items);
  __syncthreads();
  int sum = Reduce(temp.reduce).Sum(items);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  __syncthreads();
  Scan(temp.scan).ExclusiveSum(items, items);
  __syncthreads();
  Store(temp.store).Store(scanned + base, items);
}

int main() {
  const int threads = 128, items = 4, blocks = 5, n = threads * items * blocks;
  std::vector<int> h(n), scanned(n), ref(n), sums(blocks);
  for (int i = 0; i < n; ++i) h[i] = (i * 31) % 17;
  int *d, *ds, *db;
  cudaMalloc(&d, n * sizeof(int));
  cudaMalloc(&ds, n * sizeof(int));
  cudaMalloc(&db, blocks * sizeof(int));
  cudaMemcpy(d, h.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  scanAndSum<threads, items><<<blocks, threads>>>(d, ds, db);
  cudaMemcpy(scanned.data(), ds, n * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(sums.data(), db, blocks * sizeof(int), cudaMemcpyDeviceToHost);
  int bad = 0, total = 0;
  for (int b = 0, i = 0; b < blocks; ++b) {
    int run = 0;
    for (int k = 0; k < threads * items; ++k, ++i) {
      bad += scanned[i] != run;
      run += h[i];
    }
    bad += sums[b] != run;
    total += run;
  }
  printf("in blocks: %d wrong, first block %d\n", bad, sums[0]);

  void *temp = nullptr;
  size_t temp_bytes = 0;
  cub::DeviceReduce::Sum(temp, temp_bytes, d, db, n);
  cudaMalloc(&temp, temp_bytes);
  cub::DeviceReduce::Sum(temp, temp_bytes, d, db, n);
  int sum = 0;
  cudaMemcpy(&sum, db, sizeof sum, cudaMemcpyDeviceToHost);
  printf("device sum %d, expected %d, %s\n", sum, total, cudaGetErrorString(cudaGetLastError()));
  cudaFree(temp);
  temp = nullptr;
  cub::DeviceScan::InclusiveSum(temp, temp_bytes, d, ds, n);
  cudaMalloc(&temp, temp_bytes);
  cub::DeviceScan::InclusiveSum(temp, temp_bytes, d, ds, n);
  cudaMemcpy(scanned.data(), ds, n * sizeof(int), cudaMemcpyDeviceToHost);
  std::partial_sum(h.begin(), h.end(), ref.begin());
  printf("device scan %s, %s\n", scanned == ref ? "right" : "WRONG", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(temp), cudaFree(d), cudaFree(ds), cudaFree(db);
  return bad || sum != total || scanned != ref;
}
