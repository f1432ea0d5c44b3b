// Memory of cudaHostRegister is changed when the copy that reads it is done, and once it is unregistered.
// clean
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
  cudaStreamSynchronize(stream);
  for (int& value : source) value = 2;
  cudaMemcpyAsync(back.data(), there, kCount * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaHostUnregister(source.data());
  for (int& value : source) value = 3;
  cudaStreamSynchronize(stream);
  cudaMemcpy(back.data(), there, kCount * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(there);
  std::printf("%d\n", back[kCount - 1]);
}
