// Indirect calls through tables of device functions, virtual methods, recursion, and device-side new and delete.
// nvcc: -Xptxas -suppress-stack-size-warning
#include <cstdio>

typedef float (*op_func_t)(float, float);

__device__ float add_func(float x, float y) { return x + y; }
__device__ float mul_func(float x, float y) { return x * y; }
__device__ float sub_func(float x, float y) { return x - y; }
__device__ op_func_t table[3] = {add_func, mul_func, sub_func};
__device__ op_func_t chosen = mul_func;

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual float area() const = 0;
};
struct Square : Shape {
  float side;
  __device__ Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Box : Shape {
  float w, h;
  __device__ Box(float a, float b) : w(a), h(b) {}
  __device__ float area() const override { return w * h; }
};

__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ int hanoi(int disks, int from, int to, int via) {
  if (disks == 0) return 0;
  return hanoi(disks - 1, from, via, to) + 1 + hanoi(disks - 1, via, to, from);
}

__global__ void indirect(float *out) {
  int t = threadIdx.x;
  out[t] = table[t % 3](t, 2.0f);  // lanes of one warp call three functions
}

__global__ void byArgument(op_func_t op, float *out) { out[threadIdx.x] = op(out[threadIdx.x], 10.0f); }

__global__ void shapes(float *out) {
  Shape *s;
  if (threadIdx.x % 2) s = new Square(threadIdx.x);
  else s = new Box(threadIdx.x, 3.0f);
  out[threadIdx.x] = s->area();
  delete s;
}

__global__ void recursive(int *out) {
  out[threadIdx.x] = fib(threadIdx.x % 11);
  if (threadIdx.x == 0) {
    out[32] = ackermann(2, 3);
    out[33] = hanoi(6, 0, 1, 2);
  }
}

int main() {
  float *d, h[32];
  int *di, hi[34], bad = 0;
  cudaMalloc(&d, sizeof h);
  cudaMalloc(&di, sizeof hi);
  cudaDeviceSetLimit(cudaLimitStackSize, 8192);
  indirect<<<1, 32>>>(d);
  op_func_t op;
  cudaMemcpyFromSymbol(&op, chosen, sizeof op);
  byArgument<<<1, 32>>>(op, d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int t = 0; t < 32; ++t) bad += h[t] != 10 * (t % 3 == 0 ? t + 2 : t % 3 == 1 ? t * 2 : t - 2);
  printf("pointers: %g %g %g, %d wrong\n", h[0], h[1], h[2], bad);
  shapes<<<1, 32>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int t = 0; t < 32; ++t) bad += h[t] != (t % 2 ? t * t : t * 3);
  printf("virtual: %g %g %g, %d wrong\n", h[7], h[8], h[31], bad);
  recursive<<<1, 32>>>(di);
  cudaMemcpy(hi, di, sizeof hi, cudaMemcpyDeviceToHost);
  printf("fib(10) = %d, ackermann(2, 3) = %d, hanoi(6) = %d\n", hi[10], hi[32], hi[33]);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return bad || hi[10] != 55 || hi[32] != 9 || hi[33] != 63;
}
