// Two PTX texts linked while the program runs; the image outlives its linker, as programs that keep one need it. One text
// is for the first GPUs, whose mad.f32 newer ones round once, with zeros for subnormals.
// golden: none
#include <cuda.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                              \
  do {                                                                           \
    const CUresult e = (call);                                                   \
    if (e != CUDA_SUCCESS) std::printf("%s: %d\n", #call, int(e)), std::exit(1); \
  } while (0)

static const char kOld[] = R"(.version 1.4
.target sm_10
.entry old(.param .u64 at) {
  .reg .u64 %rd<2>;
  .reg .f32 %f<4>;
  ld.param.u64 %rd1, [at];
  ld.global.f32 %f1, [%rd1];
  ld.global.f32 %f2, [%rd1+4];
  ld.global.f32 %f3, [%rd1+8];
  mad.f32 %f3, %f1, %f2, %f3;
  st.global.f32 [%rd1+12], %f3;
  exit;
}
)";
static const char kNew[] = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry twice(.param .u64 at) {
  .reg .u64 %rd<2>;
  .reg .f32 %f<2>;
  ld.param.u64 %rd1, [at];
  ld.global.f32 %f1, [%rd1+12];
  add.f32 %f1, %f1, %f1;
  st.global.f32 [%rd1+12], %f1;
  ret;
}
)";

int main() {
  CHECK(cuInit(0));
  CUdevice device;
  CUcontext context;
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CUlinkState linker;
  CHECK(cuLinkCreate(0, nullptr, nullptr, &linker));
  CHECK(cuLinkAddData(linker, CU_JIT_INPUT_PTX, const_cast<char*>(kOld), sizeof kOld, "old", 0, nullptr, nullptr));
  CHECK(cuLinkAddData(linker, CU_JIT_INPUT_PTX, const_cast<char*>(kNew), sizeof kNew, "new", 0, nullptr, nullptr));
  // The device runtime's archive is known by its name; its machine code is not read.
  char archive[] = "!<arch>\n";
  CHECK(cuLinkAddData(linker, CU_JIT_INPUT_LIBRARY, archive, sizeof archive, "libcudadevrt.a", 0, nullptr, nullptr));
  void* image;
  std::size_t bytes;
  CHECK(cuLinkComplete(linker, &image, &bytes));
  std::vector<char> kept(bytes);
  std::memcpy(kept.data(), image, bytes);
  CHECK(cuLinkDestroy(linker));

  CUmodule module;
  CUfunction old, twice;
  CHECK(cuModuleLoadData(&module, kept.data()));
  CHECK(cuModuleGetFunction(&old, module, "old"));
  CHECK(cuModuleGetFunction(&twice, module, "twice"));
  float values[4] = {1.0f + 0x1p-20f, 1.0f - 0x1p-20f, -1.0f, 0};
  CUdeviceptr at;
  CHECK(cuMemAlloc(&at, sizeof values));
  CHECK(cuMemcpyHtoD(at, values, sizeof values));
  void* parameters[] = {&at};
  CHECK(cuLaunchKernel(old, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  CHECK(cuLaunchKernel(twice, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  CHECK(cuMemcpyDtoH(values, at, sizeof values));
  const float want = 2 * std::fma(values[0], values[1], values[2]);
  std::printf("%a: %s\n", values[3], values[3] == want ? "rounded once" : "wrong");
  CHECK(cuMemFree(at));
  CHECK(cuModuleUnload(module));
  return values[3] != want;
}
