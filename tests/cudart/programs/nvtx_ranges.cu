// NVTX, which profilers read: ranges and marks of the header nvtx3 do nothing where no tool listens.
// golden: none
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdio>

__global__ void fill(int* p) { p[threadIdx.x] = threadIdx.x; }

int main() {
  nvtxInitialize(nullptr);
  nvtxNameOsThreadA(1, "the only thread");
  const nvtxDomainHandle_t domain = nvtxDomainCreateA("transpose");
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = "fill";
  nvtxRangePushA("whole");
  const nvtxRangeId_t range = nvtxDomainRangeStartEx(domain, &attributes);
  int *p, back[32];
  cudaMalloc(&p, sizeof back);
  fill<<<1, 32>>>(p);
  nvtxMarkA("launched");
  cudaMemcpy(back, p, sizeof back, cudaMemcpyDeviceToHost);
  nvtxDomainRangeEnd(domain, range);
  nvtxRangePop();
  nvtxDomainDestroy(domain);
  std::printf("%d\n", back[31]);
  return cudaFree(p) != cudaSuccess || back[31] != 31;
}
