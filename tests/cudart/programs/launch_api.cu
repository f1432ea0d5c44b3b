// Other ways to launch: cudaLaunchKernel with an array of arguments, cudaLaunchKernelEx with a configuration, function
// attributes, default-stream threads, and memory that is allocated in stream order.
// nvcc: -std=c++17
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("line %d: %s\n", __LINE__, cudaGetErrorName(e)); exit(1); } } while (0)

struct Config {
  double factor;
  int offset;
};

__global__ void apply(const int *in, double *out, Config config, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * config.factor + config.offset;
}

template <typename T>
__global__ void fill(T *p, T value, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = value;
}

__global__ void count(int *counter) { atomicAdd(counter, 1); }

int main() {
  int n = 900;
  std::vector<int> h(n);
  for (int i = 0; i < n; ++i) h[i] = i - 100;
  int *in;
  double *out;
  CHECK(cudaMalloc(&in, n * sizeof(int)));
  CHECK(cudaMalloc(&out, n * sizeof(double)));
  CHECK(cudaMemcpy(in, h.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  Config config{0.5, 3};
  void *args[] = {&in, &out, &config, &n};
  CHECK(cudaLaunchKernel((const void *)apply, dim3(8), dim3(128), args, 0, nullptr));
  std::vector<double> got(n);
  CHECK(cudaMemcpy(got.data(), out, n * sizeof(double), cudaMemcpyDeviceToHost));
  int bad = 0;
  for (int i = 0; i < n; ++i) bad += got[i] != h[i] * 0.5 + 3;
  printf("array of arguments: %d wrong\n", bad);

  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaLaunchConfig_t launch = {};
  launch.gridDim = dim3(8);
  launch.blockDim = dim3(128);
  launch.stream = stream;
  CHECK(cudaLaunchKernelEx(&launch, apply, (const int *)in, out, Config{2.0, -1}, n));
  CHECK(cudaMemcpyAsync(got.data(), out, n * sizeof(double), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < n; ++i) bad += got[i] != h[i] * 2.0 - 1;
  printf("configuration: %d wrong\n", bad);

  float *pool;
  CHECK(cudaMallocAsync(&pool, 1000 * sizeof(float), stream));
  fill<<<4, 256, 0, stream>>>(pool, 1.25f, 1000);
  std::vector<float> f(1000);
  CHECK(cudaMemcpyAsync(f.data(), pool, 1000 * sizeof(float), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaFreeAsync(pool, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (float v : f) bad += v != 1.25f;
  printf("stream-ordered memory: %d wrong\n", bad);

  // Four threads of the host share the device.
  int *counter, total = 0;
  CHECK(cudaMalloc(&counter, sizeof(int)));
  CHECK(cudaMemset(counter, 0, sizeof(int)));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([=] {
      cudaStream_t mine;
      cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking);
      for (int k = 0; k < 25; ++k) count<<<2, 32, 0, mine>>>(counter);
      cudaStreamSynchronize(mine);
      cudaStreamDestroy(mine);
    });
  for (auto &t : threads) t.join();
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(&total, counter, sizeof(int), cudaMemcpyDeviceToHost));
  printf("host threads: counted %d of %d\n", total, 4 * 25 * 64);
  bad += total != 4 * 25 * 64;

  cudaFuncAttributes attr;
  CHECK(cudaFuncGetAttributes(&attr, fill<float>));
  CHECK(cudaFuncSetCacheConfig(apply, cudaFuncCachePreferL1));
  printf("at most %d threads, version %d\n", attr.maxThreadsPerBlock, attr.ptxVersion >= 70 ? 1 : 0);
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  CHECK(cudaFree(counter));
  return bad;
}
