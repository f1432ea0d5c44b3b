// NVRTC: kernels compiled while the program runs, by the real library, to PTX.
//
// Enters: calls of libnvrtc.so. Leaves: what the real library says, save that code for a GPU (sm_90) is asked
// for as PTX (compute_90), and that a cubin, when the program wants one, is that PTX: cuModuleLoadData takes
// both.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "common/run/cudart/driver.h"
#include "common/run/cudart/request.h"

using namespace lab::cudart;

namespace lab::cudart {

// `lab run` names the library of the toolkit; else the loader's own path is asked past our front.
void* nvrtc_function(const char* name) {
  static void* const library = [] {
    const std::string& named = request().nvrtc;
    return named.empty() ? nullptr : dlopen(named.c_str(), RTLD_NOW | RTLD_LOCAL);
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

// CuPy hands its kernels over as files of a temporary folder, named by a number: they are named by their first kernel.
LAB_ENTRY int nvrtcCreateProgram(void** program, const char* source, const char* name, int count,
                                 const char* const* headers, const char* const* include_names) {
  std::string shown = name == nullptr ? "" : name;
  if (source != nullptr && shown.ends_with(".cubin.cu")) {
    const std::string_view text = source;
    const std::size_t mark = text.find("__global__"), end = text.find('(', std::min(mark, text.size()));
    if (end != std::string_view::npos) {
      const std::size_t last = text.find_last_not_of(" \n", end - 1),
                        before = text.find_last_of(" \n*&", last);
      shown = std::string(text.substr(before + 1, last - before)) + ".cu";
    }
  }
  return of_nvrtc("nvrtcCreateProgram", program, source, name == nullptr ? nullptr : shown.c_str(), count,
                  headers, include_names);
}
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
