// The compiler's and linker's complaints that have a cause which they cannot know.
//
// Enters: the log of nvcc. Leaves: a sentence for the person in front of it, or the word that the file wants
// names of an older CUDA. Matched are the words of nvcc 12 and 13 and of GNU ld.
#include "common/run/programs/run_hints.h"

#include <algorithm>

#include "common/base/text/text.h"

namespace lab::programs {

using text::tr;

namespace {

struct Library {
  const char *header, *symbol, *name;
};

// Libraries of the toolkit that hold machine code for GPUs. A symbol is followed by a capital letter.
constexpr Library kLibraries[] = {{"cufft", "cufft", "cuFFT"},
                                  {"curand", "curand", "cuRAND"},
                                  {"cusolverMg", "cusolverMg", "cuSOLVERMg"},
                                  {"cusparseLt", "cusparseLt", "cuSPARSELt"},
                                  {"cusolver", "cusolver", "cuSOLVER"},
                                  {"cusparse", "cusparse", "cuSPARSE"},
                                  {"cudnn", "cudnn", "cuDNN"},
                                  {"nccl.h", "nccl", "NCCL"},
                                  {"npp", "npp", "NPP"},
                                  {"cublas", "cublas", "cuBLAS"}};

bool has(std::string_view log, std::string_view words) { return log.find(words) != std::string_view::npos; }

bool misses_header(std::string_view log, std::string_view start) {
  return has(log, fmt::format("fatal error: {}", start)) && has(log, "No such file or directory");
}

// "undefined reference to `NAMEx", where x is a capital: cublasCreate, cuInit.
bool misses_symbol(std::string_view log, std::string_view start) {
  const std::string words = fmt::format("undefined reference to `{}", start);
  for (std::size_t at = log.find(words); at != std::string_view::npos; at = log.find(words, at + 1)) {
    const std::size_t next = at + words.size();
    if (next < log.size() && log[next] >= 'A' && log[next] <= 'Z') return true;
  }
  return false;
}

bool is_ours(const Library& library) {
  return std::find(kOwnLibraries.begin(), kOwnLibraries.end(), library.symbol) != kOwnLibraries.end();
}

std::string refusal(const Library& library) {
  if (is_ours(library))
    return tr(
        "the program calls a function of {} that is not among those computed here; the line above names it. "
        "Put another one or a kernel of your own in its place; the program as it is needs a GPU.",
        library.name);
  return tr(
      "the program uses {}, a library of machine code for GPUs, which is not simulated. Put a kernel of "
      "your own in its place to run the rest here; the program as it is needs a GPU.",
      library.name);
}

}  // namespace

bool misses_older_names(std::string_view log) {
  for (const char* words :
       {"class \"cudaDeviceProp\" has no member", "to \"cudaMemLocation\"",
        "identifier \"cudaThreadSynchronize\"", "identifier \"cudaThreadExit\"",
        "has no member class \"unary_function\"", "has no member class \"binary_function\"",
        "namespace \"cub\" has no member \"Max\"", "namespace \"cub\" has no member \"Min\"",
        "namespace \"cub\" has no member \"Sum\"", "identifier \"__shfl"}) {
    if (has(log, words)) return true;
  }
  return false;
}

std::string library_refusal(std::string_view flag) {
  for (const Library& known : kLibraries)
    if (!is_ours(known) && flag.starts_with(fmt::format("-l{}", known.symbol))) return refusal(known);
  return "";
}

std::string hint_for(std::string_view log) {
  for (const Library& library : kLibraries) {
    const bool header = misses_header(log, library.header);
    if (header && is_ours(library))
      return tr(
          "that header comes with {}, which this CUDA Toolkit was installed without. Install its development "
          "package, then run again: calls of {} are computed here.",
          library.name, library.name);
    if (header || misses_symbol(log, library.symbol)) return refusal(library);
  }
  if (misses_header(log, "helper_") || misses_header(log, "exception.h"))
    return tr(
        "that header is no part of CUDA: it comes with NVIDIA's samples (github.com/NVIDIA/cuda-samples, "
        "folder Common). Fetch them and add: -I cuda-samples/Common");
  if (has(log, "kernel launch from __device__ or __global__ functions"))
    return tr("a kernel that launches kernels is compiled with -rdc=true, by nvcc too: add it.");
  if (has(log, "function(\"cudaDeviceSynchronize\")"))
    return tr(
        "a kernel can no longer wait for the kernels that it launched: CUDA 12 took that away. What comes "
        "behind them is a kernel of its own, launched into cudaStreamTailLaunch.");
  if (has(log, "Instruction '") && has(log, "not supported on .target 'sm_90'"))
    return tr("that instruction is compiled with -arch=sm_90a only, by nvcc too: add it.");
  if (has(log, "texture is not a template") || has(log, "identifier \"cudaBindTexture"))
    return tr(
        "texture references left CUDA with version 12. Use a texture object: cudaCreateTextureObject, and "
        "tex2D<float>(object, x, y) in the kernel.");
  return "";
}

}  // namespace lab::programs
