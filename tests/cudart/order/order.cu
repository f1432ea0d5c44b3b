// What streams, events and the host order, and what they do not: one program, a case for each argument. Those
// that begin with `wrong` hold a mistake; `test_order.py` says what must be reported for each.
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

static const int kElements = 4096, kBytes = kElements * sizeof(int);

__global__ void fill(int* to, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = value + i;
}
__global__ void add(int* to, const int* from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i] + 1;
}
__global__ void add_behind(int* to, const int* from, bool waits) {
#if __CUDA_ARCH__ >= 900
  if (waits && threadIdx.x == 0) cudaGridDependencySynchronize();
#endif
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i] + 1;
}
// Reads before it waits.
__global__ void add_then_wait(int* to, const int* from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int sum = from[i] + 1;
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
  to[i] = sum;
}
__global__ void fill_and_let_begin(int* to, int value) {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
  to[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__constant__ int weights[32];
__global__ void weigh(int* to) { to[threadIdx.x] = weights[threadIdx.x]; }
__global__ void keep_on_the_heap(int** where) {
  where[threadIdx.x] = (int*)malloc(64);
  where[threadIdx.x][0] = 1;
}

// Structs with padding, copied whole to the host.
struct Tagged {
  char tag;
  double number;
  short last;
};
struct Nested {
  Tagged inside;
  char last;
  float4 wide;
};
struct alignas(16) Triple {
  float x, y, z;
};
__global__ void fill_structs(Tagged* to) { to[threadIdx.x] = Tagged{'a', 1.5, 2}; }
__global__ void fill_structs_but_one(Tagged* to) {
  to[threadIdx.x].tag = 'a';
  to[threadIdx.x].number = 1.5;
  if (threadIdx.x != 5) to[threadIdx.x].last = 2;
}
__global__ void fill_nested(Nested* to) {
  Nested& mine = to[threadIdx.x];
  mine.inside.tag = 'a';
  mine.inside.number = 1.5;
  mine.inside.last = 2;
  mine.last = 'b';
  mine.wide = {1, 2, 3, 4};
}
__global__ void fill_triples(Triple* to) {
  to[threadIdx.x].x = 1;
  to[threadIdx.x].y = 2;
  to[threadIdx.x].z = 3;
}
__global__ void except_last_of_block(int* to) {
  if (threadIdx.x != blockDim.x - 1) to[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__global__ void differences(float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = i;
}
__global__ void store_in_part(int2* to, bool all) {
  __shared__ int unwritten[64];
  if (all) unwritten[threadIdx.x] = 2;
  to[threadIdx.x] = int2{1, unwritten[threadIdx.x]};
}
__global__ void store_in_part_and_read(int2* to, bool all) {
  __shared__ int unwritten[64];
  if (all) unwritten[threadIdx.x] = 2;
  to[threadIdx.x] = int2{1, unwritten[threadIdx.x]};
  if (((volatile int*)to)[2 * threadIdx.x + all] > 5) to[threadIdx.x].x = 2;
  if (((volatile int*)to)[2 * threadIdx.x + !all] > 5) to[threadIdx.x].x = 3;
}
__global__ void read_second(int* to, const int2* from) {
  if (from[threadIdx.x].y > 3) to[threadIdx.x] = 1;
}

struct Data {
  int *a, *b, *pinned, *managed;
  int host[kElements];
  cudaStream_t one, two;
  cudaEvent_t event;
};

// Their arrays lie on the stack, each in a frame of its own.
static __attribute__((noinline)) void copy_few(int* to) {
  int few[16] = {};
  cudaMemcpy(to, few, 512, cudaMemcpyHostToDevice);
}
static __attribute__((noinline)) void copy_all(int* to) {
  int all[kElements] = {};
  cudaMemcpy(to, all, kBytes, cudaMemcpyHostToDevice);
  cudaMemcpy(to, all + 64, kBytes - 64 * sizeof(int), cudaMemcpyHostToDevice);
}

static void fill_on(Data& d, cudaStream_t s, int* to) {
  fill<<<kElements / 256, 256, 0, s>>>(to, 5);
  (void)d;
}
static void add_on(Data& d, cudaStream_t s) { add<<<kElements / 256, 256, 0, s>>>(d.b, d.a); }

static void copy_differences(Data& d, int n) {
  float* more;
  cudaMalloc(&more, kBytes);
  differences<<<kElements / 256, 256>>>(more, n);
  cudaMemcpy(d.host, more, kBytes, cudaMemcpyDeviceToHost);
  cudaFree(more);
}
template <class Thing>
static void copy_of(Data& d, void (*kernel)(Thing*), int blocks, int threads) {
  Thing* more;
  cudaMalloc(&more, blocks * threads * sizeof(Thing));
  kernel<<<blocks, threads>>>(more);
  cudaMemcpy(d.host, more, blocks * threads * sizeof(Thing), cudaMemcpyDeviceToHost);
  cudaFree(more);
}

static void store_in_part_of(bool all) {
  int2* pairs;
  cudaMalloc(&pairs, 64 * sizeof(int2));
  store_in_part_and_read<<<1, 64>>>(pairs, all);
  cudaDeviceSynchronize();
  cudaFree(pairs);
}

static int sum(const int* from) {
  int total = 0;
  for (int i = 0; i < kElements; ++i) total += from[i];
  return total;
}

// Block 1 writes only when it is the first to ask, which it is not in the order of the grid.
__global__ void first_one_writes(int* turn, int* to) {
  if (threadIdx.x != 0) return;
  int first = atomicAdd(turn, 1) == 0;
  if (blockIdx.x == 1 && first) to[0] = 5;
  if (blockIdx.x == 0) to[1] = to[0];
}
__global__ void count(int* bins, const int* from) { atomicAdd(&bins[from[threadIdx.x] & 63], 1); }
__global__ void count_one(int* bins) { bins[threadIdx.x] += 1; }
// Signals the host when its words are there; the host looks before the kernel has ended.
__global__ void signal_host(int* word, volatile int* said, bool fenced) {
  *word = 7;
  if (fenced) __threadfence_system();
  *said = 1;
}
__global__ void add_next(int* to, const int* from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] + from[i + 1];
}

// A launch that may begin before the kernel before it on the stream is done.
template <class... Arguments>
static void begin_early(cudaStream_t stream, bool overlaps, void (*kernel)(Arguments...), Arguments... arguments) {
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = overlaps;
  cudaLaunchConfig_t config{};
  config.gridDim = kElements / 256, config.blockDim = 256, config.stream = stream;
  config.attrs = &overlap, config.numAttrs = 1;
  cudaLaunchKernelEx(&config, kernel, arguments...);
}
static void add_early(cudaStream_t stream, int* to, const int* from, bool waits, bool overlaps = true) {
  begin_early(stream, overlaps, add_behind, to, from, waits);
}

// A graph of kernels: node k comes after those of `after[k]`, given as bits. Each adds d.a to d.b or the
// other way round, or fills.
enum class Deed { Fill, FillOther, AtoB, BtoA };
static void graph_of(Data& d, std::vector<std::pair<Deed, unsigned>> steps, bool twice = false) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  std::vector<cudaGraphNode_t> nodes;
  cudaGraphCreate(&graph, 0);
  int one = 1;
  for (const auto& [deed, after] : steps) {
    const bool fills = deed == Deed::Fill || deed == Deed::FillOther;
    int *to = deed == Deed::Fill || deed == Deed::BtoA ? d.a : d.b, *from = to == d.a ? d.b : d.a;
    void* of_fill[] = {&to, &one};
    void* of_add[] = {&to, &from};
    cudaKernelNodeParams node{};
    node.func = fills ? (void*)fill : (void*)add;
    node.gridDim = kElements / 256, node.blockDim = 256;
    node.kernelParams = fills ? of_fill : of_add;
    std::vector<cudaGraphNode_t> before;
    for (size_t k = 0; k < nodes.size(); ++k)
      if (after >> k & 1) before.push_back(nodes[k]);
    nodes.emplace_back();
    cudaGraphAddKernelNode(&nodes.back(), graph, before.data(), before.size(), &node);
  }
  cudaGraphInstantiate(&exec, graph, 0);
  for (int k = 0; k < 1 + twice; ++k) cudaGraphLaunch(exec, d.one);
  add_on(d, d.one);
  cudaStreamSynchronize(d.one);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

static void run(const char* name, Data& d) {
  auto is = [&](const char* other) { return strcmp(name, other) == 0; };
  if (is("wrong_two_streams")) {
    fill_on(d, d.one, d.a);
    add_on(d, d.two);
  } else if (is("right_event")) {
    fill_on(d, d.one, d.a);
    cudaEventRecord(d.event, d.one);
    cudaStreamWaitEvent(d.two, d.event, 0);
    add_on(d, d.two);
  } else if (is("wrong_reads_before_its_wait")) {
    fill_on(d, d.one, d.a);
    add_early(d.one, d.b, d.a, false);
  } else if (is("right_reads_what_done_blocks_wrote")) {
    fill_on(d, d.one, d.a);
    begin_early(d.one, true, add_then_wait, d.b, (const int*)d.a);
  } else if (is("wrong_reads_behind_a_kernel_that_lets_it_begin")) {
    fill_and_let_begin<<<kElements / 256, 256, 0, d.one>>>(d.a, 7);
    begin_early(d.one, true, add_then_wait, d.b, (const int*)d.a);
  } else if (is("wrong_writes_before_its_wait")) {
    fill_on(d, d.one, d.a);
    add_early(d.one, d.b, d.a, true);
    add_early(d.one, d.b, d.a, false);
  } else if (is("wrong_reads_before_the_wait_of_two_launches")) {
    fill_on(d, d.one, d.a);
    add_early(d.one, d.managed, d.a, true);
    add_early(d.one, d.b, d.a, false);
  } else if (is("right_waits_for_the_kernel_before")) {
    fill_on(d, d.one, d.a);
    add_early(d.one, d.b, d.a, true), add_early(d.one, d.a, d.b, true);
  } else if (is("right_no_wait_without_the_attribute")) {
    fill_on(d, d.one, d.a);
    add_early(d.one, d.managed, d.a, true);
    add_early(d.one, d.b, d.a, false, false);
  } else if (is("right_no_wait_behind_a_fill")) {
    fill_on(d, d.one, d.a);
    cudaMemsetAsync(d.b, 0, kBytes, d.one);
    add_early(d.one, d.b, d.a, false);
  } else if (is("wrong_event_too_early")) {
    cudaEventRecord(d.event, d.one);
    fill_on(d, d.one, d.a);
    cudaStreamWaitEvent(d.two, d.event, 0);
    add_on(d, d.two);
  } else if (is("right_host_between")) {
    fill_on(d, d.one, d.a);
    cudaStreamSynchronize(d.one);
    add_on(d, d.two);
  } else if (is("right_halves")) {
    fill<<<kElements / 512, 256, 0, d.one>>>(d.a, 1);
    fill<<<kElements / 512, 256, 0, d.two>>>(d.a + kElements / 2, 2);
  } else if (is("right_both_read")) {
    fill_on(d, d.one, d.a);
    cudaDeviceSynchronize();
    add<<<kElements / 256, 256, 0, d.one>>>(d.b, d.a);
    cudaMemcpyAsync(d.pinned, d.a, kBytes, cudaMemcpyDeviceToHost, d.two);
  } else if (is("wrong_default_stream")) {
    fill_on(d, d.one, d.a);  // created as non-blocking: the default stream does not wait for it
    add_on(d, 0);
  } else if (is("wrong_fill_on_another")) {
    add_on(d, d.one);
    cudaMemsetAsync(d.b, 0, kBytes, d.two);
  } else if (is("wrong_host_reads_copy")) {
    fill_on(d, d.one, d.a);
    cudaMemcpyAsync(d.pinned, d.a, kBytes, cudaMemcpyDeviceToHost, d.one);
    printf("%d\n", sum(d.pinned));
  } else if (is("right_host_reads_copy")) {
    fill_on(d, d.one, d.a);
    cudaMemcpyAsync(d.pinned, d.a, kBytes, cudaMemcpyDeviceToHost, d.one);
    cudaStreamSynchronize(d.one);
    printf("%d\n", sum(d.pinned));
  } else if (is("right_host_waits_for_event")) {
    fill_on(d, d.one, d.a);
    cudaMemcpyAsync(d.pinned, d.a, kBytes, cudaMemcpyDeviceToHost, d.one);
    cudaEventRecord(d.event, d.one);
    while (cudaEventQuery(d.event) == cudaErrorNotReady) {
    }
    printf("%d\n", sum(d.pinned));
  } else if (is("wrong_host_changes_source")) {
    cudaMemcpyAsync(d.a, d.pinned, kBytes, cudaMemcpyHostToDevice, d.one);
    d.pinned[7] = 1;
  } else if (is("wrong_managed_while_kernel_runs")) {
    fill_on(d, d.one, d.managed);
    printf("%d\n", d.managed[3]);
  } else if (is("right_managed")) {
    fill_on(d, d.one, d.managed);
    cudaDeviceSynchronize();
    printf("%d\n", d.managed[3]);
  } else if (is("wrong_free_on_another_stream")) {
    int* more;
    cudaMallocAsync(&more, kBytes, d.one);
    fill_on(d, d.one, more);
    cudaFreeAsync(more, d.two);
  } else if (is("right_free_on_its_stream")) {
    int* more;
    cudaMallocAsync(&more, kBytes, d.one);
    fill_on(d, d.one, more);
    cudaFreeAsync(more, d.one);
  } else if (is("wrong_allocated_on_another_stream")) {
    int* more;
    cudaMallocAsync(&more, kBytes, d.one);
    fill_on(d, d.two, more);
    cudaFreeAsync(more, d.two);
  } else if (is("right_allocated_on_another_stream")) {
    int* more;
    cudaMallocAsync(&more, kBytes, d.one);
    cudaStreamSynchronize(d.one);
    fill_on(d, d.two, more);
    cudaFreeAsync(more, d.two);
  } else if (is("wrong_leak")) {
    int* more;
    cudaMalloc(&more, 1000);
  } else if (is("wrong_heap_leak")) {
    int** where;
    cudaMalloc(&where, 32 * sizeof(int*));
    keep_on_the_heap<<<1, 32>>>(where);
    cudaDeviceSynchronize();
    cudaFree(where);
  } else if (is("wrong_copy_of_nothing")) {
    int* more;
    cudaMalloc(&more, kBytes);
    fill<<<1, 256>>>(more, 1);
    cudaMemcpy(d.host, more, kBytes, cudaMemcpyDeviceToHost);
    printf("%d\n", sum(d.host));
    cudaFree(more);
  } else if (is("wrong_copy_of_lone_float")) {
    copy_differences(d, kElements - 1);
  } else if (is("right_copy_of_all_floats")) {
    copy_differences(d, kElements);
  } else if (is("wrong_copy_at_block_edges")) {
    copy_of(d, except_last_of_block, 16, 64);
  } else if (is("wrong_copy_of_structs_with_a_hole")) {
    copy_of(d, fill_structs_but_one, 1, 64);
  } else if (is("right_copy_of_structs")) {
    copy_of(d, fill_structs, 1, 64);
  } else if (is("right_copy_of_one_struct")) {
    copy_of(d, fill_structs, 1, 1);
  } else if (is("right_copy_of_nested_structs")) {
    copy_of(d, fill_nested, 1, 32);
  } else if (is("right_copy_of_aligned_triples")) {
    copy_of(d, fill_triples, 1, 64);
  } else if (is("right_read_of_its_own_half")) {
    store_in_part_of(true);
  } else if (is("wrong_read_of_its_own_half")) {
    store_in_part_of(false);
  } else if (is("wrong_read_of_half_a_value")) {
    int2* pairs;
    cudaMalloc(&pairs, 64 * sizeof(int2));
    store_in_part<<<1, 64>>>(pairs, false);
    read_second<<<1, 64>>>(d.b, pairs);
    cudaDeviceSynchronize();
    cudaFree(pairs);
  } else if (is("wrong_managed_of_nothing")) {
    int* more;
    cudaMallocManaged(&more, kBytes);
    add<<<kElements / 256, 256>>>(d.b, more);
    cudaDeviceSynchronize();
    cudaFree(more);
  } else if (is("wrong_small_host_buffer")) {
    int* small = (int*)malloc(kBytes / 4);
    memset(small, 0, kBytes / 4);
    cudaMemcpy(d.a, small, kBytes, cudaMemcpyHostToDevice);
    free(small);
  } else if (is("wrong_small_host_array")) {
    copy_few(d.a);
  } else if (is("right_host_array")) {
    copy_all(d.a);
  } else if (is("right_host_buffer")) {
    int* whole = (int*)malloc(kBytes);
    memset(whole, 0, kBytes);
    cudaMemcpy(d.a, whole, kBytes, cudaMemcpyHostToDevice);
    cudaMemcpy(d.a, whole + 64, kBytes - 64 * sizeof(int), cudaMemcpyHostToDevice);
    free(whole);
  } else if (is("wrong_constants_changed_while_read")) {
    weigh<<<1, 32, 0, d.one>>>(d.a);
    cudaMemcpyToSymbolAsync(weights, d.pinned, sizeof weights, 0, cudaMemcpyHostToDevice, d.two);
  } else if (is("right_constants_changed_before")) {
    memset(d.pinned, 0, sizeof weights);
    cudaMemcpyToSymbolAsync(weights, d.pinned, sizeof weights, 0, cudaMemcpyHostToDevice, d.one);
    weigh<<<1, 32, 0, d.one>>>(d.a);
  } else if (is("right_atomics_on_two_streams")) {
    count<<<1, 64, 0, d.one>>>(d.b, d.a);
    count<<<1, 64, 0, d.two>>>(d.b, d.a);
  } else if (is("wrong_plain_beside_atomics")) {
    count<<<1, 64, 0, d.one>>>(d.b, d.a);
    count_one<<<1, 64, 0, d.two>>>(d.b);
  } else if (is("right_fill_of_pinned")) {  // cudaMemset of what the host can reach waits
    cudaMemset(d.pinned, 0, kBytes);
    cudaMemset2D(d.managed, 256, 1, 128, 4);
    printf("%d %d\n", d.pinned[3], d.managed[3]);
  } else if (is("wrong_fill_of_pinned_async")) {
    cudaMemsetAsync(d.pinned, 0, kBytes, d.one);
    printf("%d\n", d.pinned[3]);
  } else if (is("right_host_polls")) {
    signal_host<<<1, 1, 0, d.one>>>(d.pinned, (volatile int*)d.pinned + 512, true);
    while (((volatile int*)d.pinned)[512] == 0) {
    }
    printf("%d\n", d.pinned[0]);
  } else if (is("wrong_host_polls_unfenced")) {
    signal_host<<<1, 1, 0, d.one>>>(d.pinned, (volatile int*)d.pinned + 2048, false);
    while (((volatile int*)d.pinned)[2048] == 0) {
    }
    printf("%d\n", d.pinned[0]);
  } else if (is("right_host_beside")) {  // the other half of a page
    fill<<<1, 256, 0, d.one>>>(d.pinned, 5);
    printf("%d\n", d.pinned[512]);
  } else if (is("wrong_copy_does_not_wait_for_all")) {
    fill_on(d, d.one, d.pinned);  // a non-blocking stream, which the default stream does not wait for
    cudaMemcpy(d.host, d.b, kBytes, cudaMemcpyDeviceToHost);
    printf("%d\n", d.pinned[3]);
  } else if (is("right_copy_waits")) {
    fill_on(d, 0, d.pinned);
    cudaMemcpy(d.host, d.a, kBytes, cudaMemcpyDeviceToHost);
    printf("%d\n", d.pinned[3]);
  } else if (is("wrong_other_order")) {
    cudaMemset(d.a, 0, kBytes);
    first_one_writes<<<2, 32>>>(d.a, d.a + 1024);
    cudaDeviceSynchronize();
  } else if (is("right_children_wait_for_ever")) {  // as one does that waits for a lock which another thread held
    pthread_atfork(nullptr, nullptr, [] {
      for (;;) pause();
    });
    cudaMemset(d.a, 0, kBytes);
    first_one_writes<<<1, 32>>>(d.a, d.a + 1024);
    cudaDeviceSynchronize();
  } else if (is("wrong_graph_without_dependency")) {
    graph_of(d, {{Deed::Fill, 0}, {Deed::AtoB, 0}});
  } else if (is("right_graph_copies_to_the_host")) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(d.one, cudaStreamCaptureModeGlobal);
    fill_on(d, d.one, d.a);
    cudaMemcpyAsync(d.pinned, d.a, kBytes, cudaMemcpyDeviceToHost, d.one);
    cudaStreamEndCapture(d.one, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int k = 0; k < 3; ++k) cudaGraphLaunch(exec, d.one);
    cudaStreamSynchronize(d.one);
    printf("%d\n", d.pinned[3]);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
  } else if (is("right_host_function_behind_copy") || is("wrong_host_function_on_another_stream")) {
    const bool right = is("right_host_function_behind_copy");
    fill_on(d, d.one, d.a);
    cudaMemcpyAsync(d.pinned, d.a, kBytes, cudaMemcpyDeviceToHost, d.one);
    cudaLaunchHostFunc(
        right ? d.one : d.two, [](void* from) { printf("%d\n", static_cast<int*>(from)[3]); }, d.pinned);
    cudaDeviceSynchronize();
  } else if (is("wrong_graph_other_branch")) {
    graph_of(d, {{Deed::Fill, 0}, {Deed::FillOther, 1}, {Deed::AtoB, 1}});
  } else if (is("right_graph_chain")) {
    graph_of(d, {{Deed::Fill, 0}, {Deed::AtoB, 1}, {Deed::BtoA, 2}}, true);
  } else if (is("right_graph_branches")) {
    graph_of(d, {{Deed::Fill, 0}, {Deed::FillOther, 0}, {Deed::AtoB, 3}, {Deed::BtoA, 4}}, true);
  } else if (is("wrong_reads_beyond")) {
    int* short_one;
    cudaMalloc(&short_one, 1000);
    cudaMemset(short_one, 0, 1000);
    add_next<<<1, 256>>>(d.b, short_one, 250);
    if (cudaDeviceSynchronize() != cudaSuccess) exit(9);
    cudaFree(short_one);
  } else {
    printf("no such case: %s\n", name);
  }
}

int main(int, char** arguments) {
  static Data d;
  cudaMalloc(&d.a, kBytes);
  cudaMalloc(&d.b, kBytes);
  cudaMallocHost(&d.pinned, kBytes);
  cudaMallocManaged(&d.managed, kBytes);
  memset(d.pinned, 0, kBytes);
  cudaStreamCreateWithFlags(&d.one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&d.two, cudaStreamNonBlocking);
  cudaEventCreate(&d.event);
  fill<<<kElements / 256, 256>>>(d.a, 0);
  fill<<<kElements / 256, 256>>>(d.b, 0);
  cudaDeviceSynchronize();
  run(arguments[1], d);
  cudaDeviceSynchronize();
  cudaEventDestroy(d.event);
  cudaStreamDestroy(d.one);
  cudaStreamDestroy(d.two);
  cudaFree(d.a);
  cudaFree(d.b);
  cudaFree(d.managed);
  cudaFreeHost(d.pinned);
  return 0;
}
