// A graph captured from streams and replayed, and the same built node by node.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(x)                                                                              \
  do {                                                                                        \
    cudaError_t e = (x);                                                                      \
    if (e != cudaSuccess) {                                                                   \
      fprintf(stderr, "%s:%d %s -> %s\n", __FILE__, __LINE__, #x, cudaGetErrorName(e));       \
      exit(1);                                                                                \
    }                                                                                         \
  } while (0)

__global__ void addTo(int *data, int n, int what) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += what;
}
__global__ void doubleIt(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 2;
}

int main() {
  int n = 1000;
  int *a, *b;
  CHECK(cudaMalloc(&a, n * sizeof(int)));
  CHECK(cudaMalloc(&b, n * sizeof(int)));
  CHECK(cudaMemset(a, 0, n * sizeof(int)));
  CHECK(cudaMemset(b, 0, n * sizeof(int)));
  cudaStream_t s, side;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaStreamCreate(&side));
  cudaEvent_t fork, join;
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  addTo<<<8, 128, 0, s>>>(a, n, 1);
  CHECK(cudaEventRecord(fork, s));
  CHECK(cudaStreamWaitEvent(side, fork, 0));
  addTo<<<8, 128, 0, side>>>(b, n, 5);
  CHECK(cudaEventRecord(join, side));
  doubleIt<<<8, 128, 0, s>>>(a, n);
  CHECK(cudaStreamWaitEvent(s, join, 0));
  CHECK(cudaMemcpyAsync(b, a, 4, cudaMemcpyDeviceToDevice, s));
  CHECK(cudaStreamEndCapture(s, &graph));
  int first = -1;
  CHECK(cudaMemcpy(&first, a, 4, cudaMemcpyDeviceToHost));
  size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  printf("captured %zu nodes, a[0] still %d\n", nodes, first);
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 5; ++i) CHECK(cudaGraphLaunch(exec, s));
  CHECK(cudaStreamSynchronize(s));
  int ha[2], hb[2];
  CHECK(cudaMemcpy(ha, a, 8, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(hb, b, 8, cudaMemcpyDeviceToHost));
  printf("after five launches: a %d %d, b %d %d\n", ha[0], ha[1], hb[0], hb[1]);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));

  // By hand: memset, then a kernel.
  cudaGraphNode_t setNode, kernelNode;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams set = {};
  set.dst = b;
  set.value = 3;
  set.elementSize = 4;
  set.width = n;
  set.height = 1;
  CHECK(cudaGraphAddMemsetNode(&setNode, graph, nullptr, 0, &set));
  int what = 39;
  void *args[] = {&b, &n, &what};
  cudaKernelNodeParams params = {};
  params.func = (void *)addTo;
  params.gridDim = dim3(8);
  params.blockDim = dim3(128);
  params.kernelParams = args;
  CHECK(cudaGraphAddKernelNode(&kernelNode, graph, &setNode, 1, &params));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(hb, b, 8, cudaMemcpyDeviceToHost));
  printf("by hand: b %d %d\n", hb[0], hb[1]);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  return ha[0] == 62 && hb[0] == 42 && hb[1] == 42 ? 0 : 1;
}
