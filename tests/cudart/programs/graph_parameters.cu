// Graphs that a program looks into and changes: nodes that a stream recorded, variables, child graphs, attributes,
// events, and objects that live as long as their graph.
// golden: none
#include <cooperative_groups.h>

#include <cstdio>
#include <vector>

#define CHECK(call) \
  if (const cudaError_t code = (call)) return std::printf("%s: %s\n", #call, cudaGetErrorString(code)), 1

#define EXPECT(what) \
  if (!(what)) return std::printf("line %d: not so: %s\n", __LINE__, #what), 1

__device__ int factor[4];

__global__ void scale(int* data, int what) { data[threadIdx.x] *= factor[threadIdx.x % 4] + what; }
__global__ void together(int* data) {
  cooperative_groups::this_grid().sync();
  data[blockIdx.x * blockDim.x + threadIdx.x] += 1000;
}

bool destroyed = false;
void destroy(void* object) {
  destroyed = true;
  delete static_cast<int*>(object);
}
void say(void* text) { std::printf("host: %s\n", static_cast<const char*>(text)); }

const char* name(cudaGraphNodeType type) {
  switch (type) {
    case cudaGraphNodeTypeKernel:
      return "kernel";
    case cudaGraphNodeTypeMemcpy:
      return "copy";
    case cudaGraphNodeTypeMemset:
      return "fill";
    case cudaGraphNodeTypeHost:
      return "host";
    case cudaGraphNodeTypeMemAlloc:
      return "alloc";
    case cudaGraphNodeTypeMemFree:
      return "free";
    default:
      return "another";
  }
}

int recorded(cudaStream_t stream, int* data) {
  int host[32];
  char text[] = "first", other[] = "second";
  void* inside = nullptr;
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMallocAsync(&inside, sizeof host, stream));
  CHECK(cudaMemsetAsync(data, 1, sizeof host, stream));
  scale<<<1, 32, 0, stream>>>(data, 2);
  CHECK(cudaMemcpyAsync(host, data, sizeof host, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaLaunchHostFunc(stream, say, text));
  CHECK(cudaFreeAsync(inside, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));

  std::size_t count = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &count));
  std::vector<cudaGraphNode_t> nodes(count);
  EXPECT(count == 6);
  int seen = 0;
  CHECK(cudaGraphGetNodes(graph, nodes.data(), &count));
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type;
    CHECK(cudaGraphNodeGetType(node, &type));
    seen |= 1 << type;
    std::printf("%s", name(type));
    if (type == cudaGraphNodeTypeKernel) {
      cudaKernelNodeParams p;
      CHECK(cudaGraphKernelNodeGetParams(node, &p));
      EXPECT(p.blockDim.x == 32 && *static_cast<int*>(p.kernelParams[1]) == 2);
      std::printf(": %u threads, what = %d", p.blockDim.x, *static_cast<int*>(p.kernelParams[1]));
      int what = 40;
      void* arguments[] = {p.kernelParams[0], &what};
      p.kernelParams = arguments;
      CHECK(cudaGraphKernelNodeSetParams(node, &p));
    } else if (type == cudaGraphNodeTypeMemset) {
      cudaMemsetParams p;
      CHECK(cudaGraphMemsetNodeGetParams(node, &p));
      EXPECT(p.value == 1 && p.width * p.elementSize == sizeof host && p.height == 1);
      std::printf(": value %u, %zu elements of %u bytes, %zu rows", p.value, p.width, p.elementSize, p.height);
      p.value = 2;
      CHECK(cudaGraphMemsetNodeSetParams(node, &p));
    } else if (type == cudaGraphNodeTypeMemcpy) {
      cudaMemcpy3DParms p;
      CHECK(cudaGraphMemcpyNodeGetParams(node, &p));
      EXPECT(p.srcPtr.ptr == data && p.dstPtr.ptr == host && p.extent.width == sizeof host);
      std::printf(": %zu x %zu x %zu, %s", p.extent.width, p.extent.height, p.extent.depth,
                  p.srcPtr.ptr == data && p.dstPtr.ptr == host ? "from data to host" : "elsewhere");
    } else if (type == cudaGraphNodeTypeHost) {
      cudaHostNodeParams p;
      CHECK(cudaGraphHostNodeGetParams(node, &p));
      EXPECT(p.userData == text);
      std::printf(": says %s", static_cast<const char*>(p.userData));
      p.userData = other;
      CHECK(cudaGraphHostNodeSetParams(node, &p));
    } else if (type == cudaGraphNodeTypeMemAlloc) {
      cudaMemAllocNodeParams p;
      CHECK(cudaGraphMemAllocNodeGetParams(node, &p));
      EXPECT(p.dptr == inside && p.bytesize == sizeof host);
      std::printf(": %zu bytes, %s", p.bytesize, p.dptr == inside ? "the same address" : "another address");
    } else if (type == cudaGraphNodeTypeMemFree) {
      void* pointer = nullptr;
      CHECK(cudaGraphMemFreeNodeGetParams(node, &pointer));
      EXPECT(pointer == inside);
      std::printf(": %s", pointer == inside ? "the same address" : "another address");
    }
    std::printf("\n");
  }
  EXPECT(seen == (1 << cudaGraphNodeTypeKernel | 1 << cudaGraphNodeTypeMemcpy | 1 << cudaGraphNodeTypeMemset |
                  1 << cudaGraphNodeTypeHost | 1 << cudaGraphNodeTypeMemAlloc | 1 << cudaGraphNodeTypeMemFree));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("changed before: %d\n", host[31]);
  EXPECT(host[31] == 0x02020202 * 40);  // the factors are still zero
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  return 0;
}

int variables(cudaStream_t stream) {
  const int first[4] = {1, 2, 3, 4}, second[2] = {50, 60};
  int back[4] = {};
  cudaGraph_t graph;
  cudaGraphNode_t to, from;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, factor, first, sizeof first, 0,
                                       cudaMemcpyHostToDevice));
  CHECK(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, back, factor, sizeof back, 0,
                                         cudaMemcpyDeviceToHost));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("variable: %d %d %d %d\n", back[0], back[1], back[2], back[3]);
  EXPECT(back[0] == 1 && back[3] == 4);
  CHECK(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, to, factor, second, sizeof second, 8,
                                                 cudaMemcpyHostToDevice));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("variable: %d %d %d %d\n", back[0], back[1], back[2], back[3]);
  EXPECT(back[0] == 1 && back[2] == 50 && back[3] == 60);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  return 0;
}

int children(cudaStream_t stream, int* data) {
  int host[64];
  cudaGraph_t inner, outer, own;
  cudaGraphNode_t fill, child, kernel, copy, record;
  CHECK(cudaGraphCreate(&inner, 0));
  CHECK(cudaGraphCreate(&outer, 0));
  cudaMemsetParams zero{};
  zero.dst = data, zero.elementSize = 4, zero.width = 64, zero.height = 1;
  CHECK(cudaGraphAddMemsetNode(&fill, inner, nullptr, 0, &zero));
  CHECK(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, inner));
  CHECK(cudaGraphChildGraphNodeGetGraph(child, &own));
  std::printf("the child is %s graph\n", own == inner ? "the same" : "its own");
  EXPECT(own != inner);
  std::size_t count = 1;
  cudaGraphNode_t of_own;
  CHECK(cudaGraphGetNodes(own, &of_own, &count));
  zero.value = 7;
  CHECK(cudaGraphMemsetNodeSetParams(of_own, &zero));
  cudaKernelNodeParams p{};
  void* arguments[] = {&data};
  p.func = reinterpret_cast<void*>(together);
  p.gridDim = 2, p.blockDim = 32, p.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&kernel, outer, &child, 1, &p));
  cudaLaunchAttributeValue value{};
  value.cooperative = 1;
  CHECK(cudaGraphKernelNodeSetAttribute(kernel, cudaLaunchAttributeCooperative, &value));
  value = {};
  CHECK(cudaGraphKernelNodeGetAttribute(kernel, cudaLaunchAttributeCooperative, &value));
  std::printf("cooperative: %d\n", value.cooperative);
  EXPECT(value.cooperative == 1);
  cudaEvent_t one, two, seen;
  CHECK(cudaEventCreate(&one));
  CHECK(cudaEventCreate(&two));
  CHECK(cudaGraphAddEventRecordNode(&record, outer, &kernel, 1, one));
  CHECK(cudaGraphEventRecordNodeSetEvent(record, two));
  CHECK(cudaGraphEventRecordNodeGetEvent(record, &seen));
  std::printf("the event is %s\n", seen == two ? "the second" : "the first");
  EXPECT(seen == two);
  CHECK(cudaGraphAddMemcpyNode1D(&copy, outer, &record, 1, host, data, sizeof host, cudaMemcpyDeviceToHost));

  int* object = new int(3);
  cudaUserObject_t held;
  CHECK(cudaUserObjectCreate(&held, object, destroy, 1, cudaUserObjectNoDestructorSync));
  CHECK(cudaGraphRetainUserObject(outer, held, 1, cudaGraphUserObjectMove));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, outer, 0));
  CHECK(cudaGraphDestroy(inner));
  CHECK(cudaGraphDestroy(outer));
  std::printf("with the graph that was instantiated the object %s\n", destroyed ? "is gone" : "lives");
  EXPECT(!destroyed);
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("7 and 1000: %d %d\n", host[0], host[63]);
  EXPECT(host[0] == 1007 && host[63] == 1007);
  CHECK(cudaGraphExecDestroy(exec));
  for (int k = 0; k < 1000000 && !destroyed; ++k) CHECK(cudaStreamQuery(stream));
  std::printf("without it the object %s\n", destroyed ? "is gone" : "lives");
  EXPECT(destroyed);
  CHECK(cudaEventDestroy(one));
  CHECK(cudaEventDestroy(two));
  return 0;
}

int main() {
  int* data;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&data, 64 * sizeof(int)));
  if (recorded(stream, data) + variables(stream) + children(stream, data) != 0) return 1;
  CHECK(cudaFree(data));
  CHECK(cudaStreamDestroy(stream));
}
