// A vendor sample's way: kernels behind a function pointer, diagonal block order, coarse and fine grained halves of the job.
// mask: Throughput = [0-9.]+ GB/s, Time = [0-9.]+ ms
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cg = cooperative_groups;

#define TILE_DIM 16
#define BLOCK_ROWS 16
#define MUL_FACTOR TILE_DIM
#define FLOOR(a, b) (a - (a % b))
#define NUM_REPS 2

#define check(call)                                                                        \
  do {                                                                                     \
    cudaError_t status = (call);                                                           \
    if (status != cudaSuccess) {                                                           \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));      \
      exit(EXIT_FAILURE);                                                                  \
    }                                                                                      \
  } while (0)

__global__ void simpleCopy(float *out, float *in, int width, int height) {
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
  int index = x + width * y;
  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) out[index + i * width] = in[index + i * width];
}

__global__ void guardedTileCopy(float *out, float *in, int width, int height) {
  cg::thread_block cta = cg::this_thread_block();
  __shared__ float tile[TILE_DIM][TILE_DIM];
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
  int index = x + width * y;
  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
    if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[index];
  cg::sync(cta);
  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
    if (x < height && y < width) out[index] = tile[threadIdx.y][threadIdx.x];
}

__global__ void naiveTranspose(float *out, float *in, int width, int height) {
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) out[y + height * x + i] = in[x + width * y + i * width];
}

__global__ void noBankConflicts(float *out, float *in, int width, int height) {
  cg::thread_block cta = cg::this_thread_block();
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
  int index_in = x + y * width;
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  int index_out = x + y * height;
  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) tile[threadIdx.y + i][threadIdx.x] = in[index_in + i * width];
  cg::sync(cta);
  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) out[index_out + i * height] = tile[threadIdx.x][threadIdx.y + i];
}

// Blocks walk along diagonals, so that those in flight touch different memory channels.
__global__ void diagonal(float *out, float *in, int width, int height) {
  cg::thread_block cta = cg::this_thread_block();
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int bx, by;
  if (width == height) {
    by = blockIdx.x;
    bx = (blockIdx.x + blockIdx.y) % gridDim.x;
  } else {
    int bid = blockIdx.x + gridDim.x * blockIdx.y;
    by = bid % gridDim.y;
    bx = ((bid / gridDim.y) + by) % gridDim.x;
  }
  int x = bx * TILE_DIM + threadIdx.x, y = by * TILE_DIM + threadIdx.y;
  int index_in = x + y * width;
  x = by * TILE_DIM + threadIdx.x;
  y = bx * TILE_DIM + threadIdx.y;
  int index_out = x + y * height;
  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) tile[threadIdx.y + i][threadIdx.x] = in[index_in + i * width];
  cg::sync(cta);
  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) out[index_out + i * height] = tile[threadIdx.x][threadIdx.y + i];
}

// Right inside each tile only: each tile is turned where it stands.
__global__ void fineGrained(float *out, float *in, int width, int height) {
  cg::thread_block cta = cg::this_thread_block();
  __shared__ float block[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
  int index = x + y * width;
  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) block[threadIdx.y + i][threadIdx.x] = in[index + i * width];
  cg::sync(cta);
  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) out[index + i * height] = block[threadIdx.x][threadIdx.y + i];
}

// The other half: tiles change places, their insides stay.
__global__ void coarseGrained(float *out, float *in, int width, int height) {
  cg::thread_block cta = cg::this_thread_block();
  __shared__ float block[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
  int index_in = x + y * width;
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  int index_out = x + y * height;
  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) block[threadIdx.y + i][threadIdx.x] = in[index_in + i * width];
  cg::sync(cta);
  for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) out[index_out + i * height] = block[threadIdx.y + i][threadIdx.x];
}

void hostTranspose(float *gold, float *in, const int size_x, const int size_y) {
  for (int y = 0; y < size_y; ++y)
    for (int x = 0; x < size_x; ++x) gold[x * size_y + y] = in[y * size_x + x];
}

int getParam(int argc, char **argv, const char *name, int otherwise) {
  for (int i = 1; i < argc; ++i)
    if (strncmp(argv[i], name, strlen(name)) == 0 && argv[i][strlen(name)] == '=') return atoi(argv[i] + strlen(name) + 1);
  return otherwise;
}

int main(int argc, char **argv) {
  printf("%s Starting...\n\n", "transpose sample");
  int size_x = FLOOR(getParam(argc, argv, "--dimX", 256), TILE_DIM);
  int size_y = FLOOR(getParam(argc, argv, "--dimY", 256), TILE_DIM);
  if (size_x != size_y) {
    printf("non-square sizes are left out of this sample\nExiting...\n\n");
    return EXIT_FAILURE;
  }
  cudaDeviceProp deviceProp;
  int devID = -1;
  check(cudaGetDevice(&devID));
  check(cudaGetDeviceProperties(&deviceProp, devID));
  printf("> [device %d] has a warp of %d\n", devID, deviceProp.warpSize);

  void (*kernel)(float *, float *, int, int) = nullptr;
  dim3 grid(size_x / TILE_DIM, size_y / TILE_DIM), threads(TILE_DIM, BLOCK_ROWS);
  if (grid.x < 1 || grid.y < 1) return EXIT_FAILURE;
  cudaEvent_t start, stop;
  size_t mem_size = static_cast<size_t>(sizeof(float) * size_x * size_y);
  float *h_idata = (float *)malloc(mem_size), *h_odata = (float *)malloc(mem_size);
  float *transposeGold = (float *)malloc(mem_size), *gold = nullptr;
  float *d_idata, *d_odata;
  check(cudaMalloc((void **)&d_idata, mem_size));
  check(cudaMalloc((void **)&d_odata, mem_size));
  for (int i = 0; i < size_x * size_y; ++i) h_idata[i] = (float)i;
  check(cudaMemcpy(d_idata, h_idata, mem_size, cudaMemcpyHostToDevice));
  hostTranspose(transposeGold, h_idata, size_x, size_y);
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  bool success = true;

  for (int k = 0; k < 7; ++k) {
    const char *kernelName = "";
    switch (k) {
      case 0: kernel = &simpleCopy; kernelName = "simple copy       "; break;
      case 1: kernel = &guardedTileCopy; kernelName = "shared memory copy"; break;
      case 2: kernel = &naiveTranspose; kernelName = "naive             "; break;
      case 3: kernel = &noBankConflicts; kernelName = "optimized         "; break;
      case 4: kernel = &coarseGrained; kernelName = "coarse-grained    "; break;
      case 5: kernel = &fineGrained; kernelName = "fine-grained      "; break;
      case 6: kernel = &diagonal; kernelName = "diagonal          "; break;
    }
    gold = kernel == &simpleCopy || kernel == &guardedTileCopy ? h_idata : transposeGold;
    check(cudaGetLastError());
    kernel<<<grid, threads>>>(d_odata, d_idata, size_x, size_y);  // not timed
    check(cudaGetLastError());
    check(cudaEventRecord(start, 0));
    for (int i = 0; i < NUM_REPS; i++) {
      kernel<<<grid, threads>>>(d_odata, d_idata, size_x, size_y);
      check(cudaGetLastError());
    }
    check(cudaEventRecord(stop, 0));
    check(cudaEventSynchronize(stop));
    float kernelTime;
    check(cudaEventElapsedTime(&kernelTime, start, stop));
    check(cudaMemcpy(h_odata, d_odata, mem_size, cudaMemcpyDeviceToHost));
    bool half = kernel == fineGrained || kernel == coarseGrained;  // each is one half of a transpose
    int wrong = 0;
    for (int i = 0; i < size_x * size_y; ++i) wrong += gold[i] != h_odata[i];
    if (!half && wrong) success = false;
    if (half) printf("%s moved all but %d elements wrongly, as expected\n", kernelName, size_x * size_y - wrong);
    float bandwidth = 2.0f * 1000.0f * mem_size / (1024 * 1024 * 1024) / (kernelTime / NUM_REPS);
    printf("transpose %s, Throughput = %.4f GB/s, Time = %.5f ms, Size = %u fp32 elements, NumDevsUsed = %u, Workgroup = %u\n",
           kernelName, bandwidth, kernelTime / NUM_REPS, size_x * size_y, 1, TILE_DIM * BLOCK_ROWS);
  }
  free(h_idata);
  free(h_odata);
  free(transposeGold);
  cudaFree(d_idata);
  cudaFree(d_odata);
  check(cudaEventDestroy(start));
  check(cudaEventDestroy(stop));
  if (!success) {
    printf("Test failed!\n");
    exit(EXIT_FAILURE);
  }
  printf("Test passed\n");
  exit(EXIT_SUCCESS);
}
