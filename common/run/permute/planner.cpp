// libtranspose-plan.so: plans of lab::permute for programs that compile and launch kernels themselves.
//
// Enters: pointers, sizes, strides in elements, an order. Leaves: launches: a kernel as NVRTC's name expression, blocks, threads, bytes of
// shared memory, and the bytes of its one parameter. Kept plans are a thread's own.
#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <string>

#include "common/fast/transpose.cuh"

namespace lab::fast {
alignas(128) char tile[1];  // what kernels call their shared memory
}

namespace {

// "lab::fast::move_box<4>" of "void lab::fast::move_box<4>(lab::fast::Box)".
const std::string& name_of(const void* kernel) {
  thread_local std::map<const void*, std::string> names;
  std::string& name = names[kernel];
  Dl_info found{};
  if (!name.empty() || dladdr(kernel, &found) == 0 || found.dli_sname == nullptr) return name;
  char* const whole = abi::__cxa_demangle(found.dli_sname, nullptr, nullptr, nullptr);
  const std::string text = whole ? whole : "";
  std::free(whole);
  const size_t begin = text.find(' ') + 1, end = text.rfind(">(");
  return name = end == std::string::npos ? "" : text.substr(begin, end + 1 - begin);
}

}  // namespace

extern "C" {

struct LabLaunch {
  const char* kernel;  // until the thread ends
  unsigned blocks, threads, shared_bytes, parameter_bytes;
  const void* parameter;  // until the next call
};

// Launches of a permutation, or minus the CUDA error. The array is the library's, until this thread's next call.
__attribute__((visibility("default"))) int lab_plan_permute(void* out, const void* in, int count,
                                                            const int64_t* sizes, const int64_t* in_strides,
                                                            const int* order, int element_bytes,
                                                            const LabLaunch** launches) {
  thread_local std::vector<PlannedLaunch> kept;
  thread_local std::vector<LabLaunch> listed;
  kept.clear(), listed.clear(), planned = &kept;
  const cudaError_t error = lab::permute(out, in, count, sizes, in_strides, order, element_bytes);
  for (const PlannedLaunch& one : kept)
    listed.push_back({name_of(one.kernel).c_str(), one.blocks, one.threads, one.shared_bytes,
                      unsigned(one.parameters.size()), one.parameters.data()});
  *launches = listed.data();
  return error == cudaSuccess ? int(listed.size()) : -int(error);
}
}
