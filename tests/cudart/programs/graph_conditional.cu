// Conditional nodes of graphs: if, if-else, while, switch; handles with and without a default; bodies made by hand, by
// capture, and with a conditional node inside.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                    \
  do {                                                                                 \
    const cudaError_t error = (call);                                                  \
    if (error != cudaSuccess) std::printf("%s: %s\n", #call, cudaGetErrorString(error)), std::exit(2); \
  } while (0)

__global__ void choose(const int* what, cudaGraphConditionalHandle handle) { cudaGraphSetConditional(handle, *what); }
__global__ void note(int* list, int value) { list[1 + list[0]++] = value; }
__global__ void countdown(int* left, cudaGraphConditionalHandle handle) {
  *left -= 1;
  cudaGraphSetConditional(handle, *left > 0);
}

static int *list, *input;

static cudaGraphNode_t kernel(cudaGraph_t graph, void* function, void** arguments, const cudaGraphNode_t* after) {
  cudaGraphNodeParams p = {cudaGraphNodeTypeKernel};
  p.kernel.func = function;
  p.kernel.gridDim = p.kernel.blockDim = dim3(1);
  p.kernel.kernelParams = arguments;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddNode(&node, graph, after, nullptr, after != nullptr, &p));
  return node;
}
static void noting(cudaGraph_t graph, int value) {
  void* arguments[] = {&list, &value};
  kernel(graph, (void*)note, arguments, nullptr);
}
static cudaGraph_t* conditional(cudaGraph_t graph, cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type, int bodies,
                                const cudaGraphNode_t* after, cudaGraphNode_t* made = nullptr) {
  cudaGraphNodeParams p = {cudaGraphNodeTypeConditional};
  p.conditional.handle = handle;
  p.conditional.type = type;
  p.conditional.size = bodies;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddNode(&node, graph, after, nullptr, after != nullptr, &p));
  cudaGraphNodeType is;
  CHECK(cudaGraphNodeGetType(node, &is));
  if (is != cudaGraphNodeTypeConditional) std::printf("another type\n");
  if (made != nullptr) *made = node;
  return p.conditional.phGraph_out;
}
static void run(const char* what, cudaGraph_t graph, int value) {
  cudaGraphExec_t made;
  CHECK(cudaGraphInstantiate(&made, graph, 0));
  for (int round = 0; round < 2; ++round) {  // the second one begins as the first did
    CHECK(cudaMemset(list, 0, 64 * sizeof(int)));
    CHECK(cudaMemcpy(input, &value, sizeof value, cudaMemcpyHostToDevice));
    CHECK(cudaGraphLaunch(made, 0));
    CHECK(cudaDeviceSynchronize());
    int host[64];
    CHECK(cudaMemcpy(host, list, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%-14s %2d:", what, value);
    for (int k = 0; k < host[0]; ++k) std::printf(" %d", host[1 + k]);
    std::printf("\n");
  }
  CHECK(cudaGraphExecDestroy(made));
}

int main() {
  CHECK(cudaMalloc(&list, 64 * sizeof(int)));
  CHECK(cudaMalloc(&input, sizeof(int)));
  cudaGraphConditionalHandle handle;
  void* choosing[] = {&input, &handle};
  for (int value : {0, 1, 5}) {
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    const cudaGraphNode_t first = kernel(graph, (void*)choose, choosing, nullptr);
    noting(conditional(graph, handle, cudaGraphCondTypeIf, 1, &first)[0], 7);
    run("if", graph, value);
    CHECK(cudaGraphDestroy(graph));
  }
  for (int value : {0, 1}) {
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    const cudaGraphNode_t first = kernel(graph, (void*)choose, choosing, nullptr);
    cudaGraph_t* bodies = conditional(graph, handle, cudaGraphCondTypeIf, 2, &first);
    noting(bodies[0], 7);
    noting(bodies[1], 8);
    run("if else", graph, value);
    CHECK(cudaGraphDestroy(graph));
  }
  for (int value : {0, 1, 2, 3, 9}) {
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 2, cudaGraphCondAssignDefault));
    const cudaGraphNode_t first = kernel(graph, (void*)choose, choosing, nullptr);
    cudaGraph_t* bodies = conditional(graph, handle, cudaGraphCondTypeSwitch, 3, &first);
    for (int k = 0; k < 3; ++k) noting(bodies[k], 10 + k);
    run("switch", graph, value);
    CHECK(cudaGraphDestroy(graph));
  }
  {  // a body by capture after no node: the list may be null then
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    cudaGraph_t body = conditional(graph, handle, cudaGraphCondTypeIf, 1, nullptr)[0];
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
    CHECK(cudaStreamEndCapture(stream, &body));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
  }
  for (int value : {1, 4}) {  // a body by capture, and an `if` inside
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraph_t body = conditional(graph, handle, cudaGraphCondTypeWhile, 1, nullptr)[0];
    cudaGraphConditionalHandle inner;
    CHECK(cudaGraphConditionalHandleCreate(&inner, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNode_t before;
    noting(conditional(body, inner, cudaGraphCondTypeIf, 1, nullptr, &before)[0], 20);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCaptureToGraph(stream, body, &before, nullptr, 1, cudaStreamCaptureModeGlobal));
    note<<<1, 1, 0, stream>>>(list, 21);
    countdown<<<1, 1, 0, stream>>>(input, handle);
    cudaGraph_t same;
    CHECK(cudaStreamEndCapture(stream, &same));
    if (same != body) std::printf("another graph\n");
    run("while", graph, value);
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaStreamDestroy(stream));
  }
  {  // set by default and never by a kernel
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    noting(conditional(graph, handle, cudaGraphCondTypeIf, 1, nullptr)[0], 30);
    run("default", graph, 0);
    CHECK(cudaGraphDestroy(graph));
  }
  CHECK(cudaFree(list));
  CHECK(cudaFree(input));
}
