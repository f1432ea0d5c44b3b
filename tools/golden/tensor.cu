// Runs the tests of tensor instructions on a GPU: the entries of mma.ptx and wmma.ptx with the inputs that tensor.txt
// lists. tools/golden/tensor.py writes all three into PTX, a folder.
//
//   nvcc -arch=sm_90 -std=c++17 -I. -o tensor tools/golden/tensor.cu -lcuda
//   python3 tools/golden/tensor.py PTX
//   ./tensor hash PTX > tests/golden/tensor_h200.txt   a line an entry: a hash of each case's result
//   ./tensor raw PTX FOLDER                               the results themselves
//   ncu … ./tensor one PTX                                one block an entry, for counters
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
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
  const std::string mode = arguments[1], folder = arguments[2];
  CUdevice device;
  CUcontext context;
  must(cuInit(0), "cuInit"), must(cuDeviceGet(&device, 0), "device");
  must(cuDevicePrimaryCtxRetain(&context, device), "context"), must(cuCtxSetCurrent(context), "context");
  const std::size_t bytes = std::size_t{kTensorCases} * kTensorLanes * kTensorWords * 4;
  const std::size_t block_bytes = bytes / kTensorCases;
  CUdeviceptr in, out;
  must(cuMemAlloc(&in, bytes), "memory"), must(cuMemAlloc(&out, bytes), "memory");
  std::map<std::string, CUmodule> modules;
  std::ifstream list(folder + "/tensor.txt");
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    std::string file, entry, type;
    fields >> file >> entry;
    std::vector<TensorPart> parts;
    for (unsigned words; fields >> type >> words;) parts.push_back({type, words});
    if (mode == "one" && parts.size() == 3) continue;
    if (modules.count(file) == 0) {
      std::ifstream text(folder + "/" + file);
      const std::string ptx{std::istreambuf_iterator<char>(text), {}};
      must(cuModuleLoadData(&modules[file], ptx.c_str()), file);
    }
    CUfunction function;
    must(cuModuleGetFunction(&function, modules[file], entry.c_str()), entry);
    const auto words = tensor_input(entry, parts);
    must(cuMemcpyHtoD(in, words.data(), bytes), entry), must(cuMemsetD8(out, 0, bytes), entry);
    void* parameters[] = {&out, &in};
    must(cuLaunchKernel(function, mode == "one" ? 1 : kTensorCases, 1, 1, kTensorLanes, 1, 1, 0, nullptr, parameters, nullptr), entry);
    must(cuCtxSynchronize(), entry);
    std::vector<unsigned char> result(bytes);
    must(cuMemcpyDtoH(result.data(), out, bytes), entry);
    if (mode == "raw") std::ofstream(std::string(arguments[3]) + "/" + entry, std::ios::binary).write(reinterpret_cast<char*>(result.data()), long(bytes));
    if (mode != "hash") continue;
    std::printf("%s", entry.c_str());
    for (unsigned k = 0; k < kTensorCases; ++k) std::printf(" %016llx", (unsigned long long)fnv1a(result.data() + k * block_bytes, block_bytes));
    std::printf("\n");
  }
}
