// The driver API beside the runtime: a module of PTX, its kernel and variable, copies and fills, events, and memory
// that both APIs share.
// nvcc: -lcuda
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                          \
  do {                                                       \
    if (const CUresult code = (call); code != CUDA_SUCCESS) { \
      const char* name = nullptr;                            \
      cuGetErrorName(code, &name);                           \
      std::printf("%s: %s\n", #call, name);                  \
      std::exit(1);                                          \
    }                                                        \
  } while (0)

const char* const kPtx = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .f32 factor = 0f40000000;
.visible .entry scale(.param .u64 data, .param .u32 count)
{
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .f32 %f<3>;
  .reg .b64 %d<5>;
  ld.param.u64 %d1, [data];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p, %r5, %r1;
  @%p bra done;
  cvta.to.global.u64 %d2, %d1;
  mul.wide.u32 %d3, %r5, 4;
  add.s64 %d4, %d2, %d3;
  ld.global.f32 %f1, [%d4];
  ld.global.f32 %f2, [factor];
  mul.f32 %f1, %f1, %f2;
  st.global.f32 [%d4], %f1;
done:
  ret;
}
)";

__global__ void add_one(float* data, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] += 1;
}

int main() {
  int count = 1000, devices = 0, major = 0;
  CUdeviceptr early = 0;
  std::printf("before cuInit: %s\n", cuMemAlloc(&early, 4) == CUDA_ERROR_NOT_INITIALIZED ? "not initialised" : "?");
  CHECK(cuInit(0));
  std::printf("no context: %s\n", cuMemAlloc(&early, 4) == CUDA_ERROR_INVALID_CONTEXT ? "invalid context" : "?");
  CHECK(cuDeviceGetCount(&devices));
  CUdevice device;
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  std::printf("a device: %d, compute capability at least 7: %d\n", devices > 0, major >= 7);
  CUcontext context;
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));

  CUmodule module;
  CHECK(cuModuleLoadData(&module, kPtx));
  CUfunction scale, none;
  CHECK(cuModuleGetFunction(&scale, module, "scale"));
  std::printf("no such kernel: %s\n", cuModuleGetFunction(&none, module, "nothing") == CUDA_ERROR_NOT_FOUND ? "not found" : "?");

  CUdeviceptr data;
  CHECK(cuMemAlloc(&data, count * sizeof(float)));
  CHECK(cuMemsetD32(data, 0x3f800000, count));  // 1.0f
  void* arguments[] = {&data, &count};
  CUstream stream;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CUevent start, end;
  CHECK(cuEventCreate(&start, CU_EVENT_DEFAULT));
  CHECK(cuEventCreate(&end, CU_EVENT_DEFAULT));
  CHECK(cuCtxSynchronize());
  CHECK(cuEventRecord(start, stream));
  CHECK(cuLaunchKernel(scale, (count + 255) / 256, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr));
  CHECK(cuEventRecord(end, stream));
  CHECK(cuStreamSynchronize(stream));
  float milliseconds = -1;
  CHECK(cuEventElapsedTime(&milliseconds, start, end));
  std::printf("time passed: %d\n", milliseconds > 0);

  // The variable of the module, and arguments in one buffer.
  CUdeviceptr factor;
  size_t factor_bytes;
  CHECK(cuModuleGetGlobal(&factor, &factor_bytes, module, "factor"));
  const float ten = 10;
  CHECK(cuMemcpyHtoD(factor, &ten, factor_bytes));
  struct { CUdeviceptr data; int count; } packed{data, count};
  size_t packed_bytes = sizeof packed;  // with the padding at its end: too many
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &packed_bytes, CU_LAUNCH_PARAM_END};
  std::printf("padded buffer: %s\n", cuLaunchKernel(scale, (count + 255) / 256, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra) ==
                                             CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
                                         ? "out of resources"
                                         : "?");
  packed_bytes = offsetof(decltype(packed), count) + sizeof(int);
  CHECK(cuLaunchKernel(scale, (count + 255) / 256, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra));
  add_one<<<(count + 255) / 256, 256>>>(reinterpret_cast<float*>(data), count);  // the runtime, same memory
  CHECK(cuCtxSynchronize());
  std::vector<float> host(count);
  CHECK(cuMemcpyDtoH(host.data(), data, count * sizeof(float)));
  std::printf("first %g, last %g, variable of %zu bytes\n", host[0], host[count - 1], factor_bytes);

  // A pitched copy, part of a matrix.
  CUdeviceptr matrix;
  size_t pitch;
  CHECK(cuMemAllocPitch(&matrix, &pitch, 10 * sizeof(int), 6, 4));
  CHECK(cuMemsetD2D32(matrix, pitch, 7, 10, 6));
  int part[3][4] = {};
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE, copy.srcDevice = matrix, copy.srcPitch = pitch;
  copy.srcXInBytes = 2 * sizeof(int), copy.srcY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = part, copy.dstPitch = sizeof part[0];
  copy.WidthInBytes = sizeof part[0], copy.Height = 3;
  CHECK(cuMemcpy2D(&copy));
  std::printf("part of the matrix: %d %d\n", part[0][0], part[2][3]);

  CUresult (*alloc)(CUdeviceptr*, size_t) = nullptr;
  CUdriverProcAddressQueryResult status;
  CHECK(cuGetProcAddress("cuMemAlloc", reinterpret_cast<void**>(&alloc), 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status));
  CUdeviceptr more;
  CHECK(alloc(&more, 64));
  for (CUdeviceptr each : {data, matrix, more}) CHECK(cuMemFree(each));
  CHECK(cuModuleUnload(module));
  CHECK(cuStreamDestroy(stream));
  CHECK(cuEventDestroy(start));
  CHECK(cuEventDestroy(end));
  CHECK(cuDevicePrimaryCtxRelease(device));
  std::printf("done\n");
}
