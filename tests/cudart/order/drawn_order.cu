// Does what its arguments say, a letter and its numbers each: work on streams, and what orders it. A stream is made when it is first used:
// 0 is the default one, 1 and 2 wait for it, 3 and 4 do not. V in front: the buffers are managed memory, which the host may touch (T, U). See test_drawn_order.py.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kBlocks = 64, kThreads = 256, kWords = kBlocks * kThreads;  // enough for several host threads

__global__ void work(int* to, const int* from) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  to[i] = from[i] + 1;
}
// What it leaves depends on the order of the blocks: sums of floats are rounded.
__global__ void gather(int* to, const int* from) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  atomicAdd(reinterpret_cast<float*>(&to[threadIdx.x % 5]), from[i] * 0.1f + i);
}

static cudaStream_t stream(int number) {
  static cudaStream_t made[5];
  if (number != 0 && made[number] == nullptr)
    cudaStreamCreateWithFlags(&made[number], number > 2 ? cudaStreamNonBlocking : cudaStreamDefault);
  return made[number];
}

// A graph that copies to a buffer from memory of the host: a vector's, malloc's, pinned, static, or a local variable's.
struct Replay {
  cudaGraphExec_t exec = nullptr;
  std::vector<int>* numbers = nullptr;
  void *heap = nullptr, *pinned = nullptr;
};
static void record(Replay& replay, int* to, const int* from) {
  static cudaStream_t records;
  if (records == nullptr) cudaStreamCreateWithFlags(&records, cudaStreamNonBlocking);
  cudaGraph_t graph;
  cudaStreamBeginCapture(records, cudaStreamCaptureModeRelaxed);
  cudaMemcpyAsync(to, from, kWords * sizeof(int), cudaMemcpyHostToDevice, records);
  cudaStreamEndCapture(records, &graph);
  cudaGraphInstantiate(&replay.exec, graph, 0);
  cudaGraphDestroy(graph);
}
__attribute__((noinline)) static void record_local(Replay& replay, int* to) {
  int local[kWords];
  for (int k = 0; k < kWords; ++k) local[k] = k;
  record(replay, to, local);
}
static void make(Replay& replay, int kind, int* to) {
  static int fixed[kWords];
  switch (kind) {
    case 0:
      replay.numbers = new std::vector<int>(kWords, 1);
      return record(replay, to, replay.numbers->data());
    case 1:
      replay.heap = calloc(kWords, sizeof(int));
      return record(replay, to, static_cast<int*>(replay.heap));
    case 2:
      cudaMallocHost(&replay.pinned, kWords * sizeof(int));
      for (int k = 0; k < kWords; ++k) static_cast<int*>(replay.pinned)[k] = k;
      return record(replay, to, static_cast<int*>(replay.pinned));
    case 3: return record(replay, to, fixed);
    default: return record_local(replay, to);
  }
}
// Its memory ends; other memory takes the place.
static void end(Replay& replay) {
  delete replay.numbers;
  free(replay.heap);
  if (replay.pinned != nullptr) cudaFreeHost(replay.pinned);
  replay.numbers = nullptr;
  replay.heap = replay.pinned = nullptr;
  static std::vector<std::vector<int>> others;
  others.emplace_back(kWords, 7);
}

int main(int count, char** words) {
  static int host[kWords];
  int* buffer[3];
  cudaEvent_t event[16];
  Replay replay[2];
  const bool managed = count > 1 && words[1][0] == 'V';
  int seen = 0;
  for (int*& one : buffer) managed ? cudaMallocManaged(&one, sizeof host) : cudaMalloc(&one, sizeof host);
  for (cudaEvent_t& one : event) cudaEventCreateWithFlags(&one, cudaEventDisableTiming);
  for (int*& one : buffer) cudaMemset(one, 0, sizeof host);
  cudaDeviceSynchronize();
  for (int k = 1; k < count; ++k) {
    const char* w = words[k];
    const auto number = [&](int at) { return w[at] - 'a'; };
    switch (w[0]) {
      case 'K': work<<<kBlocks, kThreads, 0, stream(number(1))>>>(buffer[number(3)], buffer[number(2)]); break;
      case 'A': gather<<<kBlocks, kThreads, 0, stream(number(1))>>>(buffer[number(3)], buffer[number(2)]); break;
      case 'C': cudaMemcpyAsync(buffer[number(3)], buffer[number(2)], sizeof host, cudaMemcpyDeviceToDevice, stream(number(1))); break;
      case 'M': cudaMemsetAsync(buffer[number(2)], 0, sizeof host, stream(number(1))); break;
      case 'H': cudaMemcpy(buffer[number(1)], host, sizeof host, cudaMemcpyHostToDevice); break;
      case 'D': cudaMemcpy(host, buffer[number(1)], sizeof host, cudaMemcpyDeviceToHost); break;
      case 'R': cudaEventRecord(event[number(2)], stream(number(1))); break;
      case 'W': cudaStreamWaitEvent(stream(number(1)), event[number(2)], 0); break;
      case 'T': seen += static_cast<volatile int*>(buffer[number(1)])[k % 5]; break;  // what a gather writes, too
      case 'U': buffer[number(1)][k % 5] = k; break;
      case 'P': while (cudaEventQuery(event[number(1)]) == cudaErrorNotReady); break;
      case 'I': cudaEventQuery(event[number(1)]); break;
      case 'Q': cudaEventSynchronize(event[number(1)]); break;
      case 'S': cudaStreamSynchronize(stream(number(1))); break;
      case 'G': make(replay[number(1)], number(2), buffer[number(3)]); break;
      case 'L': cudaGraphLaunch(replay[number(2)].exec, stream(number(1))); break;
      case 'F': end(replay[number(1)]); break;
      case 'Y': cudaDeviceSynchronize(); break;
    }
  }
  cudaDeviceSynchronize();
  for (Replay& one : replay) {
    end(one);
    if (one.exec != nullptr) cudaGraphExecDestroy(one.exec);
  }
  for (int* one : buffer) {
    unsigned sum = 0;
    cudaMemcpy(host, one, sizeof host, cudaMemcpyDeviceToHost);
    for (int word : host) sum = sum * 31 + word;
    printf("%08x\n", sum);
    cudaFree(one);
  }
  (void)cudaGetLastError();  // a query that came early leaves one
  return seen == -1;
}
