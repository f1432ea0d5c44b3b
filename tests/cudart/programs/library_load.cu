// Kernels from PTX by the runtime's own calls; edges, events and switched-off nodes of graphs that hold them.
// golden: none
#include <cstdio>

#define CHECK(call) \
  if (const cudaError_t code = (call)) return std::printf("%s: %s\n", #call, cudaGetErrorString(code)), 1

constexpr char kPtx[] = R"(.version 7.0
.target sm_70
.address_size 64
.visible .global .u32 seen;
.visible .entry put(.param .u64 to, .param .u32 what) {
  .reg .b64 %at;
  .reg .b32 %value;
  ld.param.u64 %at, [to];
  ld.param.u32 %value, [what];
  st.global.u32 [%at], %value;
  st.global.u32 [seen], %value;
  ret;
})";

int main() {
  cudaLibrary_t library;
  cudaKernel_t kernel;
  CHECK(cudaLibraryLoadData(&library, kPtx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CHECK(cudaLibraryGetKernel(&kernel, library, "put"));
  int *data, *seen, what = 7, host = 0;
  size_t bytes = 0;
  CHECK(cudaMalloc(&data, sizeof host));
  void* arguments[] = {&data, &what};
  CHECK(cudaLaunchKernel(reinterpret_cast<void*>(kernel), 1, 1, arguments, 0, nullptr));
  CHECK(cudaLibraryGetGlobal(reinterpret_cast<void**>(&seen), &bytes, library, "seen"));
  CHECK(cudaMemcpy(&host, seen, bytes, cudaMemcpyDeviceToHost));
  if (host != 7) return std::printf("%d, not 7\n", host), 1;
  if (cudaLibraryGetKernel(&kernel, library, "none") != cudaErrorSymbolNotFound) return std::printf("found\n"), 1;
  cudaGetLastError();

  cudaGraph_t graph;
  cudaGraphNode_t fill, mark;
  cudaGraphExec_t exec;
  cudaEvent_t event;
  cudaMemsetParams zero{};
  zero.dst = data, zero.elementSize = 4, zero.width = 1, zero.height = 1;
  CHECK(cudaEventCreate(&event));
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &zero));
  CHECK(cudaGraphAddEventRecordNode(&mark, graph, &fill, 1, event));
  cudaGraphInstantiateParams how{};
  CHECK(cudaGraphInstantiateWithParams(&exec, graph, &how));
  unsigned on = 1;
  CHECK(cudaGraphNodeSetEnabled(exec, fill, 0));
  CHECK(cudaGraphNodeGetEnabled(exec, fill, &on));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaEventSynchronize(event));
  CHECK(cudaMemcpy(&host, data, sizeof host, cudaMemcpyDeviceToHost));
  if (on != 0 || host != 7) return std::printf("%u, %d: the node was not off\n", on, host), 1;
  CHECK(cudaGraphNodeSetEnabled(exec, fill, 1));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaMemcpy(&host, data, sizeof host, cudaMemcpyDeviceToHost));
  if (host != 0) return std::printf("%d, not 0\n", host), 1;
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaEventDestroy(event));
  CHECK(cudaFree(data));
  CHECK(cudaLibraryUnload(library));
  std::printf("all as it should be\n");
}
