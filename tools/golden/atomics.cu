// How long atomics on few places take: many warps add to one word, to the words of one sector, of one line, to
// a few lines, to many; integers and floats of 4 and 8 bytes; with and without the old value.
//
// Enters: a GPU. Leaves, on standard output: rows of tests/golden/atomics.csv without the first column, `gpu`.
//     nvcc -O3 -std=c++17 -arch=native -o atomics tools/golden/atomics.cu && ./atomics
//     ncu … ./atomics once      each launched once, for the profiler's counters
#include <algorithm>
#include <cstdio>
#include <vector>

namespace {

constexpr int kBlocks = 528, kThreads = 256, kEach = 32;  // atomics of a thread
constexpr int kWords = 1 << 20;

// `places`: a power of two. Lane i of every warp adds to word i * step modulo `places` behind its warp's first.
// The offset comes from memory: nothing here is known to be the same for all lanes.
template <class T, bool kOld>
__global__ void add(T* out, const unsigned* zero, unsigned places, unsigned step, unsigned warps_apart, int lanes) {
  const unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const unsigned at = (lane * step + warp * warps_apart + zero[lane]) & (places - 1);
  if (static_cast<int>(lane) >= lanes) return;
  T sum = 0;
  for (int k = 0; k < kEach; ++k) {
    const T old = atomicAdd(&out[(at + zero[k & 31]) & (places - 1)], T(1));
    if (kOld) sum += old;
  }
  if (kOld && sum == T(-12345)) out[0] = sum;
}

struct Pattern {
  const char* name;
  unsigned places, step, warps_apart;
  int lanes;
};

template <class T, bool kOld>
void time(const char* type, void* memory, const unsigned* zero, bool once) {
  const Pattern patterns[] = {
      {"one word, one lane", 1, 0, 0, 1},       {"one word", 1, 0, 0, 32},
      {"words of one sector", 8, 1, 0, 32},     {"words of one line", 32, 1, 0, 32},
      {"32 lines", 1024, 32, 0, 32},            {"1024 words, each warp one line", 1024, 1, 32, 32},
      {"many words, each warp one line", kWords, 1, 32, 32},
      {"many words, each lane a line", kWords, 32, 1024, 32}};
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  for (const Pattern& p : patterns) {
    const auto launch = [&] {
      add<T, kOld><<<kBlocks, kThreads>>>(static_cast<T*>(memory), zero, p.places, p.step, p.warps_apart, p.lanes);
    };
    launch();
    if (once) continue;
    std::vector<float> us;
    for (int s = 0; s < 7; ++s) {
      cudaEventRecord(begin), launch(), cudaEventRecord(end), cudaEventSynchronize(end);
      float ms = 0;
      cudaEventElapsedTime(&ms, begin, end);
      us.push_back(ms * 1e3F);
    }
    std::sort(us.begin(), us.end());
    const long long warps = kBlocks * kThreads / 32;
    std::printf("%s,%d,\"%s\",%lld,%lld,%.3f\n", type, kOld, p.name, warps * kEach, warps * kEach * p.lanes, us[3]);
  }
}

}  // namespace

int main(int argc, char**) {
  void* memory = nullptr;
  unsigned* zero = nullptr;
  if (cudaMalloc(&memory, kWords * 8) != cudaSuccess || cudaMalloc(&zero, 128) != cudaSuccess) return 3;
  cudaMemset(memory, 0, kWords * 8), cudaMemset(zero, 0, 128);
  const bool once = argc > 1;
  if (!once) std::printf("type,old,places,requests,lanes,microseconds\n");
  time<unsigned, false>("u32", memory, zero, once);
  time<unsigned, true>("u32", memory, zero, once);
  time<float, false>("f32", memory, zero, once);
  time<unsigned long long, false>("u64", memory, zero, once);
  time<double, false>("f64", memory, zero, once);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
