// Graphs whose nodes get other parameters, and memory that a graph allocates.
#include <cstdio>

#define CHECK(call) \
  if (const cudaError_t code = (call)) return std::printf("%s: %s\n", #call, cudaGetErrorString(code)), 1

__global__ void add(int* data, int what) { data[threadIdx.x] += what; }

int main() {
  int *data, host[32];
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&data, sizeof host));
  CHECK(cudaMemset(data, 0, sizeof host));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t node;
  CHECK(cudaGraphCreate(&graph, 0));
  int what = 5;
  void* arguments[] = {&data, &what};
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(add);
  kernel.gridDim = 1, kernel.blockDim = 32, kernel.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  what = 100;
  CHECK(cudaGraphExecKernelNodeSetParams(exec, node, &kernel));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("5 and then 100: %d\n", host[31]);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));

  int* inside = nullptr;  // allocated while the stream records
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMallocAsync(&inside, sizeof host, stream));
  CHECK(cudaMemsetAsync(inside, 0, sizeof host, stream));
  add<<<1, 32, 0, stream>>>(inside, 7);
  CHECK(cudaMemcpyAsync(data, inside, sizeof host, cudaMemcpyDeviceToDevice, stream));
  CHECK(cudaFreeAsync(inside, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int k = 0; k < 2; ++k) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("memory of the graph: %d\n", host[0]);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(data));
  CHECK(cudaStreamDestroy(stream));
}
