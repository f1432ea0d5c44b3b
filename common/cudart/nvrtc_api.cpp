// NVRTC: kernels compiled while the program runs, by the real library, to PTX.
//
// Enters: calls of libnvrtc.so. Leaves: what the real library says, save that code for a GPU (sm_90) is asked
// for as PTX (compute_90), and that a cubin, when the program wants one, is that PTX: cuModuleLoadData takes
// both.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "common/cudart/driver.h"

using namespace lab::cudart;

namespace lab::cudart {

// `lab run` names the library of the toolkit; else the loader's own path is asked past our front.
void* nvrtc_function(const char* name) {
  static void* const library = [] {
    const char* const named = std::getenv("LAB_RUN_NVRTC");
    return named == nullptr ? nullptr : dlopen(named, RTLD_NOW | RTLD_LOCAL);
  }();
  if (library == nullptr) {
    context().say_once(
        "the program compiles kernels while it runs (NVRTC), and libnvrtc is not beside nvcc. Install it: "
        "pip install nvidia-cuda-nvrtc, or a CUDA Toolkit.");
    return nullptr;
  }
  return dlsym(library, name);
}

}  // namespace lab::cudart

namespace {

constexpr int kInternalError = 11;

template <class... Arguments>
int of_nvrtc(const char* name, Arguments... arguments) {
  auto* const function = reinterpret_cast<int (*)(Arguments...)>(nvrtc_function(name));
  return function == nullptr ? kInternalError : function(arguments...);
}

}  // namespace

LAB_ENTRY int nvrtcCompileProgram(void* program, int count, const char* const* options) {
  std::vector<std::string> texts(options, options + count);
  for (std::string& text : texts) {
    for (const char* flag : {"--gpu-architecture=sm_", "-arch=sm_", "-arch sm_", "sm_"}) {
      if (text.starts_with(flag)) text.replace(std::strlen(flag) - 3, 3, "compute_");
    }
  }
  texts.emplace_back("-lineinfo");  // faults name their lines
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return of_nvrtc("nvrtcCompileProgram", program, static_cast<int>(pointers.size()), pointers.data());
}
LAB_ENTRY int nvrtcGetCUBINSize(void* program, std::size_t* size_bytes) {
  return of_nvrtc("nvrtcGetPTXSize", program, size_bytes);
}
LAB_ENTRY int nvrtcGetCUBIN(void* program, char* ptx) { return of_nvrtc("nvrtcGetPTX", program, ptx); }
