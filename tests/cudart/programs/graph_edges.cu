// Graphs whose edges are added after their nodes, and in an order that a list of nodes in turn does not give; what a graph answers.
// golden: none
#include <cstdio>
#include <cstring>

#define CHECK(call) \
  if (const cudaError_t code = (call)) return std::printf("%s: %s\n", #call, cudaGetErrorString(code)), 1
#define EXPECT(what) \
  if (!(what)) return std::printf("line %d: not %s\n", __LINE__, #what), 1

__global__ void put(int* data, int what) { *data = what; }
__global__ void add(int* data, int what) { *data += what; }
__global__ void times(int* data, int what) { *data *= what; }

int main() {
  int *data, host = 0;
  CHECK(cudaMalloc(&data, sizeof host));
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  const auto node = [&](void (*kernel)(int*, int), int what) {
    void* arguments[] = {&data, &what};
    cudaKernelNodeParams p{};
    p.func = reinterpret_cast<void*>(kernel);
    p.gridDim = 1, p.blockDim = 1, p.kernelParams = arguments;
    cudaGraphNode_t made = nullptr;
    return cudaGraphAddKernelNode(&made, graph, nullptr, 0, &p) == cudaSuccess ? made : nullptr;
  };
  // Last to first: (3 + 4) * 5.
  cudaGraphNode_t last = node(times, 5), middle = node(add, 4), first = node(put, 3);
  cudaGraphNode_t from[] = {first, middle}, to[] = {middle, last};
  CHECK(cudaGraphAddDependencies(graph, from, to, nullptr, 2));
  EXPECT(cudaGraphAddDependencies(graph, from, to, nullptr, 1) == cudaErrorInvalidValue);  // is there already
  const auto result = [&](cudaGraph_t of) {
    cudaGraphExec_t exec;
    if (cudaGraphInstantiate(&exec, of, 0) != cudaSuccess) return -1;
    cudaGraphLaunch(exec, nullptr);
    cudaGraphExecDestroy(exec);
    cudaMemcpy(&host, data, sizeof host, cudaMemcpyDeviceToHost);
    return host;
  };
  EXPECT(result(graph) == 35);

  size_t count = 0;
  cudaGraphNode_t found[4], others[4];
  CHECK(cudaGraphGetRootNodes(graph, nullptr, &count));
  EXPECT(count == 1);
  CHECK(cudaGraphGetRootNodes(graph, found, &count));
  EXPECT(found[0] == first);
  count = 4;
  CHECK(cudaGraphGetEdges(graph, found, others, nullptr, &count));
  EXPECT(count == 2);
  count = 4;
  CHECK(cudaGraphNodeGetDependencies(last, found, nullptr, &count));
  EXPECT(count == 1 && found[0] == middle && found[1] == nullptr);
  CHECK(cudaGraphNodeGetDependentNodes(last, nullptr, nullptr, &count));
  EXPECT(count == 0);
  cudaKernelNodeParams shown{};
  CHECK(cudaGraphKernelNodeGetParams(middle, &shown));
  EXPECT(shown.func == reinterpret_cast<void*>(add) && *static_cast<int*>(shown.kernelParams[1]) == 4);

  // A copy has edges of its own.
  cudaGraph_t copy;
  CHECK(cudaGraphClone(&copy, graph));
  cudaGraphNode_t twin;
  CHECK(cudaGraphNodeFindInClone(&twin, last, copy));
  CHECK(cudaGraphDestroyNode(last));
  EXPECT(result(graph) == 7);
  EXPECT(result(copy) == 35);
  CHECK(cudaGraphNodeGetDependencies(twin, nullptr, nullptr, &count));
  EXPECT(count == 1);

  // A circle cannot be instantiated; without the edge it can.
  CHECK(cudaGraphAddDependencies(graph, to, from, nullptr, 1));
  EXPECT(result(graph) == -1);
  cudaGetLastError();
  CHECK(cudaGraphRemoveDependencies(graph, to, from, nullptr, 1));
  EXPECT(result(graph) == 7);

  // Two streams that part and meet again: five nodes, five edges.
  cudaStream_t one, two;
  cudaEvent_t parted, met;
  CHECK(cudaStreamCreate(&one));
  CHECK(cudaStreamCreate(&two));
  CHECK(cudaEventCreate(&parted));
  CHECK(cudaEventCreate(&met));
  int* other;
  CHECK(cudaMalloc(&other, sizeof host));
  CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  put<<<1, 1, 0, one>>>(data, 1);
  CHECK(cudaEventRecord(parted, one));
  CHECK(cudaStreamWaitEvent(two, parted, 0));
  add<<<1, 1, 0, one>>>(data, 2);
  put<<<1, 1, 0, two>>>(other, 2);
  times<<<1, 1, 0, two>>>(other, 3);
  CHECK(cudaEventRecord(met, two));
  CHECK(cudaStreamWaitEvent(one, met, 0));
  CHECK(cudaMemcpyAsync(data, other, sizeof host, cudaMemcpyDeviceToDevice, one));
  cudaGraph_t captured;
  CHECK(cudaStreamEndCapture(one, &captured));
  CHECK(cudaGraphGetEdges(captured, nullptr, nullptr, nullptr, &count));
  EXPECT(count == 5);
  CHECK(cudaGraphGetRootNodes(captured, nullptr, &count));
  EXPECT(count == 1);
  EXPECT(result(captured) == 6);

  CHECK(cudaGraphDestroy(captured));
  CHECK(cudaGraphDestroy(copy));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(one));
  CHECK(cudaStreamDestroy(two));
  CHECK(cudaEventDestroy(parted));
  CHECK(cudaEventDestroy(met));
  CHECK(cudaFree(other));
  CHECK(cudaFree(data));
  std::printf("all as it should be\n");
}
