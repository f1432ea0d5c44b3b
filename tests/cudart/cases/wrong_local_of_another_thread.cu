// The address of one thread's local array, read by all: each reads its own array there.
// finding: out-of-bounds in k.*wrong_local_of_another_thread.cu:9: thread \(1,0\) of block \(0,0\) uses the address of a local variable of thread \(0,0\)
__global__ void k(int* o, const int* p) {
  __shared__ int* where;
  int mine[4];
  for (int i = 0; i < 4; i++) mine[i] = threadIdx.x * 10 + i + p[0];
  if (threadIdx.x == 0) where = mine;
  __syncthreads();
  o[threadIdx.x] = where[threadIdx.x % 4];
}
int main() {
  int *o, *p;
  cudaMalloc(&o, 256);
  cudaMalloc(&p, 4);
  cudaMemset(p, 0, 4);
  k<<<1, 64>>>(o, p);
  cudaDeviceSynchronize();
  cudaFree(o);
  cudaFree(p);
  return cudaGetLastError();
}
