// 256 bins of bytes: global atomics, a private histogram per block in shared memory, and one per warp.
#include <cstdio>
#include <cstring>

#define NUM_BINS 256
#define WARPS 8

static void HandleError(cudaError_t err, const char *file, int line) {
  if (err != cudaSuccess) {
    printf("%s in %s at line %d\n", cudaGetErrorString(err), file, line);
    exit(EXIT_FAILURE);
  }
}
#define HANDLE_ERROR(err) (HandleError(err, __FILE__, __LINE__))

__global__ void histo_global(const unsigned char *buffer, long size, unsigned int *histo) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  int stride = blockDim.x * gridDim.x;
  while (i < size) {
    atomicAdd(&histo[buffer[i]], 1);
    i += stride;
  }
}

__global__ void histo_shared(const unsigned char *buffer, long size, unsigned int *histo) {
  __shared__ unsigned int temp[NUM_BINS];
  temp[threadIdx.x] = 0;
  __syncthreads();
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  int stride = blockDim.x * gridDim.x;
  while (i < size) {
    atomicAdd(&temp[buffer[i]], 1);
    i += stride;
  }
  __syncthreads();
  atomicAdd(&(histo[threadIdx.x]), temp[threadIdx.x]);
}

// Four bytes a load, a table per warp: threads of different warps never meet.
__global__ void histo_warps(const uchar4 *buffer, long quads, unsigned int *histo) {
  __shared__ unsigned int tables[WARPS][NUM_BINS];
  for (int b = threadIdx.x; b < WARPS * NUM_BINS; b += blockDim.x) (&tables[0][0])[b] = 0;
  __syncthreads();
  unsigned int *mine = tables[threadIdx.x / 32];
  for (long i = threadIdx.x + blockIdx.x * blockDim.x; i < quads; i += blockDim.x * gridDim.x) {
    uchar4 q = buffer[i];
    atomicAdd(mine + q.x, 1);
    atomicAdd(mine + q.y, 1);
    atomicAdd(mine + q.z, 1);
    atomicAdd(mine + q.w, 1);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < NUM_BINS; b += blockDim.x) {
    unsigned int sum = 0;
    for (int w = 0; w < WARPS; w++) sum += tables[w][b];
    if (sum) atomicAdd(histo + b, sum);
  }
}

int main(void) {
  const long SIZE = 1 << 18;
  unsigned char *buffer = (unsigned char *)malloc(SIZE);
  unsigned int seed = 99, cpu[NUM_BINS] = {0};
  for (long i = 0; i < SIZE; i++) {
    seed = seed * 1103515245u + 12345u;
    // A hill in the middle: some bins are crowded.
    buffer[i] = ((seed >> 16 & 0xff) + (seed >> 8 & 0xff)) / 2;
    cpu[buffer[i]]++;
  }
  cudaEvent_t start, stop;
  HANDLE_ERROR(cudaEventCreate(&start));
  HANDLE_ERROR(cudaEventCreate(&stop));
  unsigned char *dev_buffer;
  unsigned int *dev_histo;
  HANDLE_ERROR(cudaMalloc((void **)&dev_buffer, SIZE));
  HANDLE_ERROR(cudaMemcpy(dev_buffer, buffer, SIZE, cudaMemcpyHostToDevice));
  HANDLE_ERROR(cudaMalloc((void **)&dev_histo, NUM_BINS * sizeof(int)));
  cudaDeviceProp prop;
  HANDLE_ERROR(cudaGetDeviceProperties(&prop, 0));
  int blocks = prop.multiProcessorCount > 16 ? 16 : prop.multiProcessorCount;
  for (int way = 0; way < 3; way++) {
    HANDLE_ERROR(cudaMemset(dev_histo, 0, NUM_BINS * sizeof(int)));
    HANDLE_ERROR(cudaEventRecord(start, 0));
    if (way == 0) histo_global<<<blocks * 2, 256>>>(dev_buffer, SIZE, dev_histo);
    if (way == 1) histo_shared<<<blocks * 2, 256>>>(dev_buffer, SIZE, dev_histo);
    if (way == 2) histo_warps<<<blocks, 32 * WARPS>>>((uchar4 *)dev_buffer, SIZE / 4, dev_histo);
    HANDLE_ERROR(cudaGetLastError());
    HANDLE_ERROR(cudaEventRecord(stop, 0));
    HANDLE_ERROR(cudaEventSynchronize(stop));
    float elapsedTime;
    HANDLE_ERROR(cudaEventElapsedTime(&elapsedTime, start, stop));
    if (elapsedTime <= 0) printf("no time has passed\n");
    unsigned int histo[NUM_BINS];
    HANDLE_ERROR(cudaMemcpy(histo, dev_histo, NUM_BINS * sizeof(int), cudaMemcpyDeviceToHost));
    long count = 0;
    for (int i = 0; i < NUM_BINS; i++) count += histo[i];
    printf("way %d: histogram sum %ld, bin 0 %u, bin 127 %u, bin 255 %u\n", way, count, histo[0], histo[127], histo[255]);
    for (int i = 0; i < NUM_BINS; i++)
      if (histo[i] != cpu[i]) {
        printf("Failure at %d!\n", i);
        return 1;
      }
  }
  HANDLE_ERROR(cudaEventDestroy(start));
  HANDLE_ERROR(cudaEventDestroy(stop));
  cudaFree(dev_histo);
  cudaFree(dev_buffer);
  free(buffer);
  return 0;
}
