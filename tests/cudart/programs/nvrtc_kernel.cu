// A kernel compiled while the program runs, for the GPU at hand, and loaded through the driver API.
// nvcc: -lcuda -lnvrtc
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <string>
#include <vector>

const char* const kSource = R"(
template <int N> __device__ int power(int x) { return x * power<N - 1>(x); }
template <> __device__ int power<0>(int) { return 1; }
extern "C" __global__ void cubes(int* out) { out[threadIdx.x] = power<3>(threadIdx.x); }
)";

int main() {
  cuInit(0);
  CUdevice device;
  CUcontext context;
  cuDeviceGet(&device, 0);
  cuDevicePrimaryCtxRetain(&context, device);
  cuCtxSetCurrent(context);
  int major = 0, minor = 0;
  cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  nvrtcProgram program;
  nvrtcCreateProgram(&program, kSource, "cubes.cu", 0, nullptr, nullptr);
  const std::string arch = "--gpu-architecture=sm_" + std::to_string(10 * major + minor);
  const char* options[] = {arch.c_str(), "--std=c++17"};
  if (nvrtcCompileProgram(program, 2, options) != NVRTC_SUCCESS) return std::printf("does not compile\n"), 1;
  size_t size = 0;
  nvrtcGetCUBINSize(program, &size);
  std::vector<char> image(size);
  nvrtcGetCUBIN(program, image.data());
  nvrtcDestroyProgram(&program);
  CUmodule module;
  CUfunction cubes;
  if (cuModuleLoadData(&module, image.data()) != CUDA_SUCCESS) return std::printf("does not load\n"), 1;
  cuModuleGetFunction(&cubes, module, "cubes");
  CUdeviceptr out;
  cuMemAlloc(&out, 32 * sizeof(int));
  void* arguments[] = {&out};
  cuLaunchKernel(cubes, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr);
  std::vector<int> host(32);
  cuMemcpyDtoH(host.data(), out, 32 * sizeof(int));
  std::printf("3 cubed is %d, 31 cubed is %d\n", host[3], host[31]);
  cuMemFree(out);
  cuModuleUnload(module);
  cuDevicePrimaryCtxRelease(device);
}
