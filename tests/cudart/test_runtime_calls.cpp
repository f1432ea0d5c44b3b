// Promises of the runtime library that need no kernel and no nvcc: what a capture refuses, what is no error, what a copy reads and when.
//
// Enters: libcudart.so.13 as built (LAB_CUDART), opened as a program's loader would. Leaves: the codes that an NVIDIA H200 gave for the same
// calls (tests/cudart/calls has thousands of them, drawn).
#include <dlfcn.h>

#include <doctest/doctest.h>
#include <chrono>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using Handle = void*;

// The runtime's calls begin with `cuda`, the driver's with `cu` alone; its library lies beside.
void* library_of(std::string_view name) {
  static void* const runtime = dlopen(std::getenv("LAB_CUDART"), RTLD_NOW);
  if (name.starts_with("cuda")) return runtime;
  static void* const driver = [] {
    const std::string file = std::getenv("LAB_CUDART");
    return dlopen((file.substr(0, file.rfind('/')) + "/libcuda.so.1").c_str(), RTLD_NOW);
  }();
  return driver;
}

template <class... A>
int call(const char* name, A... arguments) {
  void* const library = library_of(name);
  REQUIRE(library != nullptr);
  auto* const function = reinterpret_cast<int (*)(A...)>(dlsym(library, name));
  const bool is_there = function != nullptr;
  REQUIRE_MESSAGE(is_there, name);
  return function(arguments...);
}

constexpr unsigned kBlocking = 0, kNonBlocking = 1;
constexpr int kGlobal = 0, kRelaxed = 2;
const Handle kDefault = nullptr;

Handle stream(unsigned flags) {
  Handle made = nullptr;
  CHECK(call("cudaStreamCreateWithFlags", &made, flags) == 0);
  return made;
}
Handle event() {
  Handle made = nullptr;
  CHECK(call("cudaEventCreate", &made) == 0);
  return made;
}
void* memory(std::size_t bytes) {
  void* made = nullptr;
  CHECK(call("cudaMalloc", &made, bytes) == 0);
  return made;
}
void nothing(void* /*data*/) {}

// The code of `during` while a stream is captured, then that of the capture's end.
template <class During>
std::pair<int, int> captured(unsigned flags, int mode, const During& during) {
  const Handle s = stream(flags);
  CHECK(call("cudaStreamBeginCapture", s, mode) == 0);
  const int code = during(s);
  Handle graph = nullptr;
  const int ended = call("cudaStreamEndCapture", s, &graph);
  CHECK((graph != nullptr) == (ended == 0));
  call("cudaGetLastError");
  return {code, ended};
}
using Codes = std::pair<int, int>;

}  // namespace

TEST_CASE("a capture refuses what could touch more than it records") {
  void* made = nullptr;
  const auto allocates = [&](Handle) { return call("cudaMalloc", &made, std::size_t{64}); };
  CHECK(captured(kBlocking, kGlobal, allocates) == Codes{900, 901});
  CHECK(captured(kBlocking, kRelaxed, allocates) == Codes{0, 0});
  CHECK(captured(kBlocking, kRelaxed, [](Handle) { return call("cudaDeviceSynchronize"); }) ==
        Codes{900, 901});
  CHECK(captured(kBlocking, kRelaxed, [](Handle s) { return call("cudaStreamQuery", s); }) ==
        Codes{900, 901});
}

TEST_CASE("the default stream would wait for a captured one") {
  void* const at = memory(128);
  const auto fills = [&](Handle) { return call("cudaMemset", at, 0, std::size_t{128}); };
  CHECK(captured(kBlocking, kRelaxed, fills) == Codes{906, 901});
  CHECK(captured(kNonBlocking, kGlobal, fills) == Codes{0, 0});
}

TEST_CASE("streams and events of a capture") {
  const Handle other = stream(kNonBlocking), e = event();
  CHECK(captured(kBlocking, kGlobal, [&](Handle s) {
          CHECK(call("cudaEventRecord", e, s) == 0);
          CHECK(call("cudaStreamWaitEvent", other, e, 0u) == 0);
          return call("cudaLaunchHostFunc", other, &nothing, kDefault);
        }) == Codes{0, 904});
  CHECK(captured(kBlocking, kGlobal, [&](Handle s) {
          CHECK(call("cudaEventRecord", e, other) == 0);
          return call("cudaStreamWaitEvent", s, e, 0u);
        }) == Codes{905, 901});
  CHECK(captured(kBlocking, kGlobal, [&](Handle s) {
          CHECK(call("cudaEventRecord", e, s) == 0);
          return call("cudaEventQuery", e);
        }) == Codes{907, 901});
}

TEST_CASE("an answer that work is not done is no error") {
  void* const at = memory(128);
  const Handle s = stream(kNonBlocking), e = event();
  CHECK(call("cudaMemsetAsync", at, 0, std::size_t{128}, s) == 0);
  CHECK(call("cudaEventRecord", e, s) == 0);
  const int answer = call("cudaEventQuery", e);
  CHECK((answer == 0 || answer == 600));
  CHECK(call("cudaPeekAtLastError") == 0);
}

TEST_CASE("a pageable source is read when the copy is handed over") {
  std::vector<char> source(64, 1), result(64, 0);
  void* const at = memory(64);
  const Handle s = stream(kNonBlocking);
  const auto fill = [](void* data) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    static_cast<std::vector<char>*>(data)->assign(64, 2);
  };
  CHECK(call("cudaLaunchHostFunc", s, static_cast<void (*)(void*)>(fill), static_cast<void*>(&source)) == 0);
  CHECK(call("cudaMemcpyAsync", at, static_cast<const void*>(source.data()), std::size_t{64}, 1, s) == 0);
  CHECK(call("cudaStreamSynchronize", s) == 0);
  CHECK(call("cudaMemcpy", static_cast<void*>(result.data()), static_cast<const void*>(at), std::size_t{64},
             2) == 0);
  CHECK(source[0] == 2);
  CHECK(result == std::vector<char>(64, 1));
}

TEST_CASE("each thread has a stream of its own") {
  const auto number = [] {
    unsigned long long id = 0;
    CHECK(call("cudaStreamGetId", reinterpret_cast<Handle>(2), &id) == 0);
    return id;
  };
  const unsigned long long first = number();
  unsigned long long second = first, of_default = 0;
  std::thread([&] { second = number(); }).join();
  CHECK(first != second);
  CHECK(first == number());
  CHECK(call("cudaStreamGetId_ptsz", kDefault, &of_default) == 0);
  CHECK(of_default == first);
}

TEST_CASE("threads make, use and destroy contexts of the driver at once") {
  CHECK(call("cuInit", 0u) == 0);
  std::vector<int> failed(6);
  std::vector<std::thread> threads;
  for (int& mine : failed)
    threads.emplace_back([&mine] {
      for (int round = 0; round < 3000; ++round) {
        Handle made = nullptr, now = nullptr;
        mine += static_cast<int>(call("cuCtxCreate_v2", &made, 0u, 0) != 0);
        mine += static_cast<int>(call("cuCtxGetCurrent", &now) != 0 || now != made);
        mine += static_cast<int>(call("cuCtxSetCurrent", made) != 0);
        mine += static_cast<int>(call("cuCtxDestroy_v2", made) != 0);
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(failed == std::vector<int>(6));
  Handle made = nullptr, other = nullptr;
  CHECK(call("cuCtxCreate_v2", &made, 0u, 0) == 0);
  std::thread([&] {
    CHECK(call("cuCtxDestroy_v2", made) == 0);
  }).join();  // it is still on this thread's stack
  CHECK(call("cuCtxCreate_v2", &other, 0u, 0) == 0);
  CHECK(call("cuCtxDestroy_v2", other) == 0);
  CHECK(call("cuCtxPopCurrent_v2", &other) == 0);
}

TEST_CASE("memory of a pool of the host is none of the GPU's, and is given back as such") {
  struct {
    int type = 1, handles = 0;      // pinned
    int location_type = 2, id = 0;  // the host
    void* security = nullptr;
    std::size_t most = 0;
    unsigned short usage = 0;
    unsigned char reserved[54] = {};
  } properties;
  Handle pool = nullptr;
  void* made = nullptr;
  const auto free_bytes = [] {
    std::size_t free = 0, all = 0;
    CHECK(call("cudaMemGetInfo", &free, &all) == 0);
    return free;
  };
  const std::size_t before = free_bytes();
  CHECK(call("cudaMemPoolCreate", &pool, &properties) == 0);
  CHECK(call("cudaMallocFromPoolAsync", &made, std::size_t{65'536}, pool, kDefault) == 0);
  CHECK(free_bytes() == before);
  CHECK(call("cudaFreeAsync", made, kDefault) == 0);
  CHECK(call("cudaStreamSynchronize", kDefault) == 0);
  CHECK(free_bytes() == before);
  CHECK(call("cudaMemPoolDestroy", pool) == 0);
}

TEST_CASE("a limit is kept in steps and bounds, as an H200 keeps it") {
  struct {
    int limit, code;
    std::size_t set, kept;
  } const rows[] = {{0, 0, 17, 32},
                    {0, 0, 100'000, 100'000},
                    {0, 1, 524'288, 100'000},
                    {1, 0, 0, 524'288},
                    {1, 0, 524'289, 524'544},
                    {2, 0, 4096, 4'194'304},
                    {2, 0, 4'194'305, 4'259'840},
                    {4, 0, 1, 32},
                    {4, 0, 1 << 20, 599'186},
                    {5, 0, 128, 128},
                    {5, 1, 129, 128},
                    {6, 0, 1, 3'932'160},
                    {6, 0, 3'932'161, 7'864'320},
                    {6, 1, 50 << 20, 7'864'320}};
  for (const auto& row : rows) {
    CAPTURE(row.limit);
    CAPTURE(row.set);
    CHECK(call("cudaDeviceSetLimit", row.limit, row.set) == row.code);
    std::size_t kept = 0;
    CHECK(call("cudaDeviceGetLimit", &kept, row.limit) == 0);
    CHECK(kept == row.kept);
  }
  call("cudaGetLastError");
}
