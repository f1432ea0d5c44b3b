// One thread launches a kernel that reads what other warps write, with no barrier before the launch.
// flags: -rdc=true
// finding: stream-race: in parent.*wrong_launch_before_barrier.cu:7: another thread writes .*no barrier stands between
#include <cstdio>
__global__ void child(int* o, const int* p) { o[threadIdx.x] = p[threadIdx.x]; }
__global__ void parent(int* p, int* o) {
  p[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 0) child<<<1, 128>>>(o, p);
}
int main() {
  int *p, *o;
  cudaMalloc(&p, 512);
  cudaMalloc(&o, 512);
  parent<<<1, 128>>>(p, o);
  cudaDeviceSynchronize();
  cudaFree(p);
  cudaFree(o);
  return cudaGetLastError();
}
