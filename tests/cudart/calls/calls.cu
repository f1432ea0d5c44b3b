// Drawn sequences of calls of the runtime and the driver, right ones and wrong ones, one line for each.
// nvcc: -std=c++20 -arch=sm_80 -lcuda -Xcompiler -Wno-deprecated-declarations
//
// Place in the flow: run_calls.py starts it, on a GPU (whose lines are kept in tests/golden) and under `lab run` (whose lines must be the
// same). Enters: the first seed and how many. Leaves: on standard output each seed, its calls with their codes and values.
#include "ops_driver.h"

__global__ void add(int* p, int v) {
  if (p != nullptr && threadIdx.x < 1024 && blockIdx.x == 0) p[threadIdx.x] += v;
}
__global__ void wide(double* p) { p[1 + threadIdx.x] = 1; }
__global__ void shared_static(int* p) {
  __shared__ int tile[256];
  tile[threadIdx.x % 256] = 1;
  __syncthreads();
  if (p != nullptr && blockIdx.x == 0) p[threadIdx.x] = tile[(threadIdx.x + 1) % 256 % blockDim.x];
}
__global__ void traps() { __trap(); }

namespace {

constexpr const char* kPtx =
    ".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 number;\n.visible .entry empty() { ret; }\n";

void faulty_launch(World& w) {
  const int which = w.draw.below(3);
  const Stream s(w);
  w.say("fault", std::to_string(which) + "," + s.shown(), [&] {
    if (which == 0) wide<<<1, 1, 0, s.value()>>>(reinterpret_cast<double*>(64));
    if (which == 1) wide<<<1, 1, 0, s.value()>>>(reinterpret_cast<double*>(static_cast<char*>(w.buffers[0].at) + 4));
    if (which == 2) traps<<<1, 1, 0, s.value()>>>();
    const int launched = cudaGetLastError();
    return std::to_string(launched) + ":" + std::to_string(cudaDeviceSynchronize());
  });
}

using Ops = std::vector<Op>;
void draw_from(World& w, const std::vector<const Ops*>& lists) {
  const Ops& list = *lists[static_cast<std::size_t>(w.draw.below(static_cast<int>(lists.size())))];
  list[static_cast<std::size_t>(w.draw.below(static_cast<int>(list.size())))].run(w);
}

// Each sequence has a theme; one call in four is of any other.
void sequence(World& w, int theme) {
  const std::vector<const Ops*> all = {&kStreamOps, &kCaptureOps, &kCopyOps, &kMemoryOps, &kPoolOps, &kGraphOps, &kExecOps, &kLaunchOps, &kDeviceOps, &kDriverOps};
  const std::vector<std::vector<const Ops*>> themes = {
      {&kStreamOps, &kStreamOps, &kCopyOps, &kLaunchOps}, {&kStreamOps, &kCopyOps, &kLaunchOps, &kCaptureOps, &kMemoryOps, &kPoolOps, &kExecOps},
      {&kCopyOps, &kMemoryOps, &kCopyOps}, {&kMemoryOps, &kPoolOps, &kPoolOps}, {&kGraphOps, &kGraphOps, &kExecOps}, {&kLaunchOps, &kDeviceOps}, {&kDriverOps}};
  const int calls = 8 + w.draw.below(14);
  const bool captures = theme == 1;
  if (captures) {
    w.run<Stream, CaptureMode>("cudaStreamBeginCapture", [](auto s, auto m) { return cudaStreamBeginCapture(s, m); });
  }
  for (int k = 0; k < calls; ++k) draw_from(w, w.draw.one_in(4) ? all : themes[static_cast<std::size_t>(theme)]);
  if (captures) {
    for (int k = 2; k < 6; ++k) {
      const cudaStream_t s = w.streams[static_cast<std::size_t>(k)];
      w.say("end", "s" + std::to_string(k), [&] {
        const int code = cudaStreamEndCapture(s, &w.graphs[0]);
        return std::to_string(code) + (w.graphs[0] != nullptr ? ":g" : ":-");
      });
    }
  }
  if (theme == 1 || theme == 4) {
    w.run<MakesExec, Graph, Zero>("cudaGraphInstantiate", [](auto x, auto g, auto f) { return cudaGraphInstantiate(x, g, f); });
    w.run<Exec, Stream>("cudaGraphLaunch", [](auto x, auto s) { return cudaGraphLaunch(x, s); });
  }
  contents(w);
}

}  // namespace

World::World(std::uint64_t seed) : draw(seed) {
  one_stream = draw.one_in(3);
  constexpr int kOnes[] = {0, 2, 3, 1};
  the_stream = kOnes[draw.below(4)];
  host_counter = 0;
  cudaStreamCreate(&streams[2]);
  cudaStreamCreateWithFlags(&streams[3], cudaStreamNonBlocking);
  cudaStreamCreateWithPriority(&streams[4], cudaStreamDefault, -1);
  cudaStreamCreateWithFlags(&streams[5], cudaStreamNonBlocking);
  streams[1] = cudaStreamPerThread, streams[6] = cudaStreamLegacy;
  cudaEventCreate(&events[0]), cudaEventCreateWithFlags(&events[1], cudaEventDisableTiming);
  cudaEventCreate(&events[2]), cudaEventCreateWithFlags(&events[3], cudaEventBlockingSync);
  for (const int k : {0, 1}) {
    cudaMalloc(&buffers[static_cast<std::size_t>(k)].at, kBytes);
    buffers[static_cast<std::size_t>(k)].made = Made::Device;
    cudaMemset(buffers[static_cast<std::size_t>(k)].at, 0, kBytes);
  }
  cudaMallocManaged(&buffers[2].at, kBytes), buffers[2].made = Made::Managed;
  cudaMemset(buffers[2].at, 0, kBytes);
  cudaDeviceSynchronize();
  cudaHostAlloc(&buffers[3].at, kBytes, cudaHostAllocDefault), buffers[3].made = Made::Pinned;
  std::memset(buffers[3].at, 0, kBytes);
  for (const int k : {4, 5}) buffers[static_cast<std::size_t>(k)] = {std::calloc(1, kHeapBytes), Made::Heap};
  cudaMallocAsync(&buffers[kAsync].at, kBytes, nullptr), buffers[kAsync].made = Made::Async;
  cudaMemsetAsync(buffers[kAsync].at, 0, kBytes, nullptr);
  cudaDeviceSynchronize();
  for (const int k : {0, 1}) cudaGraphCreate(&graphs[static_cast<std::size_t>(k)], 0);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&arrays[0], &format, 16, 16);
  cudaDeviceGetDefaultMemPool(&pools[0], 0);
  cuModuleLoadData(&module_loaded, kPtx);
  cuModuleGetFunction(&function, module_loaded, "empty");
  cudaUserObjectCreate(&object, &host_counter, on_host, 1, cudaUserObjectNoDestructorSync);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  cudaThreadExchangeStreamCaptureMode(&mode);
  forget();
}

void World::clean() {
  for (const cudaStream_t s : streams) {
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(s, &graph);
  }
  cudaDeviceSynchronize();
  for (const cudaGraphExec_t x : execs)
    if (x != nullptr) cudaGraphExecDestroy(x);
  for (const Buffer& b : buffers) free_one(b);
  for (const Buffer& b : left_over()) free_one(b);
  left_over().clear();
  for (int k = 2; k < 6; ++k)
    if (streams[static_cast<std::size_t>(k)] != nullptr) cudaStreamDestroy(streams[static_cast<std::size_t>(k)]);
  for (const cudaEvent_t e : events)
    if (e != nullptr) cudaEventDestroy(e);
  for (const cudaArray_t a : arrays) cudaFreeArray(a);
  for (const int k : {1, 2})
    if (pools[static_cast<std::size_t>(k)] != nullptr) cudaMemPoolDestroy(pools[static_cast<std::size_t>(k)]);
  cudaDeviceSetMemPool(0, pools[0]);
  cuModuleUnload(module_loaded);
  cudaDeviceSynchronize();
  cudaFuncSetAttribute(reinterpret_cast<const void*>(&add), cudaFuncAttributeMaxDynamicSharedMemorySize, 0);
  forget();
}

// Behind a fault nothing of the process can be used: it ends, and the next seed has a process of its own.
constexpr int kFaulted = 3;

int main(int argc, char** argv) {
  const std::uint64_t first = argc > 1 ? std::stoull(argv[1]) : 0, count = argc > 2 ? std::stoull(argv[2]) : 1;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    World world(seed);
    const bool faults = seed % 32 == 31;
    const int theme = static_cast<int>(seed % 7);
    world.print(std::to_string(seed));
    if (faults) faulty_launch(world);
    sequence(world, theme);
    world.print("\n");
    if (faults || cudaDeviceSynchronize() != cudaSuccess) std::_Exit(kFaulted);
    world.clean();
  }
  return 0;
}
