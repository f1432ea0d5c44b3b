// The compile layer with the compilers of this machine: what works, what fails and how, and when the cache
// may answer.
#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/base/subprocess.h"
#include "common/compile/compile.h"
#include "common/compile/compile_cache.h"
#include "common/compile/compile_command.h"

using namespace lab::base;
using namespace lab::compile;
namespace fs = std::filesystem;

namespace {

// A folder with a cache of its own, so that no test finds what another left.
class Sandbox {
 public:
  Sandbox() {
    std::string pattern = (fs::temp_directory_path() / "lab test XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
    ::setenv("LAB_CACHE_DIR", (folder_ / "cache").c_str(), 1);
  }
  ~Sandbox() {
    ::unsetenv("LAB_CACHE_DIR");
    fs::remove_all(folder_);
  }
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;
  [[nodiscard]] fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  [[nodiscard]] const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

const std::string kKernel = R"(#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols, .dynamic_shared_bytes = 0};
PREDICTIONS = {.global_load_sectors_per_request = 4, .global_store_sectors_per_request = 32};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 tile[32];
  tile[threadIdx.x] = __ldg(reinterpret_cast<const float4*>(in) + threadIdx.x);
  __syncthreads();
  reinterpret_cast<float4*>(out)[threadIdx.x] = tile[31 - threadIdx.x];
}
)";

CompileRequest request_for(const fs::path& file, const KernelCompiler& compiler) {
  CompileRequest request;
  request.file = file;
  request.compiler = compiler.kind;
  return request;
}

// One of each kind: what compile() would take.
std::vector<KernelCompiler> compilers_under_test() {
  std::vector<KernelCompiler> chosen;
  for (const KernelCompiler& compiler : kernel_compilers()) {
    if (chosen.empty() || chosen.back().kind != compiler.kind) chosen.push_back(compiler);
  }
  REQUIRE_MESSAGE(!chosen.empty(), "no kernel compiler on this machine: nothing can be tested");
  return chosen;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

template <typename Error>
std::string message_of(const CompileRequest& request) {
  try {
    (void)compile(request);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool is_here(CompilerKind kind) {
  for (const KernelCompiler& compiler : kernel_compilers()) {
    if (compiler.kind == kind) return true;
  }
  return false;
}

fs::path only_cache_entry(const Sandbox& sandbox) {
  fs::path found;
  for (const auto& entry : fs::recursive_directory_iterator(sandbox.folder() / "cache" / "kernels")) {
    if (entry.is_regular_file()) {
      REQUIRE(found.empty());
      found = entry.path();
    }
  }
  return found;
}

}  // namespace

TEST_CASE("a kernel file becomes PTX with its data, wide accesses and lines") {
  const Sandbox sandbox;
  const fs::path file = sandbox.write("kernel.cu", kKernel);
  for (const KernelCompiler& compiler : compilers_under_test()) {
    CAPTURE(name(compiler.kind));
    const CompileResult result = compile(request_for(file, compiler));
    REQUIRE_MESSAGE(result.ok, result.log);
    CHECK_FALSE(result.cached);
    CHECK(result.log == "");
    CHECK(contains(result.ptx(), ".entry transpose("));
    CHECK(contains(result.ptx(), "lab_launch_shape[132] = {2, 0, 0, 0, 32, 0, 0, 0, 8, 0, 0, 0, 32,"));
    CHECK(contains(result.ptx(), "lab_predictions[40] = {1, 0, 0, 0, 4, 0, 0, 0, 32"));
    CHECK(contains(result.ptx(), "ld.global.nc.v4"));
    CHECK(contains(result.ptx(), "st.shared.v4"));
    CHECK(contains(result.ptx(), "ld.shared.v4"));
    CHECK(contains(result.ptx(), "st.global.v4"));
    CHECK(contains(result.ptx(), ".loc"));
    CHECK(contains(result.ptx(), file.string()));
    CHECK_FALSE(contains(result.ptx(), project_root().string()));
  }
}

TEST_CASE("what the header's functions do counts for the line that calls them") {
  const Sandbox sandbox;
  const fs::path file = sandbox.write("kernel.cu", kKernel);
  for (const KernelCompiler& compiler : compilers_under_test()) {
    if (compiler.kind != CompilerKind::Clang) continue;  // nvcc says `inlined_at`, clang 14 does not
    const std::string ptx = compile(request_for(file, compiler)).ptx();
    CHECK_FALSE(contains(ptx, "clang_vector_types.cuh"));
    CHECK_FALSE(contains(ptx, "clang_loads.cuh"));
    CHECK(contains(ptx, ".loc\t1 7 "));  // the copy out of the tile
  }
}

TEST_CASE("headers of C and of the CUDA Toolkit are there with each compiler") {
  const Sandbox sandbox;
  const fs::path file = sandbox.write("kernel.cu", R"(#include "common/kernel/lab.cuh"
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
static_assert(sizeof(int8_t) == 1 && sizeof(uint16_t) == 2 && sizeof(int32_t) == 4 && sizeof(uint64_t) == 8);
static_assert(INT64_MAX > UINT32_MAX && INT_MAX == INT32_MAX && sizeof(size_t) == sizeof(uintptr_t));
__host__ __device__ constexpr int half(int n) { return n / 2; }
extern "C" __global__ void f(float* __restrict__ out, const float* __restrict__ in, ptrdiff_t n) {
  __shared__ float4 tile[half(64)];
  __pipeline_memcpy_async(tile + threadIdx.x, in + 4 * threadIdx.x, sizeof(float4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncwarp();
  const float w = __shfl_xor_sync(~0u, tile[threadIdx.x].w, 1);
  atomicAdd(out, w < FLT_MAX ? fminf(w, 2.0f) : static_cast<float>(__popc(__ballot_sync(~0u, n > 3))));
}
)");
  for (const KernelCompiler& compiler : compilers_under_test()) {
    CAPTURE(name(compiler.kind));
    const CompileResult result = compile(request_for(file, compiler));
    REQUIRE_MESSAGE(result.ok, result.log);
    CHECK(contains(result.ptx(), "cp.async"));
    CHECK(contains(result.ptx(), "shfl.sync.bfly"));
  }
}

TEST_CASE("equal kernels give equal PTX, whatever their files are called") {
  const Sandbox sandbox;
  const std::string names =
      "namespace mine { constexpr int kSize = 5; }\n"
      "extern \"C\" __global__ void f(int* out) { *out = mine::kSize; }\n";
  const auto without_file_rows = [](std::string ptx) {
    for (std::size_t at = 0; (at = ptx.find(".file", at)) != std::string::npos;)
      ptx.erase(at, ptx.find('\n', at) - at);
    return ptx;
  };
  for (const KernelCompiler& compiler : compilers_under_test()) {
    CAPTURE(name(compiler.kind));
    if (compiler.kind == CompilerKind::Clang) continue;  // its PTX has a checksum of the file beside the name
    for (const std::string& text : {names, kKernel}) {   // that one has functions of headers inlined
      const CompileResult one = compile(request_for(sandbox.write("one.cu", text), compiler));
      const CompileResult two = compile(request_for(sandbox.write("another name.cu", text), compiler));
      REQUIRE_MESSAGE(two.ok, two.log);
      CHECK(without_file_rows(one.ptx()) == without_file_rows(two.ptx()));
      CHECK(contains(two.ptx(), "another name.cu"));
    }
  }
}

TEST_CASE("a kernel's date is that of 1970, with each compiler") {
  const Sandbox sandbox;
  const fs::path file = sandbox.write(
      "date.cu", "extern \"C\" __global__ void f(char* out) { out[threadIdx.x] = __DATE__[threadIdx.x]; }\n");
  for (const KernelCompiler& compiler : compilers_under_test()) {
    CAPTURE(name(compiler.kind));
    if (compiler.kind == CompilerKind::Clang) continue;  // clang 14 knows no SOURCE_DATE_EPOCH
    const CompileResult result = compile(request_for(file, compiler));
    REQUIRE_MESSAGE(result.ok, result.log);
    CHECK(contains(result.ptx(), "74, 97, 110, 32, 32, 49, 32, 49, 57, 55, 48"));  // "Jan  1 1970"
  }
}

TEST_CASE("a file of one's own that needs a host goes to another compiler; a judged one does not") {
  if (!is_here(CompilerKind::Nvrtc) || !is_here(CompilerKind::Nvcc) || std::getenv("LAB_COMPILER") != nullptr)
    return;
  const Sandbox sandbox;
  CompileRequest request;
  request.file = sandbox.write("whole.cu",
                               "#include <algorithm>\n__global__ void f(int* out) { *out = 7; }\n"
                               "int main() { int x[2] = {2, 1}; std::sort(x, x + 2); }\n");
  const CompileResult own = compile(request);
  REQUIRE_MESSAGE(own.ok, own.log);
  CHECK(own.compiler.kind == CompilerKind::Nvcc);
  request.kernel_rules = true;
  const CompileResult judged = compile(request);
  CHECK_FALSE(judged.ok);
  CHECK(judged.compiler.kind == CompilerKind::Nvrtc);
  CHECK(contains(judged.log, "whole.cu(1)"));
  CHECK(contains(judged.log, "NVRTC has no headers of the host"));
  request.kernel_rules = false;
  request.compiler = CompilerKind::Nvrtc;  // asked for by name
  CHECK_FALSE(compile(request).ok);
  request.compiler.reset();
  request.file = sandbox.write("wrong.cu", "__global__ void f(int* out) { *out = nothing; }\n");
  const CompileResult wrong = compile(request);
  CHECK_FALSE(wrong.ok);
  CHECK(contains(wrong.log, "wrong.cu(1)"));
}

TEST_CASE("what is no NVRTC is not taken for one") {
  const Sandbox sandbox;
  REQUIRE_FALSE(nvrtc_process().empty());
  for (const std::string& library :
       {std::string("/nowhere/libnvrtc.so.13"), sandbox.write("text.so", "no library").string(),
        std::string("libdl.so.2")}) {
    CAPTURE(library);
    Subprocess question;
    question.arguments = {nvrtc_process().string(), library, "--version",
                          (project_root() / "common" / "kernel" / "launch_shape.h").string()};
    question.folder = "/";
    const SubprocessResult answer = run(question);
    CHECK(answer.end == SubprocessResult::End::Exited);
    CHECK(answer.code == 2);
    CHECK(contains(answer.output, "nvrtc: "));
  }
}

TEST_CASE("debug builds compile") {
  const Sandbox sandbox;
  const fs::path file = sandbox.write("kernel.cu", kKernel);
  for (const KernelCompiler& compiler : compilers_under_test()) {
    CompileRequest request = request_for(file, compiler);
    request.debug = true;
    const CompileResult result = compile(request);
    REQUIRE_MESSAGE(result.ok, result.log);
    CHECK(contains(result.ptx(), ".loc"));
  }
}

TEST_CASE("a plain CUDA file without lab.cuh compiles") {
  const Sandbox sandbox;
  const fs::path file = sandbox.write("plain.cu", R"(#include <cuda_runtime.h>
#include <cstdio>
__device__ __noinline__ int helper(int x) { return max(x, 3); }
__global__ void copy(int4* out, const int4* in) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = in[threadIdx.x];
  const dim3 threads = blockDim;
  const uint3 thread = threadIdx;
  if (helper(thread.x) == threads.y) printf("%d\n", __shfl_down_sync(0xffffffffu, 1, 1));
}
)");
  for (const KernelCompiler& compiler : compilers_under_test()) {
    const CompileResult result = compile(request_for(file, compiler));
    REQUIRE_MESSAGE(result.ok, result.log);
    CHECK(contains(result.ptx(), "ld.global.v4"));
    CHECK(contains(result.ptx(), "vprintf"));
    CHECK_FALSE(contains(result.ptx(), "__cuda_builtin"));
  }
}

TEST_CASE("the cache answers for the same content, in a few milliseconds") {
  const Sandbox sandbox;
  const fs::path file = sandbox.write("kernel.cu", kKernel);
  for (const KernelCompiler& compiler : compilers_under_test()) {
    const CompileRequest request = request_for(file, compiler);
    const CompileResult first = compile(request);
    const CompileResult second = compile(request);
    REQUIRE(first.ok);
    CHECK_FALSE(first.cached);
    CHECK(second.cached);
    CHECK(second.output == first.output);
    CHECK(second.compiler_seconds == doctest::Approx(first.compiler_seconds));
    CHECK(second.seconds < first.seconds);
    MESSAGE(std::string(name(compiler.kind)), ": compiled in ", first.seconds * 1e3, " ms, cached ",
            second.seconds * 1e3, " ms");
  }
}

TEST_CASE("one compile serves whoever asks, and the rules of kernel files are kept from the cache too") {
  const Sandbox sandbox;
  for (const KernelCompiler& compiler : compilers_under_test()) {
    CAPTURE(name(compiler.kind));
    CompileRequest judged = request_for(sandbox.write("kernel.cu", kKernel), compiler), own = judged;
    judged.kernel_rules = true;
    CHECK_FALSE(compile(judged).cached);
    CHECK(compile(own).cached);
    const fs::path header = sandbox.write("own.h", "constexpr int kSeven = 7;\n");
    const std::string foreign =
        "#include \"" + header.string() + "\"\nextern \"C\" __global__ void f(int* out) { *out = kSeven; }\n";
    judged.file = own.file = sandbox.write("foreign.cu", foreign);
    REQUIRE_MESSAGE(compile(own).ok, compile(own).log);
    const CompileResult refused = compile(judged);  // of what the cache has
    CHECK_FALSE(refused.ok);
    CHECK(refused.refusal == "include-refused");
    CHECK(refused.output.empty());
    CHECK(compile(own).ok);
  }
}

TEST_CASE("a change in the file, in an included file, or in a flag misses the cache") {
  const Sandbox sandbox;
  (void)sandbox.write("size.h", "constexpr int kSize = 7;\n");
  const std::string text =
      "#include \"size.h\"\n#ifndef BIAS\n#define BIAS 0\n#endif\n"
      "extern \"C\" __global__ void f(int* out) { *out = kSize + BIAS; }\n";
  const fs::path file = sandbox.write("kernel.cu", text);
  for (const KernelCompiler& compiler : compilers_under_test()) {
    (void)sandbox.write("size.h", "constexpr int kSize = 7;\n");
    CompileRequest request = request_for(file, compiler);
    REQUIRE_MESSAGE(compile(request).ok, compile(request).log);
    CHECK(compile(request).cached);

    (void)sandbox.write("size.h", "constexpr int kSize = 8;\n");  // the same number of bytes
    CHECK_FALSE(compile(request).cached);
    CHECK(compile(request).cached);

    fs::last_write_time(sandbox.folder() / "size.h", fs::file_time_type::clock::now());  // as a checkout does
    CHECK(compile(request).cached);

    request.flags = {"-DBIAS=5"};
    const CompileResult flagged = compile(request);
    CHECK_FALSE(flagged.cached);
    CHECK(contains(flagged.ptx(), ", 13"));
  }
}

TEST_CASE("a damaged cache entry is noticed and made anew") {
  const Sandbox sandbox;
  const fs::path file = sandbox.write("kernel.cu", kKernel);
  const CompileRequest request = request_for(file, compilers_under_test().back());
  const CompileResult good = compile(request);
  const fs::path entry = only_cache_entry(sandbox);
  const auto size = fs::file_size(entry);
  for (const int damage : {0, 1, 2, 3}) {
    CAPTURE(damage);
    if (damage == 0) {
      std::fstream file_of_entry(entry, std::ios::in | std::ios::out | std::ios::binary);
      file_of_entry.seekp(static_cast<std::streamoff>(size) - 40) << '#';
    } else {
      fs::resize_file(entry, damage == 1 ? size / 2 : damage == 2 ? 0 : 30);
    }
    const CompileResult again = compile(request);
    CHECK_FALSE(again.cached);
    CHECK(again.output == good.output);
    CHECK(compile(request).cached);
  }
}

TEST_CASE("the cache does not grow without end") {
  const Sandbox sandbox;
  for (int i = 0; i < 100; ++i) {
    const std::string key = "ab" + std::to_string(1000 + i);  // all in one shard
    store_entry(sandbox.folder(), key, {{}, "", 0.5, "output of " + key});
    const std::optional<CacheEntry> entry = load_entry(sandbox.folder(), key);
    REQUIRE(entry.has_value());
    CHECK(entry->output == "output of " + key);
  }
  const auto entries =
      std::distance(fs::directory_iterator(sandbox.folder() / "ab"), fs::directory_iterator());
  CHECK(entries == 32);
}

TEST_CASE("errors of the compiler come back as it wrote them, and are not remembered") {
  const Sandbox sandbox;
  const fs::path file =
      sandbox.write("wrong.cu", "extern \"C\" __global__ void f() { undeclared_name = 3; }\n");
  for (const KernelCompiler& compiler : compilers_under_test()) {
    const CompileRequest request = request_for(file, compiler);
    for (int round = 0; round < 2; ++round) {
      const CompileResult result = compile(request);
      CHECK_FALSE(result.ok);
      CHECK_FALSE(result.cached);
      CHECK(result.output.empty());
      CHECK(contains(result.log, "wrong.cu"));
      CHECK(contains(result.log, "undeclared_name"));
    }
  }
}

TEST_CASE("what is no kernel file is refused with its reason") {
  const Sandbox sandbox;
  const auto refusal = [](const fs::path& path) {
    CompileRequest request;
    request.file = path;
    return message_of<UsageError>(request);
  };
  CHECK(contains(refusal(sandbox.folder() / "nothing.cu"), "no file"));
  CHECK(contains(refusal(sandbox.folder()), "is a folder"));
  CHECK(contains(refusal(sandbox.write("empty.cu", "")), "is empty"));
  CHECK(contains(refusal(sandbox.write("blank.cu", " \n\n")), "nothing but blanks"));
  CHECK(contains(refusal(sandbox.write("binary.cu", std::string("a\0b", 3))), "binary"));
  CHECK(contains(refusal("/dev/zero"), "no ordinary file"));
  CHECK(contains(refusal(sandbox.folder() / "a\nb.cu"), "a\\x0ab.cu"));  // a name stays on its line
}

TEST_CASE("a name is only a name, whatever it holds") {
  const Sandbox sandbox;  // the folder has blanks too
  for (const KernelCompiler& compiler : compilers_under_test()) {
    for (const char* file_name :
         {"two words.cu", "-o.cu", "a;b.cu", "a$(touch x).cu", "a\"b'c.cu", "转置.cu", "a\nb.cu"}) {
      CAPTURE(file_name);
      const fs::path file = sandbox.write(file_name, kKernel);
      const CompileResult result = compile(request_for(file, compiler));
      CHECK_MESSAGE(result.ok, result.log);
      CHECK(compile(request_for(file, compiler)).cached);
      CompileRequest judged = request_for(file, compiler);
      judged.kernel_rules = true;
      CHECK(compile(judged).refusal == "");
    }
  }
}

TEST_CASE("a compiler that does not end is stopped") {
  const Sandbox sandbox;
  const fs::path file = sandbox.write("endless.cu", R"(
template <int N> struct Tree { static constexpr long value = Tree<N - 1>::value + Tree<N - 1>::value; };
constexpr long spin(long n) { long sum = 0; for (long i = 0; i < n; ++i) { for (long j = 0; j < n; ++j) { sum += j; } } return sum; }
extern "C" __global__ void f(long* out) { constexpr long x = spin(1'000'000); *out = x; }
)");
  for (const KernelCompiler& compiler : compilers_under_test()) {
    CAPTURE(name(compiler.kind));
    CompileRequest request = request_for(file, compiler);
    request.flags = compiler.kind == CompilerKind::Clang
                        ? std::vector<std::string>{"-fconstexpr-steps=2000000000"}
                        : std::vector<std::string>{};
    request.limits.wall_time = std::chrono::milliseconds(60);
    const auto start = std::chrono::steady_clock::now();
    CHECK(contains(message_of<LimitError>(request), "took longer than"));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
  }
}

TEST_CASE("several at once give what one by one gives") {
  const Sandbox sandbox;
  std::vector<CompileRequest> requests;
  const KernelCompiler compiler = compilers_under_test().back();
  for (int i = 0; i < 6; ++i) {
    const std::string text =
        "extern \"C\" __global__ void f(int* out) { *out = " + std::to_string(1000 + i % 3) + "; }\n";
    requests.push_back(request_for(sandbox.write("k" + std::to_string(i % 3) + ".cu", text), compiler));
  }
  const std::vector<CompileResult> results = compile_all(requests, 4);
  REQUIRE(results.size() == 6);
  for (int i = 0; i < 6; ++i) {
    REQUIRE(results[static_cast<std::size_t>(i)].ok);
    CHECK(contains(results[static_cast<std::size_t>(i)].ptx(), std::to_string(1000 + i % 3)));
  }
  requests[3].file = sandbox.folder() / "gone.cu";
  CHECK_THROWS_AS((void)compile_all(requests, 4), UsageError);
}

TEST_CASE("paths inside the project are shown relative to it") {
  CHECK(shown_path(project_root() / "common" / "kernel" / "lab.cuh") == "common/kernel/lab.cuh");
  CHECK(shown_path("/etc/hostname") == "/etc/hostname");
}

TEST_CASE("a pipe is written to, not replaced by a file") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  CHECK(lab::base::write_file_atomically("/proc/self/fd/" + std::to_string(ends[1]), "bytes"));
  char got[8] = {};
  CHECK(::read(ends[0], got, sizeof got) == 5);
  CHECK(std::string(got) == "bytes");
  ::close(ends[0]);
  ::close(ends[1]);
}
