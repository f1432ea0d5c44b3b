// Loops of launches, some of which repeat an earlier one exactly: one program, a case for each argument. What it prints
// must not depend on whether `lab run` executes them all (test_repeats.py).
#include <cstdio>
#include <cstdlib>
#include <cstring>

static const int kElements = 1024, kBytes = kElements * sizeof(int), kLaunches = 9;

__constant__ int factor;
__device__ int launches;

__global__ void twice(int* to, const int* from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, value = from[i];
  for (int k = 0; k < 20; ++k) value = value * 3 + k;
  to[i] = value;
}
__global__ void long_twice(int* to, const int* from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, value = from[i];
#pragma unroll 1
  for (int k = 0; k < 100000; ++k) value = value * 3 + k;
  to[i] = value;
}
__global__ void grow(int* to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, value = to[i];
  for (int k = 0; k < 20; ++k) value = value * 3 + k;
  to[i] = value;
}
__global__ void add_all(int* sum, const int* from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, value = 0;
  for (int k = 0; k < 20; ++k) value += from[(i + k) % 1024];
  atomicAdd(sum, value);
}
__global__ void scale(int* to, const int* from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, value = from[i];
  for (int k = 0; k < 20; ++k) value = value * factor + k;
  to[i] = value;
}
__global__ void count_launches(int* to, const int* from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, value = from[i] + launches;
  for (int k = 0; k < 20; ++k) value = value * 3 + k;
  to[i] = value;
  if (i == 0) launches = launches + 1;
}
__global__ void speak(int* to, const int* from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, value = from[i];
  for (int k = 0; k < 20; ++k) value = value * 3 + k;
  to[i] = value;
  if (i == 5) printf("thread 5 has %d\n", value);
}
__global__ void look_at_clock(long long* to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  long long value = clock64();
  for (int k = 0; k < 20; ++k) value = value * 3 + k;
  to[i] = value;
}
__global__ void race(int* to) {  // both halves write the same places, the same values
  int i = blockIdx.x * blockDim.x + threadIdx.x, value = i % 512;
  for (int k = 0; k < 20; ++k) value = value * 3 + k;
  to[i % 512] = value;
}
__global__ void from_heap(int** to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 512 == 0) {
    int* one = (int*)malloc(64);
    one[0] = i;
    to[i / 512] = one;
  }
}
__global__ void read_texture(int* to, cudaTextureObject_t texture) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, value = 0;
  for (int k = 0; k < 20; ++k) value = value * 3 + tex1Dfetch<int>(texture, (i + k) % 1024);
  to[i] = value;
}

static int *a, *b, *sum, *pinned, *managed, host[kElements];

static unsigned hash_of(const int* device) {
  cudaMemcpy(host, device, kBytes, cudaMemcpyDefault);
  unsigned hash = 7;
  for (int value : host) hash = hash * 31 + (unsigned)value;
  return hash;
}
static void show(int k, const int* device) { printf("%d: %08x\n", k, hash_of(device)); }

static void run(const char* name) {
  auto is = [&](const char* other) { return strcmp(name, other) == 0; };
  for (int k = 0; k < kLaunches; ++k) {
    if (is("same")) {
      twice<<<4, 256>>>(b, a);
      show(k, b);
    } else if (is("same_unseen")) {
      twice<<<4, 256>>>(b, a);
      if (k + 1 == kLaunches) show(k, b);
    } else if (is("two_in_turns")) {
      twice<<<4, 256>>>(b, a);
      scale<<<4, 256>>>(pinned, b);
      cudaDeviceSynchronize();
      show(k, pinned);
    } else if (is("grows")) {
      grow<<<4, 256>>>(b);
      show(k, b);
    } else if (is("grows_from_the_start_again")) {
      cudaMemcpy(b, a, kBytes, cudaMemcpyDeviceToDevice);
      grow<<<4, 256>>>(b);
      if (k % 3 == 2) grow<<<4, 256>>>(b);
      show(k, b);
    } else if (is("sum_cleared")) {
      cudaMemset(sum, 0, sizeof(int));
      add_all<<<4, 256>>>(sum, a);
      cudaMemcpy(host, sum, sizeof(int), cudaMemcpyDeviceToHost);
      printf("%d: %d\n", k, host[0]);
    } else if (is("another_buffer_filled")) {  // as benchmarks empty the L2 cache
      cudaMemset(sum, 0, kBytes);
      twice<<<4, 256>>>(b, a);
      if (k == 7) grow<<<4, 256>>>(sum);  // what is filled next has changed
      if (k > 6) show(k, sum);
      show(k, b);
    } else if (is("much_memory")) {  // more than one launch is worth, and less than all of them
      if (k == 0) cudaMalloc(&managed, 8 * kBytes);
      twice<<<4, 256>>>(b, a);
      show(k, b);
    } else if (is("more_memory_than_is_kept")) {  // what it leaves alone is not kept
      if (k == 0) cudaMalloc(&managed, 320 << 20);
      long_twice<<<4, 256>>>(b, a);
      show(k, b);
    } else if (is("sum_not_cleared")) {
      add_all<<<4, 256>>>(sum, a);
      cudaMemcpy(host, sum, sizeof(int), cudaMemcpyDeviceToHost);
      printf("%d: %d\n", k, host[0]);
    } else if (is("input_changes_late")) {
      if (k == 6) cudaMemset(a, 3, 64);
      twice<<<4, 256>>>(b, a);
      show(k, b);
    } else if (is("output_changes_late")) {
      if (k == 6) cudaMemset(b, 3, 64);
      twice<<<4, 128>>>(b, a);
      show(k, b);
    } else if (is("host_changes_pinned")) {
      if (k % 4 == 3) pinned[k] = 77 + k;
      twice<<<4, 256>>>(b, pinned);
      show(k, b);
    } else if (is("host_changes_managed")) {
      if (k % 4 == 3) managed[k] = 77 + k;
      twice<<<4, 256>>>(b, managed);
      show(k, b);
    } else if (is("constant_changes")) {
      const int value = k < 5 ? 3 : 5;
      cudaMemcpyToSymbol(factor, &value, sizeof value);
      scale<<<4, 256>>>(b, a);
      show(k, b);
    } else if (is("variable_of_the_kernel")) {
      count_launches<<<4, 256>>>(b, a);
      show(k, b);
    } else if (is("prints")) {
      speak<<<4, 256>>>(b, a);
      cudaDeviceSynchronize();
    } else if (is("clock")) {
      look_at_clock<<<2, 256>>>((long long*)b);
      show(k, b);
    } else if (is("race")) {
      race<<<4, 256>>>(b);
      show(k, b);
    } else if (is("heap")) {
      from_heap<<<4, 256>>>((int**)b);
      cudaMemcpy(host, b, 2 * sizeof(int*), cudaMemcpyDeviceToHost);
      printf("%d: %d\n", k, ((int**)host)[0] != ((int**)host)[1]);
    } else if (is("new_buffer")) {
      int* fresh;
      cudaMalloc(&fresh, kBytes);
      if (k < 6) cudaMemset(fresh, 0, kBytes);
      twice<<<4, 256>>>(b, fresh);  // from the seventh on it is unwritten
      cudaDeviceSynchronize();
      cudaFree(fresh);
    } else if (is("two_streams")) {
      static cudaStream_t one, two;
      if (k == 0) cudaStreamCreate(&one), cudaStreamCreate(&two);
      twice<<<4, 256, 0, one>>>(b, a);
      if (k == 7) grow<<<4, 256, 0, two>>>(b);
      if (k != 7) cudaStreamSynchronize(one);
    } else if (is("graph")) {
      static cudaGraphExec_t exec;
      static cudaStream_t stream;
      if (k == 0) {
        cudaGraph_t graph;
        cudaStreamCreate(&stream);
        cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
        cudaMemsetAsync(sum, 0, sizeof(int), stream);
        add_all<<<4, 256, 0, stream>>>(sum, a);
        twice<<<4, 256, 0, stream>>>(b, a);
        cudaMemsetAsync(b, 2, 64, stream);  // undone by the next
        twice<<<4, 256, 0, stream>>>(b, a);
        cudaStreamEndCapture(stream, &graph);
        cudaGraphInstantiate(&exec, graph, 0);
      }
      cudaGraphLaunch(exec, stream);
      cudaStreamSynchronize(stream);
      cudaMemcpy(host, sum, sizeof(int), cudaMemcpyDeviceToHost);
      printf("%d: %d\n", k, host[0]);
      show(k, b);
    } else if (is("texture")) {
      static cudaTextureObject_t texture;
      if (k == 0) {
        cudaResourceDesc what = {};
        what.resType = cudaResourceTypeLinear;
        what.res.linear.devPtr = a;
        what.res.linear.desc = cudaCreateChannelDesc<int>();
        what.res.linear.sizeInBytes = kBytes;
        cudaTextureDesc how = {};
        cudaCreateTextureObject(&texture, &what, &how, nullptr);
      }
      if (k == 6) cudaMemset(a, 9, 64);
      read_texture<<<4, 256>>>(b, texture);
      show(k, b);
    } else if (is("leaves_a_fault")) {
      twice<<<4, 256>>>(k < 7 ? b : b + 1, a);  // the eighth writes behind the end
      printf("%d: %s\n", k, cudaGetErrorString(cudaDeviceSynchronize()));
    } else {
      printf("no such case: %s\n", name);
    }
  }
}

int main(int, char** arguments) {
  cudaMalloc(&a, kBytes);
  cudaMalloc(&b, kBytes);
  cudaMalloc(&sum, kBytes);
  cudaMemset(sum, 0, sizeof(int));
  for (int i = 0; i < kElements; ++i) host[i] = i * i;
  cudaMemcpy(a, host, kBytes, cudaMemcpyHostToDevice);
  cudaMemcpy(b, host, kBytes, cudaMemcpyHostToDevice);
  const int three = 3;
  cudaMemcpyToSymbol(factor, &three, sizeof three);
  if (strstr(arguments[1], "pinned") || strstr(arguments[1], "turns")) {
    cudaMallocHost(&pinned, kBytes);
    memcpy(pinned, host, kBytes);
  }
  if (strstr(arguments[1], "managed")) {
    cudaMallocManaged(&managed, kBytes);
    memcpy(managed, host, kBytes);
  }
  run(arguments[1]);
  return 0;
}
