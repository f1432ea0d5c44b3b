// What the host can learn about a stream: queries, waits between streams, host functions and the older callbacks.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                   \
  do {                                                                                \
    const cudaError_t e = (call);                                                     \
    if (e != cudaSuccess) {                                                           \
      std::printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorString(e));       \
      std::exit(1);                                                                   \
    }                                                                                 \
  } while (0)

__global__ void scale(int *data, int n, int factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = data[i] * factor + 1;
}

struct Job {
  int id;
  const int *result;
  int seen;
};

static std::atomic<int> finished{0};

void CUDART_CB whenDone(void *user) {
  Job *job = static_cast<Job *>(user);
  job->seen = job->result[0];
  finished++;
}

void CUDART_CB oldCallback(cudaStream_t stream, cudaError_t status, void *user) {
  Job *job = static_cast<Job *>(user);
  job->seen = status == cudaSuccess ? -1 : -2;
  finished++;
}

int main() {
  const int n = 5000;
  int *d, *pinned;
  CHECK(cudaMalloc(&d, n * sizeof(int)));
  CHECK(cudaHostAlloc(&pinned, n * sizeof(int), cudaHostAllocDefault));
  for (int i = 0; i < n; ++i) pinned[i] = i;
  int least, greatest;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t producer, consumer;
  CHECK(cudaStreamCreateWithPriority(&producer, cudaStreamNonBlocking, greatest));
  CHECK(cudaStreamCreateWithFlags(&consumer, cudaStreamNonBlocking));
  cudaEvent_t uploaded, begin, end;
  CHECK(cudaEventCreateWithFlags(&uploaded, cudaEventDisableTiming));
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
  std::printf("an event that was never recorded: %s\n", cudaGetErrorName(cudaEventQuery(uploaded)));

  CHECK(cudaMemcpyAsync(d, pinned, n * sizeof(int), cudaMemcpyHostToDevice, producer));
  scale<<<(n + 127) / 128, 128, 0, producer>>>(d, n, 2);
  CHECK(cudaEventRecord(uploaded, producer));
  CHECK(cudaStreamWaitEvent(consumer, uploaded, 0));
  CHECK(cudaEventRecord(begin, consumer));
  scale<<<(n + 127) / 128, 128, 0, consumer>>>(d, n, 10);
  CHECK(cudaMemcpyAsync(pinned, d, n * sizeof(int), cudaMemcpyDeviceToHost, consumer));
  CHECK(cudaEventRecord(end, consumer));
  Job first{1, pinned, 0}, second{2, pinned, 0};
  CHECK(cudaLaunchHostFunc(consumer, whenDone, &first));
  CHECK(cudaStreamAddCallback(consumer, oldCallback, &second, 0));
  CHECK(cudaStreamSynchronize(consumer));
  CHECK(cudaStreamQuery(producer));
  CHECK(cudaEventQuery(end));
  float ms = -1, none = -1;
  CHECK(cudaEventElapsedTime(&ms, begin, end));
  std::printf("time went forwards: %s\n", ms >= 0 ? "yes" : "no");
  std::printf("asking an event without timing: %s\n", cudaGetErrorName(cudaEventElapsedTime(&none, uploaded, end)));
  cudaGetLastError();
  std::printf("callbacks %d, saw %d and %d\n", finished.load(), first.seen, second.seen);
  bool ok = finished == 2 && first.seen == 11 && second.seen == -1;
  for (int i = 0; i < n; ++i) ok = ok && pinned[i] == (2 * i + 1) * 10 + 1;
  unsigned flags = 99;
  CHECK(cudaStreamGetFlags(producer, &flags));
  std::printf("flags %u, result %s\n", flags, ok ? "right" : "WRONG");
  CHECK(cudaEventDestroy(uploaded));
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaStreamDestroy(producer));
  CHECK(cudaStreamDestroy(consumer));
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaFree(d));
  return ok ? 0 : 1;
}
