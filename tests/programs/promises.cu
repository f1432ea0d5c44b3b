// One mistake for each promise of docs/run.md, chosen by the program's argument; test_promises.py holds `lab run` to the marked lines.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstdio>
#include <cstring>

__global__ void turn(float* out, const float* in, int n) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * n + threadIdx.x];  // HERE load
  __syncthreads();
  out[threadIdx.y * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y];  // HERE conflict
}
__global__ void no_barrier(float* out, const float* in) {
  __shared__ float row[64];
  row[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = row[63 - threadIdx.x];  // HERE shared-race
}
// Wrong only where the first warp is late: the second reads after three looks.
__global__ void looks_thrice(float* out) {
  __shared__ float item[32];
  __shared__ int ready;
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    item[lane] = lane;  // HERE another-order
    __syncwarp();
    __threadfence_block();
    if (lane == 0) atomicExch(&ready, 1);
  } else {
    for (int looks = 0; looks < 3 && atomicAdd(&ready, 0) == 0; ++looks) __nanosleep(100);
    __threadfence_block();
    out[lane] = item[lane];
  }
}
__global__ void between_blocks(int* sum) { *sum += threadIdx.x; }  // HERE global-race
__global__ void unwritten_tile(float* out) {
  __shared__ float row[32];
  if (threadIdx.x > 0) row[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = row[31 - threadIdx.x];  // HERE uninitialised-shared
}
__global__ void behind(float* out, int n) { out[threadIdx.x + n] = 1; }                         // HERE out-of-bounds
__global__ void odd(float4* out) { *(float4*)((char*)out + 4) = make_float4(1, 2, 3, 4); }      // HERE misaligned
__global__ void split_barrier(int* out) { if (threadIdx.x < 16) __syncthreads(); *out = 1; }    // HERE barrier-divergence
__global__ void reads(float* out, const float* in) { out[threadIdx.x] = in[threadIdx.x]; }      // HERE uninitialised
__global__ void fill(float* out) { out[threadIdx.x] = threadIdx.x; }
__global__ void absent_lane(int* out) { if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0xffffffffu, 1, 0); }
__global__ void slice(float* part, int step) { part[threadIdx.x * step] = 1; }  // HERE out-of-bounds-slice
__global__ void moved(float* from, long distance) { from[threadIdx.x + distance] = 1; }  // HERE out-of-bounds-distance
__global__ void shifted(float* out, const float* base, int first) { out[threadIdx.x] = base[first + int(threadIdx.x)]; }
__global__ void replaced(int* sum, float* out) {
  const int before = *sum;  // HERE replaced-from
  out[threadIdx.x] = before;
  if (threadIdx.x == 0) *sum = before + 1;  // HERE replaced
}
__global__ void never_set(float* out, int n) {
  float last;
  for (int k = 0; k < n; ++k) last = k + out[threadIdx.x];
  out[threadIdx.x] = last;  // HERE uninitialised-local
}
__global__ void sum_of_tile(int* out) {
  namespace cg = cooperative_groups;
  __shared__ cg::block_tile_memory<256> room;
  const auto tile = cg::tiled_partition<256>(cg::this_thread_block(room));
  const int sum = cg::reduce(tile, int(threadIdx.x), cg::plus<int>());  // HERE toolkit
  if (tile.thread_rank() == 0) *out = sum;
}
__global__ void endless(volatile int* flag) { while (*flag == 0) {} }

void set_to_ones(void* bytes) { std::memset(bytes, 1, 4096); }

int main(int count, char** words) {
  const char* const what = count > 1 ? words[1] : "";
  const auto is = [&](const char* name) { return std::strcmp(what, name) == 0; };
  float *a, *b;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  if (!is("uninitialised") && !is("uninitialised-copy")) cudaMemset(a, 0, 4096);
  if (is("turn")) turn<<<1, dim3(32, 32)>>>(b, a, 32);
  if (is("shared-race")) no_barrier<<<1, 64>>>(b, a);
  if (is("another-order")) looks_thrice<<<1, 64>>>(b);
  if (is("global-race")) between_blocks<<<4, 1>>>((int*)a);
  if (is("uninitialised-shared")) unwritten_tile<<<1, 32>>>(b);
  if (is("out-of-bounds") || is("never-asked")) behind<<<1, 32>>>(b, 1024);
  if (is("misaligned")) odd<<<1, 1>>>((float4*)b);
  if (is("barrier-divergence")) split_barrier<<<1, 64>>>((int*)b);
  if (is("uninitialised")) reads<<<1, 32>>>(b, a);
  if (is("out-of-bounds-slice")) slice<<<1, 2>>>(a + 512, 700);
  if (is("out-of-bounds-distance")) moved<<<1, 32>>>(a, b - a + 1);
  if (is("distance")) moved<<<1, 32>>>(a, b - a);
  if (is("shifted")) shifted<<<1, 32>>>(b, a + 300, -300), shifted<<<1, 32>>>(a, b - 300, 300);
  if (is("replaced")) replaced<<<1, 64>>>((int*)a, b);
  if (is("uninitialised-local")) never_set<<<1, 32>>>(a, 0);
  if (is("set")) never_set<<<1, 32>>>(a, 2);
  if (is("toolkit")) sum_of_tile<<<1, 256>>>((int*)a);
  if (is("refused")) {
    cudaMemcpy(a, nullptr, 64, cudaMemcpyHostToDevice);  // HERE refused
    fill<<<1, 2048>>>(b);                                // HERE refused-launch
    cudaGetLastError();
  }
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
  if (is("streams")) std::printf("a default stream for each thread\n");
#endif
  if (is("endless")) endless<<<1, 1>>>((int*)a);
  if (is("invalid-launch")) fill<<<1, 2048>>>(b);
  if (is("twice")) fill<<<1, 32>>>(a), turn<<<1, dim3(32, 32)>>>(b, a, 32);
  if (is("never-asked")) return 0;
  const cudaError_t error = cudaDeviceSynchronize();
  float host[8] = {};
  if (is("uninitialised-copy")) cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);  // HERE uninitialised-copy
  if (is("overlapping-copy")) cudaMemcpy(a + 4, a, 64, cudaMemcpyDeviceToDevice);          // HERE overlapping-copy
  if (is("stream-race")) {
    cudaStream_t one, other;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    fill<<<1, 32, 0, one>>>(a);
    reads<<<1, 32, 0, other>>>(b, a);  // HERE stream-race
    cudaDeviceSynchronize();
  }
  if (is("host-race")) {  // pageable memory is read when the copy is handed over, before the function fills it
    static char pageable[4096];
    cudaStream_t one;
    cudaStreamCreate(&one);
    fill<<<1, 32, 0, one>>>(b);
    cudaLaunchHostFunc(one, set_to_ones, pageable);
    cudaMemcpyAsync(a, pageable, sizeof pageable, cudaMemcpyHostToDevice, one);  // HERE host-race
    cudaStreamSynchronize(one);
    cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
    if (host[0] != 0) std::printf("filled before\n");
  }
  if (is("devices")) cudaGetDeviceCount(&count), std::printf("devices %d\n", count);
  if (is("capability")) {
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    std::printf("capability %d.%d\n", properties.major, properties.minor);
  }
  if (!is("leak") && error == cudaSuccess) cudaFree(a), cudaFree(b);
  if (is("exit")) return 7;
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError() == cudaSuccess ? error : error));
  return 0;
}
