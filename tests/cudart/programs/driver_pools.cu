// Memory pools by the driver's names, and what a stream says of itself; every answer is checked by its own arithmetic.
// nvcc: -lcuda
// golden: none
#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                   \
  do {                                                                                \
    if (const CUresult code = (call); code != CUDA_SUCCESS) {                         \
      std::printf("line %d: %s: %d\n", __LINE__, #call, static_cast<int>(code));      \
      std::exit(1);                                                                   \
    }                                                                                 \
  } while (0)
#define HOLDS(what)                                       \
  do {                                                    \
    if (!(what)) {                                        \
      std::printf("line %d: not %s\n", __LINE__, #what);  \
      std::exit(1);                                       \
    }                                                     \
  } while (0)

int main() {
  CUdevice device = 0;
  CUcontext context = nullptr;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));

  CUmemoryPool usual = nullptr, chosen = nullptr, own = nullptr;
  CHECK(cuDeviceGetDefaultMemPool(&usual, device));
  CHECK(cuDeviceGetMemPool(&chosen, device));
  HOLDS(usual == chosen);
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  CHECK(cuMemPoolCreate(&own, &properties));
  HOLDS(own != usual);
  cuuint64_t threshold = 1 << 20, read = 0;
  CHECK(cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  CHECK(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &read));
  HOLDS(read == threshold);
  CUmemLocation here{CU_MEM_LOCATION_TYPE_DEVICE, device};
  CUmemAccess_flags flags{};
  CHECK(cuMemPoolGetAccess(&flags, own, &here));
  HOLDS(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);

  CUstream stream = nullptr;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  CHECK(cuStreamIsCapturing(stream, &status));
  HOLDS(status == CU_STREAM_CAPTURE_STATUS_NONE);

  constexpr std::size_t kCount = 1000;
  CUdeviceptr a = 0, b = 0;
  CHECK(cuDeviceSetMemPool(device, own));
  CHECK(cuMemAllocAsync(&a, kCount * 4, stream));
  CHECK(cuMemAllocFromPoolAsync(&b, kCount * 4, usual, stream));
  CHECK(cuMemsetD32Async(a, 7, kCount, stream));
  CHECK(cuMemcpyDtoDAsync(b, a, kCount * 4, stream));
  std::vector<std::uint32_t> back(kCount);
  CHECK(cuMemcpyDtoHAsync(back.data(), b, kCount * 4, stream));
  CHECK(cuMemFreeAsync(a, stream));
  CHECK(cuMemFreeAsync(b, stream));
  CHECK(cuStreamSynchronize(stream));
  for (const std::uint32_t word : back) HOLDS(word == 7);
  CHECK(cuMemPoolTrimTo(own, 0));
  CHECK(cuMemPoolDestroy(own));
  CHECK(cuDeviceGetMemPool(&chosen, device));
  HOLDS(chosen == usual);
  std::puts("ok");
}
