// Clusters: their registers, distributed shared memory by every way there is, multicast, bulk copies and reductions.
// refused: 3
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ unsigned mapped(unsigned address, unsigned rank) {
  unsigned remote;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(rank));
  return remote;
}
__device__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ void init(unsigned long long* barrier, unsigned count) {
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(shared_address(barrier)), "r"(count) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  asm volatile("fence.proxy.async;" ::: "memory");
  cluster_barrier();
}
__device__ void expect(unsigned long long* barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(shared_address(barrier)), "r"(bytes) : "memory");
}
__device__ void wait(unsigned long long* barrier) {
  unsigned done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(shared_address(barrier)) : "memory");
}

#define REGISTER(NAME) ({ unsigned value; asm volatile("mov.u32 %0, %" NAME ";" : "=r"(value)); value; })

__global__ void registers(unsigned* out) {
  if (threadIdx.x != 0) return;
  unsigned* row = out + 20 * (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z));
  row[0] = REGISTER("%cluster_ctaid.x"), row[1] = REGISTER("%cluster_ctaid.y"), row[2] = REGISTER("%cluster_ctaid.z");
  row[3] = REGISTER("%cluster_nctaid.x"), row[4] = REGISTER("%cluster_nctaid.y"), row[5] = REGISTER("%cluster_nctaid.z");
  row[6] = REGISTER("%clusterid.x"), row[7] = REGISTER("%clusterid.y"), row[8] = REGISTER("%clusterid.z");
  row[9] = REGISTER("%nclusterid.x"), row[10] = REGISTER("%nclusterid.y"), row[11] = REGISTER("%nclusterid.z");
  row[12] = REGISTER("%cluster_ctarank"), row[13] = REGISTER("%cluster_nctarank");
  unsigned is_explicit;
  asm volatile("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(is_explicit));
  row[14] = is_explicit;
  const cg::cluster_group cluster = cg::this_cluster();
  row[15] = cluster.block_rank(), row[16] = cluster.num_blocks(), row[17] = cluster.dim_blocks().y, row[18] = cluster.block_index().x;
  row[19] = cluster.num_threads();
}

// Each block of the cluster reads what the next one wrote, writes into the one after, and adds into the first.
template <int stride>
__global__ void __cluster_dims__(4, 1, 1) neighbours(unsigned* out) {
  __shared__ unsigned tile[1024], inbox[1024], sum[32];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), t = threadIdx.x;
  for (unsigned k = t; k < 1024; k += 32) tile[k] = rank * 10000 + k, inbox[k] = 0;
  sum[t] = 0;
  cluster.sync();
  const unsigned* next = cluster.map_shared_rank(tile, (rank + 1) % 4);
  unsigned* after = cluster.map_shared_rank(inbox, (rank + 2) % 4);
  after[t * stride % 1024] = next[t * stride % 1024] + 1;
  atomicAdd(cluster.map_shared_rank(&sum[t], 0), rank + 1);
  cluster.sync();
  out[(blockIdx.x * 32 + t) * 2] = inbox[t * stride % 1024];
  out[(blockIdx.x * 32 + t) * 2 + 1] = sum[t];
}

template <class T>
__global__ void __cluster_dims__(2, 1, 1) explicit_space(T* out) {
  __shared__ T tile[128];
  const unsigned rank = cg::this_cluster().block_rank(), t = threadIdx.x;
  tile[t] = T{};
  cluster_barrier();
  const unsigned there = mapped(shared_address(&tile[t]), rank ^ 1);
  if (sizeof(T) == 4) {
    asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(there), "r"(rank * 1000 + t) : "memory");
  } else {
    asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %2, %1, %2};" :: "r"(there), "r"(rank * 1000 + t), "r"(t) : "memory");
  }
  cluster_barrier();
  uint4 value = {};
  if (sizeof(T) == 4) {
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value.x) : "r"(there) : "memory");
  } else {
    asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w) : "r"(there) : "memory");
  }
  const T own = tile[t];
  const unsigned* words = reinterpret_cast<const unsigned*>(&own);
  reinterpret_cast<unsigned*>(out)[(blockIdx.x * 32 + t) * 2] = words[0];
  reinterpret_cast<unsigned*>(out)[(blockIdx.x * 32 + t) * 2 + 1] = value.x + value.y;
  cluster_barrier();
}

// st.async: each thread writes into its peer and notifies the peer's barrier.
__global__ void __cluster_dims__(2, 1, 1) send_words(unsigned* out) {
  __shared__ __align__(16) unsigned tile[256];
  __shared__ __align__(8) unsigned long long barrier;
  const unsigned rank = cg::this_cluster().block_rank(), t = threadIdx.x;
  init(&barrier, 1);
  if (t == 0) expect(&barrier, 32 * (4 + 8 + 16));
  const unsigned there = mapped(shared_address(tile), rank ^ 1), bar = mapped(shared_address(&barrier), rank ^ 1);
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" :: "r"(there + t * 4), "r"(rank * 100 + t), "r"(bar) : "memory");
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" :: "r"(there + 128 + t * 8), "l"(t * 0x100000003ull), "r"(bar) : "memory");
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %1, %2}, [%3];" :: "r"(there + 384 + t * 16), "r"(t), "r"(rank), "r"(bar) : "memory");
  wait(&barrier);
  unsigned hash = 0;
  for (int k = 0; k < 7; ++k) hash = hash * 31 + tile[t * 7 + k];
  out[blockIdx.x * 32 + t] = hash;
  cluster_barrier();
}

// A barrier in another block: remote arrivals, each thread one.
__global__ void __cluster_dims__(4, 1, 1) remote_arrivals(unsigned* out) {
  __shared__ __align__(8) unsigned long long barrier;
  __shared__ unsigned tile[128];
  const unsigned rank = cg::this_cluster().block_rank(), t = threadIdx.x;
  init(&barrier, 128);
  asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(mapped(shared_address(&tile[rank * 32 + t]), 0)), "r"(rank * 100 + t) : "memory");
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(mapped(shared_address(&barrier), 0)) : "memory");
  if (rank == 0) {
    wait(&barrier);
    for (int k = 0; k < 4; ++k) out[(blockIdx.x / 4 * 32 + t) * 4 + k] = tile[k * 32 + t];
  }
  cluster_barrier();
}

// One block loads for all that its mask names; each barrier counts what arrives in its own block.
__global__ void __cluster_dims__(4, 1, 1) multicast(const unsigned* in, unsigned* out, unsigned mask) {
  __shared__ __align__(128) unsigned tile[256];
  __shared__ __align__(8) unsigned long long barrier;
  const unsigned rank = cg::this_cluster().block_rank(), t = threadIdx.x;
  for (unsigned k = t; k < 256; k += 32) tile[k] = 7;
  init(&barrier, 1);
  if (t == 0) expect(&barrier, mask >> rank & 1 ? 1024 : 0);
  if (rank == 1 && t == 0)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;"
                 :: "r"(shared_address(tile)), "l"(in + blockIdx.x / 4 * 256), "r"(1024), "r"(shared_address(&barrier)), "h"((unsigned short)mask) : "memory");
  wait(&barrier);
  for (unsigned k = t; k < 256; k += 32) out[blockIdx.x * 256 + k] = tile[k];
  cluster_barrier();
}

// Bulk copy from shared memory into that of another block.
__global__ void __cluster_dims__(2, 1, 1) send_bulk(unsigned* out) {
  __shared__ __align__(128) unsigned tile[256], inbox[256];
  __shared__ __align__(8) unsigned long long barrier;
  const unsigned rank = cg::this_cluster().block_rank(), t = threadIdx.x;
  for (unsigned k = t; k < 256; k += 32) tile[k] = rank * 1000 + k;
  init(&barrier, 1);
  if (t == 0) {
    expect(&barrier, 1024);
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(mapped(shared_address(inbox), rank ^ 1)), "r"(shared_address(tile)), "r"(1024), "r"(mapped(shared_address(&barrier), rank ^ 1)) : "memory");
  }
  wait(&barrier);
  for (unsigned k = t; k < 256; k += 32) out[blockIdx.x * 256 + k] = inbox[k];
  cluster_barrier();
}

// Reductions of many bytes: into global memory, and (32-bit integers) into another block.
#define REDUCE(FORM) asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." FORM " [%0], [%1], %2;" :: "l"(out), "r"(shared_address(tile)), "r"(512) : "memory")
__global__ void reduce_global(unsigned* out, int form) {
  __shared__ __align__(128) unsigned tile[128];
  for (unsigned k = threadIdx.x; k < 128; k += 32) tile[k] = (k * 0x01010101u + 0x3c004000u) & 0x3f7f3f7fu;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (form == 0) REDUCE("add.u32");
  if (form == 1) REDUCE("min.s32");
  if (form == 2) REDUCE("max.u32");
  if (form == 3) REDUCE("and.b32");
  if (form == 4) REDUCE("or.b64");
  if (form == 5) REDUCE("xor.b32");
  if (form == 6) REDUCE("inc.u32");
  if (form == 7) REDUCE("dec.u32");
  if (form == 8) REDUCE("add.u64");
  if (form == 9) REDUCE("add.f32");
  if (form == 10) REDUCE("add.f64");
  if (form == 11) REDUCE("add.noftz.f16");
  if (form == 12) REDUCE("add.noftz.bf16");
  if (form == 13) REDUCE("min.f16");
  if (form == 14) REDUCE("max.bf16");
  if (form == 15) REDUCE("min.s64");
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

__global__ void __cluster_dims__(2, 1, 1) reduce_shared(unsigned* out) {
  __shared__ __align__(128) unsigned tile[64], sum[64];
  __shared__ __align__(8) unsigned long long barrier;
  const unsigned rank = cg::this_cluster().block_rank(), t = threadIdx.x;
  for (unsigned k = t; k < 64; k += 32) tile[k] = rank * 100 + k, sum[k] = 1000;
  init(&barrier, 1);
  if (t == 0) {
    expect(&barrier, 256);
    asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], %2, [%3];"
                 :: "r"(mapped(shared_address(sum), rank ^ 1)), "r"(shared_address(tile)), "r"(256), "r"(mapped(shared_address(&barrier), rank ^ 1)) : "memory");
  }
  wait(&barrier);
  for (unsigned k = t; k < 64; k += 32) out[blockIdx.x * 64 + k] = sum[k];
  cluster_barrier();
}

static unsigned* device;
static std::vector<unsigned> host(1 << 16);

static void fill() {
  for (size_t k = 0; k < host.size(); ++k) host[k] = static_cast<unsigned>(k * 2654435761u) & 0x3f7f3f7fu;
  cudaMemcpy(device, host.data(), host.size() * 4, cudaMemcpyHostToDevice);
}
static void show(const char* what, int number) {
  const cudaError_t code = cudaMemcpy(host.data(), device, host.size() * 4, cudaMemcpyDeviceToHost);
  unsigned long long hash = 0xcbf29ce484222325ull;
  for (unsigned word : host) hash = (hash ^ word) * 0x100000001b3ull;
  std::printf("%s %d: %016llx %u %u %s\n", what, number, hash, host[0], host[70], cudaGetErrorName(code));
  fill();
}

static void launch_registers(dim3 grid, dim3 cluster, int number) {
  cudaLaunchConfig_t config = {};
  config.gridDim = grid, config.blockDim = 64;
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster.x, attribute.val.clusterDim.y = cluster.y, attribute.val.clusterDim.z = cluster.z;
  config.attrs = &attribute, config.numAttrs = 1;
  std::printf("%s ", cudaGetErrorName(cudaLaunchKernelEx(&config, registers, device)));
  std::printf("%s ", cudaGetErrorName(cudaGetLastError()));
  show("registers", number);
}

int main() {
  cudaMalloc(&device, host.size() * 4);
  fill();
  registers<<<dim3(3, 2), 64>>>(device), show("registers", 0);
  launch_registers({8, 2, 1}, {2, 1, 1}, 1);
  launch_registers({4, 4, 2}, {2, 2, 1}, 2);
  launch_registers({4, 2, 4}, {1, 2, 2}, 3);
  launch_registers({8, 1, 1}, {8, 1, 1}, 4);
  launch_registers({7, 1, 1}, {2, 1, 1}, 5);    // the grid is no multiple
  launch_registers({32, 1, 1}, {16, 1, 1}, 6);  // more than the eight that every GPU has
  launch_registers({32, 1, 1}, {0, 1, 1}, 7);
  neighbours<1><<<8, 32>>>(device), show("neighbours", 1);
  neighbours<2><<<8, 32>>>(device), show("neighbours", 2);
  neighbours<8><<<4, 32>>>(device), show("neighbours", 8);
  neighbours<32><<<4, 32>>>(device), show("neighbours", 32);
  explicit_space<unsigned><<<4, 32>>>(device), show("explicit", 4);
  explicit_space<uint4><<<4, 32>>>(reinterpret_cast<uint4*>(device)), show("explicit", 16);
  send_words<<<4, 32>>>(device), show("st.async", 0);
  remote_arrivals<<<8, 32>>>(device), show("remote arrivals", 0);
  unsigned* input;
  cudaMalloc(&input, host.size() * 4);
  cudaMemcpy(input, host.data(), host.size() * 4, cudaMemcpyHostToDevice);
  for (unsigned mask : {15u, 2u, 13u, 8u}) multicast<<<8, 32>>>(input, device, mask), show("multicast", mask);
  send_bulk<<<4, 32>>>(device), show("bulk to a peer", 0);
  for (int form = 0; form < 16; ++form) reduce_global<<<1, 32>>>(device, form), show("reduce", form);
  reduce_shared<<<4, 32>>>(device), show("reduce into a peer", 0);
}
