// Unified memory: classes that allocate themselves managed, a linked list that both sides walk, a __managed__ variable.
#include <cstdio>
#include <cstring>
#include <new>
#include <string>

class Managed {
 public:
  void *operator new(size_t len) {
    void *ptr;
    if (cudaMallocManaged(&ptr, len) != cudaSuccess) throw std::bad_alloc();
    cudaDeviceSynchronize();
    return ptr;
  }
  void operator delete(void *ptr) {
    cudaDeviceSynchronize();
    cudaFree(ptr);
  }
};

class Text : public Managed {
  int length;
  char *data;

 public:
  Text(const char *s) {
    length = strlen(s);
    cudaMallocManaged(&data, length + 1);
    strcpy(data, s);
  }
  ~Text() { cudaFree(data); }
  __host__ __device__ char &operator[](int i) { return data[i]; }
  __host__ __device__ int size() const { return length; }
  const char *c_str() const { return data; }
};

struct Node : public Managed {
  int value;
  Text *name;
  Node *next;
  Node(int v, const char *n, Node *after) : value(v), name(new Text(n)), next(after) {}
  ~Node() { delete name; }
};

__device__ __managed__ int visited = 0;
__device__ __managed__ int total[4];

__global__ void walk(Node *list) {
  for (Node *n = list; n; n = n->next) {
    if (threadIdx.x < n->name->size()) {
      char &c = (*n->name)[threadIdx.x];
      if (c >= 'a' && c <= 'z') c -= 'a' - 'A';
    }
    if (threadIdx.x == 0) {
      n->value *= 2;
      atomicAdd(&total[visited % 4], n->value);
      visited++;
    }
    __syncthreads();
  }
}

int main() {
  const char *names[] = {"warp", "block", "grid", "lane", "shared bank"};
  Node *list = nullptr;
  for (int i = 0; i < 5; ++i) list = new Node(i + 1, names[i], list);
  int device = 0, managed = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&managed, cudaDevAttrManagedMemory, device);
  if (!managed) {
    printf("no managed memory\n");
    return 0;
  }
  visited = 0;
  walk<<<1, 32>>>(list);
  cudaError_t err = cudaDeviceSynchronize();
  if (err != cudaSuccess) {
    printf("%s\n", cudaGetErrorString(err));
    return 1;
  }
  int sum = 0;
  for (Node *n = list; n;) {
    printf("%-12s %d\n", n->name->c_str(), n->value);
    sum += n->value;
    Node *dead = n;
    n = n->next;
    delete dead;
  }
  printf("visited %d, totals %d %d %d %d\n", visited, total[0], total[1], total[2], total[3]);
  return visited == 5 && sum == 30 && total[0] == 10 + 2 ? 0 : 1;
}
