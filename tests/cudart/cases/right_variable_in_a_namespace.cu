// Variables and kernels of a namespace: a message names them as the program does.
// clean
namespace forces {
__device__ int data[4];
__global__ void push(int first) { data[threadIdx.x + first] = 1; }
}  // namespace forces
int main() {
  int host[4];
  forces::push<<<1, 4>>>(0);
  cudaDeviceSynchronize();
  cudaMemcpyFromSymbol(host, forces::data, sizeof host);
  return 0;
}
