// A matrix split by rows over two GPUs, its transpose split in the same way: who carries how many bytes over
// the link, and how fast.
//
// Enters: two GPUs with peer access. Leaves: CSV on stdout: bytes that cross the link each way, the way,
// median and best microseconds of the slower GPU, wrong elements. Build: nvcc -O3 -std=c++17 -arch=sm_90
// two_gpus.cu -lnccl. Run with NCCL_NVLS_ENABLE=0.
#include <nccl.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(call) check(static_cast<int>(call), __LINE__)

namespace {

void check(int code, int line) {
  if (code == 0) return;
  std::fprintf(stderr, "two_gpus.cu:%d: error %d\n", line, code);
  std::exit(1);
}

constexpr int kTile = 64;  // elements along each side of a tile
constexpr int kThreads = 256;
constexpr int kRuns = 25, kWarmUp = 4;

// Swizzled in pieces of 16 bytes; a thread turns 4 × 4 elements in its registers.
__device__ void turn_tile(float* out, const float* in, size_t out_pitch, size_t in_pitch) {
  __shared__ float4 tile[kTile][kTile / 4];
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;
  float4 r[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) r[k] = *reinterpret_cast<const float4*>(in + (y * 4 + k) * in_pitch + x * 4);
  const float4 turned[4] = {{r[0].x, r[1].x, r[2].x, r[3].x},
                            {r[0].y, r[1].y, r[2].y, r[3].y},
                            {r[0].z, r[1].z, r[2].z, r[3].z},
                            {r[0].w, r[1].w, r[2].w, r[3].w}};
#pragma unroll
  for (int k = 0; k < 4; ++k) tile[x * 4 + k][y ^ x] = turned[k];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int row = k * 16 + y;
    *reinterpret_cast<float4*>(out + row * out_pitch + x * 4) = tile[row][x ^ (row / 4)];
  }
}

// Tile k of a square of `tiles` × `tiles`: strips of 8 tiles, so that neighbours in time share rows of both
// matrices.
struct Place {
  size_t row, col;
};
__device__ Place place_of(int k, int tiles) {
  const int wide = min(8, tiles), strip = k / (wide * tiles), within = k % (wide * tiles);
  return {size_t(within / wide) * kTile, size_t(strip * wide + within % wide) * kTile};
}

// A square turned: `in` and `out` are its corners.
__global__ void __launch_bounds__(kThreads)
    turn(float* out, const float* in, int tiles, size_t out_pitch, size_t in_pitch) {
  const Place at = place_of(blockIdx.x, tiles);
  turn_tile(out + at.col * out_pitch + at.row, in + at.row * in_pitch + at.col, out_pitch, in_pitch);
}

// Two squares by turns: one goes over the link, one stays.
__global__ void __launch_bounds__(kThreads)
    turn_two(float* far_out, const float* far_in, float* out, const float* in, int tiles, size_t pitch,
             bool far_first) {
  const int squares = tiles * tiles;
  const bool far = far_first ? blockIdx.x < squares : blockIdx.x % 2 == 0;
  const Place at = place_of(far_first ? blockIdx.x % squares : blockIdx.x / 2, tiles);
  const size_t to = at.col * pitch + at.row, from = at.row * pitch + at.col;
  turn_tile((far ? far_out : out) + to, (far ? far_in : in) + from, pitch, pitch);
}

__global__ void copy(float4* to, const float4* from, size_t count) {
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += size_t(gridDim.x) * blockDim.x)
    to[i] = from[i];
}

struct Gpu {
  float *in, *out, *stage, *received;
  cudaStream_t stream;
  cudaEvent_t before, after;
  ncclComm_t comm;
};

float value_at(size_t row, size_t col) {
  return static_cast<float>((row * 40503u + col * 9973u) % 16777213u);
}

template <class Body>
void measure(Gpu (&gpus)[2], size_t n, const char* name, bool transposes, Body body) {
  const size_t half = n / 2;
  std::vector<float> times;
  for (Gpu& gpu : gpus)
    CHECK(cudaSetDevice(static_cast<int>(&gpu - gpus))), CHECK(cudaMemset(gpu.out, 0xff, half * n * 4)),
        CHECK(cudaDeviceSynchronize());
  for (int run = 0; run < kRuns + kWarmUp; ++run) {
    for (int g = 0; g < 2; ++g)
      CHECK(cudaSetDevice(g)), CHECK(cudaEventRecord(gpus[g].before, gpus[g].stream));
    body();
    for (int g = 0; g < 2; ++g)
      CHECK(cudaSetDevice(g)), CHECK(cudaEventRecord(gpus[g].after, gpus[g].stream));
    float slower = 0;
    for (int g = 0; g < 2; ++g) {
      float ms = 0;
      CHECK(cudaSetDevice(g)), CHECK(cudaDeviceSynchronize()),
          CHECK(cudaEventElapsedTime(&ms, gpus[g].before, gpus[g].after));
      slower = std::max(slower, ms);
    }
    if (run >= kWarmUp) times.push_back(slower * 1000);
  }
  std::sort(times.begin(), times.end());
  long wrong = 0;
  if (transposes) {
    std::vector<float> rows(half * n);
    for (int g = 0; g < 2; ++g) {
      CHECK(cudaMemcpy(rows.data(), gpus[g].out, half * n * 4, cudaMemcpyDefault));
      for (size_t row = 0; row < half; ++row)
        for (size_t col = 0; col < n; ++col) wrong += rows[row * n + col] != value_at(col, g * half + row);
    }
  }
  std::printf("%zu,%zu,\"%s\",%.2f,%.2f,%s\n", n, half * half * 4, name, times[times.size() / 2], times[0],
              transposes ? std::to_string(wrong).c_str() : "");
  std::fflush(stdout);
}

void measure_all(size_t n) {
  const size_t half = n / 2, bytes = half * half * 4;
  const int tiles = static_cast<int>(half / kTile), squares = tiles * tiles;
  Gpu gpus[2];
  const int devices[2] = {0, 1};
  ncclComm_t comms[2];
  CHECK(ncclCommInitAll(comms, 2, devices));
  std::vector<float> rows(half * n);
  for (int g = 0; g < 2; ++g) {
    Gpu& gpu = gpus[g];
    CHECK(cudaSetDevice(g));
    if (cudaDeviceEnablePeerAccess(1 - g, 0) != cudaSuccess) cudaGetLastError();
    CHECK(cudaMalloc(&gpu.in, half * n * 4)), CHECK(cudaMalloc(&gpu.out, half * n * 4)),
        CHECK(cudaMalloc(&gpu.stage, bytes)), CHECK(cudaMalloc(&gpu.received, bytes));
    CHECK(cudaStreamCreate(&gpu.stream)), CHECK(cudaEventCreate(&gpu.before)),
        CHECK(cudaEventCreate(&gpu.after));
    gpu.comm = comms[g];
    for (size_t row = 0; row < half; ++row)
      for (size_t col = 0; col < n; ++col) rows[row * n + col] = value_at(g * half + row, col);
    CHECK(cudaMemcpy(gpu.in, rows.data(), half * n * 4, cudaMemcpyDefault));
  }
  const auto on_both = [&](auto body) {
    return [&gpus, body] {
      for (int g = 0; g < 2; ++g) CHECK(cudaSetDevice(g)), body(g, gpus[g], gpus[1 - g]);
    };
  };
  // What lies on the diagonal stays; the other square of a GPU's rows goes to its peer.
  const auto own_in = [=](int g, const Gpu& gpu) { return gpu.in + g * half; };
  const auto far_in = [=](int g, const Gpu& gpu) { return gpu.in + (1 - g) * half; };
  const auto own_out = [=](int g, const Gpu& gpu) { return gpu.out + g * half; };
  measure(gpus, n, "copy engine", false, on_both([=](int, Gpu& gpu, Gpu& peer) {
            CHECK(cudaMemcpyAsync(peer.out, gpu.in, bytes, cudaMemcpyDefault, gpu.stream));
          }));
  measure(gpus, n, "copy engine 2-D", false, on_both([=](int g, Gpu& gpu, Gpu& peer) {
            CHECK(cudaMemcpy2DAsync(peer.out + g * half, n * 4, gpu.stage, half * 4, half * 4, half,
                                    cudaMemcpyDefault, gpu.stream));
          }));
  measure(gpus, n, "threads store a copy", false, on_both([=](int, Gpu& gpu, Gpu& peer) {
            copy<<<4224, 256, 0, gpu.stream>>>(reinterpret_cast<float4*>(peer.out),
                                               reinterpret_cast<const float4*>(gpu.in), bytes / 16);
          }));
  measure(gpus, n, "threads load a copy", false, on_both([=](int, Gpu& gpu, Gpu& peer) {
            copy<<<4224, 256, 0, gpu.stream>>>(reinterpret_cast<float4*>(gpu.out),
                                               reinterpret_cast<const float4*>(peer.in), bytes / 16);
          }));
  for (bool far_first : {false, true})
    measure(gpus, n,
            far_first ? "one kernel stores into the peer, remote tiles first"
                      : "one kernel stores into the peer, by turns",
            true, on_both([=](int g, Gpu& gpu, Gpu& peer) {
              turn_two<<<2 * squares, kThreads, 0, gpu.stream>>>(
                  peer.out + g * half, far_in(g, gpu), own_out(g, gpu), own_in(g, gpu), tiles, n, far_first);
            }));
  measure(gpus, n, "one kernel loads from the peer, by turns", true, on_both([=](int g, Gpu& gpu, Gpu& peer) {
            turn_two<<<2 * squares, kThreads, 0, gpu.stream>>>(gpu.out + (1 - g) * half, peer.in + g * half,
                                                               own_out(g, gpu), own_in(g, gpu), tiles, n,
                                                               false);
          }));
  measure(gpus, n, "turn, 2-D peer copy, turn what stays", true, on_both([=](int g, Gpu& gpu, Gpu& peer) {
            turn<<<squares, kThreads, 0, gpu.stream>>>(gpu.stage, far_in(g, gpu), tiles, half, n);
            CHECK(cudaMemcpy2DAsync(peer.out + g * half, n * 4, gpu.stage, half * 4, half * 4, half,
                                    cudaMemcpyDefault, gpu.stream));
            turn<<<squares, kThreads, 0, gpu.stream>>>(own_out(g, gpu), own_in(g, gpu), tiles, n, n);
          }));
  measure(gpus, n, "turn, NCCL all-to-all, place", true, [&] {
    for (int g = 0; g < 2; ++g)
      CHECK(cudaSetDevice(g)),
          turn<<<squares, kThreads, 0, gpus[g].stream>>>(gpus[g].stage, far_in(g, gpus[g]), tiles, half, n);
    CHECK(ncclGroupStart());
    for (int g = 0; g < 2; ++g) {
      CHECK(ncclSend(gpus[g].stage, half * half, ncclFloat, 1 - g, gpus[g].comm, gpus[g].stream));
      CHECK(ncclRecv(gpus[g].received, half * half, ncclFloat, 1 - g, gpus[g].comm, gpus[g].stream));
    }
    CHECK(ncclGroupEnd());
    for (int g = 0; g < 2; ++g) {
      CHECK(cudaSetDevice(g));
      turn<<<squares, kThreads, 0, gpus[g].stream>>>(own_out(g, gpus[g]), own_in(g, gpus[g]), tiles, n, n);
      CHECK(cudaMemcpy2DAsync(gpus[g].out + (1 - g) * half, n * 4, gpus[g].received, half * 4, half * 4, half,
                              cudaMemcpyDefault, gpus[g].stream));
    }
  });
  for (Gpu& gpu : gpus)
    CHECK(cudaSetDevice(static_cast<int>(&gpu - gpus))), cudaFree(gpu.in), cudaFree(gpu.out),
        cudaFree(gpu.stage), cudaFree(gpu.received), ncclCommDestroy(gpu.comm);
}

}  // namespace

int main() {
  std::printf("n,bytes_each_way,way,median_us,best_us,wrong\n");
  for (size_t n : {2048, 4096, 8192, 16384, 32768}) measure_all(n);
}
