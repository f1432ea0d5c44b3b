// Runs compiled kernel files of the course on a GPU, one launch each.
//
// Place in the flow: course.py compiles kernels and starts this program bare, under compute-sanitizer or
// under the profiler. Enters: rows, cols, then pairs "cubin entry". An entry `transpose_u8` … gets both pitches
// too, if it takes them. Leaves: a line each: status, and how many elements of `out` differ from the
// transpose. With FRESH_OUT in the environment `out` is left as it was allocated.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

const char* name_of(CUresult code) {
  const char* text = "unknown error";
  cuGetErrorName(code, &text);
  return text;
}

int element_bytes(const std::string& entry) {
  const auto at = entry.find("_u");
  return at == std::string::npos ? 4 : std::atoi(entry.c_str() + at + 2) / 8;
}

// Launches one entry; the first call that fails names the status.
void run(const std::string& cubin, const std::string& entry, int rows, int cols) {
  const int bytes = element_bytes(entry);
  const std::size_t size = std::size_t(rows) * cols * bytes;
  std::vector<unsigned char> in(size), out(size, 0xee);
  for (std::size_t i = 0; i < size; ++i) in[i] = static_cast<unsigned char>((i * 2654435761u) >> 13);

  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  CUdeviceptr shape_at = 0, d_in = 0, d_out = 0;
  std::size_t shape_bytes = 0;
  int s[7] = {};
  CUresult code = cuModuleLoad(&module, cubin.c_str());
  if (!code) code = cuModuleGetFunction(&kernel, module, entry.c_str());
  if (!code && cuModuleGetGlobal(&shape_at, &shape_bytes, module, ("lab_launch_shape_" + entry).c_str()))
    code = cuModuleGetGlobal(&shape_at, &shape_bytes, module, "lab_launch_shape");
  if (!code) code = cuMemcpyDtoH(s, shape_at, sizeof s);
  if (!code && (s[3] < 1 || s[4] < 1)) code = CUDA_ERROR_INVALID_VALUE;
  if (!code) code = cuMemAlloc(&d_in, size);
  if (!code) code = cuMemAlloc(&d_out, size);
  if (!code) code = cuMemcpyHtoD(d_in, in.data(), size);
  if (!code && !std::getenv("FRESH_OUT")) code = cuMemcpyHtoD(d_out, out.data(), size);
  if (!code && s[6] > 48 * 1024)
    code = cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, s[6]);
  if (!code) {
    const unsigned across = (cols + s[4] - 1) / s[4], down = (rows + s[3] - 1) / s[3];
    int out_pitch = rows, in_pitch = cols;
    void* args[] = {&d_out, &d_in, &rows, &cols, &out_pitch, &in_pitch};
    code = cuLaunchKernel(kernel, s[5] ? across : down, s[5] ? down : across, 1, s[1], s[2], 1, s[6], nullptr,
                          args, nullptr);
  }
  if (!code) code = cuCtxSynchronize();
  if (!code) code = cuMemcpyDtoH(out.data(), d_out, size);
  std::size_t wrong = 0;
  for (int r = 0; !code && r < rows; ++r)
    for (int c = 0; c < cols; ++c)
      wrong += std::memcmp(&out[(std::size_t(c) * rows + r) * bytes],
                           &in[(std::size_t(r) * cols + c) * bytes], bytes) != 0;
  const auto slash = cubin.rfind('/');
  std::printf("%s %s %s wrong=%zu\n", cubin.substr(slash + 1).c_str(), entry.c_str(), name_of(code), wrong);
  std::fflush(stdout);
  if (d_in) cuMemFree(d_in);
  if (d_out) cuMemFree(d_out);
  if (module) cuModuleUnload(module);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return std::fputs("usage: course_run ROWS COLS CUBIN ENTRY …\n", stderr), 2;
  CUdevice device;
  CUcontext context;
  if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
      cuCtxSetCurrent(context))
    return std::fputs("no GPU to run on\n", stderr), 3;
  for (int i = 3; i + 1 < argc; i += 2) run(argv[i], argv[i + 1], std::atoi(argv[1]), std::atoi(argv[2]));
  return 0;
}
