// Variables and kernels of a namespace: a message names them as the program does.
// finding: `data` has 16 bytes.*out-of-bounds in forces::push\(int\).*right behind the end of `data`
namespace forces {
__device__ int data[4];
__global__ void push(int first) { data[threadIdx.x + first] = 1; }
}  // namespace forces
int main() {
  int host[8];
  cudaMemcpyFromSymbol(host, forces::data, sizeof host);
  forces::push<<<1, 4>>>(1);
  cudaDeviceSynchronize();
  return 0;
}
