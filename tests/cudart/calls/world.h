// What a drawn sequence of calls works on: streams, events, buffers of every kind, graphs, and the numbers that it draws.
//
// Enters: a seed. Leaves: one line per sequence, each call with its arguments, code and values. Handles have names (s2, e0, b3), so that
// the line is the same on a GPU and on the simulator. What is drawn never depends on what a call answered.
#pragma once

#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

class Draw {
 public:
  // Mixed, so that the numbers of one seed are not those of the next moved by one.
  explicit Draw(std::uint64_t seed) : state_(mixed(seed + 1)) {}
  std::uint64_t next() { return mixed(state_ += 0x9E3779B97F4A7C15ull); }
  int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
  bool one_in(int n) { return below(n) == 0; }

 private:
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

enum class Made { None, Device, Managed, Pinned, Heap, Async, Registered, Array, Pool };
struct Buffer {
  void* at = nullptr;
  Made made = Made::None;
};
constexpr std::size_t kBytes = 4096;       // of each buffer
constexpr std::size_t kHeapBytes = 65536;  // of those that the C library gave

constexpr int kStreams = 7, kEvents = 5, kBuffers = 10, kGraphs = 4, kExecs = 3, kNodes = 8, kArrays = 3,
              kPools = 4;
constexpr int kNew = 6, kAsync = 7, kRegistered = 8, kNull = 9;  // buffers: what a call made, …, none

struct World {
  Draw draw;
  std::string line;
  bool one_stream;  // all work goes into one stream: what memory holds is defined, and printed
  int the_stream;
  std::array<cudaStream_t, kStreams> streams{};
  std::array<cudaEvent_t, kEvents> events{};
  std::array<Buffer, kBuffers> buffers{};
  std::array<cudaGraph_t, kGraphs> graphs{};
  std::array<cudaGraphExec_t, kExecs> execs{};
  std::array<cudaGraphNode_t, kNodes> nodes{};
  std::array<cudaArray_t, kArrays> arrays{};
  std::array<cudaMemPool_t, kPools> pools{};
  cudaUserObject_t object = nullptr;
  cudaGraphConditionalHandle condition = 0;
  CUmodule module_loaded = nullptr;
  CUfunction function = nullptr;
  cudaTextureObject_t texture = 0;
  cudaSurfaceObject_t surface = 0;
  cudaMipmappedArray_t mipmaps = nullptr;
  std::vector<void*> owned;  // by graphs: freed with them
  std::size_t next_node = 0;
  int last_graph = 0;  // the slot that was drawn last

  explicit World(std::uint64_t seed);
  void clean();

  void print(const std::string& text) {
    line += text;
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  }
  static void forget() {
    cudaGetLastError();
    cudaGetLastError();
  }

  // Draws the arguments from left to right, calls, and prints what came of it.
  template <class... Kind, class Call>
  void run(const char* name, Call call) {
    std::tuple<Kind...> arguments{Kind(*this)...};
    std::string text = std::string(" ") + name + "(";
    bool first = true;
    std::apply([&](auto&... a) { ((text += (first ? "" : ",") + a.shown(), first = false), ...); },
               arguments);
    print(text + ")");
    const int code = static_cast<int>(std::apply([&](auto&... a) { return call(a.value()...); }, arguments));
    std::string result = "=" + std::to_string(code);
    std::apply([&](auto&... a) { ((code == 0 ? result += a.kept(*this) : result), ...); }, arguments);
    print(result);
  }
  // A call of several steps, or one whose code depends on how far the GPU has come.
  template <class Body>
  void say(const char* name, const std::string& arguments, Body body) {
    print(std::string(" ") + name + "(" + arguments + ")");
    print("=" + body());
  }
};

// One call that may be drawn.
struct Op {
  const char* name;
  void (*run)(World&);
};
#define CALL(name, ...)                                                                             \
  Op{#name, [](World& w) {                                                                          \
       w.run<__VA_ARGS__>(#name, [](auto&&... a) { return name(static_cast<decltype(a)>(a)...); }); \
     }},

__device__ int device_variable[16];
__global__ void add(int* p, int v);
__global__ void wide(double* p);
__global__ void shared_static(int* p);
