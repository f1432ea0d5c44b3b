// The rules for judged kernels, the walls around their compiler, and what is seen from inside.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "common/base/errors.h"
#include "common/base/project.h"
#include "common/base/subprocess.h"
#include "common/compile/compile.h"
#include "common/compile/compiler_questions.h"
#include "common/compile/sandbox.h"
#include "common/compile/source_rules.h"

using namespace lab::base;
using namespace lab::compile;
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "lab-sandbox-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
    ::setenv("LAB_CACHE_DIR", (path_ / "cache").c_str(), 1);
  }
  ~Folder() {
    ::unsetenv("LAB_CACHE_DIR");
    fs::remove_all(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] fs::path write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  fs::path path_;
};

std::string refusal_of(const std::string& source) {
  const std::optional<Refusal> refusal = refuse_source(source);
  return refusal ? refusal->code : "";
}

const std::string kKernel =
    "#include \"common/kernel/lab.cuh\"\n"
    "extern \"C\" __global__ void transpose(float* out, const float* in, int rows, int cols) { out[0] = "
    "in[0]; }\n";

CompileRequest walled(const fs::path& file, const KernelCompiler& compiler) {
  CompileRequest request;
  request.file = file;
  request.compiler = compiler.kind;
  request.kernel_rules = true;
  request.sandbox = true;
  return request;
}

}  // namespace

TEST_CASE("what kernels of the course include is no news to the rules") {
  for (const char* source :
       {"#include \"common/kernel/lab.cuh\"\n#include <stdio.h>\n#  include <cuda_fp16.h> // why\n",
        "#pragma once\n#pragma unroll 4\n#pragma GCC diagnostic ignored \"-Wall\"\n#pragma nv_diag_suppress "
        "177\n",
        "// #include \"/etc/passwd\"\n/* \n#include \"/etc/passwd\"\n*/\n",
        "const char* a = \"\\\n#include x\";\nconst char* b = R\"x(\n#include \"/etc/passwd\"\n)x\";\n",
        "int a = 1'000'000; char c = '\"';\n",
        "#define X(a) #a\n#ifdef Y\n#elif 1\n#else\n#endif\n#error no\n#undef X\n#\n",
        "int x = 3 % 2; a %= b; int y = '#';\n x #include \"/etc/passwd\"\n"}) {
    CAPTURE(std::string(source));
    CHECK(refusal_of(source) == "");
  }
}

TEST_CASE("a file that asks which compiler reads it is refused, however it is spelled") {
  const std::string lab = "#include \"common/kernel/lab.cuh\"\n";
  for (const char* source :
       {"#ifdef __CUDACC_RTC__\n#endif\n", "#ifndef __NVCC__\n#endif\n",
        "#if 1\n#elif 2\n#endif\n#if __CUDA_ARCH__ >= 900\n#endif\n", "#if defined(__clang__)\n#endif\n",
        "#if !defined __GNUC__ && 1\n#endif\n", "#if __has_include(<cuda_pipeline.h>)\n#endif\n",
        "#ifdef __SIZEOF_INT128__\n#endif\n", "#ifdef CUDART_VERSION\n#endif\n",
        "#ifdef __CUDACC__\n#endif\n", "constexpr int a = __CUDA_ARCH__ > 800;\n",
        "#define CAT(a, b) a##b\nint a = CAT(__CUDA_, ARCH__);\n",
        "#define ASK __NVCC__\n#ifdef OTHER\n#endif\n#if ASK\n#endif\n", "long v = __cplusplus;\n",
        "const char* s = __VERSION__;\n", "NV_IF_TARGET(NV_PROVIDES_SM_90, (int a;))\n",
        "#ident \"x\"\nint a = __CUDA_ARCH__;\n", "int a = sizeof(__PRETTY_FUNCTION__);\n",
        "#if defined(__CUDA_ARCH\\\n__)\n#endif\n"}) {
    CAPTURE(std::string(source));
    const std::optional<Refusal> refusal = refuse_question_of_compiler(lab + source);
    CHECK((refusal && refusal->code == "source-refused"));
  }
  for (const char* source :
       {"#ifndef TILE\n#define TILE 32\n#endif\n",
        "#ifdef DEBUG\n#endif\n#if 0\n#ifdef __NVCC__\n#endif\n#endif\n",
        "#ifndef __OWN_GUARD_H__\n#define __OWN_GUARD_H__\n#endif\n",
        "// __CUDA_ARCH__\nint line = __LINE__;\n",
        "#include <cuda_pipeline.h>\n__device__ void f() { __syncthreads(); __pipeline_commit(); }\n",
        "#define WIDE(x) __ldg(x)\nstruct __align__(16) V { float a[4]; };\n#if TILE > 3 || "
        "defined(X)\n#endif\n"}) {
    CAPTURE(std::string(source));
    CHECK(!refuse_question_of_compiler(lab + source));
  }
}

TEST_CASE("each way to another file is seen, however it is spelled") {
  for (const char* source : {"#include \"/etc/passwd\"\n",
                             "#include </etc/passwd>\n",
                             " \t# /**/ include /* \n */ \"../x.h\"\n",
                             "%:include \"/etc/passwd\"\n",
                             "#inc\\\nlude \"/x\"\n",
                             "#inc\\ \t\nlude \"/x\"\n",
                             "#include NAME\n",
                             "#include \"common/kernel/../../solutions/x\"\n",
                             "#include \"solutions/x.cu\"\n",
                             "#include \"./chapters/x\"\n",
                             "#include \".//solutions/05_padding/transpose.cu\"\n",
                             "#include \"docs/trust.md\"\n",
                             "#include \"common//sim/gpu.h\"\n",
                             "#define H __has_include\n#if H(\"x\")\n",
                             "#define CAT(a, b) a##b\n#if CAT(__has_, include)(<solutions/x>)\n",
                             "#if CAT(__has_, include) ( \"x\" )\n",
                             "#include \u201Ccommon/kernel/lab.cuh\u201D\n",
                             "#include_next <stdio.h>\n",
                             "#import \"x.h\"\n",
                             "#embed \"x\"\n",
                             "#if __has_include(\"/etc/passwd\")\n",
                             "#if __has_include(NAME)\n",
                             "#elif __has_embed ( \"/x\" )\n",
                             "// a\r#include \"/etc/passwd\"\n",
                             "FOR\"(\"\n#include \"/x\"\n",
                             "int a = 1'0;\n#include \"/x\"\n",
                             "'\\''\n#include \"/x\"\n",
                             "R\"a(b)c\")a\"\n#include \"/x\"\n",
                             "#include \"~/x\"\n",
                             "/* */ #include \"/x\"\n"}) {
    CAPTURE(std::string(source));
    CHECK(refusal_of(source) == "include-refused");
  }
  for (const char* source : {"#line 3 \"x\"\n", "# 3 \"x\"\n", "#3\n", "#pragma GCC dependency \"x\"\n",
                             "#pragma include_alias(\"a\", \"b\")\n", "#pragma clang module import x\n",
                             "#pragma GCC pch_preprocess \"x\"\n"}) {
    CAPTURE(std::string(source));
    CHECK(refusal_of(source) == "source-refused");
  }
  CHECK(refuse_source("\n\n#include \"/etc/passwd\"\n")
            ->message.english()
            .starts_with("line 3: #include \"/etc/passwd\" asks for an absolute path"));
  CHECK(refusal_of("") == "");
  CHECK(refusal_of("#") == "");
  CHECK(refusal_of("\\") == "");
  CHECK(refusal_of("R\"") == "");
  CHECK(refusal_of("#include \"") == "");
}

TEST_CASE("in a sandbox a kernel compiles as outside, and the same kernel of someone else is known") {
  if (!sandbox_problem().empty()) {
    MESSAGE(sandbox_problem());
    return;
  }
  const Folder folder;
  for (const KernelCompiler& compiler : kernel_compilers()) {
    CAPTURE(name(compiler.kind));
    CompileRequest request = walled(folder.write("ada/transpose.cu", kKernel), compiler);
    const CompileResult first = compile(request);
    REQUIRE_MESSAGE(first.ok, first.log);
    CHECK(first.ptx().find("transpose.cu\"") != std::string::npos);
    CHECK(first.ptx().find("/lab/") == std::string::npos);
    const CompileResult other = compile(walled(folder.write("bob/transpose.cu", kKernel), compiler));
    CHECK(other.cached);
    CHECK(other.output == first.output);
    request.use_cache = false;
    const CompileResult again = compile(request);
    request.sandbox = false;
    const CompileResult free = compile(request);
    MESSAGE(std::string(name(compiler.kind)), ": in a sandbox ", again.compiler_seconds * 1e3,
            " ms, outside ", free.compiler_seconds * 1e3, " ms");
  }
}

TEST_CASE("nothing of this machine is seen from inside, whatever the rules would say") {
  if (!sandbox_problem().empty()) {
    MESSAGE(sandbox_problem());
    return;
  }
  const Folder folder;
  (void)folder.write("neighbour.h", "#define SECRET 42\n");
  const std::string project = project_root().string();
  for (const KernelCompiler& compiler : kernel_compilers()) {
    for (const std::string& file :
         {std::string("/etc/passwd"), std::string("/etc/hostname"), std::string("neighbour.h"),
          std::string("/proc/self/environ"), std::string("solutions/01_naive/transpose.cu"),
          project + "/solutions/01_naive/transpose.cu", project + "/README.md", std::string("/dev/zero"),
          std::string("/tmp"), std::string("/home"), std::string("/root"), std::string("/usr/share"),
          std::string("/var/log"), std::string("/sys/kernel")}) {
      CAPTURE(file);
      CompileRequest request =
          walled(folder.write("probe.cu",
                              "#if __has_include(\"" + file + "\")\n#error it is there\n#endif\n" + kKernel),
                 compiler);
      request.kernel_rules = false;
      const CompileResult result = compile(request);
      CHECK_MESSAGE(result.ok, result.log);
    }
  }
}

TEST_CASE("a file that was read in spite of the rules is found afterwards") {
  const Folder folder;
  (void)folder.write("neighbour.h", "#define SECRET 42\n");
  for (const KernelCompiler& compiler : kernel_compilers()) {
    CompileRequest request =
        walled(folder.write("kernel.cu", "#include \"neighbour.h\"\n" + kKernel), compiler);
    request.sandbox = false;
    const CompileResult result = compile(request);
    CHECK(result.refusal == "include-refused");
    CHECK(result.log.find("neighbour.h") != std::string::npos);
    CHECK(result.output.empty());
    CHECK_FALSE(result.ok);
    request.kernel_rules = false;  // a file of one's own, on one's own machine
    CHECK(compile(request).ok);
  }
}

TEST_CASE("messages are cut, and the compiler's processor time is limited") {
  Subprocess program;
  program.arguments = {"/bin/sh", "-c",
                       "i=0; while [ $i -lt 2000 ]; do echo 0123456789; i=$((i+1)); done; exit 3"};
  program.folder = "/";
  program.kept_bytes = 1000;
  program.output_bytes = 1 << 20;
  const SubprocessResult cut = run(program);
  CHECK(cut.code == 3);
  CHECK(cut.output.size() == 1000);
  CHECK(cut.dropped_bytes == 2000 * 11 - 1000);
  program.arguments = {"/bin/sh", "-c", "while :; do :; done"};
  program.cpu_time = std::chrono::seconds(1);
  const SubprocessResult spent = run(program);
  CHECK(spent.end == SubprocessResult::End::Signalled);
  CHECK(spent.seconds < 20);
}
