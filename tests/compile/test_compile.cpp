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
#include "common/compile/compile.h"
#include "common/compile/compile_cache.h"

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
    CHECK(contains(result.ptx(), "lab_launch_shape[28] = {1, 0, 0, 0, 32, 0, 0, 0, 8, 0, 0, 0, 32,"));
    CHECK(contains(result.ptx(), "lab_predictions[36] = {1, 0, 0, 0, 4, 0, 0, 0, 32"));
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
  CHECK(contains(refusal(sandbox.write("a$(touch x).cu", kKernel)), "Rename"));
  CHECK(contains(refusal(sandbox.write("a\"b.cu", kKernel)), "Rename"));
}

TEST_CASE("names with blanks and a leading minus are only names") {
  const Sandbox sandbox;  // the folder has blanks too
  for (const KernelCompiler& compiler : compilers_under_test()) {
    for (const char* file_name : {"two words.cu", "-o.cu", "a;b.cu"}) {
      CAPTURE(file_name);
      const fs::path file = sandbox.write(file_name, kKernel);
      if (std::string(file_name) == "a;b.cu") {
        CHECK_THROWS_AS((void)compile(request_for(file, compiler)), UsageError);
        continue;
      }
      const CompileResult result = compile(request_for(file, compiler));
      CHECK_MESSAGE(result.ok, result.log);
      CHECK(compile(request_for(file, compiler)).cached);
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
