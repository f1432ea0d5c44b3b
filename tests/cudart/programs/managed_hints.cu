// Managed memory remembers what the program says of it: advice, places, prefetches, part by part.
// golden: none
#include <cuda_runtime.h>

#include <cstdio>

#define CHECK(call) \
  if (const cudaError_t code = (call)) return std::printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(code)), 1
#define EXPECT(what) \
  if (!(what)) return std::printf("line %d: not so: %s\n", __LINE__, #what), 1

#if CUDART_VERSION >= 13000
cudaMemLocation place(int device) {
  return {device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, device == cudaCpuDeviceId ? 0 : device};
}
cudaError_t prefetch(const void* at, size_t bytes, int device) { return cudaMemPrefetchAsync(at, bytes, place(device), 0, 0); }
#else
int place(int device) { return device; }
cudaError_t prefetch(const void* at, size_t bytes, int device) { return cudaMemPrefetchAsync(at, bytes, device, 0); }
#endif

int attribute(cudaMemRangeAttribute which, const void* at, size_t bytes) {
  int value = -99;
  cudaMemRangeGetAttribute(&value, sizeof value, which, at, bytes);
  return value;
}

int main() {
  constexpr size_t kBytes = 1 << 20, kHalf = kBytes / 2;
  char *data, *device;
  CHECK(cudaMallocManaged(&data, kBytes));
  CHECK(cudaMalloc(&device, kBytes));
  EXPECT(attribute(cudaMemRangeAttributeReadMostly, data, kBytes) == 0);
  EXPECT(attribute(cudaMemRangeAttributePreferredLocation, data, kBytes) == cudaInvalidDeviceId);
  EXPECT(attribute(cudaMemRangeAttributeLastPrefetchLocation, data, kBytes) == cudaInvalidDeviceId);

  CHECK(cudaMemAdvise(data, kHalf, cudaMemAdviseSetReadMostly, place(0)));
  EXPECT(attribute(cudaMemRangeAttributeReadMostly, data, kHalf) == 1);
  EXPECT(attribute(cudaMemRangeAttributeReadMostly, data, kHalf + 4096) == 0);
  CHECK(cudaMemAdvise(data, kBytes, cudaMemAdviseSetPreferredLocation, place(0)));
  CHECK(cudaMemAdvise(data + kHalf, kHalf, cudaMemAdviseSetPreferredLocation, place(cudaCpuDeviceId)));
  EXPECT(attribute(cudaMemRangeAttributePreferredLocation, data, kHalf) == 0);
  EXPECT(attribute(cudaMemRangeAttributePreferredLocation, data + kHalf, kHalf) == cudaCpuDeviceId);
  EXPECT(attribute(cudaMemRangeAttributePreferredLocation, data, kBytes) == cudaInvalidDeviceId);
  CHECK(cudaMemAdvise(data, kBytes, cudaMemAdviseUnsetPreferredLocation, place(0)));
  EXPECT(attribute(cudaMemRangeAttributePreferredLocation, data, kHalf) == cudaInvalidDeviceId);

  CHECK(cudaMemAdvise(data, kBytes, cudaMemAdviseSetAccessedBy, place(0)));
  CHECK(cudaMemAdvise(data, kHalf, cudaMemAdviseSetAccessedBy, place(cudaCpuDeviceId)));
  int readers[3];
  CHECK(cudaMemRangeGetAttribute(readers, sizeof readers, cudaMemRangeAttributeAccessedBy, data, kHalf));
  EXPECT(readers[0] == 0 && readers[1] == cudaCpuDeviceId && readers[2] == cudaInvalidDeviceId);
  CHECK(cudaMemRangeGetAttribute(readers, sizeof readers, cudaMemRangeAttributeAccessedBy, data, kBytes));
  EXPECT(readers[0] == 0 && readers[1] == cudaInvalidDeviceId);

  CHECK(prefetch(data, kBytes, 0));
  int last = -99, mostly = -99;
  void* values[] = {&last, &mostly};
  size_t bytes[] = {sizeof last, sizeof mostly};
  cudaMemRangeAttribute which[] = {cudaMemRangeAttributeLastPrefetchLocation, cudaMemRangeAttributeReadMostly};
  CHECK(cudaMemRangeGetAttributes(values, bytes, which, 2, data, kBytes));
  EXPECT(last == 0 && mostly == 0);

  EXPECT(cudaMemRangeGetAttribute(&last, sizeof last, which[0], device, kBytes) == cudaErrorInvalidValue);
  EXPECT(cudaMemRangeGetAttribute(&last, 2, which[0], data, kBytes) == cudaErrorInvalidValue);
  EXPECT(prefetch(data, kBytes + 1, 0) == cudaErrorInvalidValue);
  EXPECT(prefetch(data, kBytes, 7) == cudaErrorInvalidDevice);
  CHECK(cudaFree(data));
  CHECK(cudaMallocManaged(&data, kBytes));  // new memory has no hints
  EXPECT(attribute(cudaMemRangeAttributeLastPrefetchLocation, data, kBytes) == cudaInvalidDeviceId);
  CHECK(cudaFree(data));
  CHECK(cudaFree(device));
  std::printf("ok\n");
  return 0;
}
