// Times of kernel files of the course against a copy of the same bytes, in one run: the steps of chapter 15, and the solutions before it.
//
// Place in the flow: steps.py compiles kernels to cubins and starts this program, bare or under the profiler. Enters: "time" or "once", rows, cols,
// cubins. Leaves: a row each: right or not, microseconds (median of 15 samples that take turns), registers, blocks on a multiprocessor.
#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#define CALL(what)                                                                     \
  do {                                                                                 \
    if (const CUresult code = (what); code != CUDA_SUCCESS) {                          \
      const char* name = "";                                                           \
      cuGetErrorName(code, &name);                                                     \
      return std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, name), 1;         \
    }                                                                                  \
  } while (0)

__global__ void fill(unsigned* in, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) in[i] = unsigned(i);
}
__global__ void compare(const unsigned* out, int rows, int cols, unsigned long long* wrong) {
  const size_t n = size_t(rows) * cols;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
    if (out[i] != unsigned(i % rows * cols + i / rows)) atomicAdd(wrong, 1ull);
}

struct Kernel {
  std::string name;
  CUfunction function = nullptr;
  unsigned gx = 1, gy = 1, bx = 1, by = 1;
  int registers = 0, resident = 0;
  bool right = false;
  std::vector<float> microseconds;
};

int main(int argc, char** argv) {
  if (argc < 5) return std::fputs("usage: steps time|once ROWS COLS CUBIN …\n", stderr), 2;
  const bool once = std::strcmp(argv[1], "once") == 0;
  int rows = std::atoi(argv[2]), cols = std::atoi(argv[3]);
  const std::size_t elems = std::size_t(rows) * cols, bytes = 4 * elems;
  CUdevice device;
  CUcontext context;
  CALL(cuInit(0));
  CALL(cuDeviceGet(&device, 0));
  CALL(cuDevicePrimaryCtxRetain(&context, device));
  CALL(cuCtxSetCurrent(context));
  CUdeviceptr in = 0, out = 0;
  CALL(cuMemAlloc(&in, bytes));
  CALL(cuMemAlloc(&out, bytes));
  CUdeviceptr count = 0;
  CALL(cuMemAlloc(&count, 8));
  if (!once) fill<<<1056, 256>>>(reinterpret_cast<unsigned*>(in), elems);

  void* args[] = {&out, &in, &rows, &cols};
  std::vector<Kernel> kernels;
  for (int i = 4; i < argc; ++i) {
    Kernel k;
    k.name = argv[i];
    CUmodule module;
    CUdeviceptr shape_at;
    std::size_t shape_bytes;
    int s[7];
    CALL(cuModuleLoad(&module, argv[i]));
    CALL(cuModuleGetFunction(&k.function, module, "transpose"));
    CALL(cuModuleGetGlobal(&shape_at, &shape_bytes, module, "lab_launch_shape"));
    CALL(cuMemcpyDtoH(s, shape_at, sizeof s));
    const unsigned across = (cols + s[4] - 1) / s[4], down = (rows + s[3] - 1) / s[3];
    k.gx = s[5] ? across : down, k.gy = s[5] ? down : across, k.bx = s[1], k.by = s[2];
    CALL(cuFuncGetAttribute(&k.registers, CU_FUNC_ATTRIBUTE_NUM_REGS, k.function));
    CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor(&k.resident, k.function, s[1] * s[2], s[6]));
    CALL(cuMemsetD8(out, 0xee, bytes));
    CALL(cuLaunchKernel(k.function, k.gx, k.gy, 1, k.bx, k.by, 1, s[6], nullptr, args, nullptr));
    CALL(cuCtxSynchronize());
    if (!once) {
      unsigned long long wrong = 0;
      CALL(cuMemcpyHtoD(count, &wrong, 8));
      compare<<<1056, 256>>>(reinterpret_cast<unsigned*>(out), rows, cols, reinterpret_cast<unsigned long long*>(count));
      CALL(cuMemcpyDtoH(&wrong, count, 8));
      k.right = wrong == 0;
    }
    kernels.push_back(k);
  }
  if (once) return 0;

  CUevent begin, end;
  CALL(cuEventCreate(&begin, CU_EVENT_DEFAULT));
  CALL(cuEventCreate(&end, CU_EVENT_DEFAULT));
  Kernel copy;
  copy.name = "copy", copy.right = true;
  kernels.insert(kernels.begin(), copy);
  for (int sample = -2; sample < 15; ++sample) {
    for (Kernel& k : kernels) {
      constexpr int kRepeat = 6;
      for (int i = -1; i < kRepeat; ++i) {
        if (i == 0) CALL(cuEventRecord(begin, nullptr));
        if (k.function == nullptr) CALL(cuMemcpyDtoDAsync(out, in, bytes, nullptr));
        else CALL(cuLaunchKernel(k.function, k.gx, k.gy, 1, k.bx, k.by, 1, 0, nullptr, args, nullptr));
      }
      CALL(cuEventRecord(end, nullptr));
      CALL(cuEventSynchronize(end));
      float milliseconds = 0;
      CALL(cuEventElapsedTime(&milliseconds, begin, end));
      if (sample >= 0) k.microseconds.push_back(milliseconds * 1000 / kRepeat);
    }
  }
  char gpu[256];
  CALL(cuDeviceGetName(gpu, sizeof gpu, device));
  for (Kernel& k : kernels) {
    std::sort(k.microseconds.begin(), k.microseconds.end());
    std::printf("%s,%s,%d,%d,%d,%.2f,%.2f,%d,%d\n", gpu, k.name.c_str(), rows, cols, int(k.right), k.microseconds[k.microseconds.size() / 2],
                k.microseconds.front(), k.registers, k.resident);
  }
}
