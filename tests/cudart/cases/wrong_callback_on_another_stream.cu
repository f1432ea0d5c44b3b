// A host function announces what its own stream has done before it, and nothing of another stream.
// finding: host-race: the host touches
#include <atomic>
#include <cstdio>
__global__ void fill(int* to) { to[threadIdx.x] = 1; }
std::atomic<bool> done{false};
int main() {
  int* data;
  cudaStream_t works, announces;
  cudaMallocManaged(&data, 4 * 64);
  cudaStreamCreateWithFlags(&works, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&announces, cudaStreamNonBlocking);
  fill<<<1, 64, 0, works>>>(data);
  cudaLaunchHostFunc(announces, [](void*) { done = true; }, nullptr);
  while (!done) {}
  std::printf("%d\n", data[3]);
  cudaDeviceSynchronize();
  cudaFree(data);
}
