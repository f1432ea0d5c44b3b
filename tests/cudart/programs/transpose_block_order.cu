// The blocks of a transpose in three orders, and a transpose in two launches: inside, then as a whole.
#include <cooperative_groups.h>

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cg = cooperative_groups;

constexpr int kTile = 16;

struct Tile {
  int row, col;
};

// Which tile of the matrix a block takes, in a grid of `across` × `down` tiles.
struct AlongRows {
  static __device__ Tile pick(int number, int across, int) { return {number / across, number % across}; }
};
struct AlongColumns {
  static __device__ Tile pick(int number, int, int down) { return {number % down, number / down}; }
};
struct AlongDiagonals {
  static __device__ Tile pick(int number, int across, int down) {
    const int row = number % down;
    return {row, (number / down + row) % across};
  }
};

// in: rows × cols, out: cols × rows, both whole tiles.
template <class Order>
__global__ void turn(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];
  const cg::thread_block block = cg::this_thread_block();
  const Tile mine = Order::pick(blockIdx.x, cols / kTile, rows / kTile);
  const int y = block.thread_index().y, x = block.thread_index().x;
  tile[y][x] = in[(mine.row * kTile + y) * cols + mine.col * kTile + x];
  block.sync();
  out[(mine.col * kTile + y) * rows + mine.row * kTile + x] = tile[x][y];
}

// Tiles stay, their insides turn.
__global__ void turnInside(float* out, const float* in, int, int cols) {
  __shared__ float tile[kTile][kTile + 1];
  const int first = blockIdx.x / (cols / kTile) * kTile * cols + blockIdx.x % (cols / kTile) * kTile;
  tile[threadIdx.y][threadIdx.x] = in[first + threadIdx.y * cols + threadIdx.x];
  cg::sync(cg::this_thread_block());
  out[first + threadIdx.y * cols + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// Insides stay, tiles move.
__global__ void moveTiles(float* out, const float* in, int rows, int cols) {
  const int tile_row = blockIdx.x / (cols / kTile), tile_col = blockIdx.x % (cols / kTile);
  out[(tile_col * kTile + threadIdx.y) * rows + tile_row * kTile + threadIdx.x] =
      in[(tile_row * kTile + threadIdx.y) * cols + tile_col * kTile + threadIdx.x];
}

int main(int argc, char** argv) {
  const int rows = (argc > 1 ? std::stoi(argv[1]) : 96) / kTile * kTile;
  const int cols = (argc > 2 ? std::stoi(argv[2]) : 160) / kTile * kTile;
  if (rows < kTile || cols < kTile) return std::printf("a side needs %d elements\n", kTile), 2;
  const int count = rows * cols;
  float *in, *out, *between;
  if (cudaMallocManaged(&in, count * sizeof(float)) != cudaSuccess) return 3;
  if (cudaMallocManaged(&out, count * sizeof(float)) != cudaSuccess) return 3;
  if (cudaMallocManaged(&between, count * sizeof(float)) != cudaSuccess) return 3;
  for (int k = 0; k < count; ++k) in[k] = static_cast<float>(k * 7 % 9973);

  const int blocks = count / (kTile * kTile);
  const dim3 threads(kTile, kTile);
  const std::map<std::string, std::function<void()>> ways = {
      {"along rows", [&] { turn<AlongRows><<<blocks, threads>>>(out, in, rows, cols); }},
      {"along columns", [&] { turn<AlongColumns><<<blocks, threads>>>(out, in, rows, cols); }},
      {"along diagonals", [&] { turn<AlongDiagonals><<<blocks, threads>>>(out, in, rows, cols); }},
      {"two launches", [&] {
         turnInside<<<blocks, threads>>>(between, in, rows, cols);
         moveTiles<<<blocks, threads>>>(out, between, rows, cols);
       }}};
  int failed = 0;
  for (const auto& [name, launch] : ways) {
    for (int k = 0; k < count; ++k) out[k] = -1;
    launch();
    if (cudaError_t error = cudaDeviceSynchronize()) return std::printf("%s\n", cudaGetErrorString(error)), 1;
    int wrong = 0;
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < cols; ++c) wrong += out[c * rows + r] != in[r * cols + c];
    std::printf("%d x %d %s: %s\n", rows, cols, name.c_str(), wrong == 0 ? "right" : "WRONG");
    failed += wrong != 0;
  }
  return failed;
}
