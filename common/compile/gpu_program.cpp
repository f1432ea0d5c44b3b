// Kernel file → what a GPU loads. See gpu_program.h.
#include "common/compile/gpu_program.h"

#include <fmt/core.h>

#include <cstdlib>

namespace lab::compile {
namespace {

constexpr int kOldestOfDefaultPtx = 80;  // clang's PTX is for sm_80 by default

}  // namespace

void add_cubin(GpuProgram& program, const std::filesystem::path& file, const std::string& architecture) {
  CompileRequest request;
  request.file = file;
  request.compiler = program.ptx.compiler.kind;
  request.gpu_architecture = architecture;
  if (program.ptx.compiler.kind != CompilerKind::Clang) {
    request.target = CompileTarget::Cubin;
    CompileResult cubin = compile(request);
    if (cubin.ok) {  // else this compiler does not know the GPU: the driver may still take the PTX
      program.cubin = std::move(cubin.output);
      program.made_by =
          std::string(name(cubin.compiler.kind)) + " " + cubin.compiler.version + " for sm_" + architecture;
      return;
    }
  } else if (std::atoi(architecture.c_str()) < kOldestOfDefaultPtx) {
    program.ptx = compile(request);
  }
  program.made_by = fmt::format("the driver, from the PTX of {} {}", name(program.ptx.compiler.kind),
                                program.ptx.compiler.version);
}

GpuProgram compile_for_gpu(const std::filesystem::path& file, std::optional<CompilerKind> compiler,
                           const std::string& architecture) {
  GpuProgram program;
  CompileRequest request;
  request.file = file;
  request.compiler = compiler;
  program.ptx = compile(request);
  if (program.ptx.ok) add_cubin(program, file, architecture);
  return program;
}

}  // namespace lab::compile
