// Runs the tests of wgmma on a GPU: the entries of wgmma.ptx with the inputs that wgmma.txt lists.
// tools/golden/wgmma.py writes both into PTX, a folder.
//
//   nvcc -arch=sm_90 -std=c++17 -I. -o wgmma tools/golden/wgmma.cu -lcuda
//   python3 tools/golden/wgmma.py PTX
//   ./wgmma hash PTX | gzip -9n > tests/golden/wgmma_h100.txt.gz     a line an entry: a hash of each case's registers of D
//   ./wgmma raw PTX FOLDER PART                         the registers themselves, of entries whose name has PART
//   ncu … ./wgmma one PTX                               one block an entry, for counters
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/golden/tensor_inputs.h"

using namespace lab::golden;

static void must(CUresult result, const std::string& what) {
  if (result == CUDA_SUCCESS) return;
  std::fprintf(stderr, "%s: error %d\n", what.c_str(), int(result));
  std::exit(1);
}

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const std::string mode = arguments[1], folder = arguments[2], part = count > 4 ? arguments[4] : "";
  CUdevice device;
  CUcontext context;
  CUmodule module;
  must(cuInit(0), "cuInit"), must(cuDeviceGet(&device, 0), "device");
  must(cuDevicePrimaryCtxRetain(&context, device), "context"), must(cuCtxSetCurrent(context), "context");
  const std::size_t in_bytes = std::size_t{kTensorCases} * kGroupWords * 4, out_bytes = std::size_t{kTensorCases} * kGroupResultWords * 4;
  CUdeviceptr in, out;
  must(cuMemAlloc(&in, in_bytes), "memory"), must(cuMemAlloc(&out, out_bytes), "memory");
  std::ifstream text(folder + "/wgmma.ptx"), list(folder + "/wgmma.txt");
  const std::string ptx{std::istreambuf_iterator<char>(text), {}};
  must(cuModuleLoadData(&module, ptx.c_str()), "wgmma.ptx");
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    std::string entry, a, b, d;
    unsigned registers;
    fields >> entry >> a >> b >> d >> registers;
    if (entry.find(part) == std::string::npos) continue;
    CUfunction function;
    must(cuModuleGetFunction(&function, module, entry.c_str()), entry);
    const auto words = group_input(entry, a, b, d, registers);
    must(cuMemcpyHtoD(in, words.data(), in_bytes), entry), must(cuMemsetD8(out, 0, out_bytes), entry);
    void* parameters[] = {&out, &in};
    must(cuLaunchKernel(function, mode == "one" ? 1 : kTensorCases, 1, 1, kGroupLanes, 1, 1, 0, nullptr, parameters, nullptr), entry);
    must(cuCtxSynchronize(), entry);
    std::vector<unsigned char> result(out_bytes);
    must(cuMemcpyDtoH(result.data(), out, out_bytes), entry);
    const std::size_t used = std::size_t{registers} * kGroupLanes * 4;
    if (mode == "raw") {
      std::ofstream file(std::string(arguments[3]) + "/" + entry, std::ios::binary);
      for (unsigned k = 0; k < kTensorCases; ++k) file.write(reinterpret_cast<char*>(result.data()) + k * kGroupResultWords * 4, long(used));
    }
    if (mode != "hash") continue;
    std::printf("%s", entry.c_str());
    for (unsigned k = 0; k < kTensorCases; ++k) std::printf(" %016llx", (unsigned long long)fnv1a(result.data() + k * kGroupResultWords * 4, used));
    std::printf("\n");
  }
}
