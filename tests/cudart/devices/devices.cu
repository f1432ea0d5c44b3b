// Several GPUs in one program, a case for each argument. Those that begin with `wrong` hold a mistake; test_devices.py
// says what must be reported for each, and how much goes over the link. A right case prints `right`.
// golden: none
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

static const int kElements = 4096;
static const size_t kBytes = kElements * sizeof(int);

#define EXPECT(what)                                       \
  do {                                                     \
    if (!(what)) {                                         \
      std::printf("line %d: not so: %s\n", __LINE__, #what); \
      std::exit(1);                                        \
    }                                                      \
  } while (0)
#define OK(call) EXPECT((call) == cudaSuccess)
#define FAILS(call, code) EXPECT((call) == (code) && cudaGetLastError() == (code))

__device__ int factor = 1;
__constant__ int offset_of_gpu;
__managed__ int everyones;

__global__ void fill(int* to, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = value + i;
}
__global__ void copy(int* to, const int* from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];  // here a GPU meets another's memory
}
__global__ void scale(int* to) { to[threadIdx.x] = factor * 10 + offset_of_gpu; }
__global__ void count_up() { everyones += 1; }
__global__ void add_to(int* sum) { atomicAdd(sum + threadIdx.x % 8, 1); }
__global__ void every_second(int* to) { to[2 * threadIdx.x] = 1; }
__global__ void through_shared(int* to, const int* from) {
  __shared__ int tile[256];
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x]));
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from + i));
  asm volatile("cp.async.wait_all;" ::: "memory");
  to[i] = tile[threadIdx.x];
}
// 32 of 64 columns.
__global__ void half_of_rows(int* to, int first) {
  to[blockIdx.x * 64 + first + threadIdx.x] = first;
}
extern __shared__ int large[];
__global__ void uses_large(int* to) {
  large[threadIdx.x + 15000] = 1;
  to[threadIdx.x] = large[threadIdx.x + 15000];
}

struct Gpu {
  int* data = nullptr;
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
};
static Gpu gpu[2];

static void enable(int from, int to) {
  OK(cudaSetDevice(from));
  OK(cudaDeviceEnablePeerAccess(to, 0));
}
static void fill_on(int g, int* to, int value) {
  OK(cudaSetDevice(g));
  fill<<<kElements / 256, 256, 0, gpu[g].stream>>>(to, value);
  OK(cudaGetLastError());
}
static void copy_on(int g, int* to, const int* from) {
  OK(cudaSetDevice(g));
  copy<<<kElements / 256, 256, 0, gpu[g].stream>>>(to, from);
}
static void wait_for_both() {
  for (int g = 0; g < 2; ++g) {
    OK(cudaSetDevice(g));
    OK(cudaDeviceSynchronize());
  }
}
static bool holds(const int* data, int value) {
  std::vector<int> host(kElements);
  OK(cudaMemcpy(host.data(), data, kBytes, cudaMemcpyDefault));
  for (int i = 0; i < kElements; ++i)
    if (host[i] != value + i) return false;
  return true;
}

static void own_memory() {
  int count = 0, current = -1;
  OK(cudaGetDeviceCount(&count));
  EXPECT(count == 2);
  OK(cudaGetDevice(&current));
  EXPECT(current == 1);  // the last that main() chose
  size_t before[2], after[2], total;
  for (int g = 0; g < 2; ++g) OK((cudaSetDevice(g), cudaMemGetInfo(&before[g], &total)));
  int* more = nullptr;
  OK(cudaMalloc(&more, 1 << 20));
  for (int g = 0; g < 2; ++g) OK((cudaSetDevice(g), cudaMemGetInfo(&after[g], &total)));
  EXPECT(before[0] == after[0] && before[1] == after[1] + (1 << 20));
  cudaPointerAttributes a;
  OK(cudaPointerGetAttributes(&a, more));
  EXPECT(a.device == 1 && a.type == cudaMemoryTypeDevice);
  OK(cudaPointerGetAttributes(&a, gpu[0].data + 5));
  EXPECT(a.device == 0);
  OK(cudaSetDevice(0));
  OK(cudaFree(more));
  OK((cudaSetDevice(1), cudaMemGetInfo(&after[1], &total)));
  EXPECT(after[1] == before[1]);
  cudaDeviceProp one, two;
  OK(cudaGetDeviceProperties(&one, 0));
  OK(cudaGetDeviceProperties(&two, 1));
  EXPECT(memcmp(&one.uuid, &two.uuid, sizeof one.uuid) != 0 && one.pciBusID != two.pciBusID);
  char bus[20];
  OK(cudaDeviceGetPCIBusId(bus, sizeof bus, 1));
  OK(cudaDeviceGetByPCIBusId(&current, bus));
  EXPECT(current == 1);
  std::thread([] {
    int fresh = -1;
    OK(cudaGetDevice(&fresh));
    EXPECT(fresh == 0);  // each thread begins with GPU 0
  }).join();
}

static void errors() {
  int value = -1;
  FAILS(cudaSetDevice(2), cudaErrorInvalidDevice);
  FAILS(cudaDeviceCanAccessPeer(&value, 0, 2), cudaErrorInvalidDevice);
  OK(cudaDeviceCanAccessPeer(&value, 0, 1));
  EXPECT(value == 1);
  OK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrNativeAtomicSupported, 0, 1));
  EXPECT(value == 1);
  OK(cudaSetDevice(0));
  FAILS(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);  // as on an H200
  FAILS(cudaDeviceEnablePeerAccess(1, 1), cudaErrorInvalidValue);
  OK(cudaDeviceEnablePeerAccess(1, 0));
  FAILS(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  OK(cudaDeviceDisablePeerAccess(1));
  FAILS(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
  fill<<<1, 32, 0, gpu[1].stream>>>(gpu[1].data, 0);
  EXPECT(cudaGetLastError() == cudaErrorInvalidResourceHandle);
  FAILS(cudaEventRecord(gpu[0].event, gpu[1].stream), cudaErrorInvalidResourceHandle);
  FAILS(cudaMemcpyPeer(gpu[1].data, 0, gpu[0].data, 0, 16), cudaErrorInvalidValue);
  OK(cudaEventRecord(gpu[0].event, gpu[0].stream));
  OK(cudaEventRecord(gpu[1].event, gpu[1].stream));
  wait_for_both();
  float ms = 0;
  FAILS(cudaEventElapsedTime(&ms, gpu[0].event, gpu[1].event), cudaErrorInvalidResourceHandle);
}

static void copies() {
  fill_on(0, gpu[0].data, 7);
  wait_for_both();
  OK(cudaMemcpyPeer(gpu[1].data, 1, gpu[0].data, 0, kBytes));
  EXPECT(holds(gpu[1].data, 7));
  int *other, *third;
  OK(cudaSetDevice(1));
  OK(cudaMalloc(&other, kBytes));
  OK(cudaMalloc(&third, kBytes));
  OK(cudaMemcpyPeerAsync(other, 1, gpu[0].data, 0, kBytes, gpu[1].stream));
  OK(cudaStreamSynchronize(gpu[1].stream));
  EXPECT(holds(other, 7));
  OK(cudaMemset(other, 0, kBytes));
  OK(cudaMemcpy2D(other, 256, gpu[0].data, 256, 256, kBytes / 256, cudaMemcpyDefault));
  EXPECT(holds(other, 7));
  cudaMemcpy3DPeerParms p = {};
  p.srcPtr = make_cudaPitchedPtr(gpu[0].data, 64, 64, 8);
  p.srcDevice = 0;
  p.dstPtr = make_cudaPitchedPtr(third, 64, 64, 8);
  p.dstDevice = 1;
  p.extent = make_cudaExtent(64, 8, kBytes / 512);
  OK(cudaMemcpy3DPeer(&p));
  EXPECT(holds(third, 7));
  OK(cudaMemcpy(other, gpu[0].data, kBytes, cudaMemcpyDeviceToDevice));
  OK(cudaFree(other));
  OK(cudaFree(third));
}

static void variables() {
  int host[2][32];
  for (int g = 0; g < 2; ++g) {
    OK(cudaSetDevice(g));
    const int mine = g + 3;
    if (g == 1) OK(cudaMemcpyToSymbol(factor, &mine, sizeof mine));
    OK(cudaMemcpyToSymbol(offset_of_gpu, &g, sizeof g));
    scale<<<1, 32>>>(gpu[g].data);
    count_up<<<1, 1>>>();
    OK(cudaMemcpy(host[g], gpu[g].data, sizeof host[g], cudaMemcpyDeviceToHost));
    OK(cudaDeviceSynchronize());
  }
  EXPECT(host[0][5] == 10 && host[1][5] == 41);
  EXPECT(everyones == 2);
}

static void pool(bool opened) {
  OK(cudaSetDevice(1));
  int* data = nullptr;
  cudaMemPool_t of_one;
  OK(cudaDeviceGetDefaultMemPool(&of_one, 1));
  OK(cudaMallocAsync(&data, kBytes, gpu[1].stream));
  if (opened) {
    cudaMemAccessDesc access = {};
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = 0;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    OK(cudaMemPoolSetAccess(of_one, &access, 1));
  }
  fill_on(1, data, 3);
  OK(cudaStreamSynchronize(gpu[1].stream));
  enable(0, 1);  // which says nothing of pools
  copy_on(0, gpu[0].data, data);
  EXPECT(cudaDeviceSynchronize() == (opened ? cudaSuccess : cudaErrorIllegalAddress));
  if (!opened) return;
  EXPECT(holds(gpu[0].data, 3));
  OK(cudaFree(data));
}

__constant__ double weights[10];
__global__ void weighted(double* out, int n) {
  volatile int own[100];
  for (int k = 0; k < n; ++k) own[k] = k;
  *out = weights[n] * own[n - 1];
}

static void attributes() {
  cudaFuncAttributes a;
  OK(cudaFuncGetAttributes(&a, weighted));
  EXPECT(a.localSizeBytes == 400 && a.constSizeBytes == 84);  // of the module
}

static void driver() {
  OK(cudaSetDevice(0));
  CUcontext context[2];
  EXPECT(cuInit(0) == CUDA_SUCCESS);
  int count = 0;
  EXPECT(cuDeviceGetCount(&count) == CUDA_SUCCESS && count == 2);
  for (int g = 0; g < 2; ++g) {
    CUdevice device;
    EXPECT(cuDeviceGet(&device, g) == CUDA_SUCCESS);
    EXPECT(cuDevicePrimaryCtxRetain(&context[g], device) == CUDA_SUCCESS);
  }
  EXPECT(context[0] != context[1]);
  CUdeviceptr data[2];
  int current = -1;
  for (int g = 0; g < 2; ++g) {
    EXPECT(cuCtxPushCurrent(context[g]) == CUDA_SUCCESS);
    OK(cudaGetDevice(&current));
    EXPECT(current == g);
    EXPECT(cuMemAlloc(&data[g], kBytes) == CUDA_SUCCESS);
    EXPECT(cuMemsetD32(data[g], g + 1, kElements) == CUDA_SUCCESS);
    unsigned ordinal = 9;
    EXPECT(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, data[g]) == CUDA_SUCCESS);
    EXPECT(ordinal == unsigned(g));
    CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    unsigned type = 9;
    void* into[] = {&type, &ordinal};
    EXPECT(cuPointerGetAttributes(2, asked, into, data[g]) == CUDA_SUCCESS);
    EXPECT(type == CU_MEMORYTYPE_DEVICE && ordinal == unsigned(g));
    EXPECT(cuPointerGetAttributes(2, asked, into, CUdeviceptr(&type)) == CUDA_SUCCESS);
    EXPECT(type == 0 && int(ordinal) == -2);  // memory that CUDA does not know
    CUpointer_attribute narrow[] = {CU_POINTER_ATTRIBUTE_SYNC_MEMOPS};  // 4 bytes, and no more are written
    unsigned words[] = {7, 7};
    void* first[] = {words};
    (void)cuPointerGetAttributes(1, narrow, first, CUdeviceptr(&type));
    EXPECT(words[1] == 7);
    EXPECT(cuCtxSynchronize() == CUDA_SUCCESS);
    EXPECT(cuCtxPopCurrent(nullptr) == CUDA_SUCCESS);
  }
  OK(cudaGetDevice(&current));
  EXPECT(current == 0);
  EXPECT(cuMemcpyPeer(data[0], context[0], data[1], context[1], kBytes) == CUDA_SUCCESS);
  EXPECT(cuCtxSetCurrent(context[0]) == CUDA_SUCCESS);
  EXPECT(cuCtxEnablePeerAccess(context[1], 0) == CUDA_SUCCESS);
  EXPECT(cuCtxEnablePeerAccess(context[1], 0) == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  copy<<<kElements / 256, 256>>>(gpu[0].data, reinterpret_cast<int*>(data[1]));
  EXPECT(cuCtxSynchronize() == CUDA_SUCCESS);
  int word = 0;
  EXPECT(cuMemcpyDtoH(&word, data[0] + 40, 4) == CUDA_SUCCESS && word == 2);
  OK(cudaSetDevice(1));
  CUcontext now;
  EXPECT(cuCtxGetCurrent(&now) == CUDA_SUCCESS && now == context[1]);
  for (int g = 0; g < 2; ++g) EXPECT(cuMemFree(data[g]) == CUDA_SUCCESS);
}

static void mapped() {
  OK(cudaSetDevice(0));
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = 1;
  const size_t size = 2 << 20;
  CUmemGenericAllocationHandle handle;
  CUdeviceptr at;
  EXPECT(cuMemAddressReserve(&at, size, 0, 0, 0) == CUDA_SUCCESS);
  EXPECT(cuMemCreate(&handle, size, &properties, 0) == CUDA_SUCCESS);
  CUmemAllocationProp kept = {};
  EXPECT(cuMemGetAllocationPropertiesFromHandle(&kept, handle) == CUDA_SUCCESS && kept.location.id == 1);
  EXPECT(cuMemMap(at, size, 0, handle, 0) == CUDA_SUCCESS);
  CUmemAccessDesc access = {};
  access.location = properties.location;
  access.location.id = 0;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  EXPECT(cuMemSetAccess(at, size, &access, 1) == CUDA_SUCCESS);
  fill_on(0, reinterpret_cast<int*>(at), 9);
  OK(cudaDeviceSynchronize());
  EXPECT(holds(reinterpret_cast<int*>(at), 9));
  EXPECT(cuMemUnmap(at, size) == CUDA_SUCCESS && cuMemRelease(handle) == CUDA_SUCCESS);
  EXPECT(cuMemAddressFree(at, size) == CUDA_SUCCESS);
}

static void run(const char* name) {
  auto is = [&](const char* other) { return strcmp(name, other) == 0; };
  if (is("right_own_memory")) {
    own_memory();
  } else if (is("right_errors")) {
    errors();
  } else if (is("right_copies")) {
    copies();
  } else if (is("right_copies_linked")) {
    enable(0, 1);
    copies();
  } else if (is("right_variables")) {
    variables();
  } else if (is("right_pool")) {
    pool(true);
  } else if (is("wrong_pool")) {
    pool(false);
  } else if (is("right_driver")) {
    attributes();
    driver();
  } else if (is("right_mapped")) {
    mapped();
  } else if (is("right_peer_load")) {
    fill_on(1, gpu[1].data, 5);
    wait_for_both();
    enable(0, 1);
    copy_on(0, gpu[0].data, gpu[1].data);
    OK(cudaDeviceSynchronize());
    EXPECT(holds(gpu[0].data, 5));
  } else if (is("right_peer_store")) {
    fill_on(0, gpu[0].data, 6);
    enable(0, 1);
    copy_on(0, gpu[1].data, gpu[0].data);
    OK(cudaDeviceSynchronize());
    EXPECT(holds(gpu[1].data, 6));
  } else if (is("right_peer_halves")) {  // every other word: half of each sector is not asked for
    enable(0, 1);
    every_second<<<1, 32, 0, gpu[0].stream>>>(gpu[1].data);
  } else if (is("right_peer_atomic")) {
    OK(cudaMemset(gpu[1].data, 0, kBytes));
    wait_for_both();
    enable(0, 1);
    add_to<<<1, 32, 0, gpu[0].stream>>>(gpu[1].data);
    OK(cudaDeviceSynchronize());
    int sums[8];
    OK(cudaMemcpy(sums, gpu[1].data, sizeof sums, cudaMemcpyDefault));
    for (int sum : sums) EXPECT(sum == 4);
  } else if (is("right_peer_async")) {
    fill_on(1, gpu[1].data, 8);
    wait_for_both();
    enable(0, 1);
    through_shared<<<kElements / 256, 256, 0, gpu[0].stream>>>(gpu[0].data, gpu[1].data);
    OK(cudaDeviceSynchronize());
    EXPECT(holds(gpu[0].data, 8));
  } else if (is("wrong_no_access")) {
    fill_on(0, gpu[0].data, 5);
    copy_on(0, gpu[1].data, gpu[0].data);
    EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  } else if (is("wrong_other_way")) {
    enable(0, 1);
    fill_on(1, gpu[1].data, 5);
    copy_on(1, gpu[1].data, gpu[0].data);
    EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  } else if (is("wrong_disabled")) {
    enable(0, 1);
    OK(cudaDeviceDisablePeerAccess(1));
    copy_on(0, gpu[0].data, gpu[1].data);
    EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  } else if (is("wrong_async_no_access")) {
    fill_on(1, gpu[1].data, 8);
    wait_for_both();
    OK(cudaSetDevice(0));
    through_shared<<<kElements / 256, 256, 0, gpu[0].stream>>>(gpu[0].data, gpu[1].data);
    EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  } else if (is("wrong_copy_unordered")) {
    fill_on(0, gpu[0].data, 5);
    OK(cudaMemcpyPeerAsync(gpu[1].data, 1, gpu[0].data, 0, kBytes, gpu[1].stream));
    wait_for_both();
  } else if (is("right_copy_ordered")) {
    fill_on(0, gpu[0].data, 5);
    OK(cudaEventRecord(gpu[0].event, gpu[0].stream));
    OK(cudaStreamWaitEvent(gpu[1].stream, gpu[0].event, 0));
    OK(cudaMemcpyPeerAsync(gpu[1].data, 1, gpu[0].data, 0, kBytes, gpu[1].stream));
    wait_for_both();
  } else if (is("right_halves_of_rows") || is("wrong_halves_of_rows")) {  // both into one matrix, side by side or not
    const bool right = is("right_halves_of_rows");
    enable(0, 1);
    half_of_rows<<<kElements / 64, 32, 0, gpu[0].stream>>>(gpu[1].data, 0);
    OK(cudaSetDevice(1));
    half_of_rows<<<kElements / 64, 32, 0, gpu[1].stream>>>(gpu[1].data, right ? 32 : 31);
    wait_for_both();
  } else if (is("right_copies_of_halves") || is("wrong_copies_of_halves")) {
    const int first = is("right_copies_of_halves") ? 32 : 31;
    for (int g = 0; g < 2; ++g) {
      fill_on(g, gpu[g].data, 0);
      int* to = nullptr;
      OK(cudaMalloc(&to, kBytes));
      wait_for_both();
      for (int from = 0; from < 2; ++from)
        OK(cudaMemcpy2DAsync(to + (from == 0 ? 0 : first), 256, gpu[g].data, 256, 128, kElements / 64,
                             cudaMemcpyDefault, gpu[from].stream));
      wait_for_both();
      OK(cudaFree(to));
    }
  } else if (is("right_default_copy")) {  // in a default stream it is ordered with all work of both
    fill_on(0, gpu[0].data, 5);
    OK(cudaSetDevice(1));
    OK(cudaMemcpyPeerAsync(gpu[1].data, 1, gpu[0].data, 0, kBytes, 0));
    fill_on(0, gpu[0].data, 6);
    wait_for_both();
  } else if (is("wrong_waits_for_one")) {
    int* managed;
    OK(cudaMallocManaged(&managed, kBytes));
    fill_on(1, managed, 5);
    OK(cudaSetDevice(0));
    OK(cudaDeviceSynchronize());  // GPU 1 may still be at work
    EXPECT(managed[3] == 8);
    wait_for_both();
    OK(cudaFree(managed));
  } else if (is("right_waits_for_both")) {
    int* managed;
    OK(cudaMallocManaged(&managed, kBytes));
    fill_on(1, managed, 5);
    wait_for_both();
    EXPECT(managed[3] == 8);
    OK(cudaFree(managed));
  } else if (is("wrong_attribute_elsewhere")) {
    OK(cudaSetDevice(0));
    OK(cudaFuncSetAttribute(uses_large, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
    uses_large<<<1, 32, 64 << 10>>>(gpu[0].data);
    OK(cudaDeviceSynchronize());
    OK(cudaSetDevice(1));
    uses_large<<<1, 32, 64 << 10>>>(gpu[1].data);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  } else if (is("right_reset")) {
    fill_on(0, gpu[0].data, 5);
    wait_for_both();
    OK(cudaDeviceReset());  // of GPU 1
    gpu[1].data = nullptr;
    EXPECT(holds(gpu[0].data, 5));
  } else if (is("right_threads")) {
    std::vector<std::thread> threads;
    for (int g = 0; g < 2; ++g)
      threads.emplace_back([g] {
        fill_on(g, gpu[g].data, 20 + g);
        OK(cudaStreamSynchronize(gpu[g].stream));
      });
    for (std::thread& t : threads) t.join();
    for (int g = 0; g < 2; ++g) EXPECT(holds(gpu[g].data, 20 + g));
  } else {
    EXPECT(!"a case of this name");
  }
}

int main(int, char** words) {
  for (int g = 0; g < 2; ++g) {
    OK(cudaSetDevice(g));
    OK(cudaMalloc(&gpu[g].data, kBytes));
    OK(cudaStreamCreate(&gpu[g].stream));
    OK(cudaEventCreate(&gpu[g].event));
  }
  run(words[1]);
  for (int g = 0; g < 2; ++g) cudaFree(gpu[g].data);
  std::printf("right\n");
}
