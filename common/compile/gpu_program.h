// Kernel file → what a GPU loads.
//
// Enters: a kernel file, the architecture of the GPU. Leaves: PTX for the simulator (and for reading what the
// file says), and a cubin where nvcc can make one. With clang alone the GPU's driver compiles the PTX.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "common/compile/compile.h"

namespace lab::compile {

struct GpuProgram {
  CompileResult ptx;    // ok is false when the file has errors
  std::string cubin;    // may be empty
  std::string made_by;  // "nvcc for sm_90", "the driver from clang's PTX"
};

// `architecture`: "90". Throws what compile() throws.
[[nodiscard]] GpuProgram compile_for_gpu(const std::filesystem::path& file,
                                         std::optional<CompilerKind> compiler,
                                         const std::string& architecture);
// The cubin alone, for PTX that is there already; fills `made_by`.
void add_cubin(GpuProgram& program, const std::filesystem::path& file, const std::string& architecture);

}  // namespace lab::compile
