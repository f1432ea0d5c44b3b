// Runs a kernel of chapter 16 on the GPUs of this machine at the same time: every element compared, then
// timed beside what the copy engines take for as many bytes.
//
// Enters: a kernel file, named by the macro KERNEL; as many GPUs as its launch shape says, with peer access.
// Arguments: sides of square matrices of floats (4096 8192 when there is none). Leaves: CSV on stdout; exit 1
// when an element is wrong. docs/gpu.md has the line that builds it; `./lab run --gpus 2` runs it on the
// simulator, where times mean nothing.
#include KERNEL

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) check(call, __LINE__)

namespace {

void check(cudaError_t error, int line) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "split_kernel.cu:%d: %s\n", line, cudaGetErrorString(error));
  std::exit(1);
}

constexpr int kRuns = 25, kWarmUp = 4;

// No two neighbours alike, whichever way.
__host__ __device__ float value_at(size_t row, size_t col) {
  return static_cast<float>((row * 40503u + col * 9973u) % 16777213u);
}

__global__ void fill(float* in, size_t first_row, size_t count, size_t cols) {
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += size_t(gridDim.x) * blockDim.x)
    in[i] = value_at(first_row + i / cols, i % cols);
}

__global__ void count_wrong(const float* out, size_t first_col, size_t count, size_t rows,
                            unsigned long long* wrong) {
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += size_t(gridDim.x) * blockDim.x)
    if (out[i] != value_at(i % rows, first_col + i / rows)) atomicAdd(wrong, 1ull);
}

struct Part {
  float *in = nullptr, *out = nullptr;
  unsigned long long* wrong = nullptr;
  size_t in_count = 0, out_count = 0;
  cudaStream_t stream = nullptr;
  cudaEvent_t before = nullptr, after = nullptr;
};

class Matrix {
 public:
  Matrix(const lab::LaunchShape& shape, int rows, int cols)
      : shape_(shape), rows_(rows), cols_(cols), parts_(shape.gpus) {
    gpus_.count = shape.gpus;
    for (int g = 0; g <= shape.gpus; ++g)
      gpus_.row[g] = int(int64_t(rows) * g / shape.gpus), gpus_.col[g] = int(int64_t(cols) * g / shape.gpus);
    for (int g = 0; g < shape.gpus; ++g) make(g);
  }
  ~Matrix() {
    for (int g = 0; g < shape_.gpus; ++g) {
      Part& p = parts_[g];
      cudaSetDevice(g), cudaFree(p.in), cudaFree(p.out), cudaFree(p.wrong), cudaStreamDestroy(p.stream);
      cudaEventDestroy(p.before), cudaEventDestroy(p.after);
    }
  }

  // The kernel on GPU g, and what its copy engine does for as many bytes as it sends.
  void turn(int g) {
    lab::Gpus gpus = gpus_;
    gpus.self = g;
    const unsigned rows = tiles(gpus.row[g + 1] - gpus.row[g], shape_.tile.rows);
    unsigned cols = 0;
    for (int to = 0; to < gpus.count; ++to)
      cols = std::max(cols, tiles(gpus.col[to + 1] - gpus.col[to], shape_.tile.cols));
    if (rows == 0) return;
    const bool along_rows = shape_.block_x_walks == lab::kRows;
    const dim3 grid(along_rows ? rows : cols, along_rows ? cols : rows, gpus.count);
    transpose<<<grid, dim3(shape_.block.x, shape_.block.y), shape_.dynamic_shared_bytes, parts_[g].stream>>>(
        gpus, parts_[g].in, rows_, cols_);
    CHECK(cudaGetLastError());
  }
  void copy(int g) {
    for (int to = 0; to < gpus_.count; ++to) {
      const size_t bytes = size_t(gpus_.row[g + 1] - gpus_.row[g]) * (gpus_.col[to + 1] - gpus_.col[to]) * 4;
      if (to != g)
        CHECK(cudaMemcpyAsync(parts_[to].out, parts_[g].in, bytes, cudaMemcpyDefault, parts_[g].stream));
    }
  }

  unsigned long long wrong() {
    unsigned long long all = 0;
    for (int g = 0; g < gpus_.count; ++g) {
      Part& p = parts_[g];
      unsigned long long one = 0;
      CHECK(cudaSetDevice(g)), CHECK(cudaMemset(p.wrong, 0, sizeof one));
      count_wrong<<<64, 256>>>(p.out, gpus_.col[g], p.out_count, rows_, p.wrong);
      CHECK(cudaMemcpy(&one, p.wrong, sizeof one, cudaMemcpyDefault));
      all += one;
    }
    return all;
  }

  // Microseconds of the slowest GPU, sorted.
  template <class Work>
  std::vector<float> time(const Work& work) {
    std::vector<float> times;
    for (int run = 0; run < kRuns + kWarmUp; ++run) {
      for (int g = 0; g < gpus_.count; ++g)
        CHECK(cudaSetDevice(g)), CHECK(cudaEventRecord(parts_[g].before, parts_[g].stream));
      for (int g = 0; g < gpus_.count; ++g) CHECK(cudaSetDevice(g)), work(g);
      for (int g = 0; g < gpus_.count; ++g)
        CHECK(cudaSetDevice(g)), CHECK(cudaEventRecord(parts_[g].after, parts_[g].stream));
      float slowest = 0;
      for (int g = 0; g < gpus_.count; ++g) {
        float ms = 0;
        CHECK(cudaSetDevice(g)), CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventElapsedTime(&ms, parts_[g].before, parts_[g].after));
        slowest = std::max(slowest, 1000 * ms);
      }
      if (run >= kWarmUp) times.push_back(slowest);
    }
    std::sort(times.begin(), times.end());
    return times;
  }

 private:
  static unsigned tiles(int side, int tile) { return unsigned((side + tile - 1) / tile); }

  void make(int g) {
    Part& p = parts_[g];
    p.in_count = size_t(gpus_.row[g + 1] - gpus_.row[g]) * cols_;
    p.out_count = size_t(gpus_.col[g + 1] - gpus_.col[g]) * rows_;
    CHECK(cudaSetDevice(g));
    CHECK(cudaMalloc(&p.in, p.in_count * 4 + 4)), CHECK(cudaMalloc(&p.out, p.out_count * 4 + 4));
    CHECK(cudaMalloc(&p.wrong, sizeof *p.wrong)), CHECK(cudaStreamCreate(&p.stream));
    CHECK(cudaEventCreate(&p.before)), CHECK(cudaEventCreate(&p.after));
    CHECK(cudaMemset(p.out, 0xff, p.out_count * 4));
    fill<<<64, 256>>>(p.in, gpus_.row[g], p.in_count, cols_);
    CHECK(cudaDeviceSynchronize());
    gpus_.out[g] = p.out;
  }

  lab::LaunchShape shape_;
  int rows_, cols_;
  lab::Gpus gpus_{};
  std::vector<Part> parts_;
};

void let_reach_each_other(int gpus) {
  int there = 0;
  CHECK(cudaGetDeviceCount(&there));
  if (there < gpus)
    std::fprintf(stderr, "The launch shape says %d GPUs, and here are %d.\n", gpus, there), std::exit(3);
  for (int g = 0; g < gpus; ++g) {
    CHECK(cudaSetDevice(g));
    for (int peer = 0; peer < gpus; ++peer)
      if (peer != g) CHECK(cudaDeviceEnablePeerAccess(peer, 0));
  }
}

}  // namespace

int main(int count, char** arguments) {
  lab::LaunchShape shape;
  CHECK(cudaMemcpyFromSymbol(&shape, lab_launch_shape, sizeof shape));
  let_reach_each_other(shape.gpus);
  std::vector<int> sides;
  for (int i = 1; i < count; ++i) sides.push_back(std::atoi(arguments[i]));
  if (sides.empty()) sides = {4096, 8192};
  unsigned long long wrong = 0;
  std::printf("kernel,gpus,side,bytes_each_way,median_us,best_us,copy_us,percent_of_copy,wrong\n");
  for (const int side : sides) {
    Matrix matrix(shape, side, side);
    for (int g = 0; g < shape.gpus; ++g) CHECK(cudaSetDevice(g)), matrix.turn(g);
    for (int g = 0; g < shape.gpus; ++g) CHECK(cudaSetDevice(g)), CHECK(cudaDeviceSynchronize());
    const unsigned long long here = matrix.wrong();
    const auto times = matrix.time([&](int g) { matrix.turn(g); });
    const auto copies = matrix.time([&](int g) { matrix.copy(g); });
    const float median = times[times.size() / 2], copy = copies[copies.size() / 2];
    std::printf("%s,%d,%d,%zu,%.2f,%.2f,%.2f,%.1f,%llu\n", KERNEL, shape.gpus, side,
                size_t(side) * side * 4 / shape.gpus / shape.gpus, median, times[0], copy,
                100 * copy / median, here);
    wrong += here;
  }
  return wrong == 0 ? 0 : 1;
}
