// A host function announces what its stream has done before it, and nothing that the stream gets behind it.
// finding: host-race: the host touches
#include <atomic>
#include <cstdio>
__global__ void fill(int* to, int value) { to[threadIdx.x] = value; }
std::atomic<bool> done{false};
int main() {
  int* data;
  cudaStream_t stream;
  cudaMallocManaged(&data, 4 * 64);
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  fill<<<1, 64, 0, stream>>>(data, 1);
  cudaLaunchHostFunc(stream, [](void*) { done = true; }, nullptr);
  fill<<<1, 64, 0, stream>>>(data, 2);
  while (!done) {}
  std::printf("%d\n", data[3]);
  cudaDeviceSynchronize();
  cudaFree(data);
}
