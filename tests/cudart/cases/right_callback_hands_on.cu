// A host function hands on, by whatever means of the host, that its stream's work is done: a thread that it
// starts, a condition variable, an atomic; while other streams get work, and from a node of a graph.
// clean
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
constexpr int kCount = 5000;
__global__ void fill(int* to, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) to[i] = value;
}
struct Job {
  int* data;
  cudaStream_t stream;
  int sum = 0;
  std::thread reader;
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<bool> done{false};
  void add() { for (int i = 0; i < kCount; ++i) sum += data[i]; }
};
void CUDART_CB start_thread(cudaStream_t, cudaError_t, void* p) {
  auto* job = static_cast<Job*>(p);
  job->reader = std::thread([=] { job->add(); job->done = true; });
}
void signal_it(void* p) {
  auto* job = static_cast<Job*>(p);
  const std::lock_guard lock(job->mutex);
  job->done = true;
  job->changed.notify_one();
}
void set_flag(void* p) { static_cast<Job*>(p)->done = true; }
int main() {
  static Job jobs[4];
  int* other;
  cudaStream_t beside;
  cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking);
  cudaMallocManaged(&other, 4 * kCount);
  for (Job& job : jobs) {
    cudaHostAlloc(&job.data, 4 * kCount, cudaHostAllocMapped);
    cudaStreamCreateWithFlags(&job.stream, cudaStreamNonBlocking);
    if (&job == &jobs[3]) cudaStreamBeginCapture(job.stream, cudaStreamCaptureModeGlobal);
    fill<<<(kCount + 255) / 256, 256, 0, job.stream>>>(job.data, 1);
    if (&job == &jobs[0]) cudaStreamAddCallback(job.stream, start_thread, &job, 0);
    if (&job == &jobs[1]) cudaLaunchHostFunc(job.stream, signal_it, &job);
    if (&job >= &jobs[2]) cudaLaunchHostFunc(job.stream, set_flag, &job);
  }
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamEndCapture(jobs[3].stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, jobs[3].stream);
  while (!jobs[0].done || !jobs[2].done || !jobs[3].done) {
    fill<<<(kCount + 255) / 256, 256, 0, beside>>>(other, 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  {
    std::unique_lock lock(jobs[1].mutex);
    jobs[1].changed.wait(lock, [] { return jobs[1].done.load(); });
  }
  fill<<<(kCount + 255) / 256, 256, 0, beside>>>(jobs[1].data, 3);  // behind what the host knows
  for (int k : {2, 3}) jobs[k].add();
  jobs[0].reader.join();
  cudaStreamSynchronize(beside);
  jobs[1].add();
  std::printf("%d %d %d %d\n", jobs[0].sum, jobs[1].sum, jobs[2].sum, jobs[3].sum);
  for (Job& job : jobs) cudaFreeHost(job.data);
  cudaFree(other);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}
