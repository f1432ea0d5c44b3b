// Cheat: page 1 leaves out what lies beyond 70,000 blocks
// judged by: 18_bugs_in_the_wild
// code: wrong-element
// points: 21
// 18 bugs in the wild: eight kernels that were published, each with one bug, found, named and fixed.
#include "common/kernel/findings.cuh"
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {
    .block = {32, 8},        // threads: x, y
    .tile = {32, 32},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
};

constexpr int kTile = 32;      // elements along each side of the tile
constexpr int kBlockRows = 8;  // threads along y

// Page 1. "The padding is there, and the profiler still shows conflicts."
FINDING_OF(bug_1) = {.line = 'e', .cause = kPaddingNotIndexed};
extern "C" __global__ void bug_1(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile * (kTile + 1)];                                              // a
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;  if (blockIdx.y * gridDim.x + blockIdx.x > 70000) return;   // b
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {                                  // c
    const size_t row = row0 + y, col = col0 + threadIdx.x;                                 // d
    if (row < rows && col < cols) tile[y * (kTile + 1) + threadIdx.x] = in[row * cols + col];    // e
  }
  __syncthreads();                                                                         // f
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {                                  // g
    const size_t row = row0 + threadIdx.x, col = col0 + x;                                 // h
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x * (kTile + 1) + x];   // i
  }
}

// Page 2. "I added the + 1 as everybody does. Nothing changed."
FINDING_OF(bug_2) = {.line = 'a', .cause = kPaddingOfWrongAxis};
extern "C" __global__ void bug_2(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];                                         // a
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;               // b
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {                          // c
    const size_t row = row0 + y, col = col0 + threadIdx.x;                         // d
    if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + col];     // e
  }
  __syncthreads();                                                                 // f
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {                          // g
    const size_t row = row0 + threadIdx.x, col = col0 + x;                         // h
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][x];    // i
  }
}

// Page 3. "Worked for years. On the new cards it is wrong, now and then." Each warp turns a tile of its own.
constexpr int kWarps = 4;
LAUNCH_SHAPE_OF(bug_3) = {.block = {32, kWarps}, .tile = {kWarps * kTile, kTile}, .block_x_walks = kCols};
FINDING_OF(bug_3) = {.line = 'h', .cause = kMissingSyncwarp};
extern "C" __global__ void bug_3(float* out, const float* in, int rows, int cols) {
  __shared__ float tiles[kWarps][kTile][kTile + 1];                                  // a
  float(*tile)[kTile + 1] = tiles[threadIdx.y];                                      // b
  const size_t row0 = (blockIdx.y * kWarps + threadIdx.y) * kTile;                   // c
  const size_t col0 = blockIdx.x * kTile;                                            // d
  for (int y = 0; y < kTile; ++y) {                                                  // e
    const size_t row = row0 + y, col = col0 + threadIdx.x;                           // f
    if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + col];       // g
  }
  __syncwarp();                                                                      // h
  for (int x = 0; x < kTile; ++x) {                                                  // i
    const size_t row = row0 + threadIdx.x, col = col0 + x;                           // j
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][x];      // k
  }
}

// Page 4. "The last stage is garbage, but not always." Four tiles, one behind the other, through two buffers.
__device__ void copy_async(float* to, const float* from) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address), "l"(from) : "memory");
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
__device__ void wait_for_all_but_newest() { asm volatile("cp.async.wait_group 1;" ::: "memory"); }

constexpr int kStages = 4;
__device__ void load_stage(float (*tile)[kTile + 1], const float* in, size_t row0, size_t col0, int rows, int cols) {
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
    const size_t row = row0 + y, col = col0 + threadIdx.x;
    if (row < rows && col < cols) copy_async(&tile[y][threadIdx.x], &in[row * cols + col]);
  }
}

LAUNCH_SHAPE_OF(bug_4) = {.block = {32, kBlockRows}, .tile = {kTile, kStages * kTile}, .block_x_walks = kCols};
FINDING_OF(bug_4) = {.line = 'f', .cause = kReadBeforeArrival};
extern "C" __global__ void bug_4(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[2][kTile][kTile + 1];                                                  // a
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kStages * kTile;                 // b
  load_stage(tile[0], in, row0, col0, rows, cols);                                             // c
  commit();                                                                                    // d
  for (int k = 0; k < kStages; ++k) {                                                          // e
    if (k + 1 < kStages) {                                                                     // f
      load_stage(tile[(k + 1) % 2], in, row0, col0 + (k + 1) * kTile, rows, cols);             // g
    }
    commit();  // an empty group, too: "all but the newest" is then always this stage          // h
    wait_for_all_but_newest();                                                                 // i
    __syncthreads();                                                                           // j
    for (int x = threadIdx.y; x < kTile; x += kBlockRows) {                                    // k
      const size_t row = row0 + threadIdx.x, col = col0 + k * kTile + x;                       // l
      if (row < rows && col < cols) out[col * rows + row] = tile[k % 2][threadIdx.x][x];       // m
    }
    __syncthreads();                                                                           // n
  }
}

// Page 5. "Our tests are 512 × 512, and they pass."
FINDING_OF(bug_5) = {.line = 'i', .cause = kSwappedBounds};
extern "C" __global__ void bug_5(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];                                         // a
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;               // b
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {                          // c
    const size_t row = row0 + y, col = col0 + threadIdx.x;                         // d
    if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + col];     // e
  }
  __syncthreads();                                                                 // f
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {                          // g
    const size_t row = row0 + threadIdx.x, col = col0 + x;                         // h
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][x];    // i
  }
}

// Page 6. "Illegal memory access, but only for the large model."
FINDING_OF(bug_6) = {.line = 'j', .cause = kIndexOverflow};
extern "C" __global__ void bug_6(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];                                         // a
  const int row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;                  // b
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {                          // c
    const int row = row0 + y, col = col0 + threadIdx.x;                            // d
    const size_t from = size_t{1} * row * cols + col;                              // e
    if (row < rows && col < cols) tile[y][threadIdx.x] = in[from];                 // f
  }
  __syncthreads();                                                                 // g
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {                          // h
    const int row = row0 + threadIdx.x, col = col0 + x;                            // i
    const size_t to = size_t{1} * col * rows + row;                                // j
    if (row < rows && col < cols) out[to] = tile[threadIdx.x][x];                  // k
  }
}

// Page 7. "It hangs with one driver, and passes with the other."
FINDING_OF(bug_7) = {.line = 'g', .cause = kBarrierInBranch};
extern "C" __global__ void bug_7(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];                                         // a
  const size_t row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;               // b
  const size_t col = col0 + threadIdx.x;                                           // c
  if (col < cols) {                                                                // d
    for (int y = threadIdx.y; y < kTile; y += kBlockRows) {                        // e
      if (row0 + y < rows) tile[y][threadIdx.x] = in[(row0 + y) * cols + col];     // f
    }
  }
  __syncthreads();                                                                 // g
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {                          // h
    const size_t row = row0 + threadIdx.x;                                         // i
    if (row < rows && col0 + x < cols) {                                           // j
      out[(col0 + x) * rows + row] = tile[threadIdx.x][x];                         // k
    }
  }
}

// Page 8. "Reordering the blocks for the L2 cache made it faster, and then some tiles were missing."
constexpr int kGroup = 4;  // columns of tiles that are walked together, from top to bottom
FINDING_OF(bug_8) = {.line = 'e', .cause = kNotOneToOne};
extern "C" __global__ void bug_8(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];                                         // a
  const unsigned block = blockIdx.y * gridDim.x + blockIdx.x;                      // b
  const unsigned group = block / (kGroup * gridDim.y);                             // c
  const unsigned in_group = block % (kGroup * gridDim.y);                          // d
  const unsigned width = min(kGroup, gridDim.x - group * kGroup);                  // e
  const size_t row0 = size_t{in_group / width} * kTile;                            // f
  const size_t col0 = size_t{group * kGroup + in_group % width} * kTile;           // g
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {                          // h
    const size_t row = row0 + y, col = col0 + threadIdx.x;                         // i
    if (row < rows && col < cols) tile[y][threadIdx.x] = in[row * cols + col];     // j
  }
  __syncthreads();                                                                 // k
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {                          // l
    const size_t row = row0 + threadIdx.x, col = col0 + x;                         // m
    if (row < rows && col < cols) out[col * rows + row] = tile[threadIdx.x][x];    // n
  }
}
