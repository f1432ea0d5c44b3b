// Memory of cudaHostRegister is changed while an asynchronous copy may still read it.
// finding: host-race: the host touches
#include <cstdio>
#include <vector>

int main() {
  constexpr int kCount = 1 << 16;
  std::vector<int> source(kCount, 1), back(kCount);
  int* there;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&there, kCount * sizeof(int));
  cudaHostRegister(source.data(), kCount * sizeof(int), cudaHostRegisterDefault);
  cudaMemcpyAsync(there, source.data(), kCount * sizeof(int), cudaMemcpyHostToDevice, stream);
  for (int& value : source) value = 2;
  cudaStreamSynchronize(stream);
  cudaMemcpy(back.data(), there, kCount * sizeof(int), cudaMemcpyDeviceToHost);
  cudaHostUnregister(source.data());
  cudaFree(there);
  std::printf("%d\n", back[kCount - 1]);
}
