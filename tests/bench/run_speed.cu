// How long the simulated GPU takes for a launch, and for a transpose of 8192 x 8192 floats; wall time of the host.
//
// Place in the flow: `./lab run --quiet tests/bench/run_speed.cu`. Enters: nothing, or the side of the matrix. Leaves:
// microseconds per launch and seconds per transpose, which docs/speed.md quotes; 1 when a result is wrong.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {
constexpr int kTile = 32, kRows = 8;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

__global__ void nothing() {}

__global__ void naive(float* out, const float* in, int side) {
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) out[size_t(x) * side + y + j] = in[size_t(y + j) * side + x];
}

__global__ void padded(float* out, const float* in, int side) {
  __shared__ float tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) tile[threadIdx.y + j][threadIdx.x] = in[size_t(y + j) * side + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) out[size_t(y + j) * side + x] = tile[threadIdx.x][threadIdx.y + j];
}

void time_launches() {
  constexpr int kLaunches = 20000;
  nothing<<<1, 32>>>();  // loads the module
  cudaDeviceSynchronize();
  const auto start = Clock::now();
  for (int k = 0; k < kLaunches; ++k) nothing<<<1, 32>>>();
  cudaDeviceSynchronize();
  std::printf("launch: %.2f us each, %d launches\n", seconds_since(start) / kLaunches * 1e6, kLaunches);
}

template <typename Kernel>
bool time_transpose(const char* name, Kernel kernel, float* d_out, const float* d_in, std::vector<float>& h, int side) {
  const size_t bytes = h.size() * sizeof(float);
  cudaMemset(d_out, 0xff, bytes);
  const auto start = Clock::now();
  kernel<<<dim3(side / kTile, side / kTile), dim3(kTile, kRows)>>>(d_out, d_in, side);
  const cudaError_t error = cudaDeviceSynchronize();
  const double seconds = seconds_since(start);
  std::vector<float> out(h.size());
  cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost);
  bool right = error == cudaSuccess;
  for (int r = 0; r < side && right; ++r)
    for (int c = 0; c < side; ++c) right = right && out[size_t(c) * side + r] == h[size_t(r) * side + c];
  std::printf("%s: %d x %d floats in %.2f s, %s\n", name, side, side, seconds, right ? "right" : "WRONG");
  return right;
}
}  // namespace

int main(int argc, char** argv) {
  const int side = argc > 1 ? std::atoi(argv[1]) : 8192;
  if (side < kTile || side % kTile) {
    std::printf("the side is a multiple of %d\n", kTile);
    return 2;
  }
  time_launches();
  std::vector<float> h(size_t(side) * side);
  for (size_t k = 0; k < h.size(); ++k) h[k] = float(k % 16777213);
  float *d_in, *d_out;
  cudaMalloc(&d_in, h.size() * sizeof(float));
  cudaMalloc(&d_out, h.size() * sizeof(float));
  cudaMemcpy(d_in, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
  const bool right = time_transpose("naive", naive, d_out, d_in, h, side) & time_transpose("padded", padded, d_out, d_in, h, side);
  cudaFree(d_in);
  cudaFree(d_out);
  return right ? 0 : 1;
}
