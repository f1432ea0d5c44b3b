// The answer "not ready" is no error: cudaGetLastError says nothing of it (CUB asks it behind each of its calls).
// golden: none
#include <cuda_runtime.h>

#include <cstdio>

__global__ void work(int* data) { data[threadIdx.x] += 1; }

int main() {
  int* data = nullptr;
  cudaMalloc(&data, 128);
  cudaMemset(data, 0, 128);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaEvent_t event;
  cudaEventCreate(&event);
  work<<<1, 32, 0, stream>>>(data);
  cudaEventRecord(event, stream);
  const cudaError_t asked = cudaEventQuery(event);
  const cudaError_t behind_event = cudaPeekAtLastError();
  const cudaError_t asked_again = cudaStreamQuery(stream);
  const cudaError_t behind_stream = cudaGetLastError();
  cudaStreamSynchronize(stream);
  const bool answers = (asked == cudaSuccess || asked == cudaErrorNotReady) && (asked_again == cudaSuccess || asked_again == cudaErrorNotReady);
  std::printf("answers %d, last error %d and %d\n", answers, behind_event, behind_stream);
  cudaFree(data);
  return answers && behind_event == cudaSuccess && behind_stream == cudaSuccess ? 0 : 1;
}
