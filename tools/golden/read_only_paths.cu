// How often a load finds the value from before a store of its own launch, on the path that plain loads take, on the read-only
// path (ld.global.nc) and through a texture, with all between that plain loads need.
//
// Enters: a GPU. Leaves, on standard output: its rows of tests/golden/read_only_paths.csv.
//     nvcc -std=c++17 -arch=native -o read_only_paths tools/golden/read_only_paths.cu && ./read_only_paths
#include <cooperative_groups.h>

#include <cstdio>

namespace {

namespace cg = cooperative_groups;

enum class Path { ReadOnly, Texture, Plain };
// Who writes: another thread of the block, with a barrier between; the reading thread; another block, with grid.sync() between.
enum class Writer { Block, Itself, OtherBlock };
constexpr int kBlocks = 132, kThreads = 256, kWords = kBlocks * kThreads, kRounds = 8;

template <Path path>
__device__ int load(const int* word, cudaTextureObject_t texture, int i) {
  int value;
  if (path == Path::Texture) return tex1Dfetch<int>(texture, i);
  if (path == Path::ReadOnly)
    asm volatile("ld.global.nc.s32 %0, [%1];" : "=r"(value) : "l"(word + i) : "memory");
  else
    asm volatile("ld.global.s32 %0, [%1];" : "=r"(value) : "l"(word + i) : "memory");
  return value;
}

template <Path path>
__global__ void rounds(int* words, Writer writer, cudaTextureObject_t texture, unsigned long long* counts) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const int other = writer == Writer::Itself ? i
                    : writer == Writer::Block ? blockIdx.x * kThreads + (threadIdx.x ^ 37)
                                              : (i + kWords / 2) % kWords;
  const auto all_meet = [&] {
    if (writer == Writer::OtherBlock) {
      __threadfence();
      cg::this_grid().sync();
    } else {
      __syncthreads();
    }
  };
  for (int round = 1; round <= kRounds; ++round) {
    const int before = load<path>(words, texture, i);  // loads the line
    all_meet();
    words[other] = before * 0 + round;
    if (writer != Writer::Itself) all_meet();
    if (load<path>(words, texture, i) != round) atomicAdd(counts, 1ull);
    atomicAdd(counts + 1, 1ull);
    all_meet();
  }
}

template <Path path>
void run(const char* device, const char* name) {
  int* words;
  unsigned long long *counts, host[2];
  cudaMalloc(&words, kWords * sizeof(int));
  cudaMalloc(&counts, sizeof host);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = words;
  resource.res.linear.sizeInBytes = kWords * sizeof(int);
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  const cudaTextureDesc plain = {};
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &plain, nullptr);
  const char* const who[] = {"thread of the block", "itself", "other block"};
  for (Writer writer : {Writer::Block, Writer::Itself, Writer::OtherBlock}) {
    cudaMemset(words, 0, kWords * sizeof(int));
    cudaMemset(counts, 0, sizeof host);
    void* arguments[] = {&words, &writer, &texture, &counts};
    cudaLaunchCooperativeKernel(reinterpret_cast<void*>(rounds<path>), kBlocks, kThreads, arguments);
    cudaMemcpy(host, counts, sizeof host, cudaMemcpyDeviceToHost);
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
    std::printf("%s,%s,%s,%llu,%llu\n", device, name, who[static_cast<int>(writer)], host[0], host[1]);
  }
}

}  // namespace

int main() {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  std::printf("device,path,writer,stale,loads\n");
  run<Path::ReadOnly>(properties.name, "ld.global.nc");
  run<Path::Texture>(properties.name, "tex1Dfetch");
  run<Path::Plain>(properties.name, "ld.global");
}
