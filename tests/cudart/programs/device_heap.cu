// Kernels that build data structures with malloc: hash buckets as linked lists, one node an insertion, freed by a later kernel.
#include <cstdio>
#include <cstdlib>

#define BUCKETS 64

struct Node {
  int key, count;
  Node *next;
};

__global__ void insert(Node **heads, int *locks, const int *keys, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int bucket = keys[i] % BUCKETS;
  bool done = false;
  while (!done) {  // one lane of a warp at a time holds the lock of a bucket
    if (atomicCAS(&locks[bucket], 0, 1) == 0) {
      __threadfence();
      volatile Node *at = *(Node *volatile *)&heads[bucket];
      while (at && at->key != keys[i]) at = at->next;
      if (at) {
        at->count = at->count + 1;
      } else {
        Node *fresh = (Node *)malloc(sizeof(Node));
        fresh->key = keys[i];
        fresh->count = 1;
        fresh->next = *(Node *volatile *)&heads[bucket];
        *(Node *volatile *)&heads[bucket] = fresh;
      }
      __threadfence();
      atomicExch(&locks[bucket], 0);
      done = true;
    }
  }
}

__global__ void tally(Node **heads, int *out) {
  int nodes = 0, total = 0, weighted = 0;
  for (Node *at = heads[threadIdx.x]; at; at = at->next) {
    nodes++;
    total += at->count;
    weighted += at->count * at->key;
  }
  atomicAdd(&out[0], nodes);
  atomicAdd(&out[1], total);
  atomicAdd(&out[2], weighted);
}

__global__ void clear(Node **heads) {
  Node *at = heads[threadIdx.x];
  while (at) {
    Node *next = at->next;
    free(at);
    at = next;
  }
  heads[threadIdx.x] = nullptr;
}

__global__ void too_much(int *failed) {
  void *p = malloc((size_t)1 << 40);
  if (p == nullptr) atomicAdd(failed, 1);
}

int main() {
  const int n = 2000;
  static int keys[n], seen[700];
  int distinct = 0, weighted = 0;
  for (int i = 0; i < n; ++i) {
    keys[i] = (i * 7919) % 700;
    distinct += seen[keys[i]]++ == 0;
    weighted += keys[i];
  }
  cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20);
  Node **heads;
  int *locks, *d_keys, *out, h[4];
  cudaMalloc(&heads, BUCKETS * sizeof(Node *));
  cudaMalloc(&locks, BUCKETS * sizeof(int));
  cudaMalloc(&d_keys, sizeof keys);
  cudaMalloc(&out, sizeof h);
  cudaMemset(heads, 0, BUCKETS * sizeof(Node *));
  cudaMemset(locks, 0, BUCKETS * sizeof(int));
  cudaMemset(out, 0, sizeof h);
  cudaMemcpy(d_keys, keys, sizeof keys, cudaMemcpyHostToDevice);
  insert<<<(n + 127) / 128, 128>>>(heads, locks, d_keys, n);
  tally<<<1, BUCKETS>>>(heads, out);
  clear<<<1, BUCKETS>>>(heads);
  too_much<<<1, 32>>>(out + 3);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d keys in %d nodes (expected %d), weighted %d (expected %d)\n", h[1], h[0], distinct, h[2], weighted);
  printf("a terabyte: refused %d times, %s\n", h[3], cudaGetErrorString(cudaGetLastError()));
  return h[0] == distinct && h[1] == n && h[2] == weighted && h[3] == 32 ? 0 : 1;
}
