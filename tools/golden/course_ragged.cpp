// Times of kernels of the course on ragged matrices: microseconds, median of 21 samples of 30 launches.
//
// Enters: pairs of a cubin and an entry (nvcc -arch=sm_90 -std=c++20 -I. -cubin). Leaves: rows of tests/golden/course_ragged.csv.
// Matrices of 4-byte elements take turns, together four times the second-level cache. Needs a GPU.
#include <cuda.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

static void check(CUresult code, const char* what) {
  if (code == CUDA_SUCCESS) return;
  std::fprintf(stderr, "course_ragged: %s: %d\n", what, static_cast<int>(code));
  std::exit(1);
}

int main(int argc, char** argv) {
  CUdevice device = 0;
  CUcontext context = nullptr;
  check(cuInit(0), "cuInit"), check(cuDeviceGet(&device, 0), "device");
  check(cuDevicePrimaryCtxRetain(&context, device), "context"), check(cuCtxSetCurrent(context), "context");
  std::puts("kernel,entry,rows,cols,microseconds,tenth,ninetieth");
  for (auto [rows, cols] : {std::pair{4097, 4095}, {4096, 4096}, {8191, 8193}, {2049, 2047}, {1000, 7777}}) {
    const std::size_t bytes = std::size_t(rows) * cols * 4;
    std::vector<CUdeviceptr> in(std::max<std::size_t>(2, (200u << 20) / (2 * bytes) + 2)), out(in.size());
    for (CUdeviceptr& one : in) check(cuMemAlloc(&one, bytes), "memory");
    for (CUdeviceptr& one : out) check(cuMemAlloc(&one, bytes), "memory");
    for (int a = 1; a + 1 < argc; a += 2) {
      const std::string shape_name = "lab_launch_shape", own = shape_name + "_" + argv[a + 1];
      CUmodule module = nullptr;
      CUfunction kernel = nullptr;
      CUdeviceptr at = 0;
      std::size_t size = 0;
      int shape[7] = {};  // version, block, tile, whether blocks count columns first, dynamic shared memory
      check(cuModuleLoad(&module, argv[a]), argv[a]);
      check(cuModuleGetFunction(&kernel, module, argv[a + 1]), argv[a + 1]);
      if (cuModuleGetGlobal(&at, &size, module, own.c_str()) != CUDA_SUCCESS)
        check(cuModuleGetGlobal(&at, &size, module, shape_name.c_str()), "shape");
      check(cuMemcpyDtoH(shape, at, sizeof shape), "shape");
      check(cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shape[6]), "shared");
      const unsigned across = (cols + shape[4] - 1) / shape[4], down = (rows + shape[3] - 1) / shape[3];
      std::size_t turn = 0;
      auto launch = [&, r = rows, c = cols]() mutable {
        CUdeviceptr to = out[turn % out.size()], from = in[turn++ % in.size()];
        void* arguments[] = {&to, &from, &r, &c, &r, &c};
        check(cuLaunchKernel(kernel, shape[5] != 0 ? across : down, shape[5] != 0 ? down : across, 1,
                             shape[1], shape[2], 1, shape[6], nullptr, arguments, nullptr),
              "launch");
      };
      CUevent begin = nullptr, end = nullptr;
      check(cuEventCreate(&begin, 0), "event"), check(cuEventCreate(&end, 0), "event");
      std::vector<float> times(22);  // the first warms up
      for (float& time : times) {
        check(cuEventRecord(begin, nullptr), "event");
        for (int k = 0; k < 30; ++k) launch();
        check(cuEventRecord(end, nullptr), "event"), check(cuEventSynchronize(end), "the kernel");
        check(cuEventElapsedTime(&time, begin, end), "event");
      }
      std::sort(times.begin() + 1, times.end());
      std::printf("%s,%s,%d,%d,%.2f,%.2f,%.2f\n", argv[a], argv[a + 1], rows, cols, times[11] / 0.03,
                  times[3] / 0.03, times[19] / 0.03);
    }
    for (CUdeviceptr one : in) cuMemFree(one);
    for (CUdeviceptr one : out) cuMemFree(one);
  }
}
