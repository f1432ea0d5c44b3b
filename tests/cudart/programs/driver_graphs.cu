// CUDA graphs through the driver API: nodes by hand, a capture, updates of what was instantiated, conditions.
// golden: none
// nvcc: -lcuda
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

#define CHECK(call)                                                   \
  if (const CUresult code = (call)) {                                 \
    const char* name = "?";                                           \
    cuGetErrorName(code, &name);                                      \
    return std::printf("line %d: %s: %s\n", __LINE__, #call, name), 1; \
  }
#define EXPECT(what) \
  if (!(what)) return std::printf("line %d: not so: %s\n", __LINE__, #what), 1

constexpr int kCount = 64, kBytes = kCount * 4;

__global__ void add(int* data, int what) { data[threadIdx.x] += what; }
__global__ void twice(int* data, int what) { data[threadIdx.x] = 2 * data[threadIdx.x] + what; }
__global__ void count_down(cudaGraphConditionalHandle handle, int* left) { cudaGraphSetConditional(handle, --*left > 0); }

void note(void* where) { ++*static_cast<int*>(where); }

CUfunction function_of(const void* kernel) {
  cudaFunction_t found = nullptr;
  cudaGetFuncBySymbol(&found, kernel);
  return reinterpret_cast<CUfunction>(found);
}

CUDA_KERNEL_NODE_PARAMS kernel_node(const void* kernel, void** arguments) {
  CUDA_KERNEL_NODE_PARAMS p{};
  p.func = function_of(kernel);
  p.gridDimX = p.gridDimY = p.gridDimZ = p.blockDimY = p.blockDimZ = 1;
  p.blockDimX = kCount;
  p.kernelParams = arguments;
  return p;
}

CUDA_MEMCPY3D to_host(int* host, CUdeviceptr device) {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = device;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = host;
  copy.WidthInBytes = kBytes;
  copy.Height = copy.Depth = 1;
  return copy;
}

bool all_are(const int* host, int value) {
  for (int k = 0; k < kCount; ++k)
    if (host[k] != value) return false;
  return true;
}

// fill → kernel → copy → function of the host; then other parameters for each in the graph that was instantiated.
int by_hand(CUcontext context, CUstream stream, CUdeviceptr data) {
  int host[kCount] = {}, other[kCount] = {}, notes = 0, what = 5;
  void* arguments[] = {&data, &what};
  CUgraph graph;
  CUgraphExec exec;
  CUgraphNode fill_node, add_node, copy_node, host_node, empty;
  CHECK(cuGraphCreate(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS fill{data, 0, 7, 4, kCount, 1};
  CHECK(cuGraphAddMemsetNode(&fill_node, graph, nullptr, 0, &fill, context));
  CUDA_KERNEL_NODE_PARAMS kernel = kernel_node(reinterpret_cast<void*>(add), arguments);
  CHECK(cuGraphAddKernelNode(&add_node, graph, &fill_node, 1, &kernel));
  CUDA_MEMCPY3D copy = to_host(host, data);
  CHECK(cuGraphAddMemcpyNode(&copy_node, graph, &add_node, 1, &copy, context));
  CUDA_HOST_NODE_PARAMS call{note, &notes};
  CHECK(cuGraphAddHostNode(&host_node, graph, &copy_node, 1, &call));
  CHECK(cuGraphAddEmptyNode(&empty, graph, &host_node, 1));
  what = 1000;  // the node has its own copy

  size_t count = 0;
  CHECK(cuGraphGetNodes(graph, nullptr, &count));
  EXPECT(count == 5);
  CHECK(cuGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  EXPECT(count == 4);
  CUgraphNodeType type;
  CHECK(cuGraphNodeGetType(copy_node, &type));
  EXPECT(type == CU_GRAPH_NODE_TYPE_MEMCPY);
  CUDA_MEMCPY3D shown;
  CHECK(cuGraphMemcpyNodeGetParams(copy_node, &shown));
  EXPECT(shown.srcMemoryType == CU_MEMORYTYPE_DEVICE && shown.srcDevice == data && shown.dstMemoryType == CU_MEMORYTYPE_HOST &&
         shown.dstHost == host && shown.WidthInBytes == kBytes && shown.Height == 1);
  CUDA_KERNEL_NODE_PARAMS seen;
  CHECK(cuGraphKernelNodeGetParams(add_node, &seen));
  EXPECT(seen.func == kernel.func && seen.blockDimX == kCount && *static_cast<int*>(seen.kernelParams[1]) == 5);

  CHECK(cuGraphInstantiate(&exec, graph, 0));
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  EXPECT(all_are(host, 12) && notes == 1);

  // Parameters packed in a buffer, and a kernel that is named by a CUkernel.
  struct {
    CUdeviceptr data;
    int what;
  } packed{data, 1};
  size_t bytes = 12;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  kernel = kernel_node(reinterpret_cast<void*>(twice), nullptr);
  kernel.extra = extra;
  kernel.kern = reinterpret_cast<CUkernel>(kernel.func);
  kernel.func = nullptr;
  CHECK(cuGraphExecKernelNodeSetParams(exec, add_node, &kernel));
  fill.value = 3;
  CHECK(cuGraphExecMemsetNodeSetParams(exec, fill_node, &fill, context));
  copy = to_host(other, data);
  CHECK(cuGraphExecMemcpyNodeSetParams(exec, copy_node, &copy, context));
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  EXPECT(all_are(other, 7) && all_are(host, 12) && notes == 2);

  CHECK(cuGraphNodeSetEnabled(exec, add_node, 0));
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  EXPECT(all_are(other, 3));
  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphDestroy(graph));
  return 0;
}

int recorded(CUstream stream, int what, CUdeviceptr data, int* host, CUgraph* graph, bool twice_too) {
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CUstreamCaptureStatus status;
  CUgraph inside;
  size_t count;
  CHECK(cuMemsetD32Async(data, 1, kCount, stream));
  CHECK(cuStreamGetCaptureInfo(stream, &status, nullptr, &inside, nullptr, nullptr, &count));
  EXPECT(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && count == 1);
  void* arguments[] = {&data, &what};
  CHECK(cuLaunchKernel(function_of(reinterpret_cast<void*>(add)), 1, 1, 1, kCount, 1, 1, 0, stream, arguments, nullptr));
  if (twice_too)
    CHECK(cuLaunchKernel(function_of(reinterpret_cast<void*>(twice)), 1, 1, 1, kCount, 1, 1, 0, stream, arguments, nullptr));
  CHECK(cuMemcpyDtoHAsync(host, data, kBytes, stream));
  CHECK(cuStreamEndCapture(stream, graph));
  EXPECT(*graph == inside);
  return 0;
}

// A graph of the same shape takes the place of what was instantiated; another is refused, and changes nothing.
int updated(CUstream stream, CUdeviceptr data) {
  int host[kCount] = {};
  CUgraph first, second, longer;
  CUgraphExec exec;
  CUgraphExecUpdateResultInfo info;
  if (recorded(stream, 10, data, host, &first, false) || recorded(stream, 20, data, host, &second, false) ||
      recorded(stream, 30, data, host, &longer, true))
    return 1;
  CHECK(cuGraphInstantiate(&exec, first, 0));
  CHECK(cuGraphExecUpdate(exec, second, &info));
  EXPECT(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  EXPECT(all_are(host, 21));
  EXPECT(cuGraphExecUpdate(exec, longer, &info) == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT(info.result == CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED || info.result == CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  EXPECT(all_are(host, 21));

  // Nodes of the first graph are still the names of what runs.
  CUgraphNode nodes[3];
  size_t count = 3;
  CHECK(cuGraphGetNodes(first, nodes, &count));
  CUDA_MEMSET_NODE_PARAMS fill;
  CHECK(cuGraphMemsetNodeGetParams(nodes[0], &fill));
  EXPECT(fill.value == 1 && fill.width == kCount);
  fill.value = 100;
  CHECK(cuGraphExecMemsetNodeSetParams(exec, nodes[0], &fill, nullptr));
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  EXPECT(all_are(host, 120));
  CHECK(cuGraphExecDestroy(exec));
  for (CUgraph graph : {first, second, longer}) CHECK(cuGraphDestroy(graph));
  return 0;
}

// cuGraphAddNode: a loop over a condition, whose body is a kernel and a copy.
int any_nodes(CUcontext context, CUstream stream, CUdeviceptr data) {
  int host[kCount] = {}, what = 4;
  CUdeviceptr left;
  CHECK(cuMemAlloc(&left, 4));
  CHECK(cuMemsetD32(left, 3, 1));
  CHECK(cuMemsetD32(data, 0, kCount));
  CHECK(cuCtxSynchronize());  // the stream does not wait for the default one
  CUgraph graph;
  CUgraphExec exec;
  CUgraphConditionalHandle handle;
  CHECK(cuGraphCreate(&graph, 0));
  CHECK(cuGraphConditionalHandleCreate(&handle, graph, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
  CUgraphNodeParams loop{};
  loop.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  loop.conditional.handle = handle;
  loop.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
  loop.conditional.size = 1;
  loop.conditional.ctx = context;
  CUgraphNode loop_node, add_node, count_node, copy_node;
  CHECK(cuGraphAddNode(&loop_node, graph, nullptr, nullptr, 0, &loop));
  const CUgraph body = loop.conditional.phGraph_out[0];
  CUgraphNodeParams kernel{};
  void* arguments[] = {&data, &what};
  kernel.type = CU_GRAPH_NODE_TYPE_KERNEL;
  const CUDA_KERNEL_NODE_PARAMS adding = kernel_node(reinterpret_cast<void*>(add), arguments);
  std::memcpy(&kernel.kernel, &adding, sizeof adding);
  CHECK(cuGraphAddNode(&add_node, body, nullptr, nullptr, 0, &kernel));
  void* of_count[] = {&handle, &left};
  CUDA_KERNEL_NODE_PARAMS counting = kernel_node(reinterpret_cast<void*>(count_down), of_count);
  counting.blockDimX = 1;
  std::memcpy(&kernel.kernel, &counting, sizeof counting);
  CHECK(cuGraphAddNode(&count_node, body, &add_node, nullptr, 1, &kernel));
  CUgraphNodeParams copy{};
  copy.type = CU_GRAPH_NODE_TYPE_MEMCPY;
  copy.memcpy.copyCtx = context;
  copy.memcpy.copyParams = to_host(host, data);
  CHECK(cuGraphAddNode(&copy_node, graph, &loop_node, nullptr, 1, &copy));
  CHECK(cuGraphInstantiate(&exec, graph, 0));
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  EXPECT(all_are(host, 12));
  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphDestroy(graph));
  CHECK(cuMemFree(left));
  return 0;
}

// Many copies in one call, and pools by place.
int batch(CUstream stream, CUdeviceptr data) {
  int first[kCount], second[kCount], back[kCount] = {};
  for (int k = 0; k < kCount; ++k) first[k] = second[k] = k;
  void* to[] = {reinterpret_cast<void*>(data), reinterpret_cast<void*>(data + kBytes / 2)};
  const void* from[] = {first, second};
  size_t bytes[] = {kBytes / 2, kBytes / 2}, at = 0;
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
#if CUDART_VERSION >= 13000
  EXPECT(cudaMemcpyBatchAsync(to, from, bytes, 2, &attributes, &at, 1, nullptr) == cudaErrorInvalidValue);
  EXPECT(cudaMemcpyBatchAsync(to, from, bytes, 2, &attributes, &at, 1, stream) == cudaSuccess);
  std::memset(first, 0, sizeof first);  // read before the call returned
  CHECK(cuMemcpyDtoHAsync(back, data, kBytes, stream));
  CHECK(cuStreamSynchronize(stream));
  EXPECT(back[1] == 1 && back[kCount / 2 - 1] == kCount / 2 - 1 && back[kCount / 2] == 0 && back[kCount - 1] == kCount / 2 - 1);
  CUmemLocation here{};
  here.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemoryPool pool, same;
  CHECK(cuMemGetDefaultMemPool(&pool, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
  CHECK(cuDeviceGetDefaultMemPool(&same, 0));
  EXPECT(pool == same);
  CHECK(cuMemGetMemPool(&pool, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
  EXPECT(pool == same);
#else
  (void)to, (void)from, (void)bytes, (void)at, (void)back, (void)stream;
#endif
  return 0;
}

int main() {
  CUdevice device;
  CUcontext context;
  CUstream stream;
  CUdeviceptr data;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuMemAlloc(&data, kBytes));
  if (by_hand(context, stream, data) || updated(stream, data) || any_nodes(context, stream, data) || batch(stream, data)) return 1;
  CHECK(cuMemFree(data));
  CHECK(cuStreamDestroy(stream));
  std::printf("ok\n");
  return 0;
}
