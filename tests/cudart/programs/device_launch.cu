// Kernels that launch kernels: order within a stream, generations, tail launches, fire-and-forget, streams, shared
// memory, structures as parameters, a launch that the device refuses.
// nvcc: -rdc=true
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                    \
  do {                                                                                 \
    const cudaError_t error = (call);                                                  \
    if (error != cudaSuccess) std::printf("%s: %s\n", #call, cudaGetErrorString(error)), std::exit(2); \
  } while (0)

struct Weights {
  int a[3];
  double d;
  char c;
};

__global__ void put(int* at, int value) { *at = value; }
__global__ void add(int* at, int value) { *at += value; }
__global__ void twice(int* at) { *at *= 2; }

// In one stream: add, then twice. Behind the whole grid and its children: the tail, once a block, in turn.
__global__ void in_order(int* at) {
  if (threadIdx.x != 0) return;
  int* mine = at + blockIdx.x;
  *mine = 1;  // seen by the children
  add<<<1, 1>>>(mine, 4);
  twice<<<1, 1>>>(mine);
  add<<<1, 1, 0, cudaStreamTailLaunch>>>(mine, 100);
  twice<<<1, 1>>>(mine);
  twice<<<1, 1, 0, cudaStreamTailLaunch>>>(mine);
}

// A tree: each block of a generation starts the next one.
__global__ void grow(int* count, int depth) {
  if (threadIdx.x == 0) atomicAdd(count + depth, 1);
  __syncthreads();
  if (depth < 3 && threadIdx.x == blockIdx.x) grow<<<2, 32>>>(count, depth + 1);
}

__global__ void weigh(double* out, Weights w, short s, int* counter) {
  extern __shared__ int room[];
  room[threadIdx.x] = w.a[threadIdx.x % 3];
  __syncthreads();
  if (threadIdx.x == 0) {
    double sum = w.d + w.c + s;
    for (int k = 0; k < blockDim.x; ++k) sum += room[k];
    out[blockIdx.y] = sum;
    atomicAdd(counter, int(gridDim.y));
  }
}
__global__ void many(double* out, int* counter) {
  const int k = threadIdx.x;
  Weights w{{k, 2 * k, 3 * k}, 0.5, char(k)};
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  weigh<<<dim3(1, 2), 6, 6 * sizeof(int), stream>>>(out + 2 * k, w, short(-1), counter);
  cudaStreamDestroy(stream);
  add<<<1, 1, 0, cudaStreamFireAndForget>>>(counter + 1 + k, k);
}

// The tail of a tail; a sum that all children of the first kernel must have reached.
__global__ void sum(const int* at, int* result, int count, int rounds) {
  int total = 0;
  for (int k = 0; k < count; ++k) total += at[k];
  *result = 10 * *result + total;
  if (rounds > 0) sum<<<1, 1, 0, cudaStreamTailLaunch>>>(at, result, count, rounds - 1);
}
__global__ void scatter(int* at, int* result) {
  put<<<1, 1>>>(at + blockIdx.x * blockDim.x + threadIdx.x, int(threadIdx.x));
  if (blockIdx.x == 0 && threadIdx.x == 0) sum<<<1, 1, 0, cudaStreamTailLaunch>>>(at, result, int(gridDim.x * blockDim.x), 2);
}

// Memory of kernels that children use, and a function pointer to a kernel chosen at run time.
__global__ void fill(int* room, int count) {
  for (int k = threadIdx.x; k < count; k += blockDim.x) room[k] = k * k;
}
__global__ void drain(int* room, int count, int* out) {
  int total = 0;
  for (int k = 0; k < count; ++k) total += room[k];
  *out = total;
  free(room);
}
__global__ void heap(int* out) {
  int* room = static_cast<int*>(malloc(100 * sizeof(int)));
  fill<<<1, 32>>>(room, 100);
  drain<<<1, 1>>>(room, 100, out);
}

__global__ void refused(int* at) {
  put<<<1, 2048>>>(at, 7);
  at[1] = cudaGetLastError() != cudaSuccess;
  at[2] = cudaGetLastError() != cudaSuccess;
  put<<<1, 1>>>(at + 3, 9);
  at[4] = cudaPeekAtLastError() != cudaSuccess;
}

static int* numbers(int count) {
  int* at;
  CHECK(cudaMalloc(&at, count * sizeof(int)));
  CHECK(cudaMemset(at, 0, count * sizeof(int)));
  return at;
}
static void show(const char* what, const int* at, int count) {
  int host[64];
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host, at, count * sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%-10s", what);
  for (int k = 0; k < count; ++k) std::printf(" %d", host[k]);
  std::printf("\n");
}

int main() {
  int* at = numbers(64);
  in_order<<<4, 32>>>(at);
  show("in order", at, 4);

  int* generations = numbers(4);
  grow<<<1, 32>>>(generations, 0);
  show("tree", generations, 4);

  int* counter = numbers(5);
  double *out, host[8];
  CHECK(cudaMalloc(&out, sizeof host));
  many<<<1, 4>>>(out, counter);
  show("streams", counter, 5);
  CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (double value : host) std::printf(" %.1f", value);
  std::printf("\n");

  CHECK(cudaMemset(at, 0, 64 * sizeof(int)));
  int* result = numbers(1);
  scatter<<<4, 8>>>(at, result);
  show("tails", result, 1);

  int* squares = numbers(1);
  heap<<<1, 1>>>(squares);
  show("heap", squares, 1);

  int* refusals = numbers(5);
  refused<<<1, 1>>>(refusals);
  show("refused", refusals, 5);
  CHECK(cudaGetLastError());
  for (void* each : {(void*)at, (void*)generations, (void*)counter, (void*)out, (void*)result, (void*)squares, (void*)refusals}) cudaFree(each);
}
