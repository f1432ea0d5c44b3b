// One matrix, five ways to move it: two copies that set the mark, then a transpose that gets better twice.
// mask: \s[0-9.]+ GB/s
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kSide = 512, kTile = 32, kLines = 8, kTimed = 3;

void must(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

// Where a thread starts in the matrix that is read: its block's tile, its own line and column of it.
struct Place {
  int row, col;
};
__device__ Place start(int tile_row, int tile_col) {
  return {tile_row * kTile + static_cast<int>(threadIdx.y), tile_col * kTile + static_cast<int>(threadIdx.x)};
}
__device__ int at(int row, int col) { return row * kSide + col; }

__global__ void plainCopy(float* out, const float* in) {
  const Place p = start(blockIdx.y, blockIdx.x);
  for (int step = 0; step < kTile; step += kLines) out[at(p.row + step, p.col)] = in[at(p.row + step, p.col)];
}

__global__ void stagedCopy(float* out, const float* in) {
  __shared__ float stage[kTile][kTile];
  const Place p = start(blockIdx.y, blockIdx.x);
  for (int step = 0; step < kTile; step += kLines)
    stage[threadIdx.y + step][threadIdx.x] = in[at(p.row + step, p.col)];
  __syncthreads();
  for (int step = 0; step < kTile; step += kLines)
    out[at(p.row + step, p.col)] = stage[threadIdx.y + step][threadIdx.x];
}

// Reads along rows, so it writes along columns.
__global__ void direct(float* out, const float* in) {
  const Place p = start(blockIdx.y, blockIdx.x);
  for (int step = 0; step < kTile; step += kLines) out[at(p.col, p.row + step)] = in[at(p.row + step, p.col)];
}

// Rows on both sides; the turn happens in shared memory, whose rows are kTile + kExtra words apart.
template <int kExtra>
__global__ void staged(float* out, const float* in) {
  __shared__ float stage[kTile][kTile + kExtra];
  const Place from = start(blockIdx.y, blockIdx.x), to = start(blockIdx.x, blockIdx.y);
  for (int step = 0; step < kTile; step += kLines)
    stage[threadIdx.y + step][threadIdx.x] = in[at(from.row + step, from.col)];
  __syncthreads();
  for (int step = 0; step < kTile; step += kLines)
    out[at(to.row + step, to.col)] = stage[threadIdx.x][threadIdx.y + step];
}

struct Rung {
  const char* name;
  void (*kernel)(float*, const float*);
  bool turns;
};

// Elements that are not where they belong.
int misplaced(const std::vector<float>& in, const std::vector<float>& out, bool turned) {
  int count = 0;
  for (int row = 0; row < kSide; ++row)
    for (int col = 0; col < kSide; ++col)
      count += out[row * kSide + col] != in[turned ? col * kSide + row : row * kSide + col];
  return count;
}

int main() {
  const size_t bytes = sizeof(float) * kSide * kSide;
  std::vector<float> in(kSide * kSide), out(kSide * kSide);
  for (size_t k = 0; k < in.size(); ++k) in[k] = static_cast<float>(k);
  float *from, *to;
  must(cudaMalloc(&from, bytes), "first buffer");
  must(cudaMalloc(&to, bytes), "second buffer");
  must(cudaMemcpy(from, in.data(), bytes, cudaMemcpyHostToDevice), "input");
  cudaEvent_t began, ended;
  must(cudaEventCreate(&began), "event");
  must(cudaEventCreate(&ended), "event");

  const Rung ladder[] = {{"copy", plainCopy, false},
                         {"copy through shared memory", stagedCopy, false},
                         {"direct", direct, true},
                         {"through a tile", staged<0>, true},
                         {"through a padded tile", staged<1>, true}};
  const dim3 grid(kSide / kTile, kSide / kTile), block(kTile, kLines);
  int wrong = 0;
  for (const Rung& rung : ladder) {
    must(cudaMemset(to, 0xff, bytes), "poison");
    rung.kernel<<<grid, block>>>(to, from);  // once before the clock starts
    must(cudaEventRecord(began), "start");
    for (int k = 0; k < kTimed; ++k) rung.kernel<<<grid, block>>>(to, from);
    must(cudaEventRecord(ended), "stop");
    must(cudaEventSynchronize(ended), rung.name);
    float milliseconds = 0;
    must(cudaEventElapsedTime(&milliseconds, began, ended), "time");
    must(cudaMemcpy(out.data(), to, bytes, cudaMemcpyDeviceToHost), "output");
    const int bad = misplaced(in, out, rung.turns);
    std::printf("%-28s %9.1f GB/s  %d misplaced\n", rung.name, 2e-6 * bytes * kTimed / milliseconds, bad);
    wrong += bad;
  }
  must(cudaEventDestroy(began), "event");
  must(cudaEventDestroy(ended), "event");
  must(cudaFree(from), "first buffer");
  must(cudaFree(to), "second buffer");
  return wrong == 0 ? 0 : 1;
}
